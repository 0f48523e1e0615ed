// Dutch.

extension Language {
  static let dutch = Language(
    name: "dutch", title: "Dutch", code: "nl", longCodes: ["nld", "dut"],
    lists: WordListNames(package: "wdutch", names: ["dutch"]),
    letterValues: "1:enadrio 2:tsgk 3:lmbp 4:ufhjvz 5:cw 8:xy 10:q", meanings: "dict-freedict-nld-eng",
    reading: ReadingRules(
      articles: "de het een",
      frequentWords: """
        de het in van een en op dat met voor te zijn hij is was ik die bij maar aan na als uit om door naar ze over \
        heeft zich tegen dit werd tot geen haar had we hun onder wat hebben zou dan hem meer mijn af volgens worden \
        of je kan tijdens kunnen achter ben toen zij moet ons tussen wordt heb me iedereen werden onze iets elkaar \
        zoals want waren mee mij binnen veel beide moest alle tegenover kon wie zal moeten wij moesten toe zowel \
        hadden zichzelf nadat geweest niemand niets elk halverwege sinds neer deze
        """))
}
