// Every line of a file is in a row, used, or left with a reason, whatever the format and however the file is cut.

import Files
import Problems
import Templates
import TestDecks
import Values

@testable import Exchange

@Suite struct LineAccountTests {
  let collection = TestCollection()
  let folder = TemporaryFolder()

  static let files: [(name: String, text: String)] =
    [
      (
        "extra.csv",
        "front,back\nel río,the river\nel mar,the sea,la mar\nla ola,the wave,,\n# no,a comment\n\n\"a\nb\",c\n"
      ),
      ("plain.tsv", "sep=;\npan;bread\nleche;milk;bebida\n  \nvino\n"),
      (
        "notes.txt",
        "#separator:tab\n#html:false\n#tags column:3\n#a note\nel faro\tlighthouse\tmar\n#hash\tx\ny\n\"#q\"\tquoted\tmar\n"
      ),
      (
        "all.json",
        "{\"deckhand\": 1, \"deck\": \"d\", \"version\": [3],\n\"options\": {},\n\"cards\": [\n{\"prompt\": \"a\", \"answer\": \"b\"},\n"
          + "{\"prompt\": \"\", \"answer\": \"b\"}, 7\n]}\n"
      ),
      ("lines.jsonl", "{\"prompt\": \"a\", \"answer\": \"b\"}\n\n{\"prompt\": \"c\",\n \"answer\": \"d\"}\n[1]\n"),
      (
        "cards.md",
        "---\nname = \"House\"\n---\n\nloose text\n\n# Title\n\n## el gato\n\nthe cat\n<!-- several\n## lines\n-->\nmore\n\n---\n\n"
          + "Q: one\nA: 1\nA: two\n\nC: La [puerta] da a la [calle].\n\nC: none\n\n---\nloose\n---\n\nsetext\n---\nanswer\n\n"
          + "a ==cloze== here\n<!-- id: abc -->\n\n```\ncode\n```\n# Words\nfoo :: bar\n<!-- id: zzz -->\n"
      ),
      (
        "foreign.md",
        "#flashcards/casa\n\n# Mi casa\n\nel tejado::the roof\n<!--SR:!2026-04-12,10,250-->\narriba\n??\nabajo\n"
      ),
    ] + ListTests.fixtures.map { ($0.name, $0.text) }

  /// Reads a whole file, as an import does.
  private func account(_ name: String, _ text: String) throws -> LineAccount {
    var options = SourceOptions(isInterrupted: { false })
    options.findsEncoding = true
    let source = try ByteSource(Array(text.utf8), path: name, options)
    var table = TableOptions()
    table.takesLists = true
    try CardFormat(ofPath: name).actual(source).rows(source, into: "d", table).forEach { _ in }
    return source.account
  }

  private func check(_ name: String, _ text: String) throws {
    let account = try account(name, text)
    let report = account.report
    #expect(report.left[.notAccounted] == nil && account.contradictions == 0, "\(name): \(report)\n\(text)")
    if account.elements == nil {
      let ended = text.hasSuffix("\n") || text.isEmpty ? text : text + "\n"
      #expect(report.lines == ended.utf8.count { $0 == 0x0A }, "\(name): \(report)\n\(text)")
    }
  }

  @Test(arguments: files.indices) func `the sum of a file holds, and that of its mutations`(index: Int) throws {
    let (name, text) = Self.files[index]
    // Some lists are no lists.
    do { try check(name, text) } catch is ExchangeError {
      #expect(ListTests.fixtures.contains { $0.name == name && $0.expected["error"] != nil }, "\(name)")
    }
    var generator = TestGenerator(UInt64(index) + 1)
    // Many mutations of a short list give the same text.
    var tried: Set<String> = []
    for _ in 0..<1_000 {
      var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      let place = Int.random(in: lines.indices, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: lines.insert(lines[place], at: place)
      case 1: lines.remove(at: place)
      case 2: lines.insert(lines.remove(at: place), at: Int.random(in: 0..<max(1, lines.count), using: &generator))
      default: lines[place] = String(lines[place].prefix(Int.random(in: 0...lines[place].count, using: &generator)))
      }
      let mutation = lines.joined(separator: "\n")
      guard tried.insert(mutation).inserted else { continue }
      do { try check(name, mutation) } catch is ExchangeError { continue }
    }
  }

  private func imported(
    _ name: String, _ text: String, isStrict: Bool = false, into deck: String = "d"
  ) throws -> ImportReport {
    try collection.importing(Array(text.utf8), as: name, in: folder, into: deck) { $0.isStrict = isStrict }.report
  }

  private func left(_ report: ImportReport) -> [String] {
    report.lines.parts.map { "\($0.line)-\($0.to) \($0.reason.rawValue)" }
  }

  @Test func `what is in no card is left with its lines and a reason`() throws {
    let report = try imported("a.md", Self.files[5].text)
    #expect(
      left(report) == [
        "5-5 outside", "12-14 comment", "21-21 answer_without_question", "25-25 no_cloze", "42-42 pair",
      ], "\(left(report))")
    #expect(left(try imported("n.txt", Self.files[2].text, into: "n")) == ["4-4 comment", "6-6 comment"])
    #expect(left(try imported("a.json", Self.files[3].text, into: "j")) == ["1-1 unknown_key"])
    #expect(
      left(try imported("f.md", Self.files[6].text + "\n# x <!-- id: k1 -->\n\ny\n", into: "f"))
        .contains("7-9 other_format"))
  }

  @Test func `a strict import refuses lines that are left, but not comments`() throws {
    #expect(try imported("c.md", "<!-- note -->\n\n# a\n\nb\n", isStrict: true).cards.added == 1)
    let error = #expect(throws: ExchangeError.self) {
      try imported("o.md", "loose\n\n# a\n\nc\n", isStrict: true, into: "o")
    }
    #expect(error?.message == "o.md:1: text outside of a card. Nothing was imported.")
  }

  @Test(arguments: [("a.md", "only prose\n"), ("b.md", ""), ("c.txt", "#only a comment\n"), ("d.csv", "\n\n")])
  func `a file without a card is an error`(name: String, text: String) throws {
    let error = #expect(throws: ExchangeError.self) { try imported(name, text) }
    #expect(error?.message.hasPrefix("no card was found in \(name)") == true)
  }

  @Test func `values beyond the header are refused, unless they are blank`() throws {
    let report = try imported("a.csv", Self.files[0].text)
    #expect(report.cards.rejected.map { "\($0.place?.line ?? 0) \($0.code.rawValue)" } == ["3 too_many_values"])
    #expect(report.cards.added == 4)
  }

  @Test(arguments: [
    "Word,Word,Back\nel cabo,cape,the cape\n", "front,back,front\na,b,c\n", "prompt,answer,Note,note\na,b,c,d\n",
    "p_recall,timestamp,delta\n1.0,17,86400\n",
  ])
  func `a header with one name twice, or without a side, is an error`(text: String) throws {
    let error = #expect(throws: ExchangeError.self) { try imported("a.csv", text) }
    #expect(error?.code == "bad_header")
  }

  /// Returns the fields and tags of the notes of a file.
  private func notes(_ name: String, _ text: String) throws -> [[String]] {
    _ = try imported(name, text)
    return try collection.store.read { db in
      try collection.cards(collection.deck(named: "d")).map { card in
        try NoteTable.record(db, card.note).fields + card.tags.map { "#" + $0 }
      }
    }
  }

  @Test(arguments: [
    ("#columns:Back\tFront\nb\tf\n", ["f", "b"]), ("#columns:Note\tFront\tBack\nn\tf\tb\n", ["f", "b"]),
    ("#columns:Front\tTags\tBack\nf\tx y\tb\n", ["f", "b", "#x", "#y"]),
    ("#separator:tab\nf\tb\tx\n", ["f", "b", "#x"]),
    ("#notetype:Cloze\n#columns:Text\tTags\n{{c1::a}}\tx\n", ["{{c1::a}}", "", "#x"]),
    ("#notetype:Cloze\n{{c1::a}}\te\tx\n", ["{{c1::a}}", "e", "#x"]),
    ("#html:true\n#columns:Back\tFront\n<b>b</b>\tf\n", ["f", "<b>b</b>"]),
    ("#tags column:1\nx\tf\tb\n", ["f", "b", "#x"]),
  ])
  func `columns of an Anki text are fields by name or by order, and tags follow`(text: String, note: [String]) throws {
    #expect(try notes("a.txt", text) == [note])
  }

  @Test(arguments: [
    ("a.csv", "#separator:Comma,,\n#columns:Front,Back,Tags\nf,b,x\n"),
    ("b.csv", "#html:true,,\n\"#tags:x\",,\nf,b,\n"),
    ("c.tsv", "#separator:tab\t\t\n#tags:x\t\t\nf\tb\n"),
    ("d.txt", "#separator:Semicolon;;\n#tags column:3;;\nf;b;x\n"),
  ])
  func `a file with Anki's header lines is an Anki text, as a spreadsheet saves it too`(name: String, text: String)
    throws
  {
    #expect(try notes(name, text) == [["f", "b", "#x"]])
  }

  @Test(arguments: [
    ("{\"title\": \"Deck\", \"notes\": 1}", "its keys: title, notes"), ("{\"entries\": [1]}", "its keys: entries"),
    ("{}", "it has no keys"),
  ])
  func `an object in which nothing is a card is an error that names its keys`(text: String, words: String) throws {
    let error = #expect(throws: ExchangeError.self) { try imported("a.json", text) }
    #expect(error?.message.contains(words) == true)
  }

  @Test func `the size of a row is no limit on what holds the rows`() throws {
    let big = (0..<60_000).map { "{\"n\": \"entry number \($0)\"}" }.joined(separator: ",")
    let report = try imported("a.json", "{\"other\": [\(big)], \"cards\": [{\"prompt\": \"p\", \"answer\": \"a\"}]}")
    #expect(report.cards.added == 1 && left(report) == ["1-1 unknown_key"])
  }

  @Test(arguments: [
    ("q\n---\na\n", [["q", "a"]]), ("q\n===\na\n\nr\n---\nb\n", [["q", "a"], ["r", "b"]]),
    ("# t\n\nq\n---\n\na\n", [["q", "a"]]), ("## q\na\n---\n\nloose\n", [["q", "a"]]),
    ("## q\n\na\n---\n## r\n\nb\n", [["q", "a"], ["r", "b"]]), ("Q: q\nA: a\n---\n\nloose\n", [["q", "a"]]),
  ])
  func `a heading may be underlined`(text: String, sides: [[String]]) throws {
    _ = try imported("a.md", text)
    #expect(try collection.cards(collection.deck(named: "d")).map { [$0.prompt, $0.answer] } == sides)
  }

  @Test func `comments are neither cards nor text`() throws {
    let text = "<!--\n# no\n\ncard\n-->\n# a\n\nb\n\n<!-- one\n\nQ: two\nA: 2 -->\n\nc\n<!-- open\n# d\n\ne\n"
    let report = try imported("a.md", text)
    #expect(try collection.cards(collection.deck(named: "d")).map { [$0.prompt, $0.answer] } == [["a", "b\nc"]])
    #expect(report.lines.left == [.comment: 7, .unclosedComment: 3] || report.cards.added == 1, "\(report.lines)")
  }

  @Test(arguments: [
    ("see [x](http://a.b/?q==1==2) ==y==", "see <a href=\"http://a.b/?q==1==2\">x</a> {{c1::y}}"),
    ("<http://a.b/==x==> ==y==", "<a href=\"http://a.b/==x==\">http://a.b/==x==</a> {{c1::y}}"),
    ("<b title=\"==x==\">a</b> ==y==", "<b title=\"==x==\">a</b> {{c1::y}}"),
    ("$a==b==c$ ==y==", "\\(a==b==c\\) {{c1::y}}"),
    ("==std::vector==", "{{c1::std:<!-- -->:vector}}"), ("==`std::x`==", "{{c1::<code>std:<!-- -->:x</code>}}"),
    ("==$\\frac{a}{b_{c}}$==", "{{c1::\\(\\frac{a}{b_{c} }\\)}}"), ("==a}}b==", "{{c1::a}<!-- -->}b}}"),
    ("==[a](b \"==t==\")==", "{{c1::<a href=\"b\" title=\"==t==\">a</a>}}"),
    ("==a **b== c** d==", "{{c1::a <b>b== c</b> d}}"),
    ("C: La [puerta] da a la [calle]. \\[no\\]", "La {{c1::puerta}} da a la {{c2::calle}}. [no]"),
    ("C: ![no](a.png) [gap] ![", "<img src=\"a.png\" alt=\"no\"> {{c1::gap}} !["),
  ])
  func `a cloze is marked only in text, and what it holds cannot end it`(text: String, html: String) throws {
    #expect(try notes("a.md", text + "\n").first?.first == html)
  }

  @Test(arguments: [
    "    ==code==\n", "![==x==](a.png)\n", "`==x==`\n", "[a]: http://a.b/==x==\n", "<http://a.b/==x==>\n",
  ])
  func `marks outside of text are no cloze`(text: String) throws {
    #expect(throws: ExchangeError.self) { try imported("a.md", text) }
  }

  @Test(arguments: [
    ("a[^1]\n\n[^1]: the note", "<p>a<sup>1</sup></p><div><sup>1</sup> the note</div>"),
    ("a\n\n[^1]: the note", "<p>a</p><p>[^1]: the note</p>"),
    ("a[^1]\n\n[^1]: b\n\n[^1]: c", "<p>a<sup>1</sup></p><p>[^1]: c</p><div><sup>1</sup> b</div>"),
    ("```\n[^1]: code\n```", "<pre><code>[^1]: code</code></pre>"),
  ])
  func `a footnote is not a link, and one that nothing refers to stays as text`(text: String, html: String) throws {
    #expect(try notes("a.md", "Q: *q*\nA: \(text)\n").first?.last == html)
  }
}
