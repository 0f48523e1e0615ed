// Ukrainian.

extension Language {
  static let ukrainian = Language(
    name: "ukrainian", title: "Ukrainian", code: "uk", longCodes: ["ukr"],
    lists: WordListNames(package: "wukrainian", names: ["ukrainian"]), ownLetters: "йї", marksStress: true)
}
