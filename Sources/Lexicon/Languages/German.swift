// German.

extension Language {
  private static let germanValues = "1:ensirtuad 2:hglo 3:mbwz 4:cfkp 6:äjüv 8:öx 10:qy"

  static let germanLists = [
    variant("ogerman", "German, old spelling", "wogerman"), variant("swiss", "Swiss German", "wswiss"),
  ]

  private static func variant(_ name: String, _ title: String, _ package: String) -> Language {
    Language(
      name: name, title: title, code: "de", lists: WordListNames(package: package, names: [name]), letterCase: .nouns,
      ownLetters: "äöü", letterValues: germanValues)
  }

  static let german = Language(
    name: "german", title: "German", code: "de", longCodes: ["deu", "ger"],
    lists: WordListNames(package: "wngerman", names: ["ngerman", "ogerman", "swiss"]), letterCase: .nouns,
    ownLetters: "äöü", letterValues: germanValues, meanings: "dict-freedict-deu-eng",
    reading: ReadingRules(
      abbreviations: """
        hr fr frl z b d h u a bzw evtl ggf inkl exkl sog str tel abb abs bd jh jhd mio mrd geb gest jan feb apr aug \
        sept okt nov dez
        """, articles: "der die das ein eine", pointsOrdinals: true, functionWords: "haben: hast habt hattest hattet",
      frequentWords: """
        die und der in das ich den mit ist nicht zu es für wir auf von sich ein eine im war bei man dem nach sind \
        des am an einer kann hat aus werden aber als haben sie er habe uns zum vor wurde über um daß mich einen mir \
        einem seit dass waren meine wenn wird was hatte wie keine durch bin alles ohne diese bis wurden unsere unter \
        gegen viel zur vom oder können alle mein anderen ihr seine allem dieses sondern nichts sein muß eines dieser \
        ihre ob ihren ab meiner sollte andere seiner wer weil einige
        """,
      particles: """
        ab an auf aus bei dafür dagegen daher dahin dar darauf davon davor durch ein einher empor entgegen entlang \
        entzwei fehl fern fest fort frei gegenüber gerade heim her herab heran herauf heraus herbei herein herüber \
        herum herunter hervor hin hinab hinauf hinaus hinein hinter hinüber hinunter hinweg hinzu hoch inne kaputt \
        kennen los mit nach nahe nieder offen preis ran raus rein rüber rum runter sicher statt stand teil tot über \
        überein um umher unter voll vor voran voraus vorbei vorüber vorweg wahr weg weiter wett zu zurecht zurück \
        zusammen zuvor zuwider bereit auseinander aufrecht bevor fertig
        """,
      strongForms: """
        brechen:brach,bricht,brich kommen:kam gehen:ging nehmen:nahm,nimmt,nimm geben:gab,gibt,gib stehen:stand \
        finden:fand halten:hielt,hält lassen:ließ,lässt,läßt rufen:rief treten:trat,tritt ziehen:zog \
        sehen:sah,sieht,sieh liegen:lag schließen:schloss,schloß schlagen:schlug,schlägt werfen:warf,wirft,wirf \
        tragen:trug,trägt fallen:fiel,fällt fahren:fuhr,fährt laufen:lief,läuft bieten:bot steigen:stieg \
        schreiben:schrieb sprechen:sprach,spricht,sprich weisen:wies greifen:griff bringen:brachte denken:dachte \
        hängen:hing fangen:fing,fängt laden:lud,lädt biegen:bog fliegen:flog schneiden:schnitt schieben:schob \
        springen:sprang wachsen:wuchs,wächst tun:tat sterben:starb,stirbt essen:aß,isst,iss sitzen:saß scheinen:schien \
        wenden:wandte rennen:rannte nennen:nannte kennen:kannte bleiben:blieb reiten:ritt reißen:riss,riß heben:hob \
        zwingen:zwang gewinnen:gewann binden:band sinken:sank dringen:drang gelingen:gelang treffen:traf,trifft,triff \
        helfen:half,hilf,hilft gelten:galt,gilt vergessen:vergaß,vergiss lesen:las,liest,lies messen:maß bitten:bat \
        schlafen:schlief heißen:hieß stoßen:stieß,stößt waschen:wusch graben:grub schwimmen:schwamm schweigen:schwieg \
        weichen:wich gleichen:glich streichen:strich verlieren:verlor fließen:floss wiegen:wog schmelzen:schmolz \
        beginnen:begann
        """,
      withoutParticle: """
        du dein seinen meinen bist seid warst wäre gewesen sei seien wären wärst unten oben hinten vorn innen außen
        """,
      conjunctions: "und oder sowie aber doch sondern denn"))
}
