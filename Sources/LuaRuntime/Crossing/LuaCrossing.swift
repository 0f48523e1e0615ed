// What one side of a crossing has handed over, and what it was handed: functions, objects and tables stay where they
// are, and the other side knows them by number. Invariants: a thing that was handed over lives until the other side has
// said for each handing over that it is done with it; a number that was not handed over is a `CrossingError`.

import CLua

/// A kind of thing that stays on its side.
enum HandedKind: UInt8 {
  case function, object, table
}

/// One side of the way between two Lua states, one of which is in another process.
final class LuaCrossing {
  unowned let state: LuaState
  let channel: any LuaChannel
  /// Bytes of a frame; a longer one is not made.
  let longestFrame: Int
  /// Whether the state is charged for what it says: where the code runs, as what it wants copied is its own doing.
  let chargesFrames: Bool
  /// What the other side calls of this one while its own question waits for an answer.
  var serve: ([UInt8]) throws -> Void = { _ in throw CrossingError() }
  /// Runs a function of the other side with what is on a stack; answers as a host function.
  var run: (Int, borrowing LuaStack) throws -> Int32 = { _, _ in throw CrossingError() }

  /// Told of the members of a type that the other side is about to know.
  var willTell: ([ToldMember]) -> Void = { _ in }

  private struct HandedObject {
    let object: any BoundObject
    let cost: Int
    var times: Int
  }

  private var references: [Int: LuaReference] = [:]
  private var objects: [Int: HandedObject] = [:]
  private var numbers: [ObjectIdentifier: Int] = [:]
  private var lastNumber = 0
  /// The types that the other side knows.
  private var told: Set<Int> = []
  /// What the other side knows by name, by its number: types, on the side that runs the code.
  private var types: [Int: LuaState.Slot] = [:]
  /// The objects of the other side that live here.
  private var distant: [Int: Unmanaged<DistantObject>] = [:]
  /// What is to be said to be needed no more.
  private var released: [(kind: HandedKind, id: Int, times: Int)] = []

  init(_ state: LuaState, _ channel: any LuaChannel, longestFrame: Int, chargesFrames: Bool) {
    (self.state, self.channel, self.longestFrame) = (state, channel, longestFrame)
    self.chargesFrames = chargesFrames
  }

  var tooMuch: LuaFailure { .message("this is too large to pass on: more than \(inWords(bytes: longestFrame))") }

  // MARK: Handing over

  private func nextNumber() -> Int {
    lastNumber = lastNumber == Int(UInt32.max) ? 1 : lastNumber + 1
    return lastNumber
  }

  /// Keeps the value on top of the stack, which it pops, for the other side.
  func keep(_ L: OpaquePointer) -> Int {
    let id = nextNumber()
    references[id] = LuaReference(popping: L, of: state)
    return id
  }

  func hand(functionAt index: Int32, on L: OpaquePointer) -> Handed {
    let function = dh_host_function(L, index)
    lua_pushvalue(L, index)
    if let swift = function?.pointee.swift {
      let host = Unmanaged<HostFunction>.fromOpaque(swift).takeUnretainedValue()
      if let distant = host.distant, distant.crossing === self {
        dh_pop(L, 1)
        return Handed(tag: .yourFunction, id: distant.id)
      }
      return Handed(tag: .ownFunction, id: keep(L), name: host.name)
    }
    return Handed(tag: .ownFunction, id: keep(L))
  }

  /// Nil for an object that is closed, or of nobody's type.
  func hand(objectAt index: Int32, on L: OpaquePointer) throws -> Handed? {
    guard let slot = state.slot(on: L, at: index), let object = state.object(on: L, at: index) else { return nil }
    switch object {
    case let distant as DistantObject: return Handed(tag: .yourObject, id: distant.id)
    case let table as DistantTable: return Handed(tag: .yourTable, id: table.id)
    default: break
    }
    if told.insert(slot.order).inserted {
      willTell(slot.members)
      try channel.send(typeFrame(of: slot))
    }
    let key = ObjectIdentifier(object)
    if let id = numbers[key], let known = objects[id] {
      objects[id]?.times += 1
      return Handed(tag: .ownObject, id: id, type: slot.order, cost: known.cost)
    }
    let (id, cost) = (nextNumber(), slot.weigh.map { max(slot.cost, $0(object)) } ?? slot.cost)
    objects[id] = HandedObject(object: object, cost: cost, times: 1)
    numbers[key] = id
    dh_keep(L, cost)
    return Handed(tag: .ownObject, id: id, type: slot.order, cost: cost)
  }

  private func typeFrame(of slot: LuaState.Slot) -> [UInt8] {
    var writer = CrossingWriter(.type)
    writer.word(slot.order)
    writer.text(slot.description.name)
    writer.list(slot.members) { $0.write(to: &$1) }
    return writer.bytes
  }

  /// Pushes what this side handed over before.
  func giveBack(_ kind: HandedKind, _ id: Int, on L: OpaquePointer) throws(CrossingError) {
    switch kind {
    case .object:
      guard let known = objects[id] else { throw CrossingError() }
      state.push(object: known.object, on: L)
    case .function, .table:
      guard let reference = references[id] else { throw CrossingError() }
      reference.push(on: L)
      guard lua_type(L, -1) == (kind == .table ? LUA_TTABLE : LUA_TFUNCTION) else { throw CrossingError() }
    }
  }

  // MARK: Being handed

  /// Pushes a function that runs on the other side.
  func take(function id: Int, named name: String, on L: OpaquePointer) {
    let distant = DistantFunction(id, self)
    let host = HostFunction(name, failsSoftly: false) { stack, _ in
      guard let crossing = distant.crossing else { throw LuaFailure.message("its process has ended") }
      return try crossing.run(distant.id, stack)
    }
    host.distant = distant
    state.push(host, cost: 512, on: L)
  }

  /// Pushes an object of the other side: the same one while it lives.
  func take(object id: Int, type: Int, cost: Int, on L: OpaquePointer) throws(CrossingError) {
    guard let slot = types[type], cost >= 0 else { throw CrossingError() }
    let object: DistantObject
    if let living = distant[id] {
      object = living.takeUnretainedValue()
      object.times += 1
    } else {
      object = DistantObject(id, self)
      distant[id] = Unmanaged.passUnretained(object)
    }
    let reference = Unmanaged<AnyObject>.passUnretained(object)
    if dh_push_object(L, slot.type, reference.toOpaque(), cost) != 0 { _ = reference.retain() }
  }

  /// Pushes what stands for a table of the other side.
  func take(table id: Int, on L: OpaquePointer) throws(CrossingError) {
    guard types.isEmpty else { throw CrossingError() }
    state.push(object: DistantTable(id, self), on: L)
  }

  /// Makes a type of the other side known.
  func add(_ slot: LuaState.Slot, number: Int) { types[number] = slot }

  // MARK: Giving up

  func release(_ kind: HandedKind, _ id: Int, times: Int = 1) {
    if kind == .object { distant[id] = nil }
    released.append((kind, id, times))
  }

  /// Says what is needed no more, before anything else is said.
  func sendReleases() throws {
    guard !released.isEmpty else { return }
    var writer = CrossingWriter(.release)
    for (kind, id, times) in released {
      writer.byte(kind.rawValue)
      writer.word(id)
      writer.word(times)
    }
    released.removeAll(keepingCapacity: true)
    try channel.send(writer.bytes)
  }

  /// Lets go of what the other side needs no more.
  func takeReleases(_ reader: CrossingReader) throws(CrossingError) {
    var reader = reader
    while reader.left > 0 {
      guard let kind = HandedKind(rawValue: try reader.byte()) else { throw CrossingError() }
      let (id, times) = (try reader.word(), try reader.word())
      if kind != .object {
        guard references.removeValue(forKey: id) != nil else { throw CrossingError() }
        continue
      }
      guard let known = objects[id], times >= 1, times <= known.times else { throw CrossingError() }
      objects[id]?.times -= times
      guard times == known.times else { continue }
      objects[id] = nil
      numbers[ObjectIdentifier(known.object)] = nil
      dh_release(state.main, known.cost)
    }
  }

  /// Forgets all of it: the other side is gone.
  func end() {
    if !state.isFreed { for object in objects.values { dh_release(state.main, object.cost) } }
    references = [:]
    objects = [:]
    numbers = [:]
    released = []
  }

  // MARK: Asking

  /// Sends a question and serves what the other side asks, until its answer comes.
  func ask(_ question: [UInt8], waiting: () throws -> Void = {}) throws -> [UInt8] {
    try sendReleases()
    try channel.send(question)
    while true {
      let frame = try channel.receive(waiting)
      switch frame.first.flatMap(FrameKind.init) {
      case nil: throw CrossingError()
      case .values, .failure, .error, .syntaxError, .stopped: return frame
      case .release: try frame.read { try takeReleases($0) }
      default: try serve(frame)
      }
      // A side that goes on asking is looked at too.
      try waiting()
    }
  }

  func answer(_ frame: [UInt8]) throws {
    try sendReleases()
    try channel.send(frame)
  }
}

extension [UInt8] {
  /// Reads a frame from behind its kind.
  func read<Result>(_ body: (CrossingReader) throws -> Result) throws -> Result {
    try withUnsafeBytes { bytes in
      var reader = CrossingReader(bytes)
      _ = try reader.byte()
      return try body(reader)
    }
  }
}
