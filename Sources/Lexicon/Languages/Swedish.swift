// Swedish.

extension Language {
  static let swedish = Language(
    name: "swedish", title: "Swedish", code: "sv", longCodes: ["swe"],
    lists: WordListNames(package: "wswedish", names: ["swedish"], encoding: .latin1), ownLetters: "åäö",
    countries: ["SE"], reading: ReadingRules(articles: "en ett"))
}
