// Danish.

extension Language {
  static let danish = Language(
    name: "danish", title: "Danish", code: "da", longCodes: ["dan"],
    lists: WordListNames(package: "wdanish", names: ["danish"]), ownLetters: "å", meanings: "dict-freedict-dan-eng",
    countries: ["DK"], reading: ReadingRules(articles: "en et"))
}
