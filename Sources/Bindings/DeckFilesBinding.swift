// Lua's view of files of cards and of past states: `deck:import`, `deck:export`, `deck:diff` and `shell.at`.
// Invariants: the options have the names of the command's options, with underscores; a change during `shell.at` raises.

import Decks
import Exchange
import Files
import LuaRuntime
import Problems
import Text
import Values
import Workspace

func describeDeckFiles(_ type: BoundType<DeckHandle>, _ context: BindingContext) {
  type.method(
    "import", ["path": .oneOf([.string, .list(.string)]), "options": .optional(.table)], returns: .table.orProblem,
    grant: .decksWrite, example: "(\"words.tsv\")",
    "Adds the cards of a file, or of several in this order: \(CardFormat.endingsInWords) from its extension, or "
      + "{format=}; `-` is standard input. Options: encoding, on_duplicate, strict, dry_run (returns what would be "
      + "done), keep (the fields of existing notes that stay, as one text); for a package with_schedule; for a table "
      + "notetype (the note type to fill), separator, columns (a table such as {prompt = \"Spanish\", answer = 2}, or "
      + "a text), no_header, two_columns. If a file is damaged, nothing is imported."
  ) { deck, stack in
    let paths = try paths(at: 2, stack, context)
    let isDryRun = try stack.optionalTable(3)?.optionalBoolean("dry_run") ?? false
    let options = try readImportOptions(stack.optionalTable(3), context)
    var kinds = FileKinds.any
    for path in paths {
      try context.requireReading(path)
      if context.kinds(of: path) == .plain { kinds = .plain }
    }
    let label = paths.count == 1 ? lastPart(of: paths[0]) : counted(paths.count, "file")
    let progress = context.shell.progress("Importing " + label, 0)
    defer { progress.finish() }
    let (exchange, name) = (deck.workspace.exchange, try deck.record().name)
    let run = { try exchange.importCards(intoDeck: name, from: paths, kinds, options) { progress.update($0, of: $1) } }
    return LuaValue((isDryRun ? try exchange.dryRun(run) : try run()).value)
  }
  type.method(
    "export", ["path": .string, "options": .optional(.table)], returns: .table.orProblem, example: "(\"spanish.csv\")",
    "Writes the cards, with those of the decks within it, to a file: \(CardFormat.endingsInWords) from its extension, "
      + "or {format=}; `-` is standard output. Options: with_schedule (.json, .jsonl, .apkg), for_spreadsheet. The "
      + "report's `lost` counts what the format cannot store."
  ) { deck, stack in
    let path = try context.expanded(stack.text(2))
    let options = try readExportOptions(stack.optionalTable(3), context)
    try context.requireWriting(path)
    try deck.checkExport(to: path, options)
    guard try context.mayActOutside("write \(path)") else {
      return LuaValue(ExportReport(cards: try deck.countWithSubdecks(), bytes: 0).value)
    }
    return LuaValue(try deck.exportCards(to: path, context.kinds(of: path), options).value)
  }
}

extension CardFormat {
  /// `.json, .csv or .md`
  fileprivate static var endingsInWords: String {
    native.filter { $0 != .anki2 }.compactMap { $0.endings.first.map { ".\($0)" } }.asChoice
  }
}

private func readImportOptions(_ table: consuming LuaTable?, _ context: BindingContext) throws -> ImportOptions {
  var read = ImportOptions()
  guard let table else { return read }
  try table.allowOnly([
    "format", "encoding", "on_duplicate", "strict", "separator", "columns", "no_header", "notetype", "with_schedule",
    "dry_run", "two_columns", "keep",
  ])
  read.format = try table.optionalText("format").map { try context.workspace().formats.format(named: $0) }
  read.encoding = try table.optionalText("encoding").map { try TextEncoding(named: $0) }
  read.onDuplicate = try readOnDuplicate(table)
  read.isStrict = try table.optionalBoolean("strict") ?? false
  read.keepsSchedule = try table.optionalBoolean("with_schedule") ?? true
  read.table.separator = try table.optionalText("separator").map { try Separator.byte(named: $0) }
  read.table.columns = try readColumns(table)
  read.table.hasNoHeader = try table.optionalBoolean("no_header") ?? false
  read.table.hasTwoColumns = try table.optionalBoolean("two_columns") ?? false
  read.noteType = try table.optionalText("notetype")
  read.keptFields = DeckOptions.fieldNames(try table.optionalText("keep") ?? "")
  return read
}

private func readColumns(_ table: borrowing LuaTable) throws -> [ColumnChoice] {
  if let text = try table.value("columns").text { return try ColumnChoice.list(of: text) }
  let named = try table.optionalTable("columns") { try $0.namedValues() } ?? []
  return try ColumnChoice.checked(
    named.map { pair in
      guard let column = pair.value.text ?? pair.value.json, pair.value.text != nil || Int(column) != nil else {
        throw table.wrong("columns.\(pair.name) must be the name or the number of a column")
      }
      return ColumnChoice(pair.name, column)
    })
}

private func readExportOptions(_ table: consuming LuaTable?, _ context: BindingContext) throws -> ExportOptions {
  var read = ExportOptions()
  guard let table else { return read }
  try table.allowOnly(["format", "with_schedule", "for_spreadsheet"])
  read.format = try table.optionalText("format").map { try context.workspace().formats.format(named: $0) }
  read.hasSchedule = try table.optionalBoolean("with_schedule") ?? false
  read.isForSpreadsheet = try table.optionalBoolean("for_spreadsheet") ?? false
  return read
}

func describeComparing(_ type: BoundType<DeckHandle>, _ context: BindingContext) {
  type.method(
    "diff", ["other": .oneOf([.object("deck"), .string])], returns: .list(.table).orProblem,
    example: "(\"spanish.apkg\")",
    "The differences between the deck and another deck, a DECK@STEP, a file or a folder of `build`: a list of "
      + "{kind=, event=, key=, title=, fields=, added_tags=, removed_tags=, behind=}, as in `deck diff --json`."
  ) { deck, stack in
    let name = try deck.record().name
    let other: String
    if let handle = stack.objectOrNil(2, DeckHandle.self) {
      other = try handle.record().name
    } else {
      other = try stack.text(2)
    }
    let comparing = deck.workspace.comparing
    var settings = comparing.settings()
    if try !comparing.isOfCollection(other) {
      let path = comparing.path(of: other)
      try context.requireReading(path)
      settings.kinds = context.kinds(of: path)
    }
    let difference = try comparing.difference(
      [name, other], settings, generator: DeckGenerator(seconds: 60, processes: context.shell))
    return LuaValue(.list(difference.changes.map(\.value)))
  }
}

func describeLookingBack(_ module: BoundModule, _ context: BindingContext) {
  module.function(
    "at", ["step": .integer, "fn": .function], returns: .any.orProblem, grant: .shellRun,
    example: "(41, function() return #decks.open(\"Spanish\") end)",
    "Calls a function with everything as it was after a step of `undo --list`, and returns its first result. "
      + "Everything is read-only there: a change is refused, and so is `shell.at` after a change in a script. Codes: "
      + "not_found, cannot_undo."
  ) { stack in
    let step = try stack.integer(1)
    let function = try stack.function(2)
    return try context.workspace().at(step: step) { try function.call() }
  }
}
