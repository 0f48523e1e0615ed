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
        answers.append(Answer(card: card, at: Double(moment) / 1000, rating: rating, isFirst: number == 0))
      }
    }
    self.answers = answers.sorted { ($0.at, $0.card) < ($1.at, $1.card) }
    person.clock.pass(max(0, (self.answers.last?.at ?? 0) + 3600 - workspace.moment.now))
  }

  /// Returns a deck with the first `count` answers of the log.
  private func deck(answers count: Int) throws -> DeckHandle {
    let deck = try workspace.decks.create("Real")
    var random = TestGenerator(1)
    try workspace.perform(.importCards) { db in
      let batch = try CardBatch(
        db, deck: deck.id, onDuplicate: .skip, now: workspace.moment.now, random: { random.next() })
      for card in 0..<1205 { try batch.add(NewCard(prompt: "c\(card)", answer: "x")) }
      _ = try batch.finish()
    }
    try log(answers.prefix(count), in: deck)
    return deck
  }

  private func log(_ answers: some Sequence<Answer>, in deck: DeckHandle) throws {
    try workspace.perform(.importAnswers) { db in
      let cards = try CardTable.ids(db, in: deck.id)
      for answer in answers {
        try db.execute(
          sql: "INSERT INTO reviews (card, at, rating, state, interval) VALUES (?, ?, ?, ?, 1)",
          arguments: [cards[answer.card].rawValue, answer.at, answer.rating, answer.isFirst ? 0 : 2])
      }
    }
  }

  @Test func `fitting chooses FSRS-7 where it predicts better, and one undo step reverts all of it`() throws {
    let deck = try deck(answers: .max)
    let outcome = try deck.fitting.run()
    let evidence = try #require(outcome.evidence)
    #expect(evidence.prefersFSRS7 && evidence.fsrs7.count >= 1000 && outcome.usesFSRS7)
    #expect(evidence.fsrs7.logLoss < evidence.fsrs6.logLoss)
    try deck.fitting.store(outcome)
    let options = try deck.scheduling.options()
    #expect(options.timed?.parameters == outcome.fitted.parameters && options.parameters.count == 21)
    #expect(options.fitted?.answers == answers.count && options.fitted?.firsts == [869, 0, 336, 0])
    try deck.scheduling.set([(.model, "fsrs-6")])
    #expect(try deck.scheduling.options().timed == nil)
    #expect(try deck.fitting.run().evidence == nil)
    _ = try workspace.care.undo()
    _ = try workspace.care.undo()
    #expect(try deck.scheduling.options() == DeckOptions())
    try workspace.close()
  }

  @Test func `with few answers FSRS-6 stays, unless FSRS-7 is asked for`() throws {
    let deck = try deck(answers: 4000)
    let outcome = try deck.fitting.run()
    #expect(!outcome.usesFSRS7 && outcome.fitted.parameters.isEmpty && outcome.evidence?.prefersFSRS7 == false)
    try deck.scheduling.set([(.model, "fsrs-7")])
    #expect(try deck.scheduling.options().timed == nil)
    try deck.fitting.store(deck.fitting.run())
    #expect(try deck.scheduling.options().timed != nil)
    let evidence = try deck.fitting.evidence()
    #expect(evidence.fsrs7.count == evidence.fsrs6.count && !evidence.fsrs7.calibration.isEmpty)
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
