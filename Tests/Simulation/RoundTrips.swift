// Checks round trips: an export that is imported into an empty collection exports to the same content again.
// Invariant: afterwards the machine is as before.

import Files
import Glibc
import Templates
import Values

extension World {
  /// Formats that give the same bytes again, and `apkg`, which is compared by the cards it brings.
  private static let formats = ["json", "jsonl", "csv", "tsv", "txt", "md", "apkg"]

  /// Exports and imports each top-level deck, in a format chosen by its name.
  func roundTrips() throws -> String? {
    let decks = try MachineState(machine.collection).decks.filter { !$0.contains("::") }
    let count = try readData().tables["cards"]?.count ?? 0
    for (index, deck) in decks.enumerated() {
      let format = World.formats[(count + index) % World.formats.count]
      if let wrong = try roundTrip(deck, format, isAbroad: (count / World.formats.count + index) % 2 == 1) {
        return wrong
      }
    }
    return nil
  }

  /// - Parameter isAbroad: whether the import happens in a time zone across an ocean.
  private func roundTrip(_ deck: String, _ format: String, isAbroad: Bool) throws -> String? {
    let isPackage = format == "apkg"
    let schedule = isPackage || ["json", "jsonl"].contains(format) ? ["--with-schedule"] : []
    let shown = isPackage ? "jsonl" : format
    let (first, second, packed) = ("first.\(shown)", "second.\(shown)", "packed.apkg")
    for name in [first, second, packed] { unlink(machine.files + "/" + name) }
    let state = try MachineState(machine.collection)
    // A table and an Anki text file have a column for inner decks, but no row for a deck without cards.
    let within = state.decks.filter { $0.hasPrefix(deck + "::") }
    if ["csv", "tsv", "txt"].contains(format), within.contains(where: { state.counts[$0] == 0 }) { return nil }
    // An Anki text file identifies a note by its guid alone, which notes of two decks may share.
    if format == "txt", state.sharesGuids { return nil }
    // On import of a package, the outermost deck with cards becomes the named deck; Anki's packages also contain the
    // decks around it.
    if isPackage, state.counts[deck] ?? 0 == 0 { return nil }
    guard try export(deck, first, schedule) else { return nil }
    if isPackage, try !export(deck, packed, schedule) { return nil }
    // A package cannot hold a document.
    if isPackage, try String(decoding: bytes(first), as: UTF8.self).contains("\"document\":") { return nil }
    let given = isPackage ? packed : first
    let content = try bytes(given)
    let wanted = World.cards(try bytes(first), format, .east)
    try machine.saveDisk()
    // Import later, so that a note type created then and one created now from the same stock type differ.
    let time = machine.now
    try machine.clear()
    machine.setTime(time + 7)
    if isAbroad { machine.take("two") }
    defer { figures.roundTrips += 1 }
    try AtomicFile.write(machine.files + "/" + given, content)
    let taken = try machine.run(["deck", "import", deck, given])
    let isSame = taken.status == 0 ? try export(deck, second, schedule) : false
    let again = isSame ? World.cards(try bytes(second), format, Zone.of(machine.device)) : []
    machine.take("data")
    machine.leave()
    try machine.putBack()
    // A table has no note types, and a note whose first field became empty when its type was changed cannot be added
    // as a new note: these rows are refused and reported.
    let isTold =
      taken.text.contains("no note type")
      || state.hasEmptyFirst
        && ["the note's first, is empty", "the prompt is empty"].contains { taken.text.contains($0) }
    if wanted.count < 4 || isTold || isBare([deck] + within, state, wanted) { return nil }
    if !isSame { return "\(format) of \(deck) is refused: \(taken.text)\n  \(World.start(wanted))" }
    if again != wanted {
      return "\(format) of \(deck) comes back as another\(isAbroad ? " abroad" : ""):\n"
        + World.firstDifference(wanted, again)
    }
    return nil
  }

  /// Whether nothing is imported, and no deck made: the decks have no cards, and the file has no options.
  private func isBare(_ decks: [String], _ state: MachineState, _ file: [UInt8]) -> Bool {
    decks.allSatisfy { state.counts[$0] ?? 0 == 0 }
      && !String(decoding: file, as: UTF8.self).contains("\"options\":")
  }

  /// A package gives every deck a preset, because Anki requires one, so its cards are compared. A type that has the
  /// name of a stock type but another shape gets another name in a collection that has the stock type.
  /// - Parameter zone: the time zone of the machine that wrote the file.
  private static func cards(_ bytes: [UInt8], _ format: String, _ zone: Zone) -> [UInt8] {
    if ["csv", "tsv", "txt", "md"].contains(format) { return bytes }
    var text = String(decoding: bytes, as: UTF8.self)
    if format == "apkg" {
      text = text.split(separator: "\n").filter { $0.hasPrefix("{\"prompt\"") }.map { packed($0, zone) }
        .joined(separator: "\n")
    }
    let names = StockNoteType.allCases.flatMap { stock in
      ["\"note_type\":\"", "{\"name\":\""].map { $0 + stock.rawValue }
    }
    for name in names {
      while text.contains(name + "+") { text = text.replacing(name + "+", with: name) }
    }
    return Array(text.utf8)
  }

  /// The properties of a card that a package holds.
  private static let packedNames: Set<String> = [
    "prompt", "answer", "guid", "tags", "subdeck", "note_type", "note_fields", "note_guid", "ordinal", "ordinals",
    "schedule", "reviews",
  ]

  /// Rounds a card to the precision that Anki stores: without table columns that no note has, stability to four
  /// decimals, difficulty to three, and neither of them in the log. A review card is due on a day, whatever the time
  /// zone, and so is a learning step that ends on a later day than it began; answers with the same millisecond get a
  /// millisecond each; a time that is not known is 0; of a change by hand, the log does not keep the state before it. A
  /// card also counts as one with prompt and answer if `Basic` arrived as another type than the stock one.
  private static func packed(_ line: Substring, _ zone: Zone) -> String {
    guard let given = parsed(line) else { return String(line) }
    var names = packedNames
    let type = given["note_type"]?.text ?? ""
    let shown = given["note_fields"]?.record?.fields.map { ($0.name, unescaped($0.value.text ?? "")) } ?? []
    if type.hasPrefix("Basic"), type.dropFirst(5).allSatisfy({ $0 == "+" }), shown.count == 2,
      shown.contains(where: { $0 == ("Front", given["prompt"]?.text ?? "") }),
      shown.contains(where: { $0 == ("Back", given["answer"]?.text ?? "") })
    {
      names.subtract(["note_type", "note_fields", "ordinal"])
    }
    var card = Value.Record(given.fields.filter { names.contains($0.name) }.map { ($0.name, $0.value) })
    if var schedule = card["schedule"]?.record {
      for (name, places) in [("stability", 1e4), ("difficulty", 1e3)] {
        if let number = schedule[name]?.double { schedule[name] = .number((number * places).rounded() / places) }
      }
      if let due = schedule["due"]?.double, let last = schedule["last_review"]?.double {
        let day = zone.day(due)
        if schedule["state"]?.text == "review" || day > Zone.east.day(last) { schedule["due"] = .number(day) }
      }
      card["schedule"] = .record(schedule)
    }
    let log = card["reviews"]?.list?.compactMap(\.record).map { review in
      let isByHand = review["rating"]?.double == 0
      let lost: Set = isByHand ? ["stability", "difficulty", "state", "seconds"] : ["stability", "difficulty"]
      var kept = Value.Record(review.fields.filter { !lost.contains($0.name) }.map { ($0.name, $0.value) })
      if kept["seconds"]?.double == 0 { kept["seconds"] = nil }
      if let at = kept["at"]?.double { kept["at"] = .number((at * 100).rounded(.down) / 100) }
      return Value.record(kept)
    }
    card["reviews"] = log.map(Value.list)
    return written(card)
  }

  /// Undoes HTML escaping in a field, for fields that contain only characters that HTML escapes.
  private static func unescaped(_ field: String) -> String {
    field.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&#31;", with: "\u{1F}")
      .replacing("&amp;", with: "&")
  }

  private static func written(_ card: Value.Record) -> String {
    var writer = JSONWriter(.compact)
    writer.write(.record(card))
    return String(decoding: writer.take(), as: UTF8.self)
  }

  private static func parsed(_ line: Substring) -> Value.Record? {
    let limits = JSONLimits(bytes: 16 << 20, depth: 64, values: 1_000_000, string: 16 << 20)
    do throws(JSONFailure) { return try JSONParser.parse(Array(line.utf8), limits: limits).record } catch { return nil }
  }

  private func export(_ deck: String, _ name: String, _ options: [String]) throws -> Bool {
    try machine.run(["deck", "export", deck, name] + options).status == 0
  }

  private func bytes(_ name: String) throws -> [UInt8] {
    try FileText.bytes(machine.files + "/" + name, limit: 64 << 20, isInterrupted: { false })
  }

  private static func start(_ bytes: [UInt8]) -> String { String(decoding: bytes.prefix(600), as: UTF8.self) }

  private static func firstDifference(_ one: [UInt8], _ other: [UInt8]) -> String {
    let place = zip(one, other).prefix { $0 == $1 }.count
    let from = max(0, place - 100)
    return "  first:  \(String(decoding: one.dropFirst(from).prefix(300), as: UTF8.self))\n"
      + "  second: \(String(decoding: other.dropFirst(from).prefix(300), as: UTF8.self))"
  }
}
