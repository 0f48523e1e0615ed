// Applies the affixes of a Hunspell dictionary to its words, which makes every form that it describes. Invariant: a
// form has at most one prefix and two suffixes, and the expansion ends after `limit` forms, whatever the files contain.

/// Expands the words of a `.dic` file with the rules of its `.aff` file.
final class AffixExpansion {
  private let affixes: PackedAffixes
  private let path: String
  private let isInterrupted: () -> Bool
  private let body: (UnsafeBufferPointer<UInt8>) -> Void
  private var formsLeft: Int
  /// Buffers for a root, and for its forms with one suffix and with two.
  private let forms: [FormBuffer]
  private let prefixed: FormBuffer

  /// Passes the UTF-8 of each form to `body`; one may come twice. More than `limit` are an error that names `path`.
  init(
    rules: AffixRules, path: String, limit: Int, isInterrupted: @escaping () -> Bool,
    _ body: @escaping (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    affixes = PackedAffixes(rules)
    (self.path, self.isInterrupted, self.body) = (path, isInterrupted, body)
    formsLeft = limit
    let room = DictionaryEntry.longestLine + 2 * affixes.longestAddition
    forms = (0..<3).map { _ in FormBuffer(capacity: room) }
    prefixed = FormBuffer(capacity: room + affixes.longestAddition)
  }

  /// Expands each line of a `.dic` file except the first (the number of lines); `didRead` receives the fraction read.
  func expand(_ dictionary: UnsafeBufferPointer<UInt8>, _ didRead: (Double) -> Void) throws(LexiconError) {
    var lines = 0
    for line in dictionary.split(separator: 0x0A).dropFirst() {
      lines += 1
      if lines & 0xFF == 0 {
        if isInterrupted() { throw .interrupted }
        didRead(Double(line.startIndex) / Double(dictionary.count))
      }
      guard let entry = DictionaryEntry(line) else { continue }
      forms[0].set(entry.word)
      try entry.flags.withUnsafeBufferPointer { flags throws(LexiconError) in try addAffixes(flags) }
    }
  }

  private func emit(_ form: FormBuffer) throws(LexiconError) {
    formsLeft -= 1
    guard formsLeft >= 0 else { throw .badList(path: path, reason: "its affixes make more words than a list can have") }
    body(form.text)
  }

  private typealias Flags = UnsafeBufferPointer<UInt8>

  private func addAffixes(_ flags: Flags) throws(LexiconError) {
    try emit(forms[0])
    try addPrefixes(to: forms[0], flags: flags, crossing: false)
    try addSuffixes(to: 0, flags: flags) { (affix, crosses) throws(LexiconError) in
      try emit(forms[1])
      try addPrefixes(to: forms[1], flags: crosses ? flags : affixes.flags(of: affix), crossing: true)
      try addSuffixes(to: 1, flags: affixes.flags(of: affix)) { (_, crosses) throws(LexiconError) in
        try emit(forms[2])
        if crosses { try addPrefixes(to: forms[2], flags: flags, crossing: true) }
      }
    }
  }

  private func addSuffixes(
    to level: Int, flags: Flags, _ next: (PackedAffixes.Entry, Bool) throws(LexiconError) -> Void
  ) throws(LexiconError) {
    let form = forms[level]
    guard form.letters > 0 else { return }
    let last = form.scalars[form.letters - 1]
    for flag in flags {
      let group = affixes.suffixes(of: flag)
      for edge in affixes.edges(of: group) where edge.isAny || edge.letter == last {
        for affix in affixes.entries(of: edge) where affixes.fits(affix, atEndOf: form) {
          forms[level + 1].set(form, without: affix, of: affixes)
          try next(affix, group.crosses)
        }
      }
    }
  }

  private func addPrefixes(to form: FormBuffer, flags: Flags, crossing: Bool) throws(LexiconError) {
    guard form.letters > 0 else { return }
    let first = form.scalars[0]
    for flag in flags {
      let group = affixes.prefixes(of: flag)
      guard group.crosses || !crossing else { continue }
      for edge in affixes.edges(of: group) where edge.isAny || edge.letter == first {
        for affix in affixes.entries(of: edge) where affixes.fits(affix, atStartOf: form) {
          prefixed.setPrefix(affix, on: form, of: affixes)
          try emit(prefixed)
        }
      }
    }
  }
}
