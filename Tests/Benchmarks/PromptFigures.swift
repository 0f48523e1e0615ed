// Tab completion at the prompt of a user with 1,000 decks, by kind. Invariant: the measured time is what the user
// sees: from the key to the first byte of the response at a pseudo-terminal.

import Files
import Glibc

enum PromptFigures {
  private static let title = "Tab with 1,000 decks"
  private static let wanted = 20.0

  static func all() throws -> [Figure] {
    guard isAsked(title) else { return [] }
    let folder = Asked.folder + "/prompt"
    try makePrivateFolder(folder)
    return figures(ofPeer: "tab.py", [deckhand, folder, Asked.isSmoke ? "1" : "9"], title: title, wanted: wanted)
  }
}

/// Returns the figures that a script of Tests/Peers prints: milliseconds and a title, each compared with the target.
func figures(ofPeer script: String, _ arguments: [String], title: String, wanted: Double) -> [Figure] {
  let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
  let words = ([root + "/Tests/Peers/" + script] + arguments).map { "'\($0)'" }.joined(separator: " ")
  guard let answers = popen("python3 " + words, "r") else {
    failed(title)
    return []
  }
  defer { pclose(answers) }
  var figures: [Figure] = []
  var line = [CChar](repeating: 0, count: 200)
  while fgets(&line, Int32(line.count), answers) != nil {
    let text = line.withUnsafeBufferPointer {
      String(decoding: $0.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    let words = text.split(whereSeparator: \.isWhitespace)
    guard let time = words.first.flatMap({ Double($0) }) else { continue }
    let kind = words.dropFirst().joined(separator: " ")
    figures.append(
      Figure(
        title: "\(title), \(kind), against \(Int(wanted)) ms", wanted: 1, ours: time, reference: wanted, unit: "ms"))
  }
  if figures.isEmpty { failed(title) }
  return figures
}

/// How long an editor waits for `lsp` after a keystroke, in a folder of 10,000 cards. The reference is the target time.
enum EditorFigures {
  private static let title = "lsp after a keystroke"
  private static let wanted = 50.0

  static func all() throws -> [Figure] {
    guard isAsked(title) else { return [] }
    let folder = Asked.folder + "/editor"
    try makePrivateFolder(folder)
    return figures(
      ofPeer: "keystrokes.py", [deckhand, folder, Asked.isSmoke ? "1" : "15", "\(sized(10_000))"], title: title,
      wanted: wanted)
  }
}
