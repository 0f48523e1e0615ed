// Small built-in tables for languages: function words, contractions, abbreviations, the locations of their data.
// Invariant: all keys are in lower case; a language without a table uses the rules alone.

/// The built-in tables of a language.
struct WordTables {
  /// Lemmas of function words, by form.
  private(set) var functionWords: [String: String] = [:]
  /// Words with a final full stop that does not end a sentence, stored without it.
  let abbreviations: Set<String>
  /// Whether a full stop after a number makes it an ordinal: `am 3. Mai`.
  let pointsOrdinals: Bool
  /// Whether a semicolon is the question mark.
  let asksWithSemicolon: Bool
  /// Whether an apostrophe separates two words: `l'arte`.
  let splitsElisions: Bool
  /// Whether a t between hyphens only links a verb to its subject: `demanda-t-il`.
  let linksWithT: Bool
  /// Pronouns that follow a verb with a hyphen, whose form is a word only with them: `comprá-los`.
  let enclitics: Set<String>
  /// Endings of a verb after such a pronoun: `comprá-los-ei`.
  let endingsAfterEnclitics: Set<String>
  /// Beginnings of words whose apostrophe separates nothing: `aujourd'hui`.
  let undivided: Set<String>
  /// Words that end in an apostrophe: `po'`.
  let apocopes: Set<String>
  /// Articles, by their lemma or, where the table of function words lacks them, by all their forms.
  let articles: Set<String>
  /// Whether `n't` and `'s` are separate words.
  let splitsContractions: Bool

  /// - Parameter code: an ISO 639 code of two letters.
  init(code: String) {
    for line in Self.functions[code, default: ""].split(separator: "\n") {
      let words = line.split { $0 == " " || $0 == ":" }.map(String.init)
      guard let lemma = words.first else { continue }
      for form in words { functionWords[form] = lemma }
    }
    func words(_ lists: String...) -> Set<String> { Set(lists.flatMap { $0.split(separator: " ").map(String.init) }) }
    abbreviations = words(Self.titles, Self.shortened[code, default: ""])
    articles = words(Self.articleLemmas, Self.articleForms[code, default: ""])
    pointsOrdinals = code == "de"
    asksWithSemicolon = code == "el"
    splitsElisions = ["it", "ca", "fr"].contains(code)
    linksWithT = code == "fr"
    enclitics = code == "pt" ? words(Self.portugueseEnclitics) : []
    endingsAfterEnclitics = code == "pt" ? words("ei ás á emos eis ão ia ias íamos íeis iam") : []
    undivided = code == "fr" ? ["aujourd", "quelqu", "presqu", "prud", "entr"] : []
    splitsContractions = code == "en"
    apocopes = code == "it" ? ["po'", "mo'", "be'", "di'", "fa'", "va'", "sta'", "da'", "to'", "ca'"] : []
  }

  private static let portugueseEnclitics = """
    me te se nos vos o a os as lo la los las no na nas lhe lhes mo ma mos mas to ta tos tas lho lha lhos lhas
    """

  private static let articleLemmas = "el uno il un un' l' le the a to o um"

  private static let articleForms = [
    "de": "der die das ein eine", "nl": "de het een", "el": "ο η το οι τα ένας μία ένα", "da": "en et",
    "nb": "en ei et", "nn": "ein ei eit", "sv": "en ett",
  ]

  /// Abbreviations that are words as well, and more often: they count only before a number, as in `No. 5`.
  static let abbreviatedWords: Set<String> = ["no", "art", "cap", "fig", "mar", "sat", "wed"]

  private static let titles = "dr prof vol cap fig art pág pag núm num ed etc vs op cit cf no nr n ph.d jr st"

  private static let shortened = [
    "es": """
    sr sra srta srs sres dra d dña ud uds vd vds av avda c ctra dpto depto tel tfno admón apdo pza plza izq dcha gral \
    gob lic ing arq cía ca a.c d.c ee.uu ej aprox máx mín págs pp ss sig sigs s.a s.l prol ob mons rvdo sto sta ant \
    hab hnos km kg min máx ed.d ene feb mar abr jun jul ago sept oct nov dic p.ej p a ee
    """,
    "it": """
    sig sigg sig.ra sig.na dott dott.ssa avv ing arch geom rag on sen gen col cap.no ten mons rev don egr gent spett \
    ill ss p.es es ecc pagg pp ca tel fax sec tab all att lett nn artt comma co par v vs a.c d.c d.l d.lgs d.p.r l s.p.a \
    s.r.l gv min max km kg nov dic gen feb mar apr giu lug ago sett ott u.s p.zza v.le c.so
    """,
    "en": """
    mr mrs ms messrs mmes rev hon sen rep gov gen col lt capt cmdr sgt pvt maj adm pres sr ave blvd rd mt ft inc ltd \
    co corp bros dept univ assn approx est min max e.g i.e a.m p.m u.s u.k u.n d.c viz ibid p pp vols ch sec para pop ont v \
    jan feb mar apr jun jul aug sept sep oct nov dec mon tue wed thu fri sat
    """,
    "ca": """
    sr sra srta drs dra vda d av avda c ctra dept tel apt pl dta esq gral ex aprox màx mín pàg pàgs pp ss s.a s.l \
    núm a.c d.c km kg gen febr abr juny jul ag set oct nov des p
    """,
    "pt": """
    sr sra srta srs d drª exmo exma av al tel apto depto eng arq ltda cia s.a a.c d.c págs pp ex aprox máx mín gov \
    dep sen gen cel ten km kg jan fev mar abr jun jul ago set out nov dez p
    """,
    "fr": """
    m mm mme mmes mlle mlles me mgr st ste av bd bld tél env éd p pp chap réf c.-à-d ex apr j.-c janv févr avr juil \
    sept oct nov déc km kg
    """,
    "de": """
    hr fr frl z b d h u a bzw evtl ggf inkl exkl sog str tel abb abs bd jh jhd mio mrd geb gest jan feb apr aug sept \
    okt nov dez
    """,
    "el": "κ κα κος δηλ βλ π.χ μ.χ κ.λπ κ.ά αρ σελ τηλ",
    "ru": "г гг в вв т е см стр ул тыс млн млрд акад св",
    "tr": "bkz sn doç yrd çev yy",
  ]

  private static let functions = [
    "es": """
    el: la los las lo
    uno: un una unos unas
    él: le les se lo ella ellos ellas sí consigo
    yo: me mí conmigo
    tú: te ti contigo
    nosotros: nos nosotras
    vosotros: os vosotras
    este: esta estos estas esto éste ésta éstos éstas
    ese: esa esos esas eso ése ésa ésos ésas
    aquel: aquella aquellos aquellas aquello
    mi: mis
    tu: tus
    su: sus
    de: del
    a: al
    y: e
    o: u
    todo: toda todos todas
    otro: otra otros otras
    mucho: mucha muchos muchas
    poco: poca pocos pocas
    cual: cuales
    quien: quienes
    como
    más
    muy
    no
    que
    para
    por
    si
    sobre
    entre
    bajo
    haber: hay hubo había habrá
    primero: primer primera primeros primeras
    tercero: tercer tercera terceros terceras
    ser: es son era eran fue fueron sido sea sean será serán sería fuera fui
    doscientos: doscientas
    trescientos: trescientas
    cuatrocientos: cuatrocientas
    quinientos: quinientas
    seiscientos: seiscientas
    setecientos: setecientas
    ochocientos: ochocientas
    novecientos: novecientas
    """,
    "it": """
    il: lo la i gli le l' l
    uno: un una un' un
    di: del dello della dell' dei degli delle d'
    a: al allo alla all' ai agli alle ad
    da: dal dallo dalla dall' dai dagli dalle
    in: nel nello nella nell' nei negli nelle
    su: sul sullo sulla sull' sui sugli sulle
    con: col coi
    questo: questa questi queste quest'
    quello: quella quelli quelle quei quegli quell' quel
    mio: mia miei mie
    tuo: tua tuoi tue
    suo: sua suoi sue
    nostro: nostra nostri nostre
    vostro: vostra vostri vostre
    tutto: tutta tutti tutte tutt'
    altro: altra altri altre altr'
    e: ed
    o: od
    che: ch'
    ci: c'
    come: com'
    si: s'
    ne: n'
    non
    se
    più
    per
    anche
    essere: è sono era erano fu furono sia siano sarà saranno sarebbe
    """,
    "en": """
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
    "fr": """
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
    "ca": """
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
    "pt": """
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
  ]
}

/// Where Debian keeps the data of a language, below a shared folder.
struct LanguageFiles {
  let analysers: [String]
  /// Bilingual dictionaries, by the code of their target language.
  let bilingual: [(meanings: String, path: String)]
  /// The Debian package that has the first of them.
  let package: String

  static func named(_ code: String) -> LanguageFiles? { known[code] }

  private static func pair(_ pair: String, _ direction: String, _ kind: String) -> String {
    "apertium/apertium-\(pair)/\(direction).\(kind).bin"
  }

  static let known: [String: LanguageFiles] = [
    "es": LanguageFiles(
      analysers: [pair("eng-spa", "spa-eng", "automorf"), pair("spa-cat", "spa-cat", "automorf")],
      bilingual: [
        ("en", pair("eng-spa", "spa-eng", "autobil")), ("ca", pair("spa-cat", "spa-cat", "autobil")),
      ], package: "apertium-eng-spa"),
    "it": LanguageFiles(
      analysers: [pair("cat-ita", "ita-cat", "automorf"), pair("srd-ita", "ita-srd", "automorf")],
      bilingual: [("ca", pair("cat-ita", "ita-cat", "autobil"))], package: "apertium-cat-ita"),
    "ca": LanguageFiles(
      analysers: [pair("spa-cat", "cat-spa", "automorf"), pair("cat-ita", "cat-ita", "automorf")],
      bilingual: [
        ("es", pair("spa-cat", "cat-spa", "autobil")), ("it", pair("cat-ita", "cat-ita", "autobil")),
      ], package: "apertium-spa-cat"),
    "pt": LanguageFiles(
      analysers: [pair("por-cat", "por-cat", "automorf")],
      bilingual: [("ca", pair("por-cat", "por-cat", "autobil"))], package: "apertium-por-cat"),
    "fr": LanguageFiles(
      analysers: [pair("fra-cat", "fra-cat", "automorf")],
      bilingual: [("ca", pair("fra-cat", "fra-cat", "autobil"))], package: "apertium-fra-cat"),
    // Read by WordNet, which keeps the spelling as it is.
    "en": LanguageFiles(
      analysers: [], bilingual: [("es", pair("eng-spa", "eng-spa", "autobil"))], package: "wordnet-base"),
  ]
}
