// The reader of Apertium's compiled dictionaries: what it reads, what it refuses, and that it always terminates.

import Problems
import Testing

@testable import Language

@Suite struct TransducerTests {
  private let sample = TransducerSample(entries: [
    TransducerSample.analysis("casas", "casa", "n", "f", "pl"),
    TransducerSample.analysis("casas", "casar", "vblex", "pri"),
    TransducerSample.analysis("año", "año", "n", "m", "sg"),
  ])

  @Test func `all readings of a form are found, each once`() throws {
    let file = try TransducerFile(sample.bytes(), path: "a.bin")
    #expect(file.readings(of: "casas").sorted() == ["casa<n><f><pl>", "casar<vblex><pri>"])
    #expect(file.readings(of: "año") == ["año<n><m><sg>"])
    #expect(file.readings(of: "cas").isEmpty && file.readings(of: "").isEmpty)
    #expect(file.readings(of: String(repeating: "a", count: 1_000)).isEmpty)
  }

  @Test func `a bilingual dictionary gives the translations of a lemma, without tags`() throws {
    let file = try TransducerFile(
      TransducerSample(entries: [
        [("c", "h"), ("a", "o"), ("s", "m"), ("a", "e"), ("<n>", "<n>")],
        [("c", "h"), ("a", "o"), ("s", "u"), ("a", "s"), ("", "e"), ("<n>", "<n>"), ("<f>", "")],
        [("", "x"), ("<n>", "<n>")],
      ]).bytes(), path: "b.bin")
    #expect(file.translations(of: "").isEmpty)
    #expect(file.translations(of: "casa").map(\.text) == ["home", "house"])
    #expect(file.translations(of: "perro").isEmpty)
  }

  @Test func `regular-expression sections are skipped`() throws {
    var sample = sample
    sample.name = "regexp@standard"
    #expect(try TransducerFile(sample.bytes(), path: "a.bin").readings(of: "casas").isEmpty)
  }

  @Test func `a file with features, such as weights, is refused by name`() throws {
    var sample = sample
    sample.features = 1
    #expect { try TransducerFile(sample.bytes(), path: "a.bin") } throws: {
      guard case LanguageError.damaged("a.bin", _) = $0 else { return false }
      return true
    }
  }

  @Test func `a file truncated or changed at any byte is refused or read, and reading terminates`() throws {
    let bytes = sample.bytes()
    var refused = 0
    for length in bytes.indices {
      do throws(LanguageError) { _ = try TransducerFile(Array(bytes[..<length]), path: "a.bin") } catch {
        // Only the refusals are counted.
        refused += 1
      }
    }
    #expect(refused == bytes.count)
    for place in bytes.indices {
      for value: UInt8 in [0, 1, 0x3F, 0xFF] {
        var changed = bytes
        changed[place] = value
        do throws(LanguageError) {
          _ = try TransducerFile(changed, path: "a.bin").readings(of: "casas")
        } catch {
          #expect(error.report.code == .failure(.badFile))
        }
      }
    }
  }

  @Test func `a loop of empty input symbols ends`() throws {
    // Two states with arcs to each other that read nothing and write a letter.
    var bytes: [UInt8] = Array("LTTB".utf8) + [UInt8](repeating: 0, count: 8)
    bytes += [0, 0, 2, 0, 0, 0, 0x40, 0x61, 1, 1, 0x40, 0x6D]
    bytes += Array("LTTD".utf8) + [UInt8](repeating: 0, count: 8)
    bytes += [0, 1, 1, 2, 2, 1, 1, 0, 1, 1, 1, 1]
    let file = try TransducerFile(bytes, path: "loop.bin")
    #expect(file.readings(of: "").count <= 20_000)
  }
}
