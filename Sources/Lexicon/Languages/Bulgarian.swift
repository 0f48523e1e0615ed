// Bulgarian.

extension Language {
  static let bulgarian = Language(
    name: "bulgarian", title: "Bulgarian", code: "bg", longCodes: ["bul"],
    lists: WordListNames(package: "wbulgarian", names: ["bulgarian"]), ownLetters: "й", marksStress: true)
}
