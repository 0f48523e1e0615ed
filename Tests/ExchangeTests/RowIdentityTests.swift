// Which card the row of a source belongs to after an edit: small edits of a real word list keep their cards, other
// words do not.

import TestSupport

@testable import Exchange

@Suite struct RowIdentityTests {
  /// The most frequent words of a beginners' course, including some that differ by a letter.
  private static let list = """
    el gato|the cat;el perro|the dog;el sol|the sun;la luna|the moon;la casa|the house;el árbol|the tree;el agua|the water;\
    el fuego|the fire;la tierra|the earth;el viento|the wind;la lluvia|the rain;la nieve|the snow;el río|the river;el mar|the sea;\
    la montaña|the mountain;la calle|the street;el camino|the path;la ciudad|the city;el pueblo|the village;la puerta|the door;\
    la ventana|the window;la mesa|the table;la silla|the chair;la cama|the bed;el libro|the book;la carta|the letter;el papel|the paper;\
    la pluma|the pen;el lápiz|the pencil;la escuela|the school;el maestro|the teacher;la palabra|the word;la pregunta|the question;\
    la respuesta|the answer;el hombre|the man;la mujer|the woman;el niño|the boy;la niña|the girl;el padre|the father;\
    la madre|the mother;el hermano|the brother;la hermana|the sister;el abuelo|the grandfather;la abuela|the grandmother;\
    el tío|the uncle;la tía|the aunt;el primo|the cousin;el suegro|the father-in-law;la suegra|the mother-in-law;el amigo|the friend;\
    la cabeza|the head;el pelo|the hair;el ojo|the eye;la oreja|the ear;la nariz|the nose;la boca|the mouth;el diente|the tooth;\
    la mano|the hand;el brazo|the arm;el hombro|the shoulder;la pierna|the leg;el pie|the foot;el corazón|the heart;la sangre|the blood;\
    el pan|the bread;la leche|the milk;el queso|the cheese;el huevo|the egg;la carne|the meat;el pescado|the fish;la manzana|the apple;\
    la naranja|the orange;la uva|the grape;el vino|the wine;la sal|the salt;el azúcar|the sugar;ser|to be;estar|to be somewhere;\
    tener|to have;hacer|to do;ir|to go;venir|to come;ver|to see;oír|to hear;decir|to say;hablar|to speak;leer|to read;\
    escribir|to write;comer|to eat;beber|to drink;dormir|to sleep;vivir|to live;morir|to die;nacer|to be born;correr|to run;\
    caminar|to walk;abrir|to open;cerrar|to close;comprar|to buy;vender|to sell;pagar|to pay;pensar|to think;saber|to know;\
    querer|to want;poder|to be able;grande|big;pequeño|small;bueno|good;malo|bad;nuevo|new;viejo|old;blanco|white;negro|black;\
    rojo|red;verde|green;azul|blue;amarillo|yellow;caliente|hot;frío|cold;largo|long;corto|short;rápido|fast;lento|slow;\
    uno|one;dos|two;tres|three;cuatro|four;cinco|five;seis|six;siete|seven;ocho|eight;nueve|nine;diez|ten;sesenta|sixty;\
    setenta|seventy;lunes|Monday;martes|Tuesday;miércoles|Wednesday;jueves|Thursday;viernes|Friday;sábado|Saturday;hoy|today;mañana|tomorrow;ayer|yesterday
    """.split(separator: ";").map { $0.split(separator: "|").map(String.init) }

  private func row(_ texts: [String], id: String = "") -> BuiltRow {
    BuiltRow(
      name: id.isEmpty ? "" : "=" + id, whole: BuildIDs.hash(texts), front: BuildIDs.hash([texts[0]]), note: nil,
      base: BuiltContent(texts), line: 1)
  }

  /// Small corrections that people make to a row.
  private static let edits: [(name: String, edit: @Sendable (String, inout TestGenerator) -> String)] = [
    ("a letter doubled", { text, _ in text + text.suffix(1) }),
    ("a letter left out", { text, _ in String(text.dropLast()) }),
    (
      "two letters swapped",
      { text, numbers in
        var letters = Array(text)
        let place = Int.random(in: 0..<letters.count - 1, using: &numbers)
        letters.swapAt(place, place + 1)
        return String(letters)
      }
    ),
    ("capitals", { text, _ in text.uppercased() }),
    ("no accents", { text, _ in text.folding }),
    ("a full stop", { text, _ in text + "." }),
    ("a remark", { text, _ in text + " (!) common" }),
    ("no article", { text, _ in String(text.split(separator: " ").last ?? "") }),
    ("formatting", { text, _ in "<b>\(text)</b>" }),
  ]

  @Test func `a thousand small edits of a real list keep their cards`() throws {
    var numbers = TestGenerator(29)
    let old = Self.list.map { row($0) }
    for _ in 0..<1000 {
      let place = Int.random(in: 0..<old.count, using: &numbers)
      let side = Int.random(in: 0...1, using: &numbers)
      let (name, edit) = Self.edits[Int.random(in: 0..<Self.edits.count, using: &numbers)]
      var texts = Self.list[place]
      texts[side] = edit(texts[side], &numbers)
      var new = old
      new[place] = row(texts)
      #expect(try RowIdentity.match(new, old) == Array(old.indices), "\(name): \(Self.list[place]) -> \(texts)")
    }
  }

  @Test func `a thousand rows replaced by other words are other cards`() throws {
    var numbers = TestGenerator(92)
    let old = Self.list.map { row($0) }
    for _ in 0..<1000 {
      let place = Int.random(in: 0..<old.count, using: &numbers)
      let other = Int.random(in: 0..<old.count, using: &numbers)
      if place == other { continue }
      // The other word is not in the list yet.
      let known = old.indices.filter { $0 != other }
      var new = known.map { old[$0] }
      let there = known.firstIndex(of: place) ?? 0
      new[there] = old[other]
      let matches = try RowIdentity.match(new, known.map { old[$0] })
      #expect(matches[there] == nil, "\(Self.list[place]) -> \(Self.list[other])")
      #expect(matches.enumerated().allSatisfy { $0 == there || $1 == $0 })
    }
  }

  @Test(
    arguments: [
      (["el gato", "the cat"], ["el gatito", "the cat"], true),
      (["el gato", "the cat"], ["el felino", "the cat"], false),
      (["el gato", "the cat"], ["el gato (m.)", "cat"], true),
      (["el gato", "the cat"], ["el pato", "the duck"], false),
      (["abuelo", "grandfather"], ["abuela", "grandmother"], false), (["sol", "sun"], ["sól", "Sun!"], true),
      (["ir", ""], ["ir a", "to go"], true), (["cat", "gato"], ["car", "coche"], false),
      (["el perro", "the dog"], ["el can", "the dog"], false),
      (["Banda Sea", "mar"], ["Sea (of) Banda", "mar"], true),
    ])
  func `the guide's rules on edits are true`(_ old: [String], _ new: [String], _ isSame: Bool) throws {
    #expect(try RowIdentity.match([row(new)], [row(old)]) == [isSame ? 0 : nil], "\(old) -> \(new)")
  }

  @Test func `a row keeps its card when it gets an id, and another id is another card`() throws {
    let texts = ["el gato", "the cat"]
    #expect(try RowIdentity.match([row(texts, id: "cat")], [row(texts)]) == [0])
    #expect(try RowIdentity.match([row(["un gato", "the cat"], id: "cat")], [row(texts)]) == [0])
    #expect(try RowIdentity.match([row(texts, id: "cat")], [row(texts, id: "dog")]) == [nil])
    #expect(try RowIdentity.match([row(["x", "y"], id: "cat")], [row(texts, id: "cat")]) == [0])
  }

  @Test func `inserted, removed and moved rows leave the others unchanged`() throws {
    let old = Self.list.prefix(50).map { row($0) }
    var new = old
    new.remove(at: 10)
    new.insert(row(["la zanahoria", "the carrot"]), at: 30)
    new.swapAt(0, 40)
    let matches = try RowIdentity.match(new, old)
    for (row, match) in zip(new, matches) {
      #expect(match.map { old[$0].whole } == old.first { $0.whole == row.whole }?.whole)
    }
  }

  @Test func `of many rows with the same front, each gets an id without trying those of the others`() {
    var row = CardRow()
    row.prompt = Array("What is this?".utf8)
    var (ids, found, tried) = (NewIDs(), Set<String>(), 0)
    for _ in 1...100 {
      found.insert(
        ids.next(for: row, BuiltRow(row).front) { _ in
          tried += 1
          return false
        })
    }
    #expect(found.count == 100 && tried == 100)
    #expect(found.contains(BuildIDs.id(ofFront: "What is this?", repeated: 99)))
  }
}

extension String {
  fileprivate var folding: String {
    let marks: [Character: Character] = ["á": "a", "é": "e", "í": "i", "ó": "o", "ú": "u", "ñ": "n"]
    return String(map { marks[$0] ?? $0 })
  }
}
