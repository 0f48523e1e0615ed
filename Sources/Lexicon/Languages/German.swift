// German.

extension Language {
  private static let germanValues = "1:ensirtuad 2:hglo 3:mbwz 4:cfkp 6:äjüv 8:öx 10:qy"

  static let germanLists = [
    variant("ogerman", "German, old spelling", "wogerman"), variant("swiss", "Swiss German", "wswiss"),
  ]

  private static func variant(_ name: String, _ title: String, _ package: String) -> Language {
    Language(
      name: name, title: title, code: "de", lists: WordListNames(package: package, names: [name]), letterCase: .nouns,
      ownLetters: "äöü", letterValues: germanValues)
  }

  static let german = Language(
    name: "german", title: "German", code: "de", longCodes: ["deu", "ger"],
    lists: WordListNames(package: "wngerman", names: ["ngerman", "ogerman", "swiss"]), letterCase: .nouns,
    ownLetters: "äöü", letterValues: germanValues, meanings: "dict-freedict-deu-eng",
    reading: ReadingRules(
      abbreviations: """
        hr fr frl z b d h u a bzw evtl ggf inkl exkl sog str tel abb abs bd jh jhd mio mrd geb gest jan feb apr aug \
        sept okt nov dez
        """, articles: "der die das ein eine", pointsOrdinals: true))
}
