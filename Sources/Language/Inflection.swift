// The inflected forms of a word, described in words that a learner reads, from Apertium's generators.
// Invariant: forms are in the order of tables, each once; a tag without a name is kept as it is.

public import Lexicon
import Text

/// An inflected form of a word, and what it expresses.
///
///     try library.forms(of: "tener", in: spanish).first { $0.title == "present" }?.form   // "tengo"
public struct InflectedForm: Hashable, Sendable {
  public let form: String
  /// `verb`, `noun`, `adjective`, or Apertium's tag for another part of speech, such as `prn`.
  public let part: String
  /// Those of `names` that apply. A person is 1, 2 or 3; other has Apertium's tags without a name.
  public private(set) var features: [String: String] = [:]
  /// Where it is in a table.
  fileprivate var order: [Int]

  public static let names = ["tense", "mood", "person", "number", "gender", "degree", "other"]
  /// The parts of speech that have a name.
  public static let parts = ["verb", "noun", "adjective"]
  private static let verbs: Set<String> = ["vblex", "vbser", "vbhaver", "vbmod"]
  /// Apertium's tags in the order of tables, each with its features.
  private static let tags = """
    inf:mood=infinitive ger:mood=gerund pprs:tense=present,mood=participle pp:mood=participle \
    pri:tense=present,mood=indicative pii:tense=imperfect,mood=indicative ifi:tense=past,mood=indicative \
    pmp:tense=pluperfect,mood=indicative fti:tense=future,mood=indicative cni:mood=conditional \
    prs:tense=present,mood=subjunctive pis:tense=past,mood=subjunctive fts:tense=future,mood=subjunctive \
    infps:mood=personal_infinitive imp:mood=imperative sg:number=singular sp:number=both pl:number=plural \
    p1:person=1 p2:person=2 p3:person=3 m:gender=masculine mf:gender=both f:gender=feminine nt:gender=neuter \
    sup:degree=superlative
    """.split(separator: " ").map { $0.split { ":,=".contains($0) }.map { $0.replacing(text: "_", with: " ") } }

  init(_ form: String, tags: [String]) {
    let tag = tags.first ?? ""
    part = Self.verbs.contains(tag) ? "verb" : ["n": "noun", "adj": "adjective"][tag] ?? tag
    (self.form, order) = (form, [Self.parts.firstIndex(of: part) ?? Self.parts.count, tags.contains("sup") ? 1 : 0])
    for (place, words) in Self.tags.enumerated() where tags.dropFirst().contains(words[0]) {
      order.append(place)
      for name in stride(from: 1, to: words.count, by: 2) { features[words[name]] = words[name + 1] }
    }
    let others = tags.dropFirst().filter { tag in !Self.tags.contains { $0[0] == tag } }
    if !others.isEmpty { features["other"] = others.joined(separator: " ") }
  }

  /// The name of its row in a table: `past subjunctive`, without number and person.
  public var title: String {
    if features["mood"] == "indicative", let tense = features["tense"] {
      return tense == "past" ? "past (preterite)" : tense
    }
    return ["tense", "mood", "degree", "gender", "other"].compactMap { features[$0] }.filter { $0 != "both" }
      .joined(separator: " ")
  }
}

extension LanguageLibrary {
  /// Returns the forms of a lemma; nothing for a word that the data does not have.
  /// - Parameter part: one of `InflectedForm.parts`; nil for all parts of speech.
  /// - Throws: `LanguageError.noForms` without data, `.damaged`, `.unreadable`.
  public func forms(
    of lemma: String, part: String? = nil, in language: Language
  ) throws(LanguageError) -> [InflectedForm] {
    let found = try generator(of: language).forms(of: lemma.replacingApostrophes).map { tags, form in
      InflectedForm(form, tags: tags)
    }
    return found.filter { part == nil || $0.part == part }.distinct(by: \.self).sorted { a, b in
      (a.order + [.max]).lexicographicallyPrecedes(b.order + [.max])
    }
  }
}
