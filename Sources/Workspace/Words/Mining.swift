// Cards from a text: one for each word that is not known yet, with the sentence that shows it best. Invariant: a run is
// one undo step, and a word with a card is never added again. A user's own note type is filled as far as its fields
// allow.

import Decks
import Files
public import Language
import Lexicon
import Storage
import Templates
import Text

/// A word of a text that becomes a card, in one of its sentences.
public struct MinedWord: Sendable {
  public let lemma: String
  public let form: String
  /// How the lemma is read, if an analyser says so and its letters do not.
  public let reading: String?
  /// The sentence in pieces, those that are the word marked.
  fileprivate(set) var pieces: [(text: String, isWord: Bool)]
  public var gloss: String?
  public let place: TextPlace
  public let source: String
  /// How often the word occurs in the text.
  public let count: Int

  public var plainSentence: String { pieces.map(\.text).joined() }
  /// The sentence as HTML, with the form in bold.
  public var sentence: String { html("<b>", "</b>") }
  /// The sentence with the form as a cloze.
  public var cloze: String { html("{{c1::", "}}") }

  private func html(_ start: String, _ end: String) -> String {
    pieces.map { text, isWord in
      isWord ? start + FieldHTML.html(ofPlain: text) + end : FieldHTML.html(ofPlain: text)
    }.joined()
  }

  /// Shows the word in another sentence, and marks its form there.
  public mutating func setSentence(_ text: String) {
    pieces = []
    var (rest, isInWord) = (text[...], false)
    while let first = rest.first {
      let after = rest.dropFirst(form.count).first
      let isForm = !isInWord && rest.hasPrefix(form) && after?.isLetter != true
      let piece = isForm ? form : String(first)
      pieces.append((piece, isForm))
      isInWord = piece.last?.isLetter == true
      rest = rest.dropFirst(piece.count)
    }
  }
}

public struct MiningReport: Sendable {
  public var added: [MinedWord] = []
  /// The number of wanted words that already have a card.
  public var present = 0
  /// The words that were read or looked up, and do not become cards for another reason: a clause, such as `its language
  /// is en`.
  public var leftOut: [(word: String, reason: String)] = []
}

extension TextHandle {
  /// Returns the words that become cards, the most useful first.
  /// - Parameters:
  ///   - count: the number of new cards, for the words with the largest gain; nil for all words.
  ///   - dictionary: the only one to look in.
  ///   - isCloze: whether the cards show the sentence with a gap instead of the word with its sentence.
  /// - Throws: `LanguageError` if the words could not be found as the language needs it.
  public func minable(count: Int? = nil, dictionary: String? = nil, isCloze: Bool = false) throws -> MiningReport {
    if let failure = text.failure { throw failure }
    let view = try view()
    var report = MiningReport()
    report.leftOut = leftOut
    let looked = lookedUp(in: view, &report)
    let asked = Set(looked.compactMap(\.lemma))
    // The sentences of a vocabulary serve only the words that were looked up in them.
    let isVocabulary = text.places.allSatisfy { $0.word != nil }
    let wanted = isVocabulary ? [] : view.lemmasByGain { $0.isMissing }.filter { !asked.contains($0) }
    let best = try view.bestSentences(for: wanted, poll: workspace.poll)
    let found = wanted.compactMap { lemma in best[lemma].map { LookUp(lemma, in: $0) } }
    // A sentence in which nothing else is unknown teaches its word best.
    let isAlone = { (item: LookUp) in view.missing[item.sentence ?? 0] == 1 }
    for (place, item) in (looked + found.filter(isAlone) + found.filter { !isAlone($0) }).enumerated() {
      let isFull = report.added.count >= count ?? .max
      if isFull, place >= looked.count { break }
      if state(of: item, in: view) == .new {
        report.present += 1
      } else if isFull {
        report.leftOut.append((item.word, "--count leaves it for later"))
      } else if isCloze, item.lemma == nil, item.tokens == nil {
        report.leftOut.append((item.word, "its sentence lacks it, so there is no gap to show"))
      } else {
        try workspace.poll()
        report.added.append(try minedWord(item, dictionary: dictionary))
      }
    }
    return report
  }

  private func state(of item: LookUp, in view: TextView) -> WordState {
    item.lemma.map { view.lemmaStates[Int($0)] } ?? state(ofPhrase: item.word)
  }

  /// Returns the words that were looked up and are still to be learned, the most frequently looked up first, each with
  /// the sentence of its first look-up.
  private func lookedUp(in view: TextView, _ report: inout MiningReport) -> [LookUp] {
    var (counts, first): ([String: Int], [(key: String, item: LookUp)]) = ([:], [])
    for item in text.lookUps(lemmas: { lemmas(ofField: $0).sorted() }) {
      guard item.sentence != nil else {
        report.leftOut.append((item.word, "it has no letters"))
        continue
      }
      let key =
        item.lemma.map { text.lemmas[Int($0)].text }
        ?? item.word.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
      counts[key, default: 0] += 1
      if counts[key] == 1 { first.append((key, item)) }
    }
    let wanted = first.filter { _, item in
      let state = state(of: item, in: view)
      if state == .ignored {
        report.leftOut.append((item.word, "it is listed as not to be learned"))
      } else if !state.isMissing {
        report.present += 1
      }
      return state.isMissing
    }
    return wanted.sorted { counts[$0.key, default: 0] > counts[$1.key, default: 0] }.map(\.item)
  }

  /// Collects the contents of a card for a word in its sentence.
  /// - Parameter dictionary: the only one to look in.
  public func minedWord(_ item: LookUp, dictionary: String? = nil) throws -> MinedWord {
    let sentence = text.sentences[item.sentence ?? 0]
    let lemma = item.lemma.map { text.lemmas[Int($0)] }
    let word = lemma?.text ?? item.word
    var (form, reading) = (word, "")
    var pieces: [(text: String, isWord: Bool)] = []
    if let number = item.lemma {
      pieces = text.pieces(of: sentence).map { piece, token in
        guard let token, !token.isName, text.lemma(of: token) == number else { return (piece, false) }
        if !token.isPart { (form, reading) = (piece, text.reading(of: token)) }
        return (piece, true)
      }
    } else {
      let parts = item.tokens.map { text.parts(of: sentence, around: $0) } ?? [text.text(of: sentence)]
      pieces = parts.enumerated().map { ($1, $0 == 1) }
      if parts.count > 1 { form = parts[1] }
    }
    let gloss = try (lemma == nil ? [word, word.lowercased()] : [word]).lazy.compactMap {
      try workspace.words.gloss(of: $0, isLemma: true, in: language, only: dictionary)
    }.first
    return MinedWord(
      lemma: word, form: form, reading: readingOfLemma(word, form: form, reading: reading), pieces: pieces,
      gloss: gloss, place: text.place(of: sentence), source: source(of: sentence), count: lemma?.count ?? 1)
  }

  /// Adds cards for words; creates the deck and the note type if they do not exist.
  /// - Parameter noteType: an existing type or a stock type; nil for Mined, or Mined cloze.
  /// - Returns: how many notes were added.
  /// - Throws: `NoteError.typeNotFound`.
  @discardableResult
  public func mine(
    _ words: [MinedWord], into deck: String, isCloze: Bool = false, noteType: String? = nil, clips: FilmClips? = nil
  ) throws -> Int {
    if words.isEmpty { return 0 }
    let environment = workspace.environment
    let now = environment.clocks.now()
    return try workspace.perform(.mineText, on: deck, count: { $0 }) { db in
      let deckID = try DeckTable.findOrMake(db, named: deck, now: now).deck.id
      let draft = isCloze ? MinedNoteType.cloze : MinedNoteType.plain
      let type =
        if let noteType { try NoteTypeTable.findOrMake(db, named: noteType, now: now) } else {
          try NoteTypeTable.named(db, draft.name) ?? NoteTypeTable.create(db, draft, now: now)
        }
      var added = 0
      // The most useful word comes first, after those that were mined before.
      for (number, word) in words.enumerated() {
        try workspace.poll()
        var note = MinedNoteType.note(word, of: type, try clips?.media(number) ?? [:])
        note.place = .bottom
        do {
          try NoteTable.add(
            db, note, type: type, to: deckID, now: now,
            random: environment.random.entropy, isInterrupted: environment.isInterrupted)
          added += 1
        } catch DeckError.duplicate {
          // The deck already contains the same card, perhaps from a text in another language.
          continue
        }
      }
      return added
    }
  }
}

enum MinedNoteType {
  private static let fields = [
    "Word", "Reading", "Sentence", "Meaning", "Translation", "Source", "Count", "Audio", "Picture",
  ]
  private static let rest = """
    {{#Reading}}<div class="reading">{{Reading}}</div>{{/Reading}}
    {{#Meaning}}<div class="meaning">{{Meaning}}</div>{{/Meaning}}
    {{#Translation}}<div class="translation">{{Translation}}</div>{{/Translation}}
    {{#Picture}}<div class="picture">{{Picture}}</div>{{/Picture}}
    {{Audio}}
    {{#Source}}<div class="source">{{Source}}</div>{{/Source}}
    """
  private static let css =
    NoteTypeDraft.plainCSS + """
      .word {
          font-size: 32px;
      }
      .source {
          color: gray;
          font-size: 14px;
      }

      """

  static let plain = NoteTypeDraft(
    name: "Mined", fields: fields,
    cards: [
      CardTemplate(
        "Word", front: "<div class=\"word\">{{Word}}</div>\n<div class=\"sentence\">{{Sentence}}</div>",
        back: "{{FrontSide}}\n<hr id=answer>\n" + rest)
    ], css: css)

  static let cloze = NoteTypeDraft(
    name: "Mined cloze", fields: fields,
    cards: [
      CardTemplate(
        "Cloze",
        front: "<div class=\"sentence\">{{cloze:Sentence}}</div>\n{{#Meaning}}<div>{{Meaning}}</div>{{/Meaning}}",
        back: "<div class=\"sentence\">{{cloze:Sentence}}</div>\n<hr id=answer>\n<div class=\"word\">{{Word}}</div>\n"
          + rest)
    ], css: css, isCloze: true)

  /// Creates the note of a mined word. Fields with the names of Mined's fields (case-insensitive) get the
  /// corresponding values. If no field is called Word, the first other field gets the word and the second one its
  /// explanation; in a cloze type without a field Sentence the first one gets the sentence.
  /// - Parameter media: the values of the fields `Audio` and `Picture`.
  static func note(_ word: MinedWord, of type: NoteType, _ media: [String: String]) -> NewNote {
    func html(_ text: String?) -> String { FieldHTML.html(ofPlain: text ?? "") }
    var parts = [
      "word": html(word.lemma), "reading": html(word.reading), "sentence": type.isCloze ? word.cloze : word.sentence,
      "meaning": html(word.gloss),
      "translation": html(word.place.translation), "source": html(word.source), "count": String(word.count),
    ]
    for (name, value) in media { parts[name.lowercased()] = value }
    let names = Set(type.fields.map { $0.lowercased() })
    let others = type.fields.filter { !fields.map { $0.lowercased() }.contains($0.lowercased()) }
    func joined(_ wanted: [String]) -> String {
      wanted.filter { !names.contains($0) }.compactMap { parts[$0] }.filter { !$0.isEmpty }.joined(separator: "<br>")
    }
    var values: [String: String] = [:]
    for field in type.fields { values[field] = parts[field.lowercased()] }
    let unnamed =
      type.isCloze && !names.contains("sentence")
      ? [joined(["sentence"]), joined(["word", "reading", "meaning", "translation", "picture", "audio"])]
      : !names.contains("word")
        ? [joined(["word"]), joined(["reading", "meaning", "sentence", "translation", "picture", "audio"])] : []
    for (field, value) in zip(others, unnamed) { values[field] = value }
    return NewNote(fields: values, tags: ["mined"])
  }
}
