// The actions on the add-on's windows, where there are none.

import TestSupport
import Values
import Workspace

@testable import AnkiConnect

@Suite struct WindowActionTests {
  private let client: Client
  private let notes: [Int]
  private let cards: [Int]

  init() throws {
    let pairs = try Pairs()
    (client, notes, cards) = (pairs.client, pairs.notes, pairs.cards)
  }

  @Test func `nothing is studied, and starting a review reports it`() throws {
    #expect(try client.refusal("guiCurrentCard") == "Gui review is not currently active.")
    for idle in ["guiReviewActive", "guiShowQuestion", "guiShowAnswer", "guiStartCardTimer", "guiPlayAudio"] {
      #expect(try client.call(idle) == .boolean(false))
    }
    #expect(try client.call("guiAnswerCard", #"{"ease":3}"#) == .boolean(false))
    #expect(try client.call("guiDeckReview", #"{"name":"No"}"#) == .boolean(false))
    #expect(
      try client.refusal("guiDeckReview", #"{"name":"Spanish"}"#)
        == "serve has no window for a review: study with `deckhand study` in a terminal")
    #expect(try client.call("guiSelectNote", #"{"note":\#(notes[0])}"#) == .boolean(false))
    #expect(try client.call("guiSelectCard", #"{"card":\#(cards[0])}"#) == .boolean(false))
    #expect(try client.call("guiBrowse", #"{"query":"deck:Spanish"}"#).numbers.sorted() == cards.sorted())
    #expect(try client.call("guiEditNote", #"{"note":\#(notes[0])}"#) == .null)
    #expect(client.host.told.last == "Another program shows a note: uno")
    #expect(try client.call("guiUndo") == .boolean(true))
    #expect(try client.call("findNotes", #"{"query":"deck:Spanish"}"#).numbers == [notes[0]])
  }

  @Test func `undoing is no error when everything is undone`() throws {
    for _ in try 0...client.steps.count { #expect(try client.call("guiUndo") == .boolean(true)) }
    #expect(try client.call("findNotes", #"{"query":"deck:Spanish"}"#).numbers == [])
  }
}
