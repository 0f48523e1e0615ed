// The words of a game: those of its list that its rules allow, and those that may be base words.
// Invariant: each is in the normal form of the list.

import Lexicon

/// The words that the list of a game offers.
///
///     game.words.candidates(rules: [.fromLetters, .inDictionary], baseWord: "cambering")
struct GameWords {
  let lexicon: Lexicon
  /// The words of the lexicon that the game is about.
  let sought: Lexicon

  /// Returns a base word in normal form. It must consist of letters only, at least two of them.
  func checked(base: String) throws(GameError) -> String {
    let word = lexicon.normalized(base)
    guard word.count >= 2 else { throw .badBase(word: base, reason: "at least two letters expected") }
    guard word.count <= Game.longestBase else {
      throw .badBase(word: base, reason: "at most \(Game.longestBase) letters expected")
    }
    guard word.allSatisfy(\.isLetter) else { throw .badBase(word: base, reason: "only letters expected") }
    return word
  }

  /// The smallest number of letters that the rules allow.
  static func shortest(_ rules: [Rule]) -> Int {
    rules.reduce(2) { least, rule in
      switch rule {
      case .minLength(let count), .length(let count): max(least, count)
      default: least
      }
    }
  }

  /// The words of the list that pass the rules, without the rules about found words.
  func candidates(rules: [Rule], baseWord: String) -> [String] {
    let lasting = rules.filter { $0 != .unused && $0 != .ladderStep }
    let judge = Judge(lexicon: sought, found: FoundWords())
    judge.take(rules: lasting, baseWord: baseWord)
    let words =
      rules.contains(.fromLetters)
      ? sought.formableWords(from: baseWord, minLength: Self.shortest(rules)).texts : wordsOfList(within: rules)
    return words.filter { word in
      var word = word
      let letters = word.count
      return word.withUTF8 { bytes in
        let hash = Lexicon.hash(of: bytes)
        return judge.firstFailure(GuessText(bytes: bytes, letters: letters, hash: hash)) == nil
      }
    }
  }

  /// The words of the list with the length and the prefix that the rules require.
  private func wordsOfList(within rules: [Rule]) -> [String] {
    var (length, prefix) = (nil as Int?, "")
    for rule in rules {
      switch rule {
      case .length(let count): length = count
      case .startsWith(let text): prefix = lexicon.normalized(text)
      default: break
      }
    }
    return Array(sought.words(length: length, prefix: prefix))
  }
}
