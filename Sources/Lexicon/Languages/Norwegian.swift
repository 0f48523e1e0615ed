// Norwegian, in its two written forms.

extension Language {
  static let bokmaal = Language(
    name: "bokmaal", title: "Norwegian Bokmål", code: "nb", longCodes: ["nob"],
    lists: WordListNames(package: "wnorwegian", names: ["bokmaal"], encoding: .latin1), ownLetters: "å",
    reading: ReadingRules(articles: "en ei et"))

  static let nynorsk = Language(
    name: "nynorsk", title: "Norwegian Nynorsk", code: "nn", longCodes: ["nno"],
    lists: WordListNames(package: "wnorwegian", names: ["nynorsk"], encoding: .latin1), ownLetters: "å",
    reading: ReadingRules(articles: "ein ei eit"))
}
