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
        """, articles: "der die das ein eine", pointsOrdinals: true,
      frequentWords: """
        die und der in das ich den mit ist nicht zu es für wir auf von sich ein eine im war bei man dem nach sind \
        des am an einer kann hat aus werden aber als haben sie er habe uns zum vor wurde über um daß mich einen mir \
        einem seit dass waren meine wenn wird was hatte wie keine durch bin alles ohne diese bis wurden unsere unter \
        gegen viel zur vom oder können alle mein anderen ihr seine allem dieses sondern nichts sein muß eines dieser \
        ihre ob ihren ab meiner sollte andere seiner wer weil einige
        """))
}
