// Updating cards from a file that can hold formatting: the card becomes as the file says, formatted or plain.

import Exchange
import Problems
import Templates
import TestDecks

extension MarkdownTests {
  /// Imports card `g` from one Markdown text, then updates it from another; returns the report and the fields of its
  /// note.
  private func updated(_ old: String, _ new: String) throws -> (report: AddReport, fields: [String]) {
    let text = { (answer: String) in "## gato <!-- id: g; tags: a -->\n\n\(answer)\n" }
    _ = try imported(text(old), .update)
    let (report, cards) = try imported(text(new), .update)
    let note = try #require(cards.first).note
    return (report, try collection.store.read { try NoteTable.record($0, note).fields })
  }

  @Test(
    arguments: ["**cat**", "- cat\n- kitty", "a\n\n> b", "a [link](https://x.org)"], ["cat", "kitty & co", "1 < 2"])
  func `a card with an id becomes formatted or plain, as its text is`(formatted: String, plain: String) throws {
    let html = FieldHTML.html(ofPlain: plain)
    let (report, fields) = try updated(formatted, plain)
    #expect(report.updated == 1 && report.rejectedCount == 0 && fields == ["gato", html], "\(report)")
    #expect(try updated(plain, plain).report.skipped == 1)
    let back = try updated(plain, formatted)
    #expect(back.report.updated == 1 && FieldHTML.plain(back.fields[1]) == nil, "\(back)")
  }

  @Test(arguments: ["cat", "kitty"], ["", "x"])
  func `a plain card without an id whose deck version is formatted is refused, and named`(
    answer: String, tag: String
  ) throws {
    _ = try imported("## gato\n\n**cat**\n")
    let text = "## gato\(tag.isEmpty ? "" : " <!-- tags: \(tag) -->")\n\n\(answer)\n"
    let (report, cards) = try imported(text, .update)
    #expect(report.rejected.map(\.code) == [.failure(.formatted)] && report.updated + report.skipped == 0, "\(report)")
    let card = try #require(cards.first)
    #expect(try collection.store.read { try NoteTable.record($0, card.note).fields } == ["gato", "<b>cat</b>"])
    #expect(card.tags == [] && cards.count == 1)
    // Without an update it counts as existing; a table says nothing about formatting.
    if answer == "cat" { #expect(try imported(text).report.skipped == 1) }
    var options = ImportOptions()
    options.onDuplicate = .update
    let table = try folder.write("prompt,answer\ngato,cat\n", to: "a.csv")
    #expect(try collection.importing(collection.deck(named: "d"), table, options).skipped == 1)
  }

  @Test func `a file that cannot hold formatting leaves a formatted card as it is, and so does another deck`() throws {
    _ = try imported("## gato <!-- id: g -->\n\n**cat**\n")
    var options = ImportOptions()
    options.onDuplicate = .update
    let deck = try collection.deck(named: "d")
    // A table cannot hold formatting, so formatting is not lost.
    let table = try folder.write("prompt,answer,guid\ngato,kitty,g\n", to: "a.csv")
    #expect(try collection.importing(deck, table, options).rejected.map(\.code) == [.failure(.formatted)])
    let card = try #require(try collection.cards(deck).first)
    #expect(try collection.store.read { try NoteTable.record($0, card.note).fields } == ["gato", "<b>cat</b>"])
    // Another deck's card with that id is another card.
    let other = try collection.deck("e")
    let plain = try folder.write("## gato <!-- id: g -->\n\ncat\n", to: "e.md")
    #expect(try collection.importing(other, plain, options).updated == 0)
    #expect(try collection.store.read { try NoteTable.record($0, card.note).fields } == ["gato", "<b>cat</b>"])
  }
}
