// A program at a pseudo-terminal: typed at, listened to, waited for.
// Invariant: the program is its terminal's session leader, as a shell starts it; it is killed when the test is over.

import Glibc
import Testing

final class PseudoTerminal {
  // Linux's ioctls for /dev/ptmx (TIOCSPTLCK, TIOCGPTN) and glibc's POSIX_SPAWN_SETSID, which Swift does not see.
  private static let unlock: UInt = 0x4004_5431
  private static let number: UInt = 0x8004_5430
  private static let newSession: Int16 = 0x80

  private let descriptor: Int32
  private var process: pid_t = 0
  private var status: Int32?
  /// All that the program wrote and no `wait` has taken.
  private(set) var output = ""
  private var bytes: [UInt8] = []

  /// - Parameter arguments: the program's path first.
  init(
    _ arguments: [String],
    environment: [String] = ["TERM=xterm", "INPUTRC=/dev/null", "LANG=C.UTF-8", "PATH=/usr/bin:/bin"]
  ) throws {
    descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var unlocked: Int32 = 0
    var number: UInt32 = 0
    try #require(descriptor >= 0)
    try #require(ioctl(descriptor, Self.unlock, &unlocked) == 0 && ioctl(descriptor, Self.number, &number) == 0)
    let name = "/dev/pts/\(number)"
    resize(columns: 80)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    posix_spawnattr_setflags(&attributes, Self.newSession | Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    // The tests run on a thread that blocks signals; the program must not inherit that.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var words = arguments.map { strdup($0) } + [nil]
    // Swift's own handler of crashes would ask at the terminal.
    var variables = (environment + ["SWIFT_BACKTRACE=enable=no"]).map { strdup($0) } + [nil]
    defer { for text in words + variables { free(text) } }
    try #require(posix_spawn(&process, arguments[0], &actions, &attributes, &words, &variables) == 0)
  }

  deinit {
    if status == nil {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    close(descriptor)
  }

  func type(_ text: String) { type(Array(text.utf8)) }

  func type(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.prefix(2000).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
      // What the program draws has to be taken, or both wait for ever.
      listen(0)
    }
  }

  func signal(_ number: Int32) { kill(process, number) }

  func resize(columns: UInt16) {
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
  }

  /// Waits for the text and gives all that came up to its end, control sequences included.
  @discardableResult func wait(for text: String, seconds: Double = 5, _ place: SourceLocation = #_sourceLocation)
    -> String
  {
    let end = Self.time() + seconds
    while Self.time() < end {
      if let found = output.firstRange(of: text) {
        let taken = String(output[..<found.upperBound])
        output = String(output[found.upperBound...])
        return taken
      }
      if !listen(50), hasEnded { break }
    }
    Issue.record(
      "\(text.debugDescription) did not come; there was \(output.suffix(2000).debugDescription)", sourceLocation: place)
    return output
  }

  /// Waits until it has ended and gives its exit status; a signal counts as 128 and its number.
  func ended(seconds: Double = 5) -> Int32 {
    let end = Self.time() + seconds
    while Self.time() < end, !hasEnded { listen(10) }
    guard let status else { return -1 }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }

  private var hasEnded: Bool {
    var number: Int32 = 0
    if status == nil, waitpid(process, &number, WNOHANG) == process { status = number }
    return status != nil
  }

  /// Whether the terminal takes whole lines and shows them, as a shell wants it.
  var isAsShellsWantIt: Bool {
    var state = termios()
    tcgetattr(descriptor, &state)
    return state.c_lflag & tcflag_t(ICANON) != 0 && state.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Seconds.
  static func time() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }

  @discardableResult private func listen(_ milliseconds: Int32) -> Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&wait, 1, milliseconds) > 0 else { return false }
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(descriptor, &chunk, chunk.count)
    guard count > 0 else {
      // Nobody holds the other end: not a reason to spin.
      usleep(2000)
      return false
    }
    bytes += chunk[..<count]
    takeWholeCharacters()
    return true
  }

  /// The end of what came may be half a character.
  private func takeWholeCharacters() {
    var whole = bytes.count
    while whole > 0, bytes.count - whole < 4, String(validating: bytes[..<whole], as: UTF8.self) == nil { whole -= 1 }
    if bytes.count - whole >= 4 { whole = bytes.count }
    output += String(decoding: bytes[..<whole], as: UTF8.self)
    bytes.removeFirst(whole)
  }
}

/// A program that was built beside the tests.
func builtProgram(_ name: String) -> String {
  let arguments = CommandLine.arguments
  let bundle = arguments.firstIndex(of: "--test-bundle-path").map { arguments[$0 + 1] } ?? arguments[0]
  return bundle.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/" + name
}
