// Buffered reading at every size where a buffer boundary could split data wrongly.

import Files
import TestDecks

@testable import Exchange

@Suite struct StreamSizeTests {
  private let folder = TemporaryFolder()
  /// Sizes for texts of letters, so that for every second size a letter of two bytes crosses the boundary.
  private let sizes = streamSizes(buffer: ByteSource.chunk)

  private func source(_ bytes: [UInt8], _ encoding: TextEncoding = .utf8) throws -> ByteSource {
    var options = SourceOptions(isInterrupted: { false })
    options.encoding = encoding
    return try ByteSource(path: try folder.write(bytes, to: "file"), options)
  }

  /// Reads a table with a single cell.
  private func table(_ bytes: [UInt8], _ encoding: TextEncoding = .utf8) throws -> [[UInt8]] {
    let rows = TableRows(try source(bytes, encoding), separator: UInt8(ascii: ","))
    var cells: [[UInt8]] = []
    while try rows.next() != nil { cells += (0..<rows.count).map { Array(rows[$0]) } }
    return cells
  }

  private func prompts(_ text: String, isLines: Bool) throws -> [[UInt8]] {
    let cards = JSONCards(try source(Array(text.utf8)), isLines: isLines)
    var prompts: [[UInt8]] = []
    try cards.forEach { row in
      #expect(row.start.invalidReason == nil)
      prompts.append(row.prompt)
    }
    return prompts
  }

  @Test func `bytes read one by one and by line are those of the file`() throws {
    for size in sizes {
      let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 % 61 + 0x30) }
      let all = try source(bytes)
      var read: [UInt8] = []
      while try all.peek() != nil {
        all.take(into: &read) { $0 == 0x30 }
        all.take(into: &read) { $0 != 0x30 }
      }
      #expect(read == bytes && all.taken == size, "\(size)")
    }
  }

  @Test func `cells, plain and quoted, may end anywhere`() throws {
    for size in sizes {
      let (plain, wide) = ([UInt8](repeating: 0x61, count: size), Array(String(repeating: "é", count: size / 2).utf8))
      let quoted = Array(String(repeating: "\"\"", count: size / 2).utf8)
      let file = plain + Array(",\r\n,".utf8) + wide + Array("\n\"".utf8) + quoted + Array("\"".utf8)
      let marks = [UInt8](repeating: UInt8(ascii: "\""), count: size / 2)
      #expect(try table(file) == [plain, [], [], wide, marks], "\(size)")
    }
  }

  @Test func `JSON texts may end anywhere, escapes too`() throws {
    for size in sizes {
      let text = String(repeating: "a", count: size)
      let more = String(repeating: #"\n"#, count: size / 2)
      let cards = #"{"prompt":"\#(text)é\u00e9","answer":"x"}"#
      let next = #"{"prompt":"\#(more)","answer":"x"}"#
      let expected = [Array((text + "éé").utf8), [UInt8](repeating: 10, count: size / 2)]
      #expect(try prompts("[\(cards),\(next)]", isLines: false) == expected, "\(size)")
      #expect(try prompts("\(cards)\n\(next)\n", isLines: true) == expected, "\(size)")
    }
  }

  @Test(arguments: [TextEncoding.latin1, .windows1252, .utf16])
  func `other encodings may be split anywhere`(encoding: TextEncoding) throws {
    for size in sizes {
      let text = String(repeating: "é", count: size / 2) + "😀b"
      let bytes: [UInt8] =
        switch encoding {
        case .utf16: [0xFF, 0xFE] + text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        default: [UInt8](repeating: 0xE9, count: size)
        }
      let expected = encoding == .utf16 ? text : String(repeating: "é", count: size)
      #expect(try table(bytes, encoding) == (size == 0 && encoding != .utf16 ? [] : [Array(expected.utf8)]), "\(size)")
    }
  }

  @Test(arguments: [false, true])
  func `members of a package may have any size`(isDeflated: Bool) throws {
    for size in streamSizes(buffer: 1 << 17) {
      let bytes = StreamContent.random.bytes(size)
      let zip = try ZipFile(package(folder, [("a", bytes), ("b", frame(bytes))], deflated: isDeflated), named: "zip")
      var read: [UInt8] = []
      try zip.read(try #require(zip.members["a"])) { read += $0 }
      #expect(read == bytes, "\(size)")
    }
  }

  @Test(arguments: StreamContent.allCases)
  func `media in our packages, of any size, come back`(_ content: StreamContent) throws {
    let there = PackageCollection()
    let deck = try there.collection.deck("Sounds")
    var sent: [String: [UInt8]] = [:]
    let names = streamSizes(buffer: 1 << 17, reach: 1).map { size in (size, "s\(size).mp3") }
    for (size, name) in names {
      sent[name] = content.bytes(size)
      #expect(try there.settings().receiveMedia(content.bytes(size), name) == name)
      try there.collection.addNote(deck, ["Front": "[sound:\(name)]", "Back": "\(size)"])
    }
    let here = PackageCollection()
    try here.importing(there.exporting("Sounds").path)
    #expect(here.media.count == sent.count)
    for (name, bytes) in here.media { #expect(sent[name] == bytes, "\(name)") }
  }
}
