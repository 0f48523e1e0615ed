// Chooses the decks that `study` studies when none is named.
// Invariant: a deck within another one is studied with it, never twice; when nobody can be asked, everything due is
// studied.

import Commands
import Decks
import Problems
import Text
import Workspace

struct StudyChoice {
  private let session: Session

  init(_ session: Session) { self.session = session }

  /// `study --list`: lists the decks that have something to study.
  func list() throws -> CommandResult {
    let due = try dueDecks(session.workspace().decks.outermost())
    return CommandResult(.objects(due.map(\.deck)), .table(try table(due, areNumbered: false)))
  }

  /// The decks with the given names. Without names, the decks that the user chooses, or all that can be studied, in
  /// order.
  /// - Parameters:
  ///   - areDue: whether decks without anything new or due are left out.
  ///   - mayBeSeveral: whether several decks can be studied one after the other.
  /// - Returns: the decks; nil when the user chose none.
  func decks(named names: [String], areDue: Bool, mayBeSeveral: Bool) throws -> [DeckHandle]? {
    if !names.isEmpty { return try names.map { try session.workspace().decks.open($0) } }
    let decks = try session.workspace().decks.outermost()
    if decks.count == 1 { return decks }
    if decks.isEmpty || !mayBeSeveral { throw LookupError.whichDeck(isAny: !decks.isEmpty, usage: "study DECK") }
    let due = try dueDecks(decks)
    guard areDue, !due.isEmpty else { return decks }
    if due.count == 1 { return [due[0].deck] }
    return isAsked ? try chosen(due) : due.map(\.deck)
  }

  /// The only deck; throws when there is none or more than one.
  static func only(_ session: Session, usage: String) throws -> DeckHandle {
    let decks = try session.workspace().decks.all()
    guard decks.count == 1 else { throw LookupError.whichDeck(isAny: !decks.isEmpty, usage: usage) }
    return decks[0]
  }

  private var isAsked: Bool { session.canAsk && !session.state.isInScript && !session.options.wantsJSON }

  private typealias DueDeck = (deck: DeckHandle, name: String, counts: StudyCounts)

  private func dueDecks(_ decks: [DeckHandle]) throws -> [DueDeck] {
    let counts = try session.workspace().decks.studyCounts()
    return try decks.compactMap { deck in
      guard let found = counts[deck.id], found.new + found.due > 0 else { return nil }
      return (deck, try deck.record().name, found)
    }
  }

  private func table(_ decks: [DueDeck], areNumbered: Bool) throws -> TableText {
    let number: [TableText.Column] = areNumbered ? [.init("#", .right)] : []
    var table = TableText(
      number + [.init("Deck", isTyped: true), .init("New", .right), .init("Due", .right)], whenEmpty: "Nothing is due.")
    for (place, deck) in decks.enumerated() {
      let cells = [deck.name, session.grouped(deck.counts.new), session.grouped(deck.counts.due)]
      table.add((areNumbered ? [session.grouped(place + 1)] : []) + cells)
    }
    return table
  }

  /// Shows the decks and asks for a number, a prefix of a name, or Enter for all; nil at the end of input.
  private func chosen(_ decks: [DueDeck]) throws -> [DeckHandle]? {
    session.console.show(.table(try table(decks, areNumbered: true)))
    while let answer = try session.ask("Study which? [1-\(decks.count), a name, Enter for all] ")?.trimmed {
      if answer.isEmpty { return decks.map(\.deck) }
      if ["q", "quit"].contains(answer.lowercased()) { return nil }
      if let number = Int(answer), number > 0, number <= decks.count { return [decks[number - 1].deck] }
      let found = decks.filter { $0.name.lowercased().hasPrefix(answer.lowercased()) }
      if let exact = found.first(where: { $0.name.lowercased() == answer.lowercased() })
        ?? (found.count == 1 ? found[0] : nil)
      {
        return [exact.deck]
      }
      session.console.note(
        found.isEmpty
          ? "\(quoted(answer)) is not one of these decks\(didYouMean(answer, among: decks.map(\.name)))."
          : "\(quoted(answer)) could be \(found.map { quoted($0.name) }.joined(separator: ", ")).")
    }
    return nil
  }
}
