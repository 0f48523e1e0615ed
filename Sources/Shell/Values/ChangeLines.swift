// Changes of decks and files as lines in the style of git: a hunk per object, a line per field, changed words marked at
// a terminal. Invariant: text from others is made printable; a line that begins with + or - shows the complete new or
// old value.

import Exchange
import Templates
import Text

/// Shows changes on a terminal.
struct ChangeLines {
  let terminal: Terminal

  /// The lines of a difference between two named sides; none when there is no difference.
  func lines(_ changes: [ComparedChange], from old: String, to new: String) -> [String] {
    if changes.isEmpty { return [] }
    let head = [terminal.styled("--- \(plain(old))", .bold), terminal.styled("+++ \(plain(new))", .bold)]
    return head + changes.flatMap(lines)
  }

  /// The lines of a single change.
  func lines(_ change: ComparedChange) -> [String] {
    [terminal.styled(title(change), .cyan)] + fields(change)
  }

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
    func cut(_ text: String) -> [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
    func isSame(_ one: Substring, _ other: Substring) -> Bool { one.utf8.elementsEqual(other.utf8) }
    func removed(_ line: Substring) -> [String] { part("-", name, [(String(line), false)], .red) }
    func inserted(_ line: Substring) -> [String] { part("+", name, [(String(line), false)], .green) }
    var (gone, come) = (cut(old)[...], cut(new)[...])
    while let one = gone.first, let other = come.first, isSame(one, other) {
      (gone, come) = (gone.dropFirst(), come.dropFirst())
    }
    while let one = gone.last, let other = come.last, isSame(one, other) {
      (gone, come) = (gone.dropLast(), come.dropLast())
    }
    guard gone.count + come.count <= WordMarks.limit else { return gone.flatMap(removed) + come.flatMap(inserted) }
    return Array(come).difference(from: Array(gone), by: isSame).flatMap { change in
      switch change {
      case .remove(_, let line, _): removed(line)
      case .insert(_, let line, _): inserted(line)
      }
    }
  }

  private func plain(_ text: String) -> String {
    printable(String(text.split(whereSeparator: \.isNewline).first ?? ""), limit: 60)
  }

  /// The plain text of HTML without formatting; otherwise the HTML itself.
  private func shown(_ text: String) -> String { FieldHTML.plain(text) ?? text }

  /// The lines of a field, each with its sign.
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
    let difference = second.difference(from: first) { $0.utf8.elementsEqual($1.utf8) }
    var (removed, inserted): (Set<Int>, Set<Int>) = ([], [])
    for change in difference {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    self.old = first.enumerated().map { (String($1), removed.contains($0)) }
    self.new = second.enumerated().map { (String($1), inserted.contains($0)) }
  }

  /// Splits a text into words and the characters between them.
  private static func words(_ text: String) -> [Substring] {
    var words: [Substring] = []
    var start = text.startIndex
    while start < text.endIndex {
      let isLetter = text[start].isLetter || text[start].isNumber
      var end = text.index(after: start)
      while isLetter, end < text.endIndex, text[end].isLetter || text[end].isNumber { end = text.index(after: end) }
      words.append(text[start..<end])
      start = end
    }
    return words
  }
}

extension ComparedKind {
  /// The kind's name in the middle of a sentence.
  var words: String { rawValue.split(separator: "_").joined(separator: " ") }
}
