// The language of small texts by their words and letters.

import Lexicon
import Testing

@testable import Language

@Suite struct LanguageGuessTests {
  static let texts = [
    "en": "It's a long way from here to the sea, and we have not been there since the winter that was so cold.",
    "es": "El perro que vive en la casa de al lado no es de nadie, pero todos le dan algo de comer por la noche.",
    "it": "L'uomo che abita nella casa di fronte non ha un cane, ma la sera esce con quello della sua vicina.",
    "fr": "L'homme qui habite dans la maison d'en face n'a pas de chien, mais il sort avec celui de sa voisine.",
    "de": "Der Mann, der in dem Haus auf der anderen Seite wohnt, hat keinen Hund und geht am Abend nicht mehr aus.",
    "nl": "De man die in het huis aan de andere kant woont, heeft geen hond en gaat 's avonds niet meer met haar uit.",
    "ru": "Человек, который живёт в доме напротив, не держит собаку, но по вечерам он выходит из дома с ней на улицу.",
    "ja": "向かいの家に住んでいる人は犬を飼っていませんが、夜になると隣の人の犬と散歩に出かけます。",
    "zh": "住在对面房子里的人没有养狗，但是晚上他会带着邻居的狗出去散步，一直走到河边，然后慢慢地走回家里来。",
    "ko": "맞은편 집에 사는 사람은 개를 키우지 않지만 저녁이면 이웃집 개와 함께 산책을 나갔다가 돌아온다.",
  ]

  @Test(arguments: texts.keys.sorted()) func `a text of twenty words is in the language that its words show`(
    code: String
  ) throws {
    let guess = LanguageGuess([try #require(Self.texts[code])])
    #expect(guess.code == code)
    let spanish = try #require(Language.named("spanish"))
    #expect(guess.code(insteadOf: spanish) == (code == "es" ? nil : code))
  }

  @Test func `a sentence shows its script with ten letters, a few characters of Han alone show nothing`() throws {
    let english = try #require(Language.named("english"))
    #expect(LanguageGuess(["猫が魚を全部食べました。"]).code(insteadOf: english) == "ja")
    #expect(LanguageGuess(["고양이가 생선을 먹었습니다."]).code(insteadOf: english) == "ko")
    #expect(LanguageGuess(["東京都立大学附属高等学校"]).code(insteadOf: english) == nil)
    #expect(LanguageGuess(["猫 is cat"]).code(insteadOf: english) == nil)
  }

  @Test func `nothing is guessed of few words, of names, or against a language without a list`() throws {
    #expect(LanguageGuess(["the cat and the dog"]).code == nil)
    let names = Array(repeating: "Ana Pedro Lucía Zoe", count: 6)
    #expect(LanguageGuess(names).code == nil)
    let (catalan, spanish) = (try #require(Language.named("catalan")), try #require(Language.named("spanish")))
    #expect(LanguageGuess([Self.texts["es"] ?? ""]).code(insteadOf: catalan) == nil)
    #expect(LanguageGuess(names).code(insteadOf: spanish) == nil)
  }
}
