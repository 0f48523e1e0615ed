// Spanish.

extension Language {
  static let spanish = Language(
    name: "spanish", title: "Spanish", code: "es", longCodes: ["spa"],
    lists: WordListNames(package: "wspanish", names: ["spanish"], dictionaries: ["es_ES"]), ownLetters: "ñ",
    letterValues: "1:aeiosnlrutáéíóú 2:dg 3:cbmp 4:hfvy 5:q 8:jñxkw 10:z", meanings: "dict-freedict-spa-eng",
    reading: ReadingRules(
      abbreviations: """
        sr sra srta srs sres dra d dña ud uds vd vds av avda c ctra dpto depto tel tfno admón apdo pza plza izq dcha \
        gral gob lic ing arq cía ca a.c d.c ee.uu ej aprox máx mín págs pp ss sig sigs s.a s.l prol ob mons rvdo sto \
        sta ant hab hnos km kg min máx ed.d ene feb mar abr jun jul ago sept oct nov dic p.ej p a ee
        """, reflexives: ["arse": "ar", "erse": "er", "irse": "ir", "írse": "ír"],
      functionWords: """
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
      frequentWords: """
        de la el en y que a los del se un por con las una es su al para como fue lo o sus este entre esta sobre pero \
        ha durante sin desde eran le ser son hasta cuando era todo está puede cual si todos según fueron me ese \
        aunque uno otras había varios otros tanto han cada e algunos sido otro estaba quien esto él mi estos esa \
        bajo les hacia toda tras nos ante te porque cualquier ni sino siendo unos contra poco mientras están ella \
        varias pueden estas ambos pues mediante muchas sería ellos nada
        """,
      files: ApertiumFiles(
        analysers: ["eng-spa/spa-eng", "spa-cat/spa-cat"],
        bilingual: [("en", "eng-spa/spa-eng"), ("ca", "spa-cat/spa-cat")],
        generators: ["spa-cat/cat-spa", "eng-spa/eng-spa"], package: "apertium-eng-spa")))
}
