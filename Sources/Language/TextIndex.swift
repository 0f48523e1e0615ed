// A text as words: sentences, tokens, forms, lemmas. Invariant: 32-bit indices lead from tokens to forms and from forms
// to lemmas, and all of them are valid; adding takes time in proportion to the text, whatever it contains.

public import Lexicon
import Text

/// Where a paragraph of a text came from.
public struct TextPlace: Equatable, Sendable {
  /// The index of its file, from 0.
  public var file: Int
  /// The start of a subtitle, in seconds from the beginning.
  public var start: Double?
  public var end: Double?
  public var translation: String?
  /// The word that the user looked up there.
  public var word: String?
  public var isHeading = false
  /// The time of a subtitle; nil if it takes none.
  public var time: ClosedRange<Double>? { start.flatMap { start in end.flatMap { $0 > start ? start...$0 : nil } } }

  public init(file: Int, start: Double? = nil, end: Double? = nil, translation: String? = nil, word: String? = nil) {
    (self.file, self.start, self.end, self.translation, self.word) = (file, start, end, translation, word)
  }
}

/// A sentence: its bytes, its tokens, its origin.
public struct TextSentence: Sendable {
  let bytes: Range<UInt32>
  let tokens: Range<UInt32>
  /// Index into `TextIndex.places`, which has one for each paragraph.
  public let place: UInt32
}

public struct TextToken: Sendable, BitwiseCopyable {
  let start: UInt32
  let end: UInt32
  /// Index into `forms`; while the text is being collected, the number of the spelling.
  fileprivate(set) var form: UInt32
  /// Whether its capital marks it as a name; a name belongs to no lemma.
  public fileprivate(set) var isName = false
  /// Whether its capital is no sign of a name: it begins a sentence, or all around it is in capitals.
  let isFirst: Bool
  let isCapital: Bool
  /// Whether it is a particle of a verb in its sentence, whose form it has. It is not counted as a word.
  public fileprivate(set) var isPart = false
}

/// A word in lower case.
public struct TextForm: Sendable {
  public let text: String
  public let isNumber: Bool
  /// How it is read, as an analyser says; empty if none does.
  let reading: String
  /// Indices into `lemmas`, the likeliest first; empty for a number.
  public fileprivate(set) var lemmas: [UInt32] = []
  /// The number of its tokens, without names.
  public fileprivate(set) var count = 0
}

/// A word in its dictionary form.
public struct TextLemma: Sendable {
  public let text: String
  /// The number of tokens whose likeliest lemma it is.
  public fileprivate(set) var count = 0
  /// The forms whose likeliest lemma it is, in text order.
  public fileprivate(set) var forms: [UInt32] = []
}

/// An analysed text.
///
///     var builder = TextBuilder(lemmatizer)
///     builder.add("El gato duerme.", at: TextPlace(file: 0))
///     let text = builder.finish()
///     text.lemmas.map(\.text)   // ["el", "gato", "dormir"]
public struct TextIndex: Sendable {
  public let language: Language
  let bytes: [UInt8]
  public let places: [TextPlace]
  public let sentences: [TextSentence]
  public let tokens: [TextToken]
  public let forms: [TextForm]
  public let lemmas: [TextLemma]
  /// Why the words were found without the analyser or the dictionary that their language needs; nil if they were not.
  public let failure: LanguageError?
  /// Bytes that it holds.
  public let weight: Int

  public func text(of sentence: TextSentence) -> String {
    String(decoding: bytes[Int(sentence.bytes.lowerBound)..<Int(sentence.bytes.upperBound)], as: UTF8.self)
  }

  /// Returns a sentence, cut after a number of characters.
  public func text(of sentence: TextSentence, limit: Int) -> String {
    let range = Int(sentence.bytes.lowerBound)..<Int(sentence.bytes.upperBound)
    // A character may have more bytes; then the text is cut earlier.
    var end = min(range.upperBound, range.lowerBound + 4 * limit)
    while end < range.upperBound, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    let text = String(decoding: bytes[range.lowerBound..<end], as: UTF8.self)
    return end == range.upperBound ? text.shortened(to: limit) : text.prefix(limit) + "…"
  }

  /// Returns a sentence in three parts: what comes before some of its tokens, these, and what follows them.
  public func parts(of sentence: TextSentence, around tokens: Range<Int>) -> [String] {
    let (start, end) = (self.tokens[tokens.lowerBound].start, self.tokens[tokens.upperBound - 1].end)
    let ranges = [sentence.bytes.lowerBound..<start, start..<end, end..<max(end, sentence.bytes.upperBound)]
    return ranges.map { String(decoding: bytes[Int($0.lowerBound)..<Int($0.upperBound)], as: UTF8.self) }
  }

  public func place(of sentence: TextSentence) -> TextPlace { places[Int(sentence.place)] }

  /// Whether there is a blank between a sentence and the one before it.
  public func isApart(_ number: Int) -> Bool {
    sentences[number - 1].bytes.upperBound < sentences[number].bytes.lowerBound
  }

  public func tokenRange(of sentence: TextSentence) -> Range<Int> {
    Int(sentence.tokens.lowerBound)..<Int(sentence.tokens.upperBound)
  }

  public func sentence(ofToken token: Int) -> Int {
    (1..<max(1, sentences.count)).bisected { Int(sentences[$0].tokens.lowerBound) <= token } - 1
  }

  /// The SHA-256 hash of the whole text, in hexadecimal digits.
  public var digest: String { hexadecimal(sha256(bytes)) }

  public func tokens(of sentence: TextSentence) -> ArraySlice<TextToken> { tokens[tokenRange(of: sentence)] }

  public func reading(of token: TextToken) -> String { forms[Int(token.form)].reading }

  public func lemma(of token: TextToken) -> UInt32? { forms[Int(token.form)].lemmas.first }

  /// Whether a sentence ends with a full stop or another end mark, ignoring quotes and brackets after it.
  func endsWithMark(_ sentence: TextSentence) -> Bool {
    let start = max(sentence.bytes.lowerBound, sentence.bytes.upperBound - min(sentence.bytes.upperBound, 256))
    return String(decoding: bytes[Int(start)..<Int(sentence.bytes.upperBound)], as: UTF8.self).endsSentence ?? false
  }

  public func pieces(of sentence: TextSentence) -> [(text: String, token: TextToken?)] {
    var pieces: [(text: String, token: TextToken?)] = []
    var end = sentence.bytes.lowerBound
    func add(_ range: Range<UInt32>, _ token: TextToken?) {
      if range.isEmpty { return }
      pieces.append((String(decoding: bytes[Int(range.lowerBound)..<Int(range.upperBound)], as: UTF8.self), token))
    }
    for token in tokens(of: sentence) {
      add(end..<token.start, nil)
      add(token.start..<token.end, token)
      end = token.end
    }
    add(end..<max(end, sentence.bytes.upperBound), nil)
    return pieces
  }
}

/// Collects paragraphs and analyses them at the end. The parameter `watch` of its functions is called often enough to
/// stop the work in time, and is passed the bytes that are held.
public struct TextBuilder {
  let lemmatizer: Lemmatizer
  let tokenizer: Tokenizer
  let divider: WordDivider
  /// The paragraphs whose words are still to be found: their bytes and their places.
  var pending: [(bytes: Range<Int>, place: UInt32)] = []
  var failure: LanguageError?
  private(set) var bytes: [UInt8] = []
  private(set) var places: [TextPlace] = []
  var sentences: [TextSentence] = []
  var tokens: [TextToken] = []
  var spellings = SpellingTable()
  private let separable: SeparableVerbs?
  /// Bytes that the places and their translations take.
  private var placed = 0
  /// Bytes that a form and its lemmas take, and half of that again while they are made.
  private static let ofForm = 400

  /// Bytes that the text holds so far, with the forms and lemmas that are made of it at the end.
  public var weight: Int {
    bytes.capacity + placed + sentences.capacity * MemoryLayout<TextSentence>.stride
      + tokens.capacity * MemoryLayout<TextToken>.stride + spellings.weight + spellings.count * Self.ofForm
  }

  public init(_ lemmatizer: Lemmatizer, _ divider: WordDivider = WordDivider()) {
    (self.lemmatizer, self.divider) = (lemmatizer, divider)
    tokenizer = Tokenizer(tables: lemmatizer.tables, headwords: divider.isByHeadwords ? divider.headwords : nil)
    separable = SeparableVerbs(lemmatizer)
  }

  /// Whether it has more bytes than a text may have: a file more than these still has indices of 32 bits.
  public var isTooLong: Bool { bytes.count > 256 << 20 }

  /// Adds a paragraph; a sentence never continues in the next one.
  public mutating func add(_ paragraph: String, at place: TextPlace, watch: (Int) throws -> Void) rethrows {
    let (base, paragraph) = (bytes.count, limitingMarks(paragraph).composed)
    placed += 128 + (place.translation?.utf8.count ?? 0)
    try watch(weight + paragraph.utf8.count)
    bytes += paragraph.utf8
    pending.append((base..<bytes.count, UInt32(places.count)))
    places.append(place)
  }

  /// Finds the words of a paragraph by the rules of the language.
  mutating func findWords(
    of content: UnsafeBufferPointer<UInt8>, base: Int, _ place: UInt32, _ watch: (Int) throws -> Void
  ) rethrows {
    try tokenizer.forEachSentence(in: content, watch: { try watch(weight + $0) }) { range, words in
      let first = UInt32(tokens.count)
      let verbs = separable?.verbs(in: words, of: content, until: range.upperBound) ?? []
      var followsCapital = false
      for place in words.indices {
        var word = words[place]
        // A later part of a hyphenated name: `Abel-beth-maacah`.
        if place > words.startIndex + 1, followsCapital, words[place - 1].end + 1 == word.start {
          word.isCapital = word.isCapital || content[word.start - 1] == UInt8(ascii: "-")
        }
        followsCapital = word.isCapital
        if place & 0xFFF == 0xFFF { try watch(weight + words.count * MemoryLayout<WordRange>.stride) }
        let isFirst = place == words.startIndex || isInCapitals(place, of: words, content)
        let lemma = verbs.first { $0.verb == place }?.lemma
        let written = UnsafeBufferPointer(rebasing: content[word.start..<word.end])
        let hasForm = lemma != nil || isFirst && word.isCapital && lemmatizer.keepsCapitals
        let form = hasForm ? lemmatizer.form(of: String(decoding: written, as: UTF8.self), isPlain: isFirst) : nil
        var key = form.map { form in lemma.map { "\(form)\t\($0)\t" } ?? form }
        let spelling = key?.withUTF8 { spellings.number(of: $0) } ?? spellings.number(of: written)
        tokens.append(
          TextToken(
            start: UInt32(base + word.start), end: UInt32(base + word.end), form: spelling, isFirst: isFirst,
            isCapital: word.isCapital))
      }
      for (verb, particle, _) in verbs {
        tokens[Int(first) + particle].form = tokens[Int(first) + verb].form
        tokens[Int(first) + particle].isPart = true
      }
      sentences.append(
        TextSentence(
          bytes: UInt32(base + range.lowerBound)..<UInt32(base + range.upperBound),
          tokens: first..<UInt32(tokens.count), place: place))
    }
  }

  /// Whether the capitals of a word are those of its sentence, or emphasis, and no sign of a name. A short word alone
  /// may be an abbreviation; without data no long one is known to be a word.
  private func isInCapitals(
    _ place: Int, of words: ArraySlice<WordRange>, _ content: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    func letters(_ place: Int) -> Int {
      guard words.indices.contains(place), words[place].isAllCapitals else { return 0 }
      return content[words[place].start..<words[place].end].count { $0 & 0xC0 != 0x80 }
    }
    let own = letters(place)
    return own > 0 && (letters(place - 1) > 1 || letters(place + 1) > 1 || own > 4 && lemmatizer.hasData)
  }

  /// Finishes the text with its words, which are found unless they were kept.
  /// - Throws: what `watch` throws, or `FileError` if interrupted.
  public consuming func finish(watch: (Int) throws -> Void) throws -> TextIndex {
    let path = cachePath
    if let kept = path.flatMap(kept) {
      try watch(kept.weight)
      return kept
    }
    try analyse(watch: watch)
    let weight = weight
    var (forms, numbers, candidates) = try forms { try watch(weight) }
    // In place: a second array of them would be the largest allocation for a large text.
    var finished: [TextToken] = []
    swap(&finished, &tokens)
    for index in finished.indices { finished[index].form = numbers[Int(finished[index].form)] }
    let names = NameCounts(finished, forms.count)
    let (nouns, hasData) = (lemmatizer.language.letterCase == .nouns, lemmatizer.hasData)
    let closed = lemmatizer.tables.closedWords
    var lemmas = Self.choose(candidates, &forms, finished)
    for index in finished.indices {
      let token = finished[index]
      let form = Int(token.form)
      let isName =
        token.isName
        || !nouns && token.isCapital && !forms[form].isNumber && !closed.contains(forms[form].text)
          && names.isName(form, isFirst: token.isFirst, isRead: !hasData || !candidates[form].isEmpty)
      if !isName, !token.isPart {
        forms[form].count += 1
        if let lemma = forms[form].lemmas.first { lemmas[Int(lemma)].count += 1 }
      }
      finished[index].isName = isName
    }
    for (number, form) in forms.enumerated() where form.count > 0 {
      if let lemma = form.lemmas.first { lemmas[Int(lemma)].forms.append(UInt32(number)) }
    }
    // Also because the last words may lack lemmas after an interrupt.
    try watch(weight)
    let text = TextIndex(
      language: lemmatizer.language, bytes: bytes, places: places, sentences: sentences, tokens: finished,
      forms: forms, lemmas: lemmas, failure: failure, weight: weight)
    if let path { text.keep(at: path) }
    return text
  }

  /// Returns the forms of the spellings, the number of the form of each, and what may be the lemmas of each form.
  private func forms(
    watch: () throws -> Void
  ) rethrows -> (forms: [TextForm], numbers: [UInt32], candidates: [[LemmaCandidate]]) {
    var (forms, numbers, candidates): ([TextForm], [UInt32], [[LemmaCandidate]]) = ([], [], [])
    var known: [String: UInt32] = [:]
    for spelling in 0..<spellings.count {
      if spelling & 0xFF == 0 { try watch() }
      // A word whose lemma its sentence or an analyser tells has it after the form, and then its reading.
      let parts = spellings.text(spelling).split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      let text = lemmatizer.form(of: parts[0], isPlain: false)
      let key = parts.count > 1 ? "\(text)\t\(parts[1].composed)" : text
      let number = known[key] ?? UInt32(forms.count)
      numbers.append(number)
      if number < forms.count { continue }
      known[key] = number
      let isNumber = text.unicodeScalars.first.map { $0.properties.generalCategory == .decimalNumber } ?? true
      let isRead = parts.count > 2
      forms.append(TextForm(text: text, isNumber: isNumber, reading: isRead && !isNumber ? parts[2] : ""))
      candidates.append(
        isRead
          ? [LemmaCandidate(lemma: parts[1].composed, rank: .min)]
          : isNumber ? [] : lemmatizer.candidates(of: text))
    }
    return (forms, numbers, candidates)
  }

  /// Chooses the lemmas of each form; of equally likely ones, the more frequent in the text comes first.
  private static func choose(
    _ candidates: [[LemmaCandidate]], _ forms: inout [TextForm], _ used: [TextToken]
  ) -> [TextLemma] {
    var counts = [Int](repeating: 0, count: candidates.count)
    for token in used { counts[Int(token.form)] += 1 }
    var weights: [String: Int] = [:]
    for (form, some) in candidates.enumerated() {
      for candidate in some { weights[candidate.lemma, default: 0] += counts[form] }
    }
    var (numbers, lemmas): ([String: UInt32], [TextLemma]) = ([:], [])
    for form in forms.indices where !forms[form].isNumber {
      let chosen = Lemmatizer.chosen(candidates[form], form: forms[form].text) { weights[$0] ?? 0 }
      forms[form].lemmas = chosen.map { lemma in
        numbers.kept(lemma) {
          lemmas.append(TextLemma(text: lemma))
          return UInt32(lemmas.count - 1)
        }
      }
    }
    return lemmas
  }
}

/// How often each form occurs with and without a capital where that is significant: inside sentences.
private struct NameCounts {
  private var capitals: [UInt32]
  private var small: [UInt32]

  init(_ tokens: [TextToken], _ count: Int) {
    capitals = Array(repeating: 0, count: count)
    small = capitals
    for token in tokens {
      if !token.isCapital {
        small[Int(token.form)] += 1
      } else if !token.isFirst {
        capitals[Int(token.form)] += 1
      }
    }
  }

  func isName(_ form: Int, isFirst: Bool, isRead: Bool) -> Bool {
    let isSeenAsName = capitals[form] > 0 && small[form] < 2 * capitals[form]
    return isFirst ? isSeenAsName || (!isRead && small[form] == 0) : isSeenAsName
  }
}
