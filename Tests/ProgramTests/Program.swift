// The built program run as somebody runs it: with arguments, a pipe on its input, and a data folder of its own.

import Glibc
import Testing

/// What a run of the program gave.
struct Run {
  let status: Int32
  let output: String
  let errors: String

  var lines: [String] { output.split(separator: "\n").map(String.init) }
}

/// A data folder that is removed with the test.
final class Home {
  let path: String

  init() throws {
    var template = Array("/tmp/deckhand-program-XXXXXX".utf8CString)
    let folder = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
    }
    try #require(!folder.isEmpty)
    path = folder
  }

  deinit { removeTree(path) }

  var environment: [String] {
    [
      "HOME=\(path)", "TERM=xterm", "INPUTRC=/dev/null", "LANG=C.UTF-8", "PATH=/usr/bin:/bin",
      "XDG_CACHE_HOME=/tmp/deckhand-test-cache-\(getuid())", "SWIFT_BACKTRACE=enable=no",
    ]
  }

  /// The arguments of the program with this home's data folder.
  func words(_ arguments: [String]) -> [String] { [builtProgram("deckhand"), "--data", path + "/data"] + arguments }

  func write(_ text: String, to name: String) throws -> String {
    try ProgramTestFiles.write(text, path + "/" + name)
    return path + "/" + name
  }

  /// Runs the program to its end.
  @discardableResult
  func run(_ arguments: String..., input: String = "") throws -> Run { try run(arguments, input: input) }

  func run(_ arguments: [String], input: String = "") throws -> Run {
    let child = try Child(words(arguments), environment: environment)
    return try child.finish(input: input)
  }

  func terminal(_ arguments: String...) throws -> PseudoTerminal {
    try PseudoTerminal(words(arguments), environment: environment)
  }
}

enum ProgramTestFiles {
  static func write(_ text: String, _ path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    #expect(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
  }

  static func text(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    return String(decoding: drained(descriptor), as: UTF8.self)
  }

  static func drained(_ descriptor: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = read(descriptor, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
    return bytes
  }
}

/// A process with pipes on its three streams.
final class Child {
  let process: pid_t
  private let input: Int32
  private let output: Int32
  private let errors: Int32

  init(_ arguments: [String], environment: [String]) throws {
    var pipes = [[Int32]](repeating: [0, 0], count: 3)
    for index in pipes.indices {
      try #require(pipe(&pipes[index]) == 0)
      // Another test's process must not hold this one's ends open.
      for end in pipes[index] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, pipes[0][0], 0)
    posix_spawn_file_actions_adddup2(&actions, pipes[1][1], 1)
    posix_spawn_file_actions_adddup2(&actions, pipes[2][1], 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var words = arguments.map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) } + [nil]
    defer { for text in words + variables { free(text) } }
    var child: pid_t = 0
    try #require(posix_spawn(&child, arguments[0], &actions, &attributes, &words, &variables) == 0)
    process = child
    (input, output, errors) = (pipes[0][1], pipes[1][0], pipes[2][0])
    close(pipes[0][0])
    close(pipes[1][1])
    close(pipes[2][1])
  }

  /// Gives it its input and waits for its end. The streams must not hold more than pipes do before it reads or ends.
  func finish(input text: String) throws -> Run {
    feed(text)
    close(input)
    let (out, err) = drainBoth()
    close(output)
    close(errors)
    return Run(status: wait(), output: out, errors: err)
  }

  func feed(_ text: String) {
    var bytes = Array(text.utf8)[...]
    // The program may end before it has read all.
    Glibc.signal(SIGPIPE, SIG_IGN)
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(input, $0.baseAddress, min(4096, $0.count)) }
      if count <= 0 { return }
      bytes = bytes.dropFirst(count)
    }
  }

  func kill(_ signal: Int32) { Glibc.kill(process, signal) }

  /// Its exit status; a signal counts as 128 and its number.
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }

  private func drainBoth() -> (String, String) {
    var (out, err): ([UInt8], [UInt8]) = ([], [])
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var open = [output, errors]
    while !open.isEmpty {
      var waits = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let ready = poll(&waits, nfds_t(waits.count), 240_000)
      // The clock of a Lua state that another test ran on this thread.
      if ready < 0 && errno == EINTR { continue }
      if ready <= 0 { break }
      for entry in waits where entry.revents != 0 {
        let count = read(entry.fd, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        if count <= 0 {
          open.removeAll { $0 == entry.fd }
        } else if entry.fd == output {
          out += buffer[..<count]
        } else {
          err += buffer[..<count]
        }
      }
    }
    return (String(decoding: out, as: UTF8.self), String(decoding: err, as: UTF8.self))
  }
}

/// The root of the source tree: where `Package.swift` is.
func sourceRoot() -> String {
  let file = #filePath
  return file.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
}

private func removeTree(_ path: String) {
  guard let stream = opendir(path) else { return }
  var names: [String] = []
  while let entry = readdir(stream) {
    names.append(withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
  }
  closedir(stream)
  for name in names where name != "." && name != ".." {
    if unlink(path + "/" + name) != 0 { removeTree(path + "/" + name) }
  }
  rmdir(path)
}

func makeFolder(_ path: String) -> Bool { mkdir(path, 0o700) == 0 }

extension Child {
  /// Copies a program by the system's own means.
  static func copy(_ path: String, to other: String) -> Bool {
    do {
      return try Child(["/bin/cp", path, other], environment: []).finish(input: "").status == 0
    } catch {
      return false
    }
  }
}
