// A Lua state and what the host has put into it. Invariant: it is used only on the thread that made it (the type is
// not Sendable), every bound type and module in it lives as long as it does, and after `close` no call begins in it;
// its memory is freed when the last running use of its stacks has ended.

public import CLua
import Problems
import Text

/// One Lua state: its globals, the bound types that it knows, and the entry points through which Swift calls into it.
public final class LuaState {
  /// The version of Lua that is linked: `5.4.4`.
  public static var version: String { String(cString: dh_lua_version()) }

  @usableFromInline let main: OpaquePointer
  /// Read at every call; no access to it ever spans another access.
  @exclusivity(unchecked) public private(set) var isClosed = false
  /// Whether its memory was freed as well.
  @exclusivity(unchecked) private(set) var isFreed = false
  /// How many calls into it, and other uses of its stacks by the host, are running.
  @usableFromInline @exclusivity(unchecked) var uses = 0
  /// The bound classes in use: only a few, so a linear search is faster than a dictionary.
  var slots: [Slot] = []
  /// The registered types. Each is described when its first object is handed over, as most code needs few of them.
  private(set) var pendingTypes: [PendingType] = []
  /// The modules that were registered, for help, completion and the reference.
  public private(set) var modules: [ModuleDescription] = []
  /// The registered modules as they are sent to a process that runs code.
  private(set) var sentModules: [SentModule] = []
  /// The process that runs the code of this state, if the code runs in another process.
  weak var distant: DistantCode?
  var entries = HostEntries()
  private var problemMetatable: LuaReference?
  /// The last few error values, in case Swift rethrows their errors into Lua, and the number of all so far.
  private var errors: (kept: [(number: Int, value: LuaReference)], count: Int) = ([], 0)

  /// The contents of the globals of a new state.
  public enum Libraries: Sendable {
    /// Lua's whole standard library, as a user's own lines and scripts have it.
    case full
    /// The safe part of the library, for plugins; `sandbox.c` lists it.
    case sandboxed
  }

  /// - Parameters:
  ///   - memoryLimit: bytes that its Lua code may hold; nil for no limit.
  ///   - libraries: the globals that its code gets.
  ///   - seed: the seed of its random numbers, so that they repeat; nil for a new seed each time.
  public init(memoryLimit: Int? = nil, libraries: Libraries = .full, seed: UInt64? = nil) throws(LuaError) {
    var host = dh_host(
      context: nil, invoke: runHostFunction, release: releaseHostObject, unknown_field: wordUnknownField)
    var options = dh_options(
      memory_limit: max(0, memoryLimit ?? 0), is_sandboxed: libraries == .sandboxed ? 1 : 0,
      is_seeded: seed == nil ? 0 : 1, seed: seed ?? 0)
    guard let L = dh_open(&host, &options) else {
      throw LuaError(kind: .stopped(.memory), message: "not enough memory for a Lua state")
    }
    main = L
    dh_set_context(L, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { if !isFreed { free() } }

  /// Closes the state: runs finalizers and releases bound objects. If its code is running, as when a plugin unloads
  /// itself, that code first runs to its end; the host refuses its requests. Closing again does nothing.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    dh_retire(main)
    if uses == 0 { free() }
  }

  /// Ends one use of a stack: restores the stack and releases what was charged meanwhile.
  func endUse(_ L: OpaquePointer, top: Int32, charged: Int) {
    lua_settop(L, top)
    dh_restore_charge(L, charged)
    uses -= 1
    if isClosed, uses == 0 { free() }
  }

  @usableFromInline func free() {
    problemMetatable = nil
    errors.kept = []
    isClosed = true
    isFreed = true
    dh_close(main)
    entries.deallocate()
    slots = []
    pendingTypes = []
  }

  static func of(_ L: OpaquePointer) -> LuaState {
    guard let context = dh_context(L) else { preconditionFailure("a Lua state that no LuaState made") }
    return Unmanaged<LuaState>.fromOpaque(context).takeUnretainedValue()
  }

  /// Whether its code is running.
  public var isInUse: Bool { uses > 0 }

  /// Bytes that the state holds, including host objects.
  public var memoryUsed: Int { isFreed ? 0 : Int(clamping: dh_memory_used(main)) }

  public var isTracing = false { didSet { if !isFreed { dh_set_tracing(main, isTracing ? 1 : 0) } } }

  /// Whether the running code was asked to stop; long host work polls it.
  public var isStopping: Bool { !isFreed && dh_is_stopping(main) != 0 }

  // MARK: Running code

  /// Compiles text, in the process that runs the code of this state, if there is one; bytecode is refused.
  /// - Parameter name: the name in messages: `make_deck.lua`, `prompt`.
  public func load(_ source: some Collection<UInt8>, name: String) throws -> LuaReference {
    if let distant { return try distant.load(Array(source), name: name) }
    let (L, top, charged) = try beginUse()
    defer { endUse(L, top: top, charged: charged) }
    let bytes = Array(source)
    let chunkName = (name.hasSuffix(".lua") ? "@" : "=") + name  // Lua marks a file name with "@"
    let status = bytes.withUnsafeBytes { raw in
      guard let base = raw.baseAddress else { return dh_load(L, "", 0, chunkName) }
      return dh_load(L, base.assumingMemoryBound(to: CChar.self), raw.count, chunkName)
    }
    if status >= DH_STATUS_STOPPED { throw takeError(on: L, status: status) }
    guard status == LUA_OK else { throw takeSyntaxError(on: L, endsInBackslash: bytes.last == UInt8(ascii: "\\")) }
    return LuaReference(popping: L, of: self)
  }

  public func load(_ source: String, name: String) throws -> LuaReference { try load(source.utf8, name: name) }

  /// Begins a use of the stack that is running now, with room for DH_ROOM values. `endUse` must follow.
  func beginUse() throws(LuaError) -> (L: OpaquePointer, top: Int32, charged: Int) {
    guard !isClosed, let L = dh_running(main) else { throw refusal }
    guard lua_checkstack(L, Int32(DH_ROOM)) != 0 else { throw stackIsFull }
    uses += 1
    return (L, lua_gettop(L), dh_charged(L))
  }

  /// Begins a call of the value in a slot of the registry: pushes the handler and the value. `endCall` must follow.
  @inlinable func beginCall(_ slot: Int32, slots: Int) throws(LuaError) -> dh_use {
    guard !isClosed else { throw refusal }
    let use = dh_begin_call(main, slot, Int32(clamping: slots))
    guard use.L != nil else { throw stackIsFull }
    uses += 1
    return use
  }

  @inlinable func endCall(_ use: dh_use) {
    dh_end_call(use)
    uses -= 1
    if isClosed, uses == 0 { free() }
  }

  /// Passes `body` a view of the stack, which is balanced afterwards.
  public func withStack<R>(_ body: (borrowing LuaStack) throws -> R) throws -> R {
    let (L, top, charged) = try beginUse()
    defer { endUse(L, top: top, charged: charged) }
    return try body(LuaStack(L))
  }

  public func setGlobal(_ name: String, _ value: some LuaRepresentable) throws {
    if let distant { return try distant.setGlobal(name, value) }
    try withStack { stack in
      dh_push_globals(stack.L)
      try stack.top.setField(name, value)
    }
  }

  /// Returns the names of the globals whose keys are text, without running any metamethod.
  public func globalNames() throws -> [String] {
    try withStack { stack in
      dh_push_globals(stack.L)
      return LuaCopier(stack.L).keysWithKind(at: -1).map(\.name)
    }
  }

  /// Inspects the value at the end of a path of fields from the globals, by raw access: for completion and for the
  /// prompt's rule. Bound objects and modules are inspected through their descriptions. Nil when there is no value.
  public func inspect(path: [String]) throws -> LuaInspection? {
    try withStack { try LuaInspection.along(path, from: $0) }
  }

  // MARK: Errors

  @usableFromInline var stackIsFull: LuaError { LuaError(kind: .runtime, message: "stack overflow") }
  @usableFromInline var refusal: LuaError { LuaError(kind: .runtime, message: DH_CLOSED_STATE) }

  /// Code is incomplete when the error is at its end, but for a short string that does not end in a backslash.
  private func takeSyntaxError(on L: OpaquePointer, endsInBackslash: Bool) -> LuaError {
    let stack = LuaStack(L)
    let message = stack.excerpt(-1) ?? "syntax error"
    var length = 0
    let start = dh_string(L, -1, &length)
    let isAtEnd = UnsafeRawBufferPointer(start: start, count: length).suffix(5).elementsEqual("<eof>".utf8)
    dh_pop(L, 1)
    let isCut = message.hasSuffix("unfinished string near <eof>") && !endsInBackslash
    return LuaError(kind: .syntax(isIncomplete: isAtEnd && !isCut), message: message)
  }

  /// Makes the error of a protected call; pops the error value.
  @usableFromInline func takeError(on L: OpaquePointer, status: Int32) -> LuaError {
    if status >= DH_STATUS_STOPPED {
      return stopError(status - Int32(DH_STATUS_STOPPED), position: String(cString: dh_stop_position(L)))
    }
    let position = String(cString: dh_error_position(L))
    let trace = isTracing ? String(cString: dh_error_trace(L)) : nil
    let isText = lua_type(L, -1) == LUA_TSTRING
    let problem = PlainProblem(at: -1, on: LuaStack(L))
    let message = problem?.message ?? errorText(on: L)
    errors.count += 1
    errors.kept = errors.kept.suffix(7) + [(errors.count, LuaReference(popping: L, of: self))]
    return LuaError(
      kind: .runtime, message: message, position: isText ? "" : position, trace: trace, problem: problem,
      value: ErrorValueKey(state: ObjectIdentifier(self), number: errors.count))
  }

  func errorValue(_ key: ErrorValueKey) -> LuaReference? {
    guard key.state == ObjectIdentifier(self) else { return nil }
    return errors.kept.first { $0.number == key.number }?.value
  }

  func stopError(_ reason: Int32, position: String = "") -> LuaError {
    switch UInt32(reason) {
    case DH_STOP_DEADLINE.rawValue:
      return LuaError(kind: .stopped(.deadline), message: "stopped: the time limit has passed", position: position)
    case DH_STOP_MEMORY.rawValue:
      return LuaError(kind: .stopped(.memory), message: "stopped: the memory limit has passed")
    case DH_STOP_EXIT.rawValue: return LuaError(kind: .stopped(.exit(Int(dh_exit_status(main)))), message: "exit")
    default: return LuaError(kind: .stopped(.interrupt), message: "interrupted")
    }
  }

  // MARK: Bound types

  /// Registers a bound type, once in a state; it is described when its first object is handed over, or all are listed.
  public func register<T: BoundObject>(_ bound: @escaping @autoclosure () -> BoundType<T>) {
    let key = ObjectIdentifier(T.self)
    guard !pendingTypes.contains(where: { $0.key == key }) else { return }
    let order = pendingTypes.count
    pendingTypes.append(PendingType(bound, order: order))
  }

  /// The registered types in the order of registration, for help, completion and the reference.
  public var types: [TypeDescription] {
    for pending in pendingTypes { _ = slot(of: pending) }
    return slots.sorted { $0.order < $1.order }.map(\.description)
  }

  func slot(of pending: PendingType) -> Slot? {
    if let slot = slots.first(where: { $0.key == pending.key }) { return slot }
    guard let slot = pending.describe(self) else { return nil }
    slots.append(slot)
    return slot
  }

  /// Registers a module as a global: a table of functions and computed fields that raises for unknown names.
  /// - Parameter members: names of globals that the module also holds as fields.
  public func register(_ module: BoundModule, members: [String] = []) throws {
    try withStack { stack in
      dh_push_module(main, entries.store(module.description.name))
      var sent: [SentMember] = []
      for member in module.members {
        sent.append(SentMember(role: member.role, name: member.function.name, number: entries.functions.count))
        let entry = store(member.function, type: nil, context: module.context)
        if case .getter = member.role {
          dh_module_getter(main, entry)
        } else {
          stack.push(member.function.name)
          dh_push_function(main, entry)
          lua_rawset(main, -3)
        }
      }
      dh_push_globals(main)
      for name in members {
        stack.push(name)
        stack.push(name)
        lua_rawget(main, -3)
        lua_rawset(main, -4)
      }
      stack.push(module.description.name)
      lua_pushvalue(main, -3)
      lua_rawset(main, -3)
      sentModules.append(SentModule(name: module.description.name, members: sent, modules: members))
    }
    modules.append(module.description)
  }

  func store(
    _ function: HostFunction, type: UnsafeMutablePointer<dh_type>?, context: AnyObject? = nil
  ) -> UnsafeMutablePointer<dh_function> {
    let entry = UnsafeMutablePointer<dh_function>.allocate(capacity: 1)
    entry.initialize(
      to: dh_function(
        swift: Unmanaged.passUnretained(function).toOpaque(), type: type.map { UnsafePointer($0) },
        name: entries.store(function.name), cost: 0, fast: function.fastPath,
        context: context.map { Unmanaged.passUnretained($0).toOpaque() }, outlives: function.outlives ? 1 : 0))
    entries.functions.append((function, context, entry))
    return entry
  }

  /// Returns the registry slot of the metatable that gives problems their text.
  func problemMetatableSlot(on L: OpaquePointer) -> Int32 {
    if let problemMetatable { return problemMetatable.slot }
    let stack = LuaStack(L)
    stack.pushTable(array: 0, fields: 3)
    for key in ["__name", "__metatable"] {
      stack.push(key)
      stack.push("problem")
      lua_rawset(L, -3)
    }
    stack.push("__tostring")
    let text = HostFunction("__tostring", failsSoftly: false) { stack, _ in
      stack.push(PlainProblem(at: 1, on: stack)?.message ?? "problem")
      return 1
    }
    push(text, cost: 256, on: L)
    lua_rawset(L, -3)
    let metatable = LuaReference(popping: L, of: self)
    problemMetatable = metatable
    return metatable.slot
  }
}

/// Returns the code in the text of a file, read as lua(1) reads it: without a byte order mark, and without a first line
/// that begins with `#`, which is for the system. The numbers of the lines stay the same.
public func luaCode(ofFile text: [UInt8]) -> ArraySlice<UInt8> {
  let code = text.withoutMark
  return code.first == UInt8(ascii: "#") ? code.drop { $0 != UInt8(ascii: "\n") } : code
}

/// Returns the text of the error value on top of the stack, which stays there.
private func errorText(on L: OpaquePointer) -> String {
  let kind = lua_type(L, -1)
  if kind == LUA_TNIL { return "nil" }
  let withoutText = "(error object is a \(String(cString: dh_type_word(L, -1))) value)"
  if kind != LUA_TSTRING, kind != LUA_TNUMBER {
    guard luaL_getmetafield(L, -1, "__tostring") != LUA_TNIL else { return withoutText }
    dh_pop(L, 1)
  }
  let status = dh_tostring_protected(L, -1)
  // A call that was stopped leaves nothing on the stack.
  if status >= DH_STATUS_STOPPED { return withoutText }
  defer { dh_pop(L, 1) }
  return status == LUA_OK ? LuaStack(L).excerpt(-1) ?? withoutText : withoutText
}
