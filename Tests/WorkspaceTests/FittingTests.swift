// Fitting memory models through the workspace: what is saved, what is undone, and refitting in the background of the
// prompt.

import Decks
import Files
import Memory
import Problems
import Storage
import TestWorkspace

@testable import Workspace

@Suite struct FittingTests {
  private struct Answer {
    let card: Int
    let at: Double
    let rating: Int
    let isFirst: Bool
    let seconds: Double
  }

  private let person = Person()
  private let workspace: Workspace
  private let answers: [Answer]

  /// Reads the answers of a real log, ordered by time.
  init() throws {
    workspace = try person.workspace()
    let path = sourceRoot() + "/Tests/MemoryTests/Fixtures/answers_of_191_days.txt"
    let text = try #require(try FileText.read(path, limit: 1 << 20))
    var answers: [Answer] = []
    for (card, line) in text.split(separator: "\n").filter({ !$0.hasPrefix("#") }).enumerated() {
      var moment = 1_711_744_352_250
      for (number, answer) in line.split(separator: " ").enumerated() {
        let parts = answer.split(separator: ":")
        moment += try #require(Int(parts[1]))
        let rating = try #require(Int(parts[0]))
        let seconds = try #require(Double(parts[2])) / 1000
        answers.append(
          Answer(card: card, at: Double(moment) / 1000, rating: rating, isFirst: number == 0, seconds: seconds))
      }
    }
    self.answers = answers.sorted { ($0.at, $0.card) < ($1.at, $1.card) }
    person.clock.pass(max(0, (self.answers.last?.at ?? 0) + 3600 - workspace.moment.now))
  }

  /// Returns a deck with the first `count` answers of the log.
  private func deck(answers count: Int, timesAreKnown: Bool = true) throws -> DeckHandle {
    let deck = try workspace.decks.create("Real")
    var random = TestGenerator(1)
    try workspace.perform(.importCards) { db in
      let batch = try CardBatch(
        db, deck: deck.id, onDuplicate: .skip, now: workspace.moment.now, random: { random.next() })
      for card in 0..<1205 { try batch.add(NewCard(prompt: "c\(card)", answer: "x")) }
      _ = try batch.finish()
    }
    try log(answers.prefix(count), in: deck, timesAreKnown: timesAreKnown)
    return deck
  }

  private func log(_ answers: some Sequence<Answer>, in deck: DeckHandle, timesAreKnown: Bool = true) throws {
    try workspace.perform(.importAnswers) { db in
      let cards = try CardTable.ids(db, in: deck.id)
      for answer in answers {
        try db.execute(
          sql: "INSERT INTO reviews (card, at, rating, state, interval, seconds) VALUES (?, ?, ?, ?, 1, ?)",
          arguments: [
            cards[answer.card].rawValue, answer.at, answer.rating, answer.isFirst ? 0 : 2,
            timesAreKnown ? answer.seconds : nil,
          ])
      }
    }
  }

  @Test func `after a fitting both models schedule with the time of answers, and one undo step reverts all of it`()
    throws
  {
    let deck = try deck(answers: .max)
    let outcome = try deck.fitting.run()
    let (evidence, time) = (try #require(outcome.evidence), try #require(outcome.fitted.time))
    #expect(evidence.timed.count == 1435 && evidence.timed.logLoss < evidence.fsrs6.logLoss)
    #expect(outcome.model == .both && abs(time.median - 11.316) < 1e-4 && time.slope < -0.2, "\(time)")
    try deck.fitting.store(outcome)
    let options = try deck.scheduling.options()
    #expect(options.modelInUse == .both && options.fitted?.parameters.count == 34 && options.parameters.count == 21)
    #expect(options.fitted?.answers == answers.count && options.fitted?.firsts == [869, 0, 336, 0])
    // All models are fitted whatever the option says.
    try deck.scheduling.set([(.model, "fsrs-6")])
    #expect(try deck.scheduling.options().modelInUse == .fsrs6)
    let again = try deck.fitting.run()
    #expect(again.model == .fsrs6 && again.fitted.time != nil && again.evidence != nil)
    _ = try workspace.care.undo()
    _ = try workspace.care.undo()
    #expect(try deck.scheduling.options() == DeckOptions())
    try workspace.close()
  }

  @Test func `a short log is fitted without evidence, and answers from a pipe or a script leave the slope at 0`() throws
  {
    let deck = try deck(answers: 1400, timesAreKnown: false)
    let outcome = try deck.fitting.run()
    #expect(outcome.evidence == nil && outcome.model == .both && !outcome.fitted.parameters.isEmpty)
    let time = try #require(outcome.fitted.time)
    #expect(time.median == 0 && time.slope == 0 && time.shift != 0)
    try deck.fitting.store(outcome)
    #expect(try deck.scheduling.options().modelInUse == .both)
    #expect(throws: MemoryError.self) { try deck.fitting.evidence() }
    try workspace.close()
  }

  @Test func `answers of scripts and of other programs have no time, those of a user at a keyboard have`() throws {
    let deck = try workspace.decks.create("D")
    for prompt in ["a", "b", "c"] { try deck.add(NewCard(prompt: prompt, answer: "x")) }
    let session = try deck.study(SessionHandle.Options(try workspace.preferences()))
    try session.answer(.good)
    try session.answer(.good, seconds: 2.5)
    let cards = try workspace.read { try CardTable.ids($0, in: deck.id) }.map { workspace.handle(of: $0) }
    try workspace.cards.anki.answer(cards[2], .good)
    let times = try cards.map { try $0.answers().map(\.seconds) }
    #expect(Set(times.joined()) == [nil, 2.5] && times.joined().count == 3 && times[2] == [nil], "\(times)")
    let known = try #require(try cards[2].recall())
    #expect(known.share > 0.99 && known.speed == nil)
    try workspace.close()
  }

  @Test func `when the log has grown by a tenth the models are refitted in the background, in one step`() throws {
    let deck = try deck(answers: 9000)
    try deck.fitting.store(deck.fitting.run())
    let before = try deck.scheduling.options()
    #expect(before.fitted?.answers == 9000)
    // The first check remembers where the log ends.
    #expect(try workspace.refitting.advance() == nil && workspace.opened.fit == nil)
    try log(answers[9000..<9800], in: deck)
    #expect(try workspace.refitting.advance() == nil && workspace.opened.fit == nil)
    try log(answers[9800..<9950], in: deck)
    #expect(try workspace.refitting.advance() == nil && workspace.opened.fit != nil)
    _ = try workspace.opened.fit?.job.wait()
    let news = try #require(try workspace.refitting.advance())
    #expect(news.preset == "Real")
    let after = try deck.scheduling.options()
    #expect(after.fitted?.answers == 9950 && after != before)
    #expect(try workspace.refitting.advance() == nil && workspace.opened.fit == nil)
    _ = try workspace.care.undo()
    #expect(try deck.scheduling.options() == before)
    try workspace.close()
  }

  @Test func `a background fitting ends with the workspace and saves nothing`() throws {
    let deck = try deck(answers: 9000)
    try deck.fitting.store(deck.fitting.run())
    #expect(try workspace.refitting.advance() == nil)
    try log(answers[9000...], in: deck)
    #expect(try workspace.refitting.advance() == nil && workspace.opened.fit != nil)
    try workspace.close()
    #expect(workspace.opened.fit == nil)
    let again = try person.workspace()
    #expect(try again.decks.open("Real").scheduling.options().fitted?.answers == 9000)
    // Nor is one saved after a restore has replaced its answers.
    again.opened.lastCheckedAnswer = 0
    #expect(try again.refitting.advance() == nil && again.opened.fit != nil)
    let backup = person.data + "/kept.deckhand-backup"
    try again.care.backup(to: backup)
    _ = try again.care.restore(again.care.stage(backup))
    #expect(try again.opened.fit == nil && again.refitting.advance() == nil)
    try again.close()
  }
}
