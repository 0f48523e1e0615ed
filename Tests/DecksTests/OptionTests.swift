// Options: their kinds, ranges and texts; presets that decks share and inherit; limits of a single deck.

import Memory
import Problems
import TestDecks

@Suite struct OptionTests {
  let collection = TestCollection()

  private func options(_ deck: DeckID) throws -> DeckOptions {
    try collection.store.read { try DeckTable.options($0, deck) }
  }

  @Test func `options have ranges, and unknown members survive`() throws {
    let deck = try collection.deck("d")
    let stored = #"{"new_per_day":7,"desired_retention":5,"future":{"a":[1.50]},"leech_threshold":"x","fuzz":0}"#
    try collection.store.operation("x") { db in
      try DeckTable.setOptions(db, deck, to: DeckOptions())
      try db.execute(sql: "UPDATE presets SET options = ?", arguments: [stored])
      var options = try DeckTable.options(db, deck)
      #expect(
        (options.newPerDay, options.desiredRetention, options.leechThreshold, options.fuzzes) == (7, 0.9, 8, true))
      for (name, value) in [
        ("new_per_day", -1.0), ("new_per_day", 1.5), ("desired_retention", 0.5), ("desired_retention", 1),
        ("leech_threshold", 0), ("maximum_interval", 36_501), ("reviews_per_day", .nan), ("reviews_per_day", .infinity),
        ("fuzz", 1), ("learning_steps", 60),
      ] {
        #expect(problemCode { try options.set(DeckOptions.name(name), to: value) } == "bad_value")
      }
      try options.set(DeckOptions.name("desired_retention"), to: 0.85)
      try DeckTable.setOptions(db, deck, to: options)
      #expect(try DeckTable.options(db, deck) == options)
      let text = try String.fetchOne(db, sql: "SELECT options FROM presets")
      #expect(text == #"{"new_per_day":7,"desired_retention":0.85,"future":{"a":[1.50]}}"#)
    }
    let error = #expect(throws: DeckError.self) { try DeckOptions.name("new_per_dya") }
    #expect(error?.message == "new_per_dya is not an option of a deck (did you mean \"new_per_day\"?)")
    for (name, hint) in [
      ("foo", "; `deck options DECK` lists them"), ("Retention", " (did you mean \"desired_retention\"?)"),
      ("steps", " (did you mean \"learning_steps\" or \"relearning_steps\"?)"),
    ] {
      let error = #expect(throws: DeckError.self) { try DeckOptions.name(name) }
      #expect(error?.message == "\(name) is not an option of a deck\(hint)")
    }
    var options = DeckOptions()
    let range = #expect(throws: DeckError.self) { try options.set(.desiredRetention, to: 2) }
    #expect(range?.message == "desired_retention must be a number from 0.7 to 0.99")
  }

  @Test(arguments: [
    (DeckOptions.Name.learningSteps, "1m 10m 1d", "1m 10m 1d"), (.learningSteps, " 90s 15 2h ", "90s 15m 2h"),
    (.learningSteps, "", ""), (.fuzz, "off", "false"), (.fuzz, "YES", "true"), (.leechAction, "Suspend", "suspend"),
    (.newPerDay, "20.0", "20"), (.desiredRetention, "0.85", "0.85"), (.reviewOrder, "hardest", "hardest"),
    (.parameters, "", ""), (.easyDays, "sat=0.5 SUN=0", "sat=0.5 sun=0"), (.easyDays, "", ""),
    (.easyDays, "sunday=0 mon=1", "sun=0"), (.easyDays, "1 1 1 1 1 0.5 0", "sat=0.5 sun=0"),
    (.loadBalance, "on", "true"),
  ])
  func `a typed value reads back as it is shown`(name: DeckOptions.Name, typed: String, shown: String) throws {
    var options = DeckOptions()
    try options.set(name, toText: typed)
    #expect(options[name].text == shown)
    var again = DeckOptions()
    try again.set(name, toText: shown)
    #expect(again == options)
    let deck = try collection.deck("d")
    try collection.set(deck, name, typed)
    #expect(try self.options(deck)[name] == options[name])
  }

  @Test func `parameters may be in brackets, as Anki shows them`() throws {
    let text = DeckOptions().parametersInUse.map { "\($0)" }.joined(separator: ", ")
    var (plain, bracketed) = (DeckOptions(), DeckOptions())
    try plain.set(.parameters, toText: text)
    try bracketed.set(.parameters, toText: "[\(text)]")
    #expect(plain == bracketed && plain != DeckOptions())
  }

  @Test(arguments: [
    (DeckOptions.Name.learningSteps, "0s"), (.learningSteps, "366d"), (.learningSteps, "1x"),
    (.learningSteps, "1m,10m"), (.learningSteps, String(repeating: "1m ", count: 101)), (.learningSteps, "nanm"),
    (.fuzz, "maybe"), (.leechAction, "delete"), (.newPerDay, "ten"), (.newPerDay, ""), (.parameters, "1, 2, 3"),
    (.parameters, String(repeating: "nan ", count: 21)), (.parameters, String(repeating: "0 ", count: 21)),
    (.parameters, "x"), (.easyDays, "sun"), (.easyDays, "sun=2"), (.easyDays, "sun=-1"), (.easyDays, "so=0"),
    (.easyDays, "sun=nan"), (.easyDays, "=0"), (.easyDays, "1 1 1 1 1 1 2"), (.easyDays, "1 1 1 1 1 1"),
  ])
  func `an invalid value is refused`(name: DeckOptions.Name, typed: String) {
    var options = DeckOptions()
    let error = #expect(throws: DeckError.self) { try options.set(name, toText: typed) }
    #expect(error?.code == "bad_value" && error?.message.contains(name.text) == true)
    #expect(options == DeckOptions())
  }

  @Test func `every option describes its values, and its initial value is one of them`() throws {
    for name in DeckOptions.Name.allCases {
      var options = DeckOptions()
      try options.set(name, name.initial)
      #expect(name.summary.hasSuffix(".") && !name.expectation.isEmpty, "\(name)")
      #expect(options[name] == DeckOptions()[name])
    }
  }

  @Test func `an inner deck uses the nearest preset around it`() throws {
    let outer = try collection.deck("a")
    let inner = try collection.deck("a::b")
    let deep = try collection.deck("a::b::c")
    try collection.set(outer, .newPerDay, "5")
    #expect(try [options(outer), options(inner), options(deep)].map(\.newPerDay) == [5, 5, 5])
    // Changing it in the inner deck creates a preset of its own, a copy of the old one.
    try collection.set(inner, .reviewsPerDay, "9")
    #expect(try [options(outer), options(inner), options(deep)].map(\.reviewsPerDay) == [200, 9, 9])
    #expect(try options(deep).newPerDay == 5)
    let presets = try collection.store.read { try PresetTable.list($0) }
    #expect(presets.map(\.name) == ["a", "a::b"] && presets.map(\.deckCount) == [1, 1])
    try collection.store.operation("x") { try PresetTable.remove($0, presets[1].id) }
    #expect(try options(deep).reviewsPerDay == 200)
  }

  @Test func `a preset of a package joins one of its own name or number with the same options, and no other`() throws {
    var options = DeckOptions()
    try options.set(.newPerDay, toText: "5")
    let names = try collection.store.operation("x") { db in
      try ["Spanish", "Span", "Span", "Spanish"].map { name in
        let id = try PresetTable.receive(db, named: name, options, now: collection.now)
        return try PresetTable.record(db, id).name
      }
        + [DeckOptions(), options].map { given in
          let id = try PresetTable.receive(db, named: "Span", given, now: collection.now)
          return try PresetTable.record(db, id).name
        }
    }
    #expect(names == ["Spanish", "Span", "Span", "Spanish", "Span 2", "Span"])
    let again = try collection.store.operation("x") { db in
      try PresetTable.record(db, PresetTable.receive(db, named: "Span", DeckOptions(), now: collection.now)).name
    }
    #expect(again == "Span 2")
    let marks = try collection.store.operation("x") { db in
      let name = "e" + String(repeating: "\u{301}", count: 1000)
      return try PresetTable.record(db, PresetTable.receive(db, named: name, options, now: collection.now)).name
    }
    #expect(marks.unicodeScalars.count == 128)
  }

  @Test func `decks share a preset, and a change applies to all of them`() throws {
    let (a, b) = (try collection.deck("a"), try collection.deck("b"))
    try collection.store.operation("x") { db in
      let preset = try PresetTable.create(db, name: "Shared", now: collection.now)
      try DeckTable.setPreset(db, a, to: preset.id)
      try DeckTable.setPreset(db, b, to: preset.id)
    }
    try collection.set(a, .learningSteps, "5m")
    #expect(try options(b).learningSteps == [300])
    try collection.store.operation("x") { db in
      #expect(problemCode { try PresetTable.create(db, name: "SHARED", now: collection.now) } == "exists")
      let error = #expect(throws: DeckError.self) { try PresetTable.create(db, name: " ", now: collection.now) }
      #expect(error?.message == "a preset's name must not be blank: \" \"")
      #expect(problemCode { _ = try PresetTable.find(db, named: "Shard") } == "not_found")
      #expect(problemCode { try DeckTable.setPreset(db, a, to: PresetID(rawValue: 99)) } == "not_found")
      let preset = try PresetTable.find(db, named: "shared")
      try PresetTable.rename(db, preset.id, to: "sHARED")
      #expect(try PresetTable.record(db, preset.id).name == "sHARED")
      // One name in two Unicode forms is the same name.
      let coffee = try PresetTable.create(db, name: "Caf\u{E9}", now: collection.now)
      #expect(try PresetTable.find(db, named: "cafe\u{301}") == coffee)
      #expect(try PresetTable.findOrCreate(db, named: "Cafe\u{301}", now: collection.now) == coffee)
      #expect(try PresetTable.freeName(db, like: "Cafe\u{301}") == "Caf\u{E9} 2")
    }
  }

  @Test(arguments: [
    (#"{"new_per_day": 7, "reviews_per_day": 90, "desired_retention": 0.85}"#, "7 90 0.85"),
    (#"{"new_per_day": "7", "reviews_per_day": -1, "desired_retention": 0.2}"#, "nil nil nil"),
    (#"{"new_per_day": 10000, "reviews_per_day": 1.5, "desired_retention": "x"}"#, "nil nil nil"),
  ])
  func `valid limits in a file are used, and invalid ones are ignored`(json: String, expected: String) throws {
    let limits = try DeckLimits(checking: json)
    let shown = [DeckOptions.Name.newPerDay, .reviewsPerDay, .desiredRetention].map { name in
      limits.value(name).map { value in
        value == value.rounded() ? "\(Int(value))" : "\(value)"
      } ?? "nil"
    }
    #expect(shown.joined(separator: " ") == expected)
    #expect(try DeckLimits(checking: limits.json) == limits)
  }

  @Test func `limits of a day in a file survive, and so do its unknown members`() throws {
    let moment = collection.moment
    let json = "{\"new_today\":[\(moment.today),3],\"reviews_today\":[\(moment.today),5],\"newer\":[1]}"
    let limits = try DeckLimits(checking: json)
    #expect(limits.json == json)
    let deck = try collection.deck("a")
    _ = try collection.addAll(deck, (0..<9).map { NewCard(prompt: "\($0)", answer: "x") })
    try collection.store.operation("x") { db in
      try DeckTable.setLimits(db, deck, to: limits)
      #expect(try StudyCounts.of(db, deck, at: moment).new == 3)
      #expect(try DeckTable.allOptions(db, at: moment)[deck]?.reviewsPerDay == 5)
      try DeckTable.extendToday(db, deck, reviews: 4, at: moment)
      #expect(try DeckTable.allOptions(db, at: moment)[deck]?.reviewsPerDay == 9)
    }
    for strange in [#"{"new_today":"x"}"#, #"{"new_today":[1]}"#, #"{"new_today":[1,2,3]}"#] {
      #expect(try DeckLimits(checking: strange).json == "{}", "\(strange)")
    }
    for broken in ["[1]", "{", "7"] { #expect(problemCode { _ = try DeckLimits(checking: broken) } == "bad_value") }
  }

  @Test func `a deck's own limits override its preset, and those of a day override both for that day`() throws {
    let deck = try collection.deck("a")
    let inner = try collection.deck("a::b")
    let moment = collection.moment
    _ = try collection.addAll(deck, (0..<40).map { NewCard(prompt: "\($0)", answer: "x") })
    try collection.store.operation("x") { db in
      var limits = try DeckTable.limits(db, deck)
      try limits.set(.newPerDay, to: 3)
      #expect(problemCode { try limits.set(.newPerDay, to: -1) } == "bad_value")
      #expect(problemCode { try limits.set(.fuzz, to: 1) } == "bad_value")
      try DeckTable.setLimits(db, deck, to: limits)
      #expect(try DeckTable.limits(db, deck) == limits)
      #expect(try (DeckTable.options(db, deck).newPerDay, DeckTable.options(db, inner).newPerDay) == (3, 20))
      #expect(try StudyCounts.of(db, deck, at: moment).new == 3)
      try DeckTable.extendToday(db, deck, new: 4, at: moment)
      #expect(try StudyCounts.of(db, deck, at: moment).new == 7)
      #expect(try StudyCounts.of(db, deck, at: StudyMoment(now: collection.now + 86_400)).new == 3)
      try DeckTable.extendToday(db, deck, new: .min, at: moment)
      #expect(try StudyCounts.of(db, deck, at: moment).new == 0)
    }
  }

  @Test func `more new cards for a deck come from the decks within it, whatever their own limits`() throws {
    let deck = try collection.deck("a")
    let inner = try collection.deck("a::b::c")
    let moment = collection.moment
    _ = try collection.addAll(inner, (0..<40).map { NewCard(prompt: "\($0)", answer: "x") })
    try collection.store.operation("x") { db in
      for (deck, limit) in [(deck, 2.0), (inner, 3)] {
        var limits = try DeckTable.limits(db, deck)
        try limits.set(.newPerDay, to: limit)
        try DeckTable.setLimits(db, deck, to: limits)
      }
      let session = try ReviewSession(db, deck: inner, at: moment)
      for _ in 0..<3 { _ = try session.answer(db, .easy, at: moment) }
      #expect(try StudyCounts.of(db, deck, at: moment).new == 0)
      try DeckTable.extendToday(db, deck, new: 4, at: moment)
      #expect(try StudyCounts.of(db, deck, at: moment).new == 4)
      #expect(try StudyCounts.of(db, deck, at: StudyMoment(now: collection.now + 86_400)).new == 2)
    }
  }

  @Test func `more new cards come after the limit of reviews is reached, as many as were asked for`() throws {
    let deck = try collection.deck("a")
    let inner = try collection.deck("a::b")
    let moment = collection.moment
    _ = try collection.addAll(inner, (0..<40).map { NewCard(prompt: "\($0)", answer: "x") })
    try collection.store.operation("x") { db in
      for deck in [deck, inner] {
        var limits = try DeckTable.limits(db, deck)
        try limits.set(.reviewsPerDay, to: 0)
        try DeckTable.setLimits(db, deck, to: limits)
      }
      #expect(try StudyCounts.of(db, deck, at: moment).new == 0)
      try DeckTable.extendToday(db, deck, new: 4, at: moment)
      #expect(try StudyCounts.of(db, deck, at: moment).new == 4)
      let session = try ReviewSession(db, deck: deck, at: moment)
      #expect(session.remaining == 4)
      _ = try session.answer(db, .easy, at: moment)
      try DeckTable.extendToday(db, deck, new: 2, at: moment)
      #expect(try StudyCounts.of(db, deck, at: moment).new == 5)
      let limits = try DeckTable.limits(db, deck)
      #expect(try DeckLimits(checking: limits.json) == limits)
      #expect(try StudyCounts.of(db, deck, at: StudyMoment(now: collection.now + 86_400)).new == 0)
    }
  }
}
