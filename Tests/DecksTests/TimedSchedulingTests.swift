// Scheduling with FSRS-7, and with both models and the time of answers: what a preset stores, intervals, steps chosen
// by the model, and that order, queries, goals, leeches and statistics use the same recall.

import Glibc
import Problems
import Templates
import TestDecks

@testable import Decks
@testable import Memory

@Suite struct TimedSchedulingTests {
  private let collection = TestCollection(hasUndo: true)

  private static let time = AnswerTime(median: 4, shift: 0.05, slope: -0.3)

  private func fitted(_ firsts: [Int] = [100, 100, 100, 100]) throws -> FittedModels {
    try FittedModels(answers: 5000, parameters: MemoryModel7.published, firsts: firsts, time: Self.time)
  }

  private func options(_ set: [(DeckOptions.Name, String)] = [], firsts: [Int] = [100, 100, 100, 100]) throws
    -> DeckOptions
  {
    var options = DeckOptions()
    options.fitted = try fitted(firsts)
    try options.set(.model, toText: "fsrs-7")
    for (name, text) in set { try options.set(name, toText: text) }
    return options
  }

  @Test func `a preset stores the fitted parameters, and the option selects the model`() throws {
    var options = try options()
    #expect(try DeckOptions(json: options.json) == options && options.modelInUse == .fsrs7)
    #expect(options.recallModel.time == nil && options.recallModel.fsrs7 != nil)
    for (name, used) in [("fsrs-6", ModelChoice.fsrs6), ("both", .both), ("auto", .both)] {
      try options.set(.model, toText: name)
      #expect(try options.modelInUse == used && DeckOptions(json: options.json) == options)
    }
    #expect(options.recallModel.time == Self.time)
    try options.set(.answerTime, toText: "off")
    #expect(options.recallModel.time == AnswerTime(median: 0, shift: 0.05, slope: -0.3))
    options.fitted?.prefersFSRS6 = true
    #expect(try options.modelInUse == .fsrs6 && DeckOptions(json: options.json) == options)
    // Nothing is used with its published parameters.
    options.fitted = nil
    #expect(options.modelInUse == .fsrs6 && !options.recallModel.readsLog)
    #expect(throws: DeckError.self) { try options.set(.model, toText: "sm-2") }
  }

  @Test func `what was fitted before the time of answers counted is used as both models without it`() throws {
    let w = MemoryModel7.published.map { "\($0)" }.joined(separator: ",")
    let json = #"{"fitted":{"answers":9,"fsrs7":true,"version":1,"firsts":[1,2,3,4],"parameters":[\#(w)]}}"#
    let options = try DeckOptions(json: json)
    #expect(options.modelInUse == .both && options.fitted?.time == nil && options.fitted?.firsts == [1, 2, 3, 4])
    #expect(options.recallModel.time == AnswerTime(median: 0, shift: 0, slope: 0))
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
      var replay = TimedMemory.Replay(try options().recallModel)
      for _ in 0..<8 {
        let rating = Rating.allCases.randomElement(using: &random) ?? .good
        let moment = StudyMoment(now: now)
        replay.add(now, rating.rawValue, state: new.state.rawValue, seconds: 0)
        let next = seven.next(new, rating, at: moment)
        old = six.next(old, rating, at: moment).schedule
        new = next.schedule
        #expect(new.stability == old.stability && new.difficulty == old.difficulty)
        #expect(new.timed == replay.memory)
        if new.state == .review, let memory = new.timed?.state {
          let days = falling(to: 0.9, from: 1 / 86_400, to: 36_500) { model.retrievability(memory, days: $0) }
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
        let state = try #require(next.schedule.timed?.state)
        let wanted = falling(to: 0.9, from: 1 / 86_400, to: 36_500) { model.retrievability(state, days: $0) } * 86_400
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
      try values.set(.model, toText: "fsrs-7")
      for (name, text) in set { try values.set(name, toText: text) }
      try DeckTable.setOptions(db, deck, to: values)
    }
    let start = collection.now
    for (number, days) in [0, 3, 10].enumerated() {
      collection.now = start + Double(days) * 86_400
      let moment = collection.moment
      let session = try collection.store.read {
        try ReviewSession($0, .everything(deck), at: moment)
      }
      for place in 0..<6 {
        let rating: Rating = number == 2 && place < 2 ? .again : number == 0 && place == 5 ? .easy : .good
        _ = try collection.store.read { try session.card($0, at: moment) }
        // The first and last cards were answered fast, the others slowly.
        let seconds = place % 5 == 0 ? 1.5 : 9.0
        _ = try collection.store.operation("x") { try session.answer($0, rating, at: moment, seconds: seconds) }
      }
    }
    collection.now += 10 * 86_400
    return deck
  }

  private func entries(_ deck: DeckID) throws -> [CardID: CardMemories.Entry] {
    try collection.store.read { db in
      try CardMemories([deck: DeckTable.options(db, deck)]).all(db, in: [deck])
    }
  }

  @Test func `a session schedules by the card's whole log, also after an answer was undone`() throws {
    let deck = try deck()
    let moment = collection.moment
    let session = try collection.store.read { try ReviewSession($0, StudySelection([deck]), at: moment) }
    let before = try collection.store.read { try session.choices($0, at: moment) }
    let card = try #require(try collection.store.read { try session.card($0, at: moment) })
    let known = try #require(try entries(deck)[card.id])
    var schedule = card.schedule
    schedule.timed = known.timed
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

  @Test(arguments: ["fsrs-7", "both"])
  func `order, queries, known words, statistics and simulations use the same recall`(model: String) throws {
    let deck = try deck([(.reviewOrder, "forgotten"), (.model, model)])
    let moment = collection.moment
    let recalls = try entries(deck).mapValues { $0.recall(at: moment) }
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
    let used = try collection.store.read { try DeckTable.options($0, deck) }.recallModel
    var replays: [Int64: (replay: TimedMemory.Replay, stability: Double)] = [:]
    var predicted = 0.0
    try collection.store.read { db in
      try db.forEachRow("SELECT card, at, rating, state, seconds, stability FROM reviews ORDER BY id") { row in
        var (replay, stability) = replays[row.integer(0)] ?? (TimedMemory.Replay(used), 1)
        let days = (row.number(1) - replay.last) / 86_400
        if row.integer(3) == 2 {
          let whole = moment.day(of: row.number(1)) - moment.day(of: replay.last)
          predicted += used.curve(stability: stability, replay.memory).recall(days: days, wholeDays: whole)
        }
        replay.add(row.number(1), row.integer(2), state: row.integer(3), seconds: row.number(4))
        stability = row.number(5)
        replays[row.integer(0)] = (replay, stability)
      }
    }
    let recall = figures.recall(days: 100)
    #expect(abs(recall.young.predictedSum + recall.mature.predictedSum - predicted) < 1e-6 && predicted > 0)
    let simulation = try collection.store.read { try Simulation($0, deck: deck, at: moment) }
    let sums = simulation.cards.reduce(0) { $0 + simulation.recall(of: $1) }
    #expect(abs(sums - recalls.values.reduce(0, +)) < 0.05)
  }

  @Test func `a slow answer brings a card back sooner, an unknown time and answer_time=off as one of the median`()
    throws
  {
    let moment = StudyMoment(now: 1_700_000_000)
    var values = try options([(.model, "both")])
    func days(_ seconds: Double?) -> Double {
      Scheduler(options: values).next(CardSchedule(), .easy, at: moment, seconds: seconds).interval / 86_400
    }
    let usual = days(4)
    #expect(days(12) < usual && days(1) > usual && days(nil) == usual && days(0.2) == usual && days(0) == usual)
    // Longer than three times the median says nothing more.
    #expect(days(60) == days(12) && days(1) == days(0.5))
    let next = Scheduler(options: values).next(CardSchedule(), .easy, at: moment, seconds: 12).schedule
    let six = Scheduler(options: DeckOptions()).next(CardSchedule(), .easy, at: moment, seconds: 12).schedule
    #expect(next.stability == six.stability && next.difficulty == six.difficulty && six.timed == nil)
    try values.set(.answerTime, toText: "off")
    #expect([1, 4, 12].allSatisfy { days($0) == usual })
  }

  @Test func `the preview takes the time so far, what is recorded is limited, and undoing an answer restores it`()
    throws
  {
    let deck = try deck([(.model, "both"), (.maximumAnswerSeconds, "10"), (.fuzz, "off")])
    let moment = collection.moment
    var learnt = StudySelection([deck], query: try CardQuery("is:review") { false })
    learnt.isCram = true
    let session = try collection.store.read { try ReviewSession($0, learnt, at: moment) }
    func choices(_ seconds: Double?) throws -> [Double] {
      try collection.store.read { try session.choices($0, at: moment, seconds: seconds) }.map(\.interval)
    }
    let (fast, slow) = (try choices(1.5), try choices(200))
    #expect(try fast[2] > slow[2] && choices(10) == slow && choices(nil) == choices(4))
    let card = try #require(try collection.store.read { try session.card($0, at: moment) }).id
    let before = try #require(try entries(deck)[card])
    let result = try collection.store.operation("x") { try session.answer($0, .good, at: moment, seconds: 200) }
    #expect(result.interval == slow[2])
    let after = try #require(try entries(deck)[card]?.timed)
    #expect(after.hesitation == Self.time.hesitation(10) && after == result.schedule.timed)
    try collection.undo(session)
    let again = try #require(try entries(deck)[card])
    #expect(again.timed == before.timed && again.recall(at: moment) == before.recall(at: moment))
  }

  @Test func `leeches are judged, and goals choose, by the recall of both models`() throws {
    let deck = try deck([(.model, "both")])
    let (moment, card) = (collection.moment, try #require(try collection.cards(deck).first))
    let (options, log) = try collection.store.read { db in
      (
        try DeckTable.options(db, deck),
        try db.rows("SELECT at, rating, state, seconds FROM reviews WHERE card = ? ORDER BY at", [card.id.rawValue]) {
          ($0.number(0), $0.integer(1), $0.integer(2), $0.number(3))
        }
      )
    }
    let model = options.recallModel
    var (replay, state, forgetting) = (TimedMemory.Replay(model), MemoryState(stability: 1, difficulty: 5), 0.0)
    for (number, (at, rating, kind, seconds)) in log.enumerated() {
      let given = try #require(Rating(rawValue: rating))
      let whole = number == 0 ? 0 : moment.day(of: at) - moment.day(of: log[number - 1].0)
      if whole > 0 {
        let curve = model.curve(stability: state.stability, replay.memory)
        forgetting += 1 - curve.recall(days: (at - replay.last) / 86_400, wholeDays: whole)
      }
      state = number == 0 ? model.fsrs6.initial(given) : model.fsrs6.next(state, given, days: whole)
      replay.add(at, rating, state: kind, seconds: seconds)
    }
    let test = try collection.store.read { try LeechReading.test($0, card.id, options, at: moment) }
    #expect(abs(test.expected - forgetting) < 1e-9 && forgetting > 0)
    let known = try collection.store.read {
      try GoalGroup($0, [deck], moment).learntCards(CardStatus.shown(), [deck: options])
    }
    let entries = try entries(deck)
    #expect(!known.isEmpty)
    for card in known { #expect(card.memory.timed != nil && card.memory.timed == entries[card.id]?.timed) }
  }

  @Test func `a card being learnt that is due this evening is simulated today`() throws {
    let moment = collection.moment
    let deck = try collection.deck("a")
    let card = try collection.add(deck, "p", "a")
    try collection.store.execute(
      "UPDATE cards SET state = 1, due = ?, stability = 5, difficulty = 5, last_review = ? WHERE id = ?",
      [moment.start(ofDay: moment.today) + 15 * 3600, collection.now, card.rawValue])
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
      try values.set(.model, toText: "fsrs-7")
      try DeckTable.setOptions(db, deck, to: values)
    }
    let entry = try #require(try entries(deck)[card])
    #expect(abs(entry.recall(at: StudyMoment(now: 1_698_272_000 + 20 * 86_400)) - 0.9) < 1e-9)
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
