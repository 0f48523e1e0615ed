// Tests of expanding a Hunspell dictionary, with a small one and, if it is installed, against unmunch.

import Glibc
import Lexicon
import Problems
import TestSupport

@Suite struct AffixExpansionTests {
  private let folder: TemporaryFolder

  init() throws { folder = TemporaryFolder() }

  private func expand(_ affixes: String, _ words: String) throws -> [String] {
    try folder.write(affixes, to: "es_ES.aff")
    try folder.write(words, to: "es_ES.dic")
    let library = LexiconLibrary(listFolders: [], cacheFolder: nil, dictionaryFolders: [folder.path])
    return Array(try library.lexicon(for: language("spanish")).words()).sorted()
  }

  @Test func `affixes are added where their conditions match`() throws {
    let affixes = """
      SET UTF-8
      FLAG UTF-8
      PFX p Y 2
      PFX p 0 re .
      PFX p 0 r e
      SFX S Y 4
      SFX S 0 s [aeiouáéíóú]
      SFX S 0 es [^aeiouáéíóúz]
      SFX S z ces z
      SFX S ón ones ón
      SFX V N 1
      SFX V ar o ar
      SFX A Y 1
      SFX A r ción/S ar
      SFX X Y 1
      SFX X 0 nunca xyz
      """
    #expect(try expand(affixes, "1\ncasa/S\nluz/S\nflor/S\n") == ["casa", "casas", "flor", "flores", "luces", "luz"])
    #expect(try expand(affixes, "1\nhablar/Vp\n") == ["hablar", "hablo", "rehablar"])
    #expect(try expand(affixes, "1\ncrear/A\n").contains("creacións") == false)
    #expect(try expand(affixes, "1\ncrear/A\n") == ["creación", "creaciones", "creaciónes", "crear"].sorted())
    #expect(
      try expand(affixes, "1\nestar/Ap\n").filter { $0.hasPrefix("r") }
        == [
          "restación", "restaciones", "restaciónes", "restar", "reestación", "reestaciones", "reestaciónes", "reestar",
        ].sorted())
    #expect(try expand(affixes, "1\nque/X\nsol/?\n") == ["que", "sol"])
  }

  @Test func `invalid dictionary files do no harm`() throws {
    for affixes in [
      "", "SFX", "SFX A", "SFX A Y", "SFX A Y x\nSFX A", "SFX A Y 1\nSFX A 0 s [", "PFX A Y 1\nPFX A 0 a ]",
      "SFX A a b c",
    ] {
      #expect(try expand(affixes, "1\ncasa/A\n") == ["casa"])
    }
    #expect(throws: LexiconError.self) { try expand("FLAG long\n", "1\ncasa\n") }
    #expect(throws: LexiconError.self) { try expand("", "") }
    try folder.write([0xFF, 0x41], to: "es_ES.aff")
    #expect(throws: LexiconError.self) {
      try LexiconLibrary(listFolders: [], cacheFolder: nil, dictionaryFolders: [folder.path]).lexicon(
        for: language("spanish"))
    }
    // A suffix that allows itself again stops after the second.
    #expect(try expand("SFX A Y 1\nSFX A 0 a/A .\n", "1\nla/A\n") == ["la", "laa", "laaa"])
  }

  @Test func `a dictionary and a list are joined, and with one of them that is read`() throws {
    try folder.write("casa\npingüino\n", to: "spanish")
    let cache = folder.file("cache")
    func words() throws -> [String] {
      let folders = [folder.path]
      let library = LexiconLibrary(listFolders: folders, cacheFolder: cache, dictionaryFolders: folders)
      return try library.lexicon(for: language("spanish")).words().sorted()
    }
    #expect(try words() == ["casa", "pingüino"])
    try folder.write("SFX S Y 1\nSFX S 0 s .\n", to: "es_ES.aff")
    try folder.write("1\ncasa/S\n", to: "es_ES.dic")
    #expect(try words() == ["casa", "casas", "pingüino"])
    try folder.write("casa\npingüinos\n", to: "spanish")
    #expect(try words() == ["casa", "casas", "pingüinos"])
    unlink(folder.file("spanish"))
    #expect(try words() == ["casa", "casas"])
  }

  @Test func `a list that cannot be looked for is an error, and no other one is read`() throws {
    try folder.write("casa\n", to: "spanish")
    symlink("es_ES.dic", folder.file("es_ES.dic"))
    let library = LexiconLibrary(listFolders: [folder.path], cacheFolder: nil, dictionaryFolders: [folder.path])
    let problem = #expect(throws: LexiconError.self) { try library.lexicon(for: language("spanish")) }
    #expect(problem?.message.contains("es_ES.dic") == true, "\(String(describing: problem))")
  }

  @Test func `if the dictionary cannot be read the list is used`() throws {
    try folder.write("casa\n", to: "spanish")
    try folder.write("FLAG num\n", to: "es_ES.aff")
    try folder.write("1\nperro\n", to: "es_ES.dic")
    let library = LexiconLibrary(listFolders: [folder.path], cacheFolder: nil, dictionaryFolders: [folder.path])
    #expect(try Array(library.lexicon(for: language("spanish")).words()) == ["casa"])
  }

  @Test func `a dictionary that expands without end is refused`() throws {
    let affixes =
      "SFX A Y 9\n" + (0..<200).map { "SFX A 0 \($0)/A .\n" }.joined() + "PFX A Y 9\n"
      + String(repeating: "PFX A 0 x .\n", count: 200)
    try folder.write(affixes, to: "es_ES.aff")
    try folder.write("1\n" + String(repeating: "la/A\n", count: 1000), to: "es_ES.dic")
    var limits = ListLimits()
    limits.words = 5000
    let library = LexiconLibrary(listFolders: [], cacheFolder: nil, dictionaryFolders: [folder.path], limits: limits)
    let problem = try #require(throws: LexiconError.self) { try library.lexicon(for: language("spanish")) }
    #expect(problem.message.hasSuffix("es_ES.dic is not a word list: its affixes make more words than a list can have"))
  }

  private static let installed =
    access("/usr/bin/unmunch", X_OK) == 0 && access("/usr/share/hunspell/es_ES.dic", R_OK) == 0

  @Test(.enabled(if: installed, "unmunch or hunspell-es is not installed"))
  func `every word from unmunch is found`() throws {
    let part = folder.path + "/es_ES"
    #expect(
      system(
        "cp /usr/share/hunspell/es_ES.aff \(part).aff; awk 'NR % 97 == 1' /usr/share/hunspell/es_ES.dic > \(part).dic")
        == 0)
    #expect(system("unmunch \(part).dic \(part).aff > \(folder.path)/forms 2> /dev/null") == 0)
    let library = LexiconLibrary(listFolders: [], cacheFolder: nil, dictionaryFolders: [folder.path])
    let expanded = try library.lexicon(for: language("spanish"))
    let theirs = try library.load(path: folder.path + "/forms", language: language("spanish"))
    #expect(theirs.count > 5000)
    #expect(theirs.words().filter { !expanded.contains($0) } == [])
    #expect(expanded.count < theirs.count * 102 / 100)
  }
}
