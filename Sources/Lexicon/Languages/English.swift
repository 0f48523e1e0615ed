// English.

extension Language {
  private static let englishValues = "1:aeioulnstr 2:dg 3:bcmp 4:fhvwy 5:k 8:jx 10:qz"

  /// American, British and Canadian English in their sizes, each as a separate language besides `english`.
  static let englishLists: [Language] = ["american", "british", "canadian"].flatMap { nation in
    ["", "-small", "-large", "-huge", "-insane"].map { size in
      let title = nation.prefix(1).uppercased() + nation.dropFirst() + " English"
      return Language(
        name: "\(nation)-english\(size)", title: size.isEmpty ? title : "\(title) (\(size.dropFirst()))", code: "en",
        lists: WordListNames(package: "w\(nation)\(size)", names: ["\(nation)-english\(size)"]),
        letterValues: englishValues)
    }
  }

  static let english = Language(
    name: "english", title: "English", code: "en", longCodes: ["eng"],
    lists: WordListNames(
      package: "wamerican",
      names: [
        "american-english-huge", "american-english", "american-english-large", "american-english-insane",
        "american-english-small", "british-english-huge", "british-english", "british-english-large",
        "british-english-insane", "british-english-small",
      ]), letterValues: englishValues, meanings: "dict-wn", countries: ["US", "GB"],
    reading: ReadingRules(
      abbreviations: """
        mr mrs ms messrs mmes rev hon sen rep gov gen col lt capt cmdr sgt pvt maj adm pres sr ave blvd rd mt ft inc \
        ltd co corp bros dept univ assn approx est min max e.g i.e a.m p.m u.s u.k u.n d.c viz ibid p pp vols ch sec \
        para pop ont v jan feb mar apr jun jul aug sept sep oct nov dec mon tue wed thu fri sat
        """, splitsContractions: true,
      functionWords: """
        be: am is are was were been being 's 're 'm
        have: 've has had having
        not: n't
        will: 'll wo
        would: 'd
        can: ca cannot
        a: an
        this: these
        that: those
        do: does did done doing
        go: goes went gone going
        can: cant
        not: nt
        his
        her: hers
        our: ours
        my: mine
        your: yours
        their: theirs
        as
        us
        """,
      frequentWords: """
        the and to of a in i is that you it for on with this was are we not but be they or at my as from what will \
        if by all your me he can have an his our who which their been would has there were about like up some it's \
        no them her any i'm do out because don't than into am she its should over these those could may did us him \
        after that's had under during something off does another every before i've both being each against you're \
        anyone might didn't it’s through between upon mine myself yours yourself yourselves himself hers herself \
        itself ours ourselves theirs themselves whom whose nor so yet unless until while although though since \
        whether onto toward towards within without above across along among around behind below beneath beside \
        beyond despite down except inside near outside past per throughout underneath via having done must shall \
        ought yes anybody anything either everybody everyone everything few many much neither nobody none nothing \
        other others several somebody someone such here where when why how let ok okay oh hi hey hello please
        """, files: ApertiumFiles(bilingual: [("es", "eng-spa/eng-spa")], package: "wordnet-base")))
}
