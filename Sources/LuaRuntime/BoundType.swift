// The single description of each bound type and module. The binding, completion, `help`, the LuaLS stubs and the
// reference all come from it. Invariant: a field or method exists in Lua exactly when it is described here.

import Problems
import Text

@usableFromInline final class HostFunction {
  @usableFromInline typealias Body = (borrowing LuaStack, UnsafeMutableRawPointer?) throws -> Int32
  let name: String
  /// Answers the most common calls; nil where there is none, or the state lacks the grant.
  var fastPath: LuaFastPath?
  /// The function of another process that this one stands for, if any.
  var distant: DistantThing?
  /// Whether code may still call it after its state was closed while the code ran.
  var outlives = false
  /// Whether a problem is returned after nil instead of being raised.
  let failsSoftly: Bool
  private let body: Body

  @usableFromInline init(_ name: String, failsSoftly: Bool, _ body: @escaping Body) {
    (self.name, self.failsSoftly, self.body) = (name, failsSoftly, body)
  }

  /// Runs the function; returns the count of results or a `dh_failure`.
  func run(_ stack: borrowing LuaStack, _ object: UnsafeMutableRawPointer?) -> Int32 {
    do { return try body(stack, object) } catch {
      return push(error, on: stack)
    }
  }
}

@usableFromInline struct BoundMember {
  /// An operation is a metamethod; its function has its name.
  @usableFromInline enum Role: UInt8 { case method, getter, setter, operation }
  let role: Role
  let function: HostFunction

  @usableFromInline init(_ role: Role, _ function: HostFunction) { (self.role, self.function) = (role, function) }
}

extension [BoundMember] {
  @inlinable mutating func add(
    _ role: BoundMember.Role, _ name: String, failsSoftly: Bool = false, _ body: @escaping HostFunction.Body
  ) { append(BoundMember(role, HostFunction(name, failsSoftly: failsSoftly, body))) }
}

/// The bytes that an object is charged in addition to its userdata.
public enum BoundWeight<T> {
  case bytes(Int)
  /// Measured when the object is handed to Lua; at least 128.
  case measured((T) -> Int)
}

/// The description of a Swift class that Lua may hold, and the code of each member. `T` is a `BoundObject`; if this
/// class required it, each of these types would cost a search through all conformances of the program.
public final class BoundType<T: AnyObject> {
  public private(set) var description: TypeDescription
  @usableFromInline var members: [BoundMember] = []
  let weight: BoundWeight<T>
  /// Runs before every member; if it throws, the object cannot be used at all.
  @usableFromInline let check: ((T) throws -> Void)?
  private let checks: LuaChecks<T>
  /// Passed to the fast paths of the members.
  public var context: AnyObject?

  public init(
    _ name: String, _ help: String, weight: BoundWeight<T> = .bytes(128), summary: @escaping (T) throws -> String,
    identity: ((T) throws -> LuaValue)? = nil, checks: LuaChecks<T> = LuaChecks(), _ describe: (BoundType<T>) -> Void
  ) {
    self.weight = weight
    self.checks = checks
    check = checks.check
    let summaryOf: (any BoundObject) throws -> String = { try ($0 as? T).map(summary) ?? name }
    description = TypeDescription(
      name: name, help: help, grant: checks.grant?.words, summary: summaryOf,
      identity: { object in
        guard let identity, let object = object as? T else { return .text(try summaryOf(object)) }
        return try identity(object)
      })
    addText(summary)
    describe(self)
  }

  /// Adds the text of an object; an object that cannot be used has one too, with the reason.
  private func addText(_ summary: @escaping (T) throws -> String) {
    let name = description.name
    let check = self.check
    members.add(.operation, "__tostring") { stack, raw in
      do { stack.push(try Self.with(raw, check, summary)) } catch let problem as any Problem {
        stack.push("\(name) (\(problem.message))")
      }
      return 1
    }
  }

  /// Passes the object behind a raw self to `body`, retained, as code that `body` calls can release its userdata.
  @inlinable static func with<R>(
    _ raw: UnsafeMutableRawPointer?, _ check: ((T) throws -> Void)?, _ body: (T) throws -> R
  ) throws -> R {
    guard let raw else { throw LuaFailure.message("self is missing") }
    let object = Unmanaged<T>.fromOpaque(raw).takeUnretainedValue()
    try check?(object)
    return try body(object)
  }

  /// A Lua expression for an object of the type; the examples of its members are made from it.
  public var example: String? {
    get { description.example }
    set { description.example = newValue }
  }

  @usableFromInline func missing(_ grant: LuaGrant?) -> MissingGrant? { MissingGrant(grant, of: checks.rights) }

  /// Adds a method, called with `:`. Its arguments are at 2, 3, ...
  @inlinable public func method<R: LuaRepresentable>(
    _ name: String, _ parameters: LuaParameters = [:], returns: LuaType, grant: LuaGrant? = nil, example: String? = nil,
    _ help: String, _ body: @escaping (T, borrowing LuaStack) throws -> R
  ) {
    let (check, missing) = (self.check, self.missing(grant))
    let words = FunctionDescription(
      name: name, parameters: parameters, returns: returns, grant: grant, example: example, help: help)
    members.add(.method, name, failsSoftly: words.failsSoftly) { stack, raw in
      try Self.with(raw, check) { object in
        try missing?.refuse(object, stack)
        return try body(object, stack).push(on: stack)
      }
    }
    record(words)
  }

  /// Adds a method without a result.
  public func method(
    _ name: String, _ parameters: LuaParameters = [:], grant: LuaGrant? = nil, example: String? = nil, _ help: String,
    _ body: @escaping (T, borrowing LuaStack) throws -> Void
  ) {
    method(name, parameters, returns: .nothing, grant: grant, example: example, help) { object, stack in
      try body(object, stack)
      return LuaNothing()
    }
  }

  /// Adds a method that returns true, or `nil, problem`.
  public func action(
    _ name: String, _ parameters: LuaParameters = [:], grant: LuaGrant? = nil, example: String? = nil, _ help: String,
    _ body: @escaping (T, borrowing LuaStack) throws -> Void
  ) {
    method(name, parameters, returns: .boolean.orProblem, grant: grant, example: example, help) { object, stack in
      try body(object, stack)
      return true
    }
  }

  /// Sets the fast path of a method that has no grant of its own, or of reading a field.
  public func fastPath(_ name: String, _ path: @escaping LuaFastPath) {
    let isRefused = checks.grant.flatMap(checks.rights) != nil
    if !isRefused { members.last { $0.function.name == name }?.function.fastPath = path }
  }

  /// Adds a read-only field.
  @inlinable public func field<V: LuaRepresentable>(
    _ name: String, _ type: LuaType, _ help: String, get: @escaping (T) throws -> V
  ) { addGetter(name, type, help, get) }

  /// Adds a writable field. `grant` is the right that an assignment needs. `set` finds the new value at 3.
  @inlinable public func field<V: LuaRepresentable>(
    _ name: String, _ type: LuaType, grant: LuaGrant? = nil, example: String? = nil, _ help: String,
    get: @escaping (T) throws -> V, set: @escaping (T, borrowing LuaStack) throws -> Void
  ) {
    addGetter(name, type, help, grant: grant, example: example, isWritable: true, get)
    let (owner, check, missing) = (description.name, self.check, self.missing(grant))
    members.add(.setter, name) { stack, raw in
      do {
        try Self.with(raw, check) { object in
          try missing?.refuse(object, stack)
          try set(object, stack)
        }
      } catch LuaFailure.argument(_, let message) {
        throw LuaFailure.message("bad value for \(owner).\(name) (\(message))")
      }
      return 0
    }
  }

  @inlinable func addGetter<V: LuaRepresentable>(
    _ name: String, _ type: LuaType, _ help: String, grant: LuaGrant? = nil, example: String? = nil,
    isWritable: Bool = false, _ get: @escaping (T) throws -> V
  ) {
    let check = self.check
    members.add(.getter, name) { stack, raw in try Self.with(raw, check) { try get($0).push(on: stack) } }
    recordField(name, type, help, grant: grant, example: example, isWritable: isWritable) { object in
      guard let object = object as? T else { return .none }
      try check?(object)
      return try get(object).luaValue
    }
  }

  /// Adds fields of any name, which the object looks up; the type has no others. `set` finds the new value at 3.
  public func anyField<V: LuaRepresentable>(
    _ fieldType: LuaType, grant: LuaGrant, _ help: String, names: @escaping (T) throws -> [String],
    get: @escaping (T, String) throws -> V, set: @escaping (T, String, borrowing LuaStack) throws -> Void
  ) {
    let (owner, missing) = (description.name, self.missing(grant))
    operation("__index") { object, stack in try get(object, fieldName(of: owner, on: stack)) }
    operation("__newindex") { object, stack in
      let name = try fieldName(of: owner, on: stack)
      try missing?.refuse(object, stack)
      do { try set(object, name, stack) } catch LuaFailure.argument(_, let message) {
        throw LuaFailure.message("bad value for \(owner).\(printable(name)) (\(message))")
      }
      return LuaNothing()
    }
    let check = self.check
    description.anyField = AnyFieldDescription(type: fieldType, grant: grant.words, help: help) { object in
      guard let object = object as? T else { return [] }
      try check?(object)
      return try names(object)
    }
  }

  /// Adds what a `for` loop does when it is left, and a variable that is to be closed.
  public func closing(_ body: @escaping (T) throws -> Void) {
    operation("__close") { object, _ in
      try body(object)
      return LuaNothing()
    }
  }

  /// Adds a metamethod, such as `__len` or `__call`.
  public func operation<R: LuaRepresentable>(_ event: String, _ body: @escaping (T, borrowing LuaStack) throws -> R) {
    let check = self.check
    members.add(.operation, event) { stack, raw in try Self.with(raw, check) { try body($0, stack).push(on: stack) } }
  }

  @usableFromInline func record(_ method: FunctionDescription) { description.methods.append(method) }
  @usableFromInline func recordField(
    _ name: String, _ type: LuaType, _ help: String, grant: LuaGrant?, example: String?, isWritable: Bool,
    _ read: @escaping (any BoundObject) throws -> LuaValue
  ) {
    description.fields.append(
      FieldDescription(
        name: name, type: type, isWritable: isWritable, grant: grant?.words, example: example, help: help, read: read))
  }
}

/// A Lua module: functions called with `.`, and fields that are computed at each read.
public final class BoundModule {
  public private(set) var description: ModuleDescription
  /// Whether the rights of the state allow the module.
  public let isGranted: Bool
  @usableFromInline var members: [BoundMember] = []
  /// Runs before every member; if it throws, the module cannot be used at all.
  @usableFromInline let check: () throws -> Void
  /// Passed to the fast paths of the members.
  let context: AnyObject?

  private let rights: LuaRights

  public init(
    _ name: String, _ help: String, context: AnyObject? = nil, rights: @escaping LuaRights = { _ in nil },
    grant: LuaGrant? = nil, check: @escaping () throws -> Void = {}, _ describe: (BoundModule) -> Void
  ) {
    description = ModuleDescription(name: name, help: help, grant: grant?.words)
    isGranted = grant.flatMap(rights) == nil
    self.rights = rights
    self.context = context
    self.check = check
    describe(self)
  }

  @usableFromInline func missing(_ grant: LuaGrant?) -> MissingGrant? { MissingGrant(grant, of: rights) }

  /// Adds a function. Its arguments are at 1, 2, ...
  @inlinable public func function<R: LuaRepresentable>(
    _ name: String, _ parameters: LuaParameters = [:], returns: LuaType, grant: LuaGrant? = nil, example: String? = nil,
    _ help: String, _ body: @escaping (borrowing LuaStack) throws -> R
  ) {
    let (check, missing) = (self.check, self.missing(grant))
    let words = FunctionDescription(
      name: name, parameters: parameters, returns: returns, grant: grant, example: example, help: help)
    members.add(.method, name, failsSoftly: words.failsSoftly) { stack, _ in
      try check()
      try missing?.refuse(nil, stack)
      return try body(stack).push(on: stack)
    }
    record(words)
  }

  /// Adds a function without a result.
  public func function(
    _ name: String, _ parameters: LuaParameters = [:], grant: LuaGrant? = nil, example: String? = nil, _ help: String,
    _ body: @escaping (borrowing LuaStack) throws -> Void
  ) {
    function(name, parameters, returns: .nothing, grant: grant, example: example, help) { stack in
      try body(stack)
      return LuaNothing()
    }
  }

  /// Adds a function that returns true, or `nil, problem`.
  public func action(
    _ name: String, _ parameters: LuaParameters = [:], grant: LuaGrant? = nil, example: String? = nil, _ help: String,
    _ body: @escaping (borrowing LuaStack) throws -> Void
  ) {
    function(name, parameters, returns: .boolean.orProblem, grant: grant, example: example, help) { stack in
      try body(stack)
      return true
    }
  }

  /// Sets the fast path of a function that has no grant of its own.
  public func fastPath(_ name: String, _ path: @escaping LuaFastPath) {
    members.last { $0.function.name == name }?.function.fastPath = path
  }

  /// Adds a read-only field.
  @inlinable public func field<V: LuaRepresentable>(
    _ name: String, _ type: LuaType, _ help: String, get: @escaping () throws -> V
  ) {
    let check = self.check
    members.add(.getter, name) { stack, _ in
      try check()
      return try get().push(on: stack)
    }
    recordField(name, type, help)
  }

  /// Adds a member of a host module, in the process that runs code.
  func add(distant member: SentMember, _ function: HostFunction) {
    members.append(BoundMember(member.role, function))
    if case .getter = member.role { return recordField(member.name, .any, "") }
    record(FunctionDescription(name: member.name, returns: .any, help: ""))
  }

  @usableFromInline func record(_ function: FunctionDescription) { description.functions.append(function) }
  @usableFromInline func recordField(_ name: String, _ type: LuaType, _ help: String) {
    description.fields.append((name, type, help))
  }
}

/// Returns the name at 2, by which a field is read or assigned.
private func fieldName(of owner: String, on stack: borrowing LuaStack) throws(LuaFailure) -> String {
  guard stack.kind(2) == .text else { throw .message("\(owner) has fields by name, not by \(stack.typeName(2))") }
  do { return try stack.text(2, limit: 10_000) } catch .argument(_, let message) {
    throw .message("bad name of a field of \(owner) (\(message))")
  }
}
