// Russian.

extension Language {
  static let russian = Language(
    name: "russian", title: "Russian", code: "ru", longCodes: ["rus"], lists: WordListNames(names: ["russian"]),
    ownLetters: "й", marksStress: true,
    reading: ReadingRules(abbreviations: "г гг в вв т е см стр ул тыс млн млрд акад св"))
}
