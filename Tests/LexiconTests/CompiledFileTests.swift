// Tests of compiled lists as files: when one is used, when it is rebuilt, and that no bytes in it do harm.

import Files
import Glibc
import Lexicon
import Problems
import TestSupport

@Suite struct CompiledFileTests {
  private let lists: TemporaryFolder
  private let cache: TemporaryFolder
  private static let words = ["bean", "bane", "noon", "niño", "cab", "ab"]

  init() throws {
    lists = TemporaryFolder()
    cache = TemporaryFolder()
    try lists.write(Self.words.joined(separator: "\n"), to: "spanish")
  }

  private func library() -> LexiconLibrary { LexiconLibrary(listFolders: [lists.path], cacheFolder: cache.path) }

  private func open() throws -> Lexicon { try library().lexicon(for: language("spanish")) }

  @Test func `the first opening compiles, later ones map the same file`() throws {
    #expect(try Array(open().words()) == ordered(Self.words))
    let first = try cache.status("spanish.words")
    #expect(first.st_mode & 0o777 == 0o600)
    let lexicon = try open()
    #expect(lexicon.isMapped)
    #expect(Array(lexicon.words()) == ordered(Self.words))
    #expect(try cache.status("spanish.words").st_ino == first.st_ino)
    #expect(cache.names == ["spanish.words"])
    // A copy has another modification time, so its checksum is verified, and it is right.
    cache.setTime("spanish.words", try lists.status("spanish"))
    #expect(try open().isMapped)
    #expect(try cache.status("spanish.words").st_ino == first.st_ino)
  }

  @Test func `a file truncated or overwritten while in use crashes nobody, is reported once, and is rebuilt`() throws {
    MappedFile.guardMappings()
    let many = (0..<30_000).map { number in
      String(decoding: [1, 26, 676, 17_576].map { UInt8(ascii: "a") + UInt8(number / $0 % 26) }, as: UTF8.self)
    }
    try lists.write(many.joined(separator: "\n"), to: "spanish")
    let path = cache.path + "/spanish.words"
    for size in [0, 1, 4096, 4100, 200_000] {
      let library = library()
      let lexicon = try library.lexicon(for: language("spanish"))
      #expect(lexicon.isMapped && library.takeDamage().isEmpty)
      #expect(truncate(path, off_t(size)) == 0)
      // The results do not matter, only that the calls return.
      _ = many.count { lexicon.contains($0) }
      _ = Array(lexicon.words()).count
      _ = lexicon.formableWords(from: "abcdefgh", minLength: 2)
      #expect(library.takeDamage() == [.cutShort(list: "spanish", path: path)] && lexicon.isDamaged)
      #expect(library.takeDamage().isEmpty)
      let again = try library.lexicon(for: language("spanish"))
      #expect(again !== lexicon && again.count == lexicon.count && many.allSatisfy { again.contains($0) })
    }
    // A file that is replaced as a whole stays intact where it is mapped.
    let library = library()
    let lexicon = try library.lexicon(for: language("spanish"))
    _ = try self.library().compile(language("spanish"))
    unlink(path)
    #expect(library.takeDamage().isEmpty && many.allSatisfy { lexicon.contains($0) })
  }

  @Test func `a library opens a language once`() throws {
    let library = library()
    #expect(try library.lexicon(for: language("spanish")) === library.lexicon(for: language("spanish")))
    let before = try library.lexicon(for: language("spanish"))
    #expect(try library.compile(language("spanish")) !== before)
    #expect(before.contains("niño"))
  }

  @Test func `a changed list is compiled anew`() throws {
    _ = try open()
    try lists.write("casa\nperro\n", to: "spanish")
    #expect(try Array(open().words()) == ["perro", "casa"])
    var status = try lists.status("spanish")
    try lists.write("cosa\nperro\n", to: "spanish")
    status.st_mtim.tv_sec += 5
    lists.setTime("spanish", status)
    #expect(try Array(open().words()) == ["perro", "cosa"])
  }

  @Test func `a file of another version or language, or a truncated one, is rebuilt`() throws {
    _ = try open()
    let whole = try #require(cache.read("spanish.words"))
    var other = whole
    other[8] &+= 1
    for bytes in [other, [], Array("x".utf8), Array(whole.dropLast()), Array(whole.prefix(600)), whole + [0]] {
      try cache.write(bytes, to: "spanish.words")
      #expect(try Array(open().words()) == ordered(Self.words))
      #expect(try #require(cache.read("spanish.words")) == whole)
    }
    try cache.write(whole, to: "italian.words")
    try lists.write("ciao\n", to: "italian")
    #expect(try Array(library().lexicon(for: language("italian")).words()) == ["ciao"])
  }

  @Test func `a changed byte is found by the checksum, wherever it is`() throws {
    _ = try open()
    let whole = try #require(cache.read("spanish.words"))
    for index in stride(from: 0, to: whole.count, by: 41) {
      var bytes = whole
      bytes[index] ^= 0x10
      try cache.write(bytes, to: "spanish.words")
      #expect(try Array(open().words()) == ordered(Self.words), "byte \(index)")
      #expect(try #require(cache.read("spanish.words")) == whole, "byte \(index)")
    }
  }

  /// Calls every query of a lexicon; the results are ignored.
  private func askEverything(_ lexicon: Lexicon) throws {
    var generator = TestGenerator(9)
    for word in ["bean", "niño", "ab"] {
      _ = lexicon.contains(word)
      _ = lexicon.formable(from: word + "e")
      _ = lexicon.formable(from: word + "??")
      _ = lexicon.anagrams(of: word)
      _ = lexicon.neighbours(of: word)
      _ = Array(lexicon.words(prefix: word).prefix(20))
    }
    for pattern in ["*", "[ab]??n*", "*e*e*"] { _ = try lexicon.match(pattern) }
    _ = lexicon.palindromes()
    for length in 2...5 { _ = lexicon.random(length: length, using: &generator) }
    _ = Array(lexicon.words().prefix(50))
    _ = lexicon.wordOfTheDay(1)
  }

  @Test func `no changed byte makes a query read out of bounds, even if the checksum is not verified`() throws {
    _ = try open()
    let (whole, status) = (try #require(cache.read("spanish.words")), try cache.status("spanish.words"))
    var used = 0
    for index in whole.indices {
      var bytes = whole
      bytes[index] ^= index % 2 == 0 ? 0xFF : 0x81
      try cache.write(bytes, to: "spanish.words")
      cache.setTime("spanish.words", status)
      try askEverything(open())
      used += try #require(cache.read("spanish.words")) == bytes ? 1 : 0
    }
    // Most of these files were accepted, so the effect of their bytes was tested.
    #expect(used > whole.count / 2)
  }

  @Test func `no file of a hostile author makes a query read out of bounds`() throws {
    _ = try open()
    let (whole, status) = (try #require(cache.read("spanish.words")), try cache.status("spanish.words"))
    var generator = TestGenerator(77)
    for _ in 0..<200 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...40, using: &generator) {
        let values: [UInt8] = [0, 0xFF, 0x80, 0x7F, 1, UInt8.random(in: 0...255, using: &generator)]
        let start = Int.random(in: 0..<bytes.count, using: &generator)
        for index in start..<min(bytes.count, start + 8) { bytes[index] = values.randomElement(using: &generator) ?? 0 }
      }
      try cache.write(bytes, to: "spanish.words")
      cache.setTime("spanish.words", status)
      try askEverything(open())
    }
  }

  @Test func `words are available even without a writable cache folder`() throws {
    let library = LexiconLibrary(listFolders: [lists.path], cacheFolder: "/dev/null/cache")
    let lexicon = try library.lexicon(for: language("spanish"))
    #expect(!lexicon.isMapped)
    #expect(lexicon.contains("niño"))
    #expect(lexicon.cacheFailure?.code == "unwritable")
    #expect(lexicon.cacheFailure?.message.contains("/dev/null/cache") == true)
  }

  @Test func `a list that could not be stored says so itself, and no other does`() throws {
    try lists.write("gatto", to: "italian")
    // A folder is in the way of the file.
    try cache.makeFolder("spanish.words")
    let library = library()
    #expect(try library.lexicon(for: language("spanish")).cacheFailure?.code == "unwritable")
    #expect(try library.lexicon(for: language("italian")).cacheFailure == nil)
    #expect(try library.lexicon(for: language("spanish")).cacheFailure?.code == "unwritable")
  }

  @Test func `the cache folder and those above it are created for the user alone`() throws {
    let library = LexiconLibrary(listFolders: [lists.path], cacheFolder: cache.path + "/deep/cache")
    #expect(try library.lexicon(for: language("spanish")).isMapped)
    #expect(try cache.status("deep/cache").st_mode & 0o777 == 0o700)
  }

  @Test func `a loaded list is cached too, and two lists with one name do not disturb each other`() throws {
    let other = TemporaryFolder()
    let (first, second) = (try lists.write("aa\nbb\n", to: "mine.txt"), try other.write("cc\n", to: "mine.txt"))
    for _ in 0..<2 {
      #expect(try Array(library().load(path: first).words()) == ["aa", "bb"])
      #expect(try Array(library().load(path: second).words()) == ["cc"])
    }
    #expect(try library().load(path: first).name == "mine")
    #expect(try library().load(path: first).isMapped)
  }

  @Test func `a path that leads to another list now gives its words, though size and time are the same`() throws {
    let other = TemporaryFolder()
    try lists.write("aa\nbb\n", to: "mine.txt")
    try other.write("cc\ndd\n", to: "mine.txt")
    other.setTime("mine.txt", try lists.status("mine.txt"))
    let link = cache.file("link")
    #expect(symlink(lists.path, link) == 0)
    #expect(try Array(library().load(path: link + "/mine.txt").words()) == ["aa", "bb"])
    #expect(unlink(link) == 0 && symlink(other.path, link) == 0)
    #expect(try Array(library().load(path: link + "/mine.txt").words()) == ["cc", "dd"])
    #expect(other.names == ["mine.txt"])
  }
}
