// Writes decks to the collection of a package: each card with its note, its schedule and its log.
// Invariant: decks and cards are written in their order, and ids and positions depend on nothing else.

import Decks
import Storage
import Templates
import Text

final class SentCollection {
  private let db: Database
  private let writer: CollectionWriter
  private let destination: PackageDestination
  private let reviews: SentReviews
  private var head = CollectionHeadMaker()
  private var notes: SentNotes
  private(set) var cardCount = 0
  /// What the package cannot hold, and the number of cards affected.
  private(set) var lost: [CardPart: Int] = [:]

  init(_ db: Database, _ writer: CollectionWriter, _ destination: PackageDestination) throws {
    (self.db, self.writer, self.destination) = (db, writer, destination)
    notes = try SentNotes(db, writer, keepsMarks: destination.keepsSchedule)
    reviews = try SentReviews(db)
  }

  /// The deck whose cards are being written.
  private struct Place {
    let deck: Int64
    let schedule: SentSchedule
    /// The position of the last card.
    var position = 0
  }

  /// Writes a deck with its own cards, without those of nested decks.
  /// - Parameter step: called every 1,024 cards; an error from it ends the export.
  func add(_ deck: DeckRecord, step: () throws -> Void) throws {
    let schedule = SentSchedule(destination.moment, try DeckTable.options(db, deck.id))
    try head.add(db, deck)
    var place = Place(deck: deck.id.rawValue, schedule: schedule)
    let cards = try SentCards(db, in: deck.id)
    while let card = try cards.next() {
      try add(card, &place)
      cardCount += 1
      if cardCount % 1024 == 0 { try step() }
    }
  }

  /// Writes the note types and the collection row.
  /// - Returns: the media that belong to the package.
  func finish() throws -> [MediaRecord] {
    for type in notes.usedTypes { head.add(type) }
    try writer.finish(head.head(), hasIndices: destination.isWhole)
    let all = try MediaTable.list(db)
    if destination.isWhole { return all }
    let texts = notes.usedTypes.map { type in type.css + type.cards.map { $0.front + $0.back }.joined() }
    return all.filter { file in
      notes.mediaNames.contains(file.name)
        || file.name.hasPrefix("_") && texts.contains { $0.contains(text: file.name) }
    }
  }

  private func add(_ card: ListedCard, _ place: inout Place) throws {
    countLost(card)
    let note = try notes.add(card)
    head.note(max(card.modified, notes.lastModified))
    // Positions ascend in the order of the deck, for answered cards too. An imported position that fits is kept.
    let came = card.raw.flatMap(AnkiCard.stored)?.card
    let position = (came?.place).map { max($0, place.position) } ?? place.position + 1
    var row = AnkiCard(due: position)
    if destination.keepsSchedule {
      row = place.schedule.row(of: card, position: position, lastReview: try writeLog(of: card.id))
      // What other programs store with a card stays when it was answered here.
      if let came, row.type != 0, row.data != came.data {
        row.data = ServerRows.merged(row.data, over: came.data, position: nil)
      }
      head.note(card.schedule.lastReview ?? 0)
    }
    place.position = position
    row.recordPosition(position)
    (row.id, row.note, row.deck, row.ordinal) = (card.id.rawValue, note, place.deck, card.ordinal)
    row.modified = Int64(seconds(card.modified))
    // A card that was made new again in Anki still has its numbers there.
    if row.type != 0 { (row.reps, row.lapses) = (card.schedule.reps, card.schedule.lapses) }
    try writer.add(row)
  }

  private func countLost(_ card: ListedCard) {
    if card.hasFields { lost[.fields, default: 0] += 1 }
    if card.hasDocument { lost[.documents, default: 0] += 1 }
    if !destination.keepsSchedule, !CardPlan(card).isPlain { lost[.schedule, default: 0] += 1 }
  }

  /// Writes the log of a card.
  /// - Returns: the time of the last answer in whole seconds, as written to the log.
  private func writeLog(of card: CardID) throws -> Int? {
    var (interval, last): (Int64, Int?) = (0, nil)
    for sent in try reviews.of(card) {
      let answer = ForeignAnswer(sent, last: interval)
      let written = try writer.add(
        ReceivedReview(id: sent.id, card: card.rawValue, answer: answer))
      if answer.ease > 0 { last = Int(written / 1000) }
      interval = answer.interval
    }
    return last
  }
}
