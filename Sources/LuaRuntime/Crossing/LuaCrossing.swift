// The functions, objects and tables that one side of the connection has handed over or received. They stay on their
// side; the other side refers to them by number. Invariants: what was handed over lives until the other side has
// released it once for each time it was handed over; an unknown number is a `WireError`.

import CLua
import Wire

/// What can be handed over while it stays on its side.
enum ReferenceKind: UInt8 { case function, object, table }

/// One side of the connection between two Lua states in two processes.
final class LuaCrossing {
  unowned let state: LuaState
  let channel: any LuaChannel
  /// The maximum bytes of a frame; a longer one is not made.
  let longestFrame: Int
  /// Serves a request of the other side, while a request of this side waits for its answer.
  var serve: ([UInt8]) throws -> Void = { _ in throw WireError() }
  /// Runs a function of the other side with the values on a stack; returns what a host function returns.
  var run: (Int, borrowing LuaStack) throws -> Int32 = { _, _ in throw WireError() }

  /// Called with the members of a type just before the other side learns of it.
  var willSendType: ([SentMember]) -> Void = { _ in }

  private var references: [Int: LuaReference] = [:]
  private var objects: [Int: (object: any BoundObject, cost: Int, times: Int)] = [:]
  private var numbers: [ObjectIdentifier: Int] = [:]
  private var lastNumber = 0
  private var sentTypes: Set<Int> = []
  /// The types that the other side has announced, by number; used on the side that runs the code.
  private var types: [Int: LuaState.Slot] = [:]
  /// The live stand-ins here for objects of the other side.
  private var distant: [Int: Unmanaged<DistantObject>] = [:]
  /// What the other side should be told to release.
  private var released: [(kind: ReferenceKind, id: Int, times: Int)] = []

  init(_ state: LuaState, _ channel: any LuaChannel, longestFrame: Int) {
    (self.state, self.channel, self.longestFrame) = (state, channel, longestFrame)
  }

  var tooLarge: LuaFailure { .message("this is too large to pass on: more than \(inWords(bytes: longestFrame))") }

  // MARK: Handing over

  private func nextNumber() -> Int {
    lastNumber = lastNumber == Int(UInt32.max) ? 1 : lastNumber + 1
    return lastNumber
  }

  /// Pops the value on top of the stack and stores it for the other side.
  func store(_ L: OpaquePointer) -> Int {
    let id = nextNumber()
    references[id] = LuaReference(popping: L, of: state)
    return id
  }

  func hand(functionAt index: Int32, on L: OpaquePointer) -> CrossingReference {
    let function = dh_host_function(L, index)
    lua_pushvalue(L, index)
    if let swift = function?.pointee.swift {
      let host = Unmanaged<HostFunction>.fromOpaque(swift).takeUnretainedValue()
      if let distant = host.distant, distant.crossing === self {
        dh_pop(L, 1)
        return CrossingReference(tag: .yourFunction, id: distant.id)
      }
      return CrossingReference(tag: .ownFunction, id: store(L), name: host.name)
    }
    return CrossingReference(tag: .ownFunction, id: store(L))
  }

  /// Returns nil for a closed object, or one without a bound type.
  func hand(objectAt index: Int32, on L: OpaquePointer) throws -> CrossingReference? {
    guard let slot = state.slot(on: L, at: index), let object = state.object(on: L, at: index) else { return nil }
    switch object {
    case let distant as DistantObject: return CrossingReference(tag: .yourObject, id: distant.id)
    case let table as DistantTable: return CrossingReference(tag: .yourTable, id: table.id)
    default: break
    }
    if sentTypes.insert(slot.order).inserted {
      willSendType(slot.members)
      var writer = WireWriter(.type)
      writer.word(slot.order)
      writer.text(slot.description.name)
      writer.list(slot.members) { $1.write(to: &$0) }
      try channel.send(writer.bytes)
    }
    let key = ObjectIdentifier(object)
    if let id = numbers[key], let known = objects[id] {
      objects[id]?.times += 1
      return CrossingReference(tag: .ownObject, id: id, type: slot.order, cost: known.cost)
    }
    let (id, cost) = (nextNumber(), slot.cost(of: object))
    objects[id] = (object, cost, 1)
    numbers[key] = id
    dh_keep(L, cost)
    return CrossingReference(tag: .ownObject, id: id, type: slot.order, cost: cost)
  }

  /// Pushes what this side handed over before.
  func pushShared(_ kind: ReferenceKind, _ id: Int, on L: OpaquePointer) throws(WireError) {
    switch kind {
    case .object:
      guard let known = objects[id] else { throw WireError() }
      state.push(object: known.object, on: L)
    case .function, .table:
      guard let reference = references[id] else { throw WireError() }
      reference.push(on: L)
      guard lua_type(L, -1) == (kind == .table ? LUA_TTABLE : LUA_TFUNCTION) else { throw WireError() }
    }
  }

  // MARK: Receiving

  /// Pushes a function that runs on the other side.
  func pushDistant(function id: Int, named name: String, on L: OpaquePointer) {
    let distant = DistantThing(.function, id, self)
    let host = HostFunction(name, failsSoftly: false) { stack, _ in
      guard let crossing = distant.crossing else { throw LuaFailure.message("its process has ended") }
      return try crossing.run(distant.id, stack)
    }
    host.distant = distant
    state.push(host, cost: CrossingCost.reference + name.utf8.count, on: L)
  }

  /// Pushes an object of the other side; always the same stand-in while that lives.
  func pushDistant(object id: Int, type: Int, cost: Int, on L: OpaquePointer) throws(WireError) {
    guard let slot = types[type], cost >= 0 else { throw WireError() }
    let object: DistantObject
    if let living = distant[id] {
      object = living.takeUnretainedValue()
      object.times += 1
    } else {
      object = DistantObject(.object, id, self)
      distant[id] = Unmanaged.passUnretained(object)
    }
    slot.push(object, cost: cost, on: L)
  }

  /// Pushes a stand-in for a table of the other side.
  func pushDistant(table id: Int, on L: OpaquePointer) throws(WireError) {
    guard types.isEmpty else { throw WireError() }
    state.push(object: DistantTable(.table, id, self), on: L)
  }

  /// Registers a type of the other side.
  func add(_ slot: LuaState.Slot, number: Int) { types[number] = slot }

  // MARK: Releasing

  func release(_ kind: ReferenceKind, _ id: Int, times: Int) {
    if kind == .object { distant[id] = nil }
    released.append((kind, id, times))
  }

  /// Sends what is no longer needed; called before any other frame is sent.
  func sendReleases() throws {
    guard !released.isEmpty else { return }
    var writer = WireWriter(.release)
    for (kind, id, times) in released {
      writer.byte(kind.rawValue)
      writer.word(id)
      writer.word(times)
    }
    released.removeAll(keepingCapacity: true)
    try channel.send(writer.bytes)
  }

  /// Releases what the other side no longer needs.
  func applyReleases(_ reader: WireReader) throws(WireError) {
    var reader = reader
    while reader.left > 0 {
      guard let kind = ReferenceKind(rawValue: try reader.byte()) else { throw WireError() }
      let (id, times) = (try reader.word(), try reader.word())
      if kind != .object {
        guard references.removeValue(forKey: id) != nil else { throw WireError() }
        continue
      }
      guard let known = objects[id], times >= 1, times <= known.times else { throw WireError() }
      objects[id]?.times -= times
      guard times == known.times else { continue }
      objects[id] = nil
      numbers[ObjectIdentifier(known.object)] = nil
      dh_release(state.main, known.cost)
    }
  }

  /// Drops everything, as the other side is gone.
  func end() {
    if !state.isFreed { for object in objects.values { dh_release(state.main, object.cost) } }
    references = [:]
    objects = [:]
    numbers = [:]
    released = []
  }

  // MARK: Asking

  /// Sends a request and serves requests of the other side until the answer comes.
  func ask(_ question: [UInt8], waiting: () throws -> Void = {}) throws -> [UInt8] {
    try sendReleases()
    try channel.send(question)
    while true {
      let frame = try channel.receive(waiting)
      switch frame.first.flatMap(FrameKind.init) {
      case nil: throw WireError()
      case .values, .failure, .error, .syntaxError, .stopped: return frame
      case .release: try frame.read { try applyReleases($0) }
      default: try serve(frame)
      }
      // Also checks `waiting` for a side that keeps sending requests.
      try waiting()
    }
  }

  func answer(_ frame: [UInt8]) throws {
    try sendReleases()
    try channel.send(frame)
  }
}

extension [UInt8] {
  /// Reads a frame, starting after its kind.
  func read<Result>(_ body: (WireReader) throws -> Result) throws -> Result {
    try withUnsafeBytes { bytes in
      var reader = WireReader(bytes)
      _ = try reader.byte()
      return try body(reader)
    }
  }
}
