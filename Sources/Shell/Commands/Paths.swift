// Paths as commands take them, and the editor. Invariant: a temporary file is gone however the editing ends.

import Decks
import Files
import Glibc
import Text
import Workspace

func lastPart(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

func fileSize(_ path: String) -> Int? {
  var facts = stat()
  return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG ? Int(facts.st_size) : nil
}

extension Session {
  /// Opens a card in $EDITOR: prompt and answer with a line of dashes between them.
  func editInEditor(_ card: CardHandle) throws {
    guard console.terminal.hasKeyboard else {
      throw EditorError.noTerminal
    }
    let record = try card.record()
    let separator = "----"
    let text = "\(record.prompt)\n\(separator)\n\(record.answer)\n"
    let edited = try edit(text)
    if edited == text { return }
    let lines = edited.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let middle = lines.firstIndex(of: separator) else {
      throw EditorError.noSeparator(separator)
    }
    try card.update(
      prompt: lines[..<middle].joined(separator: "\n"), answer: lines[(middle + 1)...].joined(separator: "\n"))
  }

  /// The text as the user's editor left it.
  private func edit(_ text: String) throws -> String {
    let editor = ["VISUAL", "EDITOR"].compactMap { environment.variables.value($0) }.first { !$0.isEmpty } ?? "vi"
    try makePrivateFolder(environment.folders.cache)
    let path = environment.folders.cache + "/card-\(getpid()).txt"
    try AtomicFile.write(path, Array(text.utf8))
    defer { unlink(path) }
    fflush(nil)
    guard runProgram("/bin/sh", ["-c", editor + " \"$1\"", "sh", path]) == 0 else {
      throw EditorError.failed(editor: editor)
    }
    guard let edited = try FileText.read(path, limit: 16 << 20) else {
      throw EditorError.notUTF8
    }
    return edited
  }
}

/// Runs a program on the same terminal and waits for it; its exit status, or 127.
private func runProgram(_ path: String, _ arguments: [String]) -> Int32 {
  var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
  words.append(nil)
  defer { for word in words { free(word) } }
  var child: pid_t = 0
  guard posix_spawn(&child, path, nil, nil, words, environ) == 0 else { return 127 }
  var status: Int32 = 0
  while waitpid(child, &status, 0) < 0 && errno == EINTR {}
  return status & 0x7F == 0 ? (status >> 8) & 0xFF : 127
}
