// Cards from a text: one for each word that is not known yet, with the sentence that shows it best. Invariant: a run
// is one step of undo; a second one with the same choices adds nothing, since a word with a card is never added
// again.

import Decks
import Files
import Language
import Lexicon
import Storage
import Templates
import Text

/// Which words of a text become cards, and how.
public struct MiningOptions: Sendable {
  /// The most words, those that gain most; nil for all that have a sentence.
  public var count: Int?
  /// The most useful words until this part of the text would be known.
  public var target: Double?
  /// Unknown words that a sentence may have.
  public var unknownAtMost = 1
  /// How often a word is in the text at least.
  public var minCount = 1
  public var requiresGloss = false
  /// The only dictionary to ask.
  public var dictionary: String?
  /// The sentence with a gap in place of the word and its sentence.
  public var isCloze = false

  public init() {}
}

/// A word of a text that becomes a card.
public struct MinedWord: Equatable, Sendable {
  public let lemma: String
  public let form: String
  /// HTML, the form in bold.
  public let sentence: String
  /// The same with the form as a cloze.
  public let cloze: String
  public let plainSentence: String
  public let gloss: String?
  public let translation: String?
  public let source: String
  /// How often it is in the text.
  public let count: Int
}

/// What a run found.
public struct MiningReport: Equatable, Sendable {
  public var added: [MinedWord] = []
  /// Words that are wanted and have no sentence that is easy enough.
  public var withoutSentence = 0
  /// Wanted words that have a card already.
  public var present = 0
}

extension TextHandle {
  /// The words that become cards, the most useful first.
  public func minable(_ options: MiningOptions) throws -> MiningReport {
    let view = try view()
    // A word with a new card counts as wanted: the same choice is the same choice after the cards are made.
    var wanted = view.lemmasByGain { $0.isMissing }.filter { text.lemmas[Int($0)].count >= options.minCount }
    if let target = options.target, let needed = view.lemmasNeeded(for: target) {
      let useful = Set(view.lemmasByGain().prefix(needed))
      wanted = wanted.filter(useful.contains)
    }
    let planned = view.bestSentences(for: wanted, unknownAtMost: options.unknownAtMost)
    let chosen = options.count.map { Array(planned.prefix($0)) } ?? planned
    var report = MiningReport()
    report.withoutSentence = wanted.count - planned.count
    for word in chosen {
      if workspace.environment.isInterrupted() { throw WorkspaceError.interrupted }
      guard view.lemmaStates[Int(word.lemma)] == .unknown else {
        report.present += 1
        continue
      }
      let mined = try minedWord(word.lemma, inSentence: word.sentence, dictionary: options.dictionary)
      if mined.gloss != nil || !options.requiresGloss { report.added.append(mined) }
    }
    return report
  }

  /// A card's worth of a lemma in one sentence.
  /// - Parameter number: in `TextIndex.sentences`.
  /// - Parameter dictionary: the only one to ask.
  public func minedWord(_ lemmaNumber: UInt32, inSentence number: Int, dictionary: String? = nil) throws -> MinedWord {
    let (lemma, sentence) = (text.lemmas[Int(lemmaNumber)], text.sentences[number])
    var (marked, cloze, form) = ("", "", lemma.text)
    for (piece, token) in text.pieces(of: sentence) {
      let html = FieldHTML.html(ofPlain: piece)
      let isWord = token.map { !$0.isName && text.lemma(of: $0) == lemmaNumber } ?? false
      marked += isWord ? "<b>\(html)</b>" : html
      cloze += isWord ? "{{c1::\(html)}}" : html
      if isWord { form = piece }
    }
    return MinedWord(
      lemma: lemma.text, form: form, sentence: marked, cloze: cloze, plainSentence: text.text(of: sentence),
      gloss: try workspace.words.gloss(of: lemma.text, in: language, only: dictionary),
      translation: text.place(of: sentence).translation, source: source(of: sentence), count: lemma.count)
  }

  /// Adds cards for words; the deck and the note type are made when they are missing.
  /// - Returns: how many notes were added.
  @discardableResult
  public func mine(_ words: [MinedWord], into deck: String, isCloze: Bool) throws -> Int {
    if words.isEmpty { return 0 }
    let environment = workspace.environment
    let now = environment.clocks.now()
    return try workspace.perform(.mineText, on: deck, count: { $0 }) { db in
      let deckID =
        try DeckTable.list(db).first { $0.name == deck }?.id ?? DeckTable.create(db, name: deck, now: now).id
      let draft = isCloze ? MinedNoteType.cloze : MinedNoteType.plain
      let type = try NoteTypeTable.named(db, draft.name) ?? NoteTypeTable.create(db, draft, now: now)
      var added = 0
      for word in words {
        if environment.isInterrupted() { throw WorkspaceError.interrupted }
        do {
          try NoteTable.add(
            db, MinedNoteType.note(word, of: type, isCloze: isCloze), type: type, to: deckID, now: now,
            random: environment.random.entropy, isInterrupted: environment.isInterrupted)
          added += 1
        } catch DeckError.duplicate {
          // The same card is in the deck, under another language's text perhaps.
          continue
        }
      }
      return added
    }
  }
}

/// The note types of mined cards. A type of the same name that the user changed is filled as far as its fields go.
enum MinedNoteType {
  private static let fields = ["Word", "Sentence", "Meaning", "Translation", "Source", "Count"]
  private static let rest = """
    {{#Meaning}}<div class="meaning">{{Meaning}}</div>{{/Meaning}}
    {{#Translation}}<div class="translation">{{Translation}}</div>{{/Translation}}
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

  static func note(_ word: MinedWord, of type: NoteType, isCloze: Bool) -> NewNote {
    var values = [
      "Word": FieldHTML.html(ofPlain: word.lemma), "Sentence": isCloze ? word.cloze : word.sentence,
      "Meaning": FieldHTML.html(ofPlain: word.gloss ?? ""),
      "Translation": FieldHTML.html(ofPlain: word.translation ?? ""),
      "Source": FieldHTML.html(ofPlain: word.source), "Count": String(word.count),
    ]
    values = values.filter { type.fields.contains($0.key) }
    return NewNote(fields: values, tags: ["mined"])
  }
}
