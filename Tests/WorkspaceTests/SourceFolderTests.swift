// A folder of sources open in an editor: its diagnostics follow the files and the editor's texts.

import Decks
import Exchange
import TestWorkspace

@testable import Workspace

@Suite struct SourceFolderTests {
  private let person = Person()
  private let workspace: Workspace
  private let sources: SourceFolder

  init() throws {
    workspace = try person.workspace()
    try person.folder.makeFolder("Words")
    sources = SourceFolder(person.folder.file("Words"), in: workspace)
  }

  private func write(_ text: String, to name: String) throws { try person.folder.write(text, to: "Words/" + name) }

  private func messages(_ name: String) throws -> [String] {
    try sources.problems(of: name).map { "\($0.line): \($0.message)" }
  }

  @Test func `an editor's text counts until it is closed, then the file does`() throws {
    try write("## a <!-- id: one -->\n\nb\n", to: "a.md")
    try write("## c <!-- id: two -->\n\nd\n", to: "b.md")
    try sources.refresh()
    #expect(try sources.takeChangedFiles() == ["a.md", "b.md"])
    #expect(try messages("a.md").isEmpty && messages("b.md").isEmpty && messages("none.md").isEmpty)
    try sources.edit("b.md", to: Array("## c <!-- id: one -->\n\nd\n".utf8))
    #expect(try messages("a.md") == ["1: the id \"one\" is also used by a row in b.md:1; change one of them"])
    #expect(try messages("b.md") == ["1: the id \"one\" is also used by a row in a.md:1; change one of them"])
    #expect(try sources.takeChangedFiles() == ["a.md", "b.md"])
    try sources.close("b.md")
    #expect(try messages("a.md").isEmpty && messages("b.md").isEmpty)
    #expect(try sources.takeChangedFiles() == ["a.md", "b.md"])
    #expect(String(decoding: sources.text(of: "b.md"), as: UTF8.self).contains("two"))
    #expect(sources.text(of: "none.md").isEmpty)
  }

  @Test func `a source that a plugin reads is left alone`() throws {
    try write("{\"name\": \"W\", \"formats\": {\"md\": \"own\"}}", to: "deck.json")
    try write("## a\n", to: "a.md")
    try sources.refresh()
    try sources.edit("b.md", to: Array("## b\n".utf8))
    #expect(try messages("a.md").isEmpty && messages("b.md").isEmpty && sources.takeChangedFiles().isEmpty)
  }

  @Test func `changed, removed and unreadable files are noticed`() throws {
    try write("## a\n\nb\n", to: "a.md")
    try write("## c\n\nd\n", to: "b.md")
    try sources.refresh()
    _ = try sources.takeChangedFiles()
    try sources.refresh()
    #expect(try sources.takeChangedFiles().isEmpty)
    removeTree(person.folder.file("Words/a.md"))
    try write("Q: c\nA: and a longer text\n", to: "b.md")
    try sources.refresh()
    #expect(try sources.takeChangedFiles() == ["a.md", "b.md"])
    #expect(sources.source("a.md") == nil && sources.source("b.md")?.entries.count == 1)
    // A source beyond the size limit is reported, and read again once it is small enough.
    try write(String(repeating: "x", count: (64 << 20) + 1), to: "b.md")
    try sources.refresh()
    #expect(try messages("b.md").count == 1 && messages("b.md")[0].hasPrefix("1: "))
    try write("## c\n\nd\n", to: "b.md")
    try sources.refresh()
    #expect(try messages("b.md").isEmpty)
  }

  @Test func `rows with the same id are counted in each source`() throws {
    let row = "## a <!-- id: one -->\n\nb\n\n"
    try write(row + row + row, to: "a.md")
    try write(row, to: "b.md")
    try sources.refresh()
    func also(_ line: Int, _ place: String) -> String {
      "\(line): the id \"one\" is also used by a row in \(place); change one of them"
    }
    func repeated(_ name: String) throws -> [String] { try messages(name).filter { $0.contains("also used") } }
    #expect(try repeated("a.md") == [also(1, "a.md:5"), also(5, "a.md:1"), also(9, "a.md:1")])
    #expect(try repeated("b.md") == [also(1, "a.md:1")])
    try sources.edit("a.md", to: Array(row.utf8))
    #expect(try repeated("a.md") == [also(1, "b.md:1")] && repeated("b.md") == [also(1, "a.md:1")])
    _ = try sources.takeChangedFiles()
    try sources.edit("b.md", to: Array("## a\n\nb\n".utf8))
    #expect(try sources.takeChangedFiles() == ["a.md", "b.md"])
    #expect(try repeated("a.md").isEmpty && repeated("b.md").isEmpty)
  }

  @Test func `a description is read from the editor, or else from its file`() throws {
    try write("## a\n\nb\n", to: "a.md")
    try sources.refresh()
    #expect(try messages("deck.json").isEmpty)
    try sources.edit("deck.json", to: Array(#"{"name": 3}"#.utf8))
    #expect(try messages("deck.json").count == 1)
    #expect(try sources.takeChangedFiles() == ["a.md", "deck.json"])
    let reading = try #require(sources.source("a.md"))
    #expect(try sources.newIDs(of: [0], reading).isEmpty)
    #expect(String(decoding: sources.text(of: "deck.json"), as: UTF8.self) == #"{"name": 3}"#)
    try sources.close("deck.json")
    #expect(try messages("deck.json").isEmpty && sources.newIDs(of: [0], reading).count == 1)
    #expect(sources.text(of: "deck.json").isEmpty)
  }

  @Test func `names come from the sources and from the collection, which is not created for them`() throws {
    try write("## a <!-- tags: red; deck: Later -->\n\nb\n", to: "a.md")
    try sources.refresh()
    #expect(try sources.tags() == ["red"] && sources.decks() == ["Later"])
    #expect(size(of: workspace.folder + "/collection.sqlite") < 0)
    _ = try workspace.exchange.build(person.folder.file("Words"), generator: NoGenerator())
    _ = try workspace.decks.create("Words::Verbs")
    try workspace.decks.open("Words").add(NewCard(prompt: "p", answer: "a", tags: ["blue"]))
    #expect(try sources.tags() == ["blue", "red"] && sources.decks() == ["Later", "Verbs"])
    #expect(try workspace.exchange.isBuilt(person.folder.file("Words")))
    #expect(try !workspace.exchange.isBuilt("/a//b"))
  }

  @Test func `new ids are not used by any row, in the sources or in the deck`() throws {
    try write("## gato <!-- id: gato -->\n\ncat\n", to: "a.md")
    _ = try workspace.exchange.build(person.folder.file("Words"), generator: NoGenerator())
    try write("## gato\n\ncat\n\n## gato\n\ntom\n\n## !\n\nx\n", to: "b.md")
    try sources.refresh()
    let reading = try #require(sources.source("b.md"))
    let ids = try sources.newIDs(of: [0, 1, 2], reading)
    #expect(ids.count == 3 && Set(ids.values).count == 3 && !ids.values.contains("gato"), "\(ids)")
    #expect(try sources.newIDs(of: [], reading).isEmpty)
    // The row removed from the sources is still in the deck.
    removeTree(person.folder.file("Words/a.md"))
    try sources.refresh()
    #expect(try !sources.newIDs(of: [0], reading).values.contains("gato"))
  }
}
