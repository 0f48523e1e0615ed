// Queries: what they find, held against a slow model, and how a malformed one is told.

import Decks
import GRDB
import Problems
import Storage
import TestSupport
import Testing

@Suite struct QueryTests {
  let collection = TestCollection()

  private func found(_ query: String, _ deck: DeckID) throws -> [String] {
    let query = try CardQuery(query)
    return try collection.store.read { db in
      try CardTable.cards(db, ids: CardTable.ids(db, in: deck, matching: query, at: StudyMoment(now: collection.now)))
        .map(\.prompt)
    }
  }

  private func animals() throws -> DeckID {
    let deck = try collection.deck("d")
    _ = try collection.addAll(
      deck,
      [
        NewCard(prompt: "El Perro", answer: "the dog", tags: ["Animal::pet", "a1"]),
        NewCard(prompt: "pájaro", answer: "bird", tags: ["animal"]),
        NewCard(prompt: "e-mail or", answer: "a \"quoted\" (text)"),
        NewCard(prompt: "ÑANDÚ", answer: "rhea *", tags: ["leech"]), NewCard(prompt: "a:b", answer: "Ελλάδα"),
      ])
    try collection.store.operation("x") { db in
      try db.execute(
        sql: """
          UPDATE cards SET state = 2, due = ?, last_review = ?, stability = 4.5, difficulty = 7, reps = 3, lapses = 1
          WHERE prompt = 'pájaro'
          """, arguments: [collection.now - 10, collection.now - 3 * 86_400])
      try db.execute(
        sql: "UPDATE cards SET suspended = 1, created = ? WHERE prompt = 'a:b'",
        arguments: [collection.now - 10 * 86_400])
    }
    return deck
  }

  @Test(arguments: [
    ("", "El Perro|pájaro|e-mail or|ÑANDÚ|a:b"), ("  ", "El Perro|pájaro|e-mail or|ÑANDÚ|a:b"), ("perro", "El Perro"),
    ("PAJARO", "pájaro"), ("dog", "El Perro"), ("\"the dog\"", "El Perro"), ("the dog", "El Perro"),
    ("dog the", "El Perro"),
    ("dog bird", ""), ("dog or bird", "El Perro|pájaro"), ("dog OR (bird -perro)", "El Perro|pájaro"),
    ("nandu", "ÑANDÚ"),
    ("\"nandú\"", "ÑANDÚ"), ("ελλαδα", "a:b"), ("-dog", "pájaro|e-mail or|ÑANDÚ|a:b"), ("--dog", "El Perro"),
    ("e-mail", "e-mail or"), ("\"or\"", "e-mail or"), ("\"(text)\"", "e-mail or"), ("\"\\\"quoted\\\"\"", "e-mail or"),
    ("tag:animal", "El Perro|pájaro"), ("tag:animal::pet", "El Perro"), ("tag:anim", ""),
    ("tag:anim*", "El Perro|pájaro"),
    ("tag:*1", "El Perro"), ("-tag:*", "e-mail or|a:b"), ("prompt:p*", "pájaro"), ("prompt:*ro", "El Perro|pájaro"),
    ("prompt:per", "El Perro"), ("prompt:dog", ""), ("answer:dog", "El Perro"), ("answer:\"*\"", "ÑANDÚ"),
    ("p*o", "El Perro|pájaro"),
    ("is:due", "pájaro"), ("is:new", "El Perro|e-mail or|ÑANDÚ|a:b"), ("is:suspended", "a:b"), ("is:leech", "ÑANDÚ"),
    ("prop:stability<5", "pájaro"), ("-prop:stability<5", "El Perro|e-mail or|ÑANDÚ|a:b"),
    ("prop:stability>=4.5", "pájaro"),
    ("prop:reps=0", "El Perro|e-mail or|ÑANDÚ|a:b"), ("prop:reps!=0", "pájaro"),
    ("prop:lapses<=1 prop:difficulty>6", "pájaro"),
    ("prop:interval=3", "pájaro"), ("added:7", "El Perro|pájaro|e-mail or|ÑANDÚ"),
    ("added:11", "El Perro|pájaro|e-mail or|ÑANDÚ|a:b"),
    ("\"a:b\"", "a:b"), ("(dog) (perro)", "El Perro"), ("((dog or bird) -pájaro) or rhea", "El Perro|ÑANDÚ"),
    ("IS:DUE", "pájaro"),
  ])
  func `a query finds what it says`(query: String, expected: String) throws {
    #expect(try found(query, animals()).joined(separator: "|") == expected)
  }

  @Test(arguments: [
    ("(", 2, "a word or a condition"), (")", 1, "a word or a condition"),
    ("a)", 2, "no \")\" without a \"(\" before it"),
    ("(a", 3, "\")\""), ("a or", 5, "a word or a condition"), ("or a", 1, "a word or a condition"),
    ("-", 2, "a word or a condition"),
    ("\"abc", 1, "a closing quote for this one"), ("x \"\"", 3, "a text between the quotes"),
    ("is:dew", 4, "one of due, new, suspended, leech"),
    ("tag:", 5, "a tag after \"tag:\""), ("é prop:weight<5", 8, "one of stability, difficulty, reps, lapses, interval"),
    ("prop:reps~5", 10, "one of <, <=, =, !=, >=, >"), ("prop:reps<x", 11, "a number"), ("prop:reps<", 11, "a number"),
    ("prop:reps<nan", 11, "a number"), ("added:0", 7, "a whole number of days, 1 at least,"),
    ("added:1e9", 7, "a whole number of days, 1 at least,"), ("prompt:", 8, "a text after \"prompt:\""),
    ("foo:bar", 1, "one of tag, is, prompt, answer, prop, added before the colon (or quotes around the text)"),
    (String(repeating: "(", count: 9000), 33, "brackets at most 32 deep"),
    (String(repeating: "a ", count: 6000), 10_001, "at most 10,000 characters"),
  ])
  func `a malformed query names the column and what was expected`(query: String, column: Int, expected: String) {
    let error = #expect(throws: DeckError.self) { try CardQuery(query) }
    #expect(error == .badQuery(query: query, column: column, expected: expected))
    #expect(error?.code == "bad_query")
  }

  @Test func `the message is one line, whatever the query holds`() {
    let error = #expect(throws: DeckError.self) { try CardQuery("is:x\u{1B}[31m") }
    #expect(error?.message == "one of due, new, suspended, leech expected at column 4 of the query \"is:x\\x1B[31m\"")
  }

  // MARK: The slow model

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

  /// A random query and what it means, as a closure over a record.
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
    case 6: return ("is:suspended", { $0.isSuspended })
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
    try collection.store.operation("x") {
      try $0.execute(
        sql: "UPDATE cards SET reps = id % 5, suspended = id % 3 = 0, stability = CASE WHEN id % 2 THEN id % 11 END")
    }
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
        guard case .badQuery(_, let column, _) = error else { continue }
        #expect((1...query.count + 1).contains(column), "\(query)")
      }
    }
    #expect(parsed > 500)
  }
}
