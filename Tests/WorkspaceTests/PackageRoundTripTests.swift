// Round trips of a deck and its cards through a package: schedules in every state, options, limits, flags.

import CardDocuments
import Decks
import Exchange
import Files
import Memory
import Templates
import TestWorkspace

@testable import Workspace

@Suite struct PackageRoundTripTests {
  private let (here, there): (Person, Person)
  private let (workspace, other): (Workspace, Workspace)
  private let deck: DeckHandle

  init() throws {
    (here, there) = (Person(), Person())
    (workspace, other) = (try here.workspace(), try there.workspace())
    deck = try workspace.decks.create("Deck")
  }

  private func card(_ prompt: String) throws -> CardHandle {
    try #require(try deck.cards().rest().first { try $0.record().prompt == prompt })
  }

  private func answer(_ prompt: String, _ rating: Rating) throws {
    try workspace.cards.anki.answer(card(prompt), rating)
    here.clock.pass(60)
  }

  @Test(arguments: ["out.apkg", "legacy.apkg"])
  func `schedules in every state, marks, options and limits survive`(_ name: String) throws {
    try deck.scheduling.set([
      (.learningSteps, "1m 2d"), (.leechAction, "suspend"), (.newPerDay, "7"), (.easyDays, "sat=0.5 sun=0"),
    ])
    try deck.scheduling.setLimits([(.newPerDay, "3"), (.reviewsPerDay, "9"), (.desiredRetention, "0.8")])
    for prompt in ["new", "first", "days", "known", "forgot", "held", "put off", "pictured"] {
      try deck.add(NewCard(prompt: prompt, answer: "x", guid: prompt), at: .bottom)
    }
    try deck.addNote(NewNote(fields: ["Front": "pair", "Back": "other"], guid: "pair"), type: .reversed)
    for prompt in ["known", "forgot"] { try answer(prompt, .easy) }
    here.clock.pass(86_400 * 30)
    try answer("forgot", .again)
    try answer("first", .again)
    try answer("days", .good)
    try workspace.cards.setSuspended([card("held")], true)
    _ = try workspace.cards.bury([card("put off")])
    try workspace.cards.setFlag([card("known")], to: 4)
    try card("pictured").setDocument(workspace.documents.create(background: nil).document().id.description)
    var options = ExportOptions()
    (options.hasSchedule, options.format) = (true, name.hasPrefix("legacy") ? .apkgLegacy : nil)
    let report = try deck.exportCards(to: here.folder.file(name), .plain, options)
    // Anki has no documents.
    #expect(report.cards == 10 && report.lost.map(\.part) == [.documents])

    there.clock.reading = here.clock.reading
    _ = try other.exchange.importCards(intoDeck: "Deck", from: [here.folder.file(name)], .plain, .init())
    let back = try other.decks.open("Deck")
    let settings = other.comparing.settings(keepsSchedule: true)
    _ = try back.exportCards(to: there.folder.file("again.apkg"), .plain, options)
    let changes = try other.comparing.difference(
      [here.folder.file(name), there.folder.file("again.apkg")], settings, generator: NoGenerator()
    ).changes
    #expect(changes.isEmpty, "\(changes.map { "\($0.key) \($0.fields)" })")
    let scheduling = back.scheduling
    #expect(try scheduling.options().learningSteps == [60, 172_800] && scheduling.options().suspendsLeeches)
    // Anki has no order by the due time alone, so packages name none.
    #expect(try scheduling.options().easyDays == [1, 1, 1, 1, 1, 0.5, 0] && scheduling.options().reviewOrder == .due)
    let limits = try scheduling.limits()
    #expect(limits.value(.newPerDay) == 3 && limits.value(.reviewsPerDay) == 9)
    #expect(limits.value(.desiredRetention) == 0.8)
    let records = try Dictionary(
      uniqueKeysWithValues: back.cards().rest().map { ($0, try $0.record()) }.map { ($1.prompt, $1) })
    #expect(records["known"]?.state == .review && records["known"]?.flag == 4 && records["held"]?.isSuspended == true)
    #expect(records["forgot"]?.state == .relearning || records["forgot"]?.state == .review)
    #expect(records["first"]?.state == .learning && records["new"]?.state == .new)
    for prompt in ["known", "forgot", "days", "first"] {
      let (mine, theirs) = (try card(prompt).record().schedule, try #require(records[prompt]).schedule)
      #expect(mine.state == theirs.state && mine.reps == theirs.reps && mine.lapses == theirs.lapses, "\(prompt)")
      let days = abs((mine.due ?? 0) - (theirs.due ?? 0)) / 86_400
      #expect(days <= 1, "\(prompt): \(days)")
    }
  }

  @Test func `media with names that no system allows get names that all allow`() throws {
    let names = ["a:b?.png", String(repeating: "long", count: 28) + ".png"]
    for name in names {
      let kept = try workspace.media.add(Array(name.utf8), named: String(name.filter { !":?".contains($0) }.suffix(90)))
      try deck.addNote(NewNote(fields: ["Front": "f\(kept) <img src=\"\(kept)\">"]), type: .basic)
    }
    _ = try deck.exportCards(to: here.folder.file("out.apkg"))
    _ = try other.exchange.importCards(intoDeck: "Deck", from: [here.folder.file("out.apkg")], .plain, .init())
    #expect(try Set(other.media.all().map(\.name)) == Set(workspace.media.all().map(\.name)))
    #expect(try other.care.diagnose([.media]).isEmpty)
  }
}
