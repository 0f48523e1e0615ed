// Decks: their names, their inner decks, their counts.

import Problems
import TestDecks

@Suite struct DeckTests {
  let collection = TestCollection()

  @Test(arguments: [
    ("Spanish", "Spanish"), ("  Spanish\n", "Spanish"), ("A :: B", "A::B"), ("a:b", "a:b"), ("日本語", "日本語"),
  ])
  func `a name is trimmed, also around each of its parts`(given: String, expected: String) throws {
    #expect(try DeckName(given).text == expected)
  }

  @Test(arguments: [
    "", "  ", "::", "A::", "::A", "A::::B", "A:: ::B", "a\u{0}b", "a\nb", "a\u{2028}b",
    String(repeating: "é", count: 201), "e" + String(repeating: "\u{301}", count: 129),
  ])
  func `an invalid name is refused with the reason`(given: String) throws {
    #expect(problemCode { _ = try collection.deck(given) } == "bad_name")
    #expect(try collection.names() == [])
  }

  @Test func `names that differ only in Unicode composition are the same`() throws {
    let deck = try collection.deck("Cafe\u{301}::A")
    #expect(problemCode { _ = try collection.deck("CAFÉ::a") } == "exists")
    #expect(try collection.store.read { try DeckTable.find($0, named: "Café::A").id } == deck)
    #expect(try collection.store.read { try DeckTable.find($0, named: "Cafe\u{301}::A").id } == deck)
    #expect(try collection.names().map { Array($0.utf8) } == ["Caf\u{E9}", "Caf\u{E9}::A"].map { Array($0.utf8) })
  }

  @Test func `a generated free name is no longer than a name may be`() throws {
    let long = String(repeating: "x", count: 200)
    for _ in 0..<3 {
      _ = try collection.deck(try collection.store.read { try DeckTable.freeName($0, like: long) })
    }
    #expect(try collection.names() == [String(long.dropLast(2)) + "++", String(long.dropLast()) + "+", long])
  }

  @Test func `200 characters are allowed`() throws {
    let name = String(repeating: "é", count: 200)
    _ = try collection.deck(name)
    #expect(try collection.names() == [name])
  }

  @Test func `names are case-insensitive`() throws {
    _ = try collection.deck("Spanish")
    let error = #expect(throws: DeckError.self) { try collection.deck("SPANISH") }
    #expect(error == .exists(name: "Spanish"))
    #expect(error?.message == "a deck called \"Spanish\" already exists; names that differ only in case are the same")
  }

  @Test func `parents are created, and the list puts a deck right after its parent`() throws {
    _ = try collection.deck("b::x::y")
    _ = try collection.deck("a")
    _ = try collection.deck("b c")
    #expect(try collection.names() == ["a", "b", "b::x", "b::x::y", "b c"])
  }

  @Test func `a missing deck is reported with the nearest name`() throws {
    _ = try collection.deck("Spanish")
    let error = #expect(throws: DeckError.self) {
      try collection.store.read { try DeckTable.find($0, named: "Spanich") }
    }
    #expect(error?.message == "no deck is called \"Spanich\" (did you mean \"Spanish\"?)")
    #expect(error?.code == "not_found")
    #expect(try collection.store.read { try DeckTable.find($0, named: " Spanish ").name } == "Spanish")
  }

  @Test func `renaming moves the inner decks along`() throws {
    let b = try collection.deck("a::b")
    let c = try collection.deck("a::b::c")
    try collection.store.operation("rename") { try DeckTable.rename($0, b, to: "x::y::z", now: 0) }
    #expect(try collection.names() == ["a", "x", "x::y", "x::y::z", "x::y::z::c"])
    #expect(try collection.store.read { try DeckTable.record($0, c).name } == "x::y::z::c")
  }

  @Test func `a rename onto another deck or into itself is refused and changes nothing`() throws {
    let a = try collection.deck("a")
    _ = try collection.deck("a::x")
    _ = try collection.deck("b::x")
    for (name, code) in [
      ("B", "exists"), ("b", "exists"), ("a::c", "bad_name"), ("A::x", "bad_name"), ("", "bad_name"),
    ] {
      #expect(
        problemCode { try collection.store.operation("rename") { try DeckTable.rename($0, a, to: name, now: 0) } }
          == code)
    }
    #expect(try collection.names() == ["a", "a::x", "b", "b::x"])
    try collection.store.operation("rename") { try DeckTable.rename($0, a, to: "A", now: 0) }
    #expect(try collection.names() == ["A", "A::x", "b", "b::x"])
  }

  @Test func `a part may begin with a mark that combines with the colon, and parents keep their spelling`() throws {
    let outer = try collection.deck("Ab")
    _ = try collection.deck("aB::\u{301}x::y")
    #expect(try collection.names() == ["Ab", "Ab::\u{301}x", "Ab::\u{301}x::y"])
    #expect(try collection.store.read { try DeckTable.within($0, outer).count } == 2)
    let other = try collection.deck("c")
    try collection.store.operation("rename") { try DeckTable.rename($0, other, to: "AB::C", now: 0) }
    try collection.store.operation("rename") { try DeckTable.rename($0, outer, to: "z", now: 0) }
    #expect(try collection.names() == ["z", "z::C", "z::\u{301}x", "z::\u{301}x::y"])
  }

  @Test func `spaces between colons leave no part empty or blank`() throws {
    for name in ["a :: : :: b", "a:: ::b", "a : :::b"] {
      #expect(problemCode { _ = try collection.deck(name) } == "bad_name", "\(name)")
    }
    _ = try collection.deck("a : :: b")
    #expect(try collection.names() == ["a", "a:::b"])
    for name in try collection.names() {
      #expect(try collection.store.read { try DeckTable.find($0, named: name).name } == name)
    }
  }

  @Test func `a deck may take a name below its old name`() throws {
    let inner = try collection.deck("a::a")
    try collection.store.operation("rename") { db in
      let outer = try DeckTable.find(db, named: "a").id
      try DeckTable.rename(db, inner, to: "c", now: 0)
      try DeckTable.rename(db, outer, to: "c::a", now: 0)
    }
    #expect(try collection.names() == ["c", "c::a"])
  }

  @Test func `removing a deck removes its inner decks and their cards`() throws {
    let a = try collection.deck("a")
    let b = try collection.deck("a::b")
    let other = try collection.deck("ab")
    for deck in [a, b, other] { try collection.add(deck, "p", "q") }
    #expect(try collection.store.operation("remove") { try DeckTable.remove($0, a) } == 2)
    #expect(try collection.names() == ["ab"])
    #expect(try collection.prompts(other) == ["p"])
    #expect(problemCode { _ = try collection.add(b, "x", "y") } == "not_found")
    #expect(problemCode { _ = try collection.store.operation("remove") { try DeckTable.remove($0, a) } } == "not_found")
  }

  @Test func `a deck counts its own cards, and suspended ones are neither new nor due`() throws {
    let deck = try collection.deck("a")
    _ = try collection.add(try collection.deck("a::b"), "inner", "x")
    let ids = try (1...5).map { try collection.add(deck, "p\($0)", "a") }
    try collection.store.operation("x") { db in
      try CardHiding.setSuspended(db, [ids[0]], true, now: 1)
      for (id, due) in [(ids[1], -80_000), (ids[2], 86_400), (ids[3], -80_000)] {
        try db.execute(sql: "UPDATE cards SET state = 2, due = ? WHERE id = ?", arguments: [due, id.rawValue])
      }
      try CardHiding.setSuspended(db, [ids[3]], true, now: 1)
    }
    let counts = try collection.store.read { try DeckTable.counts($0, deck, at: StudyMoment(now: 15)) }
    #expect(counts.count == 5 && counts.newCount == 1 && counts.dueCount == 1)
  }
}
