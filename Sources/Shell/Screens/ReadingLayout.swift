// A text as the lines of a screen: its paragraphs, headings, and translations below what they translate. Invariant:
// only the blocks that are needed are laid out, so a page of a large text takes no longer than one of a small text.

import Language
import Text

final class ReadingLayout {
  /// A line of a block.
  typealias Place = (block: Int, line: Int)
  /// Lines, and by word the line on which it ends.
  typealias Block = (lines: [String], places: [Int])

  private let index: TextIndex
  /// The sentences of each block, which is a paragraph, or a part of one that is very long.
  private let blocks: [Range<Int>]
  private var laidOut: [Int: Block] = [:]
  private var (terminal, width): (Terminal, Int)
  var view: TextView { didSet { laidOut = [:] } }
  /// The index of the selected word's token.
  var cursor: Int? { didSet { laidOut = [:] } }

  init(_ view: TextView, _ terminal: Terminal, width: Int) {
    (self.view, self.terminal, self.width, index) = (view, terminal, width, view.text)
    var (blocks, words) = ([Range<Int>](), 0)
    for (number, sentence) in index.sentences.enumerated() {
      let goesOn = number > 0 && index.sentences[number - 1].place == sentence.place && words < 2_000
      words = (goesOn ? words : 0) + index.tokenRange(of: sentence).count
      blocks.append((goesOn ? blocks.removeLast().lowerBound : number)..<number + 1)
    }
    self.blocks = blocks
  }

  /// The blocks that are headings, or begin another file.
  private(set) lazy var chapters = blocks.indices.filter { number in
    let place = index.place(of: firstSentence(of: number))
    return place.isHeading || number > 0 && index.place(of: firstSentence(of: number - 1)).file != place.file
  }

  func firstSentence(of block: Int) -> TextSentence { index.sentences[blocks[block].lowerBound] }

  /// Lays the text out for a width, and returns the place where the word is now that was at a place before.
  func fit(_ terminal: Terminal, width: Int, keeping place: Place) -> Place {
    if width == self.width { return place }
    let token = min(token(at: place), index.tokens.count - 1)
    (self.terminal, self.width, laidOut) = (terminal, width, [:])
    return self.place(of: token)
  }

  /// The place a number of lines further on, or further back but not before the beginning; nil beyond the end.
  func moved(_ place: Place, by count: Int) -> Place? {
    var (number, line) = (place.block, place.line + count)
    while line < 0, number > 0 {
      number -= 1
      line += block(number).lines.count
    }
    line = max(0, line)
    while number < blocks.count, line >= block(number).lines.count {
      line -= block(number).lines.count
      number += 1
    }
    return number < blocks.count ? (number, line) : nil
  }

  func place(of token: Int) -> Place {
    let sentence = index.sentence(ofToken: token)
    let number = blocks.indices.bisected { blocks[$0].lowerBound <= sentence } - 1
    return (number, block(number).places[token - firstToken(of: number)])
  }

  /// The first word that ends on a line, or after it.
  func token(at place: Place) -> Int {
    let places = block(place.block).places
    return firstToken(of: place.block) + (places.firstIndex { $0 >= place.line } ?? places.count)
  }

  private func firstToken(of block: Int) -> Int { index.tokenRange(of: firstSentence(of: block)).lowerBound }

  func page(from place: Place, count: Int) -> [String] {
    var (lines, number, skipped) = ([String](), place.block, place.line)
    while number < blocks.count, lines.count < count {
      lines += block(number).lines.dropFirst(skipped)
      (number, skipped) = (number + 1, 0)
    }
    return Array(lines.prefix(count).drop(while: \.isEmpty))
  }

  private func block(_ number: Int) -> Block {
    if let known = laidOut[number] { return known }
    var block = lines(of: blocks[number])
    let (place, next) = (firstSentence(of: number).place, blocks[number].upperBound)
    if next == index.sentences.count || index.sentences[next].place != place {
      block.lines += translation(of: index.places[Int(place)])
      // The lines of a film are short, and each is a paragraph.
      if index.places[Int(place)].start == nil, next < index.sentences.count { block.lines.append("") }
    }
    laidOut[number] = block
    return block
  }

  func translation(of place: TextPlace) -> [String] {
    guard let text = place.translation, !text.isEmpty else { return [] }
    return printable(text, limit: 400).lines(within: width - 2).map { "  " + terminal.styled($0, .dim) }
  }

  /// Sentences of a paragraph as lines, with their words marked by their states.
  func lines(of sentences: Range<Int>) -> Block {
    func count(_ text: String) -> Int { text.unicodeScalars.count { $0 != " " } }
    var (runs, ends, used) = ([StyledRun](), [Int](), 0)
    let style: Style = index.place(of: index.sentences[sentences.lowerBound]).isHeading ? .bold : []
    for number in sentences {
      if number > sentences.lowerBound, index.isApart(number) { runs.add(" ", style) }
      var token = index.tokenRange(of: index.sentences[number]).lowerBound
      for piece in index.pieces(of: index.sentences[number]) {
        let text = printable(piece.text, limit: 400)
        let word = piece.token.map { marked(text, view.state(of: $0), isCursor: token == cursor) } ?? (text, [])
        runs.add(word.0, word.1.union(style))
        used += count(word.0)
        if piece.token == nil { continue }
        ends.append(used)
        token += 1
      }
    }
    let lines = runs.lines(within: width)
    // Breaking leaves out nothing but blanks.
    var (places, line, seen) = ([Int](), 0, count(lines[0].text))
    for end in ends {
      while seen < end, line + 1 < lines.count {
        line += 1
        seen += count(lines[line].text)
      }
      places.append(line)
    }
    return (lines.map { terminal.styled($0) }, places)
  }

  /// Marks the selected word as `[word]`, an unknown one as `word*`, one with a new card as `word+`.
  private func marked(_ word: String, _ state: WordState?, isCursor: Bool) -> (String, Style) {
    let sign = state == .unknown ? "*" : state == .new ? "+" : ""
    if isCursor { return ("[\(word)]\(sign)", [.bold, .reversed]) }
    switch state {
    case .unknown: return (word + sign, .yellow)
    case .new: return (word + sign, .cyan)
    case .learning: return (word, .blue)
    case .ignored: return (word, .dim)
    case .known, nil: return (word, [])
    }
  }
}
