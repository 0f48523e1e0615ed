// Actions on decks. Invariant: a deck is named by its whole name, and by the number that `deckNamesAndIds` gives.

import Decks
import Text
import Values
import Workspace

enum DeckActions {
  static let all: [Action] = [
    .reading("deckNames") { call in .list(try call.workspace.decks.all().map { .text(try $0.record().name) }) },
    .reading("deckNamesAndIds") { call in
      .record(try call.workspace.decks.all().map { (try $0.record().name, .integer(Int($0.id.rawValue))) })
    },
    .changing("createDeck") { call in
      .integer(Int(try deck(call).id.rawValue))
    },
    .changing("changeDeck") { call in
      let cards = try call.numbers("cards").compactMap { try call.workspace.cards.numbered(Int64($0)) }
      let deck = try deck(call)
      if !cards.isEmpty { try call.workspace.cards.move(cards, into: deck) }
      return .null
    },
    .changing("deleteDecks", remove),
  ]

  /// The one that is named, capitals aside, or a new one.
  private static func deck(_ call: ActionCall) throws -> DeckHandle {
    let name = try DeckName(call.params["deck"].text()).text
    let known = try call.workspace.decks.all().first { try $0.record().name.lowercased() == name.lowercased() }
    return try known ?? call.workspace.decks.create(name)
  }

  /// AnkiConnect removes decks only with their cards, and wants that said.
  private static func remove(_ call: ActionCall) throws -> Value {
    guard call.params["cardsToo"].value?.boolean == true else {
      throw ActionFailure("deleteDecks removes the cards too: cardsToo must be true")
    }
    for name in try call.texts("decks") {
      do {
        try call.workspace.decks.open(name).remove()
      } catch DeckError.deckNotFound {
        // It is gone, by itself or with the one around it.
      }
    }
    return .null
  }
}
