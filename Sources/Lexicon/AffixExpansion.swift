// Puts the affixes of a Hunspell dictionary on its words: every form that the dictionary stands for.
// Invariant: a form has at most one prefix and two suffixes, so that expanding ends whatever the files hold.

/// Expands the words of a `.dic` file by the rules of its `.aff` file.
struct AffixExpansion {
  private let rules: AffixRules

  init(rules: AffixRules) { self.rules = rules }

  /// A word on its way: its letters and its bytes.
  private struct Form {
    var scalars: [UInt32]
    var bytes: [UInt8]
  }

  /// Calls `body` with the UTF-8 of each form of each line of a `.dic` file; forms may come more than once.
  func expand(_ dictionary: ListFile, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    for line in dictionary.bytes.split(separator: 0x0A).dropFirst() {
      guard line.count <= 1024, let text = String(validating: line, as: UTF8.self) else { continue }
      let end = text.unicodeScalars.firstIndex { $0 == "\t" || $0 == "\r" } ?? text.endIndex
      let entry = text.unicodeScalars[..<end].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      guard let word = entry.first, !word.isEmpty else { continue }
      let root = Form(scalars: word.map(\.value), bytes: Array(String(word).utf8))
      expand(root, flags: entry.count > 1 ? AffixRules.flagBytes(entry[1]) : [], body)
    }
  }

  private func expand(_ root: Form, flags: [UInt8], _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    root.bytes.withUnsafeBufferPointer(body)
    addPrefixes(to: root, flags: flags, crossing: false, body)
    addSuffixes(to: root, flags: flags) { form, affix, crosses in
      form.bytes.withUnsafeBufferPointer(body)
      addPrefixes(to: form, flags: crosses ? flags : affix.flags, crossing: true, body)
      if affix.flags.isEmpty { return }
      addSuffixes(to: form, flags: affix.flags) { second, _, crosses in
        second.bytes.withUnsafeBufferPointer(body)
        if crosses { addPrefixes(to: second, flags: flags, crossing: true, body) }
      }
    }
  }

  private func addSuffixes(to form: Form, flags: [UInt8], _ body: (Form, Affix, Bool) -> Void) {
    guard let last = form.scalars.last else { return }
    for flag in flags {
      guard let group = rules.suffixes[flag] else { continue }
      group.forEach(edge: last) { affix in
        guard let kept = stem(of: form, without: affix) else { return }
        let stripped = form.bytes.count - affix.strip.reduce(0) { $0 + byteCount($1) }
        body(
          Form(scalars: form.scalars[..<kept] + affix.addScalars, bytes: form.bytes[..<stripped] + affix.add), affix,
          group.crosses)
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

  private func addPrefixes(
    to form: Form, flags: [UInt8], crossing: Bool, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    guard let first = form.scalars.first else { return }
    for flag in flags {
      guard let group = rules.prefixes[flag], group.crosses || !crossing else { continue }
      group.forEach(edge: first) { affix in
        let (word, condition, strip) = (form.scalars, affix.condition, affix.strip)
        guard word.count >= condition.count, word.count >= strip.count, word.starts(with: strip) else { return }
        for index in condition.indices where !condition[index].accepts(word[index]) { return }
        let rest = form.bytes[strip.reduce(0) { $0 + byteCount($1) }...]
        (affix.add + rest).withUnsafeBufferPointer(body)
      }
    }
  }

  private func byteCount(_ scalar: UInt32) -> Int { scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4 }
}
