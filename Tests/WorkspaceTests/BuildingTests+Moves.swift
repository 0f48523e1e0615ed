// Building a folder: rows and cards that move, and symbolic links, which a build does not follow.

import Decks
import Exchange
import Files
import Glibc
import TestWorkspace

@testable import Workspace

extension BuildingTests {
  @Test func `a row that moves to another source or deck is reported, and its card moves along`() throws {
    func source(_ ids: String) -> String { "guid,prompt,answer\n" + ids.map { "\($0),\($0),\($0)\n" }.joined() }
    func order(_ deck: String) throws -> String {
      try workspace.decks.open(deck).cards().rest().map { try $0.record().prompt }.joined()
    }
    try write(source("abc"), to: "x/one.csv")
    try write(source("de"), to: "x/two.csv")
    try write(source("fgh"), to: "y/three.csv")
    try build()
    try write(source("ac"), to: "x/one.csv")
    try write(source("fbgh"), to: "y/three.csv")
    let report = try build()
    #expect(report.cards.updated == 1 && report.findings.contains { $0.kind == .moved }, "\(report)")
    #expect(try order("Words::x") == "acde" && order("Words::y") == "fbgh")
    try write(source("a"), to: "x/one.csv")
    try write(source("dce"), to: "x/two.csv")
    #expect(try build().findings.map(\.kind) == [.moved])
    #expect(try order("Words::x") == "adce" && order("Words::y") == "fbgh")
  }

  @Test func `a card that was edited in the deck moves with its row, and keeps the edit`() throws {
    try write("guid,prompt,answer\nk,uno,one\na,a,a\n", to: "x/one.csv")
    try write("guid,prompt,answer\nb,b,b\n", to: "y/two.csv")
    try build()
    try workspace.decks.open("Words::x").cards().rest().first?.update(answer: "1")
    try write("guid,prompt,answer\na,a,a\n", to: "x/one.csv")
    try write("guid,prompt,answer\nk,un,one\nb,b,b\n", to: "y/two.csv")
    let report = try build()
    #expect(report.findings.map(\.kind).contains(.moved) && report.cards.updated == 1, "\(report)")
    let cards = try workspace.decks.open("Words::y").cards().rest().map { try $0.record() }
    #expect(cards.map(\.prompt) == ["un", "b"] && cards.map(\.answer) == ["1", "b"])
  }

  @Test func `a new row is inserted beside its neighbours, and no other card is moved`() throws {
    func source(_ words: String) -> String { words.map { "## \($0)\n\n\($0)\($0)\n\n" }.joined() }
    func order() throws -> String { try cards().map { String($0.prefix(1)) }.joined() }
    try write(source("aceg"), to: "a.md")
    try build()
    try write(source("abcdefgh"), to: "a.md")
    try build()
    #expect(try order() == "abcdefgh")
    try workspace.decks.open("Words").cards().rest().last?.move(to: 1)
    #expect(try order() == "habcdefg")
    try write(source("yzabcdefghij"), to: "a.md")
    try write(source("kl"), to: "b.md")
    try write(source("w"), to: "A.md")
    try build()
    #expect(try order() == "whijklyzabcdefg")
  }

  @Test func `a card moved to another deck stays there, and is updated from its row`() throws {
    try write("prompt,answer,guid\na,1,x\nb,2,y\n", to: "a.csv")
    try build()
    let other = try workspace.decks.create("Other")
    _ = try workspace.cards.move([#require(try workspace.decks.open("Words").card(at: 1))], into: other)
    try write("prompt,answer,guid\na,one,x\nb,2,y\n", to: "a.csv")
    #expect(try build().cards.updated == 1)
    #expect(try cards() == ["b = 2"] && other.cards().rest().map { try $0.record().answer } == ["one"])
    #expect(try build().read == 0)
  }

  @Test func `a card of a note that was moved to another deck stays there, too`() throws {
    func row(_ back: String) -> String {
      #"{"guid":"x","note_type":"Basic (and reversed card)","note_fields":{"Front":"a","Back":"\#(back)"}}"#
    }
    try write(row("1"), to: "a.jsonl")
    try build()
    let other = try workspace.decks.create("Other")
    _ = try workspace.cards.move([#require(try workspace.decks.open("Words").card(at: 2))], into: other)
    try write(row("one"), to: "a.jsonl")
    #expect(try build().cards.updated == 1)
    #expect(try cards() == ["a = one"] && other.cards().rest().map { try $0.record().prompt } == ["one"])
  }

  @Test func `a link is not followed, and one in place of a source or a folder is named`() throws {
    try person.folder.write("secret", to: "outside/key.png")
    try person.folder.write("## c\n\nd\n", to: "outside/c.md")
    try write("## a\n\nb\n", to: "a.md")
    for (target, name) in [("../outside", "media"), ("../outside", "more"), ("../outside/c.md", "c.md"), ("a", "b")] {
      try #require(symlink(target, person.folder.file("Words/" + name)) == 0)
    }
    let report = try build()
    #expect(
      report.media == 0
        && report.findings.map { "\($0.kind) \($0.path)" } == [
          "passedOver c.md", "passedOver media", "passedOver more",
        ])
    #expect(try cards() == ["a = b"])
  }
}
