// The note types of mined cards, and which parts of a mined word go into which fields. Invariant: a user's own note
// type is filled as far as its fields allow; a field of it with another meaning stays empty.

import Decks
import Storage
import Templates

enum MinedNoteType {
  private static let fields = ["Word", "Sentence", "Meaning", "Translation", "Source", "Count", "Audio", "Picture"]
  private static let rest = """
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

  private static let plain = NoteTypeDraft(
    name: "Mined", fields: fields,
    cards: [
      CardTemplate(
        "Word", front: "<div class=\"word\">{{Word}}</div>\n<div class=\"sentence\">{{Sentence}}</div>",
        back: "{{FrontSide}}\n<hr id=answer>\n" + rest)
    ], css: css)

  private static let cloze = NoteTypeDraft(
    name: "Mined cloze", fields: fields,
    cards: [
      CardTemplate(
        "Cloze",
        front: "<div class=\"sentence\">{{cloze:Sentence}}</div>\n{{#Meaning}}<div>{{Meaning}}</div>{{/Meaning}}",
        back: "<div class=\"sentence\">{{cloze:Sentence}}</div>\n<hr id=answer>\n<div class=\"word\">{{Word}}</div>\n"
          + rest)
    ], css: css, isCloze: true)

  /// - Parameter name: an existing type or a stock type; nil for Mined, which is created if it does not exist.
  /// - Throws: `NoteError.typeNotFound`.
  static func type(_ db: Database, named name: String?, isCloze: Bool, now: Double) throws -> NoteType {
    if let name { return try NoteTypeTable.findOrMake(db, named: name, now: now) }
    let draft = isCloze ? cloze : plain
    return try NoteTypeTable.named(db, draft.name) ?? NoteTypeTable.create(db, draft, now: now)
  }

  /// Creates the note of a mined word. Fields with the names of Mined's fields (case-insensitive) get the
  /// corresponding values. If no field is called Word, the first other field gets the word and the second one its
  /// explanation; in a cloze type without a field Sentence the first one gets the sentence.
  /// - Parameter media: the values of the fields `Audio` and `Picture`.
  static func note(_ word: MinedWord, of type: NoteType, _ media: [String: String]) -> NewNote {
    func html(_ text: String?) -> String { FieldHTML.html(ofPlain: text ?? "") }
    var parts = [
      "word": html(word.lemma), "sentence": type.isCloze ? word.cloze : word.sentence, "meaning": html(word.gloss),
      "translation": html(word.translation), "source": html(word.source), "count": String(word.count),
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
      ? [joined(["sentence"]), joined(["word", "meaning", "translation", "picture", "audio"])]
      : !names.contains("word")
        ? [joined(["word"]), joined(["meaning", "sentence", "translation", "picture", "audio"])] : []
    for (field, value) in zip(others, unnamed) { values[field] = value }
    return NewNote(fields: values, tags: ["mined"])
  }
}
