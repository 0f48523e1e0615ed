// The affixes of a Hunspell dictionary (hunspell(5), "AFFIX FILE"): what may be added before and after its words.
// Invariant: stored affixes are well formed: a condition has at most 64 letters, and a flag is one byte.
//
// A flag is identified by the first byte of its letter, as in unmunch(1). For Spanish verbs this allows clitic pronouns
// that the dictionary, if flags are read whole, does not list for that verb: words that a player means and would miss.

/// One way to change a word: remove `strip` from its end (or start) and add `add` there, if the condition holds.
struct Affix {
  let strip: [UInt32]
  let add: [UInt8]
  let addScalars: [UInt32]
  let condition: [ConditionLetter]
  /// The flags of the result, for a second suffix.
  let flags: [UInt8]
}

enum ConditionLetter {
  case any
  case oneOf([UInt32])
  case noneOf([UInt32])

  func accepts(_ scalar: UInt32) -> Bool {
    switch self {
    case .any: true
    case .oneOf(let letters): letters.contains(scalar)
    case .noneOf(let letters): !letters.contains(scalar)
    }
  }
}

struct AffixGroup {
  /// Whether a prefix and a suffix may be added to one word together.
  var crosses: Bool
  private(set) var affixes: [Affix] = []
  /// Indices of the affixes whose condition ends (for a prefix: begins) with one of some letters, by that letter.
  private var byEdge: [UInt32: [Int]] = [:]
  /// Indices of those that have no such condition.
  private var anyEdge: [Int] = []

  init(crosses: Bool) { self.crosses = crosses }

  mutating func add(_ affix: Affix, edge: ConditionLetter?) {
    affixes.append(affix)
    guard case .oneOf(let letters) = edge else { return anyEdge.append(affixes.count - 1) }
    for letter in Set(letters) { byEdge[letter, default: []].append(affixes.count - 1) }
  }

  /// The indices of the affixes by the letter that they need at the edge of the word; nil: those that fit any word.
  var edges: [(letter: UInt32?, affixes: [Int])] {
    byEdge.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + [(nil, anyEdge)]
  }
}

/// The affix file of a dictionary.
struct AffixRules {
  private(set) var prefixes: [UInt8: AffixGroup] = [:]
  private(set) var suffixes: [UInt8: AffixGroup] = [:]

  /// More affixes than any dictionary has.
  private static let limit = 200_000
  private static let longestCondition = 64

  /// Parses an affix file in UTF-8. Directives other than affixes are for spell checking and are ignored.
  init(_ file: ListFile) throws(LexiconError) {
    guard let text = String(validating: file.bytes, as: UTF8.self) else {
      throw .badList(path: file.path, reason: "it is not UTF-8")
    }
    var count = 0
    for line in text.unicodeScalars.split(separator: "\n") {
      let fields = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(Array.init)
      guard let directive = fields.first.map({ String(String.UnicodeScalarView($0)) }) else { continue }
      if directive == "FLAG", let kind = fields.dropFirst().first.map({ String(String.UnicodeScalarView($0)) }),
        kind != "UTF-8"
      {
        throw .badList(path: file.path, reason: "its flags have the unsupported type \(kind)")
      }
      guard directive == "PFX" || directive == "SFX", fields.count >= 4 else { continue }
      count += 1
      guard count <= Self.limit else { throw .badList(path: file.path, reason: "it has too many affixes") }
      guard let flag = fields[1].first.flatMap({ String($0).utf8.first }) else { continue }
      if directive == "PFX" {
        Self.read(fields, into: &prefixes[flag], isPrefix: true)
      } else {
        Self.read(fields, into: &suffixes[flag], isPrefix: false)
      }
    }
  }

  /// Parses a header line (`SFX A Y 14`) or an affix (`SFX A r ción/S ar`). Only a flag's first header counts.
  private static func read(_ fields: [[Unicode.Scalar]], into group: inout AffixGroup?, isPrefix: Bool) {
    let isHeader =
      fields.count == 4 && (fields[2] == ["Y"] || fields[2] == ["N"])
      && fields[3].allSatisfy { ("0"..."9").contains($0) }
    if isHeader {
      if group == nil { group = AffixGroup(crosses: fields[2] == ["Y"]) }
      return
    }
    let parts = fields[3].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let add = parts[0] == ["0"] ? [] : Array(parts[0])
    guard let condition = condition(fields.count > 4 ? fields[4] : ["."]), group != nil else { return }
    let affix = Affix(
      strip: fields[2] == ["0"] ? [] : fields[2].map(\.value), add: Array(String(String.UnicodeScalarView(add)).utf8),
      addScalars: add.map(\.value), condition: condition, flags: parts.count > 1 ? flagBytes(parts[1]) : [])
    group?.add(affix, edge: isPrefix ? condition.first : condition.last)
  }

  /// Returns the first bytes of flags, without duplicates.
  static func flagBytes(_ flags: some Sequence<Unicode.Scalar>) -> [UInt8] {
    flags.reduce(into: []) { bytes, flag in
      if let byte = String(flag).utf8.first, !bytes.contains(byte) { bytes.append(byte) }
    }
  }

  /// Parses a condition: letters, `.` for any, `[abc]`, `[^abc]`; nil if it is malformed.
  private static func condition(_ text: [Unicode.Scalar]) -> [ConditionLetter]? {
    if text == ["."] { return [] }
    var letters: [ConditionLetter] = []
    var index = 0
    while index < text.count {
      guard letters.count < longestCondition else { return nil }
      switch text[index] {
      case ".": letters.append(.any)
      case "[":
        guard let end = text[index...].firstIndex(of: "]") else { return nil }
        let inside = text[(index + 1)..<end]
        letters.append(inside.first == "^" ? .noneOf(inside.dropFirst().map(\.value)) : .oneOf(inside.map(\.value)))
        index = end
      default: letters.append(.oneOf([text[index].value]))
      }
      index += 1
    }
    return letters
  }
}
