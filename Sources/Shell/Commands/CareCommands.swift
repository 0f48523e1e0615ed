// `backup`, `restore` and `doctor`. Invariant: nothing is replaced or repaired before the current data is in a backup.

import Bindings
import Commands
import Exchange
import Files
import Lexicon
import PluginHost
import Problems
import Text
import Values
import Workspace

enum CareCommands {
  static var all: [BuiltIn] { [backup, restore, doctor] }

  private static let backup = BuiltIn(
    "backup", effect: .announces, summary: "Writes all data of the account to one file.", answer: "{path, contents}",
    details: """
      It contains cards, documents, settings, grants and history, but not the password. You can make it while \
      another shell is running, and from a full or read-only disk to another disk. Without FILE it is stored in the \
      folder `backups` next to your data. One is made automatically after the first change of a day; `set backup` \
      shows how many of those are stored.
      """, arguments: [Argument("FILE", .file, isOptional: true, access: .write, help: "the file")],
    example: "backup ~/deckhand.backup"
  ) { invocation, session in
    let workspace = try session.workspace()
    let given = invocation.optionalText("FILE").map { session.environment.folders.expanded($0) }
    let path = try given ?? workspace.care.freeBackupPath()
    guard session.rehearsal.mayActOutside("write a backup to \(path)") else { return CommandResult() }
    let made: (path: String, contents: BackupContents) =
      try session.console.showing("Writing \(lastPart(of: path))", total: 100) { progress in
        let update = { (done: Int, total: Int) in progress(total > 0 ? done * 100 / total : 0, 100) }
        return try given == nil
          ? workspace.care.backup(progress: update) : (path, workspace.care.backup(to: path, progress: update))
      }
    return CommandResult(
      .record(["path": made.path, "contents": record(made.contents)]),
      line: "Backed up \(words(made.contents, session)) to \(made.path).")
  }

  private static let restore = BuiltIn(
    "restore", access: .atTerminal, effect: .announces, summary: "Restores the cards, documents and media of a backup.",
    answer: "{restored, replaced, kept, powers} or {backup, here, powers} or nothing",
    details: """
      It compares the backup with the current data, and at a terminal it asks first. The current data is stored as a \
      backup before it is replaced, and the undo history starts again; a damaged collection is stored as it is. \
      Settings are restored, too. Because a backup may come from anybody, the parts that give power are listed but \
      not restored. --with restores them, by one or several names separated by commas: settings (those that plugins \
      may not change, and the link with a sync server), grants (what plugins may do), history. The backup of an \
      account can be restored only into that account; `--with account` accepts a backup made without an account.
      """, arguments: [Argument("FILE", .file, access: .read, help: "a file that `backup` wrote")],
    options: [
      Option("--with", "NAMES", help: "also restore settings, grants or history, or accept a backup without an account")
    ], example: "restore ~/deckhand.backup"
  ) { invocation, session in
    let workspace = try session.workspace()
    let path = session.environment.folders.expanded(invocation.text("FILE"))
    let staged = try stage(path, taking: powers(invocation), workspace)
    let (found, here) = (staged.contents, try workspace.care.contentsIfReadable())
    let wantsJSON = invocation.wantsJSON(in: session)
    let left = powers(of: staged)
    if !wantsJSON {
      session.show(CommandResult(.null, .table(comparison(found, here, session))), asJSON: false)
      for power in left { session.console.note(line(power, staged)) }
    }
    let powers = Value.list(left.map { .record(["name": $0.power.rawValue, "what": $0.what]) })
    guard session.rehearsal.mayActOutside("replace the current data with \(path)") else {
      return CommandResult(.record(["backup": record(found), "here": here.map { record($0) }, "powers": powers]))
    }
    guard try session.confirm("Replace the current data? It is saved first.") else {
      return CommandResult(.null, line: "Nothing was restored.")
    }
    let report = try workspace.care.restore(staged)
    if let table = staged.danglingTable {
      session.console.message(
        "warning: rows in the table \(table) of the backup refer to rows that do not exist; they were restored as "
          + "they are, and `doctor --mend` repairs them")
    }
    let kept = report.kept.map { ["The previous data is saved in \($0)."] } ?? []
    return CommandResult(
      .record([
        "restored": record(report.restored), "replaced": report.replaced.map { record($0) }, "kept": report.kept,
        "powers": powers,
      ]), .lines(["Restored \(words(report.restored, session))."] + kept))
  }

  /// Checks a backup. The message about a file of cards, such as Anki's own backup, names the command that reads it.
  private static func stage(
    _ path: String, taking powers: Set<BackupPower>, _ workspace: Workspace
  ) throws -> StagedBackup {
    let isOfCards = CardFormat.nativeNames.contains { path.lowercased().hasSuffix("." + $0) }
    do { return try workspace.care.stage(path, taking: powers) } catch let error as any Problem
      where isOfCards && !(error is FileError)
    { throw error.reworded(error.message + "; `deck import DECK FILE` imports such a file") }
  }

  private static func powers(_ invocation: Invocation) throws -> Set<BackupPower> {
    let names = BackupPower.allCases.map(\.rawValue).joined(separator: ", ")
    return Set(
      try (invocation.optionalText("--with") ?? "").split(separator: ",").map { word in
        guard let power = BackupPower(rawValue: String(word).trimmed) else {
          throw invocation.badValue("--with", String(word), expected: "one or more of \(names)")
        }
        return power
      })
  }

  /// The parts of a backup that give power, with a description for the user.
  private static func powers(of staged: StagedBackup) -> [(power: BackupPower, what: String)] {
    staged.settings.map { (BackupPower.settings, "\($0.name) = \($0.value)") }
      + GrantFile.grants(in: staged.grants ?? []).map {
        (
          .grants,
          "the plugin \($0.plugin)" + ($0.permissions.isEmpty ? "" : ": " + $0.permissions.joined(separator: ", "))
        )
      } + (staged.hasHistory ? [(.history, "the lines typed at the prompt")] : [])
  }

  private static func line(_ found: (power: BackupPower, what: String), _ staged: StagedBackup) -> String {
    let name = found.power.rawValue
    let fate =
      staged.chosen.contains(found.power) ? "will be restored" : "will not be restored (`--with \(name)` restores it)"
    return "\(name): \(printable(found.what, limit: 500)): \(fate)"
  }

  private static func words(_ contents: BackupContents, _ session: Session) -> String {
    [(contents.decks, "deck"), (contents.cards, "card"), (contents.documents, "document")]
      .map { session.counted($0, $1) }.joined(separator: ", ")
  }

  private static func comparison(_ found: BackupContents, _ here: BackupContents?, _ session: Session) -> TableText {
    var rows = [["Made", session.ago(found.created), here == nil ? "damaged or missing" : "now"]]
    if found.account != nil || here?.account != nil {
      rows.append(["Account", found.account ?? "none", here.map { $0.account ?? "none" } ?? ""])
    }
    for (name, field) in [
      ("Decks", \BackupContents.decks), ("Cards", \.cards), ("Answers", \.reviews), ("Documents", \.documents),
    ] {
      rows.append([
        name, session.grouped(found[keyPath: field]), here.map { session.grouped($0[keyPath: field]) } ?? "",
      ])
    }
    return TableText(["", .number("Backup"), .number("Here")], rows: rows)
  }

  private static func record(_ contents: BackupContents) -> Value {
    .record([
      "created": contents.created, "account": contents.account, "decks": contents.decks, "cards": contents.cards,
      "reviews": contents.reviews, "documents": contents.documents,
    ])
  }

  private static let doctor = BuiltIn(
    "doctor", effect: .depends { $0.flag("--mend") ? .announces : .reads },
    summary: "Checks all stored data, and reports what is wrong.",
    answer: "{area, code, what, place, remedy, mendable}...",
    details: """
      It checks the database, decks and cards, documents, media, games, settings, the undo history, files and their \
      modes, free space, plugins and word lists; with AREA only that area. --mend makes a backup and then does what \
      each finding says; with `media` it also removes media that nothing uses, and deletes the content of those that \
      were removed before. With `cards` the doctor also lists cards that their notes no longer make, such as the card \
      of a cloze that was taken out; --mend asks before it removes them, and is refused without --yes when it cannot \
      ask. The exit status is 1 if something is wrong.
      """,
    arguments: [
      Argument("AREA", .choice(["cards", "media", "documents"]), isOptional: true, help: "check only these")
    ],
    options: [
      Option("--mend", help: "repair what can be repaired"),
      Option("--yes", help: "agree to the removal of cards that their notes no longer make"),
    ]
  ) { invocation, session in
    let workspace = try session.workspace()
    let areas: Set<DoctorFinding.Area> =
      switch invocation.optionalText("AREA") {
      case "cards": DoctorFinding.areasOfCards
      case "media": [.media]
      case "documents": [.documents]
      default: Set(DoctorFinding.Area.allCases)
      }
    func program() throws -> [DoctorFinding] {
      invocation.optionalText("AREA") == nil ? try ProgramCheck(session: session).findings() : []
    }
    let isLong = workspace.care.isCheckLong
    let found = try session.console.showing("Checking", total: areas.count, atOnce: isLong) {
      try workspace.care.diagnose(areas, progress: $0) + program()
    }
    let unmade = found.first { $0.code == DoctorFinding.unmadeCards }
    let mends = invocation.flag("--mend")
    let removesUnmade = try mends && unmade.map { try agrees(to: $0, invocation, session) } ?? false
    let mendable = found.filter { $0.isMendable && (!mends || removesUnmade || $0 != unmade) }.count
    guard mends, mendable > 0 else { return try doctorResult(found, [], mendable, invocation, session) }
    guard session.rehearsal.mayActOutside("make a backup and repair \(session.counted(mendable, "finding"))") else {
      return CommandResult(.list(found.map { record($0) }), .lines(found.flatMap { lines($0) }))
    }
    let report = try session.console.showing("Repairing", total: areas.count, atOnce: isLong) {
      try workspace.care.mend(areas, removesUnmade: removesUnmade, progress: $0)
    }
    for loss in report.lost { session.console.message("lost: \(loss)") }
    var heading = report.mended.map { "repaired: \($0.what) (\($0.place)): \($0.remedy)" }
    heading.append("Repaired \(session.counted(report.mended.count, "finding")).")
    if let backup = report.backup { heading.append("The previous data is saved in \(backup).") }
    return try doctorResult(report.findings + program(), heading, 0, invocation, session)
  }

  /// Whether cards that their notes no longer make may be removed; asks the user.
  /// - Throws: `ShellError.losesCards` when nobody can be asked.
  private static func agrees(to unmade: DoctorFinding, _ invocation: Invocation, _ session: Session) throws -> Bool {
    if invocation.flag("--yes") || session.rehearsal.isOn { return true }
    if !session.canAsk { throw ShellError.losesCards("\(unmade.what), with their schedules") }
    return try session.confirm("Remove \(unmade.what), with their schedules?")
  }

  /// - Throws: `ShellError.unwell` when there are findings, after showing all of them.
  private static func doctorResult(
    _ found: [DoctorFinding], _ heading: [String], _ mendable: Int, _ invocation: Invocation, _ session: Session
  ) throws -> CommandResult {
    let result = CommandResult(.list(found.map { record($0) }), .lines(heading + found.flatMap { lines($0) }))
    if found.isEmpty {
      let versions = CareOperations.libraryVersions.map { "\($0.name) \($0.version)" }.joined(separator: ", ")
      let isWhole = invocation.optionalText("AREA") == nil
      return CommandResult(.list([]), .lines(heading + ["All is well."] + (isWhole ? ["Libraries: \(versions)."] : [])))
    }
    if !session.state.isInScript { session.show(result, asJSON: invocation.wantsJSON(in: session)) }
    throw ShellError.unwell(found.count, mendable: mendable)
  }

  private static func lines(_ finding: DoctorFinding) -> [String] {
    let remedy = (finding.isMendable ? "with --mend: " : "") + finding.remedy
    return ["\(finding.area.rawValue): \(finding.what)", "  where: \(finding.place)", "  \(remedy)"]
  }

  private static func record(_ finding: DoctorFinding) -> Value {
    .record([
      "area": finding.area.rawValue, "code": finding.code, "what": finding.what, "place": finding.place,
      "remedy": finding.remedy, "mendable": finding.isMendable,
    ])
  }
}

/// The doctor's checks beyond the account's data: plugins, word lists, the history.
struct ProgramCheck {
  let session: Session

  func findings() throws -> [DoctorFinding] { try plugins + grants + wordLists + history }

  private var grants: [DoctorFinding] {
    get throws {
      try session.plugins.grantProblems().map {
        DoctorFinding(
          .plugins, "grants", $0, at: session.plugins.grantsPath ?? "",
          "correct the file, or remove it and enable the plugins again")
      }
    }
  }

  private var plugins: [DoctorFinding] {
    session.plugins.plugins.compactMap { plugin in
      reason(of: plugin).map {
        DoctorFinding(
          .plugins, "broken_plugin", "the plugin \(plugin.name) does not work: \($0)", at: plugin.folder,
          "correct or update it, or `plugin disable \(plugin.name)`")
      }
    }
  }

  private func reason(of plugin: Plugin) -> String? {
    switch plugin.state {
    case .failed(let message): return message
    case .newer(let api): return "it is written for interface \(api), which this program does not support"
    default: return plugin.lastError
    }
  }

  /// Checks word lists that have been compiled; the others are compiled at their first use.
  private var wordLists: [DoctorFinding] {
    let cache = session.environment.folders.cache
    return session.lexicons.languages().filter { fileExists("\(cache)/\($0.name).words") }.compactMap { language in
      let failure: LexiconError?
      do throws(LexiconError) { failure = try session.lexicons.lexicon(for: language).cacheFailure } catch {
        failure = error
      }
      return failure.map {
        DoctorFinding(
          .words, "word_list", "the word list of \(language.name): \($0.message)", at: cache,
          "`word compile \(language.name)` compiles it again")
      }
    }
  }

  private var history: [DoctorFinding] {
    guard let path = session.data.historyPath, let trouble = HistoryFile(path: path, limit: 1).read().trouble else {
      return []
    }
    return [DoctorFinding(.files, "history", trouble, at: path, "make it a readable file, or remove it")]
  }
}
