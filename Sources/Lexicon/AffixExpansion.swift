// Puts the affixes of a Hunspell dictionary on its words: every form that the dictionary stands for. Invariant: a form
// has at most one prefix and two suffixes, and expanding ends after `limit` forms, whatever the files hold.

/// Expands the words of a `.dic` file by the rules of its `.aff` file.
final class AffixExpansion {
  private let rules: AffixRules
  private let path: String
  private let body: (UnsafeBufferPointer<UInt8>) -> Void
  private var formsLeft: Int

  /// `body` gets the UTF-8 of each form; forms may come more than once. More than `limit` of them are an error that
  /// names `path`.
  init(rules: AffixRules, path: String, limit: Int, _ body: @escaping (UnsafeBufferPointer<UInt8>) -> Void) {
    self.rules = rules
    self.path = path
    self.body = body
    formsLeft = limit
  }

  /// A word on its way: its letters and its bytes.
  private struct Form {
    var scalars: [UInt32]
    var bytes: [UInt8]
  }

  /// Expands each line of a `.dic` file but the first, which is their number.
  func expand(_ dictionary: UnsafeBufferPointer<UInt8>) throws(LexiconError) {
    for line in dictionary.split(separator: 0x0A).dropFirst() {
      guard let entry = DictionaryEntry(line) else { continue }
      let root = Form(scalars: entry.word.map(\.value), bytes: Array(String(entry.word).utf8))
      try expand(root, flags: entry.flags)
    }
  }

  private func give(_ bytes: [UInt8]) throws(LexiconError) {
    formsLeft -= 1
    guard formsLeft >= 0 else { throw .badList(path: path, reason: "its affixes make more words than a list may have") }
    bytes.withUnsafeBufferPointer(body)
  }

  private func expand(_ root: Form, flags: [UInt8]) throws(LexiconError) {
    try give(root.bytes)
    try addPrefixes(to: root, flags: flags, crossing: false)
    try addSuffixes(to: root, flags: flags) { (form, affix, crosses) throws(LexiconError) in
      try give(form.bytes)
      try addPrefixes(to: form, flags: crosses ? flags : affix.flags, crossing: true)
      try addSuffixes(to: form, flags: affix.flags) { (second, _, crosses) throws(LexiconError) in
        try give(second.bytes)
        if crosses { try addPrefixes(to: second, flags: flags, crossing: true) }
      }
    }
  }

  private func addSuffixes(
    to form: Form, flags: [UInt8], _ next: (Form, Affix, Bool) throws(LexiconError) -> Void
  ) throws(LexiconError) {
    guard let last = form.scalars.last else { return }
    for flag in flags {
      guard let group = rules.suffixes[flag] else { continue }
      for list in group.lists(edge: last) {
        for index in list {
          let affix = group.affixes[index]
          guard let kept = stem(of: form, without: affix) else { continue }
          let stripped = form.bytes.count - byteCount(affix.strip)
          try next(
            Form(scalars: form.scalars[..<kept] + affix.addScalars, bytes: form.bytes[..<stripped] + affix.add), affix,
            group.crosses)
        }
      }
    }
  }

  /// How many letters a suffix leaves of a word, or nil where it does not fit.
  private func stem(of form: Form, without affix: Affix) -> Int? {
    let (word, condition, strip) = (form.scalars, affix.condition, affix.strip)
    guard word.count >= condition.count, word.count >= strip.count else { return nil }
    for index in condition.indices where !condition[index].accepts(word[word.count - condition.count + index]) {
      return nil
    }
    let kept = word.count - strip.count
    for index in strip.indices where strip[index] != word[kept + index] { return nil }
    return kept
  }

  private func addPrefixes(to form: Form, flags: [UInt8], crossing: Bool) throws(LexiconError) {
    guard let first = form.scalars.first else { return }
    for flag in flags {
      guard let group = rules.prefixes[flag], group.crosses || !crossing else { continue }
      for list in group.lists(edge: first) {
        for index in list where fits(group.affixes[index], form.scalars) {
          let affix = group.affixes[index]
          try give(affix.add + form.bytes[byteCount(affix.strip)...])
        }
      }
    }
  }

  /// Whether a prefix fits a word.
  private func fits(_ affix: Affix, _ word: [UInt32]) -> Bool {
    guard word.count >= affix.condition.count, word.starts(with: affix.strip) else { return false }
    return zip(affix.condition, word).allSatisfy { $0.accepts($1) }
  }

  private func byteCount(_ scalars: [UInt32]) -> Int {
    scalars.reduce(0) { $0 + ($1 < 0x80 ? 1 : $1 < 0x800 ? 2 : $1 < 0x10000 ? 3 : 4) }
  }
}
