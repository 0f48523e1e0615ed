// Judges guesses by the native rules, directly on the bytes of the guess.
// Invariant: the result is the first rule that fails, in the mode's order; judging a guess of a to z makes no String.

import Lexicon

/// The rules of a game for its base word.
final class Judge {
  private(set) var rules: [Rule] = []
  private var baseWord = ""
  private let lexicon: Lexicon
  private let found: FoundWords
  private let tray = LetterTray()
  private var steps: UnsafeMutableBufferPointer<Step>
  /// The minimum number of letters if the rules are the usual four in their usual order; else nil.
  private var usualLength: Int?
  /// The normalised texts of the rules, as their letters are counted, by the index of the rule.
  private var texts: [[UInt8]] = []

  /// A rule with its number, without its text.
  private struct Step {
    enum Kind: UInt8 {
      case minLength, maxLength, length, unused, fromLetters, inDictionary
      case reusableLetters, palindrome, contains, startsWith, ladderStep
    }

    let kind: Kind
    let value: Int

    init(_ rule: Rule) {
      (kind, value) =
        switch rule {
        case .minLength(let count): (.minLength, count)
        case .maxLength(let count): (.maxLength, count)
        case .length(let count): (.length, count)
        case .unused: (.unused, 0)
        case .fromLetters: (.fromLetters, 0)
        case .reusableLetters: (.reusableLetters, 0)
        case .contains: (.contains, 0)
        case .startsWith: (.startsWith, 0)
        case .palindrome: (.palindrome, 0)
        case .inDictionary: (.inDictionary, 0)
        case .ladderStep: (.ladderStep, 0)
        }
    }
  }

  init(lexicon: Lexicon, found: FoundWords) {
    self.lexicon = lexicon
    self.found = found
    steps = .allocate(capacity: 0)
  }

  /// Sets the rules and the base word for the following guesses.
  func take(rules: [Rule], baseWord: String) {
    self.rules = rules
    self.baseWord = baseWord
    tray.take(baseWord)
    usualLength = nil
    if case .minLength(let count)? = rules.first, rules.dropFirst() == [.unused, .fromLetters, .inDictionary] {
      usualLength = count
    }
    steps.deallocate()
    steps = .allocate(capacity: rules.count)
    _ = steps.initialize(from: rules.map(Step.init))
    texts = rules.map { rule in
      switch rule {
      case .contains(let text), .startsWith(let text): Array(String(countedLetters(lexicon.normalized(text))).utf8)
      default: []
      }
    }
  }

  deinit { steps.deallocate() }

  /// The index of the first rule that the guess fails, or nil.
  func firstFailure(_ guess: GuessText) -> Int? {
    if let usualLength { return firstClassicFailure(guess, usualLength) }
    var index = 0
    while index < steps.count {
      if !passes(steps[index], index, guess) { return index }
      index &+= 1
    }
    return nil
  }

  /// The same for the four rules of a classic game.
  @inline(__always) private func firstClassicFailure(_ guess: GuessText, _ least: Int) -> Int? {
    if guess.letters < least { return 0 }
    if found.contains(guess.bytes, hash: guess.hash) { return 1 }
    if !tray.allows(guess.bytes) { return 2 }
    return lexicon.contains(guess.bytes, hash: guess.hash) ? nil : 3
  }

  @inline(__always) private func passes(_ step: Step, _ index: Int, _ guess: GuessText) -> Bool {
    switch step.kind {
    case .minLength: guess.letters >= step.value
    case .maxLength: guess.letters <= step.value
    case .length: guess.letters == step.value
    case .unused: !found.contains(guess.bytes, hash: guess.hash)
    case .fromLetters: tray.allows(guess.bytes)
    case .inDictionary: lexicon.contains(guess.bytes, hash: guess.hash)
    default: passesRareRule(step, index, guess.bytes)
    }
  }

  @inline(never) private func passesRareRule(_ step: Step, _ index: Int, _ guess: UnsafeBufferPointer<UInt8>) -> Bool {
    switch step.kind {
    case .reusableLetters: tray.hasLetters(of: guess)
    case .contains: matches(guess) { word in word.indices.contains { word[$0...].starts(with: texts[index]) } }
    case .startsWith: matches(guess) { $0.starts(with: texts[index]) }
    case .palindrome: isPalindrome(String(decoding: guess, as: UTF8.self))
    default: differInOneLetter(String(decoding: guess, as: UTF8.self), found.entries.last.map(found.word) ?? baseWord)
    }
  }
}

/// Whether a word reads the same from both ends, letter by letter.
func isPalindrome(_ word: String) -> Bool {
  let letters = countedLetters(word)
  return letters.elementsEqual(letters.reversed())
}

/// Whether two words have the same length and differ in exactly one letter.
func differInOneLetter(_ a: String, _ b: String) -> Bool { a.count == b.count && zip(a, b).count { $0 != $1 } == 1 }

/// Whether a test holds for the bytes of a word, as its letters are counted.
private func matches(_ word: UnsafeBufferPointer<UInt8>, _ test: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
  // ς begins with this byte.
  if !word.contains(0xCF) { return test(word) }
  return Array(String(countedLetters(String(decoding: word, as: UTF8.self))).utf8).withUnsafeBufferPointer(test)
}
