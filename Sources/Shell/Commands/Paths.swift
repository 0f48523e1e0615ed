// Paths as commands take them, and the editor. Invariant: a temporary file is gone however the editing ends.

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

  /// Opens a card in $EDITOR: prompt and answer with a line of dashes between them.
  /// - Returns: false where the text was left as it was.
  @discardableResult
  func edit(_ card: CardHandle) throws -> Bool {
    let record = try card.record()
    let separator = "----"
    let text = "\(record.prompt)\n\(separator)\n\(record.answer)\n"
    return try edit(text, orElse: "give --prompt or --answer") { edited in
      let lines = edited.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      guard let middle = lines.firstIndex(of: separator) else { throw EditorError.noSeparator(separator) }
      try card.update(
        prompt: lines[..<middle].joined(separator: "\n"), answer: lines[(middle + 1)...].joined(separator: "\n"))
    }
  }

  /// Opens a text in $EDITOR and applies what comes back. What is refused can be mended there.
  /// - Parameters:
  ///   - instead: what to do where there is no terminal.
  ///   - appliesUnchanged: whether a text that was left as it is counts too.
  /// - Returns: whether there was anything to apply.
  @discardableResult
  func edit(
    _ text: String, orElse instead: String, appliesUnchanged: Bool = false, apply: (String) throws -> Void
  ) throws -> Bool {
    guard session.console.terminal.hasKeyboard else { throw EditorError.noTerminal(instead: instead) }
    var draft = text
    while true {
      let edited = try edited(draft)
      if edited.trimmed.isEmpty || edited == text && !appliesUnchanged { return false }
      do {
        try apply(edited)
        return true
      } catch let problem as any Problem {
        let isOver = !session.canAsk || problem.report.code == .interrupted
        if isOver { throw problem }
        guard try session.confirm("\(problem.message). Edit again?") else { throw problem }
        draft = edited
      }
    }
  }

  /// A line of the prompt as the user's editor left it; the line itself where that failed.
  func edited(line: String) -> String {
    do {
      let edited = try edited(line + "\n")
      return edited.hasSuffix("\n") ? String(edited.dropLast()) : edited
    } catch {
      session.report(error, origin: "edit")
      return line
    }
  }

  /// The text as the user's editor left it.
  private func edited(_ text: String) throws -> String {
    let editor =
      ["VISUAL", "EDITOR"].compactMap { session.environment.variables.value($0) }.first { !$0.isEmpty } ?? "vi"
    try makePrivateFolder(session.environment.folders.cache)
    let path = session.environment.folders.cache + "/card-\(getpid()).txt"
    try AtomicFile.write(path, Array(text.utf8))
    defer { unlink(path) }
    fflush(nil)
    guard runProgram("/bin/sh", ["-c", editor + " \"$1\"", "sh", path]) == 0 else {
      throw EditorError.failed(editor: editor)
    }
    guard let edited = try FileText.read(path, limit: 16 << 20, isInterrupted: isNeverInterrupted) else {
      throw EditorError.notUTF8
    }
    return edited
  }
}

extension Session {
  var editor: TextEditor { TextEditor(session: self) }
}

/// Runs a program on the same terminal and waits for it; its exit status, or 127.
private func runProgram(_ path: String, _ arguments: [String]) -> Int32 {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  guard let program = spawnProgram([path] + arguments, &actions) else { return 127 }
  return CallPause.waitingForUser { waitForProgram(program) }
}
