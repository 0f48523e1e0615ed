// Scheduling with FSRS-7: what a preset stores of it, intervals, steps chosen by the model, and statistics based on
// it.

import Glibc
import Problems
import Templates
import TestDecks

@testable import Decks
@testable import Memory

@Suite struct TimedSchedulingTests {
  private let collection = TestCollection(hasUndo: true)

  private func fitted(_ firsts: [Int] = [100, 100, 100, 100], preferred: Bool = true) throws -> FittedModels {
    try FittedModels(answers: 5000, prefersFSRS7: preferred, parameters: MemoryModel7.published, firsts: firsts)
  }

  private func options(_ set: [(DeckOptions.Name, String)] = [], firsts: [Int] = [100, 100, 100, 100]) throws
    -> DeckOptions
  {
    var options = DeckOptions()
    options.fitted = try fitted(firsts)
    for (name, text) in set { try options.set(name, toText: text) }
    return options
  }

  @Test func `a preset stores the fitted parameters, and the option selects the model`() throws {
    var options = try options()
    #expect(try DeckOptions(json: options.json) == options && options.timed != nil)
    try options.set(.model, toText: "fsrs-6")
    #expect(options.timed == nil && options.modelChoice == .fsrs6)
    options.fitted = try fitted(preferred: false)
    try options.set(.model, toText: "auto")
    #expect(options.timed == nil)
    try options.set(.model, toText: "fsrs-7")
    #expect(options.timed != nil)
    // FSRS-7 is never used with its published parameters.
    options.fitted = nil
    #expect(options.timed == nil)
    #expect(throws: DeckError.self) { try options.set(.model, toText: "sm-2") }
  }

  @Test(arguments: ["[1]", "{}", #"{"answers":1,"version":1,"firsts":[],"parameters":[7]}"#, "3"])
  func `a fitting that cannot be parsed is ignored`(json: String) throws {
    #expect(try DeckOptions(json: #"{"fitted":\#(json),"x":1}"#).fitted == nil)
  }

  @Test func `intervals come from FSRS-7, stability and difficulty from FSRS-6`() throws {
    var random = TestGenerator(3)
    let (six, seven) = (Scheduler(options: DeckOptions()), Scheduler(options: try options()))
    let model = MemoryModel7(checked: MemoryModel7.published)
    for _ in 0..<60 {
      var (old, new, now) = (CardSchedule(), CardSchedule(), 1_700_000_000.0)
      var replay = TimedMemory.Replay(model)
      for _ in 0..<8 {
        let rating = Rating.allCases.randomElement(using: &random) ?? .good
        let moment = StudyMoment(now: now)
        replay.add(now, rating.rawValue, state: new.state.rawValue)
        let next = seven.next(new, rating, at: moment)
        old = six.next(old, rating, at: moment).schedule
        new = next.schedule
        #expect(new.stability == old.stability && new.difficulty == old.difficulty)
        #expect(new.timed == replay.memory)
        if new.state == .review, let memory = new.timed {
          let days = model.exactInterval(memory.state, retention: 0.9)
          #expect(next.interval == 86_400 * max(1, min(36_500, days.rounded(.toNearestOrEven))))
        }
        now += (next.interval * Double.random(in: 0.3...2, using: &random)).rounded() + 1
      }
    }
  }

  @Test func `a first easy rating with little data gives at most twice the days of FSRS-6`() throws {
    let moment = StudyMoment(now: 1_700_000_000)
    let usual = Scheduler(options: DeckOptions()).next(CardSchedule(), .easy, at: moment).interval / 86_400
    let free = Scheduler(options: try options()).next(CardSchedule(), .easy, at: moment).interval / 86_400
    let held = try Scheduler(options: options(firsts: [90, 90, 90, 3])).next(CardSchedule(), .easy, at: moment)
    #expect(usual == 8 && free > 30 && held.interval / 86_400 <= 17, "\(usual) \(free) \(held.interval)")
  }

  @Test func `with model steps a card learnt today comes back when the model says, at least ten minutes later`() throws
  {
    var random = TestGenerator(8)
    let auto = try options([(.learningSteps, "auto"), (.relearningSteps, "auto")])
    let scheduler = Scheduler(options: auto)
    let model = MemoryModel7(checked: MemoryModel7.published)
    var (steps, days) = (0, 0)
    for _ in 0..<200 {
      var (schedule, now) = (CardSchedule(), 1_700_000_000.0 + Double.random(in: 0...86_400, using: &random))
      for _ in 0..<6 {
        let moment = StudyMoment(now: now)
        let next = scheduler.next(schedule, Bool.random(using: &random) ? .again : .good, at: moment)
        let wanted = model.exactInterval(try #require(next.schedule.timed).state, retention: 0.9) * 86_400
        if next.schedule.state == .review {
          days += 1
          #expect(next.interval >= 86_400)
        } else {
          steps += 1
          #expect(next.interval >= 600 && abs(next.interval - max(600, wanted)) <= 1)
          #expect(now + next.interval < moment.endOfToday)
        }
        (schedule, now) = (next.schedule, now + next.interval + 5)
      }
    }
    #expect(steps > 50 && days > 50, "\(steps) \(days)")
    // With FSRS-6 they are the initial ones.
    var six = auto
    try six.set(.model, toText: "fsrs-6")
    #expect(six.learningSteps == [60, 600] && six.relearningSteps == [600])
    #expect(Scheduler(options: six).next(CardSchedule(), .again, at: StudyMoment(now: 0)).interval == 60)
    #expect(try DeckOptions(json: auto.json) == auto && auto[.learningSteps].text == "auto")
  }

  /// Returns a deck of cards that were answered good three times, the last time ten days ago.
  private func deck(_ set: [(DeckOptions.Name, String)] = []) throws -> DeckID {
    let deck = try collection.deck("d")
    _ = try collection.addAll(deck, (0..<6).map { NewCard(prompt: "c\($0)", answer: "x") })
    try collection.store.operation("x") { db in
      var values = try DeckTable.presetOptions(db, deck)
      values.fitted = try fitted()
      for (name, text) in set { try values.set(name, toText: text) }
      try DeckTable.setOptions(db, deck, to: values)
    }
    let start = collection.now
    for (number, days) in [0, 3, 10].enumerated() {
      collection.now = start + Double(days) * 86_400
      let moment = StudyMoment(now: collection.now)
      let session = try collection.store.read {
        try ReviewSession($0, .everything(deck), at: moment)
      }
      for place in 0..<6 {
        let rating: Rating = number == 2 && place < 2 ? .again : number == 0 && place == 5 ? .easy : .good
        _ = try collection.store.read { try session.card($0, at: moment) }
        _ = try collection.store.operation("x") { try session.answer($0, rating, at: moment) }
      }
    }
    collection.now += 10 * 86_400
    return deck
  }

  private func entries(_ deck: DeckID) throws -> [CardID: TimedMemories.Entry] {
    try collection.store.read { db in
      try TimedMemories([deck: DeckTable.options(db, deck)]).all(db, in: [deck])
    }
  }

  @Test func `a session schedules by the card's whole log, also after an answer was undone`() throws {
    let deck = try deck()
    let moment = StudyMoment(now: collection.now)
    let session = try collection.store.read { try ReviewSession($0, StudySelection([deck]), at: moment) }
    let before = try collection.store.read { try session.choices($0, at: moment) }
    let card = try #require(try collection.store.read { try session.card($0, at: moment) })
    let known = try #require(try entries(deck)[card.id])
    var schedule = card.schedule
    schedule.timed = known.memory
    let scheduler = Scheduler(options: try collection.store.read { try DeckTable.options($0, deck) })
    let texts = CardTexts(prompt: card.prompt, answer: card.answer)
    let seed = UInt64(bitPattern: texts.content) &+ UInt64(card.reps)
    for (rating, interval) in before {
      #expect(scheduler.next(schedule, rating, at: moment, seed: seed).interval == interval)
    }
    _ = try collection.store.operation("x") { try session.answer($0, .good, at: moment) }
    try collection.undo(session)
    let after = try collection.store.read { try session.choices($0, at: moment) }
    #expect(zip(before, after).allSatisfy { $0.interval == $1.interval } && before.count == 4)
    #expect(try collection.store.read { try CardTable.card($0, card.id)?.schedule.timed } == nil)
  }

  @Test func `order, queries, known words, statistics and simulations use the memories of FSRS-7`() throws {
    let deck = try deck([(.reviewOrder, "forgotten")])
    let moment = StudyMoment(now: collection.now)
    let recalls = try entries(deck).mapValues { $0.recall(at: moment.now) }
    #expect(recalls.count == 6)
    let session = try collection.store.read { try ReviewSession($0, StudySelection([deck]), at: moment) }
    let first = try #require(try collection.store.read { try session.card($0, at: moment) })
    let lowest = try #require(recalls.min { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) })
    #expect(first.state != .review || abs((recalls[first.id] ?? 1) - lowest.value) < 1e-12)
    for bound in [0.3, 0.5, 0.7, 0.8, 0.9, 0.95] {
      let found = try collection.store.read {
        try CardTable.ids($0, in: deck, matching: CardQuery("prop:r<\(bound)") { false }, at: moment)
      }
      #expect(Set(found) == Set(recalls.filter { $0.value < bound }.keys), "\(bound)")
    }
    var words: [String: Double] = [:]
    try collection.store.read { db in
      let memories = try NoteMemories(db, at: moment)
      try NoteWords.forEach(db) { words[$1] = try memories.memory(db, of: $0)?.recall }
    }
    for card in try collection.cards(deck) {
      let (word, recall) = (try #require(words[card.prompt]), try #require(recalls[card.id]))
      #expect(abs(word - recall) < 1e-12)
    }
    let figures = try collection.store.read { try DeckStatistics($0, decks: [deck], at: moment) }
    #expect(abs(figures.known - recalls.values.reduce(0, +)) < 1e-9)
    // What was predicted before each answer for a learnt card.
    var replays: [Int64: TimedMemory.Replay] = [:]
    var predicted = 0.0
    try collection.store.read { db in
      try db.forEachRow("SELECT card, at, rating, state FROM reviews ORDER BY id") { row in
        var replay = replays[row.integer(0)] ?? TimedMemory.Replay(MemoryModel7(checked: MemoryModel7.published))
        if row.integer(3) == 2 { predicted += replay.recall(at: row.number(1)) ?? 0 }
        replay.add(row.number(1), row.integer(2), state: row.integer(3))
        replays[row.integer(0)] = replay
      }
    }
    let recall = figures.recall(days: 100)
    #expect(abs(recall.young.predictedSum + recall.mature.predictedSum - predicted) < 1e-9 && predicted > 0)
    let simulation = try collection.store.read { try Simulation($0, deck: deck, at: moment) }
    let sums = simulation.cards.reduce(0) { $0 + simulation.recall(of: $1) }
    #expect(abs(sums - recalls.values.reduce(0, +)) < 0.05)
  }

  @Test func `a card being learnt that is due this evening is simulated today`() throws {
    let moment = StudyMoment(now: collection.now)
    let deck = try collection.deck("a")
    let card = try collection.add(deck, "p", "a")
    try collection.store.operation("x") { db in
      try db.execute(
        sql: "UPDATE cards SET state = 1, due = ?, stability = 5, difficulty = 5, last_review = ? WHERE id = ?",
        arguments: [moment.start(ofDay: moment.today) + 15 * 3600, collection.now, card.rawValue])
    }
    let simulation = try collection.store.read { try Simulation($0, deck: deck, at: moment) }
    #expect(try simulation.run(retentions: [0.9], days: 2)[0].reviews.first == 1)
  }

  @Test func `a card without a log starts from its stability`() throws {
    let deck = try collection.deck("imported")
    let card = try collection.add(deck, "p", "a")
    try collection.store.operation("x") { db in
      try db.execute(
        sql: "UPDATE cards SET state = 2, due = 1700000000, stability = 20, difficulty = 5, last_review = 1698272000")
      var values = DeckOptions()
      values.fitted = try fitted()
      try DeckTable.setOptions(db, deck, to: values)
    }
    let entry = try #require(try entries(deck)[card])
    #expect(abs(entry.recall(at: 1_698_272_000 + 20 * 86_400) - 0.9) < 1e-9)
  }

  @Test func `answers in all decks of a preset count towards fitting again`() throws {
    let deck = try deck()
    let other = try collection.deck("d::inner")
    try collection.add(other, "q", "a")
    let preset = try #require(try collection.store.read { try DeckTable.preset($0, deck) })
    let (decks, count, due) = try collection.store.read { db in
      (
        try PresetTable.decks(db, of: preset), try PresetTable.answerCount(db, of: preset),
        try PresetTable.dueForFitting(db)
      )
    }
    #expect(decks == [deck, other] && count == 18 && due == nil)
    try collection.store.operation("x") { db in
      var values = try PresetTable.record(db, preset).options
      values.fitted?.answers = 0
      try PresetTable.setOptions(db, preset, to: values)
      // At least two hundred answers are needed.
      for number in 0..<182 {
        try db.execute(
          sql: "INSERT INTO reviews (card, at, rating, state, interval) SELECT id, ?, 3, 2, 1 FROM cards LIMIT 1",
          arguments: [1_600_000_000.0 + Double(number)])
      }
      #expect(try PresetTable.dueForFitting(db)?.id == preset)
    }
  }
}
