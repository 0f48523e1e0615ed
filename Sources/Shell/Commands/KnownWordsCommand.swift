// `text known`: the list of words that are known, or not to be learned, although no card says so. Invariant: a change
// is one undo step.

import Commands
import Exchange
import Files
import Language
import Lexicon
import Problems
import Text
import Values
import Workspace

enum KnownWordsCommand {
  static var command: BuiltIn {
    BuiltIn(
      "text", "known",
      effect: .depends {
        guard $0.list("WORD").isEmpty, $0.optionalText("--import") == nil else { return .changes }
        return $0.optionalText("--export") == nil ? .reads : .announces
      }, summary: "Marks words without cards as known, or as not to be learned, and lists them.",
      answer: "{lemma, state}... or {changed, learning?}",
      details: """
        Without words it shows the list. Without --language, the words are of the language of `set game.language`. \
        --import reads one word per line, what --export wrote, a table (.csv, .tsv), JSON (a list of words, or of \
        records with a member `word`) or the vocabulary of a Kindle. In \
        a table with a column of statuses, as from Lute and LWT, 5 and W are known, I is ignored, and words still \
        being learned are left out; --column word=NAME names the column of the words if its heading does not. `undo` \
        undoes a change.
        """, arguments: [Argument("WORD", isOptional: true, isRepeating: true, help: "a word that is known")],
      options: [
        Common.language, Option("--ignore", help: "mark the words as not to be learned"),
        Option("--forget", help: "remove the words from the list"),
        Option("--import", "FILE", .file, access: .read, help: "read the words from a file"),
        Option(
          "--column", "WHAT=NAME", isRepeating: true,
          help: "the column of a table that has the word, the status, or the language"),
        Option("--export", "FILE", .file, access: .write, help: "write the list to a file"),
      ], example: "text known gato perro --language spanish"
    ) { invocation, session in
      try invocation.allowOne(of: ["--ignore", "--forget", "--export"])
      try invocation.refuse(["WORD", "--import"], beside: "--export")
      try invocation.require("--import", beside: "--column")
      for option in ["--ignore", "--forget"] { try invocation.require("WORD", "--import", beside: option) }
      let workspace = try session.workspace()
      let named = invocation.optionalText("--language")
      let list = try UserWordList(workspace, language: named)
      if named == nil { TextCommands.noteLanguage(list.language, session, command: "text known") }
      let state: WordState = invocation.flag("--forget") ? .unknown : invocation.flag("--ignore") ? .ignored : .known
      if let path = invocation.optionalText("--import") {
        return try imported(path, as: state, list, invocation, session)
      }
      let words = invocation.list("WORD")
      if !words.isEmpty {
        let count = try list.set(words, as: state)
        let what = state == .unknown ? "off the list" : state.name
        return CommandResult(
          .record(["changed": count]), line: "\(session.counted(count, "word")) now \(what).")
      }
      let listed = try list.all().map { ($0.lemma, $0.isIgnored ? "ignored" : "known") }
      if let path = invocation.optionalText("--export") {
        guard session.rehearsal.mayActOutside("write \(printable(path))") else { return .unchanged() }
        let text = listed.map { "\($0.0)\t\($0.1)\n" }.joined()
        try AtomicFile.write(session.environment.folders.expanded(path), Array(text.utf8), .exported())
      }
      return CommandResult(
        .list(listed.map { .record(["lemma": $0.0, "state": $0.1]) }),
        .table(
          TableText(
            [.init("Lemma"), .init("State")], rows: listed.map { [printable($0.0), $0.1] }, whenEmpty: "No words.")
        ))
    }
  }

  private static func imported(
    _ path: String, as state: WordState, _ list: UserWordList, _ invocation: Invocation, _ session: Session
  ) throws -> CommandResult {
    let columns = try DeckFileCommands.table {
      try invocation.list("--column").flatMap { try ColumnChoice.list(of: $0) }
    }
    let path = session.environment.folders.expanded(path)
    let found = try list.add(from: path, columns: columns, as: state, and: invocation.list("WORD"))
    TextCommands.noteLosses(found.losses, of: path, session, command: "text known")
    if found.learning > 0 {
      session.console.note("text known: \(session.counted(found.learning, "word")) still being learned left out")
    }
    let what =
      switch state {
      case .unknown: "off the list"
      case .known where found.ignored > 0: "known or ignored"
      default: state.name
      }
    return CommandResult(
      .record(["changed": found.changed, "learning": found.learning]),
      line: "\(session.counted(found.changed, "word")) now \(what).")
  }
}
