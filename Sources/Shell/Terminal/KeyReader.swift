// Reads single keys for screens, with a timeout for clocks; reads lines when standard input is not a terminal.
// Invariant: the terminal is raw and signals are handled here only between `begin` and `end`; the terminal is restored
// on every way out. What is pasted never acts as keys, if the terminal marks it.

import CTerminal
import Glibc
import LuaRuntime

package enum Key: Equatable, Sendable {
  case character(Character)
  /// Ctrl with a letter, as that letter: `l` for Ctrl-L.
  case control(Character)
  case enter, escape, tab, backspace, delete
  case up, down, left, right, home, end, pageUp, pageDown
}

package enum KeyEvent: Equatable, Sendable {
  case key(Key)
  /// Several characters as a line, without a terminal. An empty line is Enter; a single character is its key.
  case line(String)
  /// What was pasted, as one line: line ends and tabs are spaces.
  case pasted(String)
  /// The timeout passed without input.
  case tick
  case resized
  /// The program was suspended and continues: draw everything again.
  case resumed
  case interrupted
  /// Ctrl-D, the input was closed, or the program was asked to end: `Interrupts.endingSignal`.
  case endOfInput
}

package final class KeyReader {
  /// Called before Ctrl-Z stops the program, and when it continues.
  package var willSuspend: () -> Void = {}
  package var didResume: () -> Void = {}

  private let input: Int32
  private let lines: PlainLineReader
  private let isTerminal: Bool
  private var isOpen = false
  private var bytes: [UInt8] = []
  /// The beginning of a paste whose end has not arrived yet.
  private var paste: [UInt8]?
  private let marksPastes: Bool

  /// The text that restores the terminal after a screen (shows the cursor, stops marking pastes), and in a crash.
  private let restoringText = "\u{1B}[?25h\u{1B}[0m\u{1B}[?2004l"

  /// - Parameter marksPastes: whether the terminal is asked to mark what is pasted (bracketed paste).
  package init(input: Int32 = 0, lines: PlainLineReader? = nil, marksPastes: Bool = true) {
    (self.input, self.marksPastes) = (input, marksPastes)
    self.lines = lines ?? PlainLineReader(input: input, isInterrupted: { Interrupts.wereRequested })
    isTerminal = isatty(input) == 1 && !LineReader.isReading
  }

  /// Switches the terminal to single keys. Does nothing without a terminal.
  package func begin() throws(LineError) {
    guard isTerminal, !isOpen else { return }
    var failure = terminal_begin(input)
    guard failure == 0 else { throw .unreadable(errno: failure) }
    isOpen = true
    failure = terminal_raw(restoringText)
    guard failure == 0 else {
      end()
      throw .unreadable(errno: failure)
    }
    markPastes(true)
  }

  /// Restores the terminal and the signal handlers. May be called twice.
  package func end() {
    guard isOpen else { return }
    markPastes(false)
    terminal_end()
    isOpen = false
  }

  /// Runs `body` with single keys, and restores the terminal however it ends.
  package func whileReadingKeys<Result>(_ body: () throws -> Result) throws -> Result {
    try begin()
    defer { end() }
    return try body()
  }

  /// Returns the next event.
  /// - Parameter timeout: milliseconds until `.tick`; nil waits forever. Reading a line always waits.
  package func next(timeout: Int? = nil) throws(LineError) -> KeyEvent {
    guard isTerminal else { return try nextLine() }
    guard isOpen else { throw .unreadable(errno: EBADF) }
    while true {
      if let event = signalEvent() { return event }
      // The user must see what has been written to a pipe before typing the next key.
      if bytes.isEmpty { fflush(nil) }
      if bytes.isEmpty, !wait(Int32(clamping: timeout ?? -1)) { return signalEvent() ?? .tick }
      if let event = signalEvent() { return event }
      if bytes.isEmpty, !fill() { return .endOfInput }
      if let event = keyEvent() { return event }
    }
  }

  private func markPastes(_ isOn: Bool) {
    guard marksPastes else { return }
    let text = Array("\u{1B}[?2004\(isOn ? "h" : "l")".utf8)
    _ = retrying { write(input, text, text.count) }
  }

  private func nextLine() throws(LineError) -> KeyEvent {
    switch try lines.read() {
    case .line(let line) where line.isEmpty: .key(.enter)
    case .line(let line): line.count == 1 ? .key(.character(line[line.startIndex])) : .line(line)
    case .interrupted: .interrupted
    // Only the line editor ends a line by a tick.
    case .endOfInput, .stopped: .endOfInput
    }
  }

  private func signalEvent() -> KeyEvent? {
    switch terminal_next_signal() {
    case 0: return nil
    case SIGINT:
      bytes.removeAll()
      paste = nil
      return .interrupted
    case SIGWINCH: return .resized
    case SIGTSTP:
      willSuspend()
      markPastes(false)
      terminal_suspend()
      return resume()
    case SIGCONT: return resume()
    case let signal:
      Interrupts.endingSignal = signal
      return .endOfInput
    }
  }

  /// Restores raw mode, since the shell that suspended the program changed the terminal's modes.
  private func resume() -> KeyEvent {
    terminal_raw(restoringText)
    markPastes(true)
    didResume()
    return .resumed
  }

  /// True when input is available; false after the timeout or a signal.
  private func wait(_ timeout: Int32) -> Bool {
    var waits = [input, terminal_signal_fd()].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    return CallPause.waitingForUser { poll(&waits, nfds_t(waits.count), timeout) } > 0 && waits[0].revents != 0
  }

  /// The pause in milliseconds that distinguishes a lone Escape from the start of a key's escape sequence.
  private static let escapeTimeout: Int32 = 30

  /// Reads one byte only, so that typed-ahead input is left for the next reader.
  private func fill() -> Bool {
    var byte: UInt8 = 0
    let count = retrying { read(input, &byte, 1) }
    if count == 1 { bytes.append(byte) }
    return count == 1
  }

  /// The next byte of a sequence that has begun, if it arrives at once.
  private func following() -> UInt8? {
    if bytes.isEmpty { guard wait(Self.escapeTimeout), fill() else { return nil } }
    return bytes.removeFirst()
  }

  /// The key at the start of the bytes; nil for anything else.
  private func keyEvent() -> KeyEvent? {
    let byte = bytes.removeFirst()
    if paste != nil { return pasteEvent(byte) }
    switch byte {
    case 0x04: return .endOfInput
    case 0x03: return .interrupted
    case 0x0A, 0x0D: return .key(.enter)
    case 0x09: return .key(.tab)
    case 0x08, 0x7F: return .key(.backspace)
    case 0x1B: return escapeSequence()
    case 0x01...0x1A: return .key(.control(Character(Unicode.Scalar(byte + 0x60))))
    case 0x20...0x7E: return .key(.character(Character(Unicode.Scalar(byte))))
    default: return character(from: byte)
    }
  }

  /// Adds a byte to the paste that has begun; at its end, returns its text.
  private func pasteEvent(_ byte: UInt8) -> KeyEvent? {
    paste?.append(byte)
    let end = Self.pasteEnd
    guard byte == UInt8(ascii: "~"), let text = paste, text.suffix(end.count).elementsEqual(end) else { return nil }
    paste = nil
    let line = String(decoding: text.dropLast(end.count), as: UTF8.self)
    return .pasted(String(line.map { $0.isNewline || $0 == "\t" ? " " : $0 }))
  }

  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  /// Reads the rest of a multi-byte character.
  private func character(from lead: UInt8) -> KeyEvent? {
    let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
    guard (0xC2...0xF4).contains(lead) else { return nil }
    var sequence = [lead]
    while sequence.count < length, let byte = following() {
      guard byte & 0xC0 == 0x80 else {
        bytes.insert(byte, at: 0)
        return nil
      }
      sequence.append(byte)
    }
    return String(validating: sequence, as: UTF8.self)?.first.map { .key(.character($0)) }
  }

  /// Reads what follows Escape: nothing, or an ECMA-48 sequence (CSI, SS3) as sent by xterm.
  private func escapeSequence() -> KeyEvent? {
    guard let second = following() else { return .key(.escape) }
    guard second == UInt8(ascii: "[") || second == UInt8(ascii: "O") else {
      bytes.insert(second, at: 0)
      return .key(.escape)
    }
    var parameters: [UInt8] = []
    while let byte = following(), parameters.count < 32 {
      if byte == UInt8(ascii: "~"), parameters.elementsEqual("200".utf8) {
        paste = []
        return nil
      }
      if (0x40...0x7E).contains(byte) { return key(final: byte, parameters).map { .key($0) } }
      parameters.append(byte)
    }
    return nil
  }

  private static let finals: [Unicode.Scalar: Key] = [
    "A": .up, "B": .down, "C": .right, "D": .left, "H": .home, "F": .end, "M": .enter,
  ]
  private static let numbers: [String: Key] = [
    "1": .home, "3": .delete, "4": .end, "5": .pageUp, "6": .pageDown, "7": .home, "8": .end,
  ]

  private func key(final: UInt8, _ parameters: [UInt8]) -> Key? {
    if final != UInt8(ascii: "~") { return Self.finals[Unicode.Scalar(final)] }
    return Self.numbers[String(decoding: parameters.prefix { $0 != 0x3B }, as: UTF8.self)]
  }
}
