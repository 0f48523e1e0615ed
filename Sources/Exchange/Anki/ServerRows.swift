// Converts the rows of a sync server to and from the types used here.
// Source: SyncRules.md, "A normal sync"; PackageRules.md, "Days and due".
// Invariant: a column that was not changed here is sent back as it was received.

public import Decks
import Templates
import Text
public import Values

public struct CardChanges: OptionSet, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  public static let deck = CardChanges(rawValue: 1)
  public static let place = CardChanges(rawValue: 2)
  public static let hiding = CardChanges(rawValue: 4)
  public static let schedule = CardChanges(rawValue: 8)
  public static let flag = CardChanges(rawValue: 16)
  public static let all: CardChanges = [.deck, .place, .hiding, .schedule, .flag]
}

/// Reads and writes the rows of one server's collection.
///
///     let rows = ServerRows(moment, created: 1_600_000_000, settings: settings)
public struct ServerRows {
  private let calendar: AnkiCalendar
  private static let noData = "{}"
  private static let limits = JSONLimits(bytes: 96 << 20, depth: 64, values: 1_000_000, string: 96 << 20)

  /// - Parameters:
  ///   - created: when the collection was created, in seconds since 1970.
  ///   - settings: the settings of the collection.
  public init(_ moment: StudyMoment, created: Int, settings: Value.Record) {
    var contents = PackageContents()
    (contents.created, contents.settings) = (Double(created), settings)
    calendar = AnkiCalendar(moment: moment, firstDay: contents.firstDay(moment))
  }

  /// For this account's own collection, with the days of exported packages.
  public init(_ moment: StudyMoment) {
    calendar = AnkiCalendar(moment: moment, firstDay: SentSchedule.firstDay)
  }

  /// Parses a row or an object that was stored as JSON; returns nil for invalid JSON.
  public static func parse(_ json: String) -> Value? {
    do throws(JSONFailure) { return try JSONParser.parse(Array(json.utf8), limits: limits) } catch { return nil }
  }

  /// Parses a deck, a preset or a note type that was stored as JSON; returns an empty record for anything else.
  public static func record(_ json: String) -> Value.Record { parse(json)?.record ?? [:] }

  /// Returns the id of a deck, a preset or a note type; 0, which no server uses, when it has none.
  public static func id(_ record: Value.Record) -> Int64 { Int64(record["id"]?.integer ?? 0) }

  // MARK: Receiving

  /// Returns nil when the row is not a note.
  public static func note(_ row: [Value]) -> NoteRecord? {
    guard row.count == 11, let id = row[0].integer, let type = row[2].integer else { return nil }
    return NoteRecord(
      id: NoteID(rawValue: Int64(id)), guid: row[1].text ?? "", type: NoteTypeID(rawValue: Int64(type)),
      modified: min(Int(AnkiCard.mostNumber), max(0, row[3].integer ?? 0)),
      tags: tags(row), fields: fields(row), data: row[10].text ?? "")
  }

  public static func tags(_ row: [Value]) -> [String] { PackageRows.tags(row[5].text ?? "") }

  public static func fields(_ row: [Value]) -> [String] {
    var text = row[6].text ?? ""
    return text.withUTF8(PackageRows.fields)
  }

  /// Whether two rows of a card agree in all columns that an answer changes.
  public static func haveOneSchedule(_ row: [Value], _ other: [Value]) -> Bool {
    guard row.count == 18, other.count == 18 else { return false }
    // type, due to lapses, left, odue, odid and data; not the queue, which suspending and burying change too.
    return ([6, 17] + Array(8...15)).allSatisfy { row[$0] == other[$0] }
  }

  /// Parses a card, and moves it out of its filtered deck. Returns nil when the row is not a card.
  public static func card(_ row: [Value]) -> AnkiCard? {
    var numbers = row.dropLast().compactMap(\.integer)
    guard row.count == 18, numbers.count == 17 else { return nil }
    numbers.remove(at: 5)
    var card = AnkiCard(row: numbers, data: row[17].text ?? "")
    card.returnToHomeDeck()
    return card
  }

  /// Converts a received row to a card.
  /// - Parameters:
  ///   - options: the options of the deck, for its steps.
  ///   - isBuriedToday: whether a burial in the row was made today.
  public func received(
    _ given: AnkiCard, in deck: DeckID, rank: Int64, _ options: DeckOptions, isBuriedToday: Bool
  ) -> StoredCard {
    var card = StoredCard(
      id: CardID(rawValue: max(1, given.id)), ordinal: given.ordinal, deck: deck, rank: rank,
      modified: Double(given.modified))
    card.raw = raw(given)
    let steps = (options.learningSteps.count, options.relearningSteps.count)
    card.schedule = calendar.schedule(given, steps: steps)
    card.hide(as: given, isBuriedToday: isBuriedToday, calendar.moment)
    return card
  }

  public func raw(_ card: AnkiCard) -> String { card.raw(firstDay: calendar.firstDay) }

  public static func review(_ row: [Value]) -> ReceivedReview? {
    let numbers = row.compactMap { $0.integer.map { Int64($0) } }
    guard row.count == 9, numbers.count == 9 else { return nil }
    return ReceivedReview(id: numbers[0], card: numbers[1], answer: ForeignAnswer(Array(numbers[3...])))
  }

  public static func deckName(_ record: Value.Record) -> String {
    PackageTargets.shortened(PackageTargets.parts(PackagedDeck(old: record)).joined(separator: "::"))
  }

  public static func limits(_ deck: Value.Record) -> DeckLimits { PackagedDeck(old: deck).limits }

  public static func preset(_ record: Value.Record) -> (name: String, options: DeckOptions) {
    let preset = PackagedPreset(old: record)
    return (preset.name, preset.options)
  }

  // MARK: Showing

  /// Returns the row that Anki would have for a card of this account.
  /// - Parameter position: the position in its deck if the card is new.
  public func shown(_ card: ListedCard, position: Int, _ options: DeckOptions) -> AnkiCard {
    let schedule = SentSchedule(calendar.moment, options, firstDay: calendar.firstDay)
    var row = schedule.row(of: card, position: position, lastReview: nil)
    (row.id, row.note, row.deck, row.ordinal) = (card.id.rawValue, card.note.rawValue, card.deck.rawValue, card.ordinal)
    (row.reps, row.lapses) = (card.schedule.reps, card.schedule.lapses)
    row.modified = Int64(min(1e11, max(0, card.modified, card.schedule.lastReview ?? 0)))
    return row
  }

  public func isDue(_ row: AnkiCard) -> Bool {
    switch row.queue {
    case 2, 3: row.due <= calendar.moment.today - calendar.firstDay
    case 1: Double(row.due) <= calendar.moment.now
    default: false
    }
  }

  // MARK: Sending

  /// Returns the row of a card to send, and the same as an `AnkiCard`.
  /// - Parameters:
  ///   - target: the card's deck on the server, when the card was modified, and its position if it is new.
  ///   - lastReview: seconds since 1970 of the last answer in the log; nil when there is none.
  ///   - base: the row as received; nil for a card that is new on the server.
  ///   - changes: which parts are sent as they are here.
  public func row(
    of card: ListedCard, in target: (deck: Int64, modified: Int64, position: Int), lastReview: Int?, usn: Int,
    over base: [Value]?, _ changes: CardChanges, _ options: DeckOptions
  ) -> (row: [Value], state: AnkiCard) {
    let schedule = SentSchedule(calendar.moment, options, firstDay: calendar.firstDay)
    let was = base.flatMap(ServerRows.card)
    var row = base ?? Array(repeating: .integer(0), count: 17) + [.text(ServerRows.noData)]
    func set(_ index: Int, _ value: Int) { row[index] = .integer(value) }
    var state = was ?? AnkiCard()
    let isFiltered = (base?[15].integer ?? 0) != 0
    let staysFiltered = isFiltered && changes.isDisjoint(with: [.deck, .hiding, .schedule])
    if changes.contains(.schedule) {
      let (data, flags) = (state.data, state.flags)
      state = schedule.row(of: card, position: target.position, lastReview: lastReview)
      state.data = ServerRows.merged(state.data, over: data, position: was?.position)
      (state.flags, state.reps, state.lapses) = (flags, card.schedule.reps, card.schedule.lapses)
    } else if changes.contains(.hiding) || isFiltered {
      schedule.mark(&state, as: card)
    }
    if changes.contains(.place), state.type == 0 { state.due = target.position }
    state.flags = state.flags & ~7 | card.flag & 7
    state.modified = target.modified
    set(0, Int(card.id.rawValue))
    set(1, Int(card.note.rawValue))
    set(3, card.ordinal)
    set(4, Int(target.modified))
    set(5, usn)
    set(16, state.flags)
    if staysFiltered { return (row, state) }
    set(2, Int(changes.contains(.deck) || was == nil ? target.deck : was?.deck ?? target.deck))
    for (index, value) in [
      (6, state.type), (7, state.queue), (8, state.due), (9, state.ivl), (10, state.factor), (13, state.left), (14, 0),
      (15, 0),
    ] { set(index, value) }
    if changes.contains(.schedule) {
      set(11, state.reps)
      set(12, state.lapses)
      row[17] = .text(state.data)
    }
    return (row, state)
  }

  /// Returns the data of a card with a new memory state and the other members of its old data.
  static func merged(_ new: String, over old: String, position: Int?) -> String {
    var record = ServerRows.parse(old)?.record ?? Value.Record()
    for key in ["s", "d", "dr", "decay", "lrt"] { record[key] = nil }
    let fresh = ServerRows.parse(new)?.record ?? Value.Record()
    if !fresh.isEmpty, record["pos"] == nil, let position { record["pos"] = .integer(position) }
    for field in fresh.fields { record[field.name] = field.value }
    return record.isEmpty ? noData : Value.record(record).json(.compact)
  }

  /// Returns the rows of a card's log that have not been sent.
  /// - Parameter log: the whole log of the card, the earliest answer first.
  public static func rows(
    ofUnsent log: [SentReview], card: Int64, usn: Int
  ) -> [(id: Int64, row: [Value], answer: ForeignAnswer)] {
    var (rows, interval): ([(id: Int64, row: [Value], answer: ForeignAnswer)], Int64) = ([], 0)
    for review in log {
      let (row, answer) = row(of: review, card: card, last: interval, usn: usn)
      interval = answer.interval
      if review.isUnsent { rows.append((review.id, row, answer)) }
    }
    return rows
  }

  /// Converts an answer to a row of the log.
  /// - Parameter last: the interval of the card's previous answer, in the row's units.
  public static func row(
    of review: SentReview, card: Int64, last: Int64, usn: Int
  ) -> (row: [Value], answer: ForeignAnswer) {
    let answer = ForeignAnswer(review, last: last)
    let numbers = [review.id, card, Int64(usn)] + answer.numbers
    return (numbers.map { .integer(Int($0)) }, answer)
  }
}

extension StoredCard {
  mutating func hide(as row: AnkiCard, isBuriedToday: Bool, _ moment: StudyMoment) {
    flag = row.flags & 7
    isSuspended = row.queue == -1
    if isBuriedToday, row.queue == -2 || row.queue == -3 {
      burial = row.queue == -2 ? .bySibling : .byUser
      buriedUntil = moment.endOfToday
    }
  }
}
