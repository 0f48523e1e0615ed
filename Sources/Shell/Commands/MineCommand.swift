// `mine`: makes cards from texts. Invariant: one undo step; words without a meaning or a suitable sentence are
// reported, and nothing is made up for them.

import Bindings
import Commands
import Exchange
import Files
import Language
import Problems
import Text
import Values
import Workspace

enum MineCommand {
  static let command = BuiltIn(
    "mine", effect: .changes,
    summary: "Makes a card for each unknown word of texts, with the sentence that shows it best.",
    answer: "{added, without_meaning, present, left_out, cards} or {proposed, path}",
    details: """
      Each sentence is one with the fewest words that you have not studied yet; words that are the only one in theirs \
      come first, then those that make most of the text known. The cards are of the note type Mined: the word, the \
      sentence with it in bold, a meaning from the dictionaries of this machine, a translation, the source, and how \
      often the word occurs. The deck and the type are created if they are missing. A word with a card is not added \
      again, so --count 20 adds the next 20 tomorrow. --translation takes subtitles of the same film in a language \
      that you read, or that language: `--translation en` finds ep01.en.srt beside ep01.es.srt. Lines are paired by \
      their times, which may differ by an offset and a speed. --audio takes the films: ffmpeg cuts out the sound of \
      each line and a picture. From the vocabulary of KOReader, a Kindle or a Kobo, the words and phrases that you \
      looked up become cards, with their sentences; those that do not are named with the reason. The fields of a \
      --notetype are filled if they have the names of those of Mined; otherwise its first field gets the word, its \
      second the meaning and the sentence. With --review FILE the words are written to a table; delete lines from it, \
      mend meanings and sentences, and run the same command again.
      """, arguments: [TextCommands.files],
    options: [
      Option("--deck", "DECK", .deck, help: "the deck for the cards; \(TextCommands.usualDeck) when left out"),
      Common.language, TextCommands.encoding, TextCommands.translation,
      Option("--offset", "S", .anyNumber, help: "seconds to add to the translation's times; detected when left out"),
      Option("--dictionary", "NAME", help: "use only this dictionary"),
      Option(
        "--audio", "FILM", .file, isRepeating: true, access: .read,
        help: "cut sounds and pictures out of films, one for each subtitle file"),
      Option("--notetype", "TYPE", help: "a note type other than Mined"),
      Option("--count", "N", .integer(1...100_000), help: "at most this many new cards; all when left out"),
      Option("--cloze", help: "show a gap in place of the word"),
      Option(
        "--review", "FILE", .file, access: [.read, .write],
        help: "a table of the words, to change before cards are made"),
    ], example: "mine ep01.srt --deck Spanish --translation ep01.en.srt --count 30"
  ) { invocation, session in
    let deck = invocation.optionalText("--deck") ?? TextCommands.usualDeck
    let films = try TextCommands.paths(invocation.list("--audio"), session)
    // Checked before the texts are read, even when no card results from them.
    for film in films { _ = try ByteFile(film, isInterrupted: session.environment.isInterrupted) }
    let text = try TextCommands.open(invocation, session)
    let isCloze = invocation.flag("--cloze")
    var report = try text.minable(
      count: invocation.optionalInteger("--count"), dictionary: invocation.optionalText("--dictionary"),
      isCloze: isCloze)
    if let path = invocation.optionalText("--review").map(session.environment.folders.expanded) {
      if fileExists(path) {
        report = try reviewed(report, path, session)
      } else if !report.added.isEmpty {
        // An empty table would exclude the words that a later run finds.
        return try propose(report, path, session)
      }
    }
    let clips = try clips(of: report.added, text, films, session)
    let added = try text.mine(
      report.added, into: deck, isCloze: isCloze, noteType: invocation.optionalText("--notetype"), clips: clips)
    let missing = [("sound", clips?.missing.sounds ?? 0), ("picture", clips?.missing.pictures ?? 0)].filter { $0.1 > 0 }
    if !missing.isEmpty {
      let words = missing.map { "no \($0.0) for \(session.counted($0.1, "word"))" }.joined(separator: ", ")
      session.console.note("mine: \(words)" + (clips?.reason.map { ": \(printable($0))" } ?? ""))
    }
    return result(report, added: added, deck: deck, session)
  }

  /// The clips cut from the given films; nil without films or words, and in a dry run.
  private static func clips(
    of words: [MinedWord], _ text: TextHandle, _ films: [String], _ session: Session
  ) throws -> FilmClips? {
    if films.isEmpty || words.isEmpty || session.rehearsal.isOn { return nil }
    return try session.console.showing("Cutting", total: words.count, unit: "words") { progress in
      try FilmClips(of: words, titles: text.titles, films: films, in: session.workspace()) { progress($0, words.count) }
    }
  }

  private static func propose(_ report: MiningReport, _ path: String, _ session: Session) throws -> CommandResult {
    guard session.rehearsal.mayActOutside("write \(printable(path))") else { return .unchanged() }
    let rows = [["Word", "Meaning", "Sentence", "Source"]] + report.added.map { row($0) + [oneCell($0.source)] }
    let head = "# Delete the lines that should not become cards, mend the others, then run the same command again.\n"
    let text = head + rows.map { $0.joined(separator: "\t") + "\n" }.joined()
    try AtomicFile.write(path, Array(text.utf8), .exported())
    return CommandResult(
      .record(["proposed": report.added.count, "path": path]),
      line:
        "Wrote \(session.counted(report.added.count, "word")) to \(printable(path)); run this again to make the cards.")
  }

  private static func oneCell(_ text: String) -> String { String(text.map { $0 == "\t" || $0.isNewline ? " " : $0 }) }

  /// What of a word may be changed in the table.
  private static func row(_ word: MinedWord) -> [String] {
    [word.lemma, word.gloss ?? "", word.plainSentence].map(oneCell)
  }

  /// The words that are in the table still, with the meanings and sentences that it has.
  private static func reviewed(_ report: MiningReport, _ path: String, _ session: Session) throws -> MiningReport {
    let lines = try TextFile.lines(path, isInterrupted: session.environment.isInterrupted)
    let rows = lines.filter { !$0.hasPrefix("#") && !$0.trimmed.isEmpty }.map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).trimmed }
    }
    let found = Dictionary(firstOf: report.added.map { (oneCell($0.lemma), $0) })
    var report = report
    report.added = []
    for cells in rows.dropFirst(rows.first?.first == "Word" ? 1 : 0).distinct(by: \.[0]) {
      guard var word = found[cells[0]] else {
        report.leftOut.append((cells[0], "it has a card, or is not a new word of the text"))
        continue
      }
      let before = row(word)
      if cells.count > 1, cells[1] != before[1] { word.gloss = cells[1].isEmpty ? nil : cells[1] }
      if cells.count > 2, cells[2] != before[2] { word.setSentence(cells[2]) }
      report.added.append(word)
    }
    return report
  }

  private static func result(_ report: MiningReport, added: Int, deck: String, _ session: Session) -> CommandResult {
    let without = report.added.filter { $0.gloss == nil }
    var lines = ["Added \(session.counted(added, "card")) to \(quoted(deck))."]
    if !without.isEmpty {
      let some = firstFew(without.map { printable($0.lemma) }, 10)
      lines.append("No meaning found for \(session.counted(without.count, "word")): \(some)")
    }
    lines += leftOut(report.leftOut, session)
    if report.present > 0 { lines.append("\(session.counted(report.present, "word")) already had a card.") }
    if session.rehearsal.isOn {
      lines += report.added.prefix(20).map {
        "  \(printable($0.lemma)): \(printable($0.plainSentence))\($0.gloss.map { " = \(printable($0))" } ?? "")"
      }
    }
    let cards = report.added.map { word in
      Value.record([
        "lemma": word.lemma, "form": word.form, "reading": word.reading, "sentence": word.plainSentence,
        "meaning": word.gloss,
        "translation": word.place.translation, "source": word.source, "count": word.count,
      ])
    }
    return CommandResult(
      .record([
        "added": added, "without_meaning": without.count, "present": report.present,
        "left_out": report.leftOut.map { Value.record(["word": $0.word, "reason": $0.reason]) }, "cards": cards,
      ]), .lines(lines))
  }

  /// Names the words that do not become cards, by reason.
  private static func leftOut(_ words: [(word: String, reason: String)], _ session: Session) -> [String] {
    words.map(\.reason).distinct(by: \.self).map { reason in
      let group = words.filter { $0.reason == reason }.map { printable($0.word) }
      return "Left out \(session.counted(group.count, "word")), \(reason): \(firstFew(group, 10))"
    }
  }
}
