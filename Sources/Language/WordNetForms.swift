// Dictionary forms of English words from WordNet's files: lists of exceptions, rules for endings, usage counts.
// Invariant: the files are sorted by bytes (wndb(5WN), morphy(7WN)) and are searched in place; in an unsorted file less
// is found, with no other harm.

private struct SortedLines {
  let bytes: [UInt8]

  init(_ path: String, isInterrupted: @escaping () -> Bool) throws(LanguageError) {
    bytes = try dataBytes(path, limit: 32 << 20, isInterrupted: isInterrupted)
  }

  /// Calls `body` with each line that begins with the key, until it returns false.
  func forEachLine(beginning key: [UInt8], _ body: (ArraySlice<UInt8>) -> Bool) {
    var (low, high) = (0, bytes.count)
    while low < high {
      let start = lineStart((low + high) / 2)
      if bytes[start...].prefix(key.count).lexicographicallyPrecedes(key) {
        low = min(lineEnd(start) + 1, bytes.count)
      } else {
        high = start
      }
    }
    var start = low
    while start < bytes.count, bytes[start...].starts(with: key) {
      let end = lineEnd(start)
      if !body(bytes[start..<end]) { return }
      start = end + 1
    }
  }

  private func lineStart(_ place: Int) -> Int {
    var start = place
    while start > 0, bytes[start - 1] != 0x0A { start -= 1 }
    return start
  }

  private func lineEnd(_ start: Int) -> Int { bytes[start...].firstIndex(of: 0x0A) ?? bytes.count }
}

/// WordNet's lists for each part of speech.
final class WordNetForms {
  private struct Part {
    let exceptions: SortedLines
    let index: SortedLines
    /// The ending that is removed from a form, and its replacement.
    let rules: [(String, String)]
    /// The sense types of this part of speech in the list of counts.
    let senses: [UInt8]
  }

  private let parts: [Part]
  private let counts: SortedLines

  init(_ folder: String, isInterrupted: @escaping () -> Bool) throws(LanguageError) {
    func part(_ name: String, _ senses: String, _ rules: [(String, String)]) throws(LanguageError) -> Part {
      Part(
        exceptions: try SortedLines("\(folder)/\(name).exc", isInterrupted: isInterrupted),
        index: try SortedLines("\(folder)/index.\(name)", isInterrupted: isInterrupted), rules: rules,
        senses: Array(senses.utf8))
    }
    parts = [
      try part(
        "noun", "1",
        [
          ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"),
          ("ies", "y"),
        ]),
      try part(
        "verb", "2",
        [("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")]),
      try part("adj", "35", [("er", ""), ("est", ""), ("er", "e"), ("est", "e")]), try part("adv", "4", []),
    ]
    counts = try SortedLines("\(folder)/cntlist.rev", isInterrupted: isInterrupted)
  }

  /// Returns the lemmas of a lowercase form; a part of speech in which the form is inflected is ranked slightly higher.
  func candidates(of form: String) -> [LemmaCandidate] {
    var found: [LemmaCandidate] = []
    for part in parts {
      for (lemma, isChanged) in lemmas(of: form, in: part) {
        let rank = -Int32(clamping: 10 * uses(of: lemma, in: part) + (isChanged ? 6 : 5))
        found.merge(LemmaCandidate(lemma: lemma, rank: rank))
      }
    }
    return found
  }

  private func lemmas(of form: String, in part: Part) -> [(lemma: String, isChanged: Bool)] {
    var found: [(lemma: String, isChanged: Bool)] = []
    part.exceptions.forEachLine(beginning: Array((form + " ").utf8)) { line in
      for lemma in line.split(separator: UInt8(ascii: " ")).dropFirst() {
        let lemma = String(decoding: lemma, as: UTF8.self)
        found.append((lemma, lemma != form))
      }
      return true
    }
    let isException = !found.isEmpty
    // Some exceptions are words of their own too: cola, not only the plural of colon.
    if !found.contains(where: { $0.lemma == form }), isListed(form, in: part) { found.append((form, false)) }
    if isException { return found }
    for (ending, replacement) in part.rules where form.hasSuffix(ending) && form.utf8.count > ending.utf8.count + 1 {
      let lemma = form.dropLast(ending.count) + replacement
      if lemma != form, isListed(String(lemma), in: part) { found.append((String(lemma), true)) }
    }
    return found
  }

  private func isListed(_ word: String, in part: Part) -> Bool {
    var isListed = false
    part.index.forEachLine(beginning: Array((word + " ").utf8)) { _ in
      isListed = true
      return false
    }
    return isListed
  }

  /// Returns how often the senses of a word occur in the texts that WordNet's authors tagged.
  private func uses(of word: String, in part: Part) -> Int {
    let key = Array((word + "%").utf8)
    var sum = 0
    counts.forEachLine(beginning: key) { line in
      guard let sense = line.dropFirst(key.count).first, part.senses.contains(sense),
        let last = line.split(separator: UInt8(ascii: " ")).last
      else { return true }
      sum += Int(UInt32(String(decoding: last, as: UTF8.self)) ?? 0)
      return true
    }
    return sum
  }
}
