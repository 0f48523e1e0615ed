// `deck diff`, `deck merge` and `deck conflicts`. Invariant: a comparison reports its result by the exit status, as
// diff(1) does; a merge says what it could not decide, and where those conflicts are stored.

import Bindings
import Commands
import Decks
import Exchange
import Files
import Problems
import Templates
import Text
import Values
import Workspace

enum CompareCommands {
  static var all: [BuiltIn] { [diff, merge, conflicts] }

  private static let operands = """
    Each argument is a deck, DECK@STEP (the deck as it was after a step of `undo --list`), an Anki package, a folder \
    of `build`, or any file that `deck import` reads. Notes are matched by their guids; in a table without guids, rows \
    are matched by the first column, or by --key.
    """
  private static let key = Option("--key", "COLUMN", help: "for a table or .jsonl: the column that identifies a row")
  private static let format = Option(
    "--format", choice: CardFormat.nativeNames, help: "the format of the files; from their extensions when left out")

  /// Runs a comparison with the settings of the options, and shows the reading progress.
  private static func comparing<T>(
    _ invocation: Invocation, _ session: Session, _ body: (Comparing, ExchangeSettings) throws -> T
  ) throws -> T {
    let comparing = try session.workspace().comparing
    var settings = comparing.settings()
    let progress = session.console.progress("Reading", total: nil)
    defer { progress.finish() }
    settings.progress = { progress.update($0, of: $1) }
    settings.key = invocation.optionalText("--key")
    settings.format = try invocation.optionalText("--format").map { try CardFormat(named: $0) }
    return try body(comparing, settings)
  }

  private static let diff = BuiltIn(
    "deck", "diff", summary: "Shows the differences between two decks, files or steps.",
    answer: "{kind, event, key, title, fields, added_tags, removed_tags, behind?}...",
    details: operands + """
       Notes are compared field by field, together with tags, order, suspension, flags, note types, options and \
      media (by content). Each note is a hunk, and each field a line; at a terminal, the words that differ are \
      marked. The exit status is 0 if both are the same, 1 if they differ, 2 if they cannot be compared.
      """,
    arguments: [
      Argument("A", .file, help: "a deck, DECK@STEP, a file or a folder"), Argument("B", .file, help: "the other one"),
    ],
    options: [key, format], example: "deck diff Spanish spanish.apkg"
  ) { invocation, session in
    let names = [invocation.text("A"), invocation.text("B")]
    let difference = try comparing(invocation, session) {
      try $0.difference(names, $1, generator: DeckGenerator(seconds: 60, processes: session.host))
    }
    return CommandResult(
      .list(difference.changes.map(\.value)),
      .drawn(ChangeLines(terminal: session.console.terminal).lines(difference.changes, from: names[0], to: names[1])),
      status: difference.changes.isEmpty ? ExitStatus.done : ExitStatus.failed)
  }

  private static let merge = BuiltIn(
    "deck", "merge", effect: .depends { $0.optionalText("--output") == nil ? .changes : .announces },
    summary: "Merges the changes of two decks or files since a common base.",
    answer: "{added, changed, removed, conflicts, elsewhere, kept}",
    details: operands + """
       Changes are merged field by field, tags as sets, order by neighbours; the same change on both sides is not a \
      conflict. Two different changes of a field, a change and a removal, or two different orders are a conflict: \
      the note shows ours, stores both sides and gets the tag "conflict"; `deck conflicts` settles it. A preset gets \
      the options that theirs changed; if decks outside OURS share it, OURS gets its own preset. A picture or sound \
      that theirs changed replaces ours; if notes outside OURS show it, OURS uses the new one under another name. \
      Options, media, suspensions, flags and columns that the file of THEIRS does not contain stay unchanged. \
      Without --output, OURS must be a deck, and gets the result as one undo step; a note that is in another deck \
      stays there unchanged, and is named; so does a note that theirs removed and you have studied. A text file keeps \
      its form: what no side changed is written as it was. \
      The exit status is 0, or 1 if there were conflicts or such notes, or 2 if nothing could be merged.
      """,
    arguments: [
      Argument("BASE", .file, help: "the common base of both sides"), Argument("OURS", .file, help: "one side"),
      Argument("THEIRS", .file, help: "the other side"),
    ],
    options: [
      Option("--output", "FILE", .file, access: .write, help: "write the result to this file"),
      Option(
        "--prefer", choice: MergeSide.allCases.map(\.rawValue),
        help: "the side to use where both changed the same thing"), key, format,
    ], example: "deck merge base.apkg Spanish theirs.apkg"
  ) { invocation, session in
    var request = MergeRequest(
      base: invocation.text("BASE"), ours: invocation.text("OURS"), theirs: invocation.text("THEIRS"))
    request.output = invocation.optionalText("--output").map { session.environment.folders.expanded($0) }
    request.preferred = invocation.optionalText("--prefer").flatMap { MergeSide(rawValue: $0) }
    if let output = request.output, !session.rehearsal.mayActOutside("write \(output)") { return CommandResult() }
    let report = try comparing(invocation, session) {
      try $0.merge(request, $1, generator: DeckGenerator(seconds: 60, processes: session.host))
    }
    if let encoding = report.unfitEncoding {
      session.console.note(
        "note: the result is written in utf-8, because \(encoding.rawValue) does not have all of its characters")
    }
    return merged(report, session)
  }

  private static func merged(_ report: MergeReport, _ session: Session) -> CommandResult {
    let counts = report.counts
    let elsewhere = Set(counts.elsewhere)
    let conflicts = report.result.conflicts.filter { $0.kind != .note || !elsewhere.contains($0.entry.key) }
    var lines = [
      "Merged: \(session.counted(counts.added, "note")) added, \(session.grouped(counts.changed)) changed, "
        + "\(session.grouped(counts.removed)) removed"
        + (conflicts.isEmpty ? "." : "; \(session.counted(conflicts.count, "conflict")):")
    ]
    for (kind, entry) in conflicts.prefix(20) {
      let fields = entry.conflicts.map { $0.shownField }.joined(separator: ", ")
      let name = FieldHTML.plain(entry.shownTitle) ?? entry.shownTitle
      lines.append("  \(kind.words) \(printable(name, limit: 40)): \(printable(fields, limit: 60))")
    }
    if conflicts.count > 20 { lines.append("  … \(session.grouped(conflicts.count - 20)) more") }
    var others = ComparedKind.allCases.compactMap { kind in counts.others[kind].map { kind.counted($0, session) } }
    if counts.moved > 0 { others.insert("\(session.counted(counts.moved, "note")) moved", at: 0) }
    if !others.isEmpty { lines.append("Also: \(others.joined(separator: ", ")).") }
    for (what, guids) in [
      ("Not merged, because they are in other decks", counts.elsewhere),
      ("Kept, because you have studied them", counts.kept),
    ] where !guids.isEmpty {
      let names = guids.map { guid in
        let title = (report.result.content[.note][guid] ?? report.ours[guid])?.shownTitle ?? guid
        return printable(FieldHTML.plain(title) ?? title, limit: 40)
      }
      lines.append("\(what): \(session.counted(guids.count, "note")) (\(firstFew(names, 5))).")
    }
    let value: Value = .record([
      "added": counts.added, "changed": counts.changed, "removed": counts.removed,
      "conflicts": Value.list(
        conflicts.flatMap { kind, entry in entry.conflicts.map { $0.value(kind: kind, key: entry.key) } }),
      "elsewhere": counts.elsewhere, "kept": counts.kept,
    ])
    let isWhole = conflicts.isEmpty && elsewhere.isEmpty
    return CommandResult(value, .lines(lines), status: isWhole ? ExitStatus.done : ExitStatus.failed)
  }

  private static let conflicts = BuiltIn(
    "deck", "conflicts", effect: .depends { $0.optionalText("--take") == nil ? .reads : .changes },
    summary: "Lists the conflicts of merges, or settles them.",
    answer: "{kind, key, field, base?, ours?, theirs?}... or {settled}",
    details: """
      A note with a conflict has the tag "conflict" and shows ours until you choose a side: --take theirs settles \
      all conflicts of the deck, or those of the notes that you name. The file of a picture or sound must be in the \
      account: a merge adds the file of theirs, which is removed when another side is taken and no note shows it; \
      add the file of the base with `media add`.
      """,
    arguments: [
      Common.deck, Argument("NOTE", isOptional: true, isRepeating: true, help: "the guid of a note, or its beginning"),
    ],
    options: [
      Option("--take", choice: SettledSide.allCases.map(\.rawValue), help: "the side to use"),
      Option("--field", "F", help: "only conflicts of this field"),
    ], example: "deck conflicts Spanish --take theirs"
  ) { invocation, session in
    let workspace = try session.workspace()
    let deck = try workspace.decks.open(invocation.text("DECK"))
    for name in invocation.list("NOTE") where try workspace.notes.find(guidBeginning: name).isEmpty {
      throw LookupError.noCard(guid: name)
    }
    guard let side = invocation.optionalText("--take").flatMap({ SettledSide(rawValue: $0) }) else {
      return try listed(workspace.comparing, deck, invocation.list("NOTE"), field: invocation.optionalText("--field"))
    }
    let count = try workspace.comparing.settle(
      deck, guids: invocation.list("NOTE"), field: invocation.optionalText("--field"), by: side)
    return CommandResult(
      .record(["settled": count]),
      line:
        "Settled \(session.counted(count, "conflict")) in \(quoted(try deck.record().name)): took \(side.rawValue).")
  }

  private static func listed(
    _ comparing: Comparing, _ deck: DeckHandle, _ wanted: [String], field: String?
  ) throws -> CommandResult {
    let found = try comparing.conflicts(in: deck).filter { entry in
      wanted.isEmpty || wanted.contains { entry.key.hasPrefix($0) }
    }.flatMap { entry in
      entry.conflicts.filter { field == nil || field == $0.shownField }.map { (key: entry.key, conflict: $0) }
    }
    let rows = try found.map { key, conflict in
      let sides = try SettledSide.allCases.map { side in
        try comparing.shown(conflict, of: side) ?? (side == .base ? "(none)" : "(removed)")
      }
      return [key, conflict.shownField] + sides
    }
    return CommandResult(
      .list(found.map { $0.conflict.value(kind: .note, key: $0.key) }),
      .table(TableText(["Note", "Field", "Base", "Ours", "Theirs"], rows: rows, whenEmpty: "No conflicts.")))
  }
}

extension MergeConflict {
  fileprivate func value(kind: ComparedKind, key: String) -> Value {
    let sides = [("base", base), ("ours", ours), ("theirs", theirs)].compactMap { name, text in
      text.map { (name, Value.text($0)) }
    }
    let names = [("kind", Value.text(kind.rawValue)), ("key", .text(key)), ("field", .text(shownField))]
    return .record(names + sides)
  }
}

extension ComparedKind {
  /// The count with its noun, for the summary of a merge.
  fileprivate func counted(_ count: Int, _ session: Session) -> String {
    switch self {
    case .media: session.counted(count, "media file")
    case .deck: "the options of \(session.counted(count, "deck"))"
    default: session.counted(count, words)
    }
  }
}
