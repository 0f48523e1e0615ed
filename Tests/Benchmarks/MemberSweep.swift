// Every bound method, module function and field that takes a string or returns a scalar, compared with a function or
// method in C that checks the same arguments and does nothing. Invariant: the members come from the descriptions in
// the Lua state, so a new one is measured, or listed as not measured, without a change here.

import LuaRuntime

struct MemberSweep {
  static let title = "all members of strings and scalars"

  /// An expression to measure: a call, or a field.
  private struct Member {
    let name: String
    /// Creates the object that it belongs to; nil for a module.
    let maker: String?
    /// With `self` for the object.
    let expression: String
    let reference: String
  }

  private struct Measured {
    let name: String
    let ours: Double
    let reference: Double
    var ratio: Double { ours / reference }
  }

  private let state: LuaState
  private let folder: String
  private var measured: [Measured] = []
  private var missing: [(name: String, reason: String)] = []

  /// - Parameter state: a state with the program's modules and `reference_words_open`.
  init(_ state: LuaState, folder: String) throws {
    self.state = state
    self.folder = folder
    try state.load(SweepSamples.prelude(folder), name: "samples").call([], results: 0) { _ in }
    for member in members() { measure(member) }
  }

  /// Prints the ten slowest by ratio, and what was not measured.
  func show(_ count: Int = 10) {
    guard !Asked.isSmoke else { return print("ok: \(Self.title), \(measured.count) of them") }
    print("\(Self.title): \(measured.count) measured against C that does nothing, the slowest \(count):")
    for row in measured.sorted(by: { $0.ratio > $1.ratio }).prefix(count) {
      print(
        "    \(row.name): \(rounded(row.ours)) ns against \(rounded(row.reference)) ns: \(rounded(row.ratio)) times")
    }
    for (name, reason) in missing { print("    not measured: \(name): \(reason)") }
  }

  // MARK: - Collecting the members

  private mutating func members() -> [Member] {
    var members: [Member] = []
    for module in state.modules {
      members += self.members(module.name, module.fields.map { ($0.name, $0.type) }, module.functions, maker: nil)
    }
    for type in state.types {
      guard let maker = SweepSamples.makers[type.name] else {
        missing.append((type.name, "no sample object"))
        continue
      }
      members += self.members(type.name, type.fields.map { ($0.name, $0.type) }, type.methods, maker: maker)
    }
    return members
  }

  /// Returns the members of a module, or of a type's objects, that can be measured.
  private mutating func members(
    _ owner: String, _ fields: [(name: String, type: LuaType)], _ functions: [FunctionDescription], maker: String?
  ) -> [Member] {
    let (target, separator) = maker == nil ? (owner, ".") : ("self", ":")
    var members = fields.filter { $0.type.isScalar }.map { field in
      Member(
        name: "\(owner).\(field.name)", maker: maker, expression: "\(target).\(field.name)",
        reference: "reference_list.count")
    }
    let reference = maker == nil ? "reference_words.give" : "reference_list:take"
    for function in functions where function.isOfInterest {
      let name = owner + separator + function.name
      guard let arguments = arguments(of: function, name) else { continue }
      members.append(
        Member(
          name: name, maker: maker, expression: "\(target)\(separator)\(function.name)(\(arguments))",
          reference: "\(reference)(\(arguments))"))
    }
    return members
  }

  /// Returns sample arguments as Lua; nil, and recorded as missing, if some are needed and none are given.
  private mutating func arguments(of function: FunctionDescription, _ name: String) -> String? {
    if let sample = SweepSamples.arguments[name] { return sample }
    if function.parameters.allSatisfy({ $0.type.isOptional }) { return "" }
    missing.append((name, "no sample arguments"))
    return nil
  }

  // MARK: - Measuring

  private mutating func measure(_ member: Member) {
    do {
      let ours = try loop(member.expression, maker: member.maker)
      let reference = try loop(member.reference, maker: member.maker)
      measured.append(
        Measured(name: member.name, ours: try seconds(ours) * 1e9, reference: try seconds(reference) * 1e9))
    } catch {
      missing.append((member.name, "\(error)".split(separator: "\n").first.map(String.init) ?? "an error"))
    }
  }

  /// Returns a Lua function that runs an expression a given number of times.
  private func loop(_ expression: String, maker: String?) throws -> LuaReference {
    let code = "local self = \(maker ?? "nil") return function(n) for _ = 1, n do local _ = \(expression) end end"
    return try state.load(code, name: "sweep").call { try $0.function(-1) }
  }

  /// Returns the seconds of one run, the median of a few measurements of about a millisecond each.
  private func seconds(_ run: LuaReference) throws -> Double {
    func time(_ count: Int) throws -> Double {
      let start = now()
      try run.call([count], results: 0) { _ in }
      return (now() - start) / Double(count)
    }
    let first = try time(1)
    guard !Asked.isSmoke else { return first }
    let count = max(1, min(20_000, Int(0.001 / (try time(10)))))
    return median(try (0..<7).map { _ in try time(count) })
  }
}

extension FunctionDescription {
  fileprivate var isOfInterest: Bool { returns.isScalar || parameters.contains { $0.type.takesString } }
}

extension LuaType {
  fileprivate var isScalar: Bool {
    switch self {
    case .string, .integer, .number, .boolean: true
    case .optional(let type): type.isScalar
    default: false
    }
  }

  fileprivate var takesString: Bool {
    switch self {
    case .string: true
    case .optional(let type), .variadic(let type), .list(let type): type.takesString
    case .oneOf(let types): types.contains { $0.takesString }
    default: false
    }
  }

  fileprivate var isOptional: Bool {
    switch self {
    case .optional, .variadic: true
    default: false
    }
  }
}
