// `lsp` from an editor's view: a client over pipes, a folder of sources on disk, cards built from it.

import Glibc
import TestSupport

@Suite struct EditorTests {
  private let home = Home()
  private var folder: String { home.path + "/es" }

  init() throws {
    try home.write(#"{"name": "Spanish", "namespace": "example.org"}"#, to: "es/deck.json")
    try home.write("## el gato\n\nthe cat\n\nThe ==sun== is hot.\n", to: "es/animals.md")
    try home.write("prompt,answer,guid,tags\nser,to be,ser,verb irregular\nir,to go,,verb\n", to: "es/verbs/list.csv")
  }

  private func editor(_ encoding: String = "utf-8") throws -> Editor {
    try Editor(home, encoding: encoding, root: folder)
  }

  /// The errors that `build` reports, without their positions.
  private func build() throws -> String {
    let run = try home.run("build", folder)
    return run.output + run.errors
  }

  @Test(arguments: [
    ("animals.md", "Q: el perro\n\n## el gato\n\nthe cat\n", 0, "A: expected after Q:"),
    ("animals.md", "## el gato\n\nthe cat\n\nQ: el perro\nA:\n", 4, "the answer is empty"),
    ("verbs/list.csv", "prompt,answer\nser,to be\nir,\n", 2, "the answer is empty"),
    ("verbs/list.csv", "prompt,answer\nser,\"to be\nir,to go\n", 1, "a closing quote for this one expected"),
    ("more.jsonl", "{\"prompt\": \"a\", \"answer\": \"b\"}\n{\"prompt\": \"c\"}\n", 1, "the answer is empty"),
    ("more.jsonl", "{\"prompt\": \"a\", \"answer\": \"b\"}\n{\"prompt\" \"c\"}\n", 1, "\":\" expected"),
    ("more.jsonl", "{\"note_type\": \"Basik\", \"note_fields\": {\"Front\": \"a\"}}\n", 0, "Basik"),
    ("more.jsonl", "{\"note_type\": \"Cloze\", \"note_fields\": {\"Text\": \"no gap\"}}\n", 0, "cloze"),
    ("deck.json", "{\n  \"name\": \"Spanish\",\n  \"nmaespace\": \"x\"\n}\n", 2, "no key is called \"nmaespace\""),
    ("deck.json", "{\"name\": \"Spanish\",\n \"options\": {\"new_per_day\": \"many\"}}\n", 1, "new_per_day"),
    ("deck.json", "{\"name\": \"Spanish\"\n", 1, "expected, the file ends here"),
    ("animals.md", "## a <!-- id: ser -->\n\nb\n", 0, "the id \"ser\" is also used by a row in verbs/list.csv:2"),
  ])
  func `what build refuses is marked at its line with build's message`(
    name: String, text: String, line: Int, words: String
  ) throws {
    let editor = try editor()
    let path = folder + "/" + name
    let marked = editor.open(path, text)
    #expect(marked.contains(#""start":{"line":\#(line),"#) || marked.contains(#""line":\#(line)}"#), "\(marked)")
    let plain = jsonText("message", in: marked)
    #expect(plain.contains(words), "\(marked)")
    // `build` gives the same message for the same text.
    try home.write(text, to: "es/" + name)
    let built = try build()
    #expect(built.replacing("\n", with: " ").contains(plain.prefix(38)), "\(plain) | \(built)")
    #expect(editor.end() == 0)
  }

  @Test func `an error is marked as it is typed, and unmarked when it is fixed`() throws {
    let editor = try editor("utf-16")
    let path = folder + "/animals.md"
    #expect(editor.open(path, "Q: \u{1F408}\nA: the cat\n").contains(#""diagnostics":[]"#))
    let broken = editor.change(path, 2, Editor.range(1, 0, 1, 2), "")
    #expect(broken.contains(#""version":2"#) && broken.contains("A: expected after Q:"), "\(broken)")
    // The cat emoji has two UTF-16 units, so the range ends after it.
    #expect(broken.contains(Editor.range(0, 0, 0, 5)), "\(broken)")
    #expect(editor.change(path, 3, Editor.range(1, 0, 1, 0), "A:").contains(#""diagnostics":[]"#))
    #expect(editor.end() == 0)
  }

  @Test func `a duplicate id is marked in both files, and in neither once one is changed`() throws {
    let editor = try editor()
    let path = folder + "/animals.md"
    #expect(editor.open(path, "## a <!-- id: ser -->\n\nb\n").contains("verbs/list.csv:2"))
    let other = try #require(
      editor.said.last { $0.contains("list.csv\",\"diagnostics") }
        ?? {
          let found = editor.diagnostics(folder + "/verbs/list.csv"); return found.isEmpty ? nil : found
        }())
    #expect(other.contains("animals.md:1"), "\(other)")
    #expect(editor.change(path, 2, Editor.range(0, 17, 0, 17), "x").contains(#""diagnostics":[]"#))
    #expect(editor.diagnostics(folder + "/verbs/list.csv").contains(#""diagnostics":[]"#))
    #expect(editor.end() == 0)
  }

  @Test func `files that are not sources are ignored`() throws {
    try home.write("Q: no answer\n", to: "es/README.md")
    let editor = try editor()
    editor.notify(
      "textDocument/didOpen",
      #"{"textDocument":{"uri":"file://\#(folder)/README.md","languageId":"x","version":1,"text":"Q: no answer"}}"#)
    #expect(editor.ask("completion", folder + "/README.md", 0, 0).contains(#""result":[]"#))
    #expect(!editor.said.contains { $0.contains("README") })
    #expect(editor.end() == 0)
  }

  @Test func `a folder without a description becomes a source folder once it was built`() throws {
    try home.write("## a\n\nb\n", to: "Words/a.md")
    let editor = try editor()
    let path = home.path + "/Words/a.md"
    let item = #"{"uri":"file://\#(path)","languageId":"x","version":1,"text":"Q: a"}"#
    editor.notify("textDocument/didOpen", #"{"textDocument":\#(item)}"#)
    #expect(editor.ask("completion", path, 0, 0).contains(#""result":[]"#))
    #expect(!editor.said.contains { $0.contains("Words/a.md") })
    #expect(try home.run("build", home.path + "/Words").status == 0)
    editor.notify("textDocument/didSave", #"{"textDocument":{"uri":"file://\#(path)"}}"#)
    #expect(editor.diagnostics(path).contains("A: expected after Q:"))
    #expect(editor.end() == 0)
  }

  @Test func `ids are written into all kinds of sources, and the build keeps the cards`() throws {
    try home.write("{\"prompt\": \"uno\", \"answer\": \"one\"}\n", to: "es/more.jsonl")
    _ = try build()
    let before = try home.lua("for c in decks.open('Spanish'):cards() do print(c.guid) end").lines.sorted()
    let editor = try editor()
    for (name, lines) in [("animals.md", [0, 4]), ("verbs/list.csv", [2]), ("more.jsonl", [0])] {
      let text = try String(contentsOfFile: folder + "/" + name)
      _ = editor.open(folder + "/" + name, text)
      var edits = editor.actions(folder + "/" + name, lines[0])
      #expect(edits.contains("Write an id for this card"), "\(edits)")
      edits = String(edits[(try #require(edits.firstRange(of: "Write ids for"))).lowerBound...])
      try home.write(try applied(edits, to: text), to: "es/" + name)
      #expect(edits.split(separator: "newText").count == lines.count + 1, "\(edits)")
    }
    #expect(editor.end() == 0)
    let built = try build()
    #expect(built.contains("nothing changed") && built.contains("3 sources read"), "\(built)")
    #expect(try home.lua("for c in decks.open('Spanish'):cards() do print(c.guid) end").lines.sorted() == before)
    #expect(try String(contentsOfFile: folder + "/animals.md").contains("## el gato <!-- id: "))
    #expect(try String(contentsOfFile: folder + "/more.jsonl").hasPrefix("{\"guid\": \""))
  }

  @Test func `tags, decks, note types, fields and options are completed`() throws {
    _ = try build()
    let editor = try editor()
    func offers(_ name: String, _ text: String) -> String {
      let path = folder + "/" + name
      _ = editor.open(path, text, version: editor.said.count + 10)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      return editor.ask("completion", path, lines.count - 1, lines.last?.utf8.count ?? 0)
    }
    let tags = offers("new.md", "## a <!-- tags: verb irr")
    #expect(tags.contains(#""label":"irregular""#) && !tags.contains(#""label":"verb""#), "\(tags)")
    #expect(offers("new.md", "## a <!-- deck: ").contains(#""label":"verbs""#))
    #expect(offers("new.md", "## a <!-- ").contains(#""newText":"tags: ""#))
    #expect(offers("new.md", "## a ").contains(#""result":[]"#))
    #expect(offers("new.csv", "prompt,answer,tags\na,b,").contains(#""label":"irregular""#))
    #expect(offers("new.csv", "prompt,answer,").contains(#""label":"subdeck""#))
    #expect(offers("new.jsonl", "{\"note_type\": \"Clo").contains(#""label":"Cloze""#))
    #expect(offers("new.jsonl", "{\"note_type\": \"Cloze\", \"note_fields\": {\"").contains(#""label":"Text""#))
    #expect(offers("new.jsonl", "{\"tags\": [\"verb\", \"ir").contains(#""label":"irregular""#))
    #expect(offers("deck.json", "{\"options\": {\"new_p").contains(#""label":"new_per_day""#))
    #expect(editor.end() == 0)
  }

  @Test func `the server ends with its editor: on exit, at the end of the input, and with the process that started it`()
    throws
  {
    let first = try editor()
    first.notify("exit", "null")
    #expect(first.child.wait() == 1)
    let second = try editor()
    second.child.closeInput()
    #expect(second.child.wait() == 1)
    // A process that has ended; the pipes stay open.
    let gone = try Child(["/bin/true"], environment: [])
    #expect(gone.wait() == 0)
    let third = try home.start(["lsp"])
    let message =
      #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":\#(gone.process),"capabilities":{}}}"#
    third.feed("Content-Length: \(message.utf8.count)\r\n\r\n" + message)
    #expect(third.wait() == 1)
  }

  @Test func `the server only reads: it creates neither a collection nor a file`() throws {
    let editor = try editor()
    _ = editor.open(folder + "/animals.md", "## el gato\n\nthe cat\n")
    _ = editor.ask("completion", folder + "/animals.md", 0, 4)
    _ = editor.actions(folder + "/animals.md", 0)
    #expect(editor.end() == 0)
    #expect(access(home.path + "/data/local/collection.sqlite", F_OK) != 0)
    // Output of init.lua does not disturb the protocol.
    try home.write("print('hello')", to: ".config/deckhand/init.lua")
    #expect(try self.editor().end() == 0)
  }

  @Test func `an account's cards are available only after its sign-in`() throws {
    let password = try home.write("correct horse battery\n", to: "password")
    #expect(try home.run("account", "add", "ana", "--new-password-file", password).status == 0)
    let run = try home.run("lsp")
    #expect(run.status == 77 && run.output.isEmpty, "\(run)")
  }
}

/// Returns the first text value with the name in the JSON.
private func jsonText(_ name: String, in json: String) -> String {
  guard let start = json.firstRange(of: "\"\(name)\":\"")?.upperBound else { return "" }
  var text = ""
  var isEscaped = false
  for character in json[start...] {
    if isEscaped {
      text.append(character == "n" ? "\n" : character)
      isEscaped = false
    } else if character == "\\" {
      isEscaped = true
    } else if character == "\"" {
      break
    } else {
      text.append(character)
    }
  }
  return text
}

/// Returns the text with the edits of a response applied.
private func applied(_ answer: String, to text: String) throws -> String {
  var bytes = Array(text.utf8)
  var edits: [(start: Int, end: Int, text: String)] = []
  for part in answer.split(separator: #"{"range":{"#).dropFirst() {
    let numbers = part.split { !$0.isNumber }.prefix(4).compactMap { Int($0) }
    let new = jsonText("newText", in: String(part))
    edits.append((offset(numbers[0], numbers[1], text), offset(numbers[2], numbers[3], text), new))
  }
  for edit in edits.sorted(by: { $0.start > $1.start }) {
    bytes.replaceSubrange(edit.start..<edit.end, with: edit.text.utf8)
  }
  return String(decoding: bytes, as: UTF8.self)
}

private func offset(_ line: Int, _ character: Int, _ text: String) -> Int {
  text.split(separator: "\n", omittingEmptySubsequences: false).prefix(line).reduce(0) { $0 + $1.utf8.count + 1 }
    + character
}

extension String {
  fileprivate init(contentsOfFile path: String) throws {
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = fread(&bytes, 1, bytes.count, file)
    self.init(decoding: bytes[..<count], as: UTF8.self)
  }
}
