// Runs libFuzzer over one of several targets: `NAME-OF-THE-PROGRAM TARGET [OPTION OF LIBFUZZER]... [CORPUS]...`.
// Invariant: an error that a target throws is a normal result; only a crash is a finding, including a violated
// invariant that a target checks.

import Glibc

/// Code that is tested with hostile bytes.
public struct FuzzTarget {
  public let name: String
  /// Called with each input.
  let body: ([UInt8]) throws -> Void

  public init(_ name: String, _ body: @escaping ([UInt8]) throws -> Void) { (self.name, self.body) = (name, body) }
}

/// Checks an invariant for the current input.
public func hold(_ condition: Bool, _ what: @autoclosure () -> String) {
  if condition { return }
  let line = Array("fuzz: \(what())\n".utf8)
  _ = write(STDERR_FILENO, line, line.count)
  abort()
}

/// From libFuzzer, which the script links.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The running target, for the C callback of libFuzzer; set once, before the first call.
nonisolated(unsafe) private var running: (([UInt8]) throws -> Void)?

/// Names the target for the processes that libFuzzer starts while merging, because it does not pass on the first word.
private let targetVariable = "DECKHAND_FUZZ_TARGET"

/// The arguments of the program, the target's name first.
public var fuzzWords: [String] {
  let words = Array(CommandLine.arguments.dropFirst())
  guard words.first?.hasPrefix("-") == true, let name = getenv(targetVariable) else { return words }
  return [String(cString: name)] + words
}

/// Runs the target that the first word names; without one, lists the names.
public func fuzz(_ targets: [FuzzTarget]) -> Int32 {
  let words = fuzzWords
  guard let name = words.first, let target = targets.first(where: { $0.name == name }) else {
    for target in targets { print(target.name) }
    return words.isEmpty ? 0 : 2
  }
  setenv(targetVariable, name, 1)
  running = target.body
  let kept = ([CommandLine.arguments[0]] + words.dropFirst()).map { strdup($0) } + [nil]
  return kept.withUnsafeBufferPointer { _ in
    let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: kept.count)
    list.initialize(from: kept, count: kept.count)
    var (count, given) = (CInt(kept.count - 1), list)
    return runDriver(&count, &given) { bytes, count in
      do { try running?(Array(UnsafeBufferPointer(start: bytes, count: count))) } catch {}
      return 0
    }
  }
}
