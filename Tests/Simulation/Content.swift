// Files that commands are given: tables, texts and packages, of all sizes around buffer limits.

enum Content {
  static func of(_ ending: String, _ chance: inout Random) -> String {
    if chance.happens(onceIn: 12) { return String(repeating: "x", count: chance.pick([0, 1] + OddWords.sizes)) }
    let rows = (0..<chance.pick([0, 1, 2, 3, 5, 20])).map { _ in row(&chance) }
    var content: String
    switch ending {
    case "csv": content = rows.map { $0.map(quoted).joined(separator: ",") + "\n" }.joined()
    case "tsv": content = rows.map { $0.map(flat).joined(separator: "\t") + "\n" }.joined()
    case "txt":
      content = "#separator:tab\n#html:false\n" + rows.map { $0.map(flat).joined(separator: "\t") + "\n" }.joined()
    case "md": content = rows.map { "## \(flat($0[0]))\n\n\($0[1])\n\n" }.joined()
    case "json": content = "[" + rows.map(object).joined(separator: ",\n") + "]\n"
    case "jsonl": content = rows.map { object($0) + "\n" }.joined()
    case "type": content = type(&chance)
    // Media contents: some compress to almost nothing, some not at all.
    default:
      content = "content \(chance.number(1...3))"
      if chance.happens(onceIn: 3) { content = String(repeating: "m", count: chance.pick(OddWords.sizes)) }
      if chance.happens(onceIn: 6) { content = unpackable(chance.pick(OddWords.sizes.filter { $0 < 9000 }), &chance) }
    }
    if chance.happens(onceIn: 6) { content = padded(content, ending, &chance) }
    return content
  }

  /// A source file of a build, its description file, or a file for its cards. Some rows name the card they belong to.
  static func source(_ chance: inout Random) -> (name: String, content: String) {
    let name = chance.pick(["a", "b", "in/c", "in/deep/d"])
    switch chance.number(1...12) {
    case 1:
      let deck = chance.pick(OddWords.decks)
      let described = chance.pick([
        "{\"name\": \"\(deck)\"}",
        "{\"name\": \"\(deck)\", \"namespace\": \"x.org\", \"options\": {\"new_per_day\": 3}}", "{}", "[",
      ])
      return ("deck.json", described)
    case 2: return ("media/x.png", of("png", &chance))
    case 3...4:
      let cards = (0..<chance.number(0...4)).map { number in
        "card{prompt = \(LuaDraw.quoted(OddWords.text(&chance))), answer = \(LuaDraw.quoted(OddWords.text(&chance)))"
          + (chance.happens(onceIn: 2) ? ", id = \"l\(number)\"" : "") + "}\n"
      }
      return (name + ".lua", cards.joined() + (chance.happens(onceIn: 8) ? "error(\"no\")\n" : ""))
    case 5...7:
      let cards = (0..<chance.number(0...4)).map { number in
        "## \(flat(OddWords.text(&chance)))\n" + (chance.happens(onceIn: 2) ? "<!-- id: m\(number) -->\n" : "")
          + "\n\(OddWords.text(&chance))\n\n"
      }
      return (name + ".md", cards.joined())
    case 8:
      let rows = (0..<chance.number(0...4)).map { "c\($0)," + row(&chance).map(quoted).joined(separator: ",") + "\n" }
      return (name + ".csv", "guid,prompt,answer\n" + rows.joined())
    default:
      let ending = chance.pick(["md", "csv", "tsv", "jsonl", "json"])
      return ("\(name).\(ending)", of(ending, &chance))
    }
  }

  private static func unpackable(_ size: Int, _ chance: inout Random) -> String {
    var text = ""
    while text.utf8.count < size { text += String(chance.seed(), radix: 36) }
    return String(text.prefix(size))
  }

  private static func row(_ chance: inout Random) -> [String] { [OddWords.text(&chance), OddWords.text(&chance)] }

  private static func quoted(_ text: String) -> String {
    "\"" + text.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
  }

  private static func flat(_ text: String) -> String {
    String(text.map { "\t\n\r\r\n".contains($0) || $0.isNewline ? " " : $0 })
  }

  private static func object(_ row: [String]) -> String {
    "{\"prompt\":\(json(row[0])),\"answer\":\(json(row[1]))}"
  }

  private static func json(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  private static func type(_ chance: inout Random) -> String {
    let fields = (0..<chance.number(1...3)).map { _ in chance.pick(["Front", "Back", "Word", "Text", "é"]) }
    var text = "==== name: ====\n\(chance.pick(["W", "V", "Basic", "x y"]))\n==== fields: ====\n"
    text += fields.joined(separator: "\n") + "\n"
    for number in 1...chance.number(1...2) {
      text +=
        "==== front: Card \(number) ====\n{{\(chance.pick(fields))}}\n==== back: Card \(number) ====\n{{\(chance.pick(fields))}}\n"
    }
    return text + "==== css: ====\n"
  }

  /// Grows the content to a buffer-limit size by adding one row.
  private static func padded(_ content: String, _ ending: String, _ chance: inout Random) -> String {
    let size = chance.pick(OddWords.sizes)
    let row: (String) -> String
    switch ending {
    case "csv": row = { "\"p\",\"\($0)\"\n" }
    case "tsv", "txt": row = { "p\t\($0)\n" }
    case "md": row = { "## p\n\n\($0)\n\n" }
    case "json":
      let start = content == "[]\n" ? "[" : String(content.dropLast(2)) + ","
      let missing = size - start.utf8.count - "{\"prompt\":\"p\",\"answer\":\"\"}]\n".utf8.count
      return missing > 0
        ? start + "{\"prompt\":\"p\",\"answer\":\"\(String(repeating: "a", count: missing))\"}]\n" : content
    case "jsonl": row = { "{\"prompt\":\"p\",\"answer\":\"\($0)\"}\n" }
    default: return content
    }
    let missing = size - content.utf8.count - row("").utf8.count
    return missing > 0 ? content + row(String(repeating: "a", count: missing)) : content
  }
}
