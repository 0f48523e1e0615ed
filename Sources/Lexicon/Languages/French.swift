// French.

extension Language {
  static let french = Language(
    name: "french", title: "French", code: "fr", longCodes: ["fra", "fre"],
    lists: WordListNames(package: "wfrench", names: ["french"]),
    letterValues: "1:eainorstul 2:dmg 3:bcp 4:fhv 8:jq 10:kwxyz", meanings: "dict-freedict-fra-eng",
    reading: ReadingRules(
      abbreviations: """
        m mm mme mmes mlle mlles me mgr st ste av bd bld tél env éd p pp chap réf c.-à-d ex apr j.-c janv févr avr \
        juil sept oct nov déc km kg
        """, splitsElisions: true, undivided: "aujourd quelqu presqu prud entr", linksWithT: true,
      functionWords: """
        le: la les l'
        un: une
        de: d'
        que: qu'
        je: j'
        ne: n'
        se: s'
        ce: c'
        me: m'
        te: t'
        lorsque: lorsqu'
        puisque: puisqu'
        jusque: jusqu'
        """,
      frequentWords: """
        de la le et l' à en les est des du un d' il une dans au par pour qui a sur que son se s' avec ce sont elle \
        aux sa qu' cette ou mais été ses comme y leur entre était c' ont lui nous dont être on depuis sous après \
        puis où ces vers fut contre avait ils selon jusqu' si vous sans je durant j' sera cet avoir leurs plusieurs \
        tout ai chez soit pendant quelques cela parmi autres quand furent elles devant dès celui ceux celle fait \
        étant avant certaines lequel seront certains étaient aurait
        """,
      files: ApertiumFiles(
        analysers: ["fra-cat/fra-cat"], bilingual: [("ca", "fra-cat/fra-cat")],
        generators: ["fra-cat/cat-fra"], package: "apertium-fra-cat")))
}
