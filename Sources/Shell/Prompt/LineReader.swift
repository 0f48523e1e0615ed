// Reads lines from a user at a terminal: GNU readline with completion, history, Ctrl-C, Ctrl-Z and an idle tick.
// Invariant: terminal modes and signal handlers are changed only inside `read`; a process has one LineReader.

import CTerminal
package import Commands
import Glibc
import LuaRuntime
import Text

package final class LineReader {
  /// The completions for the line before the cursor; nil when there is nothing to offer.
  package var completion: ((_ lineBeforeCursor: String) -> Completion)?
  /// Called when nothing was typed for `tickInterval`; true ends the reading with `.stopped`.
  package var tick: (() -> Bool)?
  /// In milliseconds.
  package var tickInterval: Int32 = 1000
  /// Called before Ctrl-Z stops the program, and when it continues.
  package var willSuspend: () -> Void = {}
  package var didResume: () -> Void = {}
  /// Called when the size of the terminal changes, or Ctrl-L cleared it.
  package var didResize: () -> Void = {}
  /// Colours, help at the cursor, and the editor.
  package var hints = LineHints()
  /// Whether the line being read is a command or Lua, not an answer to a question.
  private var isCommandRead = true
  /// The history that arrow keys and Ctrl-R search.
  package var history: History { didSet { loadHistory() } }

  /// - Throws: `.unreadable` when standard input or output is not open.
  package init(history: History) throws(LineError) {
    self.history = history
    // The name is the application's for conditions in `~/.inputrc`: `$if deckhand`.
    let failure = line_editor_start("deckhand")
    guard failure == 0 else { throw .unreadable(errno: failure) }
    loadHistory()
  }

  /// - Parameters:
  ///   - prompt: one line; colours are removed.
  ///   - isContinued: whether Tab after nothing but whitespace inserts a tab.
  ///   - hidesHistory: whether the line is not a command (a guess in a game), so that arrow keys find no history.
  package func read(
    prompt: String, isContinued: Bool = false, hidesHistory: Bool = false
  ) throws(LineError) -> LineOutcome {
    if Self.isReading { return .endOfInput }
    line_editor_history_hide(hidesHistory)
    isCommandRead = !hidesHistory
    defer { line_editor_history_hide(false) }
    var callbacks = line_editor_callbacks()
    callbacks.context = Unmanaged.passUnretained(self).toOpaque()
    callbacks.complete = { context, line, cursor in LineReader.from(context)?.complete(line, cursor) }
    callbacks.tick = { context in
      guard let reader = LineReader.from(context) else { return false }
      // A signal that ends the program may have arrived right before the reading began.
      return Interrupts.endingSignal != nil || reader.tick?() ?? false
    }
    callbacks.suspending = { context in LineReader.from(context)?.willSuspend() }
    callbacks.resumed = { context in LineReader.from(context)?.didResume() }
    callbacks.resized = { context in LineReader.from(context)?.didResize() }
    callbacks.paint = { context, line, length, cursor in LineReader.from(context)?.paint(line, length, cursor) }
    callbacks.help = { context, line, cursor in LineReader.from(context)?.showHelp(line, cursor) }
    callbacks.suggests = { context, line in
      guard let line, let reader = LineReader.from(context) else { return false }
      return !reader.history.hasFailed(String(cString: line))
    }
    callbacks.list = { context in
      guard let reader = LineReader.from(context), reader.isCommandRead else { return false }
      return reader.hints.showAll()
    }
    let options = line_editor_options(
      tab_indents: isContinued, shows_hints: hints.areShown(), tick_ms: max(1, tickInterval))
    var initial = ""
    while true {
      let result = CallPause.waitingForUser {
        withExtendedLifetime(self) { line_editor_read(promptForEditor(prompt), initial, options, &callbacks) }
      }
      guard result.end == LINE_EDITOR_WANTS_EDITOR, let text = result.text else { return try outcome(result) }
      let line = String(cString: text)
      line_editor_free(text)
      initial = hints.edited(line)
    }
  }

  /// Whether a line is being read, so that the running code was called by the line editor (completion, hints, a
  /// listener). Until then the line editor owns the terminal: any other read gets the end of the input.
  package static var isReading: Bool { line_editor_is_reading() }

  /// The number of rows between the prompt's first row and the cursor, while a line is read.
  static var cursorRow: Int { Int(line_editor_cursor_row()) }

  /// Redraws the prompt and the line at the cursor, after a callback drew something else.
  static func redraw() { line_editor_redraw() }

  /// Adds a line to the history, in memory and in its file. Secret or empty lines, or after whitespace, are not kept.
  package func remember(_ line: String, isSecret: Bool = false) {
    guard let change = history.add(line, isSecret: isSecret) else { return }
    if let index = change.removed { line_editor_history_remove(Int32(clamping: index)) }
    line_editor_history_add(line)
  }

  /// Returns what restores the callbacks that are set now, for a screen that sets its own.
  func savingCallbacks() -> () -> Void {
    { [self, completion, willSuspend, didResume, didResize, tick] in
      (self.completion, self.willSuspend, self.didResume) = (completion, willSuspend, didResume)
      (self.didResize, self.tick) = (didResize, tick)
    }
  }

  /// A counter that grows with each key typed.
  static var keyCount: Int { line_editor_key_count() }

  private static func from(_ context: UnsafeMutableRawPointer?) -> LineReader? {
    context.map { Unmanaged<LineReader>.fromOpaque($0).takeUnretainedValue() }
  }

  private func loadHistory() {
    line_editor_history_clear(Int32(clamping: history.limit))
    for entry in history.entries { line_editor_history_add(entry) }
  }

  private func outcome(_ result: line_editor_result) throws(LineError) -> LineOutcome {
    defer { line_editor_free(result.text) }
    switch result.end {
    case LINE_EDITOR_LINE:
      guard let text = result.text else { return .line("") }
      return .line(try checkedText(UnsafeRawBufferPointer(start: text, count: strlen(text))))
    case LINE_EDITOR_INTERRUPTED: return .interrupted
    case LINE_EDITOR_END_OF_INPUT: return .endOfInput
    case LINE_EDITOR_TERMINATED:
      Interrupts.endingSignal = result.number
      return .endOfInput
    case LINE_EDITOR_STOPPED: return Interrupts.endingSignal == nil ? .stopped : .endOfInput
    case LINE_EDITOR_NOT_UTF8: throw .notUTF8(column: nil)
    default: throw .unreadable(errno: result.number)
    }
  }

  private func paint(_ line: UnsafePointer<CChar>?, _ length: Int, _ cursor: Int) {
    guard let line, let text = String(validating: UnsafeRawBufferPointer(start: line, count: length), as: UTF8.self)
    else { return }
    for part in hints.parts(text, cursor) {
      line_editor_paint(max(0, part.range.lowerBound), max(0, part.range.upperBound), part.style.code)
    }
  }

  private func showHelp(_ line: UnsafePointer<CChar>?, _ cursor: Int) {
    guard let line else { return }
    hints.showHelp(String(cString: line), cursor)
  }

  private func complete(_ line: UnsafePointer<CChar>?, _ cursor: Int) {
    guard let line, let completion else { return }
    let bytes = UnsafeRawBufferPointer(start: line, count: cursor)
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    offer(completion(text), line: text)
  }

  private func offer(_ completion: Completion, line: String) {
    let start = min(max(0, completion.wordStart), line.utf8.count)
    let before = String(decoding: line.utf8.prefix(start), as: UTF8.self)
    let typed = String(decoding: line.utf8.dropFirst(start), as: UTF8.self)
    // Each candidate is passed as the whole line, so a long line limits their number.
    let candidates = completion.candidates.prefix(max(2, (8 << 20) / (start + 1)))
    for candidate in candidates {
      let end = candidates.count == 1 ? candidate.suffix : ""
      line_editor_offer(before + candidate.replacement + end, printable(candidate.shown), printable(candidate.help))
    }
    if candidates.count > 1 {
      line_editor_offer_common(before + commonBeginning(of: completion.candidates.map(\.replacement), typed: typed))
    }
  }
}

/// The common prefix of all candidates, never shorter than the typed text and never half of an escape sequence.
func commonBeginning(of candidates: [String], typed: String) -> String {
  guard var common = candidates.first?.unicodeScalars[...] else { return typed }
  for candidate in candidates.dropFirst() {
    let count = zip(common, candidate.unicodeScalars).prefix { $0 == $1 }.count
    common = common.prefix(count)
  }
  let backslashes = common.reversed().prefix { $0 == "\\" }.count
  if backslashes % 2 == 1 { common = common.dropLast() }
  return common.count < typed.unicodeScalars.count ? typed : String(String.UnicodeScalarView(common))
}

/// The prompt without colours: readline 8.2 can loop forever drawing Ctrl-R over marked colour codes.
func promptForEditor(_ prompt: String) -> String {
  var plain = ""
  var isInEscape = false
  for scalar in prompt.unicodeScalars {
    if scalar == "\u{1B}" {
      isInEscape = true
    } else if isInEscape {
      isInEscape = !("A"..."Z").contains(scalar) && !("a"..."z").contains(scalar)
    } else if scalar.properties.generalCategory != .control {
      plain.unicodeScalars.append(scalar)
    }
  }
  return plain
}

package enum LineStyle: UInt32, Sendable {
  // In the order of `line_editor_style`; a known name exists, a wrong bracket has no partner.
  case command = 1
  case option, string, keyword, number, unknown, comment, known, bracket, wrongBracket

  var code: line_editor_style { line_editor_style(rawValue) }
}

/// A range of a line with a style; where ranges overlap, the later one wins.
package struct StyledPart: Equatable, Sendable {
  package let range: Range<Int>
  package let style: LineStyle

  package init(_ range: Range<Int>, _ style: LineStyle) { (self.range, self.style) = (range, style) }
}

/// The callbacks that provide hints for a line while it is typed.
package struct LineHints {
  /// Whether the line is coloured and completed with a suggestion from the history.
  package var areShown: () -> Bool = { false }
  package var parts: (_ line: String, _ cursor: Int) -> [StyledPart] = { _, _ in [] }
  /// Shows help for the word at the cursor on separate lines.
  package var showHelp: (_ line: String, _ cursor: Int) -> Void = { _, _ in }
  /// Lists what an empty line could be, on separate lines; false when there is nothing to list.
  package var showAll: () -> Bool = { false }
  /// Opens the line in the user's editor and returns the result.
  package var edited: (_ line: String) -> String = { $0 }

  package init() {}
}
