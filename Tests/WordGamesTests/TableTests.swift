// The table of games: saving, adding words, removing.

import Files
import Storage
import TestSupport
import WordGames

@Suite struct GameTableTests {
  private func store() -> Store { Store(path: nil, schema: WordGamesSchema.schema, isInterrupted: { false }) }

  @Test func `a guess adds one row, and the row of the game does not grow`() throws {
    let (store, game) = (store(), try game())
    var sizes: [Int] = []
    for (index, word) in ["grace", "cab", "ring", "bean"].enumerated() {
      #expect(try game.code(word) == nil)
      try store.operation("x") { db in
        if index == 0 { return try GameTable.save(db, game.state, game: 7, now: 0) }
        #expect(try GameTable.append(db, game.state(foundFrom: index), game: 7, after: index, now: 0))
        #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM games_found") == index + 1)
      }
      sizes.append(try store.read { try Int.fetchOne($0, sql: "SELECT length(state) FROM games_saved") } ?? 0)
    }
    #expect(Set(sizes).count == 1)
    #expect(try store.read { try GameTable.saved($0) }?.state == game.state)
  }

  @Test(arguments: [-1, 0, 3, Int.min, Int.max])
  func `a saved game whose number of found words is wrong cannot be read`(found: Int) throws {
    let (store, game) = (store(), try game())
    for word in ["grace", "cab"] { #expect(try game.code(word) == nil) }
    try store.operation("x") { db in
      try GameTable.save(db, game.state, game: 7, now: 0)
      try db.execute(sql: "UPDATE games_saved SET found = ?", arguments: [found])
    }
    #expect(throws: GameError.badState(reason: "its number of found words is not that of their rows")) {
      try store.read { try GameTable.saved($0) }
    }
  }

  @Test func `nothing is added to another game, or to one that has changed`() throws {
    let (store, game) = (store(), try game())
    for word in ["grace", "cab"] { #expect(try game.code(word) == nil) }
    try store.operation("x") { try GameTable.save($0, game.state, game: 7, now: 0) }
    let wrong: [(Int64, Int)] = [(8, 2), (7, 1), (7, 3)]
    for (id, found) in wrong {
      #expect(
        try store.operation("x") { try GameTable.append($0, game.state, game: id, after: found, now: 0) } == false)
    }
    #expect(try store.read { try GameTable.saved($0) }?.state.found.count == 2)
    try store.operation("x") { try GameTable.forgetSaved($0, game: 8) }
    #expect(try store.read { try GameTable.saved($0) } != nil)
    try store.operation("x") { try GameTable.forgetSaved($0, game: 7) }
    #expect(try store.read { try GameTable.saved($0) } == nil)
    #expect(try store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM games_found") } == 0)
  }
}
