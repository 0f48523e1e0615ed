// Tests of real files with a byte changed: each is refused with a message, or read and written back whole.

import Glibc
import Problems
import TestSupport
import Wire

@testable import CardDocuments

@Suite struct MutationTests {
  /// DECKHAND_MUTATIONS=100000 sets the number of mutations; the seed makes them reproducible.
  @Test func `a byte changed anywhere in a real file causes no crash, no hang, and no lost file`() throws {
    let desk = try Desk()
    let names = ["midchapter", "edition1", "edition2", "version2", "future"]
    let sources = names.map { fixture("shapes/\($0).rwcard") }
    var random = TestGenerator(2026)
    let count = getenv("DECKHAND_MUTATIONS").flatMap { Int(String(cString: $0)) } ?? 10_000
    var opened = 0
    for trial in 0..<count {
      let bytes = mutated(sources[trial % sources.count], &random)
      do {
        let document = try CardDocument(reading: bytes, file: "mutant")
        opened += 1
        #expect(try CardDocument(reading: document.encoded, file: "again").encoded == document.encoded)
        if trial % 4 == 0 {
          _ = document.problems()
          if !document.isReadOnly { _ = try document.edition2() }
          _ = document.scene(pictures: [:])
        }
      } catch { #expect(!error.message.isEmpty) }
      // Store some of them as rows among good ones, and draw them.
      if trial % 500 == 0 {
        let id = documentID(1).description
        try desk.insert(bytes, as: id)
        let (documents, problems) = try desk.store.all()
        #expect(documents.count + problems.count == 2)
        for document in documents { #expect(try !document.rendered(as: .png, width: 20).bytes.isEmpty) }
        #expect(
          try desk.store.keeper.read(DocumentTable.rows).first { $0.id == id }?.content
            == Array(String(decoding: bytes, as: UTF8.self).utf8))
      }
    }
    #expect(opened > count / 10 && opened < count)
  }

  private func mutated(_ source: [UInt8], _ random: inout TestGenerator) -> [UInt8] {
    var bytes = source
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[place] = Array("0123456789.-eE[]{}\",:null".utf8).randomElement(using: &random) ?? 0
      case 2: bytes.remove(at: place)
      case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
      case 4: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...40, using: &random)))
      default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 30)], at: place)
      }
      if bytes.isEmpty { return bytes }
    }
    return bytes
  }
}
