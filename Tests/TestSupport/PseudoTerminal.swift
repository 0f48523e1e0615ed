// A program at a pseudo-terminal: tests type, read and wait. Invariant: the program is its terminal's session leader,
// as when a shell starts it; it is killed when the test is over.

public import Glibc
public import Testing

public final class PseudoTerminal {
  // Linux's ioctls for /dev/ptmx (TIOCSPTLCK, TIOCGPTN), which Swift does not import.
  private static let unlock: UInt = 0x4004_5431
  private static let number: UInt = 0x8004_5430

  public let process: pid_t
  /// An object that must live as long as the program, such as its working folder.
  public var retained: AnyObject?
  /// The timeout in seconds. Only failing tests wait that long: a busy machine may take ten times as long as a quiet
  /// one.
  public static let timeout = 120.0

  private let descriptor: Int32
  private var status: Int32?
  /// The output that no `wait` has consumed yet.
  public private(set) var output = ""
  private var bytes: [UInt8] = []

  /// - Parameters:
  ///   - arguments: the program's path first.
  ///   - standardOutput: replaces the terminal as its standard output.
  public init(
    _ arguments: [String],
    environment: [String] = ["TERM=xterm", "INPUTRC=/dev/null", "LANG=C.UTF-8", "PATH=/usr/bin:/bin"],
    standardOutput: Int32? = nil, columns: UInt16 = 80, rows: UInt16 = 24
  ) throws {
    descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var unlocked: Int32 = 0
    var number: UInt32 = 0
    try #require(descriptor >= 0)
    try #require(ioctl(descriptor, Self.unlock, &unlocked) == 0 && ioctl(descriptor, Self.number, &number) == 0)
    Self.resize(descriptor, columns: columns, rows: rows)
    process = try spawn(arguments, environment: environment, isLeader: true) { actions in
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/pts/\(number)", O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&actions, standardOutput ?? 0, 1)
      posix_spawn_file_actions_adddup2(&actions, 0, 2)
    }
  }

  deinit {
    if getenv("LLVM_PROFILE_FILE") != nil { askToEnd() }
    if status == nil {
      kill(process, SIGKILL)
      _ = waitForEnd(process)
    }
    close(descriptor)
  }

  /// Under Scripts/coverage a program counts only if it ends by itself.
  private func askToEnd() {
    for key in [3, 4, 3, 4, 3, 4, 3, 4] where !hasEnded {
      type([UInt8(key)])
      listen(100)
      while !hasEnded, listen(100) {}
    }
  }

  public func type(_ text: String) { type(Array(text.utf8)) }

  public func type(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard writeAll(Array(rest.prefix(2000)), to: descriptor) else { return }
      rest = rest.dropFirst(2000)
      // The program's output must be read, or both wait forever.
      listen(0)
    }
  }

  /// Types a text when the earlier one is shown.
  public func type(_ text: String, after earlier: String, at place: SourceLocation = #_sourceLocation) {
    wait(for: earlier, place)
    type(text)
  }

  /// Types a text, and waits for each of the others in turn.
  public func type(
    _ text: String, after earlier: String? = nil, showing first: String, _ others: String...,
    at place: SourceLocation = #_sourceLocation
  ) {
    if let earlier { wait(for: earlier, place) }
    type(text)
    for shown in [first] + others { wait(for: shown, place) }
  }

  public func signal(_ number: Int32) { kill(process, number) }

  /// Processor time that the program has used, in seconds.
  public var processorSeconds: Double { TestSupport.processorSeconds(of: process) }
  /// The most bytes that the program has held at once.
  public var peakMemory: Int { TestSupport.peakMemory(of: process) }

  public func resize(columns: UInt16) { Self.resize(descriptor, columns: columns) }

  private static func resize(_ descriptor: Int32, columns: UInt16, rows: UInt16 = 24) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
  }

  /// Waits for the text; returns all output up to its end, control sequences included.
  @discardableResult public func wait(for text: String, _ place: SourceLocation = #_sourceLocation) -> String {
    if let taken = take(text, seconds: Self.timeout) { return taken }
    Issue.record(
      "\(text.debugDescription) did not come; there was \(output.suffix(2000).debugDescription)", sourceLocation: place)
    return output
  }

  /// Waits for each of the texts in turn.
  public func wait(
    for first: String, _ second: String, _ others: String..., at place: SourceLocation = #_sourceLocation
  ) {
    for text in [first, second] + others { wait(for: text, place) }
  }

  /// Waits for the text; returns whether it came.
  public func shows(_ text: String, seconds: Double = timeout) -> Bool { take(text, seconds: seconds) != nil }

  private func take(_ text: String, seconds: Double) -> String? {
    let end = monotonicSeconds() + seconds
    while true {
      if let found = output.firstRange(of: text) {
        let taken = String(output[..<found.upperBound])
        output = String(output[found.upperBound...])
        return taken
      }
      if monotonicSeconds() >= end || (!listen(50) && hasEnded && !listen(0)) { return nil }
    }
  }

  /// Returns the program's output, waiting at most `milliseconds` for some.
  public func takeOutput(milliseconds: Int32) -> String {
    listen(milliseconds)
    defer { output = "" }
    return output
  }

  /// Whether all threads of the program and of its children are waiting, so that all their output has been written.
  public var isResting: Bool { isAsleep(process) }

  private func isAsleep(_ process: pid_t) -> Bool {
    names(in: "/proc/\(process)/task").allSatisfy { thread in
      let folder = "/proc/\(process)/task/\(thread)"
      let state = text(of: folder + "/stat").split(separator: ")").last?.split(separator: " ").first
      let children = text(of: folder + "/children").split(separator: " ").compactMap { pid_t($0) }
      return state != "R" && state != "D" && children.allSatisfy(isAsleep)
    }
  }

  /// Types a text, waits for the end, and reads the output up to it; returns the exit status, where a signal counts as
  /// 128 plus its number, or -1 if it does not end.
  public func ended(after text: String = "", seconds: Double = timeout) -> Int32 {
    type(text)
    let end = monotonicSeconds() + seconds
    while monotonicSeconds() < end, !hasEnded { listen(10) }
    if hasEnded { listenToEnd() }
    return status.map(shellStatus) ?? -1
  }

  /// Waits for the end, and reads the output up to it; returns the status of `waitpid`.
  public func waitStatus() -> Int32 {
    while !hasEnded { listen(10) }
    listenToEnd()
    return status ?? -1
  }

  /// The last output may have come after it was last read, and before the end was noticed.
  private func listenToEnd() { while listen(0) {} }

  private var hasEnded: Bool {
    var number: Int32 = 0
    if status == nil, waitpid(process, &number, WNOHANG) == process { status = number }
    return status != nil
  }

  /// Whether the terminal is in canonical mode with echo, as a shell expects.
  public var isInCanonicalMode: Bool { has(ICANON) && echoes }

  /// Whether the terminal echoes what is typed.
  public var echoes: Bool { has(ECHO) }

  private func has(_ flag: Int32) -> Bool {
    var state = termios()
    return tcgetattr(descriptor, &state) == 0 && state.c_lflag & tcflag_t(flag) != 0
  }

  @discardableResult private func listen(_ milliseconds: Int32) -> Bool {
    guard !readable([descriptor], milliseconds: milliseconds).isEmpty else { return false }
    let some = readSome(descriptor)
    guard !some.isEmpty else {
      // Nobody holds the other end: wait instead of spinning.
      usleep(2000)
      return false
    }
    bytes += some
    takeWholeCharacters()
    return true
  }

  /// The received bytes may end within a character.
  private func takeWholeCharacters() {
    var whole = bytes.count
    while whole > 0, bytes.count - whole < 4, String(validating: bytes[..<whole], as: UTF8.self) == nil { whole -= 1 }
    if bytes.count - whole >= 4 { whole = bytes.count }
    output += String(decoding: bytes[..<whole], as: UTF8.self)
    bytes.removeFirst(whole)
  }
}
