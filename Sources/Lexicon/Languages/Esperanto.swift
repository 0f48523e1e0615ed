// Esperanto.

extension Language {
  static let esperanto = Language(
    name: "esperanto", title: "Esperanto", code: "eo", longCodes: ["epo"],
    lists: WordListNames(package: "wesperanto", names: ["esperanto"]), ownLetters: "ĉĝĥĵŝŭ",
    meanings: "dict-freedict-epo-eng", countries: ["XX"])
}
