// Catalan.

extension Language {
  static let catalan = Language(
    name: "catalan", title: "Catalan", code: "ca", longCodes: ["cat"],
    lists: WordListNames(package: "wcatalan", names: ["catalan"]), ownLetters: "ç",
    reading: ReadingRules(
      abbreviations: """
        sr sra srta drs dra vda d av avda c ctra dept tel apt pl dta esq gral ex aprox màx mín pàg pàgs pp ss s.a s.l \
        núm a.c d.c km kg gen febr abr juny jul ag set oct nov des p
        """, splitsElisions: true,
      functionWords: """
        el: la els les l' lo los
        un: una uns unes
        de: d' del dels
        a: al als
        per: pel pels
        aquest: aquesta aquests aquestes
        que
        i
        no
        ser: és són era eren fou foren
        """,
      files: ApertiumFiles(
        analysers: ["spa-cat/cat-spa", "cat-ita/cat-ita"],
        bilingual: [("es", "spa-cat/cat-spa"), ("it", "cat-ita/cat-ita")],
        generators: ["spa-cat/spa-cat"], package: "apertium-spa-cat")))
}
