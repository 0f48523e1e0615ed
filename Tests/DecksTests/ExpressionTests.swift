// Regular expressions of queries, part by part, and queries in Anki's syntax.

import Problems
import Templates
import TestDecks
import Text

@testable import Decks

@Suite struct ExpressionTests {
  private func matches(_ source: String, _ text: String) throws -> Bool {
    let expression = try TextExpression(source)
    return try Array(text.utf8).withUnsafeBufferPointer { try expression.matches($0) }
  }

  @Test(arguments: [
    ("^\\w+$", "ñandú_1", true), ("\\W", "añ", false), ("^a\\sb$", "a\u{3000}b", true), ("^.$", "\n", false),
    ("\\bgat", "el gato", true), ("\\bato", "el gato", false), ("é\\b", "é!", true), ("^Ñ$", "ñ", true),
    ("^[ñ]$", "Ñ", true), ("n", "ñ", false), ("^İ$", "İ", true), ("a$", "a\n", false), ("^$", "", true),
    ("", "anything", true), ("^😀$", "😀", true), ("^.$", "😀", true), ("(?<=l )gato", "el gato", true),
  ])
  func `an expression ignores case, not accents, and knows the letters of all scripts`(
    source: String, text: String, isMatch: Bool
  ) throws {
    #expect(try matches(source, text) == isMatch)
  }

  @Test(arguments: [
    ("a)", 1, "unmatched closing parenthesis"), ("é(", 2, "missing closing parenthesis"),
    ("a\\", 2, "\\ at end of pattern"), ("[^", 2, "missing terminating ] for character class"),
    ("+", 0, "quantifier does not follow a repeatable item"), ("a\\Cb", 3, "using \\C is disabled by the application"),
  ])
  func `a malformed expression reports its position and what is wrong`(source: String, offset: Int, reason: String)
    throws
  {
    let fault = try #require(throws: ExpressionError.self) { try TextExpression(source) }
    #expect(fault.offset == offset && fault.expected == "a valid expression (\(reason))", "\(fault)")
  }

  @Test func `an expression has limits: on groups, on its length, on the steps of a match`() throws {
    for long in [
      String(repeating: "(", count: 60) + "a" + String(repeating: ")", count: 60),
      String(repeating: "a|", count: 1000) + "a", String(repeating: "a", count: 2001), "((a{1000}){1000}){1000}",
    ] { #expect(throws: ExpressionError.self, "\(long.prefix(20))") { try TextExpression(long) } }
    #expect(try matches(String(repeating: "a", count: 2000), "aa") == false)
    // Neither a match nor none: the search fails instead of finding too little.
    let text = String(repeating: "a", count: 20_000) + "!"
    for slow in ["^(a+)+$", "(a*)*b|(?=c)", "(a|aa)+$"] {
      #expect(problemCode { _ = try matches(slow, text) } == "bad_query")
    }
  }

  @Test(arguments: [
    ("colour", "color", "my <b>colour</b>, colour", "my <b>color</b>, color"),
    // Neither the names nor the attributes of tags, nor what is not shown as text.
    ("b", "i", "<b class='b'>b</b><!-- b --><style>b {}</style>", "<b class='b'>i</b><!-- b --><style>b {}</style>"),
    ("R&D <x>", "a < b", "R&amp;D &lt;x&gt;<br>\nR&amp;D", "a &lt; b<br>\nR&amp;D"), ("é", "e", "caf&eacute;", "cafe"),
    ("é", "e", "cafe\u{301}", "cafe"), ("x", "", "a&nbsp;x\nb", "a&nbsp;\nb"), ("a.c", "x", "abc a.c", "abc x"),
    ("$1", "\\0", "cost $1", "cost \\0"), ("Dog", "cat", "dog", nil), ("dog", "cat", "<b>d</b>og", nil),
  ])
  func `a text is replaced in the text of a field, and nowhere else`(
    old: String, new: String, field: String, expected: String?
  ) throws {
    let replaced = try TextReplacement(of: old, by: new).applied(toHTML: field)
    #expect(replaced.map { Array($0.utf8) } == expected.map { Array($0.utf8) }, "\(replaced ?? "nil")")
  }

  @Test(arguments: [
    ("(\\w+), (\\w+)", "$2 $1", "perro, el", "el perro"), ("(?i)DOG$", "cat", "a dog", "a cat"),
    ("DOG", "cat", "dog", nil),
    ("\\s+", " ", "a  b\t c", "a b c"), ("^", "> ", "<p>a</p>", "<p>&gt; a</p>"),
    ("(?<n>o+)", "<${n}>", "foo", "f&lt;oo&gt;"),
  ])
  func `an expression is replaced with its groups`(old: String, new: String, field: String, expected: String?) throws {
    let replaced = try TextReplacement(of: old, by: new, isExpression: true).applied(toHTML: field)
    #expect(replaced == expected)
  }

  @Test func `what cannot be replaced is an error that says which of the two is wrong`() throws {
    let long = String(repeating: "a", count: 30_000)
    for (old, new, isExpression, words) in [
      ("", "x", false, "OLD must not be empty"), ("(a", "x", true, "OLD must be a valid expression (missing closing"),
      ("a", "$1", true, "NEW cannot be used: unknown substring"), ("a", "${", true, "NEW cannot be used: "),
      ("^(a+)+$", "x", true, "OLD must be an expression that takes fewer steps"),
      ("a", long, false, "the new text has more than 1,000,000 bytes"),
    ] {
      let error = #expect(throws: DeckError.self) {
        try TextReplacement(of: old, by: new, isExpression: isExpression).applied(toHTML: long + "!")
      }
      #expect(error?.message.hasPrefix(words) == true, "\(error?.message ?? "")")
    }
  }

  private let collection = TestCollection()

  private func found(_ deck: DeckID, _ query: String) throws -> [String] {
    let parsed = try CardQuery(query, isAnki: true, isInterrupted: { false })
    let moment = collection.moment
    let ids = try collection.store.read { try CardTable.ids($0, in: deck, matching: parsed, at: moment) }
    return try collection.store.read { try CardTable.cards($0, ids: ids) }.map(\.prompt).sorted()
  }

  @Test func `a query of Anki's finds here what it would find in Anki`() throws {
    let deck = try collection.deck("D::Inner")
    let one = try collection.addNote(deck, ["Front": "corazón", "Back": "heart"], .reversed, tags: ["body::inner"])
    let two = try collection.add(deck, "a \"quoted\" *word*", "x")
    try collection.addNote(deck, ["Front": "plain"])
    let cards = try collection.store.read { try NoteTable.cards($0, of: one) }
    try collection.store.operation("hide") { try CardHiding.setSuspended($0, [two], true, now: 1) }
    let type = try collection.store.read { try NoteTable.record($0, one).type.rawValue }
    let home = try collection.store.read { try #require(try DeckTable.named($0, "D::Inner")).id.rawValue }
    let quoted = "a \"quoted\" *word*"
    for (query, prompts) in [
      ("cid:\(cards[0].rawValue)", ["corazón"]), ("cid:\(cards[0].rawValue),\(two.rawValue)", [quoted, "corazón"]),
      ("nid:\(one.rawValue)", ["corazón", "heart"]), ("mid:\(type)", ["corazón", "heart"]),
      ("did:\(home) card:2", ["heart"]), ("\"deck:d::inner\" and card:2", ["heart"]),
      ("deck:D*", [quoted, "corazón", "heart", "plain"]), ("tag:body*", ["corazón", "heart"]),
      ("tag:none", [quoted, "plain"]), ("is:suspended", [quoted]),
      ("is:new -is:suspended", ["corazón", "heart", "plain"]), ("is:review or is:buried", []), ("is:learn", []),
      ("is:due", []), ("re:^cor", ["corazón", "heart"]), ("re:\"\\\"q\"", [quoted]),
      ("nc:corazon", ["corazón", "heart"]), ("re:\\d", []), ("re:^co\\w+n$", ["corazón", "heart"]),
      ("\"re:q\\w{4}d\"", [quoted]), ("cora*", ["corazón", "heart"]),
      ("front:_*", [quoted, "corazón", "heart", "plain"]), ("-back:_*", ["plain"]), ("back:", ["plain"]),
      ("\\*word\\*", [quoted]), ("front:*\\*word\\*", [quoted]), ("flag:none card:2", ["heart"]),
      ("flag:0 added:1 note:basic", [quoted, "plain"]), ("prompt:plain", ["plain"]), ("prompt:pla", []),
      ("answer:x", [quoted]), ("\"deck:current\"", []), ("\"front\":plain", ["plain"]),
    ] as [(String, [String])] {
      #expect(try found(deck, query) == prompts.sorted(), "\(query)")
    }
  }

  @Test func `a hidden card is due on no day, and the interval of a card that is not learnt is 0, as in Anki`() throws {
    let deck = try collection.deck("D")
    try collection.add(deck, "new", "x")
    let cards = try ["due", "held"].map { try collection.add(deck, $0, "x") }
    let (learning, again) = (try collection.add(deck, "learning", "x"), try collection.add(deck, "again", "x"))
    try collection.store.operation("learn") { db in
      let moment = collection.moment
      let sql = "UPDATE cards SET state = 2, due = ?, last_review = ? WHERE id = ?"
      for card in cards {
        try db.run(sql, [moment.start(ofDay: moment.today), collection.now - 864_000, card.rawValue])
      }
      try CardHiding.setSuspended(db, [cards[1]], true, now: 1)
      try db.run("UPDATE cards SET difficulty = 5 WHERE id = ?", [cards[0].rawValue])
      for (card, state) in [(learning, 1), (again, 3)] {
        try db.run(
          "UPDATE cards SET state = ?, due = ?, stability = 3.6 WHERE id = ?",
          [state, collection.now - 90_000, card.rawValue])
      }
    }
    for (query, prompts) in [
      ("prop:due=0", ["due"]), ("-prop:due=0 is:review -is:relearning", ["held"]), ("prop:ivl=0", ["learning", "new"]),
      ("prop:ivl=4", ["again"]), ("prop:ivl>=5", ["due", "held"]),
      // A card being learnt is due too, and a difficulty is from 0 to 1.
      ("prop:due<=0", ["again", "due", "learning"]), ("prop:d>0.4", ["due"]), ("prop:d>0.5", []), ("prop:d<1", ["due"]),
    ] { #expect(try found(deck, query) == prompts, "\(query)") }
  }

  @Test func `a field with any text is one that the note has`() throws {
    let deck = try collection.deck("D")
    try collection.addNote(deck, ["Front": "one", "Back": "x"])
    try collection.addNote(deck, ["Text": "{{c1::sun}} rises"], .cloze)
    #expect(try found(deck, "front:_*") == ["one"])
    #expect(try found(deck, "-front:_*") == ["[...] rises"])
  }

  @Test(arguments: [
    "\"\"", ":x", "rated:x", "*:x", "dupe:1,x", "a\\", "or", "cid:x", "nid:1,,2", "card:0", "card:x", "is:nonsense",
    "deck:", "deck:filtered", "tag:", "tag:re:a", "tag:nc:a", "front:re:a", "\"front:nc:a\"", "note:",
    "w:a", "sc:a", "has:x", "resched:1", "f*:x", "flag:9", "re:(", "prop:nope=1", "\"added:7 x\"",
    "\"flag:1 or is:new\"", "added:7:3", "cid:" + Array(repeating: "1", count: 10_001).joined(separator: ","),
  ])
  func `an Anki query that has no meaning here is an error, never something else`(query: String) throws {
    #expect(
      problemCode { _ = try CardQuery(query, isAnki: true, isInterrupted: { false }) } == "bad_query",
      "\(query.prefix(40))")
  }

  /// Returns the prompts of a deck with the given ranks after a card was added at a place.
  private func order(_ ranks: [Int64], adding place: CardPlace) throws -> [String] {
    let deck = try collection.deck("order \(ranks) \(place)")
    try collection.store.operation("fill") { db in
      var ids: [Int64] = []
      for number in ranks.indices {
        let card = NewCard(prompt: "\(number + 1)", answer: "x")
        ids.append(try CardTable.add(db, card, to: deck, now: 1, random: collection.random).rawValue)
      }
      // Two cards never have the same rank, not even temporarily.
      for (id, aside) in zip(ids, 1_000...) { try db.run("UPDATE cards SET rank = ? WHERE id = ?", [aside, id]) }
      for (id, rank) in zip(ids, ranks) { try db.run("UPDATE cards SET rank = ? WHERE id = ?", [rank, id]) }
      _ = try CardTable.add(
        db, NewCard(prompt: "new", answer: "x"), to: deck, at: place, now: 1, random: collection.random)
    }
    return try collection.prompts(deck)
  }

  @Test func `a card gets its place even if there is no gap between the others`() throws {
    let (low, high) = (-(Int64(1) << 61), Int64(1) << 61)
    #expect(try order([low, 0], adding: .top) == ["new", "1", "2"])
    #expect(try order([0, high], adding: .bottom) == ["1", "2", "new"])
    #expect(try order([low, high], adding: .bottom) == ["1", "2", "new"])
    #expect(try order([5, 6, 7], adding: .position(2)) == ["1", "new", "2", "3"])
    #expect(try order([5, 6, 7], adding: .position(4)) == ["1", "2", "3", "new"])
    #expect(try order([5, 6], adding: .position(-3)) == ["new", "1", "2"])
    #expect(try order([.min, .max], adding: .position(2)) == ["1", "new", "2"], "ranks of a forged file")
    #expect(try order([.min, 0], adding: .top) == ["new", "1", "2"])
    #expect(try order([], adding: .position(3)) == ["new"])
  }

  @Test(arguments: [1 << 40, 1])
  func `cards are arranged among their places; as few as possible are written, and all if there is no gap`(gap: Int)
    throws
  {
    let deck = try collection.deck("arranged")
    try collection.fill(deck, (0..<12).map { "c\($0)" })
    var (generator, spread) = (TestGenerator(5), 0)
    try collection.store.operation("arrange") { db in
      var model = try CardTable.ids(db, in: deck)
      let ranks = zip(model, stride(from: 0, to: .max, by: gap))
      for (id, rank) in ranks { try db.run("UPDATE cards SET rank = ? WHERE id = ?", [rank, id.rawValue]) }
      for _ in 0..<40 {
        let old = model
        let places = model.indices.filter { _ in Bool.random(using: &generator) }
        let cards = try CardOrder.cards(db, in: deck).map(\.card)
        let listed = places.map { cards[$0] }.shuffled(using: &generator)
        for (place, card) in zip(places, listed) { model[place] = card.id }
        let (before, fewest) = (db.totalChanges, model.outOfOrder { old.firstIndex(of: $0) ?? -1 }.count)
        try CardOrder.arrange(db, listed, in: deck)
        let writes = db.totalChanges - before
        if writes >= model.count * 2 { spread += 1 } else { #expect(writes == fewest) }
        #expect(try CardTable.ids(db, in: deck) == model)
      }
      #expect(throws: DeckError.self) { try CardOrder.arrange(db, [(CardID(rawValue: 7), 7)], in: deck) }
    }
    #expect(spread <= 2 && (gap > 1 || spread > 0))
  }

  @Test func `the tags of the most recent cards are listed in order, each once`() throws {
    let deck = try collection.deck("tags")
    for (number, tags) in [["verb", "animal"], [], ["animal", "Verb::past"]].enumerated() {
      try collection.add(deck, NewCard(prompt: "\(number)", answer: "a", tags: tags))
    }
    #expect(try collection.store.read { try CardTable.recentTags($0) } == ["Verb::past", "animal", "verb"])
    for lot in 0..<6 {
      let tags = (0..<100).map { "n\(100 + lot * 100 + $0)" }
      try collection.add(deck, NewCard(prompt: "lot \(lot)", answer: "a", tags: tags))
    }
    #expect(try collection.store.read { try CardTable.recentTags($0) }.count == 500)
    let begun = try collection.store.read { try CardTable.recentTags($0, beginningWith: "Ver") }
    #expect(begun == ["Verb::past", "verb"])
  }

  @Test func `tags that differ only in Unicode composition are the same`() throws {
    let deck = try collection.deck("tags")
    for (number, tag) in ["caf\u{E9}", "cafe\u{301}"].enumerated() {
      try collection.add(deck, NewCard(prompt: "\(number)", answer: "a", tags: [tag]))
      try collection.addNote(deck, ["Front": "note \(number)", "Back": "b"], tags: [tag])
    }
    let columns = try collection.store.read { try String.fetchAll($0, sql: "SELECT DISTINCT tags FROM notes") }
    #expect(columns.map { Array($0.utf8) } == [Array(" caf\u{E9} ".utf8)])
    // A tag that is stored in another form is found too, and composed when the tags of its card change.
    try collection.store.operation("forge") { try $0.execute(sql: "UPDATE notes SET tags = ' cafe\u{301} '") }
    let found = try collection.store.read {
      try CardTable.ids($0, in: deck, matching: CardQuery("tag:caf\u{E9}"), at: StudyMoment(now: 0))
    }
    #expect(found.count == 4)
    let id = try #require(found.first)
    try collection.store.operation("tag") { db in
      let tags = Tags.changed(["cafe\u{301}"], adding: ["bar"], removing: [])
      try CardTable.update(db, id, tags: tags, now: collection.now)
    }
    #expect(
      try collection.store.read { try CardTable.card($0, id)?.tags.map { Array($0.utf8) } }
        == ["caf\u{E9}", "bar"].map { Array($0.utf8) })
  }

  @Test func `a deck has three limits of its own, and follows its preset again when one is removed`() throws {
    var limits = DeckLimits()
    for (name, value) in [(DeckOptions.Name.newPerDay, 5.0), (.reviewsPerDay, 60), (.desiredRetention, 0.85)] {
      #expect(limits.value(name) == nil)
      try limits.set(name, to: value)
      #expect(limits.value(name) == value)
    }
    let options = try limits.applied(to: DeckOptions())
    #expect(options.newPerDay == 5 && options.reviewsPerDay == 60 && options.desiredRetention == 0.85)
    try limits.set(.reviewsPerDay, to: nil)
    #expect(try limits.applied(to: DeckOptions()).reviewsPerDay == DeckOptions().reviewsPerDay)
    #expect(limits.value(.maximumInterval) == nil)
    for (name, value) in [
      (DeckOptions.Name.maximumInterval, 5.0), (.newPerDay, -1), (.newPerDay, 0.5), (.desiredRetention, 2),
    ] {
      #expect(problemCode { try limits.set(name, to: value) } == "bad_value", "\(name)")
    }
  }
}
