// Building a folder: its pictures and sounds, and files of the same name that are not from the folder.

import Decks
import Exchange
import Files
import Problems
import TestWorkspace

@testable import Workspace

extension BuildingTests {
  @Test func `a picture removed from the folder no longer belongs to the build`() throws {
    try write("## a\n\n![](cat.png)\n", to: "a.md")
    try write("first", to: "cat.png")
    try build()
    #expect(try workspace.media.all().map(\.name) == ["cat.png"])
    try write("## a\n\nno picture\n", to: "a.md")
    removeTree(person.folder.file("Words/cat.png"))
    try build()
    #expect(try cards() == ["a = no picture"])
    _ = try workspace.media.add(Array("mine".utf8), named: "dog.png")
    try write("second", to: "cat.png")
    try write("## a\n\n![](cat.png)\n", to: "a.md")
    try build()
    let path = try workspace.media.path("cat.png")
    #expect(String(decoding: try FileText.bytes(path, limit: 100), as: UTF8.self) == "second")
  }

  @Test func `a picture whose name differs from another one in case alone is refused unless it replaces it`() throws {
    try write("## a\n\n![](cat.png)\n", to: "a.md")
    try write("first", to: "cat.png")
    try build()
    try write("second", to: "Cat.png")
    try write("## b\n\n![](Cat.png)\n", to: "b.md")
    #expect(throws: BuildError.self) { try build() }
    removeTree(person.folder.file("Words/cat.png"))
    try write("## a\n\n![](Cat.png)\n", to: "a.md")
    try build()
    #expect(try workspace.media.all().map(\.name) == ["Cat.png"])
  }

  @Test func `a picture that was moved to the folder for media is built from there, and hidden files are not`() throws {
    try write("## a\n\n![](img/cat.png)\n", to: "a.md")
    try write("cat", to: "img/cat.png")
    try build()
    removeTree(person.folder.file("Words/img/cat.png"))
    try write("cat", to: "media/cat.png")
    try write("", to: "media/.gitkeep")
    try write("## a\n\n![](cat.png)\n", to: "a.md")
    try build()
    #expect(try workspace.media.all().map(\.name) == ["cat.png"])
  }

  @Test func `a picture that was copied to the folder for media is built from there when no source names the other`()
    throws
  {
    for name in ["a", "b"] { try write("## \(name)\n\n![](img/cat.png)\n", to: name + ".md") }
    try write("## c\n\nd\n", to: "c.md")
    try write("cat", to: "img/cat.png")
    try build()
    try write("cat", to: "media/cat.png")
    try write("## a\n\n![](cat.png)\n", to: "a.md")
    // The other source, which is not read again, names it.
    #expect(throws: BuildError.self) { try build() }
    try write("## b\n\n![](cat.png)\n", to: "b.md")
    #expect(try build().unchanged == 1)
    #expect(try workspace.media.all().map(\.name) == ["cat.png"])
  }

  @Test func `two files with the same name are reported although the source of the first is not read again`() throws {
    for name in ["one", "two"] { try write(name, to: name + "/cat.png") }
    try write("## one\n\n![](cat.png)\n", to: "one/a.md")
    try build()
    try write("## two\n\n![](cat.png)\n", to: "two/a.md")
    let error = #expect(throws: BuildError.self) { try build() }
    #expect(error?.message.contains("would have the same name on the cards") == true, "\(String(describing: error))")
  }

  @Test func `a file that is not from the folder is replaced only if no card from elsewhere shows it`() throws {
    func picture() throws -> String {
      String(decoding: try FileText.bytes(workspace.media.path("pic.png"), limit: 100), as: UTF8.self)
    }
    try write("## a\n\n![](pic.png)\n", to: "a.md")
    try write("built", to: "media/pic.png")
    _ = try workspace.media.add(Array("unused".utf8), named: "pic.png")
    try build()
    #expect(try picture() == "built")
    try workspace.decks.create("Other").addNote(
      NewNote(fields: ["Text": "{{c1::x}} <img src=\"pic.png\">"], guid: "n"), type: workspace.noteTypes.open("Cloze"))
    // The account's file is still from the folder.
    try write("changed", to: "media/pic.png")
    try build()
    #expect(try picture() == "changed")
    try workspace.media.remove(["pic.png"])
    _ = try workspace.media.add(Array("mine".utf8), named: "pic.png")
    let error = #expect(throws: BuildError.self) { try build() }
    #expect(error?.message.contains("media/pic.png: the account has another file called \"pic.png\"") == true)
    #expect(try picture() == "mine")
  }

  @Test func `two files with the same name in two folders are reported, and nothing is built`() throws {
    for name in ["one", "two"] {
      try write("## \(name)\n\n![](cat.png)\n", to: name + "/a.md")
      try write(name, to: name + "/cat.png")
    }
    let error = #expect(throws: BuildError.self) { try build() }
    #expect(error?.message.contains("cat.png") == true, "\(String(describing: error))")
    #expect(try workspace.decks.all().isEmpty && workspace.media.all().isEmpty)
  }
}
