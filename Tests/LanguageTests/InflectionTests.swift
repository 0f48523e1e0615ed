// The forms of a lemma: from made-up generators and, if Debian's packages are installed, all of Fixtures/forms.tsv.

import Files
import Lexicon
import TestSupport
import Testing

@testable import Language

@Suite struct InflectionTests {
  private let folder = TemporaryFolder()
  private let spanish = Language.unknown("spanish", title: "Spanish", code: "es")

  /// An entry of a generator: a lemma, its tags, and the form that they make.
  private func entry(_ lemma: String, _ tags: [String], _ form: String) -> [(String, String)] {
    let (read, written) = (lemma.map(String.init) + tags.map { "<\($0)>" }, form.map(String.init))
    return (0..<max(read.count, written.count)).map { index in
      (index < read.count ? read[index] : "", index < written.count ? written[index] : "")
    }
  }

  private func library(_ entries: [[(String, String)]]) throws -> LanguageLibrary {
    let path = "apertium/apertium-spa-cat/cat-spa.autogen.bin"
    try makePrivateFolder(folder.file("apertium"))
    try makePrivateFolder(folder.file("apertium/apertium-spa-cat"))
    try folder.write(TransducerSample(entries: entries).bytes(), to: path)
    return LanguageLibrary(ownFolder: folder.path, sharedFolders: [folder.path], spellingFolders: []) { false }
  }

  @Test func `forms have the features of their tags, are each there once, and in the order of a table`() throws {
    let library = try library([
      entry("ver", ["n", "m", "pl"], "veres"), entry("ver", ["vblex", "pri", "p1", "pl"], "vemos"),
      entry("ver", ["vbmod", "pri", "p1", "pl"], "vemos"), entry("ver", ["vblex", "pri", "p1", "sg"], "veo"),
      entry("ver", ["vblex", "inf"], "ver"), entry("ver", ["vblex", "pis", "p2", "sp"], "vieras"),
      entry("ver", ["adj", "sup", "nt", "xyz"], "~verísimo~"), entry("verde", ["adj", "mf", "sg"], "verde"),
    ])
    let forms = try library.forms(of: "ver", in: spanish)
    #expect(forms.map(\.form) == ["ver", "veo", "vemos", "vieras", "veres", "verísimo"])
    #expect(
      forms.map(\.title) == [
        "infinitive", "present", "present", "past subjunctive", "masculine", "superlative neuter xyz",
      ])
    #expect(forms.map(\.part) == ["verb", "verb", "verb", "verb", "noun", "adjective"])
    #expect(forms.map { $0.features["number"] } == [nil, "singular", "plural", "both", "plural", nil])
    #expect(forms.map { $0.features["person"] } == [nil, "1", "1", "2", nil, nil])
    #expect(try library.forms(of: "ver", part: "noun", in: spanish).map(\.form) == ["veres"])
    for word in ["", "v", "vere", "ver<n>", String(repeating: "ver", count: 1_000)] {
      #expect(try library.forms(of: word, in: spanish).isEmpty)
    }
  }

  @Test func `a language without data is named, with its package if there is one`() throws {
    let library = LanguageLibrary(ownFolder: "/none", sharedFolders: ["/none"], spellingFolders: []) { false }
    let error = #expect(throws: LanguageError.self) { try library.forms(of: "ver", in: spanish) }
    #expect(error == .noForms(language: "Spanish", package: "apertium-spa-cat"))
    let german = try #require(Language.named("german"))
    #expect(throws: LanguageError.noForms(language: "German", package: nil)) {
      try library.forms(of: "sehen", in: german)
    }
  }

  @Test func `a damaged generator is named, and any change of one ends`() throws {
    let bytes = TransducerSample(entries: [entry("ver", ["vblex", "inf"], "ver")]).bytes()
    for place in bytes.indices {
      for value: UInt8 in [0, 1, 0x3F, 0xFF] {
        var changed = bytes
        changed[place] = value
        do throws(LanguageError) {
          let forms = try TransducerFile(changed, path: "a.bin").forms(of: "ver")
          #expect(forms.count <= 2_000)
        } catch {
          guard case .damaged("a.bin", _) = error else { Issue.record("\(error)"); continue }
        }
      }
    }
  }

  /// The packages that Scripts/setup installs for the tests, and those that Scripts/treebanks uses.
  private static let installed = ["es", "it", "fr", "pt"].filter { code in
    Language.base(code)?.reading.files.generators.contains {
      fileExists("/usr/share/apertium/apertium-\($0).autogen.bin")
    } == true
  }

  @Test(arguments: installed)
  func `the forms are those of Apertium's own generator`(code: String) throws {
    let rows = try fixtureText("forms.tsv").split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
      .filter { $0[0] == code }
    let library = LanguageLibrary(ownFolder: "/none", sharedFolders: ["/usr/share"], spellingFolders: []) { false }
    let generator = try library.generator(of: try #require(Language.base(code)))
    let lemmas = Set(rows.map { $0[1] })
    #expect(!lemmas.isEmpty)
    for lemma in lemmas {
      let found = generator.forms(of: lemma).map { $0.tags.map { "<\($0)>" }.joined() + " " + $0.form }
      #expect(Set(found) == Set(rows.filter { $0[1] == lemma }.map { $0[2] + " " + $0[3] }), "\(lemma)")
    }
  }
}
