// Sprints: reviewing a deck against the clock.

import Decks
import TestSupport

@Suite struct SprintTests {
  final class Clock {
    var now = 1000.0
  }

  let clock = Clock()

  private func sprint(_ count: Int, seconds: Double = 100) -> Sprint {
    Sprint(cards: cards(count), seconds: seconds) { [clock] in clock.now }
  }

  private func cards(_ count: Int) -> [CardID] { (0..<count).map { CardID(rawValue: Int64($0)) } }

  @Test func `a right answer removes the top card, a wrong one puts it under the others`() throws {
    let sprint = sprint(3)
    let first = try sprint.answer(isRight: false)
    #expect((first.card, first.isRight, first.remaining, first.isOver) == (CardID(rawValue: 0), false, 3, false))
    try sprint.answer(isRight: true)
    try sprint.answer(isRight: true)
    #expect(sprint.card == CardID(rawValue: 0))
    #expect(try sprint.answer(isRight: true).isOver)
    #expect((sprint.right, sprint.wrong, sprint.remaining) == (3, 1, 0))
    #expect(sprint.card == nil && sprint.isOver && !sprint.isActive)
    #expect(throws: DeckError.over) { try sprint.answer(isRight: true) }
  }

  @Test func `at 0 seconds nothing can be answered`() throws {
    let sprint = sprint(3)
    clock.now += 99.5
    #expect(sprint.timeRemaining == 0.5)
    try sprint.answer(isRight: true)
    clock.now += 0.5
    #expect(sprint.isOver && sprint.card == nil && sprint.timeRemaining == 0)
    #expect(throws: DeckError.over) { try sprint.answer(isRight: true) }
    #expect(throws: DeckError.over) { try sprint.undo() }
    sprint.resume()
    #expect(!sprint.isActive)
  }

  @Test func `a pause stops the clock`() throws {
    let sprint = sprint(3)
    clock.now += 30
    sprint.pause()
    sprint.pause()
    clock.now += 1000
    #expect(sprint.timeRemaining == 70 && !sprint.isActive && !sprint.isOver)
    #expect(throws: DeckError.paused) { try sprint.answer(isRight: true) }
    sprint.resume()
    sprint.resume()
    clock.now += 20
    #expect(sprint.timeRemaining == 50 && sprint.isActive)
  }

  @Test func `restart restores all seconds and the whole stack, reset the changed one`() throws {
    let sprint = sprint(2)
    try sprint.answer(isRight: true)
    try sprint.answer(isRight: false)
    clock.now += 200
    sprint.restart()
    #expect((sprint.remaining, sprint.timeRemaining, sprint.right, sprint.wrong) == (2, 100, 0, 0))
    #expect(sprint.card == CardID(rawValue: 0) && sprint.isActive)
    clock.now += 10
    sprint.reset(cards: cards(5))
    #expect((sprint.remaining, sprint.timeRemaining) == (5, 100))
    sprint.reset(cards: [])
    #expect(sprint.isOver && !sprint.isActive)
    clock.now += 10
    #expect(sprint.timeRemaining == 100)
  }

  @Test func `an empty deck never starts the clock`() throws {
    let sprint = sprint(0)
    clock.now += 10
    #expect(sprint.timeRemaining == 100 && sprint.isOver && !sprint.isActive)
    sprint.restart()
    sprint.resume()
    clock.now += 10
    #expect(sprint.timeRemaining == 100 && !sprint.isActive)
    #expect(throws: DeckError.over) { try sprint.answer(isRight: true) }
  }

  @Test func `the clock stops with the last card, and undo starts it again`() throws {
    let sprint = sprint(1)
    clock.now += 10
    try sprint.answer(isRight: true)
    clock.now += 50
    #expect(sprint.timeRemaining == 90)
    try sprint.undo()
    #expect(sprint.isActive && sprint.card == CardID(rawValue: 0) && sprint.right == 0)
    clock.now += 5
    #expect(sprint.timeRemaining == 85)
    #expect(throws: DeckError.nothingToUndo) { try sprint.undo() }
  }

  @Test(arguments: [Double.nan, .infinity, -5, 0])
  func `invalid numbers of seconds are handled`(seconds: Double) {
    let sprint = sprint(2, seconds: seconds)
    #expect(sprint.seconds == (seconds.isFinite ? 0 : 100))
    #expect(sprint.isOver == seconds.isFinite)
  }

  @Test func `undoing everything restores the beginning, whatever was answered`() throws {
    var generator = TestGenerator(5)
    for _ in 0..<200 {
      let count = Int.random(in: 1...6, using: &generator)
      let sprint = sprint(count)
      var states: [(CardID?, Int)] = []
      for _ in 0..<Int.random(in: 1...12, using: &generator) where !sprint.isOver {
        states.append((sprint.card, sprint.remaining))
        try sprint.answer(isRight: Bool.random(using: &generator))
      }
      while let (card, remaining) = states.popLast() {
        try sprint.undo()
        #expect(sprint.card == card && sprint.remaining == remaining)
      }
      #expect(throws: DeckError.nothingToUndo) { try sprint.undo() }
      #expect(sprint.right == 0 && sprint.wrong == 0)
    }
  }
}
