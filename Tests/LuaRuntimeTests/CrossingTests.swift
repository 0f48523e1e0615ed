// Tests of code in another process: both ends of the connection, over a socket pair, with the server on its own
// thread; and how the host handles a server that sends anything at all.

import CLua
import Glibc
import Problems
import TestSupport
import Values

@testable import LuaRuntime

/// One end of a socket pair that can alter the frames it receives.
private final class SocketChannel: DistantChannel {
  let socket: Int32
  /// Replaces a received frame; nil ends the conversation.
  var change: ([UInt8]) -> [UInt8]? = { $0 }
  private(set) var isEnded = false

  init(_ socket: Int32) { self.socket = socket }

  deinit { end() }

  func send(_ frame: [UInt8]) throws {
    var bytes = withUnsafeBytes(of: UInt32(frame.count)) { Array($0) } + frame
    while !bytes.isEmpty {
      let count = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      guard count > 0 else { throw DistantFailure.ended("ended") }
      bytes.removeFirst(count)
    }
  }

  func receive(_ waiting: () throws -> Void) throws -> [UInt8] {
    let head = try take(4)
    let frame = try take(Int(head.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }))
    guard let changed = change(frame) else { throw DistantFailure.ended("ended") }
    return changed
  }

  private func take(_ count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var piece = [UInt8](repeating: 0, count: count - bytes.count)
      let got = read(socket, &piece, piece.count)
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { throw DistantFailure.ended("ended") }
      bytes += piece.prefix(got)
    }
    return bytes
  }

  func makeRoom(by body: @escaping (Int) -> Void) {}

  func requestStop(_ value: Int32) {}

  func end() {
    guard !isEnded else { return }
    isEnded = true
    shutdown(socket, Int32(SHUT_RDWR))
    close(socket)
  }
}

/// Starts a server on its own thread, which runs until its channel ends.
private func startServer(_ socket: Int32, memoryLimit: Int) {
  let box = Unmanaged.passRetained(ServerSeat(socket, memoryLimit)).toOpaque()
  var thread = pthread_t()
  pthread_create(
    &thread, nil,
    { box in
      guard let box else { return nil }
      let seat = Unmanaged<ServerSeat>.fromOpaque(box).takeRetainedValue()
      do {
        let server = try CodeServer(CodeTerms(memoryLimit: seat.memoryLimit, seed: 1), SocketChannel(seat.socket))
        try server.run()
      } catch {
        // The channel has ended.
      }
      return nil
    }, box)
  pthread_detach(thread)
}

private final class ServerSeat {
  let socket: Int32
  let memoryLimit: Int
  init(_ socket: Int32, _ memoryLimit: Int) { (self.socket, self.memoryLimit) = (socket, memoryLimit) }
}

/// The probes of these tests, for code that runs on another thread.
private final class Pair {
  let census = Census()
  let state: LuaState
  let channel: SocketChannel
  let code: DistantCode
  var failures: [DistantFailure] = []
  var listener: LuaReference?

  init(memoryLimit: Int = 16 << 20, milliseconds: Int = 20_000, change: @escaping ([UInt8]) -> [UInt8]? = { $0 }) throws
  {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    // In the program the call's limits stop a side that waits forever; here this timeout does.
    var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    startServer(ends[1], memoryLimit: memoryLimit)
    channel = SocketChannel(ends[0])
    channel.change = change
    state = try probeState(census, memoryLimit: memoryLimit)
    code = DistantCode(state, channel, longestFrame: memoryLimit + (1 << 20))
    code.onFailure = { [unowned self] in failures.append($0) }
    try state.register(
      BoundModule("host", "What the tests of crossings ask for.") { module in
        module.function("listen", ["f": .function], returns: .nothing, "Keeps a function.") {
          [unowned self] stack in
          listener = try stack.function(1)
          return LuaNothing()
        }
        module.function("copy", ["value": .any], returns: .any, "The value, copied.") {
          try $0.value(1)
        }
        module.function("sum", ["items": .any], returns: .integer, "Of the fields `n`.") { stack in
          var sum = 0
          try LuaItems(at: 1, on: stack).forEach { sum += try $0.table(-1).optionalInteger("n") ?? 0 }
          return sum
        }
        module.function("frozen", returns: .table, "Cannot be written.") { _ in
          Frozen([1, 2, 3], advice: "assign the whole list")
        }
        module.function("counter", returns: .function, "An iterator of 1, 2, 3.") { _ in
          var count = 0
          return LuaFunction("counter") { _ in
            count += 1
            return count <= 3 ? Optional(count) : nil
          }
        }
      })
  }

  func start() throws {
    try code.sendModules()
    try code.setRequire { name in
      guard name == "part" else { throw LuaFailure.message("no such part") }
      return (Array("return {name = ...}".utf8), "part.lua")
    }
  }

  func run(_ text: String) throws -> LuaValue { try code.load(Array(text.utf8), name: "init.lua").call([]) }

  /// Returns the value in words, or the error.
  func told(_ text: String) -> String {
    do { return try run("return tostring((function() \(text) end)())").text ?? "?" } catch { return "\(error)" }
  }
}

@Suite struct CrossingTests {
  @Test(arguments: [
    ("return 1 + 1", "2"), ("return probes.version", "7"), ("return #probes.create('abc').name", "3"),
    ("return probes.create('x')", "probe \"x\""), ("local p = probes.create('x') p.name = 'y' return p.name", "y"),
    ("local p = probes.create('x') return p == p and ({[p] = 1})[p]", "1"),
    ("return select(2, probes.find('x')).code", "not_found"),
    ("return tostring(select(2, probes.find('x')))", "no probe is called \"x\""),
    ("return select(2, probes.find('x')).line", "3"),
    ("probes.find()", "init.lua:1: bad argument #1 to 'find' (string expected, got no value)"),
    ("probes.fnd()", "init.lua:1: probes has no field 'fnd' (did you mean 'find'?)"),
    ("local t = {} t.t = t return host.copy(t).t", "nil"),
    ("local s = {1} local c = host.copy{s, s} return c[1][1] + c[2][1]", "2"), ("return host.copy{1, nil, 3}[3]", "3"),
    ("return host.copy{[2.5] = 'x'}[2.5]", "x"), ("return host.copy(math.mininteger)", "-9223372036854775808"),
    ("return #host.copy('a\\0b')", "3"), ("return host.copy(print)", "nil"),
    ("return host.copy(coroutine.create(print))", "nil"), ("return host.sum{{n = 1}, {n = 2}}", "3"),
    ("local n = 0 return host.sum(function() n = n + 1 if n < 4 then return {n = n} end end)", "6"),
    ("return host.sum{setmetatable({}, {__index = {n = 5}})}", "5"),
    ("return host.sum{setmetatable({}, {__index = function(_, k) return #k end})}", "1"),
    ("return host.sum(setmetatable({}, {__call = function() end}))", "0"),
    ("return host.sum(function() error({code = 'c', message = 'own'}) end)", "init.lua:1: own"),
    ("return host.sum(function() error('plain') end)", "init.lua:1: plain"),
    ("return host.sum(function() coroutine.yield() end)", "attempt to yield from outside a coroutine"),
    ("local f = host.frozen() return #f + f[2]", "5"), ("host.frozen()[1] = 2", "init.lua:1: assign the whole list"),
    ("local s = 0 for i in host.counter() do s = s + i end return s", "6"), ("return require('part').name", "part"),
    ("return require('other')", "no such part"),
    ("local co = coroutine.wrap(function() coroutine.yield(probes.version) end) return co()", "7"),
    ("error(setmetatable({}, {__tostring = function() return 'told' end}))", "init.lua:1: told"),
  ]) func `code in another process sees what it would see here`(_ code: String, _ told: String) throws {
    let pair = try Pair()
    try pair.start()
    #expect(pair.told(code) == told)
    #expect(pair.failures.isEmpty)
  }

  @Test func `a function that was passed is called with objects, and its table lives there`() throws {
    let pair = try Pair()
    try pair.start()
    _ = try pair.run("host.listen(function(p, d) d.n = (d.n or 0) + #p.name return p, d.n end)")
    let listener = try #require(pair.listener)
    let table = try pair.state.makeTable(.none)
    let probe = Probe("abc", pair.census)
    for round in 1...3 {
      let answer = try listener.call(with: probe, Pushed(table), results: 2) { stack in
        (try stack.object(-2, Probe.self) === probe, try stack.integer(-1))
      }
      #expect(answer == (true, 3 * round))
    }
    #expect(table.copied().json == #"{"n": 9}"#)
  }

  @Test func `objects that neither side needs are released`() throws {
    let pair = try Pair()
    try pair.start()
    _ = try pair.run("for i = 1, 20000 do local p = probes.create('x') host.copy(function() return p end) end")
    _ = try pair.run("local s for i = 1, 200 do s = ('x'):rep(10000) .. i end")
    pair.state.collect()
    _ = try pair.run("return 1")
    #expect(pair.census.living < 15_000, "\(pair.census.living)")
    pair.state.close()
    pair.code.close()
    #expect(pair.census.living == 0)
  }

  @Test func `objects that the other side holds count towards its memory`() throws {
    let pair = try Pair(memoryLimit: 4 << 20)
    try pair.start()
    let error = #expect(throws: LuaError.self) {
      try pair.run("kept = {} while true do kept[#kept + 1] = probes.create('x') end")
    }
    #expect(error?.stopReason == .memory)
    #expect(try pair.run("kept = nil return 1").plain?.integer == 1)
  }

  @Test func `a server that ends at any frame is an error of the call, and nothing else`() throws {
    let script = """
      local p = probes.create("x") p.name = "y"
      host.listen(function(a) return a, p end)
      for i in host.counter() do host.copy{i, p.name, print} end
      return host.sum(function() if p then p = nil return {n = 1} end end)
      """
    var frames = 0
    let whole = try Pair {
      frames += 1; return $0
    }
    try whole.start()
    #expect(try whole.run(script).plain?.integer == 1)
    #expect(frames > 20)
    for last in 0..<frames {
      var left = last
      let pair = try Pair {
        left -= 1
        return left < 0 ? nil : $0
      }
      #expect(throws: (any Error).self) {
        try pair.start()
        _ = try pair.run(script)
      }
      #expect(pair.failures.count == 1 && pair.channel.isEnded)
      #expect(throws: (any Error).self) { _ = try pair.run("return 1") }
    }
  }

  /// Flipped bits, bytes removed and added, earlier frames in place of others: the host handles or refuses each.
  @Test(arguments: 0..<12) func `a server that sends anything at all harms nobody`(_ seed: Int) throws {
    var random = TestGenerator(UInt64(seed))
    let script = """
      local p = probes.create("x") p.name = "y"
      host.listen(function(a) return a, {p, {p}, a = p.name} end)
      for i in host.counter() do host.copy{i, p.name, print, {p}} end
      return host.sum(setmetatable({{n = 1}, {n = 2}}, {__index = function() end}))
      """
    var ended = 0
    for _ in 0..<400 {
      var before: [[UInt8]] = []
      let pair = try Pair(milliseconds: 300) { frame in
        before.append(frame)
        guard Int.random(in: 0..<12, using: &random) == 0 else { return frame }
        return changed(frame, before, &random)
      }
      do {
        try pair.start()
        _ = try pair.run(script)
        _ = try pair.listener?.call([Probe("z", pair.census)])
      } catch is DistantFailure {
        Issue.record("a failure of the process is told as an error of the call")
      } catch {
        ended += 1
      }
      pair.state.close()
      pair.code.close()
      #expect(pair.census.living == 0)
    }
    #expect(ended > 60)
  }
}

private func changed(_ frame: [UInt8], _ before: [[UInt8]], _ random: inout TestGenerator) -> [UInt8] {
  var frame = frame
  switch Int.random(in: 0..<6, using: &random) {
  case 0: frame[Int.random(in: 0..<frame.count, using: &random)] ^= UInt8(1 << Int.random(in: 0..<8, using: &random))
  case 1: frame.removeLast(Int.random(in: 0..<frame.count, using: &random))
  case 2:
    frame += (0..<Int.random(in: 0..<40, using: &random)).map { _ in UInt8(Int.random(in: 0..<256, using: &random)) }
  case 3: return before[Int.random(in: 0..<before.count, using: &random)]
  case 4:
    return (0..<Int.random(in: 0..<60, using: &random)).map { _ in UInt8(Int.random(in: 0..<256, using: &random)) }
  default:
    for _ in 0..<4 {
      frame[Int.random(in: 0..<frame.count, using: &random)] = UInt8(Int.random(in: 0..<256, using: &random))
    }
  }
  return frame
}

/// A value held by the state.
private struct Pushed: LuaRepresentable {
  let reference: LuaReference
  init(_ reference: LuaReference) { self.reference = reference }
  func push(on stack: borrowing LuaStack) -> Int32 {
    stack.push(reference)
    return 1
  }
  var luaValue: LuaValue { .none }
}
