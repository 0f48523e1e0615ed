// `media ...`. Invariant: a file that another name still needs is never removed.

import Commands
import Decks
import Files
import Templates
import Text
import Values
import Workspace

enum MediaCommands {
  static var all: [BuiltIn] { [list, add, speak, remove] }

  private static func names(_ word: String, _ before: [String], _ session: Session) -> [Offer] {
    do {
      return try session.workspace().media.all().map { Offer($0.name) }
    } catch {
      // Completion offers only what it can read; the command itself reports what is wrong.
      return []
    }
  }

  private static var list: BuiltIn {
    BuiltIn(
      "media", "list", summary: "Lists the pictures and sounds that cards can use.", answer: "{name, size}..."
    ) { _, session in
      let files = try session.workspace().media.all()
      var table = TableText(
        [.init("Name", isTyped: true), .init("Bytes", .right)], whenEmpty: "No media; `media add FILE` adds some.")
      for file in files { table.add([file.name, session.grouped(file.size)]) }
      return CommandResult(.value(.list(files.map(\.value))), .table(table))
    }
  }

  private static var add: BuiltIn {
    BuiltIn(
      "media", "add", effect: .changes, summary: "Adds pictures and sounds.", answer: "text...",
      details: "Copies the files. Use them in a field as [sound:NAME] or <img src=\"NAME\">; the answer is the names.",
      arguments: [Argument("FILE", .file, isRepeating: true, access: .read, help: "pictures or sounds")],
      example: "media add perro.mp3"
    ) { invocation, session in
      let workspace = try session.workspace()
      let folders = session.environment.folders
      let names = try workspace.media.add(from: invocation.list("FILE").map { folders.expanded($0) }, .any)
      if !session.rehearsal.isOn {
        for name in names {
          guard let what = try workspace.media.misnamed(name) else { continue }
          session.console.note("\(quoted(name)) is not a \(what), by its first bytes: cards will not show or play it.")
        }
      }
      return CommandResult(
        .value(.list(names.map { .text($0) })), .lines(names.map { "Added \(quoted($0))." }))
    }
  }

  private static var speak: BuiltIn {
    BuiltIn(
      "media", "speak", effect: .changes,
      summary: "Makes a sound file of a text, with espeak-ng or the program in media.speech.", answer: "text",
      details:
        "The answer is its name; use it in a field as [sound:NAME]. `card speak` adds sounds to cards. Another voice: "
        + "`set media.speech \"piper -m es.onnx -f {file}\"`.",
      arguments: [Argument("TEXT", help: "the text to speak")], options: [Common.language],
      example: "media speak \"el perro\" --language spanish"
    ) { invocation, session in
      let workspace = try session.workspace()
      let name = try workspace.speech.file(
        of: invocation.text("TEXT"), in: workspace.words.language(named: invocation.optionalText("--language")))
      return CommandResult(.text(name), line: "Added \(quoted(name)).")
    }
  }

  private static var remove: BuiltIn {
    BuiltIn(
      "media", "remove", effect: .changes, summary: "Removes media files by name.", answer: "integer",
      details:
        "The content stays on disk until `doctor --mend media`, so that this can be undone. A file that a note or "
        + "a note type uses is removed only after a question, or with --force.",
      arguments: [Argument("NAME", isRepeating: true, help: "names of media; `media list` lists them")],
      options: [Option("--force", help: "remove files that are in use, too")], example: "media remove perro.mp3",
      complete: names
    ) { invocation, session in
      // A name given twice counts once.
      let names = invocation.list("NAME").distinct(by: \.self)
      let media = try session.workspace().media
      if !invocation.flag("--force"), let used = try media.firstUsed(of: names) {
        if !session.canAsk { throw NoteError.mediaInUse(name: used.name, users: used.users) }
        let question = "\(quoted(used.name)) is used by \(used.users). Remove \(names.count == 1 ? "it" : "the files")?"
        guard try session.confirm(question) else { return CommandResult(.integer(0), line: "Nothing was removed.") }
      }
      try media.remove(names)
      return CommandResult(.integer(names.count), line: "Removed \(session.counted(names.count, "media file")).")
    }
  }
}

extension MediaRecord {
  fileprivate var value: Value { .record(["name": name, "size": size]) }
}
