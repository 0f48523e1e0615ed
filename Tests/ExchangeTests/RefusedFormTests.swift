// Files and options that a format cannot handle: each is refused or reported, and nothing is read in part.

import Files
import Problems
import Templates
import TestDecks
import Values

@testable import Exchange

@Suite struct RefusedFormTests {
  private let collection = TestCollection()
  private let folder = TemporaryFolder()

  @Test(arguments: [CardFormat.apkg, .apkgLegacy, .colpkg])
  func `a package is neither read nor written as text`(_ format: CardFormat) throws {
    let deck = try collection.deck("d")
    try collection.add(deck, "p", "a")
    var options = ImportOptions()
    options.format = format
    let path = try folder.write("prompt,answer\n", to: "a.csv")
    #expect(throws: ExchangeError.notHere(format: format)) { _ = try collection.importing(deck, path, options) }
    var exporting = ExportOptions()
    exporting.format = format
    #expect(throws: ExchangeError.notHere(format: format)) {
      _ = try collection.exporting(deck, folder.file("out"), exporting)
    }
    #expect(folder.read("out") == nil)
  }

  @Test func `a column's name may begin with a combining mark`() throws {
    let choices = try ColumnChoice.list(of: "prompt=\u{93E},\u{93F}=2")
    #expect(choices == [ColumnChoice("prompt", "\u{93E}"), ColumnChoice("\u{93F}", "2")])
  }

  @Test func `endless column lists and those that number no column are refused`() throws {
    #expect(throws: ExchangeError.self) { _ = try ColumnChoice.list(of: String(repeating: "a=b,", count: 30_000)) }
    let path = try folder.write("x,y\na,b\n", to: "a.csv")
    var options = ImportOptions()
    options.table.columns = try ColumnChoice.list(of: "prompt=0,answer=2")
    let deck = try collection.deck("d")
    #expect(throws: ExchangeError.self) { _ = try collection.importing(deck, path, options) }
    #expect(try collection.cards(deck).isEmpty)
  }

  @Test func `missing pictures of a text are in the report`() throws {
    let path = try folder.write("## a\n\n![](gone.png)\n", to: "a.md")
    let deck = try collection.deck("d")
    let report = try collection.store.operation("import") { db in
      let work = try CardImport(
        db, into: deck, options: ImportOptions(), now: collection.now, random: collection.random)
      work.receiveMedia = { _ in throw FileError(folder.file("gone.png"), .open, number: 2) }
      try work.run(path, isInterrupted: { false })
      return try work.finish()
    }
    #expect(report.value.json.contains("\"missing_media\""), "\(report.value.json)")
  }

  @Test func `an unpaired UTF-16 surrogate becomes a replacement character`() throws {
    let path = try folder.write([0xFF, 0xFE, 0x61, 0, 0x62, 0, 0x00, 0xD8, 0x63, 0], to: "a.txt")
    #expect(try TextFile(path, encoding: nil) { false }.paragraphs.map(\.text) == ["ab\u{FFFD}c"])
  }

  /// The end of a file: an odd byte, an unpaired surrogate, both.
  @Test(arguments: [[0x62], [0x00, 0xD8], [0x00, 0xD8, 0x62]] as [[UInt8]])
  func `an incomplete character at the end of UTF-16 becomes a replacement character`(end: [UInt8]) throws {
    func bytes(_ text: String) -> [UInt8] {
      [0xFF, 0xFE] + text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] } + end
    }
    let path = try folder.write(bytes("ab"), to: "a.txt")
    #expect(try TextFile(path, encoding: nil) { false }.paragraphs.map(\.text) == ["ab\u{FFFD}"])
    let deck = try collection.deck("d")
    // In one chunk, and in several.
    for size in [1, 40_000] {
      let answer = String(repeating: "x", count: size)
      for (name, start) in [("a.csv", "prompt,answer\np,"), ("a.md", "## p\n\n"), ("a.txt", "p\t")] {
        let path = try folder.write(bytes(start + answer), to: name)
        #expect(try collection.importing(deck, path).added == 1, "\(name)")
        #expect(try collection.cards(deck).first?.answer == answer + "\u{FFFD}", "\(name)")
        _ = try collection.store.operation("clear") { try CardTable.remove($0, CardTable.ids($0, in: deck)) }
      }
    }
  }
}
