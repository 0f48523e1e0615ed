// Greek.

extension Language {
  static let greek = Language(
    name: "greek", title: "Greek", code: "el", longCodes: ["ell", "gre"], lists: WordListNames(names: ["greek"]),
    letterCase: .finalSigma, countries: ["GR"],
    reading: ReadingRules(
      abbreviations: "κ κα κος δηλ βλ π.χ μ.χ κ.λπ κ.ά αρ σελ τηλ", articles: "ο η το οι τα ένας μία ένα",
      asksWithSemicolon: true))
}
