// Words and sentences: what joins, what separates, where a sentence ends.

import Testing

@testable import Language

@Suite struct TokenTests {
  private func sentences(_ text: String, _ code: String) -> [[String]] {
    var found: [[String]] = []
    var text = text
    text.withUTF8 { bytes in
      Tokenizer(tables: WordTables(code: code)).forEachSentence(in: bytes, watch: { _ in }) { _, words in
        found.append(
          words.map { word in
            String(decoding: UnsafeBufferPointer(rebasing: bytes[word.start..<word.end]), as: UTF8.self)
          })
      }
    }
    return found
  }

  @Test(arguments: [
    (
      "es", "El gato-perro costó 3.14 o 3,5 euros, 2, no.",
      ["El", "gato", "perro", "costó", "3.14", "o", "3,5", "euros", "2", "no"]
    ),
    ("it", "L'arte dell’amico, un po' strana.", ["L'", "arte", "dell’", "amico", "un", "po'", "strana"]),
    ("fr", "L'ami d’aujourd’hui voit quelqu'un.", ["L'", "ami", "d’", "aujourd’hui", "voit", "quelqu'un"]),
    ("fr", "Où va-t-il ? A-T-ELLE dit un t ?", ["Où", "va", "il", "A", "ELLE", "dit", "un", "t"]),
    ("en", "I don't know; it’s John's.", ["I", "do", "n't", "know", "it", "’s", "John", "'s"]),
    ("en", "'quoted' words, don\u{2BC}t", ["quoted", "words", "do", "n\u{2BC}t"]),
    ("es", "¿Qué?—dijo «él».", ["Qué", "dijo", "él"]),
    (
      "pt", "Quero comprá-los e dar-lhe-ei um guarda-chuva, DISSE-ME; bem-vindo a-o",
      ["Quero", "comprá-los", "e", "dar-lhe-ei", "um", "guarda", "chuva", "DISSE-ME", "bem", "vindo", "a", "o"]
    ), ("es", "comprá-los", ["comprá", "los"]),
    ("es", "", []), ("es", "... !!", []), ("hi", "क्\u{200D}या \u{200D}", ["क्\u{200D}या"]),
  ])
  func `words are found`(code: String, text: String, words: [String]) {
    #expect(sentences(text, code).flatMap { $0 } == words)
  }

  @Test(arguments: [
    ("es", "El Sr. Pérez vino. ¿Y tú? Bien.", 3), ("es", "Vive en EE.UU. con J. R. Gil. Hoy no.", 2),
    ("es", "Esperó... y se fue. ¡Ven! «Voy.» Dijo.", 4), ("it", "Il dott. Rossi è qui. Ecco.", 2),
    ("en", "Mr. Smith paid 3.50 to Dr. Who. He left.", 2), ("en", "no capital follows. so it goes on", 1),
    ("es", "Un párrafo\n\nOtro párrafo", 2), ("es", "Una línea\ny otra", 1),
    ("de", "Er mag z. B. Hunde. Am 3. Mai kam er usw. nach Hause.", 2), ("ru", "Жил на ул. Ленина. И т. д. Вот.", 3),
    ("el", "Ποιος είσαι; Ο Κανένας.", 2), ("es", "Vino; El gato no.", 1), ("ja", "猫である。名前は無い。「行く。」と言った。「うん！」「そう。」", 5),
    ("es", "—¿Vienes? —preguntó Ana—. No. Fui al mar. Espera… —dijo.", 4), ("es", "Vive en la calle Mayor, No. 5.", 1),
    ("en", "I said no. He sat. Then he read Fig. 3 and left.", 3), ("es", "¿Sí? —Ana rio.", 2),
    ("ar", "هل قرأت؟ نعم. قال... لا", 3), ("hi", "वह गया। क्या बात है॥ हाँ", 3),
    ("en", String(repeating: "word ", count: 2500), 3),
  ])
  func `sentences end in the right places`(code: String, text: String, count: Int) {
    #expect(sentences(text, code).count == count)
  }

  @Test(arguments: [
    ("fr", "« Il est parti. » Elle reste.", ["« Il est parti. »", "Elle reste."]),
    ("fr", "« Vraiment\u{202F}?\u{A0}» Il rit.", ["« Vraiment\u{202F}?\u{A0}»", "Il rit."]),
    ("fr", "Il vient. « Bien. » « Non. »", ["Il vient.", "« Bien. »", "« Non. »"]),
    ("de", "Er ging. »Komm!« Sie kam.", ["Er ging.", "»Komm!«", "Sie kam."]),
  ])
  func `a mark that closes a quotation belongs to the sentence before it`(
    code: String, text: String, sentences: [String]
  ) {
    var (text, found) = (text, [String]())
    text.withUTF8 { bytes in
      Tokenizer(tables: WordTables(code: code)).forEachSentence(in: bytes, watch: { _ in }) { range, _ in
        found.append(String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self))
      }
    }
    #expect(found == sentences)
  }

  @Test(arguments: [
    ("ȺȺȺ's", ["ȺȺȺ", "'s"]), ("İİİ’s", ["İİİ", "’s"]), ("ẞẞN'T go", ["ẞẞ", "N'T", "go"]),
  ])
  func `words are split correctly when lower-casing changes a letter's length`(text: String, words: [String]) {
    #expect(sentences(text, "en").flatMap { $0 } == words)
  }

  @Test func `bytes truncated anywhere never cause reads out of bounds`() {
    let bytes = Array("L’été «où»… Ça va? Oui – 漢字 😀.".utf8)
    for start in bytes.indices {
      for end in start...bytes.count {
        bytes[start..<end].withUnsafeBufferPointer { piece in
          Tokenizer(tables: WordTables(code: "it")).forEachSentence(in: piece, watch: { _ in }) { range, words in
            #expect(range.upperBound <= piece.count && !words.isEmpty)
          }
        }
      }
    }
  }
}
