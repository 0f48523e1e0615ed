// Portuguese.

extension Language {
  private static let portugueseValues = "1:aeiosumrt 2:dlcp 3:nbç 4:fghv 5:j 6:q 8:xz 10:kwy"

  static let brazilian = Language(
    name: "brazilian", title: "Brazilian Portuguese", code: "pt-br",
    lists: WordListNames(package: "wbrazilian", names: ["brazilian"]), letterValues: portugueseValues)

  static let portuguese = Language(
    name: "portuguese", title: "Portuguese", code: "pt", longCodes: ["por"],
    lists: WordListNames(package: "wportuguese", names: ["portuguese"]), letterValues: portugueseValues,
    meanings: "dict-freedict-por-eng", countries: ["PT", "BR"],
    reading: ReadingRules(
      abbreviations: """
        sr sra srta srs d drª exmo exma av al tel apto depto eng arq ltda cia s.a a.c d.c págs pp ex aprox máx mín gov \
        dep sen gen cel ten km kg jan fev mar abr jun jul ago set out nov dez p
        """,
      enclitics: """
        me te se nos vos o a os as lo la los las no na nas lhe lhes mo ma mos mas to ta tos tas lho lha lhos lhas
        """, endingsAfterEnclitics: "ei ás á emos eis ão ia ias íamos íeis iam",
      functionWords: """
        o: a os as
        um: uma uns umas
        de: do da dos das
        em: no na nos nas
        a: ao aos à às
        por: pelo pela pelos pelas
        este: esta estes estas
        esse: essa esses essas
        seu: sua seus suas
        que
        e
        não
        ser: é são era eram foi foram
        """,
      frequentWords: """
        de a o que e do da em para um os com uma no na é dos por se as ao das foi à sua mas como ser seu são sobre \
        pela pelo entre ele ou sem nos onde aos às até esta numa seus segundo está vai quem todos cada foram ter \
        pelos este outros nas isso porque ela muitos nem era suas será outras alguns eu num sido contra durante tem \
        após deste quando esse tudo algumas embora estão eles outro outra mais qualquer essa toda seja qual serão \
        pelas tenha desde vão sejam nada várias há todo
        """,
      files: ApertiumFiles(
        analysers: ["por-cat/por-cat"], bilingual: [("ca", "por-cat/por-cat")],
        generators: ["por-cat/cat-por"], package: "apertium-por-cat")))
}
