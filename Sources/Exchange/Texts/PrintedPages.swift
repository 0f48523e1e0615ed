// The text of a PDF, from what `pdftotext -bbox-layout` writes: pages of blocks of lines of words, each with its box.
// Invariant: each line is part of a paragraph, or counted as a page number or running head; a sentence that goes on
// after the end of a page, or after a note at its foot, is not divided.

import Templates
import Text

enum PrintedPages {
  private struct Line {
    var (page, block) = (0, 0)
    /// In points from the left and the top of the page.
    var (left, top, height) = (0.0, 0.0, 0.0)
    var text = ""

    /// What it has in common with lines of other pages if it is no text: its letters and its height on the page, or by
    /// how much the page number differs from the number of the page.
    var mark: String {
      let letters = text.filter(\.isLetter).lowercased()
      let number = Int(text.drop { !$0.isWholeNumber }.prefix { $0.isWholeNumber }) ?? 0
      if letters.isEmpty { return "#\(number &- page)" }
      return "\(letters.allSatisfy("ivxlc".contains) ? "i" : letters) \(top.rounded())"
    }
  }

  /// How many lines at the upper and the lower end of a page may be no text.
  private static let edge = 3
  private static let bullets = "•▪◦‣●■"
  private static let ligatures = zip("\u{FB00}\u{FB01}\u{FB02}\u{FB03}\u{FB04}", ["ff", "fi", "fl", "ffi", "ffl"])

  static func paragraphs(_ pages: [UInt8], _ scan: inout TextScan) throws -> [String] {
    var (paragraphs, last): ([String], (line: Line, place: Int)?) = ([], nil)
    var open = last
    for line in try withoutEdges(lines(pages, scan), &scan) {
      let isNext = last?.line.page != line.page && open?.line.page == line.page - 1
      let ends = [last, isNext ? open : nil].compactMap(\.self)
      if let end = ends.first(where: { goesOn($0.line, paragraphs[$0.place], in: line) }) {
        join(line.text, to: &paragraphs[end.place])
        last = (line, end.place)
      } else {
        if let last, paragraphs[last.place].endsSentence == false { open = last }
        paragraphs.append(String(line.text.drop { "\(bullets) ".contains($0) }))
        last = (line, paragraphs.count - 1)
      }
    }
    paragraphs.removeAll(where: \.isEmpty)
    if paragraphs.isEmpty {
      throw TextFileError.refused(path: scan.path, reason: "its pages have no text (a scan?); ocrmypdf adds text")
    }
    return paragraphs.map { ligatures.reduce($0.withoutLayout) { $0.replacing(text: String($1.0), with: $1.1) } }
  }

  private static func lines(_ pages: [UInt8], _ scan: TextScan) throws -> [Line] {
    var (lines, line) = ([Line](), Line())
    var reader = HTMLReader(pages[...], isDocument: true) { $0.isHidden }
    while let part = reader.next() {
      switch part {
      case .tag(let tag) where !tag.isClosing:
        func number(_ name: StaticString) -> Double { tag[name].flatMap { Double($0) } ?? 0 }
        switch tag.name {
        case "page": line.page += 1
        case "block": line.block += 1
        case "line":
          try scan.check()
          (line.left, line.top, line.height) = (number("xmin"), number("ymin"), number("ymax") - number("ymin"))
          lines.append(line)
        case "word" where lines.last?.text.isEmpty == false: lines[lines.count - 1].text += " "
        default: break
        }
      case .text(let text) where !lines.isEmpty:
        lines[lines.count - 1].text += String(decoding: text.filter { !isASCIISpace($0) }, as: UTF8.self)
      case .character(let scalar) where !lines.isEmpty: lines[lines.count - 1].text += String(scalar)
      default: break
      }
    }
    return lines.filter { !$0.text.isEmpty }
  }

  /// Removes the lines at the edges of a page that pages near it have too.
  private static func withoutEdges(_ lines: [Line], _ scan: inout TextScan) -> [Line] {
    var (marks, pages): ([Int: String], [String: Set<Int>]) = ([:], [:])
    for page in Dictionary(grouping: lines.indices, by: { lines[$0].page }).values {
      let order = page.sorted { lines[$0].top < lines[$1].top }
      for index in order.prefix(edge) + order.suffix(edge) {
        marks[index] = lines[index].mark
        pages[lines[index].mark, default: []].insert(lines[index].page)
      }
    }
    let most = lines.last?.page ?? 0
    return lines.indices.filter { index in
      guard let mark = marks[index], let all = pages[mark] else { return true }
      let (page, isNumber) = (lines[index].page, mark.hasPrefix("#"))
      if (page - 4...page + 4).count(where: all.contains) < (isNumber ? 2 : max(2, min(3, most))) { return true }
      scan.losses.add(isNumber ? .pageNumber : .runningHead)
      return false
    }.map { lines[$0] }
  }

  /// Whether a line continues the paragraph that ended with another line.
  private static func goesOn(_ last: Line, _ text: String, in line: Line) -> Bool {
    guard abs(line.height - last.height) < last.height / 10, text.utf8.count < TextFile.longest,
      let first = line.text.first, !bullets.contains(first)
    else { return false }
    let ends = text.endsSentence != false
    if line.block == last.block { return !ends || line.left < last.left + line.height * 0.7 }
    return !ends && (first.isLowercase || line.page != last.page)
  }

  /// Adds a line to a paragraph; a hyphen that divides a word at the end of a line goes.
  private static func join(_ line: String, to text: inout String) {
    let isDivided = text.last.map("-\u{AD}\u{2010}".contains) == true && text.dropLast().last?.isLetter == true
    if isDivided, line.first?.isLowercase == true { text.removeLast() } else { text += " " }
    text += line
  }
}
