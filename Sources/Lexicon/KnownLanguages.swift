// The languages whose lists Debian ships, each with its package.
// Invariant: names are unique, and `english`, `spanish`, `italian` come first.

extension Language {
  private static let englishValues = "1:aeioulnstr 2:dg 3:bcmp 4:fhvwy 5:k 8:jx 10:qz"
  private static let portugueseValues = "1:aeiosumrt 2:dlcp 3:nbç 4:fghv 5:j 6:q 8:xz 10:kwy"
  private static let germanValues = "1:ensirtuad 2:hglo 3:mbwz 4:cfkp 6:äjüv 8:öx 10:qy"

  /// Every language that has a list of a known name; the three that the set-up offers come first.
  public static let known: [Language] =
    [
      Language(
        name: "english", title: "English", code: "en",
        lists: WordListNames(
          package: "wamerican",
          names: [
            "american-english-huge", "american-english", "american-english-large", "american-english-insane",
            "american-english-small", "british-english-huge", "british-english", "british-english-large",
            "british-english-insane", "british-english-small",
          ]), letterValues: englishValues),
      Language(
        name: "spanish", title: "Spanish", code: "es",
        lists: WordListNames(package: "wspanish", names: ["spanish"], dictionaries: ["es_ES"]), ownLetters: "ñ",
        letterValues: "1:aeiosnlrutáéíóú 2:dg 3:cbmp 4:hfvy 5:q 8:jñxkw 10:z"),
      Language(
        name: "italian", title: "Italian", code: "it", lists: WordListNames(package: "witalian", names: ["italian"]),
        letterValues: "1:oaie 2:crst 3:lmnu 5:bdfpv 8:ghz 10:qjkwxy"),
      Language(
        name: "french", title: "French", code: "fr", lists: WordListNames(package: "wfrench", names: ["french"]),
        letterValues: "1:eainorstul 2:dmg 3:bcp 4:fhv 8:jq 10:kwxyz"),
      Language(
        name: "german", title: "German", code: "de",
        lists: WordListNames(package: "wngerman", names: ["ngerman", "ogerman", "swiss"]),
        letterCase: .nouns, ownLetters: "äöü", letterValues: germanValues),
      Language(
        name: "portuguese", title: "Portuguese", code: "pt",
        lists: WordListNames(package: "wportuguese", names: ["portuguese"]),
        letterValues: portugueseValues),
      Language(
        name: "brazilian", title: "Brazilian Portuguese", code: "pt-br",
        lists: WordListNames(package: "wbrazilian", names: ["brazilian"]), letterValues: portugueseValues),
      Language(
        name: "dutch", title: "Dutch", code: "nl", lists: WordListNames(package: "wdutch", names: ["dutch"]),
        letterValues: "1:enadrio 2:tsgk 3:lmbp 4:ufhjvz 5:cw 8:xy 10:q"),
      Language(
        name: "catalan", title: "Catalan", code: "ca", lists: WordListNames(package: "wcatalan", names: ["catalan"]),
        ownLetters: "ç"),
      Language(
        name: "danish", title: "Danish", code: "da", lists: WordListNames(package: "wdanish", names: ["danish"]),
        ownLetters: "å"),
      Language(
        name: "swedish", title: "Swedish", code: "sv",
        lists: WordListNames(package: "wswedish", names: ["swedish"], encoding: .latin1),
        ownLetters: "åäö"),
      Language(
        name: "bokmaal", title: "Norwegian Bokmål", code: "nb",
        lists: WordListNames(package: "wnorwegian", names: ["bokmaal"], encoding: .latin1), ownLetters: "å"),
      Language(
        name: "nynorsk", title: "Norwegian Nynorsk", code: "nn",
        lists: WordListNames(package: "wnorwegian", names: ["nynorsk"], encoding: .latin1), ownLetters: "å"),
      Language(
        name: "polish", title: "Polish", code: "pl", lists: WordListNames(package: "wpolish", names: ["polish"]),
        ownLetters: "ąćęłńóśźż"),
      Language(
        name: "ukrainian", title: "Ukrainian", code: "uk",
        lists: WordListNames(package: "wukrainian", names: ["ukrainian"]),
        ownLetters: "йї"),
      Language(
        name: "bulgarian", title: "Bulgarian", code: "bg",
        lists: WordListNames(package: "wbulgarian", names: ["bulgarian"]),
        ownLetters: "й"),
      Language(
        name: "esperanto", title: "Esperanto", code: "eo",
        lists: WordListNames(package: "wesperanto", names: ["esperanto"]),
        ownLetters: "ĉĝĥĵŝŭ"),
      Language(
        name: "greek", title: "Greek", code: "el", lists: WordListNames(names: ["greek"]), letterCase: .finalSigma),
      Language(
        name: "russian", title: "Russian", code: "ru", lists: WordListNames(names: ["russian"]), ownLetters: "й"),
      Language(
        name: "turkish", title: "Turkish", code: "tr", lists: WordListNames(names: ["turkish"]), letterCase: .dotless,
        ownLetters: "çğöşü"),
    ] + englishLists + [
      variant("ogerman", "German, old spelling", "de", "wogerman"), variant("swiss", "Swiss German", "de", "wswiss"),
    ]

  /// American, British and Canadian English in their sizes, each as a separate language besides `english`.
  private static let englishLists: [Language] = ["american", "british", "canadian"].flatMap { nation in
    ["", "-small", "-large", "-huge", "-insane"].map { size in
      let title = nation.prefix(1).uppercased() + nation.dropFirst() + " English"
      return Language(
        name: "\(nation)-english\(size)", title: size.isEmpty ? title : "\(title) (\(size.dropFirst()))", code: "en",
        lists: WordListNames(package: "w\(nation)\(size)", names: ["\(nation)-english\(size)"]),
        letterValues: englishValues)
    }
  }

  private static func variant(_ name: String, _ title: String, _ code: String, _ package: String) -> Language {
    Language(
      name: name, title: title, code: code, lists: WordListNames(package: package, names: [name]), letterCase: .nouns,
      ownLetters: "äöü", letterValues: germanValues)
  }
}
