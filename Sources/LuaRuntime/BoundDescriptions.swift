// Descriptions of bound types and modules. Completion, `help`, the LuaLS stubs and the reference are made from them.
// Invariant: nothing here runs code except `read`, which returns a field as plain data.

/// A type as Lua code and its documentation name it.
public indirect enum LuaType: Equatable, Sendable, CustomStringConvertible {
  case string, integer, number, boolean, function, any, nothing, table
  case object(String)
  case list(LuaType)
  case oneOf([LuaType])
  case optional(LuaType)
  case variadic(LuaType)
  /// An iterator for `for ... in` over values of the type.
  case iterator(LuaType)
  /// The result of a function: the type, or `nil, problem` when the function fails in an ordinary way.
  case fallible(LuaType)

  /// The type, or `nil, problem`.
  public var orProblem: LuaType { .fallible(self) }

  public var description: String {
    switch self {
    case .string: "string"
    case .integer: "integer"
    case .number: "number"
    case .boolean: "boolean"
    case .function: "function"
    case .any: "any"
    case .nothing: "nil"
    case .table: "table"
    case .object(let name): name
    case .list(let element): "\(element)[]"
    case .oneOf(let types): types.map(\.description).joined(separator: "|")
    case .optional(let type): "\(type)?"
    case .variadic(let type): "\(type)..."
    case .iterator(let element): "fun(): \(element)"
    case .fallible(let type): "\(type) | nil, problem"
    }
  }
}

/// The parameters of a bound function in order: `["name": .string]`.
public typealias LuaParameters = KeyValuePairs<String, LuaType>

public struct FunctionDescription: Sendable {
  public let name: String
  public let parameters: [(name: String, type: LuaType)]
  public let returns: LuaType
  /// Whether the function returns `nil, problem` for an ordinary failure.
  public let failsSoftly: Bool
  /// The right that the function needs; nil where it needs no more than its type or module.
  public let grant: String?
  /// The arguments of an example as they are written after the name; nil for `()`.
  public let example: String?
  public let help: String

  public init(
    name: String, parameters: LuaParameters = [:], returns: LuaType, grant: LuaGrant? = nil, example: String? = nil,
    help: String
  ) {
    self.name = name
    self.parameters = parameters.map { (name: $0.key, type: $0.value) }
    if case .fallible(let type) = returns {
      (self.returns, failsSoftly) = (type, true)
    } else {
      (self.returns, failsSoftly) = (returns, false)
    }
    self.grant = grant?.words
    self.example = example
    self.help = help
  }

  public var words: String { help + needs(grant) }

  /// Whether it returns a part of the object by its position.
  var returnsPart: Bool {
    if case .optional(.object) = returns { parameters.map(\.type) == [.integer] } else { false }
  }

  /// `deck:add(card: table) -> card | nil, problem`.
  public func signature(on owner: String, separator: String) -> String {
    let list = parameters.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
    let result = failsSoftly ? "\(returns) | nil, problem" : "\(returns)"
    let tail = returns == .nothing && !failsSoftly ? "" : " -> \(result)"
    return "\(owner)\(separator)\(name)(\(list))\(tail)"
  }
}

/// The description of a field, and a way to read it as plain data.
public struct FieldDescription {
  public let name: String
  public let type: LuaType
  public let isWritable: Bool
  /// The right that an assignment needs.
  public let grant: String?
  /// The value that an example assigns; nil where the example reads the field.
  public let example: String?
  public let help: String
  /// Reads the field of an object as plain data, for `--json` and for display.
  public let read: (any BoundObject) throws -> LuaValue

  public var words: String { help + needs(grant, to: "assign it") }
}

/// `A plugin needs decks.write to assign it.`
private func needs(_ grant: String?, to act: String = "") -> String {
  grant.map { " A plugin needs \($0)\(act.isEmpty ? "" : " to \(act)")." } ?? ""
}

public struct TypeDescription {
  public let name: String
  public let help: String
  /// The right that each of its members needs.
  public let grant: String?
  /// A Lua expression for an object of the type.
  public internal(set) var example: String?
  public internal(set) var fields: [FieldDescription] = []
  public internal(set) var methods: [FunctionDescription] = []
  /// The description of the fields of any name, for types that have them (a note's fields).
  public internal(set) var anyField: AnyFieldDescription?
  /// Returns the one line that `tostring` gives.
  public internal(set) var summary: (any BoundObject) throws -> String
  /// Returns what represents the object where there is room only for a name: a column, the JSON of another object.
  public internal(set) var identity: (any BoundObject) throws -> LuaValue

  public var memberNames: [String] { fields.map(\.name) + methods.map(\.name) }
  public var words: String { help + needs(grant) }
}

/// The description of the fields of any name that a type has.
public struct AnyFieldDescription {
  public let type: LuaType
  public let grant: String?
  public let help: String
  public var words: String { help + needs(grant, to: "assign one") }
  /// Returns the field names that an object has now, for completion.
  public let names: (any BoundObject) throws -> [String]
}

public struct ModuleDescription {
  public let name: String
  public let help: String
  /// The right that a state needs to have the module.
  public let grant: String?
  public internal(set) var functions: [FunctionDescription] = []
  public internal(set) var fields: [(name: String, type: LuaType, help: String)] = []

  public var memberNames: [String] { fields.map(\.name) + functions.map(\.name) }
  public var words: String { help + needs(grant) }
}
