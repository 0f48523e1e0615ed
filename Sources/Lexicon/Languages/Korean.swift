// Korean.

extension Language {
  static let korean = Language(name: "korean", title: "Korean", code: "ko", longCodes: ["kor"])
}
