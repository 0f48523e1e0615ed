// The actions on the add-on's windows, where there are none.

import TestSupport
import Values
import Workspace

@testable import AnkiConnect

@Suite struct WindowActionTests {
  private let pairs: Pairs

  init() throws { pairs = try Pairs() }

  @Test func `nothing is studied, and starting a review reports it`() throws {
    #expect(try pairs.client.refusal("guiCurrentCard") == "Gui review is not currently active.")
    for idle in ["guiReviewActive", "guiShowQuestion", "guiShowAnswer", "guiStartCardTimer", "guiPlayAudio"] {
      #expect(try pairs.client.call(idle) == .boolean(false))
    }
    #expect(try pairs.client.call("guiAnswerCard", #"{"ease":3}"#) == .boolean(false))
    #expect(try pairs.client.call("guiDeckReview", #"{"name":"No"}"#) == .boolean(false))
    #expect(
      try pairs.client.refusal("guiDeckReview", #"{"name":"Spanish"}"#)
        == "serve has no window for a review: study with `deckhand study` in a terminal")
    #expect(try pairs.client.call("guiSelectNote", #"{"note":\#(pairs.notes[0])}"#) == .boolean(false))
    #expect(try pairs.client.call("guiSelectCard", #"{"card":\#(pairs.cards[0])}"#) == .boolean(false))
    #expect(try pairs.client.call("guiBrowse", #"{"query":"deck:Spanish"}"#).numbers.sorted() == pairs.cards.sorted())
    #expect(try pairs.client.call("guiEditNote", #"{"note":\#(pairs.notes[0])}"#) == .null)
    #expect(pairs.client.host.told.last == "Another program shows a note: uno")
    #expect(try pairs.client.call("guiUndo") == .boolean(true))
    #expect(try pairs.client.call("findNotes", #"{"query":"deck:Spanish"}"#).numbers == [pairs.notes[0]])
  }

  @Test func `undoing is no error when everything is undone`() throws {
    for _ in try 0...pairs.client.steps.count { #expect(try pairs.client.call("guiUndo") == .boolean(true)) }
    #expect(try pairs.client.call("findNotes", #"{"query":"deck:Spanish"}"#).numbers == [])
  }
}
