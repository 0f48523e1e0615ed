// Chinese.

extension Language {
  static let chinese = Language(
    name: "chinese", title: "Chinese", code: "zh", longCodes: ["zho", "chi"],
    reading: ReadingRules(
      division: WordDivision(
        list: "/usr/lib/python3/dist-packages/jieba/dict.txt",
        remedy: "add a dictionary of Chinese with `word dictionaries add FILE --language chinese`, or install Debian's "
          + "python3-jieba, whose list of words is used then")))
}
