// Queries: what they find, compared with a slow model, and how a malformed query is reported.

import Memory
import Problems
import TestDecks
import Values

@testable import Decks

@Suite struct QueryTests {
  let collection = TestCollection()

  private func found(_ query: String, _ deck: DeckID) throws -> [String] {
    let query = try CardQuery(query)
    return try collection.store.read { db in
      try CardTable.cards(db, ids: CardTable.ids(db, in: deck, matching: query, at: collection.moment))
        .map(\.prompt)
    }
  }

  private func animals() throws -> DeckID {
    let deck = try collection.deck("d")
    _ = try collection.addAll(
      deck,
      [
        NewCard(
          prompt: "El Perro", answer: "the dog", tags: ["Animal::pet", "a1", "b\u{93E}"],
          fields: [CardField("x", .json("1")), CardField("Level", .text("B1"))]),
        NewCard(prompt: "pájaro", answer: "bird", tags: ["animal"], fields: [CardField("level", .text("ab"))]),
        NewCard(prompt: "e-mail or", answer: "a \"quoted\" (text)"),
        NewCard(prompt: "ÑANDÚ", answer: "rhea *", tags: ["leech"], fields: [CardField("Level", .json("1.50"))]),
        NewCard(prompt: "a:b", answer: "Ελλάδα"),
      ])
    try collection.store.operation("x") { db in
      try db.execute(sql: "UPDATE cards SET flag = 3 WHERE id IN (SELECT id FROM card_rows WHERE prompt = 'ÑANDÚ')")
      try db.execute(
        sql: "UPDATE cards SET buried_until = ? WHERE id IN (SELECT id FROM card_rows WHERE prompt = 'e-mail or')",
        arguments: [collection.moment.endOfToday])
      for (prompt, days, rating) in [("pájaro", 0.0, 3), ("pájaro", 5, 2), ("ÑANDÚ", 6, 1)] {
        try db.execute(
          sql: """
            INSERT INTO reviews (card, at, rating, state, interval, stability, difficulty)
            SELECT id, ?, ?, 2, 1, 1, 1 FROM card_rows WHERE prompt = ?
            """, arguments: [collection.now - days * 86_400, rating, prompt])
      }
      try db.execute(
        sql: """
          UPDATE cards SET state = 2, due = ?, last_review = ?, stability = 4.5, difficulty = 7, reps = 3, lapses = 1
          WHERE id IN (SELECT id FROM card_rows WHERE prompt = 'pájaro')
          """,
        arguments: [
          collection.moment.start(ofDay: collection.moment.today),
          collection.now - 3 * 86_400,
        ])
      try db.execute(
        sql: "UPDATE cards SET suspended = 1, created = ? WHERE id IN (SELECT id FROM card_rows WHERE prompt = 'a:b')",
        arguments: [collection.now - 10 * 86_400])
    }
    return deck
  }

  @Test(
    arguments: [
      ("", "El Perro|pájaro|e-mail or|ÑANDÚ|a:b"), ("  ", "El Perro|pájaro|e-mail or|ÑANDÚ|a:b"), ("perro", "El Perro"),
      ("answer:*\\*", "ÑANDÚ"), ("\\*", "ÑANDÚ"), ("e\\-mail", "e-mail or"), ("a\\:b", "a:b"),
      ("\\(text\\)", "e-mail or"), ("PAJARO", "pájaro"), ("dog", "El Perro"), ("\"the dog\"", "El Perro"),
      ("the dog", "El Perro"), ("dog the", "El Perro"), ("dog bird", ""), ("dog or bird", "El Perro|pájaro"),
      ("dog OR (bird -perro)", "El Perro|pájaro"), ("nandu", "ÑANDÚ"), ("\"nandú\"", "ÑANDÚ"), ("ελλαδα", "a:b"),
      ("dog and perro", "El Perro"), ("dog and bird or rhea", "ÑANDÚ"), ("and", "ÑANDÚ"),
      ("e-mail and \"or\"", "e-mail or"),
      ("\"deck:d\" dog", "El Perro"), ("-\"tag:animal\" rhea", "ÑANDÚ"), ("\"level:b1\"", "El Perro"),
      ("\"is: new\"", ""), ("\"deck\\:d\"", ""), ("deck:current", ""), ("deck:\"current\"", ""),
      ("\"re:^e[l-] ?[a-z]{4,}\"", "El Perro|e-mail or"),
      ("-dog", "pájaro|e-mail or|ÑANDÚ|a:b"), ("--dog", "El Perro"), ("e-mail", "e-mail or"), ("\"or\"", "e-mail or"),
      ("\"(text)\"", "e-mail or"), ("\"\\\"quoted\\\"\"", "e-mail or"), ("tag:animal", "El Perro|pájaro"),
      ("tag:animal::pet", "El Perro"), ("tag:anim", ""), ("tag:anim*", "El Perro|pájaro"), ("tag:*1", "El Perro"),
      ("tag:*\u{93E}", "El Perro"), ("-(\u{93E})", "El Perro|pájaro|e-mail or|ÑANDÚ|a:b"),
      ("-\"\u{93E}\"", "El Perro|pájaro|e-mail or|ÑANDÚ|a:b"), ("-tag:*", "e-mail or|a:b"), ("prompt:p*", "pájaro"),
      ("prompt:*ro", "El Perro|pájaro"), ("prompt:per", "El Perro"), ("prompt:dog", ""), ("answer:dog", "El Perro"),
      ("answer:\"*\"", "ÑANDÚ"), ("p*o", "El Perro|pájaro"), ("is:due", "pájaro"),
      ("is:new", "El Perro|e-mail or|ÑANDÚ|a:b"), ("is:suspended", "a:b"), ("is:leech", "ÑANDÚ"),
      ("prop:stability<5", "pájaro"), ("-prop:stability<5", "El Perro|e-mail or|ÑANDÚ|a:b"),
      ("prop:stability>=4.5", "pájaro"), ("prop:reps=0", "El Perro|e-mail or|ÑANDÚ|a:b"), ("prop:reps!=0", "pájaro"),
      ("prop:lapses<=1 prop:difficulty>6", "pájaro"), ("prop:interval=3", "pájaro"),
      ("added:7", "El Perro|pájaro|e-mail or|ÑANDÚ"), ("added:11", "El Perro|pájaro|e-mail or|ÑANDÚ|a:b"),
      ("\"a:b\"", "a:b"), ("(dog) (perro)", "El Perro"), ("((dog or bird) -pájaro) or rhea", "El Perro|ÑANDÚ"),
      ("IS:DUE", "pájaro"), ("is:review", "pájaro"), ("is:learning or is:relearning", ""), ("is:buried", "e-mail or"),
      ("-is:buried is:new", "El Perro|ÑANDÚ|a:b"), ("flag:3", "ÑANDÚ"), ("-flag:0", "ÑANDÚ"), ("flag:Green", "ÑANDÚ"),
      ("tag:none", "e-mail or|a:b"), ("tag:\"none\"", ""), ("card:2", ""), ("nid:1,2", ""), ("card:1 dog", "El Perro"),
      ("is:learn", ""), ("re:\"\\bdog\"", "El Perro"), ("deck:d", "El Perro|pájaro|e-mail or|ÑANDÚ|a:b"),
      ("deck:e", ""), ("-deck:*", ""), ("note:cloze", ""), ("note:basic", "El Perro|pájaro|e-mail or|ÑANDÚ|a:b"),
      ("level:b*", "El Perro"), ("level:b", "El Perro|pájaro"), ("-level:*", "e-mail or|a:b"),
      ("level:\"1.5\"", "ÑANDÚ"), ("rated:1", "pájaro"), ("rated:1:3", "pájaro"), ("rated:1:1", ""),
      ("rated:9:1", "ÑANDÚ"), ("introduced:1", ""), ("introduced:9", "pájaro|ÑANDÚ"),
      ("edited:1", "El Perro|pájaro|e-mail or|ÑANDÚ|a:b"), ("prop:ivl>2", "pájaro"),
      ("prop:r<0.93", "pájaro"), ("prop:r<0.5", ""), ("prop:due=0", "pájaro"), ("prop:s<5 prop:d>=7", "pájaro"),
      ("re:^p.j", "pájaro"), ("re:^(el|a)\\b", ""), ("re:RR?O$", "El Perro|pájaro"),
      ("re:\"^e[l-] ?[a-z]{4,}\"", "El Perro|e-mail or"), ("-re:[ou]", "ÑANDÚ|a:b"), ("nc:nandú", "ÑANDÚ"),
      ("dupe:pajaro", "pájaro"), ("dupe:paj", ""), ("dupe:", ""), ("dupe:\"el perro\"", "El Perro"),
    ] as [(String, String)])
  func `a query finds the right cards, also when rows are cached in memory`(query: String, expected: String) throws {
    let deck = try animals()
    #expect(try found(query, deck).joined(separator: "|") == expected)
    let cache = SearchCache()
    for _ in 0..<3 {
      let found = try collection.store.read { db in
        try CardTable.found(db, in: deck, matching: CardQuery(query), at: collection.moment, cache)
      }
      let prompts = try collection.store.read { try CardTable.cards($0, ids: found.ids) }.map(\.prompt)
      #expect(prompts.joined(separator: "|") == expected)
      let all = ["El Perro", "pájaro", "e-mail or", "ÑANDÚ", "a:b"]
      #expect(found.positions.map { all[$0 - 1] } == prompts)
    }
  }

  @Test func `kana and Hangul are found in every Unicode form`() throws {
    let deck = try collection.deck("d")
    let (kana, hangul) = ("か\u{3099}く", "\u{1112}\u{1161}\u{11AB}")
    try collection.add(deck, kana, "x")
    try collection.add(deck, hangul, "か")
    for (query, prompt) in [("がく", kana), ("か\u{3099}", kana), ("か", hangul), ("한", hangul), (hangul, hangul)] {
      #expect(try found(query, deck) == [prompt], "\(query)")
    }
  }

  @Test func `a sigma at the end of a word is found in small letters and in capitals`() throws {
    let deck = try collection.deck("d")
    try collection.add(deck, "ο ήλιος", "x")
    try collection.add(deck, "ΗΛΙΟΣ", "x")
    for query in ["ήλιος", "ΗΛΙΟΣ", "ηλιοσ", "re:λιος$", "re:ΛΙΟΣ$", "re:λιο[ς]"] {
      #expect(try Set(found(query, deck)) == ["ο ήλιος", "ΗΛΙΟΣ"], "\(query)")
    }
  }

  @Test(arguments: [
    ("שָׁלוֹם", "שלום"), ("כִּי־טוֹב", "כי־טוב"), ("كَتَبَ", "كتب"),
  ])
  func `the points of Hebrew and the vowel signs of Arabic are ignored`(prompt: String, query: String) throws {
    let deck = try collection.deck("d")
    try collection.add(deck, prompt, "x")
    #expect(try found(query, deck) == [prompt] && found("prompt:\"\(query)\"", deck) == [prompt])
  }

  @Test func `a card being learnt has no interval, in queries as in its field`() throws {
    let deck = try collection.deck("d")
    try collection.add(deck, "learning", "x")
    try collection.store.execute(
      "UPDATE cards SET state = 1, due = ?, last_review = ?", [collection.now + 60, collection.now])
    let moment = collection.moment
    #expect(try collection.cards(deck)[0].value(of: .interval, at: moment) == .null)
    for query in ["prop:ivl<2", "prop:interval>=0"] { #expect(try found(query, deck) == [], "\(query)") }
  }

  @Test func `cached rows are dropped with every change`() throws {
    let deck = try animals()
    let cache = SearchCache()
    func found() throws -> Int {
      cache.refresh(collection.store.changeCount)
      return try collection.store.read { db in
        try CardTable.found(db, in: deck, matching: CardQuery("perro"), at: collection.moment, cache)
      }.ids.count
    }
    for _ in 0..<3 { #expect(try found() == 1) }
    let id = try collection.add(deck, "perro 2", "x")
    for _ in 0..<3 { #expect(try found() == 2) }
    try collection.store.operation("e") { try CardTable.update($0, id, prompt: "gato", now: 1) }
    for _ in 0..<3 { #expect(try found() == 1) }
  }

  @Test(arguments: [
    ("(", 2, "a word or a condition"), (")", 1, "a word or a condition"), ("a)", 2, "a \"(\" before this \")\""),
    ("(a", 3, "\")\""), ("a or", 5, "a word or a condition"), ("or a", 1, "a word or a condition"),
    ("-", 2, "a word or a condition"), ("\"abc", 1, "a closing quote for this one"),
    ("x \"\"", 3, "a text between the quotes"),
    ("is:dew", 4, "one of due, new, suspended, leech, buried, learning, review, relearning"),
    ("tag:", 5, "a tag after \"tag:\""),
    ("é prop:weight<5", 8, "one of due, interval, stability, difficulty, reps, lapses, retrievability"),
    ("prop:reps~5", 10, "one of <, <=, =, !=, >=, >"), ("prop:reps<x", 11, "a number"), ("prop:reps<", 11, "a number"),
    ("prop:reps<nan", 11, "a number"), ("added:0", 7, "a whole number of days, at least 1,"),
    ("added:1e9", 7, "a whole number of days, at least 1,"), ("added:7:3", 7, "a whole number of days, at least 1,"),
    ("prompt:", 8, "a text after \"prompt:\""), ("flag:8", 6, "a whole number from 0 to 7"),
    ("flag:", 6, "a whole number from 0 to 7"), ("rated:0", 7, "a whole number of days, at least 1,"),
    ("rated:7:5", 9, "1 (again), 2 (hard), 3 (good) or 4 (easy)"),
    ("edited:x", 8, "a whole number of days, at least 1,"), ("foo:", 5, "a text after \"foo:\""),
    ("re:", 4, "an expression after \"re:\""), ("re:\"(a\"", 7, "a valid expression (missing closing parenthesis)"),
    (String(repeating: "(", count: 9000), 33, "at most 32 nested brackets"),
    (String(repeating: "a ", count: 6000), 10_001, "at most 10,000 characters"),
  ])
  func `a malformed query names the column and what was expected`(query: String, column: Int, expected: String) {
    let error = #expect(throws: DeckError.self) { try CardQuery(query) }
    guard case .badQuery(query, column, expected, _) = error else {
      return #expect(Bool(false), "\(String(describing: error))")
    }
    #expect(error?.code == "bad_query")
  }

  @Test(arguments: [
    ("x is:dui", "\"dui\" at column 6", "due"), ("prop:stabilty<5", "\"stabilty<5\" at column 6", "stability"),
    ("flag:gren", "\"gren\" at column 6", "green"), ("-tagg:animal", "\"tagg:animal\" at column 2", "tag"),
    ("(fron:x)", "\"fron:x\" at column 2", "Front"), ("(dog", "at column 5", nil),
    ("\"re:(a\"", "at column 7", nil),
  ])
  func `an error names the wrong word, and the one that may be meant`(query: String, place: String, near: String?)
    throws
  {
    let deck = try animals()
    let error = #expect(throws: DeckError.self) { try found(query, deck) }
    #expect(error?.message.hasPrefix("\(place) of the query \"\(query)\": ") == true, "\(error?.message ?? "")")
    #expect(error?.message.hasSuffix(near.map { " expected (did you mean \"\($0)\"?)" } ?? " expected") == true)
  }

  @Test func `deck:current is the deck that was studied last, with those within it`() throws {
    let outer = try collection.deck("d::e")
    for (name, at) in [("d::e", 20.0), ("f", 10)] {
      let deck = try name == "f" ? collection.deck(name) : outer
      try collection.add(deck, name, "x")
      try collection.store.operation("x") { try ReviewTable.noteStudied($0, deck, at: at) }
    }
    let inner = try collection.deck("d::e::g")
    try collection.add(inner, "inner", "x")
    #expect(try found("deck:current", outer) == ["d::e"] && found("deck:current", inner) == ["inner"])
    #expect(try found("-deck:current", outer) == [])
  }

  @Test func `the message is one line, whatever the query contains`() {
    let error = #expect(throws: DeckError.self) { try CardQuery("is:x\u{1B}[31m") }
    #expect(
      error?.message
        == "\"x\\x1B[31m\" at column 4 of the query \"is:x\\x1B[31m\": one of due, new, suspended, leech, buried, learning, review, relearning expected"
    )
  }

  @Test func `a name that is no card's field is reported as a mistyped condition`() throws {
    let deck = try animals()
    let error = #expect(throws: DeckError.self) { try found("perro foo:bar", deck) }
    guard case .badQuery(_, let column, let expected, _) = error else { return #expect(Bool(false)) }
    #expect(column == 7 && expected.hasPrefix("one of tag, is, prompt, answer, prop, added, edited,"))
    #expect(try found("LEVEL:ab", deck) == ["pájaro"])
  }

  @Test func `a long word is found where its prefix overlaps itself`() throws {
    let deck = try collection.deck("Long")
    let piece = String(repeating: "ab", count: 40) + "c"
    try collection.add(deck, String(repeating: "ab", count: 44) + "c", "x")
    try collection.add(deck, String(repeating: "ab", count: 44), "x")
    #expect(try found(piece, deck).count == 1)
  }

  @Test func `cards that share a prompt are found, in their deck only`() throws {
    let deck = try collection.deck("d")
    let other = try collection.deck("e")
    for (prompt, answer) in [("a", "1"), ("b", "2"), ("a", "3")] { try collection.add(deck, prompt, answer) }
    try collection.add(other, "b", "4")
    #expect(try found("dupe:", deck) == ["a", "a"])
    #expect(try found("dupe:", other) == [])
    #expect(try found("-dupe:", deck) == ["b"])
  }

  private static let letters = ["a", "b", "á", "B", "ñ", "n", " ", "ab"]

  private func fold(_ text: String) -> String {
    var folded = text.lowercased()
    for (marked, plain) in [("á", "a"), ("ñ", "n")] {
      folded = folded.split(separator: marked, omittingEmptySubsequences: false).joined(separator: plain)
    }
    return folded
  }

  private func word(_ generator: inout TestGenerator) -> String {
    (0..<Int.random(in: 1...2, using: &generator)).map { _ in
      QueryTests.letters.filter { $0 != " " }.randomElement(using: &generator) ?? "a"
    }.joined()
  }

  /// Returns a random query and its meaning, as a closure over a record.
  private func random(_ depth: Int, _ generator: inout TestGenerator) -> (String, (CardRecord) -> Bool) {
    switch Int.random(in: 0..<(depth > 0 ? 11 : 8), using: &generator) {
    case 0, 1:
      let word = word(&generator)
      let folded = fold(word)
      return (word, { self.fold($0.prompt).contains(folded) || self.fold($0.answer).contains(folded) })
    case 2:
      let word = word(&generator)
      return ("prompt:\(word)*", { self.fold($0.prompt).hasPrefix(self.fold(word)) })
    case 3:
      let word = word(&generator)
      return ("answer:\"\(word)\"", { self.fold($0.answer).contains(self.fold(word)) })
    case 4:
      let tag = word(&generator)
      let wanted = fold(tag)
      return ("tag:\(tag)", { $0.tags.contains { self.fold($0) == wanted || self.fold($0).hasPrefix(wanted + "::") } })
    case 5:
      let number = Int.random(in: 0...4, using: &generator)
      return ("prop:reps>=\(number)", { $0.reps >= number })
    case 6:
      let flag = Int.random(in: 0...2, using: &generator)
      return [("is:suspended", { $0.isSuspended }), ("flag:\(flag)", { $0.flag == flag })].randomElement(
        using: &generator)
        ?? ("", { _ in true })
    case 7:
      let number = Double.random(in: 0...10, using: &generator)
      return ("prop:stability<\(number)", { $0.stability.map { $0 < number } ?? false })
    case 8:
      let (text, meaning) = random(depth - 1, &generator)
      return ("-(\(text))", { !meaning($0) })
    case 9:
      let (a, b) = (random(depth - 1, &generator), random(depth - 1, &generator))
      return ("(\(a.0) or \(b.0))", { a.1($0) || b.1($0) })
    default:
      let (a, b) = (random(depth - 1, &generator), random(depth - 1, &generator))
      return ("(\(a.0)) \(b.0)", { a.1($0) && b.1($0) })
    }
  }

  @Test func `random queries find what a slow model finds`() throws {
    var generator = TestGenerator(21)
    let deck = try collection.deck("d")
    func text() -> String {
      "x"
        + (0..<Int.random(in: 0...4, using: &generator)).map { _ in
          QueryTests.letters.randomElement(using: &generator) ?? "a"
        }.joined() + "y"
    }
    for number in 0..<120 {
      let tags = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
        word(&generator) + (Bool.random(using: &generator) ? "::z" : "")
      }
      try collection.add(
        deck, NewCard(prompt: String(text().dropFirst()), answer: text(), tags: tags, guid: "g\(number)"))
    }
    try collection.store.execute(
      "UPDATE cards SET reps = id % 5, suspended = id % 3 = 0, stability = CASE WHEN id % 2 THEN id % 11 END")
    let cards = try collection.cards(deck)
    var hits = 0
    for _ in 0..<800 {
      let (query, meaning) = random(3, &generator)
      let parsed = try CardQuery(query)
      let found = try collection.store.read {
        try CardTable.ids($0, in: deck, matching: parsed, at: StudyMoment(now: 0))
      }
      let expected = cards.filter(meaning).map(\.id)
      #expect(found == expected, "\(query)")
      hits += found.count
    }
    #expect(hits > 1000)
  }

  @Test func `random characters never crash the parser`() {
    var generator = TestGenerator(9)
    let pieces = [
      "(", ")", "\"", "-", "or", " ", ":", "tag:", "is:", "prop:", "reps", "<", "5", "*", "é", "\\", "added:", "due",
      "\u{0}",
    ]
    var parsed = 0
    for _ in 0..<20_000 {
      let query = (0..<Int.random(in: 1...8, using: &generator)).map { _ in
        pieces.randomElement(using: &generator) ?? ""
      }.joined()
      do {
        _ = try CardQuery(query)
        parsed += 1
      } catch {
        guard case .badQuery(_, let column, _, _) = error else { continue }
        #expect((1...query.count + 1).contains(column), "\(query)")
      }
    }
    #expect(parsed > 500)
  }
}
