// Applies the affixes of a Hunspell dictionary in reverse: finds the words that a form may come from. Invariant: a stem
// is a word of the dictionary that has the flag of the removed suffix.

/// The words of a `.dic` file, found by their forms.
///
///     let stems = try AffixStems(words: "es_ES.dic", affixes: "es_ES.aff") { false }
///     stems.stems(of: "perros")   // ["perro"]
public final class AffixStems {
  private let flags: [[UInt32]: [UInt8]]
  /// The suffixes, by the letters that they add.
  private let suffixes: [[UInt32]: [(flag: UInt8, affix: Affix)]]
  private let longestSuffix: Int

  /// - Throws: `LexiconError`, also for files in an encoding other than UTF-8.
  public init(words: String, affixes: String, _ isInterrupted: @escaping @Sendable () -> Bool) throws(LexiconError) {
    let limits = ListLimits(isInterrupted: isInterrupted)
    let rules = try AffixRules(try ListFile(path: affixes, limits: limits))
    let dictionary = try ListFile(path: words, limits: limits)
    var flags: [[UInt32]: [UInt8]] = [:]
    for line in dictionary.bytes.split(separator: 0x0A).dropFirst() {
      guard let entry = DictionaryEntry(line) else { continue }
      flags[entry.word.map(\.value), default: []] += entry.flags
    }
    var suffixes: [[UInt32]: [(flag: UInt8, affix: Affix)]] = [:]
    for (flag, group) in rules.suffixes {
      for affix in group.affixes { suffixes[affix.addScalars, default: []].append((flag, affix)) }
    }
    longestSuffix = suffixes.keys.map(\.count).max() ?? 0
    (self.flags, self.suffixes) = (flags, suffixes)
  }

  /// Returns the words that a form may come from: the form itself first, then sorted by how many letters of the word
  /// the suffix replaces, by length and by code point.
  public func stems(of form: String) -> [String] {
    let letters = form.unicodeScalars.map(\.value)
    guard !letters.isEmpty, letters.count <= 64 else { return [] }
    var found: [(stem: [UInt32], strip: Int)] = flags[letters] == nil ? [] : [(letters, -1)]
    for count in 0...min(longestSuffix, letters.count) {
      let kept = letters.dropLast(count)
      for (flag, affix) in suffixes[Array(letters.suffix(count)), default: []] {
        let stem = kept + affix.strip
        guard flags[Array(stem)]?.contains(flag) == true, fits(affix, Array(stem)) else { continue }
        if !found.contains(where: { $0.stem == Array(stem) }) { found.append((Array(stem), affix.strip.count)) }
      }
    }
    return found.sorted { a, b in
      let (first, second) = ((a.strip, a.stem.count), (b.strip, b.stem.count))
      return first == second ? a.stem.lexicographicallyPrecedes(b.stem) : first < second
    }.map { entry in String(String.UnicodeScalarView(entry.stem.compactMap { Unicode.Scalar($0) })) }
  }

  private func fits(_ affix: Affix, _ stem: [UInt32]) -> Bool {
    guard stem.count >= affix.condition.count else { return false }
    return zip(affix.condition.reversed(), stem.reversed()).allSatisfy { $0.accepts($1) }
  }
}

/// A line of a `.dic` file: a word and its flags.
struct DictionaryEntry {
  let word: Substring.UnicodeScalarView
  let flags: [UInt8]
  /// More bytes than a line of any dictionary has.
  static let longestLine = 1024

  /// nil for a line without a word in UTF-8.
  init?(_ line: Slice<UnsafeBufferPointer<UInt8>>) {
    guard line.count <= Self.longestLine, let text = String(validating: line, as: UTF8.self) else { return nil }
    let end = text.unicodeScalars.firstIndex { $0 == "\t" || $0 == "\r" } ?? text.endIndex
    let entry = text.unicodeScalars[..<end].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let word = entry.first, !word.isEmpty else { return nil }
    self.word = word
    flags = entry.count > 1 ? AffixRules.flagBytes(entry[1]) : []
  }
}
