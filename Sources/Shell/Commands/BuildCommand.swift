// `build`: builds a deck from a folder of sources. Invariant: differences are reported by source and line.

import Bindings
import Commands
import Decks
import Exchange
import Files
import LuaRuntime
import Problems
import Text
import Values
import Workspace

enum BuildCommand {
  static let command = BuiltIn(
    "build", effect: .changes, summary: "Builds a deck from a folder of sources, or updates it.",
    answer: "{added, updated, removed, changes, conflicts, COUNT}",
    details: """
      The sources are Markdown, CSV, TSV and JSON Lines files as `deck import` reads them, and .lua files that call \
      card{prompt=, answer=, id=, tags=} and read(FILE). The deck has the folder's name, or the name in its deck.json: \
      {"name": "Spanish", "namespace": "example.org", "options": {"new_per_day": 10}}, which may also name plugins' \
      formats by their endings: "formats": {"org": "org"}. Subfolders become decks within the deck; the files in \
      media/ are for its cards. Only what changed is read again. A new or moved row is placed next to the same rows as \
      in the source. A row stays the same card when it is edited a little; with an id (<!-- id: gato -->, a column \
      guid) it stays the same card however much its texts change. What you edited in the deck is not overwritten, and \
      is reported; a field that was edited on both sides is a conflict, which `deck conflicts` settles.
      """, arguments: [Argument("FOLDER", .file, access: .read, help: "the folder of sources")],
    options: [
      Option("--apkg", "FILE", .file, access: .write, help: "also write the deck as an Anki package"),
      Option("--prune", help: "remove cards that are no longer in the sources"),
      Option("--yes", help: "agree that --prune removes more than half of the cards"),
      Option("--restore", help: "restore cards that were removed from the deck"),
      Option("--write-back", help: "first write edits made in the deck to Markdown and tables"),
      Option("--git", help: "write back only to sources without uncommitted changes"),
      Option("--watch", help: "build again whenever a source changes, until Ctrl-C"),
      Option("--seconds", "N", .integer(1...86_400), help: "time limit for a .lua source in seconds; 60 when left out"),
    ], example: "build spanish --apkg spanish.apkg"
  ) { invocation, session in
    let given = session.environment.folders.expanded(invocation.text("FOLDER"))
    // With its folder's real name, which may become the deck's name: `.` and `..` have none.
    let path = [".", ".."].contains(lastPart(of: given)) ? realPath(given) ?? given : given
    if !invocation.flag("--watch") { return try build(path, invocation, session).result }
    try AccountCommands.requireNoScript(session)
    // The watch starts before the first build, so that changes made during that build are not missed.
    let watch = try FolderWatch(path)
    try show(build(path, invocation, session).result, invocation, session)
    session.console.note("Watching \(path); Ctrl-C ends it.")
    var (builds, hasFailed) = (1, false)
    while try watch.waitForChange(isInterrupted: session.environment.isInterrupted) {
      do {
        let (result, hasNews) = try build(path, invocation, session)
        // That nothing is wrong any more is news, too.
        if !hasNews, !hasFailed { continue }
        hasFailed = false
        show(result, invocation, session)
        builds += 1
      } catch {
        if session.environment.isInterrupted() { break }
        // A source that is half written or wrong: the next change may repair it.
        hasFailed = true
        _ = session.report(error)
      }
    }
    if Interrupts.endingSignal == nil { Interrupts.clear() }
    return CommandResult(
      .record(["builds": builds]), line: "No longer watching. Done: \(session.counted(builds, "build")).")
  }

  private static func show(_ result: CommandResult, _ invocation: Invocation, _ session: Session) {
    session.show(result, asJSON: invocation.wantsJSON(in: session))
    _ = session.console.flush()
  }

  /// - Returns: the result, and whether anything was read or written.
  private static func build(
    _ path: String, _ invocation: Invocation, _ session: Session
  ) throws -> (result: CommandResult, hasNews: Bool) {
    let workspace = try session.workspace()
    let progress = session.console.progress("Building \(lastPart(of: path))", total: nil)
    defer { progress.finish() }
    var choices = BuildChoices()
    (choices.prunes, choices.prunesMost) = (invocation.flag("--prune"), invocation.flag("--yes"))
    (choices.restores, choices.writesBack) = (invocation.flag("--restore"), invocation.flag("--write-back"))
    choices.requiresCommitted = invocation.flag("--git")
    let file = invocation.optionalText("--apkg").map { session.environment.folders.expanded($0) }
    func made() throws -> (DeckHandle, BuildReport, Int?) {
      let (deck, report) = try pruned(choices, session) { choices in
        defer { progress.finish() }
        return try workspace.exchange.build(
          path, choices,
          generator: DeckGenerator(
            seconds: Double(invocation.optionalInteger("--seconds") ?? 60), processes: session.host)
        ) { progress.update($0, of: $1) }
      }
      guard let file, session.rehearsal.mayActOutside("write \(file)") else { return (deck, report, nil) }
      var export = ExportOptions()
      export.format = .apkg
      return (deck, report, try deck.exportCards(to: file, .any, export).cards)
    }
    // When the package cannot be written, the build is rolled back.
    let (deck, report, written): (DeckHandle, BuildReport, Int?)
    do { (deck, report, written) = try file == nil ? made() : workspace.asUnit(made) } catch let refused as RefusedBuild
    {
      let lines = words(refused.report, refused.deck, writesBack: choices.writesBack, session)
      session.show(CommandResult(refused.report.value, .lines(lines)), asJSON: invocation.wantsJSON(in: session))
      let first = refused.report.cards.rejected[0].message
      throw ShellError.allRefused(file: lastPart(of: path), first: first, isTable: false)
    }
    var lines = try words(report, deck.record().name, writesBack: choices.writesBack, session)
    if let file, let written { lines.append("Wrote \(session.counted(written, "card")) to \(file).") }
    let hasNews = !report.isEmpty || report.read > 0 || report.writtenBack > 0
    return (CommandResult(report.value, .lines(lines)), hasNews)
  }

  /// Builds, and asks before cards are removed that were studied, or that are most of the deck.
  private static func pruned(
    _ given: BuildChoices, _ session: Session, _ build: (BuildChoices) throws -> (DeckHandle, BuildReport)
  ) throws -> (DeckHandle, BuildReport) {
    var choices = given
    let made: (deck: DeckHandle, report: BuildReport)
    do { made = try build(choices) } catch BuildError.prunesMost(_, let removed, let count) {
      let what = "\(session.grouped(removed)) of the \(session.counted(count, "note")) of the earlier build"
      if !session.canAsk { throw ShellError.losesCards(what) }
      choices.prunesMost = try session.confirm("This removes \(what). Continue?")
      choices.prunes = choices.prunesMost
      made = try build(choices)
    }
    let studied = made.report.findings.count { $0.kind == .goneStudied }
    if studied == 0 || !session.canAsk || session.rehearsal.isOn { return made }
    let what = session.counted(studied, "note") + " no longer in the sources"
    guard try session.confirm("\(what) with cards that were studied. Remove them with their schedules?") else {
      return made
    }
    (choices.prunesMost, choices.prunesStudied) = (true, true)
    let more = try build(choices)
    return (more.0, made.report.adding(more.1))
  }

  private static func words(_ report: BuildReport, _ deck: String, writesBack: Bool, _ session: Session) -> [String] {
    let parts = session.counts(
      report.counts + [(report.cards.rejectedCount, "refused"), (report.writtenBack, "written back to their sources")])
    let sources = session.counted(report.read, "source") + " read, \(session.grouped(report.unchanged)) unchanged"
    var lines = [
      "Built \(quoted(deck)): \(parts.isEmpty ? "nothing changed" : parts.joined(separator: ", ")); \(sources)."
    ]
    for rejection in report.cards.rejected.prefix(20) {
      lines.append("  \(rejection.place?.inWords ?? "row \(rejection.index)")   \(rejection.message)")
    }
    if report.cards.rejectedCount > 20 { lines.append("  … \(session.grouped(report.cards.rejectedCount - 20)) more") }
    for kind in BuildFinding.Kind.allCases {
      let findings = report.findings.filter { $0.kind == kind }
      lines += list(findings, kind, hasRefused: report.cards.rejectedCount > 0, writesBack: writesBack, session)
    }
    return lines
  }

  private static func list(
    _ findings: [BuildFinding], _ kind: BuildFinding.Kind, hasRefused: Bool, writesBack: Bool, _ session: Session
  ) -> [String] {
    if findings.isEmpty { return [] }
    let cards = session.counted(findings.count, "card")
    let title =
      switch kind {
      case .new: "\(cards) new:"
      case .restored: "\(cards) restored:"
      case .moved: "\(cards) moved:"
      case .changed: "\(cards) changed:"
      case .pruned: "\(cards) removed, no longer in the sources:"
      case .edited where writesBack && session.rehearsal.isOn: "\(cards) edited in the deck but not in the sources yet:"
      case .edited where writesBack:
        "\(cards) edited in the deck and not written back (a renamed source gets the edit at the next build; Lua, "
          + "JSON and sources with no place for it do not):"
      case .edited: "\(cards) edited in the deck but not in the sources; use --write-back to write them there:"
      case .both:
        "\(cards) edited in the deck and in the sources; the deck's texts stay until `deck conflicts` "
          + "settles them or both are the same:"
      case .removed: "\(cards) removed from the deck but still in the sources; use --restore to restore them:"
      case .gone where hasRefused:
        "\(cards) no longer in the sources, or refused there; use --prune to remove them when no row is refused:"
      case .gone: "\(cards) no longer in the sources; use --prune to remove them:"
      case .goneEdited: "\(cards) edited in the deck and no longer in the sources; they are not removed:"
      case .goneStudied: "\(cards) studied and no longer in the sources; --prune removes them only after a question:"
      case .missingMedia: "\(session.counted(findings.count, "picture or sound", "pictures or sounds")) not found:"
      case .answeredCloze:
        "A cloze in an answer is plain text; to make it a cloze card, put it in its own paragraph after ---:"
      case .left: "Lines that are part of no card:"
      case .passedOver:
        "\(session.counted(findings.count, "name")) skipped; links are not followed, copy the file or folder here:"
      }
    var lines = [title]
    for finding in findings.prefix(5) {
      let fields =
        finding.fields.isEmpty ? "" : " (\(finding.fields.map { printable($0, limit: 40) }.joined(separator: ", ")))"
      let prompt = finding.prompt.isEmpty ? "" : "   \(printable(finding.prompt, limit: 60))"
      // What was not read has no line number.
      let place = kind == .passedOver ? finding.path : "\(finding.path):\(finding.line)"
      lines.append("  \(place)\(prompt)\(fields)")
    }
    if findings.count > 5 { lines.append("  … \(session.grouped(findings.count - 5)) more") }
    return lines
  }
}
