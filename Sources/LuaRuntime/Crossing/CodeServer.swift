// The process that runs the code: a sandboxed state whose bound types and modules are those of the host; a call of
// any member is a request to the host. Invariant: only what the host has announced is bound here; nothing about it is
// known beforehand.

import CLua
import Wire

/// The limits and the seed that the code runs with, and whether its errors carry a traceback.
public struct CodeTerms: Equatable, Sendable {
  /// Bytes.
  public var memoryLimit: Int
  /// The seed of its random numbers, so that they repeat; nil for a new seed each time.
  public var seed: UInt64?
  public var isTracing = false

  public init(memoryLimit: Int, seed: UInt64?) { (self.memoryLimit, self.seed) = (memoryLimit, seed) }

  /// The maximum bytes of one frame: what a state may hold, in any form.
  public var longestFrame: Int { min(memoryLimit + (1 << 20), 1 << 30) }

  /// The first frame that is sent to the process.
  public var frame: [UInt8] {
    var bytes: [UInt8] = []
    withUnsafeBytes(of: memoryLimit) { bytes += $0 }
    withUnsafeBytes(of: seed ?? 0) { bytes += $0 }
    return bytes + [(seed == nil ? 0 : 1) | (isTracing ? 2 : 0)]
  }

  /// Decodes the frame; nil if it is not such a frame.
  public init?(_ frame: [UInt8]) {
    guard frame.count == 17 else { return nil }
    memoryLimit = frame.withUnsafeBytes { $0.loadUnaligned(as: Int.self) }
    seed = frame[16] & 1 == 0 ? nil : frame.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self) }
    isTracing = frame[16] & 2 != 0
  }
}

/// Runs code on behalf of a host.
public final class CodeServer {
  private let state: LuaState
  private let crossing: LuaCrossing

  /// The first frame from the process: it has given up its rights.
  public static let ready: [UInt8] = [FrameKind.values.rawValue]
  /// The exit status of the process if the kernel cannot take its rights away.
  public static let notConfined: Int32 = 3

  public init(_ terms: CodeTerms, _ channel: any LuaChannel) throws {
    state = try LuaState(memoryLimit: terms.memoryLimit, libraries: .sandboxed, seed: terms.seed)
    state.isTracing = terms.isTracing
    crossing = LuaCrossing(state, channel, longestFrame: terms.longestFrame)
    crossing.serve = { [unowned self] in try serve($0) }
    crossing.run = { [unowned self] id, stack in try ask(.call, id, stack) }
    dh_take_asked_stops()
  }

  /// Serves the host until the channel throws.
  public func run() throws {
    while true {
      let frame = try crossing.channel.receive {}
      if frame.first == FrameKind.release.rawValue {
        try frame.read { try crossing.applyReleases($0) }
      } else {
        try serve(frame)
      }
    }
  }

  private func serve(_ frame: [UInt8]) throws {
    let kind = frame.first.flatMap(FrameKind.init)
    try frame.read { reader in
      var reader = reader
      switch kind {
      case .type:
        let (number, name) = (try reader.word(), try reader.text())
        let members = try reader.list { reader throws(WireError) in try SentMember(from: &reader) }
        return crossing.add(try .add(name, members, to: state, function), number: number)
      case .module:
        let sent = try SentModule(from: &reader)
        let module = BoundModule(sent.name, "") { module in
          for member in sent.members { module.add(distant: member, function(member)) }
        }
        return try state.register(module, members: sent.modules)
      default: break
      }
      // The flag byte of the values precedes the serial number.
      let values = reader
      _ = try reader.byte()
      let level = dh_begin_level(Int32(truncatingIfNeeded: try reader.word()))
      defer { dh_end_level(level) }
      let answer: [UInt8]
      do {
        let (L, top, charged) = try state.beginUse()
        defer { state.endUse(L, top: top, charged: charged) }
        var decoder = try CrossingDecoder(values, L, crossing)
        _ = try decoder.reader.word()
        answer = try perform(kind, &decoder, L)
      } catch let error as LuaError {
        answer = failed(error)
      } catch LuaFailure.memory {
        answer = CrossingFrame.stopped(Int32(DH_STOP_MEMORY.rawValue), at: "")
      } catch let error as LuaFailure {
        answer = CrossingFrame.error(error.description)
      }
      try crossing.answer(answer)
    }
  }

  private func perform(_ kind: FrameKind?, _ decoder: inout CrossingDecoder, _ L: OpaquePointer) throws -> [UInt8] {
    let top = lua_gettop(L)
    switch kind {
    case .call:
      try crossing.pushShared(.function, try decoder.reader.word(), on: L)
      let count = try decoder.values()
      return try ended(dh_call_protected(L, count, LUA_MULTRET), L, top)
    case .load:
      let name = try decoder.reader.text()
      let function = try state.load(try decoder.reader.data(), name: name)
      LuaStack(L).push(function)
    case .setGlobal:
      let name = try decoder.reader.text()
      guard try decoder.values() == 1 else { throw WireError() }
      dh_push_globals(L)
      LuaStack(L).push(name)
      lua_pushvalue(L, top + 1)
      lua_rawset(L, top + 2)
      lua_settop(L, top)
    case .makeTable:
      guard try decoder.values() == 1 else { throw WireError() }
      if lua_type(L, -1) != LUA_TTABLE { dh_new_table(L, 0, 4) }
      return CrossingFrame.table(crossing.store(L))
    case .copyTable: try crossing.pushShared(.table, try decoder.reader.word(), on: L)
    case .require: try setRequire(try decoder.reader.word())
    case .print: try setPrint(try decoder.reader.word())
    default: throw WireError()
    }
    var encoder = CrossingEncoder(.values, L, crossing)
    try encoder.values(from: top + 1)
    return encoder.writer.bytes
  }

  /// Returns the answer to a call, from what the call left on the stack above `top`.
  private func ended(_ status: Int32, _ L: OpaquePointer, _ top: Int32) throws -> [UInt8] {
    if status >= DH_STATUS_STOPPED {
      return CrossingFrame.stopped(status - Int32(DH_STATUS_STOPPED), at: String(cString: dh_stop_position(L)))
    }
    var encoder = CrossingEncoder(status == LUA_OK ? .values : .error, L, crossing)
    if status != LUA_OK {
      encoder.writer.text(String(cString: dh_error_position(L)))
      encoder.writer.text(String(cString: dh_error_trace(L)))
    }
    try encoder.values(from: top + 1)
    return encoder.writer.bytes
  }

  private func failed(_ error: LuaError) -> [UInt8] {
    switch error.kind {
    case .syntax(let isIncomplete):
      var writer = WireWriter(.syntaxError)
      writer.byte(isIncomplete ? 1 : 0)
      writer.text(error.message)
      return writer.bytes
    case .stopped(.memory): return CrossingFrame.stopped(Int32(DH_STOP_MEMORY.rawValue), at: error.position)
    case .stopped(.deadline): return CrossingFrame.stopped(Int32(DH_STOP_DEADLINE.rawValue), at: error.position)
    case .stopped: return CrossingFrame.stopped(Int32(DH_STOP_INTERRUPT.rawValue), at: error.position)
    case .runtime: return CrossingFrame.error(error.description)
    }
  }

  /// Asks the host to run one of its functions with the values on the stack; returns what a host function returns.
  private func ask(_ kind: FrameKind, _ number: Int, _ stack: borrowing LuaStack) throws -> Int32 {
    let L = stack.L
    var encoder = CrossingEncoder(kind, L, crossing)
    encoder.writer.word(number)
    try encoder.values(from: 1)
    let answer = try crossing.ask(encoder.writer.bytes)
    lua_settop(L, 0)
    return try answer.read { reader in
      var decoder = try CrossingDecoder(reader, L, crossing)
      switch FrameKind(rawValue: answer[0]) {
      case .values: return try decoder.values()
      case .failure:
        let code = Int32(truncatingIfNeeded: try decoder.reader.word())
        guard code < 0, try decoder.values() == 1 else { throw WireError() }
        return code
      case .stopped:
        // The trampoline raises it.
        dh_stop_level(Int32(try decoder.reader.byte()))
        return 0
      default: throw WireError()
      }
    }
  }

  private func function(_ member: SentMember) -> HostFunction {
    HostFunction(member.name, failsSoftly: false) { [unowned self] stack, _ in try ask(.invoke, member.number, stack) }
  }

  private func setRequire(_ number: Int) throws {
    try state.setRequire(by: function(SentMember(role: .method, name: "require", number: number)))
  }

  /// Converts the arguments to text here, so that a `__tostring` runs in the process of the code.
  private func setPrint(_ number: Int) throws {
    let print = HostFunction("print", failsSoftly: false) { [unowned self] stack, _ in
      let count = stack.count
      for index in 1..<Int32(count + 1) {
        let status = dh_tostring_protected(stack.L, index)
        guard status == LUA_OK else { return status >= DH_STATUS_STOPPED ? 0 : DH_FAIL_VALUE.rawValue }
        lua_copy(stack.L, -1, index)
        dh_pop(stack.L, 1)
      }
      return try ask(.invoke, number, stack)
    }
    try state.withStack { stack in
      dh_push_globals(stack.L)
      stack.push("print")
      state.push(print, cost: 512, on: stack.L)
      lua_rawset(stack.L, -3)
    }
  }
}

extension CrossingFrame {
  static func error(_ message: String) -> [UInt8] {
    var writer = WireWriter(.error)
    for _ in 0..<2 { writer.text("") }
    writer.message(message)
    return writer.bytes
  }

  /// Makes the answer that a table was made.
  static func table(_ id: Int) -> [UInt8] {
    var writer = WireWriter(.values)
    writer.word(1)
    writer.byte(ValueTag.ownTable.rawValue)
    writer.word(id)
    return writer.bytes
  }
}
