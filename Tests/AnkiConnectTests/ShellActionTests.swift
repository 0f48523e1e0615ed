// The actions on the add-on's windows, with and without a shell running beside the server.

import TestSupport
import Testing
import Values
import Wire
import Workspace

@testable import AnkiConnect

@Suite struct ShellActionTests {
  private let client: Client
  private let notes: [Int]
  private let cards: [Int]

  init() throws {
    let pairs = try Pairs()
    (client, notes, cards) = (pairs.client, pairs.notes, pairs.cards)
  }

  @Test func `without a shell nothing is studied, and starting a study session reports it`() throws {
    #expect(try client.refusal("guiCurrentCard") == "Gui review is not currently active.")
    for idle in ["guiReviewActive", "guiShowQuestion", "guiShowAnswer", "guiStartCardTimer", "guiPlayAudio"] {
      #expect(try client.call(idle) == .boolean(false))
    }
    #expect(try client.call("guiAnswerCard", #"{"ease":3}"#) == .boolean(false))
    #expect(try client.call("guiDeckReview", #"{"name":"No"}"#) == .boolean(false))
    #expect(
      try client.refusal("guiDeckReview", #"{"name":"Spanish"}"#)
        == "no shell runs alongside serve: start `deckhand` in another terminal, and try again")
    #expect(try client.call("guiSelectNote", #"{"note":\#(notes[0])}"#) == .boolean(false))
    #expect(try client.call("guiSelectCard", #"{"card":\#(cards[0])}"#) == .boolean(false))
    // The last undo step is undone all the same.
    #expect(try client.call("guiUndo") == .boolean(true))
    #expect(try client.call("findNotes", #"{"query":"deck:Spanish"}"#).numbers == [notes[0]])
  }

  @Test func `undoing is no error when everything is undone`() throws {
    for _ in try 0...client.steps.count { #expect(try client.call("guiUndo") == .boolean(true)) }
    #expect(try client.call("findNotes", #"{"query":"deck:Spanish"}"#).numbers == [])
  }

  @Test func `a study session in the shell is read, turned and answered`() throws {
    var isShown = false
    client.host.shell = { [cards] request in
      switch request.kind {
      case .study:
        .studied(StudyState(card: cards[1], choices: [.init(1, 59), .init(2, 3600), .init(3, nil), .init(4, 4e7)]))
      case .answer: .done(isShown && (1...4).contains(request.number))
      case .showAnswer:
        {
          isShown = true
          return .done(true)
        }()
      case .undo, .review, .list, .startTimer, .playSounds, .showNote: .done(true)
      case .showQuestion, .showCard, .editNote: .busy
      }
    }
    let card = try #require(try client.call("guiCurrentCard").record)
    #expect(card["cardId"]?.integer == cards[1] && card["modelName"]?.text == "Pair")
    #expect(card["buttons"]?.numbers == [1, 2, 3, 4])
    #expect(card["nextReviews"]?.texts == ["<1m", "<1h", "", "1.3y"])
    #expect(card["template"]?.text == "Card 2" && card["deckName"]?.text == "Spanish")
    #expect(try client.call("guiAnswerCard", #"{"ease":3}"#) == .boolean(false))
    #expect(try client.call("guiShowAnswer") == .boolean(true))
    #expect(try client.call("guiAnswerCard", #"{"ease":5}"#) == .boolean(false))
    #expect(try client.call("guiAnswerCard", #"{"ease":4}"#) == .boolean(true))
    #expect(client.host.requests.last == ShellRequest(.answer, number: 4, origin: "serve, guiAnswerCard"))
    #expect(client.host.performed.last == "guiAnswerCard")
    for action in ["guiReviewActive", "guiStartCardTimer", "guiPlayAudio"] {
      #expect(try client.call(action) == .boolean(true))
    }
    #expect(try client.call("guiShowQuestion") == .boolean(false))
    #expect(try client.call("guiDeckReview", #"{"name":"Spanish"}"#) == .boolean(true))
    #expect(client.host.requests.last?.text == "Spanish")
    // What the shell undoes is not undone twice.
    #expect(try client.call("guiUndo") == .boolean(true))
    #expect(try client.call("findNotes", #"{"query":"deck:Spanish"}"#).numbers == notes)
    #expect(try client.call("guiBrowse", #"{"query":"deck:Spanish"}"#).numbers.sorted() == cards.sorted())
    #expect(client.host.told == [])
    #expect(client.host.requests.last == ShellRequest(.list, text: "deck:Spanish", origin: "serve, guiBrowse"))
    #expect(try client.call("guiSelectNote", #"{"note":\#(notes[0])}"#) == .boolean(true))
    // A note that the shell does not show is reported here.
    #expect(try client.call("guiEditNote", #"{"note":\#(notes[0])}"#) == .null)
    #expect(client.host.told == ["Another program shows a note: uno"])
    client.host.shell = { _ in .busy }
    #expect(try client.refusal("guiDeckReview", #"{"name":"Spanish"}"#)?.contains("busy") == true)
    #expect(try client.refusal("guiCurrentCard") == "Gui review is not currently active.")
    // A removed card counts as no card.
    client.host.shell = { _ in .studied(StudyState(card: 5, choices: [])) }
    #expect(try client.refusal("guiCurrentCard") == "Gui review is not currently active.")
  }
}
