// The lines of one card in a Markdown file, rewritten after the card was edited in the deck.
// Invariant: what the edit does not touch keeps its exact formatting, including whitespace; the new lines are read
// back as the edited card, or the lines stay as they were.

import Decks
import Templates
import Text

struct MarkdownBlock {
  private let source: String

  init(_ source: String) { self.source = source }

  /// Returns the lines of the edited card; nil when Markdown cannot express it.
  /// - Parameter row: the card as read from these lines.
  func edited(_ row: CardRow, _ edit: BuildWriteBack.Edit) -> String? {
    let content = edit.content.content
    let old = row.noteFields.map(\.html)
    let new = Array(content.fields.prefix(old.count))
    guard new.count == old.count, edit.content.isOfType(of: row),
      content.fields.dropFirst(old.count).allSatisfy(\.isEmpty)
    else { return nil }
    guard let read = card(in: source) else { return nil }
    // The row's own deck is within that of its source.
    var facts = MarkdownFacts(
      guid: String(decoding: row.guid, as: UTF8.self).trimmed, tags: row.tags, subdeck: read.subdeck)
    facts.conflicts = row.fields.first { $0.name == MergeConflict.name }?.value.written ?? ""
    // If this fails, a part of the card is elsewhere, for example after a cloze within its answer.
    guard isCard(read, of: old, facts) else { return nil }
    let before = written(old, facts)
    if edit.content.conflicts.isEmpty { facts.conflicts = "" }
    // A row without an id is identified by its texts, which only works for a small edit.
    if facts.guid.isEmpty, old[0] != new[0], !RowEdit.isSmall(from: old, to: new) { facts.guid = edit.id }
    if Set(content.tags) != Set(facts.tags) { facts.tags = content.tags }
    guard let after = written(new, facts) else { return nil }
    let patched = before.map { MarkdownPatch.applied(from: $0, to: after, on: source) }
    return [patched, after].compactMap { $0 }.first { card(in: $0).map { isCard($0, of: new, facts) } ?? false }
  }

  /// The card of lines that are one.
  private func card(in text: String) -> CardRow? {
    MarkdownWriter.rows(in: text).flatMap { $0.count == 1 ? $0[0] : nil }
  }

  private func isCard(_ row: CardRow, of fields: [String], _ facts: MarkdownFacts) -> Bool {
    row.noteFields.map(\.html) == fields && String(decoding: row.guid, as: UTF8.self).trimmed == facts.guid
      && Set(row.tags) == Set(facts.tags) && row.subdeck == facts.subdeck
  }

  /// Writes a card in the form of the old lines: a heading, a question, or a paragraph.
  private func written(_ fields: [String], _ facts: MarkdownFacts) -> String? {
    let line = source.prefix { $0 != "\n" }
    let comment = facts.comment
    if fields.count == 1 {
      guard let text = MarkdownText.text(of: fields[0], .cloze) else { return nil }
      return line.prefix(MarkdownCards.listMark(line)) + text + (comment.isEmpty ? "" : "\n\(comment)")
    }
    guard fields.count == 2, let answer = MarkdownText.text(of: fields[1], .blocks) else { return nil }
    if line.hasPrefix("#"), let prompt = MarkdownText.text(of: fields[0], .line) {
      let marks = line.prefix { $0 == "#" }
      return "\(marks) \(prompt)\(comment.isEmpty ? "" : " \(comment)")\n\n\(MarkdownLine.escaped(answer))"
    }
    guard let prompt = MarkdownText.text(of: fields[0], .blocks) else { return nil }
    return "Q:\(MarkdownWriter.part(prompt))\nA:\(MarkdownWriter.part(answer))"
      + (comment.isEmpty ? "" : "\n\(comment)")
  }
}

enum MarkdownPatch {
  /// Up to this many words, texts are compared word by word; longer texts line by line.
  private static let mostWords = 4_000
  /// The limit on the number of parts compared, because memory grows with its square. Beyond it, one side replaces
  /// the other.
  private static let mostCompared = 2_000

  /// Applies the difference between two texts to a third one.
  ///
  ///     MarkdownPatch.applied(from: "*a* b", to: "*a* c", on: "_a_ b")   // "_a_ c"
  static func applied(from old: String, to new: String, on source: String) -> String {
    if old == source { return new }
    let isLong = max(old.utf8.count, new.utf8.count, source.utf8.count) > 4 * mostWords
    let texts = [old, new, source].map { isLong ? lines($0) : words($0) }
    return joined(texts[0], texts[1], texts[2]).joined()
  }

  private static func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { [$0, "\n"] }.dropLast()
  }

  /// Splits a text into runs of letters and digits, and single other characters.
  private static func words(_ text: String) -> [Substring] {
    var (words, start) = ([Substring](), text.startIndex)
    var index = start
    while index < text.endIndex {
      let isWord = text[index].isLetter || text[index].isNumber
      let next = text.index(after: index)
      if !isWord {
        if start < index { words.append(text[start..<index]) }
        words.append(text[index..<next])
        start = next
      }
      index = next
    }
    if start < index { words.append(text[start..<index]) }
    return words
  }

  private struct Change {
    let range: Range<Int>
    let words: ArraySlice<Substring>
    let isEdit: Bool
  }

  /// Keeps the source's own differences, unless the edit changes the same words.
  private static func joined(_ old: [Substring], _ new: [Substring], _ source: [Substring]) -> [Substring] {
    let edits = changes(from: old, to: new, isEdit: true)
    let all = (edits + changes(from: old, to: source, isEdit: false)).sorted {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }
    var (result, place) = ([Substring](), 0)
    for change in all {
      let isHidden = !change.isEdit && edits.contains { overlap($0.range, change.range) }
      if isHidden || change.range.lowerBound < place { continue }
      result += old[place..<change.range.lowerBound] + change.words
      place = change.range.upperBound
    }
    return result + old[place...]
  }

  private static func overlap(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
    first == second || first.overlaps(second)
      || first.isEmpty && second.lowerBound < first.lowerBound && first.lowerBound < second.upperBound
      || second.isEmpty && first.lowerBound < second.lowerBound && second.lowerBound < first.upperBound
  }

  private static func changes(from old: [Substring], to other: [Substring], isEdit: Bool) -> [Change] {
    let places = places(of: old, in: other)
    var (changes, from, otherFrom) = ([Change](), 0, 0)
    for place in 0...old.count {
      guard let there = place < old.count ? places[place] : other.count else { continue }
      if from < place || otherFrom < there {
        changes.append(Change(range: from..<place, words: other[otherFrom..<there], isEdit: isEdit))
      }
      (from, otherFrom) = (place + 1, there + 1)
    }
    return changes
  }

  /// Returns the position of each part in the other text; nil for a part that is not there.
  private static func places(of old: [Substring], in other: [Substring]) -> [Int?] {
    let start = zip(old, other).prefix { $0 == $1 }.count
    let end = zip(old[start...].reversed(), other[start...].reversed()).prefix { $0 == $1 }.count
    let (own, theirs) = (old[start..<(old.count - end)], other[start..<(other.count - end)])
    let isCompared = own.count + theirs.count <= mostCompared
    let inside = isCompared ? places(between: Array(own), Array(theirs)) : own.map { _ in nil }
    return (0..<start).map { $0 } + inside.map { place in place.map { start + $0 } }
      + (0..<end).map { other.count - end + $0 }
  }

  private static func places(between old: [Substring], _ other: [Substring]) -> [Int?] {
    var (isRemoved, isInserted) = (Set<Int>(), Set<Int>())
    for change in other.difference(from: old) {
      switch change {
      case .remove(let offset, _, _): isRemoved.insert(offset)
      case .insert(let offset, _, _): isInserted.insert(offset)
      }
    }
    var place = 0
    return old.indices.map { index in
      if isRemoved.contains(index) { return nil }
      while isInserted.contains(place) { place += 1 }
      defer { place += 1 }
      return place
    }
  }
}
