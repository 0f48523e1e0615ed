// Russian.

extension Language {
  static let russian = Language(
    name: "russian", title: "Russian", code: "ru", longCodes: ["rus"], lists: WordListNames(names: ["russian"]),
    ownLetters: "й", marksStress: true,
    reading: ReadingRules(
      abbreviations: "г гг в вв т е см стр ул тыс млн млрд акад св",
      frequentWords: """
        и в на не с я а это что как у но он к по из все за для мы нас то о вот они же ты от их мне она да его до \
        только или меня бы без всех во вы если ли когда всё вас над ну был даже тебе свой вам чтобы тоже были было \
        при такой себе какой просто кто них нет нам наш под была ни этот всего спасибо чем тем один этой будет эти \
        пока со этого именно об том ней этом быть лишь хотя ее будто него такие после какая который всем мой
        """))
}
