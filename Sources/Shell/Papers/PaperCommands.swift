// `completions`, `man`, `docs`: files for packages, system shells and readers, generated from Deckhand's own
// descriptions. Invariant: nothing that a description says is written here again.

import CTerminal
import Commands
import Files
import LuaRuntime
import Text
import Values
import Workspace

extension ProgramIdentity {
  /// The output of `--version`: the program's own line first, then the libraries linked into it.
  package var versionLines: [String] {
    let libraries =
      [("Lua", LuaState.version), ("readline", String(cString: line_editor_version()))] + CareOperations.libraryVersions
    return ["Deckhand \(version)", libraries.map { "\($0) \($1)" }.joined(separator: ", ")]
  }
}

enum PaperCommands {
  static var all: [BuiltIn] { [completions, man, docs] }

  private static let folder = Argument("DIR", .folder, help: "the folder; it is created if it does not exist")

  private static var completions: BuiltIn {
    BuiltIn(
      "completions", access: .open,
      summary: "Prints a few lines that let your system's shell complete deckhand's commands, names and files.",
      answer: "text",
      details: """
        The lines ask the program at each Tab, so they never become outdated. They do not ask for a password: before a \
        sign-in, decks and other data of an account are not offered.
        \(CompletionStub.allCases.map { "  \($0.hint)" }.joined(separator: "\n"))
        """,
      arguments: [Argument("SHELL", .choice(CompletionStub.allCases.map(\.rawValue)), help: "bash, zsh or fish")],
      example: "completions bash"
    ) { invocation, _ in
      let text = CompletionStub(rawValue: invocation.text("SHELL"))?.text ?? ""
      return CommandResult(.text(text), .lines(text.split(separator: "\n").map(String.init)))
    }
  }

  private static var man: BuiltIn {
    BuiltIn(
      "man", effect: .announces, summary: "Writes manual pages: one for each command, and one for the program.",
      answer: "text...", details: "Read them with man: `man -l DIR/deckhand-deck-import.1`.", arguments: [folder],
      example: "man pages"
    ) { invocation, session in
      try write(ManualPages(session).files, to: invocation, session)
    }
  }

  private static var docs: BuiltIn {
    BuiltIn(
      "docs", effect: .announces,
      summary: "Writes the reference as Markdown: commands, Lua, rules, settings, formats, events, problem codes.",
      answer: "text...", arguments: [folder], example: "docs reference"
    ) { invocation, session in
      try write(ReferencePages(session).files, to: invocation, session)
    }
  }

  /// Writes files into the folder that the command names; a failure leaves no new file or folder.
  static func write(
    _ files: [(name: String, text: String)], to invocation: Invocation, _ session: Session
  ) throws -> CommandResult {
    let folder = session.environment.folders.expanded(invocation.text("DIR"))
    guard session.rehearsal.mayActOutside("write files to \(folder)") else { return CommandResult() }
    try removingOnFailure { created in
      try makeExportedFolder(folder, &created)
      for file in files {
        let path = folder + "/" + file.name
        let isNew = !fileExists(path)
        try AtomicFile.write(path, Array(file.text.utf8), .exported())
        if isNew { created.append(path) }
      }
    }
    return CommandResult(
      .list(files.map { .text(folder + "/" + $0.name) }),
      line: "Wrote \(session.counted(files.count, "file")) to \(printable(folder)).")
  }
}
