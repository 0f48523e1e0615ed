// Dutch.

extension Language {
  static let dutch = Language(
    name: "dutch", title: "Dutch", code: "nl", longCodes: ["nld", "dut"],
    lists: WordListNames(package: "wdutch", names: ["dutch"]),
    letterValues: "1:enadrio 2:tsgk 3:lmbp 4:ufhjvz 5:cw 8:xy 10:q", meanings: "dict-freedict-nld-eng",
    reading: ReadingRules(articles: "de het een"))
}
