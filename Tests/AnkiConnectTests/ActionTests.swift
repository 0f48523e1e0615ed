// The actions of the server, each on a new collection.

import Decks
import Storage
import TestWorkspace
import Values
import Wire

@testable import AnkiConnect

@Suite struct ActionTests {
  private let client: Client

  init() throws {
    client = try Client()
    try client.call("createDeck", #"{"deck":"Spanish"}"#)
  }

  private func note(_ front: String, _ more: String = "", deck: String = "Spanish", type: String = "Basic") -> String {
    #"{"deckName":"\#(deck)","modelName":"\#(type)","fields":{"Front":"\#(front)","Back":"x"}\#(more)}"#
  }

  private func add(_ front: String, _ more: String = "") throws -> Int {
    try #require(try client.call("addNote", #"{"note":\#(note(front, more))}"#).integer)
  }

  @Test func `versions up to 4 return the bare result, others two keys, errors always both keys`() throws {
    for version in [nil, 2, 4, 5, 6] as [Int?] {
      var client = client
      client.version = version
      let answer = try client.answer("version")
      #expect(version ?? 4 <= 4 ? answer.integer == 6 : answer.record?["result"]?.integer == 6)
      #expect(try client.refusal("nothing") == "unsupported action")
    }
    #expect(client.send([]).text == "AnkiConnect v.6")
    #expect(client.send(Array("{".utf8)).text.hasPrefix(#"{"result":null,"error":"the request is not JSON"#))
  }

  @Test func `the size of a response is checked before it is built, and what fits is returned`() throws {
    let content = String(repeating: "Y", count: 40_000)
    try client.call("storeMediaFile", #"{"filename":"a.mp3","data":"\#(content)"}"#)
    let id = try add(String(repeating: "x", count: 20_000))
    let cards = try client.call("findCards", #"{"query":""}"#).numbers
    let server = ActionServer(client.host, longestAnswer: 100_000)
    func errors(_ actions: [String]) throws -> [String?] {
      let body = client.request("multi", #"{"actions":[\#(actions.joined(separator: ","))]}"#)
      let answer = server.answer(ClientRequest(method: "POST"), Array(body.utf8)).body
      #expect(answer.count < 200_000)
      let results = try client.value(String(decoding: answer, as: UTF8.self)).record?["result"]?.list ?? []
      return results.map { $0.record?["error"]?.text }
    }
    let media = client.request("retrieveMediaFile", #"{"filename":"a.mp3"}"#)
    let version = client.request("version", "{}")
    let words = "the answer to one request has at most 0 MiB; ask for less at once"
    #expect(try errors([media, media, media, media, version]) == [nil, nil, words, words, nil])
    // One action that returns a multiple of what it was given.
    for (action, key, number) in [("notesInfo", "notes", id), ("cardsInfo", "cards", cards[0])] {
      let ids = Array(repeating: "\(number)", count: 1000).joined(separator: ",")
      #expect(try errors([client.request(action, #"{"\#(key)":[\#(ids)]}"#), version]) == [words, nil])
      #expect(try errors([client.request(action, #"{"\#(key)":[\#(number)]}"#)]) == [nil])
    }
    let type = try #require(try client.call("modelNamesAndIds").record?["Basic"]?.integer)
    for (action, key, name) in [
      ("findModelsById", "modelIds", "\(type)"), ("findModelsByName", "modelNames", "\"Basic\""),
    ] {
      let names = Array(repeating: name, count: 1000).joined(separator: ",")
      #expect(try errors([client.request(action, #"{"\#(key)":[\#(names)]}"#), version]) == [words, nil])
      #expect(try errors([client.request(action, #"{"\#(key)":[\#(name)]}"#)]) == [nil])
    }
    let twice = try client.call("getReviewsOfCards", #"{"cards":[\#(cards[0]),"\#(cards[0])"]}"#)
    #expect(twice.record?.names == ["\(cards[0])"])
    // An action whose response does not fit is not carried out.
    let create = client.request("createDeck", #"{"deck":"New"}"#)
    #expect(try errors(Array(repeating: version, count: 4000) + [create]).last == words)
    #expect(try !client.call("deckNames").texts.contains("New"))
  }

  @Test func `a response that is too large is an error`() throws {
    let server = ActionServer(client.host, longestAnswer: 40)
    let request = ClientRequest(method: "POST")
    let answer = server.answer(request, Array(client.request("apiReflect", #"{"scopes":["actions"]}"#).utf8)).body
    #expect(
      try client.value(String(decoding: answer, as: UTF8.self)).record?["error"]?.text?.contains("at most") == true)
    let small = server.answer(request, Array(client.request("version", "{}").utf8)).body
    #expect(String(decoding: small, as: UTF8.self) == #"{"result":6,"error":null}"#)
  }

  @Test func `a key is asked for once a request, and not for permission requests`() throws {
    client.host.key = "secret"
    #expect(try client.refusal("deckNames") == "valid api key must be provided")
    func send(_ key: String) throws -> Value {
      try client.value(
        client.send(
          Array(#"{"action":"multi","key":"\#(key)","params":{"actions":[{"action":"version"}]},"version":6}"#.utf8)
        ).text)
    }
    #expect(try send("secret").record?["result"] == .list([.integer(6)]))
    for wrong in ["", "secre", "secrets", "Secret"] { #expect(try send(wrong).record?["error"]?.text != nil) }
    #expect(try client.call("requestPermission").record?["requireApikey"] == .boolean(true))
  }

  @Test func `an unknown origin is denied at once, and allowed from when the user says yes`() throws {
    let page = "app://obsidian.md"
    let version = Array(client.request("version", "{}").utf8)
    #expect(client.send(version, origin: page).reply.status == 403)
    #expect(client.send([], origin: page, method: "OPTIONS").reply.status == 403)
    let ask = Array(client.request("requestPermission", "{}").utf8)
    let refused = client.send(ask, origin: page)
    #expect(refused.reply.status == 200 && refused.text.contains("denied"))
    #expect(client.host.asked == [page])
    let other = "https://example.org"
    client.host.answers[other] = true
    #expect(client.send(ask, origin: other).text.contains("denied"))
    #expect(client.send(ask, origin: other).text.contains("granted"))
    let answer = client.send(version, origin: other)
    #expect(answer.reply.status == 200 && answer.reply.allowedOrigin == other)
    // An opaque origin could be any page, so the user is not asked.
    #expect(client.send(ask, origin: "null").text.contains("denied"))
    #expect(client.host.asked == [page, other])
  }

  @Test(arguments: [
    ("chrome-extension://abc", true), ("moz-extension://3f-1", true), ("safari-web-extension://x", true),
    ("http://localhost", true), ("http://localhost:3000", true), ("https://localhost:1", true),
    ("http://127.0.0.1:99", true), ("http://[::1]:99", true), ("http://localhost.evil.org", false),
    ("http://127.0.0.1.evil.org", false), ("http://localhost:x", false), ("http://localhost:99999", false),
    ("https://example.org", false), ("null", false), ("", false), ("file://", false), ("chrome-extension://", false),
  ])
  func `some origins need no permission`(origin: String, isAllowed: Bool) {
    #expect(OriginPolicy(allowed: []).allows(origin) == isAllowed)
    #expect(OriginPolicy(allowed: []).allows(nil))
  }

  @Test func `a note is added once, a refusal gives the reason, and adding is one undo step`() throws {
    let id = try add("uno")
    #expect(
      try client.refusal("addNote", #"{"note":\#(note("uno"))}"#) == "cannot create note because it is a duplicate")
    #expect(
      try client.refusal("addNote", #"{"note":\#(note("<b>uno</b>"))}"#)
        == "cannot create note because it is a duplicate")
    #expect(try client.refusal("addNote", #"{"note":\#(note(""))}"#) == "cannot create note because it is empty")
    #expect(try client.refusal("addNote", #"{"note":\#(note("<br>"))}"#) == "cannot create note because it is empty")
    #expect(try client.refusal("addNote", #"{"note":\#(note("a", deck: "Nope"))}"#) == "deck was not found: Nope")
    #expect(try client.refusal("addNote", #"{"note":\#(note("a", type: "Nope"))}"#) == "model was not found: Nope")
    #expect(try client.steps.prefix(2) == ["adding 1 note to Spanish", "creating the deck Spanish"])
    let again = try add("uno", #","options":{"allowDuplicate":true}"#)
    #expect(again != id)
    try client.host.workspace.care.undo()
    #expect(try client.call("findNotes", #"{"query":"front:uno"}"#).numbers == [id])
  }

  @Test func `duplicates are searched for in the scope that the client names`() throws {
    try client.call("createDeck", #"{"deck":"Spanish::Verbs"}"#)
    try client.call("createDeck", #"{"deck":"Other"}"#)
    // A deck is found whatever the case of its name.
    _ = try client.call("addNote", #"{"note":\#(note("ser", deck: "spanish::VERBS"))}"#)
    #expect(try client.call("findNotes", #"{"query":"deck:Spanish::Verbs"}"#).numbers.count == 1)
    func can(_ options: String, deck: String = "Other", type: String = "Basic") throws -> Bool? {
      let params = #"{"notes":[\#(note("ser", #","options":\#(options)"#, deck: deck, type: type))]}"#
      return try client.call("canAddNotes", params).list?.first?.boolean
    }
    #expect(try can("{}") == false)
    #expect(try can(#"{"duplicateScope":"deck"}"#) == true)
    #expect(try can(#"{"duplicateScope":"deck"}"#, deck: "Spanish::Verbs") == false)
    let root = #"{"duplicateScope":"deck","duplicateScopeOptions":{"deckName":"Spanish","checkChildren":"#
    #expect(try can(root + "false}}") == true)
    #expect(try can(root + "true}}") == false)
    let reversed = "Basic (and reversed card)"
    #expect(try can("{}", type: reversed) == true)
    #expect(try can(#"{"duplicateScopeOptions":{"checkAllModels":true}}"#, type: reversed) == false)
    // A missing deck contains no duplicates.
    let nowhere = #"{"duplicateScope":"deck","duplicateScopeOptions":{"deckName":"No"}}"#
    #expect(try can(nowhere) == true)
    #expect(try can(nowhere, deck: "Spanish::Verbs") == true)
    #expect(try can(nowhere, deck: "No") == false)
  }

  @Test func `each refused note of several is reported, and later ones are checked against earlier ones`() throws {
    _ = try add("uno")
    let notes = "[\(note("dos")),\(note("dos")),\(note("uno")),\(note("")),\(note("tres"))]"
    let added = try client.call("addNotes", #"{"notes":\#(notes)}"#).list ?? []
    #expect(added.map { $0 == .null } == [false, true, true, true, false])
    #expect(try client.steps.first == "adding 2 notes to Spanish")
    let judged = try client.call("canAddNotesWithErrorDetail", #"{"notes":[\#(note("dos")),\#(note("seis"))]}"#)
    #expect(judged.list?[0].record?["canAdd"] == .boolean(false))
    #expect(judged.list?[0].record?["error"]?.text == "cannot create note because it is a duplicate")
    #expect(judged.list?[1] == .record([("canAdd", .boolean(true))]))
    #expect(
      try client.refusal("addNotes", #"{"notes":[\#(note("dos")),\#(note("tres"))]}"#)
        == "cannot create note because it is a duplicate")
  }

  @Test(arguments: ["", #","options":{"duplicateScope":"deck"}"#])
  func `a note that may repeat others counts for the notes after it`(scope: String) throws {
    let free = note("dos", #","options":{"allowDuplicate":true}"#)
    let notes = "[\(note("uno", scope)),\(free),\(note("dos", scope)),\(free)]"
    let added = try client.call("addNotes", #"{"notes":\#(notes)}"#).list ?? []
    #expect(added.map { $0 == .null } == [false, false, true, false])
    // `Default` is created by its first note.
    let first = note("tres", scope, deck: "Default")
    let inDefault = try client.call("addNotes", #"{"notes":[\#(first),\#(first)]}"#).list ?? []
    #expect(inDefault.map { $0 == .null } == [false, true])
  }

  @Test(arguments: [#""path":"/nowhere/a.mp3""#, #""data":"%%""#])
  func `of several notes only the one whose file cannot be read is refused`(content: String) throws {
    let lost = note("uno", #","audio":{"filename":"a.mp3",\#(content),"fields":["Back"]}"#)
    let added = try client.call("addNotes", #"{"notes":[\#(lost),\#(note("dos"))]}"#).list ?? []
    #expect(added.map { $0 == .null } == [true, false])
  }

  @Test func `a cloze note without a cloze cannot be added`() throws {
    func cloze(_ text: String) -> String {
      #"{"deckName":"Spanish","modelName":"Cloze","fields":{"Text":"\#(text)"}}"#
    }
    let notes = #"{"notes":[\#(cloze("el gato")),\#(cloze("el {{c1::gato}}"))]}"#
    #expect(try client.call("canAddNotes", notes) == .list([.boolean(false), .boolean(true)]))
    #expect(try client.refusal("addNote", #"{"note":\#(cloze("el gato"))}"#)?.contains("no cloze") == true)
  }

  @Test func `cached first fields are refreshed after an action was rolled back`() throws {
    let id = try add("uno")
    #expect(try client.call("canAddNote", #"{"note":\#(note("cuatro"))}"#) == .boolean(true))
    // The folder of media is a file: nothing can be stored in it.
    try writeFile("", to: client.host.workspace.folder + "/media")
    let lost = note("tres", #","audio":{"filename":"a.mp3","data":"aGk=","fields":["Back"]}"#)
    #expect(try client.refusal("addNotes", #"{"notes":[\#(note("dos")),\#(lost)]}"#) != nil)
    try client.call("updateNoteFields", #"{"note":{"id":\#(id),"fields":{"Front":"cuatro"}}}"#)
    #expect(try client.call("canAddNote", #"{"note":\#(note("cuatro"))}"#) == .boolean(false))
    #expect(try client.call("canAddNote", #"{"note":\#(note("dos"))}"#) == .boolean(true))
  }

  @Test func `in a type with two fields of one name an update changes no other field`() throws {
    let pairs = try Pairs()
    let sql = #"UPDATE note_types SET json = replace(json, '"Meaning"', '"Word"') WHERE name = 'Pair'"#
    try pairs.client.host.workspace.read { try $0.execute(sql: sql) }
    #expect(try pairs.client.call("modelFieldNames", #"{"modelName":"Pair"}"#).texts == ["Word", "Word"])
    try pairs.client.call("updateNoteFields", #"{"note":{"id":\#(pairs.notes[0]),"fields":{"Nope":"x"}}}"#)
    try pairs.client.call("updateNote", #"{"note":{"id":\#(pairs.notes[1]),"tags":["t"]}}"#)
    let fields = try pairs.client.host.workspace.read { db in
      try String.fetchAll(db, sql: "SELECT fields FROM notes ORDER BY id")
    }
    #expect(fields == ["uno\u{1F}m uno", "dos\u{1F}m dos"])
  }

  @Test func `fields, tags and media of a note are read and changed`() throws {
    let id = try add(
      "uno",
      #","tags":["a","b"],"audio":{"filename":"u.mp3","data":"aGk=","fields":["Back"]},"picture":[{"filename":"p.png","data":"aGk=","fields":["Back","Nope"]}]"#
    )
    func info() throws -> Value.Record {
      try #require(try client.call("notesInfo", #"{"notes":[\#(id),99]}"#).list?.first?.record)
    }
    #expect(try client.call("notesInfo", #"{"notes":[99]}"#) == .list([.record([])]))
    let back = try info()["fields"]?.record?["Back"]?.record
    #expect(back?["value"]?.text == #"x[sound:u.mp3]<img src="p.png">"#)
    #expect(back?["order"] == .integer(1))
    #expect(try info()["modelName"]?.text == "Basic")
    #expect(try client.steps.first?.contains("adding 1 note to Spanish") == true)
    try client.call("updateNoteFields", #"{"note":{"id":\#(id),"fields":{"Back":"<i>one</i>","Nope":"x"}}}"#)
    try client.call("addTags", #"{"notes":[\#(id),99],"tags":"c d"}"#)
    try client.call("removeTags", #"{"notes":[\#(id)],"tags":"A"}"#)
    #expect(try info()["tags"]?.texts == ["b", "c", "d"])
    #expect(try info()["fields"]?.record?["Back"]?.record?["value"]?.text == "<i>one</i>")
    try client.call("updateNote", #"{"note":{"id":\#(id),"tags":["z"]}}"#)
    #expect(try client.call("getTags").texts == ["z"])
    #expect(try client.refusal("updateNoteFields", #"{"note":{"id":99,"fields":{}}}"#) == "Note was not found: 99")
    try client.call("deleteNotes", #"{"notes":[\#(id),99]}"#)
    #expect(try client.call("findNotes", #"{"query":""}"#) == .list([]))
    #expect(try client.steps.first == "removing 1 note")
  }

  @Test func `a card with prompt and answer is a note of type Basic`() throws {
    let card = try client.host.workspace.decks.open("Spanish").add(NewCard(prompt: "a < b", answer: "two"))
    let number = Int(try card.record().note.rawValue)
    #expect(try client.call("findNotes", #"{"query":"note:Basic \"front:a < b\""}"#).numbers == [number])
    let info = try client.call("notesInfo", #"{"notes":[\#(number)]}"#).list?.first?.record
    #expect(info?["fields"]?.record?["Front"]?.record?["value"]?.text == "a &lt; b")
    #expect(info?["cards"]?.numbers == [Int(card.id.rawValue)])
    try client.call("updateNoteFields", #"{"note":{"id":\#(number),"fields":{"Back":"dos<br>2"}}}"#)
    #expect(try card.record().answer == "dos\n2")
    try client.call("updateNoteFields", #"{"note":{"id":\#(number),"fields":{"Back":"<b>x</b>"}}}"#)
    #expect(try card.record().answer == "x")
    try client.call("addTags", #"{"notes":[\#(number)],"tags":"t"}"#)
    #expect(try card.record().tags == ["t"])
    #expect(
      try client.refusal("addNote", #"{"note":\#(note("a &lt; b"))}"#) == "cannot create note because it is a duplicate"
    )
    try client.call("deleteNotes", #"{"notes":[\#(number)]}"#)
    #expect(throws: DeckError.self) { try card.record() }
  }

  @Test func `cards are found, moved, suspended and described`() throws {
    let id = try add("uno")
    let cards = try client.call("findCards", #"{"query":"nid:\#(id)"}"#).numbers
    #expect(cards.count == 1)
    let card = try #require(cards.first)
    #expect(try client.call("areSuspended", #"{"cards":[\#(card),9999]}"#) == .list([.boolean(false), .null]))
    #expect(try client.call("suspend", #"{"cards":[\#(card)]}"#) == .boolean(true))
    #expect(try client.call("suspend", #"{"cards":[\#(card)]}"#) == .boolean(false))
    #expect(try client.call("findCards", #"{"query":"is:suspended"}"#).numbers == cards)
    let info = try #require(try client.call("cardsInfo", #"{"cards":[\#(card),9999]}"#).list)
    #expect(info[1] == .record([]))
    #expect(info[0].record?["note"]?.integer == id)
    #expect(info[0].record?["queue"]?.integer == -1)
    #expect(info[0].record?["deckName"]?.text == "Spanish")
    #expect(try client.call("unsuspend", #"{"cards":[\#(card)]}"#) == .boolean(true))
    try client.call("changeDeck", #"{"cards":[\#(card)],"deck":"New::Place"}"#)
    #expect(try client.call("findCards", #"{"query":"deck:New"}"#).numbers == cards)
    #expect(try client.call("guiBrowse", #"{"query":"deck:New"}"#).numbers == cards)
    #expect(client.host.told == ["Another program shows 1 card (deck:New): uno"])
    #expect(try client.refusal("suspend", #"{"cards":[9999]}"#) == "Card was not found: 9999")
    #expect(try client.refusal("guiEditNote", #"{"note":1}"#) == "Note was not found: 1")
    #expect(try client.call("guiEditNote", #"{"note":\#(id)}"#) == .null)
    #expect(client.host.told.last == "Another program shows a note: uno")
  }

  @Test func `decks are created, listed and removed`() throws {
    let id = try client.call("createDeck", #"{"deck":"A::B"}"#).integer
    #expect(try client.call("createDeck", #"{"deck":"A::B"}"#).integer == id)
    #expect(try client.call("createDeck", #"{"deck":"a::b"}"#).integer == id)
    #expect(try client.call("deckNames").texts.contains("A::B"))
    #expect(try client.call("deckNamesAndIds").record?["A::B"]?.integer == id)
    #expect(try client.refusal("deleteDecks", #"{"decks":["A"]}"#) != nil)
    try client.call("deleteDecks", #"{"decks":["A","A::B","Nope"],"cardsToo":true}"#)
    #expect(try client.call("deckNames").texts == ["Default", "Spanish"])
    #expect(try client.refusal("createDeck", #"{"deck":"a::"}"#) != nil)
  }

  @Test func `note types are listed, including the stock types, and created`() throws {
    #expect(try client.call("modelNames").texts.contains("Cloze"))
    #expect(try client.call("modelFieldNames", #"{"modelName":"Cloze"}"#).texts == ["Text", "Back Extra"])
    #expect(try client.refusal("modelFieldNames", #"{"modelName":"No"}"#) == "model was not found: No")
    let made =
      #"{"modelName":"Word","inOrderFields":["Word","Meaning"],"cardTemplates":[{"Front":"{{Word}}","Back":"{{Meaning}}"}]}"#
    #expect(try client.call("createModel", made).record?["name"]?.text == "Word")
    #expect(try client.refusal("createModel", made) == "Model name already exists")
    #expect(try client.call("modelNamesAndIds").record?["Word"]?.integer ?? 0 > 1_600_000_000_000)
    let cloze = #"{"deckName":"Spanish","modelName":"Cloze","fields":{"Text":"no cloze"}}"#
    #expect(try client.refusal("addNote", #"{"note":\#(cloze)}"#)?.contains("{{c1::") == true)
  }

  @Test func `media files are stored, listed, retrieved and removed`() throws {
    #expect(try client.call("storeMediaFile", #"{"filename":"a.txt","data":"aGVs\nbG8="}"#).text == "a.txt")
    #expect(try client.call("retrieveMediaFile", #"{"filename":"a.txt"}"#).text == "aGVsbG8=")
    #expect(try client.call("storeMediaFile", #"{"filename":"a.txt","data":"aGk="}"#).text == "a.txt")
    #expect(try client.call("retrieveMediaFile", #"{"filename":"a.txt"}"#).text == "aGk=")
    let kept = try client.call("storeMediaFile", #"{"filename":"a.txt","data":"aG8=","deleteExisting":false}"#).text
    #expect(kept != "a.txt")
    let path = try client.host.person.folder.write("file", to: "b.txt")
    #expect(try client.call("storeMediaFile", #"{"filename":"c.txt","path":"\#(path)"}"#).text == "c.txt")
    #expect(try client.call("getMediaFilesNames", #"{"pattern":"c*"}"#).texts == ["c.txt"])
    #expect(try client.call("storeMediaFile", #"{"filename":"d: e?.txt","data":"aGk="}"#).text == "d e.txt")
    #expect(try client.call("retrieveMediaFile", #"{"filename":"d: e?.txt"}"#).text == "aGk=")
    try client.call("deleteMediaFile", #"{"filename":"c.txt"}"#)
    #expect(try client.call("retrieveMediaFile", #"{"filename":"c.txt"}"#) == .boolean(false))
    for bad in [
      #"{"filename":"../x","data":"aGk="}"#, #"{"filename":"a/b","data":"aGk="}"#, #"{"filename":"x","data":"%%"}"#,
      #"{"filename":"x","url":"https://example.org/x.mp3"}"#, #"{"filename":"x"}"#, #"{"filename":"","data":"aGk="}"#,
      #"{"filename":"x","path":"/nonexistent/x"}"#,
    ] {
      #expect(try client.refusal("storeMediaFile", bad) != nil, "\(bad)")
    }
  }

  @Test func `a failed action leaves nothing, and the other actions of a multi request go on`() throws {
    let actions = """
      [{"action":"createDeck","params":{"deck":"X"},"version":6},
       {"action":"addNote","params":{"note":\(note("a", #","audio":{"filename":"k","data":"%","fields":["Back"]}"#))},"version":6},
       {"action":"multi","params":{"actions":[{"action":"version"}]}}]
      """
    let results = try client.call("multi", #"{"actions":\#(actions)}"#).list ?? []
    #expect(results[0].record?["error"] == .null)
    #expect(results[1].record?["error"]?.text?.contains("base64") == true)
    #expect(results[2] == .list([.integer(6)]))
    #expect(try client.call("findNotes", #"{"query":""}"#) == .list([]))
    #expect(try client.steps.count == 2)
    try client.call("sync")
    #expect(client.host.syncs == 1)
    #expect(
      try client.call("apiReflect", #"{"scopes":["actions"],"actions":["sync","no"]}"#).record?["actions"]?.texts == [
        "sync"
      ])
  }
}
