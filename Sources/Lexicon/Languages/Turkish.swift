// Turkish.

extension Language {
  static let turkish = Language(
    name: "turkish", title: "Turkish", code: "tr", longCodes: ["tur"], lists: WordListNames(names: ["turkish"]),
    letterCase: .dotless, ownLetters: "çğöşü", reading: ReadingRules(abbreviations: "bkz sn doç yrd çev yy"))
}
