// The text of a deck's page: its content, and that the text of a card is never anything but text.

import Files
import Templates
import TestDecks
import Text
import Values

@testable import Exchange
@testable import Memory

struct PageTests {
  private let collection = TestCollection()
  private let folder = TemporaryFolder()
  private var path: String { folder.path + "/page.html" }

  private func page(
    _ collection: TestCollection, _ deck: DeckID
  ) throws -> (text: String, report: PageReport, weight: Int) {
    let moment = StudyMoment(now: collection.now)
    let (report, weight) = try collection.store.read { db in
      let page = try DeckPage(db, deck, at: moment) { folder.path + "/" + $0.hash }
      return (try page.write(to: path, isInterrupted: { false }), try page.weight())
    }
    return (try #require(try FileText.read(path, limit: 1 << 24)), report, weight)
  }

  /// Returns what is between two marks; the first mark must be unique.
  private func part(of text: String, from start: String, to end: String) throws -> String {
    let pieces = text.split(separator: start, omittingEmptySubsequences: false)
    try #require(pieces.count == 2, "\(pieces.count - 1) times \(start)")
    return String(try #require(pieces[1].split(separator: end, omittingEmptySubsequences: false).first))
  }

  @Test func `the policy names script and style by their hashes and allows nothing else`() throws {
    let text = try page(collection, try collection.deck("D")).text
    let policy = try part(of: text, from: "http-equiv=\"Content-Security-Policy\" content=\"", to: "\"")
    let script = base64(sha256(Array(try part(of: text, from: "<script>", to: "</script>").utf8)))
    let style = base64(sha256(Array(try part(of: text, from: "<style>", to: "</style>").utf8)))
    #expect(
      policy == "default-src 'none'; script-src 'sha256-\(script)'; media-src data:; manifest-src data:; "
        + "style-src 'sha256-\(style)'; "
        + "img-src data:; base-uri 'none'; form-action 'none'")
    #expect(text.utf8.count < 24_500, "\(text.utf8.count) bytes without a card")
  }

  @Test func `only a page that FSRS-6 does not schedule alone contains FSRS-7, with its state of each card`() throws {
    let deck = try collection.deck("D")
    let card = try collection.add(deck, "p", "a")
    #expect(!(try page(collection, deck).text.contains("function timedModel")))
    try collection.store.operation("x") { db in
      try db.execute(
        sql: "UPDATE cards SET state = 2, due = 1700000000, stability = 20, difficulty = 5, reps = 1, last_review = ?",
        arguments: [collection.now - 86_400])
      try db.execute(
        sql: "INSERT INTO reviews (card, at, rating, state, interval) VALUES (?, ?, 4, 0, 86400)",
        arguments: [card.rawValue, collection.now - 86_400])
      var options = DeckOptions()
      options.fitted = try FittedModels(
        answers: 1000, parameters: MemoryModel7.published, firsts: [90, 90, 90, 9],
        time: AnswerTime(median: 4, shift: 0.1, slope: -0.3))
      try DeckTable.setOptions(db, deck, to: options)
    }
    let (text, report, weight) = try page(collection, deck)
    #expect(text.contains("function timedModel") && abs(weight - report.bytes) < 1500, "\(weight), \(report.bytes)")
    #expect(text.contains("&quot;believed&quot;: [true, true, true, false], &quot;time&quot;: {&quot;median&quot;: 4"))
    #expect(text.contains("&quot;timed&quot;: {&quot;slow&quot;: 11.7841, ") && text.utf8.count < 30_000)
  }

  @Test func `the script in the page is the file without comments and insignificant whitespace`() throws {
    let source = try PageScript.parts.map { try #require(try FileText.read(sourceRoot() + $0, limit: 1 << 20)) }
    let lines = source.joined().split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
    let script = String(decoding: PageText.script(timed: true), as: UTF8.self)
    // Quoted text must stay as it is, and no string may span lines.
    for line in lines {
      #expect(line.filter { $0 == "`" }.count % 2 == 0, "\(line)")
      let parts = line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
      for (place, text) in parts where place % 2 == 1 { #expect(script.contains("\"\(text)\""), "\(line)") }
    }
    let bare = { (text: String) in text.filter { $0 != " " && $0 != "\n" } }
    #expect(bare(script) == bare(lines.joined()))
    #expect(PageText.script(timed: true).count > PageText.script(timed: false).count && !PageText.style.isEmpty)
  }

  @Test(arguments: [
    "</script><script>hostile = 1</script>", "</noscript><img src=x onerror=hostile=1>", "<!-- <script>", "-->",
    "<a href=\"javascript:hostile=1\">x</a>", "\" onclick=\"hostile=1", "' autofocus onfocus='hostile=1",
    "&lt;b&gt; &amp;", "]]><svg onload=hostile=1>", "a\rb", "<plaintext>", "</details></section>",
  ])
  func `the text of a card is text and nothing more`(_ hostile: String) throws {
    let deck = try collection.deck("D")
    let plain = try page(collection, deck).text
    try collection.add(deck, "p " + hostile + " q", "a " + hostile + " b", guid: "g" + hostile.filter { $0 >= " " })
    let text = try page(collection, deck).text
    for mark in ["<", ">", "<script", "</script", "<noscript", "</noscript", "<img", "<!--"] {
      let added = mark == "<" || mark == ">" ? 6 : 0
      #expect(text.ranges(of: mark).count == plain.ranges(of: mark).count + added, "\(mark)")
    }
    let shown = hostile.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;").replacing("\r", with: "&#13;")
    #expect(text.contains("dir=\"auto\">p \(shown) q</summary>") && text.contains(">a \(shown) b</div>"), "\(text)")
  }

  @Test(arguments: [
    ("a <b>b</b><script>x</script><i onclick=hostile=1>i</i>", "a <b>b</b><i>i</i>"),
    ("<a href=\"javascript:hostile=1\">l</a><iframe src=x>f</iframe><svg onload=hostile=1>s</svg>", "lfs"),
    ("<img src=x onerror=hostile=1><img src=\"https://a.org/b.png\">c", "c"),
    ("<b>open <ul><li>x", "<b>open <ul><li>x</li></ul></b>"),
    ("</div></details></section>x</b>", "x"),
    ("<form><input autofocus onfocus=hostile=1><button>x</button></form>", "x"),
    ("<p style=\"color: red; position: fixed; background: url(x)\">p</p>", "<p data-style=\"color:red\">p</p>"),
    ("<span style=\"color:expression(x)\" class='a\"b' lang=de>p</span>", "<span lang=\"de\">p</span>"),
    ("<font color=red>p</font>", "<font data-style=\"color:red\">p</font>"),
    ("<td colspan=2 onclick=x>p</td>", "<td colspan=\"2\">p</td>"),
    ("\\(x^2\\) &lt;b&gt; <style>p{}</style>", "x² &lt;b&gt; "), ("<b data-style=\"x\" id=status>p</b>", "<b>p</b>"),
  ])
  func `of the HTML of a card only what shows something is written`(_ html: String, _ written: String) throws {
    let deck = try collection.deck("D")
    try collection.addNote(deck, ["Front": html, "Back": "b"], .basic)
    let text = try page(collection, deck).text
    #expect(try part(of: text, from: " class=\"html\">", to: "</summary>") == written)
    #expect(!text.contains("hostile") && text.ranges(of: "<script").count == 1)
  }

  @Test func `a hint opens by a click, without a script`() throws {
    let deck = try collection.deck("D")
    let sides = CardSides(
      fields: NoteFields(names: ["Front", "Back"], values: ["q", "<i>h</i>"]), ordinal: 0, isInterrupted: { false })
    try collection.addNote(
      deck, ["Front": sides.front(Template("{{Front}} {{hint:Back}}")).text + "<b>x</b>", "Back": "b"], .basic)
    let text = try page(collection, deck).text.filter { $0 != "\n" }
    #expect(
      text.contains("q <details class=\"hint\"><summary>Back</summary><div><i>h</i></div></details><b>x</b></summary>"),
      "\(text)")
  }

  @Test(arguments: [
    (".card { color: black; font-size: 20px }", ".t1{font-size:20px}"),
    ("b, .x > i { color: red; }", ".t1 b,.t1 .x > i{color:red}"),
    ("body .y{margin:1px}", ".t1 .y{margin:1px}"), ("@import 'x'; b{color:red} i{color:blue}", ".t1 i{color:blue}"),
    ("@media print { b { color: red } } i{color:blue}", ".t1 i{color:blue}"), ("b{background:url(//x)}", ""),
    ("/* b{color:red} */ i{color:blue}", ".t1 i{color:blue}"), ("b{position:fixed;z-index:9}", ""), ("b{color:red", ""),
    ("b{color:red;}</style><script>x</script> i{color:blue}", ".t1 b{color:red}"), ("b:hover{color:red}", ""),
    ("b{color:\\75rl(x);width:calc(1px)}", ""), ("b{color:rgb(1,2,3)!important}", ".t1 b{color:rgb(1,2,3)!important}"),
  ])
  func `the style of a note type applies within its cards`(_ css: String, _ scoped: String) {
    #expect(PageStyle.scoped(css, to: "t1") == scoped)
  }

  @Test func `schedules, inner decks, typed answers and suspension`() throws {
    let (deck, inner) = (try collection.deck("D"), try collection.deck("D::In & out"))
    let card = try collection.add(deck, "one", "uno", guid: "g1")
    let hidden = try collection.add(deck, "hidden", "x")
    try collection.add(inner, "two", "dos", guid: "g2")
    try collection.addNote(deck, ["Front": "three", "Back": "tres"], .typed)
    try collection.addNote(deck, ["Text": "{{c1::four}} and {{c2::five}}"], .cloze)
    try collection.store.operation("study") { db in
      try CardHiding.setSuspended(db, [hidden], true, now: 1)
      var replay = try AnswerReplay(db, at: StudyMoment(now: collection.now))
      _ = try replay.enter(card, .good, at: StudyMoment(now: collection.now - 100), seconds: 2)
    }
    let (text, report, weight) = try page(collection, deck)
    #expect(report.cards == 5 && report.bytes == text.utf8.count && !text.contains("hidden</summary>"))
    #expect(abs(weight - report.bytes) < 2500, "\(weight) reckoned, \(report.bytes) written")
    #expect(text.contains("data-guid=\"g1\" data-schedule=\"{&quot;state&quot;: 1, &quot;step&quot;: 1"))
    #expect(text.contains("<summary dir=\"auto\">one</summary><div dir=\"auto\">uno</div>"))
    #expect(
      text.contains(#"data-typed="tres""#) && text.contains(#"[...]</span> and <span class="cloze-inactive">five"#))
    #expect(text.contains("<section data-subdeck=\"In &amp; out\"") && text.contains("<h2>In &amp; out</h2>"))
  }

  @Test func `pictures and sounds are embedded, and unusable ones are counted`() throws {
    let deck = try collection.deck("D")
    let picture = (0..<100_001).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try folder.write(picture, to: "aa")
    try folder.write([1, 2], to: "bb")
    try collection.store.operation("media") { db in
      for (name, hash, size) in [("a b.png", "aa", 100_001), ("s.mp3", "bb", 2), ("x.exe", "cc", 1)] {
        _ = try MediaTable.add(db, name: name, hash: hash, size: size)
      }
    }
    try collection.add(deck, "look <img src=\"a b.png\">", "hear [sound:s.mp3] [sound:x.exe]", guid: "g")
    let (text, report, weight) = try page(collection, deck)
    #expect(text.contains("look <img alt=\"a b.png\" src=\"data:image/png;base64,\(base64(picture))\"></summary>"))
    #expect(text.contains("hear <audio controls title=\"s.mp3\" src=\"data:audio/mpeg;base64,AQI=\"></audio> </div>"))
    #expect(report.media == 2 && report.mediaLeftOut == 1 && abs(weight - report.bytes) < 2000)
    try collection.add(deck, "<img src=x>", "a tag of HTML")
    #expect(try page(collection, deck).1.mediaLeftOut == 1)
  }
}

@Suite struct PageMediaTests {
  @Test(arguments: [
    ("a.png", "image/png"), ("a.JPG", "image/jpeg"), ("a.jpeg", "image/jpeg"), ("a.gif", "image/gif"),
    ("a.webp", "image/webp"), ("a.avif", "image/avif"), ("a.bmp", "image/bmp"), ("a.svg", "image/svg+xml"),
    ("a.mp3", "audio/mpeg"), ("a.ogg", "audio/ogg"), ("a.oga", "audio/ogg"), ("a.opus", "audio/ogg"),
    ("a.wav", "audio/wav"), ("a.flac", "audio/flac"), ("a.m4a", "audio/mp4"), ("a.aac", "audio/mp4"),
    ("a.webm", "audio/webm"),
  ])
  func `a picture and a sound have the media types that browsers know`(_ name: String, _ type: String) {
    switch PageMediaKind(ofName: name) {
    case .picture(type)?: #expect(type.hasPrefix("image/"))
    case .sound(type)?: #expect(type.hasPrefix("audio/"))
    default: Issue.record("\(name)")
    }
  }
}

struct GalleryTests {
  private let folder = TemporaryFolder()

  private struct Stopped: Error {}

  private func picture(_ title: String, broken: Int = 0) -> GalleryPicture {
    GalleryPicture(title: title, description: "A card with \(title).", png: [1, 2, 3], broken: broken)
  }

  @Test func `pictures in order, each with its caption, and no script`() throws {
    let titles = ["el gato", "</style><script>hostile = 1</script>", "\" onload=\"hostile=1"]
    var done: [Int] = []
    let report = try GalleryPage(title: "<Animals>", count: 3) { picture(titles[$0], broken: $0) }
      .write(to: folder.path + "/page.html", isInterrupted: { false }) { done.append($0) }
    let text = try #require(try FileText.read(folder.path + "/page.html", limit: 1 << 20))
    #expect(report.documents == 3 && report.broken == 3 && report.bytes == text.utf8.count && done == [1, 2, 3])
    #expect(text.ranges(of: "src=\"data:image/png;base64,\(base64([1, 2, 3]))\"").count == 3)
    #expect(text.contains("<title>&lt;Animals&gt;</title>") && text.contains("alt=\"A card with el gato.\""))
    #expect(!text.contains("<script") && !text.contains("\" onload="))
    #expect(text.ranges(of: "</style>").count == 1)
    let pieces = text.split(separator: "<style>", maxSplits: 1)
    let style = try #require(pieces.last?.split(separator: "</style>", maxSplits: 1).first)
    #expect(
      text.contains(
        "default-src 'none'; style-src 'sha256-\(base64(sha256(Array(style.utf8))))'; img-src data:; base-uri 'none'; "
          + "form-action 'none'"))
  }

  @Test func `a picture that cannot be drawn leaves the file as it was`() throws {
    let path = folder.path + "/page.html"
    try AtomicFile.write(path, Array("before".utf8))
    #expect(throws: Stopped.self) {
      try GalleryPage(title: "", count: 2) { place in
        if place == 1 { throw Stopped() }
        return picture("a")
      }.write(to: path, isInterrupted: { false })
    }
    #expect(try FileText.read(path, limit: 100) == "before")
    #expect(try Folder.names(in: folder.path).count == 1)
  }
}
