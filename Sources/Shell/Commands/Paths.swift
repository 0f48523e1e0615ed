// Paths as commands take them, and the editor. Invariant: the temporary file is deleted however the editing ends.

import Decks
import Files
import Glibc
import LuaRuntime
import Problems
import Text
import Workspace

func fileSize(_ path: String) -> Int? {
  var facts = stat()
  return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG ? Int(facts.st_size) : nil
}

/// The editor that the user chose by VISUAL or EDITOR.
///
///     try session.editor.edit(text, orElse: "give --prompt") { edited in try apply(edited) }
struct TextEditor {
  let session: Session

  /// Opens a text in $EDITOR and applies the result. A refused text can be corrected there, or is saved to a file.
  /// - Parameters:
  ///   - instead: what to do when there is no terminal, for the error.
  ///   - appliesUnchanged: whether an unchanged text is applied too.
  /// - Returns: whether there was anything to apply.
  @discardableResult func edit(
    _ text: String, orElse instead: String, appliesUnchanged: Bool = false, apply: (String) throws -> Void
  ) throws -> Bool {
    guard session.console.terminal.hasKeyboard else { throw EditorError.noTerminal(instead: instead) }
    var (draft, reason) = (text, "")
    while true {
      guard let edited = try self.edited(reason + draft).map(withoutReason) else { return false }
      if edited.trimmed.isEmpty || edited == text && !appliesUnchanged { return false }
      // The refused text came back unchanged, as after `:q!` in vi.
      if !reason.isEmpty, edited == draft { return false }
      do {
        try apply(edited)
        return true
      } catch let problem as any Problem {
        if !session.canAsk {
          try save(edited.utf8)
          throw problem
        }
        if problem.report.code == .interrupted, endsWithCtrlC() { return false }
        let goesOn: Bool
        do { goesOn = try session.confirm("\(problem.message). Edit again?") } catch WorkspaceError.interrupted
          where endsWithCtrlC()
        { return false }
        if !goesOn {
          try save(edited.utf8)
          throw problem
        }
        draft = edited
        reason = Self.reasonStart + problem.message.split(separator: "\n").joined(separator: " ") + "\n"
      }
    }
  }

  /// Saves a text that could not be applied, and tells the user the path.
  private func save(_ text: some Collection<UInt8>) throws {
    let path = try freePath(session.environment.folders.cache + "/refused-\(getpid())", ".txt")
    try AtomicFile.write(path, text)
    session.console.note("Your text was saved to \(path).")
  }

  /// The start of the first line of a refused text, which gives the reason.
  private static let reasonStart = "# Refused: "

  private func withoutReason(_ text: String) -> String {
    guard text.hasPrefix(Self.reasonStart) else { return text }
    return text.firstRange(ofText: "\n").map { String(text[$0.upperBound...]) } ?? ""
  }

  /// Whether Ctrl-C interrupted, not a signal that ends the program: only the edit ends. Output goes on in a new line.
  private func endsWithCtrlC() -> Bool {
    guard Interrupts.endingSignal == nil else { return false }
    Interrupts.clear()
    if session.input.lineReader == nil { session.console.write("\n") }
    return true
  }

  /// Opens a line of the prompt in the user's editor; returns the line unchanged when that fails.
  func edited(line: String) -> String {
    do {
      guard let edited = try self.edited(line + "\n") else { return line }
      return edited.hasSuffix("\n") ? String(edited.dropLast()) : edited
    } catch {
      session.report(error, origin: "edit")
      return line
    }
  }

  /// Opens the text in the user's editor and returns the result; nil when Ctrl-C, and no other signal, ended it.
  private func edited(_ text: String) throws -> String? {
    let editor =
      ["VISUAL", "EDITOR"].compactMap { session.environment.variables.value($0) }.first { !$0.isEmpty } ?? "vi"
    try makePrivateFolder(session.environment.folders.cache)
    let path = session.environment.folders.cache + "/card-\(getpid()).txt"
    try AtomicFile.write(path, Array(text.utf8))
    defer { unlink(path) }
    fflush(nil)
    let child = spawnProgram(["/bin/sh", "-c", editor + " \"$1\"", "sh", path])
    let status = child.map { child in CallPause.waitingForUser { waitForExit(of: child) } } ?? 127
    let isInterrupted = Interrupts.wereRequested && endsWithCtrlC()
    if status != 0, isInterrupted { return nil }
    let bytes = try FileText.bytes(path, limit: 16 << 20, isInterrupted: isNeverInterrupted)
    if status == 0, let edited = String(validating: bytes, as: UTF8.self) { return edited }
    if !bytes.elementsEqual(text.utf8) { try save(bytes) }
    throw status == 0 ? EditorError.notUTF8 : EditorError.failed(editor: editor)
  }
}

extension Session { var editor: TextEditor { TextEditor(session: self) } }
