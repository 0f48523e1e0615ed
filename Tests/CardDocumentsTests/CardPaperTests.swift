// The layout of cards and worksheets on paper. Invariant: fronts and backs line up when the sheet is cut or folded.

import TestSupport
import Values
import Wire

@testable import CardDocuments

struct CardPaperTests {
  private let folder = TemporaryFolder()

  private func pair(_ front: String, _ back: String) -> (front: PaperSide, back: PaperSide) {
    (PaperSide(front), PaperSide(back))
  }

  /// The texts of a scene and the centres of their boxes.
  private func texts(_ scene: Scene) -> [(text: String, x: Double, y: Double)] {
    scene.items.compactMap { item in
      guard case .text(let text, _, _, _, _, _) = item.content else { return nil }
      return (text, item.placement.x, item.placement.y)
    }
  }

  /// The marks beside the grid: thin boxes in the margins.
  private func marks(_ scene: Scene) -> Set<[Int]> {
    let marks = scene.items.filter { item in
      guard case .shape = item.content else { return false }
      return min(item.placement.width, item.placement.height) < 1
        && max(item.placement.width, item.placement.height) < 11
    }
    // In thousandths of a point.
    return Set(marks.map { [Int(($0.placement.x * 1000).rounded()), Int(($0.placement.y * 1000).rounded())] })
  }

  @Test(arguments: PaperSize.allCases)
  func `a back is behind its front, and the marks of both sides coincide`(size: PaperSize) throws {
    let cut = CutCards(size: size, title: "T")
    let cards = (0..<CutCards.perPage - 1).map { pair("front \($0)", "back \($0)") }
    let pages = cut.pages(cards, sheet: "T")
    #expect(pages.count == 2)
    let fronts = texts(pages[0])
    let backs = texts(pages[1])
    for number in cards.indices {
      let front = try #require(fronts.first { $0.text == "front \(number)" })
      let back = try #require(backs.first { $0.text == "back \(number)" })
      #expect(abs(front.x - (size.width - back.x)) < 0.001 && abs(front.y - back.y) < 0.001)
    }
    let width = Int((size.width * 1000).rounded())
    let turned = Set(marks(pages[1]).map { [width - $0[0], $0[1]] })
    #expect(marks(pages[0]).count >= 8 && marks(pages[0]) == turned)
  }

  @Test(arguments: [
    ("born in [...] there", "born in 1913 there", "born in ______________ there", ["1913"]),
    ("by [who].", "by Griffin.", "by ______________ (who).", ["Griffin"]),
    ("[...] and [...]", "one and two", "______________ and ______________", ["one", "two"]),
    ("Ich [...]e", "Ich gehe", "Ich ______________e", ["geh"]),
    ("[...]e da", "gehe da oder komme da\ngehe da.", "______________e da", ["gehe da oder komm"]),
    ("a [...]e", "a gehe da", "a ______________e", ["g"]),
    ("so [sic] it [...]", "so [sic] it went\nmore below", "so [sic] it ______________", ["went"]),
    ("it [...]", "it went\r\nmore below", "it ______________", ["went"]),
    ("el gato", "the cat", "el gato  ______________", ["the cat"]),
    ("a [...] b", "something else", "a [...] b  ______________", ["something else"]),
    (
      "El odio no [...] con el odio.\ndiminish", "El odio no disminuye con el odio.\ndisminuir\ndiminish",
      "El odio no ______________ con el odio.\ndiminish", ["disminuye"]
    ),
    ("[...", "x", "[...  ______________", ["x"]), ("]a[", "x", "]a[  ______________", ["x"]),
  ])
  func `the gaps of a sentence are found from its sides`(
    prompt: String, answer: String, sentence: String, hidden: [String]
  ) {
    let gaps = ClozeGaps(prompt: prompt, answer: answer)
    #expect(gaps.sentence == sentence && gaps.hidden == hidden)
  }

  @Test func `each word of a word search can be read in it, and the same seed gives the same layout`() throws {
    for seed in UInt64(1)...40 {
      var numbers = SeededNumbers(seed: seed)
      let words = ["perro", "gato", "árbol", "niño", "mariposa", "sol", "straße", "еж", "extraordinariame"]
        .compactMap(WordSearch.word)
      #expect(words.count == 9)
      let search = WordSearch(words, numbers: &numbers)
      #expect(search.placed.count > 6)
      for place in search.placed { #expect(isReadable(words[place], in: search)) }
      var same = SeededNumbers(seed: seed)
      #expect(WordSearch(words, numbers: &same) == search)
    }
  }

  private func isReadable(_ word: [Character], in search: WordSearch) -> Bool {
    let size = search.letters.count
    for (right, down) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
      for y in 0..<size {
        for x in 0..<size {
          let places = word.indices.map { (x + right * $0, y + down * $0) }
          let isThere = zip(word, places).allSatisfy { letter, place in
            place.0 < size && (0..<size).contains(place.1) && search.letters[place.1][place.0] == letter
              && search.isWord[place.1][place.0]
          }
          if isThere { return true }
        }
      }
    }
    return false
  }

  @Test(arguments: ["", "a", "one two three four", "two\nlines", "two\r\nlines", "12", "abcdefghijklmnopq"])
  func `text that is not a short word is not hidden`(text: String) { #expect(WordSearch.word(of: text) == nil) }

  private func pages(
    _ kind: PaperKind, _ cards: [(front: PaperSide, back: PaperSide)], seed: UInt64 = 1, size: PaperSize = .a4
  ) throws -> (pages: [Scene], cards: Int) {
    var options = PaperOptions()
    (options.kind, options.seed, options.size) = (kind, seed, size)
    var sheet = Worksheet(options, titled: "T", numbers: SeededNumbers(seed: seed)) { queries in
      queries.map { TextExtents(width: $0.width, height: $0.size * Double($0.text.split(separator: "\n").count)) }
    }
    try sheet.fill(cards)
    return (sheet.pages.map { $0.scene(titled: "T") }, sheet.cards)
  }

  @Test func `the letters of a matching exercise lead from each prompt to its answer`() throws {
    let cards = (1...30).map { pair("p\($0)", "a\($0)") }
    let (pages, count) = try pages(.match, cards)
    #expect(count == 30 && pages.count == 4)
    let answers = texts(pages[3]).map(\.text).filter { $0.contains("   ") || $0.contains("1 ") }
    for (number, page) in pages.dropLast().enumerated() {
      let all = texts(page)
      for part in answers[number].split(separator: " ").chunked(by: 2) {
        let row = try #require(all.first { $0.text == "\(part[0])." })
        let letter = try #require(all.first { $0.text == part[1] })
        let prompt = try #require(all.first { $0.text.hasPrefix("p") && $0.y == row.y })
        let answer = try #require(all.first { $0.text.hasPrefix("a") && $0.y == letter.y })
        #expect(prompt.text.dropFirst() == answer.text.dropFirst())
      }
    }
  }

  @Test func `two cards with the same answer are on different pages of a matching exercise`() throws {
    let (pages, _) = try pages(.match, [pair("a", "same"), pair("b", "same")])
    #expect(pages.count == 3)
  }

  @Test(arguments: PaperSize.allCases)
  func `twelve pairs fit on one page, however long their texts are`(size: PaperSize) throws {
    let cards = (1...12).map { pair("p\($0)", String(repeating: "line\n", count: 20) + "\($0)") }
    #expect(try pages(.match, cards, size: size).pages.count == 2)
  }

  @Test func `no row is lost between pages, and none extends beyond the margin`() throws {
    let cards = (1...200).map { pair("p\($0)\n\n", String(repeating: "line\n", count: $0 % 90)) }
    let (pages, _) = try pages(.list, cards)
    let prompts = pages.flatMap { texts($0).map(\.text) }.filter { $0.hasPrefix("p") }
    #expect(prompts == cards.map(\.front.text))
    for item in pages.flatMap(\.items) {
      guard case .text(_, _, _, let size, _, _) = item.content, size > 7 else { continue }
      let place = item.placement
      #expect(place.y - place.height / 2 > 33.9 && place.y + place.height / 2 < PaperSize.a4.height - 33.9)
    }
  }

  @Test(arguments: [PaperKind.cloze, .match, .search, .list])
  func `the exercises have a line for a name and a date, and the answers have none`(kind: PaperKind) throws {
    let (pages, _) = try pages(kind, [pair("perro", "dog"), pair("gato", "cat")])
    #expect(pages.count == (kind == .list ? 1 : 2))
    for (number, page) in pages.enumerated() {
      let isAsked = texts(page).contains { $0.text.hasPrefix("Name ___") && $0.text.contains("Date ___") }
      #expect(isAsked == (number == 0 && kind != .list))
    }
  }

  @Test func `pictures are between the texts that stand above and below them`() throws {
    var page = PaperPage(.a4)
    page.add(
      PaperSide("above", pictures: [nil, nil], below: "below"), in: SceneBox(0, 0, 100, 100), size: 10)
    let pictures = page.items.filter { if case .picture = $0.content { true } else { false } }.map(\.placement)
    let all = texts(page.scene(titled: "T"))
    #expect(all.map(\.text) == ["above", "below"] && pictures.count == 2)
    for picture in pictures {
      #expect(picture.y - picture.height / 2 > all[0].y && picture.y + picture.height / 2 < all[1].y)
    }
    #expect(pictures[0].y == pictures[1].y && pictures[0].x < pictures[1].x)
  }

  @Test func `answers have the numbers of their sentences`() throws {
    let (pages, _) = try pages(.cloze, [pair("a [...]", "a one"), pair("b [...]", "b two")])
    #expect(pages.count == 2)
    let answers = texts(pages[1])
    for (number, word) in [("1.", "one"), ("2.", "two")] {
      let row = try #require(answers.first { $0.text == number })
      #expect(answers.contains { $0.text == word && $0.y == row.y })
    }
  }

  @Test func `cards without a word to hide are left out of a word search, and each word is hidden once`() throws {
    let cards = [
      pair("perro", "dog"), pair("perro", "hound"), pair("a long sentence of many words", "another of many words"),
    ]
    let (pages, count) = try pages(.search, cards)
    #expect(count == 1 && pages.count == 2)
    #expect(texts(pages[0]).contains { $0.text == "dog" } && texts(pages[1]).contains { $0.text == "PERRO" })
  }

  @Test func `a sheet has the same bytes each time, and different ones with another seed`() throws {
    let drawing = makeDrawing()
    let texts = [
      "el perro 🐶", "كلب", "a word\nand another", "a very long text " + String(repeating: "goes on ", count: 200),
    ]
    for kind in PaperKind.allCases {
      func write(_ name: String, seed: UInt64) throws -> [UInt8] {
        var options = PaperOptions()
        (options.kind, options.seed) = (kind, seed)
        let report = try PaperSheet(titled: "T", options).write(40, to: folder.path + "/" + name, by: drawing) {
          (PaperSide(texts[$0 % 4] + "\($0)"), PaperSide("answer \($0)"))
        }
        #expect(report.cards + report.leftOut == 40 && report.pages > 0)
        return folder.read(name) ?? []
      }
      let first = try write("a.pdf", seed: 1)
      #expect(first.starts(with: Array("%PDF".utf8)))
      #expect(try first == write("b.pdf", seed: 1))
      #expect(try first != write("c.pdf", seed: 2))
    }
  }

  @Test(arguments: [PaperKind.list, .match, .cloze, .cards])
  func `a sheet is printed whatever the length of a side`(kind: PaperKind) throws {
    let long = String(repeating: "слово ", count: 10_000)
    var options = PaperOptions()
    options.kind = kind
    let report = try PaperSheet(titled: "T", options).write(2, to: folder.file("a.pdf"), by: makeDrawing()) {
      $0 == 0 ? pair("a", long) : pair(long, "b")
    }
    #expect(report.cards == 2)
  }

  @Test func `nothing to print leaves the file as it was`() throws {
    let drawing = makeDrawing()
    let path = folder.path + "/a.pdf"
    try writeWhole([1], to: path)
    var options = PaperOptions()
    options.kind = .search
    #expect(throws: DocumentError.nothingToPrint(.search)) {
      try PaperSheet(titled: "T", options).write(1, to: path, by: drawing) { _ in (PaperSide("1"), PaperSide("2")) }
    }
    let sheet = PaperSheet(titled: "T", PaperOptions())
    #expect(throws: DocumentError.nothingToPrint(.cards)) {
      try sheet.write(0, to: path, by: drawing) { _ in (PaperSide(""), PaperSide("")) }
    }
    #expect(throws: DocumentError.tooManyToPrint(limit: 10_000)) {
      try sheet.write(10_001, to: path, by: drawing) { _ in (PaperSide(""), PaperSide("")) }
    }
    #expect(throws: DocumentError.unknownEnding(path: "a.png", expected: ".pdf")) {
      try sheet.write(1, to: "a.png", by: drawing) { _ in (PaperSide(""), PaperSide("")) }
    }
    #expect(folder.read("a.pdf") == [1])
  }
}

extension Array {
  /// Splits into chunks of `count` elements; a shorter rest is dropped.
  fileprivate func chunked(by count: Int) -> [[Element]] {
    stride(from: 0, to: self.count - count + 1, by: count).map { Array(self[$0..<($0 + count)]) }
  }
}
