// Lines from a user at a terminal: GNU readline with completion, history, Ctrl-C, Ctrl-Z and an idle tick.
// Invariant: only inside `read` is the terminal changed and are signals ours; there is one LineReader in a process.

import CTerminal
package import Commands
import LuaRuntime
import Text

package final class LineReader: LineSource {
  /// What Tab offers for the line before the cursor; nil when there is nothing to offer.
  package var completion: ((_ lineBeforeCursor: String) -> Completion)?
  /// Called when nothing was typed for `tickInterval`; true ends the reading with `.stopped`.
  package var tick: (() -> Bool)?
  /// Milliseconds.
  package var tickInterval: Int32 = 1000
  /// Called before Ctrl-Z stops the program, and when it goes on.
  package var willSuspend: () -> Void = {}
  package var didResume: () -> Void = {}
  /// Called when the terminal has another size.
  package var didResize: () -> Void = {}
  /// Where other programs ask for something, and what is done when one does: true ends the reading with `.requested`.
  var requests: ShellRequests?
  var request: () -> Bool = { false }
  /// Colours, help at the cursor, the editor.
  package var hints = LineHints()
  /// Whether the line that is read is a command or Lua, no answer to a question.
  private var isCommandRead = true
  /// Whose lines arrow keys and Ctrl-R find.
  package var history: History { didSet { loadHistory() } }

  /// - Parameter name: what `~/.inputrc` may ask for: `$if deckhand`.
  /// - Throws: `.unreadable` when there is a LineReader already, or the descriptors are not open.
  package init(name: String = "deckhand", input: Int32 = 0, output: Int32 = 1, history: History) throws(LineError) {
    self.history = history
    let failure = line_editor_start(name, input, output)
    guard failure == 0 else { throw .unreadable(errno: failure) }
    loadHistory()
  }

  package func read(prompt: String) throws(LineError) -> LineOutcome {
    try read(prompt: prompt, initial: "")
  }

  /// - Parameters:
  ///   - prompt: one line; colours are left out.
  ///   - initial: stands in the line already.
  ///   - isContinued: a Tab behind nothing but blanks is a tab.
  ///   - hidesHistory: the line is no command (a guess in a game): arrow keys find nothing.
  package func read(
    prompt: String, initial: String, isContinued: Bool = false, hidesHistory: Bool = false
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
      // A signal that ends the program may have come right before the reading began.
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
    callbacks.watched = { context, place, room in
      let descriptors = LineReader.from(context)?.requests?.descriptors.prefix(room) ?? []
      for (index, descriptor) in descriptors.enumerated() { place?[index] = descriptor }
      return descriptors.count
    }
    callbacks.requested = { context in LineReader.from(context)?.request() ?? false }
    let options = line_editor_options(
      tab_indents: isContinued, shows_hints: hints.areShown(), tick_ms: max(1, tickInterval))
    var initial = initial
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

  /// Whether a line is being read, so that the code that runs was called by the line editor (completion, hints, a
  /// listener). It owns the terminal until then: any other reading finds the end of the input, and the console has no
  /// keyboard.
  package static var isReading: Bool { line_editor_is_reading() }

  /// How many rows of the screen the cursor is below the first row of the prompt, while a line is read.
  static var cursorRow: Int { Int(line_editor_cursor_row()) }

  /// Draws the prompt and the line anew from where the cursor is, after something else was drawn in a callback.
  static func redraw() { line_editor_redraw() }

  /// Adds a line to the history, here and in its file. Blank lines, lines that start with a blank and secret ones are
  /// not kept.
  package func remember(_ line: String, isSecret: Bool = false) {
    guard let change = history.add(line, isSecret: isSecret) else { return }
    if let index = change.removed { line_editor_history_remove(Int32(clamping: index)) }
    line_editor_history_add(line)
  }

  /// Says of a line that was remembered whether it failed: then it is suggested no more.
  package func note(_ line: String, hasFailed: Bool) { history.note(line, hasFailed: hasFailed) }

  /// Grows with each key that is typed.
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
      return .line(try checkedText(UnsafeRawBufferPointer(start: text, count: length(of: text))))
    case LINE_EDITOR_INTERRUPTED: return .interrupted
    case LINE_EDITOR_END_OF_INPUT: return .endOfInput
    case LINE_EDITOR_TERMINATED: return .terminated(result.number)
    case LINE_EDITOR_STOPPED: return .stopped
    case LINE_EDITOR_REQUESTED: return .requested(result.text.map { String(cString: $0) } ?? "")
    case LINE_EDITOR_NOT_UTF8: throw .notUTF8(column: nil)
    default: throw .unreadable(errno: result.number)
    }
  }

  private func length(of text: UnsafePointer<CChar>) -> Int {
    var length = 0
    while text[length] != 0 { length += 1 }
    return length
  }
}

// Hints.
extension LineReader {
  private func paint(_ line: UnsafePointer<CChar>?, _ length: Int, _ cursor: Int) {
    guard let line,
      let text = String(validating: UnsafeRawBufferPointer(start: line, count: length), as: UTF8.self)
    else { return }
    for part in hints.parts(text, cursor) {
      line_editor_paint(max(0, part.range.lowerBound), max(0, part.range.upperBound), part.style.code)
    }
  }

  private func showHelp(_ line: UnsafePointer<CChar>?, _ cursor: Int) {
    guard let line else { return }
    hints.showHelp(String(cString: line), cursor)
  }
}

// Completion.
extension LineReader {
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
    // Each candidate is handed over as the whole line: a long one leaves room for few.
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

/// What all candidates begin with, never less than what was typed and never half an escaped character.
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

/// The prompt without colours: readline 8.2 can loop for ever in drawing Ctrl-R over a prompt that holds marked ones.
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
