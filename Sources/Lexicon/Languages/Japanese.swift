// Japanese.

extension Language {
  static let japanese = Language(
    name: "japanese", title: "Japanese", code: "ja", longCodes: ["jpn"],
    reading: ReadingRules(
      division: WordDivision(
        script: String(decoding: PackageResources.mecab_conllu, as: UTF8.self), program: "mecab",
        data: "/var/lib/mecab/dic/ipadic-utf8",
        remedy:
          "install Debian's mecab and mecab-ipadic-utf8, or set words.analyser.ja to a program that writes CoNLL-U"
      )))
}
