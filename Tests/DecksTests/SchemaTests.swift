// The tables of a new file, and files of programs from before the first release.

import Problems
import Templates
import TestDecks
import Values

@Suite struct SchemaTests {
  private let collection = TestCollection()

  @Test func `the stock types are recognised by their shape`() throws {
    let types = try collection.store.read { try NoteTypeTable.list($0) }
    #expect(types.map(\.draft) == StockNoteType.allCases.filter { $0 != .occlusion }.map(\.draft))
    let basic = try collection.store.read { try String.fetchAll($0, sql: "SELECT name FROM note_types WHERE basic") }
    #expect(basic == types.filter(\.isBasic).map(\.name) && basic == ["Basic"])
  }

  @Test func `a card without a note cannot be stored`() throws {
    let deck = try collection.deck("d")
    #expect(throws: StorageError.self) {
      try collection.store.execute(
        """
        INSERT INTO cards (deck, rank, content, created, mod, ord) VALUES (?, 0, 0, 0, 0, 0)
        """, [deck.rawValue])
    }
  }
}
