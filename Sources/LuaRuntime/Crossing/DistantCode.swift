// The host's side of code that runs in another process. The state here is the twin of the one there: it holds bound
// types and modules like any state, and requests of the code run on its stack, with the same functions, grants and
// limits; no code of a script ever runs in it. Invariants: whatever the other process sends, or fails to send, ends
// as the error of a call; once the process has failed, it gets no more requests.

import CLua
import Wire

/// Why a process that ran code is gone.
public enum DistantFailure: Error, Equatable {
  /// The process ended; the text says how.
  case ended(String)
  /// The process sent an invalid frame.
  case invalidMessage
  /// The process was asked to stop and did not.
  case unresponsive

  public var words: String {
    switch self {
    case .ended(let how): "its process \(how)"
    case .invalidMessage: "its process sent an invalid message"
    case .unresponsive: "its process did not stop"
    }
  }
}

/// The channel to a process that runs code.
public protocol DistantChannel: LuaChannel {
  /// Asks the code to stop; the value is meant for `dh_take_asked_stops`.
  func requestStop(_ value: Int32)
  /// Sets a closure that receives the size of each long frame before the frame is read.
  func makeRoom(by body: @escaping (Int) -> Void)
  func end()
}

public final class DistantCode {
  public let state: LuaState
  let crossing: LuaCrossing
  private let channel: any DistantChannel
  /// Called once, when the process has failed.
  public var onFailure: (DistantFailure) -> Void = { _ in }
  private var failure: DistantFailure?
  /// Which functions the code may request, by number.
  private var invocable: [Bool] = []
  private var serial = 0
  /// The number of requests under way.
  private var questions = 0
  private var isClosing = false
  /// How long the process may take to stop, in nanoseconds.
  private static let timeout: Int64 = 1_000_000_000

  public init(_ state: LuaState, _ channel: any DistantChannel, longestFrame: Int) {
    (self.state, self.channel) = (state, channel)
    crossing = LuaCrossing(state, channel, longestFrame: longestFrame)
    state.distant = self
    state.register(DistantTable.type)
    crossing.serve = { [weak self] in try self?.serve($0) }
    channel.makeRoom { [weak state] size in
      // Garbage in the twin from earlier frames can be large; collecting it costs less than keeping it.
      if let state, size > 1 << 20 || dh_room(state.main) < size { state.collect() }
    }
    crossing.willSendType = { [weak self] in self?.allow($0) }
    crossing.run = { [weak self] id, stack in
      guard let self else { throw LuaFailure.message(DistantFailure.ended("was ended").words) }
      return try call(id, stack)
    }
  }

  /// Ends the process; if its code is running, when that code has ended.
  public func close() {
    isClosing = true
    if questions == 0 { end(.ended("was ended")) }
  }

  private func end(_ why: DistantFailure) {
    failure = failure ?? why
    channel.end()
    crossing.end()
  }

  // MARK: Setup

  /// Sends the modules that were registered in the state, and makes the code's `print` print here.
  public func sendModules() throws {
    for module in state.sentModules {
      allow(module.members)
      try sending { try channel.send(module.frame) }
    }
    let print = HostFunction("print", failsSoftly: false) { stack, _ in
      let count = stack.count
      try stack.reserve(count + 8)
      dh_push_globals(stack.L)
      stack.push("print")
      lua_rawget(stack.L, -2)
      for index in 1..<Int32(count + 1) { lua_pushvalue(stack.L, index) }
      let status = dh_call_protected(stack.L, Int32(count), 0)
      return status == LUA_OK ? 0 : DH_FAIL_VALUE.rawValue
    }
    // Like the `print` of a state whose code runs here.
    print.outlives = true
    try ask(.print, numberOf: print)
  }

  /// Gives the code its `require`; see `LuaState.setRequire`.
  public func setRequire(_ find: @escaping (String) throws -> (source: [UInt8], chunkName: String)) throws {
    try ask(.require, numberOf: HostFunction(finding: find))
  }

  private func ask(_ kind: FrameKind, numberOf function: HostFunction) throws {
    _ = state.store(function, type: nil)
    let number = state.entries.functions.count - 1
    allow([SentMember(role: .method, name: function.name, number: number)])
    _ = try asking(kind, { $0.writer.word(number) }, take: { _, _ in })
  }

  private func allow(_ members: [SentMember]) {
    for member in members {
      while invocable.count <= member.number { invocable.append(false) }
      invocable[member.number] = true
    }
  }

  public func load(_ source: [UInt8], name: String) throws -> LuaReference {
    try asking(.load) { encoder in
      encoder.writer.text(name)
      source.withUnsafeBytes { encoder.writer.data($0) }
    } take: { stack, count in
      guard count == 1, stack.kind(-1) == .function else { throw WireError() }
      return stack.reference(-1)
    }
  }

  public func setGlobal(_ name: String, _ value: some LuaRepresentable) throws {
    try asking(.setGlobal) { encoder in
      encoder.writer.text(name)
      let L = encoder.L
      guard try value.push(on: LuaStack(L)) == 1 else { throw WireError() }
      try encoder.values(from: lua_gettop(L))
    } take: { _, _ in
    }
  }

  /// Makes a table from the value in the process that runs the code.
  func makeTable(_ value: LuaValue) throws -> LuaReference {
    try asking(.makeTable) { encoder in
      _ = try value.push(on: LuaStack(encoder.L))
      try encoder.values(from: lua_gettop(encoder.L))
    } take: { stack, count in
      guard count == 1, stack.objectOrNil(-1, DistantTable.self) != nil else { throw WireError() }
      return stack.reference(-1)
    }
  }

  /// Passes `body` a copy of the content of such a table, on top of the stack.
  func withContent<R>(of table: DistantTable, _ body: (borrowing LuaStack) throws -> R) throws -> R {
    try asking(.copyTable) {
      $0.writer.word(table.id)
    } take: { stack, count in
      guard count == 1 else { throw WireError() }
      return try body(stack)
    }
  }

  // MARK: Asking

  /// Sends a request outside of any call, with the time limit of one call.
  private func asking<R>(
    _ kind: FrameKind, _ write: (inout CrossingEncoder) throws -> Void, take: (borrowing LuaStack, Int32) throws -> R
  ) throws -> R {
    var budget = CallBudget(seconds: state.timeLimit ?? 3600)
    return try state.withBudget(&budget) {
      try state.withStack { stack in
        let top = lua_gettop(stack.L)
        let answer = try ask(kind, on: stack.L, write)
        lua_settop(stack.L, top)
        let count = try stack.memory.reporting { try self.take(answer, on: stack.L) }
        if count < 0 {
          dh_clear_position(stack.L)
          throw state.takeError(on: stack.L, status: LUA_ERRRUN)
        }
        let reason = dh_stop_reason_of(stack.L)
        guard reason == 0 else { throw state.takeError(on: stack.L, status: Int32(DH_STATUS_STOPPED) + reason) }
        return try sending { try take(stack, count) }
      }
    }
  }

  /// Ends a request, after its answer was read.
  private func endQuestion() {
    questions -= 1
    if isClosing, questions == 0 { end(.ended("was ended")) }
  }

  private func call(_ id: Int, _ stack: borrowing LuaStack) throws -> Int32 {
    let L = stack.L
    questions += 1
    defer { endQuestion() }
    let answer = try ask(.call, on: L) { encoder in
      encoder.writer.word(id)
      try encoder.values(from: 1)
    }
    lua_settop(L, 0)
    return try take(answer, on: L)
  }

  private func ask(_ kind: FrameKind, on L: OpaquePointer, _ write: (inout CrossingEncoder) throws -> Void) throws
    -> [UInt8]
  {
    serial = serial % 0xFFF_FFFF + 1
    let serial = self.serial
    var encoder = CrossingEncoder(kind, L, crossing)
    encoder.writer.word(serial)
    try sending { try write(&encoder) }
    var stopTime: Int64 = 0
    return try sending {
      try crossing.ask(encoder.writer.bytes) {
        let reason = dh_stop_reason_of(state.main)
        guard reason != 0 else { return }
        if stopTime == 0 { stopTime = dh_now() }
        if dh_now() - stopTime > Self.timeout { throw DistantFailure.unresponsive }
        channel.requestStop(Int32(serial << 3) | reason)
      }
    }
  }

  /// Charges a long frame to the call that it is for, in addition to the values made from it.
  private func charge(_ bytes: Int, on L: OpaquePointer) throws(LuaFailure) {
    if bytes > 64 << 10, dh_charge(L, bytes) == 0 { throw .memory }
  }

  /// Pushes an answer; returns the count of its values, or a `dh_failure`.
  private func take(_ answer: [UInt8], on L: OpaquePointer) throws -> Int32 {
    try charge(answer.count, on: L)
    return try sending {
      try answer.read { reader in
        var decoder = try CrossingDecoder(reader, L, crossing)
        switch FrameKind(rawValue: answer[0]) {
        case .values: return try decoder.values()
        case .error:
          let (position, sent) = (try decoder.reader.text(), try decoder.reader.text())
          let trace: String? = state.isTracing ? sent : nil
          guard try decoder.values() == 1 else { throw WireError() }
          dh_tell_position(L, position, trace)
          return DH_FAIL_VALUE.rawValue
        case .syntaxError:
          let isIncomplete = try decoder.reader.byte() != 0
          throw LuaError(kind: .syntax(isIncomplete: isIncomplete), message: try decoder.reader.text())
        case .stopped:
          let reason = Int32(try decoder.reader.byte())
          // The code stops by itself when it runs out of memory; any other stop must have been requested.
          guard reason == DH_STOP_MEMORY.rawValue || dh_stop_reason_of(L) != 0 else { throw WireError() }
          dh_tell_stop(L, reason, try decoder.reader.text())
          return 0
        default: throw WireError()
        }
      }
    }
  }

  /// Runs `body`; any failure other than a Lua error ends the process.
  private func sending<R>(_ body: () throws -> R) throws -> R {
    if let failure { throw LuaFailure.message(failure.words) }
    do {
      return try body()
    } catch let error as DistantFailure {
      throw fail(error)
    } catch is WireError {
      throw fail(.invalidMessage)
    }
  }

  private func fail(_ why: DistantFailure) -> LuaFailure {
    if failure == nil {
      end(why)
      onFailure(why)
    }
    return .message((failure ?? why).words)
  }

  // MARK: Serving

  private func serve(_ frame: [UInt8]) throws {
    guard let L = dh_running(state.main) else { throw WireError() }
    let (top, charged) = (lua_gettop(L), dh_charged(L))
    defer {
      lua_settop(L, top)
      dh_restore_charge(L, charged)
    }
    try frame.read { reader in
      var decoder = try CrossingDecoder(reader, L, crossing)
      let number = try decoder.reader.word()
      try LuaStack(L).reserve(8)
      let function: UnsafePointer<dh_function>
      switch FrameKind(rawValue: frame[0]) {
      case .invoke:
        guard number < invocable.count, invocable[number] else { throw WireError() }
        function = UnsafePointer(state.entries.functions[number].entry)
      case .call:
        try crossing.pushShared(.function, number, on: L)
        guard let own = dh_host_function(L, -1) else { throw WireError() }
        function = own
      default: throw WireError()
      }
      let answer = try answer(of: function, &decoder, L)
      if let failure { throw failure }
      try crossing.answer(answer)
    }
  }

  /// Runs a host function with the values of a request; values that cannot be decoded become a failure of that call.
  private func answer(
    of function: UnsafePointer<dh_function>, _ decoder: inout CrossingDecoder, _ L: OpaquePointer
  ) throws -> [UInt8] {
    let base = lua_gettop(L)
    let count: Int32
    do {
      try charge(decoder.reader.left, on: L)
      count = try decoder.values()
    } catch let error as WireError {
      throw error
    } catch LuaFailure.memory {
      return CrossingFrame.stopped(Int32(DH_STOP_MEMORY.rawValue), at: "")
    } catch {
      return CrossingFrame.failure("\(error)")
    }
    guard decoder.reader.left == 0 else { throw WireError() }
    var answer: Int32 = 0
    let status = dh_serve(L, function, count, &answer)
    guard status != LUA_OK || answer != Int32(DH_BAD_SELF) else { throw WireError() }
    return self.answer(L, base, status: status, answer)
  }

  /// Returns the answer to a request, from what a host function left on the stack above `base`.
  private func answer(_ L: OpaquePointer, _ base: Int32, status: Int32, _ answer: Int32) -> [UInt8] {
    if status >= DH_STATUS_STOPPED { return CrossingFrame.stopped(status - Int32(DH_STATUS_STOPPED), at: "") }
    let isFailure = status != LUA_OK || answer < 0
    var encoder = CrossingEncoder(isFailure ? .failure : .values, L, crossing)
    if isFailure { encoder.writer.word(Int(status == LUA_OK ? answer : DH_FAIL_VALUE.rawValue)) }
    do {
      try encoder.values(from: base + 1)
      return encoder.writer.bytes
    } catch LuaFailure.memory {
      return CrossingFrame.stopped(Int32(DH_STOP_MEMORY.rawValue), at: "")
    } catch {
      return CrossingFrame.failure("\(error)")
    }
  }
}

/// Frames that hold no values of a stack.
enum CrossingFrame {
  static func stopped(_ reason: Int32, at position: String) -> [UInt8] {
    var writer = WireWriter(.stopped)
    writer.byte(UInt8(truncatingIfNeeded: reason))
    writer.text(position)
    return writer.bytes
  }

  /// Makes a failure with a message; the position is added where it is raised.
  static func failure(_ message: String) -> [UInt8] {
    var writer = WireWriter(.failure)
    writer.word(Int(DH_FAIL_MESSAGE.rawValue))
    writer.message(message)
    return writer.bytes
  }
}
