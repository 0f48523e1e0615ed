// The words of a list that are used often, according to counts from another source. Invariant: each of them is a word
// of the list, and the counts alone determine the order: by count, then by code point.

/// The common words of a lexicon.
///
///     let common = try CommonWords(["gato": 12, "perro": 9], of: lexicon)
///     common?.lexicon.formableWords(from: "perrogato").texts
///     common?.byUse(["perro", "gato"])   // ["gato", "perro"]
public final class CommonWords {
  /// How many of the most frequent words are common.
  public static let most = 20_000
  /// The least number of counted words; fewer say too little about a language.
  public static let least = 1_000

  /// A lexicon of the common words only.
  public let lexicon: Lexicon
  /// The rank of each word by use, from 0.
  private let ranks: [String: Int]

  /// nil if the counts have too few words of the list.
  public init?(_ counts: [String: Double], of list: Lexicon, least: Int = CommonWords.least) throws(LexiconError) {
    var known: [String: Double] = [:]
    for (word, count) in counts where count > 0 {
      let word = list.normalized(word)
      if list.contains(word) { known[word, default: 0] += count }
    }
    guard known.count >= max(1, least) else { return nil }
    let ordered = known.sorted { a, b in
      a.value == b.value ? a.key.utf8.lexicographicallyPrecedes(b.key.utf8) : a.value > b.value
    }.prefix(Self.most).map(\.key)
    ranks = Dictionary(uniqueKeysWithValues: ordered.enumerated().map { ($0.element, $0.offset) })
    lexicon = try Lexicon.of(ordered, language: list.language, name: list.name, foldAccents: list.foldsAccents)
  }

  public func contains(_ word: String) -> Bool { ranks[word] != nil }

  /// Returns the words in the order of use; words that are not common come last, in the given order.
  public func byUse(_ words: [String]) -> [String] {
    words.enumerated().map { (rank: ranks[$0.element] ?? Int.max, place: $0.offset, word: $0.element) }
      .sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.map(\.word)
  }
}
