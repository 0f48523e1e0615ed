// Polish.

extension Language {
  static let polish = Language(
    name: "polish", title: "Polish", code: "pl", longCodes: ["pol"],
    lists: WordListNames(package: "wpolish", names: ["polish"]), ownLetters: "ąćęłńóśźż",
    meanings: "dict-freedict-pol-eng",
    reading: ReadingRules(
      frequentWords: """
        w i na się z do nie że to o po a za jest od przez jak ale co tym jako dla czy będzie już są przed tego pod \
        ze jednak oraz który jej lub jego go ich aby mnie ten sobie które bo też jeszcze mi być siebie przy która mu \
        nawet tylko nad wszystko by niż te może bez nich był niej tych także będą obok nim między ją tej było ja \
        jeśli których kto była wiele nas coś więc którym im zamiast również którzy sobą której u we ci żeby \
        wszystkie ktoś niego nic takich naprawdę jeżeli
        """))
}
