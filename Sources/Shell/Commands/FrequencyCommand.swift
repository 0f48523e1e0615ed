// `text frequency`. Invariant: each text is counted only once; the counts decide only which words are common.

import Commands
import Language
import Lexicon
import Text
import Values
import Workspace

enum FrequencyCommand {
  private static let shownWords = 20

  static var command: BuiltIn {
    BuiltIn(
      "text", "frequency", theme: TextCommands.theme, access: .signedIn,
      effect: .depends { $0.list("FILE").isEmpty && !$0.flag("--forget") ? .reads : .changes },
      summary: "Counts the words of texts, so that word games use words that you meet.",
      answer: "{texts, words, common, frequent}",
      details: """
        Without a file it shows what was counted. Together with what you read, a word list on this machine is used: \
        frequency/CODE.tsv in the data folder (a word, a tab, a count; es.tsv for Spanish), or else the model of \
        Debian's onboard-data, where Debian installs it or in that folder. The 20,000 most frequent words are common; \
        after `set game.words all`, games use all words.
        """, arguments: [Argument("FILE", .file, isOptional: true, isRepeating: true, access: .read, help: "a text")],
      options: [
        Common.language, TextCommands.encoding,
        Option("--forget", help: "forget the counts of all texts of the language"),
      ], usage: ["text frequency [FILE]... [--language L] [--encoding E]", "text frequency --forget [--language L]"],
      example: "text frequency novel.epub --language spanish"
    ) { invocation, session in
      let workspace = try session.workspace()
      let named = invocation.optionalText("--language")
      let counts = try WordCounts(workspace, language: named)
      if named == nil { TextCommands.noteLanguage(counts.language, session, command: "text frequency") }
      let (paths, forgets) = (invocation.list("FILE"), invocation.flag("--forget"))
      if paths.isEmpty, !forgets { return try answer(counts, [], session) }
      // An interrupt while the common words are computed rolls the counts back.
      return try workspace.asUnit {
        var names: [String] = []
        let done = try counts.add(paths.count, forgets: forgets) { index in
          var options = try TextCommands.options(invocation)
          options.language = counts.language.name
          let text = try TextCommands.open([paths[index]], options, session, command: invocation.command.name)
          names.append(printable(text.titles.joined(separator: ", ")))
          return text
        }
        var lines: [String] = []
        if forgets {
          lines = ["Forgot the counts of \(session.counted(done.forgotten, "text"))."]
        }
        for (name, isNew) in zip(names, done.isNew) {
          lines.append(isNew ? "Counted \(name)." : "\(name) was already counted.")
        }
        return try answer(counts, lines, session)
      }
    }
  }

  private static func answer(_ counts: WordCounts, _ lines: [String], _ session: Session) throws -> CommandResult {
    let workspace = try session.workspace()
    let (texts, frequent) = (try counts.texts(), try counts.frequent(shownWords))
    let hasList = session.lexicons.languages().contains(counts.language)
    let common = hasList ? try workspace.words.common(of: workspace.words.lexicon(counts.language.name).lexicon) : nil
    let words = texts.reduce(0) { $0 + $1.words }
    var lines = lines
    if !texts.isEmpty {
      lines.append(
        "\(session.counted(texts.count, "text")) with \(session.counted(words, "word")); the most frequent: "
          + frequent.map { printable($0.word) }.joined(separator: " "))
    }
    let title = counts.language.title
    lines.append(
      common.map { "\(session.counted($0.lexicon.count, "word")) of \(title) are common; games use them." }
        ?? "It is not known which words of \(title) are common: count some books, or install Debian's onboard-data.")
    let value = Value.record([
      ("texts", .integer(texts.count)), ("words", .integer(words)),
      ("common", .integer(common?.lexicon.count ?? 0)),
      ("frequent", .list(frequent.map { .record([("word", .text($0.word)), ("count", .integer($0.count))]) })),
    ])
    return CommandResult(value, .lines(lines.flatMap { wrapped($0, width: min(100, session.console.terminal.width)) }))
  }
}
