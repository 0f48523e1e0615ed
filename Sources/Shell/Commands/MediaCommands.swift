// `media ...`. Invariant: a file that is still needed by a name is never removed.

import Commands
import Decks
import Files
import Text
import Values
import Workspace

enum MediaCommands {
  static var all: [BuiltIn] { [list, add, speak, check, remove] }

  private static let theme = "Decks and cards"

  private static func names(_ word: String, _ before: [String], _ session: Session) -> [Offer] {
    do {
      return try session.workspace().media().map { Offer($0.name) }
    } catch {
      // Completion offers what can be read; the command itself will say what is wrong.
      return []
    }
  }

  private static var list: BuiltIn {
    BuiltIn(
      "media", "list", theme: theme, access: .signedIn, effect: .reads,
      summary: "Lists the pictures and sounds that cards can name.", example: "media list"
    ) { _, session in
      let files = try session.workspace().media()
      var table = TableText(
        [.init("Name"), .init("Bytes", .right)], whenEmpty: "No media; `media add FILE` adds some.")
      for file in files { table.add([file.name, session.grouped(file.size)]) }
      return CommandResult(.value(.list(files.map(\.value))), .table(table))
    }
  }

  private static var add: BuiltIn {
    BuiltIn(
      "media", "add", theme: theme, access: .signedIn, effect: .changes, summary: "Copies pictures and sounds in.",
      details: "A field names them: [sound:NAME] or <img src=\"NAME\">. The answer is the names that they have here.",
      arguments: [Argument("FILE", .file, isRepeating: true, access: .read, help: "pictures or sounds")],
      example: "media add perro.mp3"
    ) { invocation, session in
      let workspace = try session.workspace()
      let folders = session.environment.folders
      let names = try workspace.addMedia(from: invocation.list("FILE").map { folders.expanded($0) }, .any)
      return CommandResult(
        .value(.list(names.map { .text($0) })), .lines(names.map { "Added \(quoted($0))." }))
    }
  }

  private static var speak: BuiltIn {
    BuiltIn(
      "media", "speak", theme: theme, access: .signedIn, effect: .changes,
      summary: "Makes a sound of a text, by espeak-ng.",
      details: "The answer is its name; a field plays it: [sound:NAME]. `card speak` gives cards theirs.",
      arguments: [Argument("TEXT", help: "what is said")], options: [Common.language],
      example: "media speak \"el perro\" --language spanish"
    ) { invocation, session in
      let workspace = try session.workspace()
      let name = try workspace.speak(
        invocation.text("TEXT"), in: workspace.language(named: invocation.optionalText("--language")))
      return CommandResult(.text(name), line: "Added \(quoted(name)).")
    }
  }

  private static var remove: BuiltIn {
    BuiltIn(
      "media", "remove", theme: theme, access: .signedIn, effect: .changes, summary: "Takes media out, by name.",
      details: "The content stays on disk until `media check --clean`, so that this can be undone.",
      arguments: [Argument("NAME", isRepeating: true, help: "names of media; `media list` lists them")],
      example: "media remove perro.mp3", complete: names
    ) { invocation, session in
      let names = invocation.list("NAME")
      try session.workspace().removeMedia(names)
      return CommandResult(.integer(names.count), line: "Removed \(session.counted(names.count, "media file")).")
    }
  }

  // MARK: Checking

  private static var check: BuiltIn {
    BuiltIn(
      "media", "check", theme: theme, access: .signedIn,
      effect: .depends { $0.flag("--clean") ? .acts : .reads },
      summary: "Lists media that cards name and that are missing, and media that nothing names.",
      details: "Files whose name begins with _ count as used: templates may name them in ways that cannot be seen.",
      options: [Option("--clean", help: "delete the content of media that were removed")], example: "media check"
    ) { invocation, session in
      let workspace = try session.workspace()
      let check = try workspace.checkMedia()
      let result = CommandResult(.value(try value(check, workspace)), .lines(try lines(check, workspace, session)))
      guard invocation.flag("--clean") else { return result }
      let removed = try workspace.cleanMedia()
      return CommandResult(.integer(removed), line: "Deleted \(session.counted(removed, "file")).")
    }
  }

  private static func lines(_ check: MediaCheck, _ workspace: Workspace, _ session: Session) throws -> [String] {
    var lines: [String] = []
    func add(_ title: String, _ rows: [String]) {
      if rows.isEmpty { return }
      lines += ["\(title):"] + rows.prefix(100).map { "  " + $0 }
      if rows.count > 100 { lines.append("  … \(session.grouped(rows.count - 100)) more") }
    }
    add("Missing", try check.missing.map { "\(printable($0.name))   \(try users(of: $0.references, workspace))" })
    add("Not used", check.unused.map { printable($0.name) })
    add("Damaged", check.damaged.map { printable($0) })
    if check.leftover.files > 0 {
      let files = session.counted(check.leftover.files, "file")
      lines.append(
        "\(files) of removed media, \(session.counted(check.leftover.bytes, "byte")); `media check --clean` deletes them."
      )
    }
    return lines.isEmpty ? ["All media are there and used."] : lines
  }

  /// What refers to a name: notes and cards by their guids.
  private static func users(of references: MediaReferences, _ workspace: Workspace) throws -> String {
    let names = try identities(of: references, workspace).flatMap { kind, names in
      names.prefix(3).map { "\(kind) \(printable($0, limit: 40))" }
    }
    let count = references.notes.count + references.cards.count + references.types.count
    return names.joined(separator: ", ") + (count > names.count ? ", … \(grouped(count - names.count)) more" : "")
  }

  private static func identities(
    of references: MediaReferences, _ workspace: Workspace
  ) throws -> [(kind: String, names: [String])] {
    let users = try workspace.users(of: references)
    return [
      ("note", try users.notes.map { try $0.record().guid }), ("card", try users.cards.map { try $0.record().guid }),
      ("type", try users.types.map { try $0.record().name }),
    ]
  }

  private static func value(_ check: MediaCheck, _ workspace: Workspace) throws -> Value {
    let missing = try check.missing.map { name, references -> Value in
      let users = try identities(of: references, workspace)
      return .record([("name", .text(name))] + users.map { ($0.kind + "s", .list($0.names.map { .text($0) })) })
    }
    return .record([
      ("missing", .list(missing)), ("unused", .list(check.unused.map { .text($0.name) })),
      ("damaged", .list(check.damaged.map { .text($0) })),
      ("leftover", .record([("files", .integer(check.leftover.files)), ("bytes", .integer(check.leftover.bytes))])),
    ])
  }
}

extension MediaRecord {
  fileprivate var value: Value { .record([("name", .text(name)), ("size", .integer(size))]) }
}
