// Italian.

extension Language {
  static let italian = Language(
    name: "italian", title: "Italian", code: "it", longCodes: ["ita"],
    lists: WordListNames(package: "witalian", names: ["italian"]),
    letterValues: "1:oaie 2:crst 3:lmnu 5:bdfpv 8:ghz 10:qjkwxy", meanings: "dict-freedict-ita-eng",
    reading: ReadingRules(
      abbreviations: """
        sig sigg sig.ra sig.na dott dott.ssa avv ing arch geom rag on sen gen col cap.no ten mons rev don egr gent \
        spett ill ss p.es es ecc pagg pp ca tel fax sec tab all att lett nn artt comma co par v vs a.c d.c d.l d.lgs \
        d.p.r l s.p.a s.r.l gv min max km kg nov dic gen feb mar apr giu lug ago sett ott u.s p.zza v.le c.so
        """, splitsElisions: true, apocopes: "po' mo' be' di' fa' va' sta' da' to' ca'",
      reflexives: ["arsi": "are", "ersi": "ere", "irsi": "ire"],
      functionWords: """
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
      frequentWords: """
        di e il la che in del a per l' è i della un si le una da con dei dell' sono ha delle al nel gli o dal alla \
        all' come chi ma se quale lo ad quando su può dalla degli sua questo un' hanno era ai sia nella loro sul dai \
        tutti questa dall' cui sulla alle ci quanto tutto tra suo ed fu nell' erano stati stato mi essere dopo nelle \
        queste senza uno contro c' dalle suoi questi tutte stata fra ogni vi aveva noi verso allo d' quello possono \
        nello negli mentre molti agli
        """,
      files: ApertiumFiles(
        analysers: ["cat-ita/ita-cat", "srd-ita/ita-srd"], bilingual: [("ca", "cat-ita/ita-cat")],
        generators: ["cat-ita/cat-ita"], package: "apertium-cat-ita")))
}
