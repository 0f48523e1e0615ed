// Changes of decks as lines in the style of git: a hunk per object, a line per field; and changed files in the style of
// diff -u. Invariant: text from others is made printable; a line with + or - shows the complete value.

import Exchange
import PluginHost
import Templates
import Text

struct ChangeLines {
  let terminal: Terminal

  /// The lines of a difference between two named sides; none when there is no difference.
  func lines(_ changes: [ComparedChange], from old: String, to new: String) -> [String] {
    if changes.isEmpty { return [] }
    let head = [terminal.styled("--- \(plain(old))", .bold), terminal.styled("+++ \(plain(new))", .bold)]
    return head + changes.flatMap(lines)
  }

  func lines(_ change: ComparedChange) -> [String] { [terminal.styled(title(change), .cyan)] + fields(change) }

  /// The hunk's title: `@@ changed note 3kTMd: el gato @@`
  private func title(_ change: ComparedChange) -> String {
    let key = plain(change.key)
    let name = plain(FieldHTML.plain(change.title) ?? change.title)
    var words = "\(change.event.rawValue) \(change.kind.words) \(key)"
    if !name.isEmpty, name != key { words += ": \(name)" }
    if let predecessor = change.predecessor {
      words += predecessor.isEmpty ? ", now first" : ", now after \(plain(predecessor))"
    }
    return "@@ \(words) @@"
  }

  /// The lines for the changed fields and tags.
  func fields(_ change: ComparedChange) -> [String] {
    var lines: [String] = []
    for field in change.fields {
      let (old, new) = (shown(field.old), shown(field.new))
      if old.contains("\n"), new.contains("\n") {
        lines += differing(field.name, old, new)
        continue
      }
      let marked = WordMarks(old, new)
      if !field.old.isEmpty { lines += part("-", field.name, marked.old, .red) }
      if !field.new.isEmpty { lines += part("+", field.name, marked.new, .green) }
    }
    for tag in change.removedTags { lines += part("-", "tag", [(tag, false)], .red) }
    for tag in change.addedTags { lines += part("+", "tag", [(tag, false)], .green) }
    return lines
  }

  /// The lines in which two multi-line texts differ.
  private func differing(_ name: String, _ old: String, _ new: String) -> [String] {
    func cut(_ text: String) -> [ArraySlice<UInt8>] {
      Array(text.utf8).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }
    return ComparedPart.of(cut(old), cut(new), limit: WordMarks.limit).filter { $0.sign != " " }.flatMap { line in
      part("\(line.sign)", name, [(line.text, false)], line.sign == "-" ? .red : .green)
    }
  }

  private func plain(_ text: String) -> String {
    printable(String(text.split(whereSeparator: \.isNewline).first ?? ""), limit: 60)
  }

  /// The plain text of HTML without formatting; otherwise the HTML itself.
  private func shown(_ text: String) -> String { FieldHTML.plain(text) ?? text }

  private func part(_ sign: String, _ name: String, _ words: [(text: String, isMarked: Bool)], _ style: Style)
    -> [String]
  {
    var lines = [terminal.styled("\(sign)\(printable(name, limit: 60)): ", style)]
    for word in words {
      for (index, piece) in word.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        if index > 0 { lines.append(terminal.styled("\(sign)  ", style)) }
        let text = printable(String(piece), limit: 2000)
        lines[lines.count - 1] += terminal.styled(text, word.isMarked ? style.union(.reversed) : style)
      }
    }
    return lines
  }
}

/// The words in which two texts differ.
struct WordMarks {
  private(set) var old: [(text: String, isMarked: Bool)] = []
  private(set) var new: [(text: String, isMarked: Bool)] = []
  /// The most words, or lines, of both texts together that are compared.
  static let limit = 2000

  init(_ old: String, _ new: String) {
    let (first, second) = (Self.words(old), Self.words(new))
    guard !first.isEmpty, !second.isEmpty, first.count + second.count <= Self.limit else {
      (self.old, self.new) = ([(old, false)], [(new, false)])
      return
    }
    let parts = ComparedPart.of(first, second, limit: Self.limit)
    self.old = parts.filter { $0.sign != "+" }.map { ($0.text, $0.sign == "-") }
    self.new = parts.filter { $0.sign != "-" }.map { ($0.text, $0.sign == "+") }
  }

  /// Splits a text into words and the characters between them.
  private static func words(_ text: String) -> [ArraySlice<UInt8>] {
    var words: [ArraySlice<UInt8>] = []
    var start = text.startIndex
    while start < text.endIndex {
      let isLetter = text[start].isLetter || text[start].isNumber
      var end = text.index(after: start)
      while isLetter, end < text.endIndex, text[end].isLetter || text[end].isNumber { end = text.index(after: end) }
      words.append(Array(text[start..<end].utf8)[...])
      start = end
    }
    return words
  }
}

extension ComparedKind {
  /// The kind's name in the middle of a sentence.
  var words: String { rawValue.split(separator: "_").joined(separator: " ") }
}

struct FileChangeLines {
  let terminal: Terminal

  /// The most lines of both sides of a file that are compared; a larger file is shown as entirely removed and added.
  private static let mostCompared = 6_000
  /// The most lines that a user is asked about: a question after more of them would be about unread code.
  static let mostAskedAbout = 3_000
  private static let context = 3

  /// The permissions that are no longer requested, and those newly requested.
  func permissions(removed: [String], added: [String]) -> [String] {
    if removed.isEmpty, added.isEmpty { return [] }
    return [terminal.styled("permissions", .bold)] + removed.flatMap { rows("-", $0) } + added.flatMap { rows("+", $0) }
  }

  func files(_ changes: [PluginFileChange]) -> [String] { changes.flatMap(file) }

  private func file(_ change: PluginFileChange) -> [String] {
    let path = printable(change.path, limit: 400)
    let head = [
      terminal.styled("--- \(change.old == nil ? "nothing" : path)", .bold),
      terminal.styled("+++ \(change.new == nil ? "nothing" : path)", .bold),
    ]
    return head + hunks(ComparedPart.of(Self.lines(change.old), Self.lines(change.new), limit: Self.mostCompared))
  }

  private static func lines(_ bytes: [UInt8]?) -> [ArraySlice<UInt8>] {
    var lines = (bytes ?? []).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  /// The differing lines with their context.
  private func hunks(_ lines: [ComparedPart]) -> [String] {
    var shown: [String] = []
    var next = 0
    while let change = lines[next...].firstIndex(where: { $0.sign != " " }) {
      let start = max(next, change - Self.context)
      var (last, place) = (change, change)
      while place < lines.count, place - last <= 2 * Self.context {
        if lines[place].sign != " " { last = place }
        place += 1
      }
      let hunk = lines[start..<min(lines.count, last + Self.context + 1)]
      shown.append(terminal.styled(head(of: hunk), .cyan))
      shown += hunk.flatMap { rows($0.sign, $0.text) }
      next = hunk.endIndex
    }
    return shown
  }

  private func head(of hunk: ArraySlice<ComparedPart>) -> String {
    func side(_ first: Int, _ count: Int) -> String { "\(count == 0 ? first : first + 1),\(count)" }
    guard let first = hunk.first else { return "" }
    let (old, new) = (hunk.count { $0.sign != "+" }, hunk.count { $0.sign != "-" })
    return "@@ -\(side(first.old, old)) +\(side(first.new, new)) @@"
  }

  /// A line that is too long for the terminal continues in rows that begin with `|`.
  private func rows(_ sign: Character, _ text: String) -> [String] {
    let text = printable(text, limit: .max)
    let rows = terminal.cutWidth.map { text.lines(within: $0 - 1) } ?? [text]
    return rows.enumerated().map { index, row in
      let row = "\(index == 0 ? sign : "|")\(row)"
      return sign == " " ? row : terminal.styled(row, sign == "-" ? .red : .green)
    }
  }
}

/// A line or a word of two texts side by side.
private struct ComparedPart {
  /// `-`, `+` or a space.
  let sign: Character
  let bytes: ArraySlice<UInt8>
  /// The index of the part, or of the next one, on each side.
  let old: Int
  let new: Int

  var text: String { String(validating: bytes, as: UTF8.self) ?? escaped(bytes) }

  /// Compares by bytes, since text that looks the same may still differ.
  /// - Parameter limit: the most parts of both sides that are compared; of more, all are removed and added.
  static func of(_ old: [ArraySlice<UInt8>], _ new: [ArraySlice<UInt8>], limit: Int) -> [ComparedPart] {
    let most = min(old.count, new.count)
    var start = 0
    while start < most, old[start] == new[start] { start += 1 }
    var end = 0
    while end < most - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
    let (first, second) = (old[start..<old.count - end], new[start..<new.count - end])
    var (removed, inserted) = (Set(first.indices), Set(second.indices))
    if first.count + second.count <= limit {
      (removed, inserted) = ([], [])
      for change in Array(second).difference(from: Array(first)) {
        switch change {
        case .remove(let offset, _, _): removed.insert(offset + start)
        case .insert(let offset, _, _): inserted.insert(offset + start)
        }
      }
    }
    var parts: [ComparedPart] = []
    var (i, j) = (0, 0)
    while i < old.count || j < new.count {
      if i < old.count, removed.contains(i) {
        parts.append(ComparedPart(sign: "-", bytes: old[i], old: i, new: j))
        i += 1
      } else if j < new.count, inserted.contains(j) {
        parts.append(ComparedPart(sign: "+", bytes: new[j], old: i, new: j))
        j += 1
      } else {
        parts.append(ComparedPart(sign: " ", bytes: old[i], old: i, new: j))
        (i, j) = (i + 1, j + 1)
      }
    }
    return parts
  }
}
