// Polish.

extension Language {
  static let polish = Language(
    name: "polish", title: "Polish", code: "pl", longCodes: ["pol"],
    lists: WordListNames(package: "wpolish", names: ["polish"]), ownLetters: "ąćęłńóśźż",
    meanings: "dict-freedict-pol-eng")
}
