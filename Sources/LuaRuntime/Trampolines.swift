// The Swift functions that the trampolines of `bound.c` call, and the message for an unknown field. Invariant:
// nothing here raises; a failure is a value that the trampoline raises after the Swift frame is gone.

import CLua
import Problems
import Text

extension LuaState {
  /// Returns the message for a field that a type or module does not have.
  func unknownField(of owner: String, named name: String, isWrite: Bool) -> String {
    let members = description(named: owner)?.memberNames ?? modules.first { $0.name == owner }?.memberNames ?? []
    if isWrite, members.contains(name) { return "\(owner).\(name) cannot be assigned" }
    return "\(owner) has no field '\(printable(name, limit: 60))'\(didYouMean(name, among: members, quote: "'"))"
  }
}

func runHostFunction(
  _ L: OpaquePointer?, _ object: UnsafeMutableRawPointer?, _ function: UnsafeMutableRawPointer?
) -> Int32 {
  guard let L, let function else { return 0 }
  return Unmanaged<HostFunction>.fromOpaque(function)._withUnsafeGuaranteedRef { $0.run(LuaStack(L), object) }
}

func releaseHostObject(_ object: UnsafeMutableRawPointer?) {
  if let object { Unmanaged<AnyObject>.fromOpaque(object).release() }
}

func wordUnknownField(_ L: OpaquePointer?, _ owner: UnsafePointer<CChar>?, _ key: Int32, _ isWriting: Int32) {
  guard let L, let owner else { return }
  let stack = LuaStack(L)
  let type = String(cString: owner)
  if let name = stack.excerpt(Int(key), limit: 256) {
    stack.push(stack.state.unknownField(of: type, named: name, isWrite: isWriting != 0))
  } else {
    let methods = stack.kind(Int(key)) == .number ? stack.state.description(named: type)?.methods : nil
    let part = methods?.first(where: \.returnsPart).map { " (did you mean \(type):\($0.name)\($0.example ?? "()")?)" }
    stack.push("\(type) has fields by name, not by \(stack.typeName(Int(key)))\(part ?? "")")
  }
}
