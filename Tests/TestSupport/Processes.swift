// Programs that tests start: without the signals that this process blocks or ignores, and with no descriptors open
// except those they are given. Invariant: no call fails because of a signal; the timer of a Lua state that another
// test runs on this thread sends some.

import Files
public import Glibc
import Testing

/// Starts a program; its path is the first argument.
/// - Parameters:
///   - isLeader: whether it leads a session of its own, whose terminal is the first one it opens.
///   - streams: what to do with its descriptors.
public func spawn(
  _ arguments: [String], environment: [String], isLeader: Bool = false,
  streams: (inout posix_spawn_file_actions_t) -> Void
) throws -> pid_t {
  // glibc's POSIX_SPAWN_SETSID, which Swift does not import.
  let newSession: Int16 = 0x80
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  streams(&actions)
  // Other tests may have sockets and pipes open that exec does not close: a program that inherited one would keep it
  // open, and a test that waits for its end would wait for that program.
  for descriptor in Int32(3)..<512 { posix_spawn_file_actions_addclose(&actions, descriptor) }
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer {
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
  }
  let flags = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
  posix_spawnattr_setflags(&attributes, isLeader ? flags | newSession : flags)
  var signals = sigset_t()
  sigemptyset(&signals)
  posix_spawnattr_setsigmask(&attributes, &signals)
  sigfillset(&signals)
  posix_spawnattr_setsigdefault(&attributes, &signals)
  var words = arguments.map { strdup($0) } + [nil]
  // While Scripts/coverage measures, programs that a test starts count as well.
  let counting = getenv("LLVM_PROFILE_FILE").map { ["LLVM_PROFILE_FILE=" + String(cString: $0)] } ?? []
  // Swift's own crash handler would prompt at the terminal.
  var variables = (environment + counting + ["SWIFT_BACKTRACE=enable=no"]).map { strdup($0) } + [nil]
  defer { for text in words + variables { free(text) } }
  var process: pid_t = 0
  let failure = posix_spawn(&process, arguments[0], &actions, &attributes, &words, &variables)
  try #require(failure == 0, "\(arguments[0]) does not start: errno \(failure)")
  return process
}

/// Creates a pipe that no program inherits by default: another test's program must not hold its ends open.
public func makePipe() throws -> (reading: Int32, writing: Int32) {
  var ends: [Int32] = [0, 0]
  try #require(pipe(&ends) == 0)
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return (ends[0], ends[1])
}

/// Converts a `waitpid` status to a shell's: an exit status, or 128 plus the signal.
public func shellStatus(_ status: Int32) -> Int32 { status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F }

/// Waits for the end of a program; returns the status of `waitpid`.
public func waitStatus(of process: pid_t) -> Int32 { statusAndUsage(of: process).status }

/// The same, with the processor seconds that it used.
func statusAndUsage(of process: pid_t) -> (status: Int32, processorSeconds: Double) {
  var status: Int32 = 0
  var usage = rusage()
  while wait4(process, &status, 0, &usage) < 0 && errno == EINTR {}
  let parts = [usage.ru_utime, usage.ru_stime]
  return (status, parts.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 })
}

/// Waits for the end of a program; returns its status as `shellStatus` does.
public func waitForEnd(_ process: pid_t) -> Int32 { shellStatus(waitStatus(of: process)) }

/// Waits until one of the descriptors is readable or at its end; returns none when the time is over.
public func readable(_ descriptors: [Int32], milliseconds: Int32) -> [Int32] {
  let end = monotonicSeconds() + Double(milliseconds) / 1000
  while true {
    var waits = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let rest = Int32(max(0, (end - monotonicSeconds()) * 1000))
    let ready = poll(&waits, nfds_t(waits.count), rest)
    if ready < 0 && errno == EINTR { continue }
    return waits.filter { $0.revents != 0 }.map(\.fd)
  }
}

/// Returns the bytes of one `read`: empty at the end, or if nobody holds the other end of a terminal.
public func readSome(_ descriptor: Int32) -> [UInt8] {
  var count = 0
  return [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, initialized in
    repeat { count = read(descriptor, buffer.baseAddress, buffer.count) } while count < 0 && errno == EINTR
    initialized = max(0, count)
  }
}

/// Returns everything up to the end.
public func drained(_ descriptor: Int32) -> [UInt8] {
  var bytes: [UInt8] = []
  while case let more = readSome(descriptor), !more.isEmpty { bytes += more }
  return bytes
}

/// Writes all bytes; returns false if nobody reads them.
@discardableResult public func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, min(4096, $0.count)) }
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}

/// Returns the absolute path of a program that was built beside the tests: some tests start it in another folder.
public func builtProgram(_ name: String) -> String { builtFolder + "/" + name }

private let builtFolder: String = {
  let arguments = CommandLine.arguments
  let bundle = arguments.firstIndex(of: "--test-bundle-path").map { arguments[$0 + 1] } ?? arguments[0]
  guard let path = realpath(bundle, nil) else { preconditionFailure("\(bundle) is not there: errno \(errno)") }
  defer { free(path) }
  return folder(of: String(cString: path))
}()

/// The root of the source tree, where `Package.swift` is.
public func sourceRoot() -> String { folder(of: folder(of: folder(of: #filePath))) }

/// Returns the path of a file of the folder Fixtures beside the calling source file.
public func fixturePath(_ name: String, from source: String = #filePath) -> String {
  folder(of: source) + "/Fixtures/" + name
}

/// Reads a file of the folder Fixtures beside the calling source file.
public func fixtureText(_ name: String, from source: String = #filePath) throws -> String {
  String(decoding: try FileText.bytes(fixturePath(name, from: source), limit: 1 << 20), as: UTF8.self)
}

/// Whether two numbers differ by no more than a part of the second, or of 1 if that is more.
public func isNear(_ a: Double, _ b: Double, _ tolerance: Double = 1e-4) -> Bool {
  abs(a - b) <= tolerance * max(1, abs(b))
}

/// Returns the path without its last component.
public func folder(of path: String) -> String {
  path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
}

/// The most bytes that a running program has held at once; 0 if it is gone.
public func peakMemory(of process: pid_t) -> Int {
  let line = text(of: "/proc/\(process)/status").split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
  return (line?.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0) << 10
}

/// Replaces the process's standard input by /dev/null at its first use; otherwise a test that reads it, by Lua's `io`,
/// would wait for input at the terminal where the tests were started.
public let emptyStandardInput: Void = {
  let descriptor = open("/dev/null", O_RDONLY)
  guard descriptor >= 0 else { preconditionFailure("no /dev/null: errno \(errno)") }
  dup2(descriptor, STDIN_FILENO)
  close(descriptor)
}()
