// The tools that plan changes, each as commands that the user could type, and the table of what they would change.
// Invariant: a card that is not visible is never changed; nothing in an argument is taken for an option or a path.

import Decks
import Exchange
import Storage
import Templates
import Text
import Values
import Workspace

enum ChangingTools {
  private typealias Fields = [(name: String, html: String)]

  static func run(_ call: AgentCall) throws -> [Value] {
    switch call.tool {
    case "add_notes": try addNotes(call)
    case "update_notes": try call.results(of: "notes") { try update($0, call) }
    case "change_cards": try changeCards(call)
    case "remove_notes":
      try call.results(of: "guids") { guid in
        let cards = try call.note(guid.text()).cards()
        try call.run(["card", "remove", "--"] + cards.map { try $0.place() })
        return [("guid", .text(try guid.text())), ("outcome", .text("removed")), ("cards", .integer(cards.count))]
      }
    default: try importText(call)
    }
  }

  private static func importText(_ call: AgentCall) throws -> [Value] {
    let (name, format) = (try call.deckName(), try CardFormat(named: call.arguments["format"].text()))
    guard !format.isPackage else { throw call.arguments["format"].failure("a format of texts") }
    let mode = try call.arguments["on_duplicate"].text()
    let report = try call.run(
      ["deck", "import", "--format=\(format.name)", "--on-duplicate=\(mode)", "--", name, "-"],
      input: call.arguments["text"].text())
    call.notes += ["added", "updated"].reduce(0) { $0 + (report.record?[$1]?.integer ?? 0) }
    // Of many refused rows, the first ones are shown.
    func short(_ value: Value) -> Value { value.list.map { .list(Array($0.prefix(50))) } ?? value }
    return [.record((report.record?.fields ?? []).map { ($0.name, short($0.value)) })]
  }

  /// The fields of an item as HTML; prompt and answer are those of a type with two fields.
  private static func fields(_ item: ValueReader, of type: NoteType) throws -> Fields {
    var given = item["fields"].value == nil ? [] : try item["fields"].fields()
    for (place, name) in ["prompt", "answer"].enumerated() where item[name].value != nil {
      guard type.fields.count == 2, !type.isCloze, item["fields"].value == nil else {
        throw item[name].failure("only fields (\(type.fields.joined(separator: ", ")))")
      }
      given.append((type.fields[place], item[name]))
    }
    return try given.map { name, value in
      let text = try value.text().trimmed
      if let reason = MarkdownHTML.invalidReason(text) { throw value.failure("Markdown (\(reason))") }
      let html = MarkdownHTML(text).html
      // Lines of plain text stay lines.
      let isPlain = FieldHTML.plain(html) != nil && !text.contains { "\\&".contains($0) }
      return (name, isPlain ? FieldHTML.html(ofPlain: text) : html)
    }
  }

  private static func addNotes(_ call: AgentCall) throws -> [Value] {
    let (name, mode) = (try call.deckName(), try call.arguments["on_duplicate"].text())
    if try call.workspace.decks.named(name) == nil { try call.run(["deck", "create", "--", name]) }
    let deck = try call.workspace.decks.open(name)
    let types = call.workspace.noteTypes
    let basic = try types.all().first { try $0.record().isBasic }
    return try call.results(of: "notes") { item in
      let type = try item["type"].value == nil ? basic : types.open(item["type"].text())
      guard let type else { throw item.failure("a note type, as there is none like Basic,") }
      let (known, tags) = (try type.record(), try item["tags"].texts())
      let given = try fields(item, of: known)
      if given.isEmpty { throw item.failure("prompt and answer, or type and fields,") }
      let note = NewNote(fields: Dictionary(given.map { ($0.name, $0.html) }) { $1 }, tags: tags)
      if mode == "update", let same = try deck.note(like: note, type: type) {
        let outcome = try edit(same, given, adding: tags, removing: [], call)
        return [("outcome", .text(outcome)), ("guid", .text(try same.record().guid))]
      }
      let words = ["note", "add", "--html", "--deck=\(name)"] + tags.map { "--tag=\($0)" }
      do {
        let added = try call.run(words + ["--", known.name] + given.map { "\($0.name)=\($0.html)" })
        return [("outcome", .text("added")), ("guid", added.record?["guid"] ?? .null)]
      } catch DeckError.duplicate where mode == "skip" {
        return [("outcome", .text("skipped"))]
      }
    }
  }

  private static func update(_ item: ValueReader, _ call: AgentCall) throws -> [(String, Value)] {
    let note = try call.note(item["guid"].text())
    let given = try fields(item, of: note.type().record())
    let (added, removed) = (try item["add_tags"].texts(), try item["remove_tags"].texts())
    if given.isEmpty, added.isEmpty, removed.isEmpty { throw item.failure("a field or a tag") }
    let outcome = try edit(note, given, adding: added, removing: removed, call)
    return [("guid", .text(try item["guid"].text())), ("outcome", .text(outcome))]
  }

  /// - Returns: `updated`, or `skipped` if the note is so already.
  private static func edit(
    _ note: NoteHandle, _ given: Fields, adding added: [String], removing removed: [String], _ call: AgentCall
  ) throws -> String {
    let (before, place) = (try note.record(), try note.cards().first?.place() ?? "")
    if !given.isEmpty {
      try call.run(["note", "edit", "--html"] + given.map { "--set=\($0.name)=\($0.html)" } + ["--", place])
    }
    try tag([place], adding: added, removing: removed, call)
    let after = try note.record()
    return before.fields == after.fields && before.tags == after.tags ? "skipped" : "updated"
  }

  private static func tag(_ places: [String], adding: [String], removing: [String], _ call: AgentCall) throws {
    let words = adding.map { "--add=\($0)" } + removing.map { "--remove=\($0)" }
    if !words.isEmpty { try call.run(["card", "tag"] + words + ["--"] + places) }
  }

  private static func changeCards(_ call: AgentCall) throws -> [Value] {
    let (arguments, query) = (call.arguments, try call.arguments["query"].text())
    // A blank query would find every card.
    if query.trimmed.isEmpty { throw arguments["query"].failure("a query that is not blank") }
    let found = try call.workspace.cards.find(in: call.decks(), matching: query).rest()
    let places = try found.map { try $0.place() }
    if places.isEmpty { return [.record(["cards": 0])] }
    try tag(places, adding: arguments["add_tags"].texts(), removing: arguments["remove_tags"].texts(), call)
    if let suspends = arguments["suspended"].value?.boolean {
      try call.run(["card", suspends ? "suspend" : "resume", "--"] + places)
    }
    for name in ["flag", "due"] {
      if let number = arguments[name].value?.integer { try call.run(["card", name, "--"] + places + ["\(number)"]) }
    }
    // Last, because places change with it.
    if arguments["deck"].value != nil { try call.run(["card", "move", "--deck=" + call.deckName(), "--"] + places) }
    if call.commands.isEmpty { throw arguments.failure("tags, deck, suspended, flag or due") }
    call.notes += found.count
    return [.record(["cards": found.count])]
  }

  // MARK: What would change

  /// A table of the first rows that the unit of work changes, and their counts; nil if it changes nothing.
  static func preview(_ workspace: Workspace) throws -> (table: String, counts: Value)? {
    let changes = try workspace.pendingChanges(limit: 200)
    if changes.isEmpty { return nil }
    let decks = Dictionary(try workspace.decks.all().map { (Int($0.id.rawValue), try $0.record().name) }) { $1 }
    // New cards as they are in the deck.
    func rank(_ row: Value.Record) -> Int { row["row"]?.record?["rank"]?.integer ?? 0 }
    let rows = changes.flatMap { change in
      change.records.compactMap(\.record).sorted { rank($0) < rank($1) }.map {
        [change.kind.rawValue, change.noun] + cells($0, decks)
      }
    }.prefix(20)
    let lines = rows.map { row in
      "| " + row.map { printable($0, limit: 160).replacing(text: "|", with: "\\|") }.joined(separator: " | ") + " |"
    }
    let left = changes.reduce(-rows.count) { $0 + $1.count }
    let head = ["| Change | Kind | Name | What |", "|---|---|---|---|"]
    let counts = changes.map { Value.record(["change": $0.kind.rawValue, "kind": $0.noun, "count": $0.count]) }
    return ((head + lines + (left > 0 ? ["… and \(grouped(left)) more"] : [])).joined(separator: "\n"), .list(counts))
  }

  /// The name of a row, and its answer and tags, or what changes in it: `prompt: el gato → el perro`.
  private static func cells(_ row: Value.Record, _ decks: [Int: String]) -> [String] {
    func text(_ value: Value?, _ name: String) -> String {
      if name == "deck", let deck = value?.integer { return decks[deck] ?? "\(deck)" }
      return value?.text?.trimmed ?? value?.json ?? ""
    }
    let pieces =
      row["before"]?.record?.fields.filter { $0.name != "rank" }.map { field in
        "\(field.name): \(text(field.value, field.name)) → \(text(row["after"]?.record?[field.name], field.name))"
      } ?? ["answer", "tags"].map { text(row["row"]?.record?[$0], $0) }
    return [row["name"]?.text ?? "", pieces.filter { !$0.isEmpty }.joined(separator: "; ")]
  }

  /// A line for each result of an item.
  static func lines(_ results: [Value]) -> String {
    results.compactMap { result in
      guard let record = result.record, let index = record["index"]?.integer else { return nil }
      let error = record["error"]?.record.map { "\($0["code"]?.text ?? ""): \($0["message"]?.text ?? "")" }
      return "\n" + "\(index): \(error ?? record["outcome"]?.text ?? "") \(record["guid"]?.text ?? "")".trimmed
    }.joined()
  }
}
