// The calls of two widespread clients, in their order and form, and malformed requests.

import Decks
import Templates
import TestWorkspace
import Values
import Wire

@testable import AnkiConnect

@Suite struct ClientTests {
  @Test func `a text for an unknown field, and a name that had to be changed, are warnings beside the result`() throws {
    let audio = #","audio":{"filename":"a/b:c.mp3","data":"eA==","fields":["Back"]}"#
    let note = #"{"deckName":"Spanish","modelName":"Basic","fields":{"Front":"f","Nope":"lost"}\#(audio)}"#
    let client = try Client(version: 6)
    try client.call("createDeck", #"{"deck":"Spanish"}"#)
    let answer = try client.answer("addNote", #"{"note":\#(note)}"#)
    #expect(
      answer.record?["warnings"]?.list?.compactMap(\.text) == [
        "the note type \"Basic\" has no field \"Nope\"; its text was not stored",
        "\"a/b:c.mp3\" was stored as \"abc.mp3\"",
      ], "\(answer)")
    let id = try #require(answer.record?["result"]?.integer)
    #expect(try client.call("notesInfo", #"{"notes":[\#(id)]}"#).json(.compact).contains("[sound:abc.mp3]"))
  }

  /// Yomitan uses version 2, escapes only quotes in its queries, and sends from a browser extension.
  @Test func `Yomitan sets itself up, looks for duplicates, adds a word with its sound and shows it`() throws {
    let client = try Client(version: 2)
    _ = try client.host.workspace.decks.create("Mining")
    #expect(try client.call("version").integer == 6)
    #expect(try client.call("deckNames").texts == ["Default", "Mining"])
    #expect(try client.call("modelNames").texts.contains("Basic"))
    #expect(try client.call("modelFieldNames", #"{"modelName":"Basic"}"#).texts == ["Front", "Back"])
    func note(_ front: String, _ options: String) -> String {
      #"{"fields":{"Front":"\#(front)","Back":"<ol><li>to eat</li></ol>"},"tags":["yomitan"],"deckName":"Mining","modelName":"Basic","options":\#(options)}"#
    }
    let options =
      #"{"allowDuplicate":false,"duplicateScope":"collection","duplicateScopeOptions":{"deckName":null,"checkChildren":false,"checkAllModels":false}}"#
    let notes = #"{"notes":[\#(note("食べる", options)),\#(note("", options))]}"#
    #expect(try client.call("canAddNotes", notes) == .list([.boolean(true), .boolean(false)]))
    let judged = try client.call("canAddNotesWithErrorDetail", notes).list
    #expect(judged?[1].record?["error"]?.text == "cannot create note because it is empty")
    #expect(try client.call("storeMediaFile", #"{"filename":"yomitan_audio_食べる.mp3","data":"SUQz"}"#).text != nil)
    let added = try #require(try client.call("addNote", #"{"note":\#(note("食べる", options))}"#).integer)
    // The same from a page in another deck.
    #expect(
      try client.answer("addNote", #"{"note":\#(note("食べる", options))}"#).record?["error"]?.text
        == "cannot create note because it is a duplicate")
    let multi = #"{"actions":[{"action":"findNotes","params":{"query":"\"deck:Mining\" \"front:食べる\""}}]}"#
    #expect(try client.call("multi", multi) == .list([.list([.integer(added)])]))
    let info = try client.call("notesInfo", #"{"notes":[\#(added)]}"#).list?.first?.record
    #expect(info?["noteId"]?.integer == added && info?["modelName"]?.text == "Basic")
    let cards = try client.call("findCards", #"{"query":"nid:\#(added)"}"#)
    #expect(cards.numbers == info?["cards"]?.numbers)
    #expect(try client.call("suspend", #"{"cards":[\#(cards.numbers[0])]}"#) == .boolean(true))
    #expect(try client.call("guiBrowse", #"{"query":"nid:\#(added)"}"#) == cards)
    let card = try client.call("cardsInfo", #"{"cards":[\#(cards.numbers[0])]}"#).list?.first?.record
    #expect(card?["note"]?.integer == added && card?["flags"]?.integer == 0)
    #expect(try client.call("guiEditNote", #"{"note":\#(added)}"#) == .null)
    let update = #"{"note":{"id":\#(added),"fields":{"Front":"食べる","Back":"to eat"},"tags":[]}}"#
    #expect(try client.call("updateNoteFields", update) == .null)
  }

  /// Obsidian_to_Anki nests actions of version 6 in `multi` within `multi`, and counts the keys of each response.
  @Test func `Obsidian_to_Anki adds its notes in one request, then updates, tags, moves and removes them`() throws {
    let client = try Client()
    func packed(_ actions: [String]) -> String {
      let list = actions.map { client.request("multi", #"{"actions":[\#($0)]}"#) }.joined(separator: ",")
      return #"{"actions":[\#(list)]}"#
    }
    func results(_ value: Value) throws -> [Value] {
      try (value.list ?? []).map { one in
        let record = try #require(one.record)
        #expect(record.names.sorted() == ["error", "result"])
        #expect(record["error"] == .null)
        return record["result"] ?? .null
      }
    }
    func request(_ action: String, _ params: String) -> String { client.request(action, params) }
    #expect(try client.call("modelNames").texts.contains("Basic"))
    let note = { (front: String, tags: String) in
      #"{"note":{"deckName":"Vault::Notes","modelName":"Basic","fields":{"Front":"\#(front)","Back":"b"},"options":{"allowDuplicate":false,"duplicateScope":"deck"},"tags":[\#(tags)]}}"#
    }
    let first = try results(
      client.call(
        "multi",
        packed([
          request("createDeck", #"{"deck":"Vault::Notes"}"#),
          [request("addNote", note("one", #""Obsidian_to_Anki""#)), request("addNote", note("two", ""))].joined(
            separator: ","),
          request("storeMediaFile", #"{"filename":"a.png","data":"aGk="}"#),
        ])))
    let added = try results(first[1]).compactMap(\.integer)
    #expect(added.count == 2)
    let list = added.map(String.init).joined(separator: ",")
    let second = try results(
      client.call(
        "multi",
        packed([
          request("notesInfo", #"{"notes":[\#(list)]}"#), request("getTags", "{}"),
          request("updateNoteFields", #"{"note":{"id":\#(added[0]),"fields":{"Front":"one!","Back":"c"}}}"#),
          request("removeTags", #"{"notes":[\#(list)],"tags":"Obsidian_to_Anki"}"#),
          request("addTags", #"{"notes":[\#(added[0])],"tags":"a b"}"#),
        ])))
    let cards = try results(second[0])[0].list?.compactMap { $0.record?["cards"]?.numbers.first } ?? []
    #expect(cards.count == 2)
    #expect(try results(second[1])[0].texts == ["Obsidian_to_Anki"])
    let moved = cards.map(String.init).joined(separator: ",")
    _ = try client.call("multi", packed([request("changeDeck", #"{"cards":[\#(moved)],"deck":"Vault::Old"}"#)]))
    #expect(try client.call("findNotes", #"{"query":"\"deck:Vault::Old\" tag:a"}"#).numbers == [added[0]])
    _ = try client.call("multi", packed([request("deleteNotes", #"{"notes":[\#(list)]}"#)]))
    #expect(try client.call("findCards", #"{"query":""}"#) == .list([]))
  }

  @Test func `a search is in Anki's syntax, and one that has no meaning here is an error`() throws {
    let client = try Client()
    for (front, deck, tags) in [("uno", "Spanish", ["verb"]), ("dos", "Spanish::Far away", [])] {
      let deck = try client.host.workspace.decks.openOrCreate(deck, for: .createDeck) { $0 }
      try deck.addNote(.plain(["Front": front, "Back": "b"], tags: tags), type: .basic)
    }
    for (query, count) in [
      ("\"deck:Spanish::Far away\"", 1), ("tag:none AND deck:Spanish", 1), ("\"front:un\"", 0), ("FRONT:UNO", 1),
      ("", 2),
    ] {
      #expect(try client.host.workspace.notes.numbers(anki: query).count == count, "\(query)")
      #expect(try client.host.workspace.cards.numbers(anki: query).count == count, "\(query)")
    }
    for query in ["(", "nosuchfield:x", ":x", "dupe:1,x"] {
      let params = JSONWriter.text(of: .record([("query", .text(query))]))
      #expect(try client.refusal("findCards", params)?.contains("expected") == true, "\(query)")
    }
  }

  @Test func `no action writes to a path that a client names`() throws {
    let client = try Client()
    let person = client.host.person
    try person.folder.makeFolder("out")
    try person.folder.write("before", to: "out/victim.txt")
    try person.folder.write("before", to: "out/victim.apkg")
    _ = try client.host.workspace.exchange.ensureExports()
    let own = client.host.workspace.folder + "/credentials"
    try writeFile("before", to: own)
    let names = ["victim.txt", "victim.apkg", "new.apkg", "new/new.txt"]
    let paths = names.map { person.folder.file("out/" + $0) } + [own]
    let keys = """
      action audio card cards css data deck deckName decks field fields filename front back id key model modelName name
      newDeck note notes options path pattern picture query scopes tags tag templates text url video
      """.split { $0.isWhitespace }.map(String.init)
    for action in Action.all where action.name != "sync" {
      for path in paths {
        let text = Value.text(path)
        // A name that exists leads further into the action.
        let file = Value.record([("path", text), ("filename", text), ("fields", .list([.text("Front")]))])
        let note = Value.record([
          ("deckName", .text("Spanish")), ("modelName", .text("Basic")), ("audio", file), ("picture", .list([file])),
          ("fields", .record([("Front", text), ("Back", text)])), ("tags", .list([text])),
        ])
        for deck in [Value.text("Spanish"), text] {
          let params = keys.map { key -> (String, Value) in
            switch key {
            case "deck", "deckName": (key, deck)
            case "note": (key, note)
            case "notes": (key, .list([note]))
            default: (key, text)
            }
          }
          _ = client.send(
            JSONWriter.bytes(
              of: .record([("action", .text(action.name)), ("version", .integer(6)), ("params", .record(params))])))
        }
      }
    }
    #expect(person.folder.names("out").sorted() == ["victim.apkg", "victim.txt"])
    for path in [own, person.folder.file("out/victim.txt"), person.folder.file("out/victim.apkg")] {
      #expect(text(of: path) == "before", "\(path)")
    }
  }

  @Test func `requests of any shape get a response and change nothing unasked`() throws {
    let client = try Client()
    var random = TestGenerator(17)
    // Leaves out the action that waits for a server.
    let names = Action.all.map(\.name).filter { $0 != "sync" } + Action.own
    let keys = [
      "deck", "decks", "cards", "notes", "note", "query", "tags", "fields", "filename", "data", "path", "modelName",
      "inOrderFields", "cardTemplates", "actions", "id", "deckName", "options", "pattern", "cardsToo", "Front", "Back",
      "audio", "scopes", "css", "isCloze", "deleteExisting", "duplicateScopeOptions", "duplicateScope", "card", "keys",
      "newValues", "easeFactors", "answers", "reviews", "config", "configId", "fieldName", "templateName", "index",
      "findText", "replaceText", "ease", "name", "tag_to_replace", "replace_with_tag", "warning_check", "model",
    ]
    func value(_ depth: Int) -> Value {
      switch Int.random(in: 0..<(depth > 3 ? 8 : 11), using: &random) {
      case 0: return .null
      case 1: return .boolean(Bool.random(using: &random))
      case 2: return .integer([0, -1, 1, .max, .min, 1_700_000_000_000].randomElement(using: &random) ?? 0)
      case 3: return .number(1e300)
      case 4:
        return .text(
          ["", "Basic", "../x", "a\0b", "Spanish", "\u{1B}[2J", "\u{1F}"].randomElement(using: &random) ?? "")
      case 5: return .text(String(repeating: "x", count: 3000))
      case 6: return .text("{{c1::a}}")
      case 7: return .text("nid:1")
      case 8: return .list((0..<Int.random(in: 0..<4, using: &random)).map { _ in value(depth + 1) })
      default:
        let fields = (0..<Int.random(in: 0..<5, using: &random)).map { _ in
          (keys.randomElement(using: &random) ?? "", value(depth + 1))
        }
        return .record(fields)
      }
    }
    for _ in 0..<3000 {
      let name = names.randomElement(using: &random) ?? ""
      let body = Value.record([
        ("action", Int.random(in: 0..<30, using: &random) == 0 ? value(0) : .text(name)),
        ("version", Int.random(in: 0..<10, using: &random) == 0 ? value(0) : .integer(6)),
        ("params", Int.random(in: 0..<10, using: &random) == 0 ? value(0) : .record(keys.map { ($0, value(1)) })),
      ])
      let (reply, text) = client.send(JSONWriter.bytes(of: body))
      #expect(reply.status == 200)
      let record = try client.value(text).record
      let isOfSix = body.record?["version"] == .integer(6)
      #expect(!isOfSix || record?.names.sorted() == ["error", "result"], "\(text.prefix(300))")
      #expect(!client.host.workspace.isInUnit)
    }
    #expect(try client.host.workspace.care.integrityProblems().isEmpty)
    let deep = String(repeating: "[", count: 100_000)
    #expect(client.send(Array(deep.utf8)).text.contains("error"))
    let nested = (0..<10).reduce(#"{"action":"version"}"#) { inner, _ in
      #"{"action":"multi","version":6,"params":{"actions":[\#(inner)]}}"#
    }
    #expect(client.send(Array(nested.utf8)).text.contains("8 deep"))
  }
}
