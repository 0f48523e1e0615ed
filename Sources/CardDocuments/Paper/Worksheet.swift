// Worksheets of cards, followed by their answers on separate pages. Invariant: a version is a seed, and each answer has
// the number of what it answers.

import Files
import Text
import Values
import Wire

struct Worksheet {
  private let title: String
  private let options: PaperOptions
  private let measure: PaperTable.Measure
  private var numbers: SeededNumbers

  private(set) var pages: [PaperPage] = []
  private(set) var cards = 0

  init(_ options: PaperOptions, titled title: String, numbers: SeededNumbers, measure: @escaping PaperTable.Measure) {
    (self.title, self.options, self.measure, self.numbers) = (title, options, measure, numbers)
  }

  /// Makes the pages of all cards that have something to print.
  mutating func fill(_ cards: [(front: PaperSide, back: PaperSide)]) throws(ProgramFailure) {
    switch options.kind {
    case .cloze: try fillGaps(cards.filter { !$0.front.text.isEmpty && !$0.back.text.isEmpty })
    case .match: try fillPairs(cards.filter { !$0.front.isEmpty && !$0.back.isEmpty })
    case .search: try fillSearches(cards)
    case .list, .cards: try fillList(cards.filter { !$0.front.isEmpty || !$0.back.isEmpty })
    }
    foot()
  }

  private mutating func add(_ table: PaperTable, _ rows: [[PaperSide]]) throws(ProgramFailure) {
    pages += try table.pages(rows, size: options.size, measure: measure)
  }

  private static func numbered(_ texts: [String]) -> [[PaperSide]] {
    texts.enumerated().map { [PaperSide("\($0.offset + 1)."), PaperSide($0.element)] }
  }

  private static let numberColumns = [0.07, 0.93]

  private mutating func foot() {
    for index in pages.indices { pages[index].foot("\(title), version \(options.seed ?? 1), page \(index + 1)") }
  }

  private mutating func fillGaps(_ cards: [(front: PaperSide, back: PaperSide)]) throws(ProgramFailure) {
    let gaps = cards.map { ClozeGaps(prompt: $0.front.text, answer: $0.back.text) }
    self.cards = gaps.count
    let table = PaperTable(columns: Self.numberColumns, textSize: 13, heading: title, asksName: true)
    try add(table, Self.numbered(gaps.map(\.sentence)))
    let answers = PaperTable(columns: Self.numberColumns, textSize: 10, heading: "\(title): answers")
    try add(answers, Self.numbered(gaps.map { $0.hidden.joined(separator: " · ") }))
  }

  private mutating func fillList(_ cards: [(front: PaperSide, back: PaperSide)]) throws(ProgramFailure) {
    self.cards = cards.count
    try add(
      PaperTable(columns: [0.5, 0.5], textSize: 12, heading: title, folds: true), cards.map { [$0.front, $0.back] })
  }

  /// As many pairs as have a letter each and fit on one page.
  private static let pairsOnPage = 12
  private static let letters = Array("ABCDEFGHIJKL").map { String($0) }

  private mutating func fillPairs(_ cards: [(front: PaperSide, back: PaperSide)]) throws(ProgramFailure) {
    self.cards = cards.count
    var answers: [String] = []
    let groups = Self.groups(cards)
    for (number, group) in groups.enumerated() {
      let order = group.indices.shuffled(using: &numbers)
      let rows = group.indices.map { row in
        [
          PaperSide("\(row + 1)."), group[row].front, PaperSide("•"), PaperSide("•"), PaperSide(Self.letters[row]),
          group[order[row]].back,
        ]
      }
      let heading = groups.count == 1 ? title : "\(title), \(number + 1)"
      try add(
        PaperTable(
          columns: [0.06, 0.36, 0.16, 0.05, 0.05, 0.32], textSize: 13, heading: heading, highestRow: 57,
          asksName: true), rows)
      // The answer of a prompt has the letter of the row that shows it.
      let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($0.element, $0.offset) })
      answers.append(
        group.indices.map { "\($0 + 1) \(places[$0].map { Self.letters[$0] } ?? "")" }.joined(separator: "   "))
    }
    let table = PaperTable(columns: Self.numberColumns, textSize: 11, heading: "\(title): answers")
    try add(table, Self.numbered(answers))
  }

  /// Groups pairs so that no two in a group have the same prompt or the same answer.
  private static func groups(
    _ cards: [(front: PaperSide, back: PaperSide)]
  ) -> [[(front: PaperSide, back: PaperSide)]] {
    var groups: [[(front: PaperSide, back: PaperSide)]] = []
    var firstOpen = 0
    for card in cards {
      let fits = groups.indices.dropFirst(firstOpen).first { index in
        groups[index].count < pairsOnPage && !groups[index].contains { $0.front == card.front || $0.back == card.back }
      }
      if let fits { groups[fits].append(card) } else { groups.append([card]) }
      while groups.indices.contains(firstOpen), groups[firstOpen].count == pairsOnPage { firstOpen += 1 }
    }
    return groups
  }

  private static let wordsOnPage = 14

  /// The word to hide and its clue: the front is hidden if it can be, otherwise the back; the other side is the clue.
  private static func clue(_ card: (front: PaperSide, back: PaperSide)) -> (word: [Character], clue: PaperSide)? {
    if !card.back.isEmpty, let word = WordSearch.word(of: card.front.text) { return (word, card.back) }
    if !card.front.isEmpty, let word = WordSearch.word(of: card.back.text) { return (word, card.front) }
    return nil
  }

  private mutating func fillSearches(_ cards: [(front: PaperSide, back: PaperSide)]) throws(ProgramFailure) {
    var waiting = cards.compactMap(Self.clue).distinct(by: \.word)
    self.cards = waiting.count
    var answers: [PaperPage] = []
    while !waiting.isEmpty {
      let some = Array(waiting.prefix(Self.wordsOnPage))
      let search = WordSearch(some.map(\.word), numbers: &numbers)
      let clues = search.placed.map { some[$0].clue }
      let words = search.placed.map { PaperSide(String(some[$0].word)) }
      pages.append(page(search, clues, "\(title)", isAnswer: false))
      answers.append(page(search, words, "\(title): answers", isAnswer: true))
      waiting.removeFirst(some.count)
      waiting.insert(contentsOf: some.indices.filter { !search.placed.contains($0) }.map { some[$0] }, at: 0)
    }
    pages += answers
  }

  private func page(_ search: WordSearch, _ list: [PaperSide], _ heading: String, isAnswer: Bool) -> PaperPage {
    var page = PaperPage(options.size)
    let inner = page.inner
    page.head(heading, asksName: !isAnswer)
    let side = min(inner.width, 470)
    let (left, top) = (inner.x + (inner.width - side) / 2, inner.y + 30)
    let step = side / Double(search.letters.count)
    for (y, row) in search.letters.enumerated() {
      for (x, letter) in row.enumerated() {
        let box = SceneBox(left + Double(x) * step, top + Double(y) * step, step, step)
        let isFaint = isAnswer && !search.isWord[y][x]
        page.add(.text(String(letter), in: box, size: step * 0.62, color: isFaint ? PaperPage.rule : PaperPage.ink))
      }
    }
    addList(list, below: top + side + 12, to: &page)
    return page
  }

  /// Adds numbered clues in two columns.
  private func addList(_ list: [PaperSide], below top: Double, to page: inout PaperPage) {
    let inner = page.inner
    let rows = (list.count + 1) / 2
    let height = (inner.y + inner.height - top) / Double(max(1, rows))
    for (number, clue) in list.enumerated() {
      let column = SceneBox(
        inner.x + (number < rows ? 0 : inner.width / 2), top + Double(number % rows) * height, inner.width / 2, height)
      let (left, right) = column.inset(by: 2).split(across: 0.1)
      page.add(PaperSide("\(number + 1)."), in: left, size: 11, align: .left)
      page.add(clue, in: right, size: 11, align: .left)
    }
  }
}
