// The add-on's own tests of its actions, applied to ours: note types, presets, tags, the rows of cards and their log,
// packages, and actions on windows.

import Decks
import TestWorkspace
import Values
import Wire

@testable import AnkiConnect

@Suite struct AddOnTests {
  private let client: Client
  private let notes: [Int]
  private let cards: [Int]

  init() throws {
    let pairs = try Pairs()
    (client, notes, cards) = (pairs.client, pairs.notes, pairs.cards)
  }

  private func list(_ numbers: [Int]) -> String { "[" + numbers.map(String.init).joined(separator: ",") + "]" }

  /// The actions of the add-on.
  private static let names = """
    version requestPermission getProfiles loadProfile sync multi getNumCardsReviewedToday
    getNumCardsReviewedByDay getCollectionStatsHTML deckNames deckNamesAndIds getDecks createDeck changeDeck
    deleteDecks getDeckConfig saveDeckConfig setDeckConfigId cloneDeckConfigId removeDeckConfigId getDeckStats
    storeMediaFile retrieveMediaFile getMediaFilesNames deleteMediaFile getMediaDirPath addNote canAddNote
    updateNoteFields updateNote updateNoteTags getNoteTags addTags removeTags getTags clearUnusedTags
    replaceTags replaceTagsInAllNotes setEaseFactors setSpecificValueOfCard getEaseFactors suspend unsuspend
    suspended areSuspended areDue getIntervals modelNames createModel modelNamesAndIds modelNameFromId
    modelFieldNames modelFieldDescriptions modelFieldFonts modelFieldsOnTemplates modelTemplates modelStyling
    updateModelTemplates updateModelStyling findAndReplaceInModels modelTemplateRename modelTemplateReposition
    modelTemplateAdd modelTemplateRemove modelFieldRename modelFieldReposition modelFieldAdd modelFieldRemove
    modelFieldSetFont modelFieldSetFontSize modelFieldSetDescription deckNameFromId findNotes findCards
    cardsInfo cardsModTime forgetCards relearnCards answerCards cardReviews getReviewsOfCards reloadCollection
    getLatestReviewID insertReviews notesInfo deleteNotes removeEmptyNotes cardsToNotes guiBrowse guiEditNote
    guiSelectedNotes guiAddCards guiReviewActive guiCurrentCard guiStartCardTimer guiShowQuestion guiShowAnswer
    guiAnswerCard guiUndo guiDeckOverview guiDeckBrowser guiDeckReview guiImportFile guiExitAnki
    guiCheckDatabase addNotes canAddNotes exportPackage importPackage apiReflect
    """

  @Test func `every action of the add-on exists, and reports missing parameters`() throws {
    let names = Self.names.split(whereSeparator: \.isWhitespace).map(String.init)
    #expect(names.count == 110)
    let known = try client.call("apiReflect", #"{"scopes":["actions"]}"#).record?["actions"]?.texts ?? []
    #expect(Set(names).subtracting(known).isEmpty)
    for name in names { #expect(try client.answer(name).record?["error"]?.text != "unsupported action", "\(name)") }
    #expect(try client.call("apiReflect", #"{"scopes":["other"]}"#) == .record([("scopes", .list([]))]))
  }

  private func templates() throws -> [String]? {
    try client.call("modelTemplates", #"{"modelName":"Pair"}"#).record?.fields.map { field in
      "\(field.name): \(field.value.record?["Front"]?.text ?? "") / \(field.value.record?["Back"]?.text ?? "")"
    }
  }

  private func fields() throws -> [String] {
    try client.call("modelFieldNames", #"{"modelName":"Pair"}"#).texts
  }

  @Test func `a note type's fields are renamed, moved, added and removed, and its notes follow`() throws {
    try client.call("modelFieldRename", #"{"modelName":"Pair","oldFieldName":"Word","newFieldName":"Palabra"}"#)
    #expect(try fields() == ["Palabra", "Meaning"])
    #expect(try templates() == ["Card 1: {{Palabra}} / {{Meaning}}", "Card 2: {{Meaning}} / {{Palabra}}"])
    try client.call("modelFieldReposition", #"{"modelName":"Pair","fieldName":"Palabra","index":2}"#)
    #expect(try fields() == ["Meaning", "Palabra"])
    try client.call("modelFieldAdd", #"{"modelName":"Pair","fieldName":"Hint","index":1}"#)
    #expect(try fields() == ["Meaning", "Hint", "Palabra"])
    let info = try client.call("notesInfo", #"{"notes":\#(list(notes))}"#).list?.first?.record?["fields"]?.record
    #expect(info?["Palabra"]?.record?["value"]?.text == "uno" && info?["Palabra"]?.record?["order"] == .integer(2))
    // A removed field's tags are removed from the templates; if a front then shows nothing, the removal is refused.
    #expect(try client.refusal("modelFieldRemove", #"{"modelName":"Pair","fieldName":"Meaning"}"#) != nil)
    try client.call(
      "updateModelTemplates",
      #"{"model":{"name":"Pair","templates":{"Card 2":{"Front":"{{Palabra}} {{Palabra}} {{#Meaning}}x{{/Meaning}}"}}}}"#
    )
    try client.call("modelFieldRemove", #"{"modelName":"Pair","fieldName":"Meaning"}"#)
    #expect(try fields() == ["Hint", "Palabra"])
    #expect(try templates() == ["Card 1: {{Palabra}} / ", "Card 2: {{Palabra}} {{Palabra}} x / {{Palabra}}"])
    #expect(
      try client.refusal("modelFieldRename", #"{"modelName":"Pair","oldFieldName":"No","newFieldName":"x"}"#)
        == "field was not found in Pair: No")
    // Each is one undo step.
    try client.host.workspace.care.undo()
    #expect(try fields() == ["Meaning", "Hint", "Palabra"])
  }

  @Test func `a field has a font, a size and a description`() throws {
    try client.call("modelFieldSetFont", #"{"modelName":"Pair","fieldName":"Word","font":"Courier"}"#)
    try client.call("modelFieldSetFontSize", #"{"modelName":"Pair","fieldName":"Meaning","fontSize":16}"#)
    let set = #"{"modelName":"Pair","fieldName":"Word","description":"the word"}"#
    #expect(try client.call("modelFieldSetDescription", set) == .boolean(true))
    let fonts = try client.call("modelFieldFonts", #"{"modelName":"Pair"}"#).record
    #expect(fonts?["Word"] == .record([("font", .text("Courier")), ("size", .integer(20))]))
    #expect(fonts?["Meaning"] == .record([("font", .text("Arial")), ("size", .integer(16))]))
    #expect(try client.call("modelFieldDescriptions", #"{"modelName":"Pair"}"#).texts == ["the word", ""])
  }

  @Test func `templates and styles are read, replaced, renamed, moved, added and removed`() throws {
    #expect(
      try client.call("modelFieldsOnTemplates", #"{"modelName":"Pair"}"#)
        == .record([
          ("Card 1", .list([.list([.text("Word")]), .list([.text("Meaning")])])),
          ("Card 2", .list([.list([.text("Meaning")]), .list([.text("Word")])])),
        ]))
    let replacing = #"{"modelName":"Pair","findText":"}}","replaceText":"}}!","front":true,"back":false,"css":false}"#
    #expect(try client.call("findAndReplaceInModels", replacing) == .integer(1))
    try client.call("updateModelStyling", #"{"model":{"name":"Pair","css":"b {}"}}"#)
    #expect(try client.call("modelStyling", #"{"modelName":"Pair"}"#).record?["css"]?.text == "b {}")
    try client.call("modelTemplateRename", #"{"modelName":"Pair","oldTemplateName":"Card 1","newTemplateName":"Say"}"#)
    try client.call(
      "modelTemplateAdd", #"{"modelName":"Pair","template":{"Name":"Card 3","Front":"{{Word}} 3","Back":"x"}}"#)
    try client.call("modelTemplateReposition", #"{"modelName":"Pair","templateName":"Say","index":9}"#)
    #expect(
      try templates() == ["Card 2: {{Meaning}}! / {{Word}}", "Card 3: {{Word}} 3 / x", "Say: {{Word}}! / {{Meaning}}"])
    #expect(try client.call("findCards", #"{"query":"deck:Spanish"}"#).numbers.count == 6)
    try client.call("modelTemplateRemove", #"{"modelName":"Pair","templateName":"Card 2"}"#)
    #expect(try client.call("findCards", #"{"query":"deck:Spanish"}"#).numbers.count == 4)
    #expect(
      try client.refusal("modelTemplateRemove", #"{"modelName":"Pair","templateName":"No"}"#)
        == "template was not found in Pair: No")
  }

  @Test func `Default is listed with the id 1, and created when it is used`() throws {
    #expect(try client.call("deckNamesAndIds").record?["Default"] == .integer(1))
    #expect(try client.host.workspace.decks.records().map(\.name) == ["Spanish"])
    let note = #"{"deckName":"Default","modelName":"Basic","fields":{"Front":"a","Back":"b"}}"#
    #expect(try client.call("canAddNote", #"{"note":\#(note)}"#) == .boolean(true))
    try client.call("addNote", #"{"note":\#(note)}"#)
    #expect(try client.host.workspace.decks.records().map(\.name) == ["Default", "Spanish"])
    #expect(try client.call("findCards", #"{"query":"did:1"}"#).numbers.count == 1)
    let number = try client.call("deckNamesAndIds").record?["Spanish"]?.integer ?? 0
    #expect(try client.call("findCards", #"{"query":"did:\#(number)"}"#).numbers == cards)
    #expect(try client.call("deckNameFromId", #"{"deckId":\#(number)}"#).text == "Spanish")
    #expect(try client.call("getDecks", #"{"cards":\#(list(cards))}"#).record?["Spanish"]?.numbers == cards)
    let stats = try client.call("getDeckStats", #"{"decks":["spanish"]}"#).record?.fields.first?.value.record
    #expect(stats?["new_count"] == .integer(4) && stats?["total_in_deck"] == .integer(4))
  }

  @Test func `presets are read, saved, cloned, assigned and removed`() throws {
    func config(_ deck: String) throws -> Value.Record? {
      try client.call("getDeckConfig", #"{"deck":"\#(deck)"}"#).record
    }
    #expect(try config("Default")?["id"] == .integer(1) && config("Spanish")?["name"] == .text("Default"))
    #expect(try client.call("getDeckConfig", #"{"deck":"No"}"#) == .boolean(false))
    let copy = try client.call("cloneDeckConfigId", #"{"name":"Hard","cloneFrom":"1"}"#).integer ?? 0
    #expect(try client.call("setDeckConfigId", #"{"decks":["Spanish"],"configId":\#(copy)}"#) == .boolean(true))
    var changed = try #require(try config("Spanish"))
    #expect(changed["name"] == .text("Hard"))
    var new = changed["new"]?.record ?? Value.Record()
    new["perDay"] = .integer(7)
    changed["new"] = .record(new)
    let params = Value.record([("config", .record(changed))]).json
    #expect(try client.call("saveDeckConfig", params) == .boolean(true))
    #expect(try config("Spanish")?["new"]?.record?["perDay"] == .integer(7))
    #expect(try client.host.workspace.decks.open("Spanish").scheduling.options().newPerDay == 7)
    // The default preset is created when it is changed, for the decks that have none.
    try client.call("setDeckConfigId", #"{"decks":["Spanish"],"configId":1}"#)
    changed["id"] = .integer(1)
    #expect(try client.call("saveDeckConfig", Value.record([("config", .record(changed))]).json) == .boolean(true))
    #expect(try config("Spanish")?["id"] == .integer(1))
    #expect(try client.host.workspace.decks.open("Spanish").scheduling.options().newPerDay == 7)
    #expect(try client.call("removeDeckConfigId", #"{"configId":\#(copy)}"#) == .boolean(true))
    #expect(try client.call("removeDeckConfigId", #"{"configId":\#(copy)}"#) == .boolean(false))
    #expect(try client.call("removeDeckConfigId", #"{"configId":1}"#) == .boolean(false))
  }

  @Test func `tags are replaced in some notes and in all`() throws {
    try client.call("replaceTags", #"{"notes":[\#(notes[0]),123],"tag_to_replace":"UNO","replace_with_tag":"one"}"#)
    try client.call("replaceTagsInAllNotes", #"{"tag_to_replace":"dos","replace_with_tag":"two"}"#)
    #expect(try client.call("getTags").texts == ["one", "two"])
    try client.call("updateNoteTags", #"{"note":\#(notes[0]),"tags":"a"}"#)
    #expect(try client.call("getNoteTags", #"{"note":\#(notes[0])}"#).texts == ["a"])
    #expect(
      try client.refusal("updateNoteTags", #"{"note":\#(notes[0]),"tags":[1]}"#)
        == "Must provide tags as a list of strings")
    // As in Anki, a text with a space is two tags, and a blank one is none.
    try client.call("updateNoteTags", #"{"note":\#(notes[0]),"tags":["b c",""," d "]}"#)
    #expect(try client.call("getNoteTags", #"{"note":\#(notes[0])}"#).texts == ["b", "c", "d"])
  }

  @Test func `a card keeps the numbers that a client sets until it is answered`() throws {
    let four = list(cards)
    let set = #"{"cards":[\#(cards[0]),9],"easeFactors":[4200,1]}"#
    #expect(try client.call("setEaseFactors", set) == .list([.boolean(true), .boolean(false)]))
    #expect(try client.call("getEaseFactors", #"{"cards":[\#(cards[0]),9]}"#) == .list([.integer(4200), .null]))
    #expect(try client.call("areDue", #"{"cards":\#(four)}"#) == .list(Array(repeating: .boolean(true), count: 4)))
    #expect(try client.call("getIntervals", #"{"cards":\#(four)}"#).numbers == [0, 0, 0, 0])
    let answers = zip(cards, [2, 1, 4, 3]).map { #"{"cardId":\#($0),"ease":\#($1)}"# }.joined(separator: ",")
    #expect(
      try client.call("answerCards", #"{"answers":[\#(answers),{"cardId":9,"ease":2},{"cardId":9,"ease":5}]}"#)
        == .list(Array(repeating: .boolean(true), count: 4) + [.boolean(false), .boolean(false)]))
    #expect(
      try client.refusal("answerCards", #"{"answers":[{"cardId":\#(cards[0]),"ease":5}]}"#)
        == "/answers/0/ease: a whole number from 1 to 4 expected, not 5")
    #expect(try client.call("getNumCardsReviewedToday").integer == 4)
    #expect(try client.call("getNumCardsReviewedByDay").list?.first?.list?.last == .integer(4))
    let easy = try #require(try client.call("cardsInfo", #"{"cards":[\#(cards[2])]}"#).list?.first?.record)
    #expect(easy["type"] == .integer(2) && easy["interval"]?.integer ?? 0 > 1)
    #expect(
      try client.call("getIntervals", #"{"cards":[\#(cards[2])],"complete":true}"#).list?.first?.numbers.count == 1)
    try client.call("relearnCards", #"{"cards":[\#(cards[2])]}"#)
    #expect(try client.call("cardsInfo", #"{"cards":[\#(cards[2])]}"#).list?.first?.record?["type"] == .integer(3))
    #expect(try client.call("setDueDate", #"{"cards":[\#(cards[0]),9],"days":"3-7!"}"#) == .boolean(true))
    #expect(try client.call("setDueDate", #"{"cards":[\#(cards[1])],"days":0}"#) == .boolean(true))
    let moved = try (client.call("cardsInfo", #"{"cards":[\#(cards[0]),\#(cards[1])]}"#).list ?? []).map(\.record)
    #expect(
      moved.map { $0?["type"] } == [.integer(2), .integer(2)] && (3...7).contains(moved[0]?["interval"]?.integer ?? 0))
    #expect(
      try client.call("areDue", #"{"cards":[\#(cards[0]),\#(cards[1])]}"#) == .list([.boolean(false), .boolean(true)]))
    #expect(try client.refusal("setDueDate", #"{"cards":[],"days":"soon"}"#)?.contains("got \"soon\"") == true)
    try client.call("forgetCards", #"{"cards":\#(four)}"#)
    let log = try client.call("getReviewsOfCards", #"{"cards":[\#(cards[0])]}"#).record?.fields.first?.value.list ?? []
    #expect(
      log.suffix(2).map { $0.record?["type"] } == [.integer(4), .integer(4)]
        && log.last?.record?["factor"] == .integer(0))
    #expect(try client.call("findCards", #"{"query":"is:new"}"#).numbers.sorted() == cards.sorted())
    #expect(try client.host.workspace.care.integrityProblems().isEmpty)
  }

  @Test func `single values of a card are set, dangerous ones only on request`() throws {
    func set(_ keys: String, _ values: String, _ more: String = "") throws -> Value {
      try client.call(
        "setSpecificValueOfCard", #"{"card":\#(cards[0]),"keys":[\#(keys)],"newValues":[\#(values)]\#(more)}"#)
    }
    #expect(try set(#""flags","factor""#, #""2",2600"#) == .list([.boolean(true)]))
    #expect(try client.call("findCards", #"{"query":"flag:2"}"#).numbers == [cards[0]])
    #expect(try set(#""queue""#, "-1") == .boolean(false))
    #expect(try set(#""queue""#, "-1", #","warning_check":true"#) == .list([.boolean(true)]))
    #expect(try client.call("suspended", #"{"card":\#(cards[0])}"#) == .boolean(true))
    #expect(try set(#""did""#, "1", #","warning_check":true"#) == .list([.boolean(true)]))
    #expect(try client.call("getDecks", #"{"cards":[\#(cards[0])]}"#).record?.names == ["Default"])
    #expect(try set(#""nid""#, "1", #","warning_check":true"#).list?.first?.list?.first == .boolean(false))
    // Whatever a client sends, a card's numbers stay in a usable range.
    for key in ["due", "ivl", "left", "factor", "type", "queue", "flags", "reps", "odue"] {
      for value in ["9223372036854775807", "-9223372036854775808"] {
        _ = try client.answer(
          "setSpecificValueOfCard",
          #"{"card":\#(cards[1]),"keys":["\#(key)"],"newValues":[\#(value)],"warning_check":true}"#)
        #expect(try client.call("cardsInfo", #"{"cards":[\#(cards[1])]}"#).list?.count == 1)
      }
    }
    #expect(try set(#""x""#, "1").list?.first?.list?.first == .boolean(false))
  }

  @Test func `log rows come back as they were given`() throws {
    #expect(try client.call("cardReviews", #"{"deck":"default","startID":0}"#) == .list([]))
    #expect(try client.call("cardReviews", #"{"deck":"Spanish","startID":0}"#) == .list([]))
    let rows = "[[456,\(cards[0]),-1,3,4,-60,2500,6157,0],[789,\(cards[1]),-1,1,-60,-60,0,4846,0]]"
    try client.call("insertReviews", #"{"reviews":\#(rows)}"#)
    #expect(try client.call("cardReviews", #"{"deck":"Spanish","startID":0}"#) == client.value(rows))
    #expect(try client.call("cardReviews", #"{"deck":"Spanish","startID":456}"#).list?.count == 1)
    #expect(try client.call("getLatestReviewID", #"{"deck":"Spanish"}"#) == .integer(789))
    let row = #"[{"id":456,"usn":-1,"ease":3,"ivl":4,"lastIvl":-60,"factor":2500,"time":6157,"type":0}]"#
    #expect(
      try client.call("getReviewsOfCards", #"{"cards":[\#(cards[0])]}"#).record?["\(cards[0])"] == client.value(row))
    #expect(try client.call("getCollectionStatsHTML").text?.contains("<th>Cards</th><td>4</td>") == true)
  }

  @Test func `a row that no answer can be is named, and then none is inserted`() throws {
    let good = "[456,\(cards[0]),-1,3,4,-60,2500,6157,0]"
    func refusal(_ rows: String) throws -> String? { try client.refusal("insertReviews", #"{"reviews":[\#(rows)]}"#) }
    let (card, needs) = (cards[1], "needs an ease from 0 to 4, and an id from 1 to 999999999999999")
    for row in [
      "[789,\(card),-1,7,4,-60,2500,6157,0]", "[789,\(card),-1,-1,4,-60,2500,6157,0]",
      "[0,\(card),-1,3,4,-60,2500,6157,0]", "[1e15,\(card),-1,3,4,-60,2500,6157,0]",
      "[456,\(card),-1,3,4,-60,2500,6157,0]",
    ] {
      #expect(try refusal(good + "," + row) == "reviews/1 \(needs) that no other answer has")
    }
    #expect(try refusal(good + ",[789]") == "/reviews/1: a list of nine numbers expected, not a list")
    #expect(try client.call("cardReviews", #"{"deck":"Spanish","startID":0}"#) == .list([]))
    for _ in 0..<2 { #expect(try client.call("insertReviews", #"{"reviews":[\#(good)]}"#) == .null) }
    #expect(try refusal("[456,\(cards[0]),-1,1,4,-60,2500,6157,0]")?.hasPrefix("reviews/0 needs") == true)
    #expect(try client.call("cardReviews", #"{"deck":"Spanish","startID":0}"#) == client.value("[\(good)]"))
  }

  @Test func `a package is exported and imported with its decks`() throws {
    let folder = try client.host.workspace.exchange.ensureExports()
    let path = folder + "/out.apkg"
    #expect(try client.call("exportPackage", #"{"deck":"No","path":"out.apkg"}"#) == .boolean(false))
    #expect(try client.call("exportPackage", #"{"deck":"Spanish","path":"out.apkg"}"#) == .boolean(true))
    #expect(size(of: path) > 0)
    for taken in ["out.apkg", path] {
      #expect(
        try client.refusal("exportPackage", #"{"deck":"Spanish","path":"\#(taken)"}"#)
          == "\(path) already exists: give the name of a new file")
    }
    let hidden = ["", ".", "..", ".hidden", "a\\nb", "a\\u0000b"]
    for elsewhere in hidden + ["../a", "a/b", "/tmp/a", folder, folder + "/../a"] {
      let params = #"{"deck":"Spanish","path":"\#(elsewhere)"}"#
      #expect(try client.refusal("exportPackage", params)?.contains("exported only into") == true, "\(elsewhere)")
    }
    try client.call("deleteDecks", #"{"decks":["Spanish"],"cardsToo":true}"#)
    #expect(try client.call("importPackage", #"{"path":"\#(path)"}"#) == .boolean(true))
    #expect(try client.call("deckNames").texts == ["Default", "Spanish"])
    #expect(try client.call("findCards", #"{"query":"deck:Spanish"}"#).numbers.count == 4)
    #expect(try client.steps.first?.hasPrefix("importing ") == true)
  }

  @Test func `a file put into the media folder is imported with the next note, under its name`() throws {
    let folder = try #require(try client.call("getMediaDirPath").text)
    func put(_ text: String, _ name: String) throws {
      try writeFile(text, to: folder + "/" + name)
      #expect(waitsUntilClosed(folder + "/" + name))
    }
    try put("one", "a.txt")
    try client.call("addTags", #"{"notes":[],"tags":"x"}"#)
    try put("two", "a.txt")
    try put("bad", ".hidden")
    try client.call("addTags", #"{"notes":[],"tags":"x"}"#)
    #expect(try client.call("getMediaFilesNames").texts == ["a.txt"])
    #expect(try client.call("retrieveMediaFile", #"{"filename":"a.txt"}"#).text == "dHdv")
  }

  @Test(arguments: [
    ("", "d41d8cd98f00b204e9800998ecf8427e"), ("abc", "900150983cd24fb0d6963f7d28e17f72"),
    (
      "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
      "57edf4a22be3c955ac49da2e2107b67a"
    ),
  ])
  func `MD5 is that of RFC 1321`(text: String, digest: String) { #expect(MD5.digest(of: Array(text.utf8)) == digest) }

  @Test func `a note is added without media that would have to be downloaded, and with empty media lists`() throws {
    let note = #"""
      {"deckName":"Spanish","modelName":"Basic","fields":{"Front":"x","Back":"y"},"tags":{},
       "audio":[{"filename":"a.ogg","url":"https://example.org/a.ogg","fields":["Back"]},
        {"filename":"b.ogg","data":"aGk=","fields":{}}]}
      """#
    let id = try client.call("addNote", #"{"note":\#(note)}"#).integer ?? 0
    let info = try client.call("notesInfo", #"{"notes":[\#(id)]}"#).list?.first?.record
    #expect(info?["fields"]?.record?["Back"]?.record?["value"]?.text == "y")
    #expect(client.host.told.last == "A note came without a.ogg: Deckhand fetches nothing from the network.")
    #expect(try client.call("getMediaFilesNames") == .list([]))
    try client.call("changeDeck", #"{"cards":{},"deck":"Films"}"#)
    #expect(try client.call("deckNames").texts == ["Default", "Films", "Spanish"])
  }

  @Test func `a file whose hash the client skips is not stored`() throws {
    let store = #"{"filename":"a.txt","data":"YWJj","skipHash":"900150983CD24FB0D6963F7D28E17F72"}"#
    #expect(try client.call("storeMediaFile", store) == .null)
    #expect(try client.call("getMediaFilesNames") == .list([]))
  }

  @Test func `an undo step is named after the client: its origin, or else its user agent`() throws {
    let body = Array(client.request("createDeck", #"{"deck":"New"}"#).utf8)
    _ = client.send(body, origin: "moz-extension://3f", agent: "Mozilla/5.0 (X11)")
    _ = client.send(body, agent: "python-requests/2.31")
    _ = client.send(body, agent: "Mozilla/5.0 (X11)")
    _ = client.send(body)
    #expect(
      client.host.performed.suffix(4) == [
        "moz-extension://3f, createDeck", "python-requests, createDeck", "createDeck", "createDeck",
      ])
    #expect(try client.call("getProfiles").texts == ["ana", "ben"])
    #expect(try client.call("loadProfile", #"{"name":"ana"}"#) == .boolean(true))
    #expect(try client.call("loadProfile", #"{"name":"no"}"#) == .boolean(false))
    #expect(try client.refusal("loadProfile", #"{"name":"ben"}"#)?.contains("sign in") == true)
  }
}
