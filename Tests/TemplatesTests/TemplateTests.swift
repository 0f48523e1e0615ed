// What templates make of fields: a table of notes, each with the cards that Anki 26.9.3 makes of it as HTML, and the
// terminal texts by our own rules; refused templates; limits.

import Problems
import TestSupport
import Text
import Values

@testable import Templates

@Suite struct TemplateTests {
  @Test func `each note of the table gives its cards`() throws {
    let notes = try jsonLines(fixtureText("note_templates.jsonl")).map(RenderedNote.init)
    #expect(notes.count >= 200)
    for note in notes {
      #expect(note.ordinals == note.cards.map { $0["ord"]?.integer ?? -1 }, "\(note.name)")
      for card in note.cards {
        let ordinal = card["ord"]?.integer ?? 0
        let shown = try note.rendered(ordinal)
        if let front = card["front"]?.text {
          #expect(withoutHintIDs(shown.front) == withoutHintIDs(front), "\(note.name)")
        }
        if let back = card["back"]?.text {
          #expect(withoutHintIDs(shown.back) == withoutHintIDs(back), "\(note.name)")
        }
        #expect(shown.texts.prompt == card["prompt"]?.text, "\(note.name), card \(ordinal + 1)")
        #expect(shown.texts.answer == card["answer"]?.text, "\(note.name), card \(ordinal + 1)")
      }
    }
  }

  @Test(arguments: [
    ("{{#Front}}x", "unclosed"), ("{{#Front}}{{#Back}}{{/Front}}{{/Back}}", "crossed"),
    ("{{/Front}}{{Front}}", "unopened"), ("{{Frnt}}", "did you mean \"Front\""),
    ("{{text:front}}", "names the field \"front\""), ("{{#Nope}}x{{/Nope}}{{Front}}", "\"Nope\""),
    ("{{}}", "names the field \"\""), ("no field", "shows no field"), ("{{FrontSide}}", "shows no field"),
    ("{{#FrontSide}}{{Front}}{{/FrontSide}}", "FrontSide"), ("<!-- {{Front}} -->", "shows no field"),
    (String(repeating: "{{#Front}}", count: 101), "more than 100 nested sections"),
    (String(repeating: "x", count: 1_000_001), "1,000,000 bytes"),
    (String(repeating: "{{Front}}", count: 10_001), "10,000 tags"),
  ])
  func `an invalid template is refused when its type is created`(front: String, words: String) throws {
    let draft = NoteTypeDraft(
      name: "T", fields: ["Front", "Back"], cards: [CardTemplate("Card 1", front: front, back: "{{Back}}")])
    let words = ["unclosed": "does not close", "crossed": "before", "unopened": "not open"][words] ?? words
    #expect {
      try draft.checked()
    } throws: {
      let error = $0 as? NoteError
      return error?.code == "bad_template" && error?.message.contains(words) == true
    }
  }

  @Test func `an imported type's template that cannot be parsed shows why`() throws {
    let pair = TemplatePair(CardTemplate("c", front: "{{#Front}}x", back: "{{Nope}}"))
    let fields = NoteFields(names: ["Front"], values: ["a"])
    let texts = try CardTexts(pair, fields: fields, ordinal: 0, isBlank: false, isInterrupted: { false })
    #expect(texts.prompt.contains("does not close") && texts.answer == "(no field Nope)")
  }

  @Test(arguments: ["<hr id=answer>", "<hr id=\"answer\">"])
  func `an answer does not repeat the front above its rule`(rule: String) throws {
    let pair = TemplatePair(CardTemplate("c", front: "{{Front}}", back: "{{Front}}\n\(rule)\n{{Back}}"))
    let fields = NoteFields(names: ["Front", "Back"], values: ["a", "b"])
    let texts = try CardTexts(pair, fields: fields, ordinal: 0, isBlank: false, isInterrupted: { false })
    #expect(texts.prompt == "a" && texts.answer == "b")
  }

  @Test func `a template in the old style may begin with white space`() throws {
    let pair = TemplatePair(CardTemplate("c", front: "\n {{=<% %>=}}<%Front%>", back: "<%Back%>"))
    let fields = NoteFields(names: ["Front", "Back"], values: ["a", "b"])
    let texts = try CardTexts(pair, fields: fields, ordinal: 0, isBlank: false, isInterrupted: { false })
    #expect(texts.prompt == "a" && texts.answer == "<%Back%>")
    #expect(Template.renaming(["Front": "Vorn"], in: "\n{{=<% %>=}}<%Front%>") == "\n{{=<% %>=}}<%Vorn%>")
  }

  @Test func `fields are renamed in the tags of a template and nowhere else`() {
    let source =
      "Front {{Front}} {{text:Front}} {{#Front}}{{ Front }}{{/Front}} {{Front2}} {{Front:x}} <!-- {{Front}} -->"
    #expect(
      Template.renaming(["Front": "Vorn"], in: source)
        == "Front {{Vorn}} {{text:Vorn}} {{#Vorn}}{{ Vorn }}{{/Vorn}} {{Front2}} {{Front:x}} <!-- {{Front}} -->")
  }

  /// Each takes minutes if a scan is repeated for each of its parts.
  @Test(
    arguments: [
      "{{c1::", "}}", "{{c1,", "{{c1::a::", "<", "<a ", "<a '", "<!--", "<script>", "<style>", "[", "x[", "[sound:",
      "<a", "</a", "<span>", "&", "&amp", "\\(",
      "<ruby><rt>", "<div style=\"display: none\">", " x[\n", "<pre>", "\"", "{{c1::a}}",
    ])
  func `a long field with anything opened and never closed takes linear time`(part: String) throws {
    let field = String(repeating: part, count: 50_000 / part.utf8.count)
    let start = processorSeconds()
    for front in ["{{Front}}", "{{cloze:Front}}", "{{cloze-only:Front}}", "{{text:Front}}", "{{furigana:Front}}"] {
      let pair = TemplatePair(CardTemplate("c", front: front, back: front))
      let fields = NoteFields(names: ["Front"], values: [field])
      _ = try CardTexts(pair, fields: fields, ordinal: 0, isBlank: false, isInterrupted: { false })
    }
    if part != "{{c1::a}}" { _ = try Template(field) }
    for html in [field, field + ">"] { _ = (MediaNames.inHTML(html), FieldHTML.sortText(html)) }
    _ = TerminalText.text(Bytes((field + String(repeating: "x", count: 50_000)).utf8), isInterrupted: { false })
    #expect(processorSeconds() - start < 4)
  }

  @Test func `a template that repeats a long field is limited`() throws {
    let template = try Template(String(repeating: "{{Front}}", count: 1000))
    let sides = CardSides(
      fields: NoteFields(names: ["Front"], values: [String(repeating: "x", count: 1_000_000)]), ordinal: 0,
      isInterrupted: { false })
    #expect(throws: NoteError.self) { try sides.front(template) }
  }

  @Test func `a tag that repeats a filter is limited`() throws {
    let template = try Template("{{" + String(repeating: "tts en:", count: 4000) + "Front}}")
    let sides = CardSides(
      fields: NoteFields(names: ["Front"], values: [String(repeating: "x", count: 100_000)]), ordinal: 0,
      isInterrupted: { false })
    #expect(throws: NoteError.self) { try sides.front(template) }
  }

  @Test(
    arguments: [
      ("abc {{c1::&nbsp;&nbsp;}}", "abc", []), ("{{c1::&nbsp;}} xyz", "xyz", []),
      ("a {{c1::b}} {{c2::c}}", "a b c", ["b"]), ("a {{c1::b<br>x}} d", "a b\nx d", ["b", "x"]),
    ] as [(String, String, [String])])
  func `what a cloze hid is marked in the drawing of the answer`(
    text: String, answer: String, hidden: [String]
  ) throws {
    let maker = NoteCardMaker(
      NoteType(StockNoteType.cloze.draft, id: NoteTypeID(rawValue: 1), modified: 0), isInterrupted: { false })
    let fields = NoteFields(names: ["Text", "Back Extra"], values: [text, ""])
    #expect(try maker.texts(fields, CardFacts(), ordinal: 0).answer == answer)
    let back = try maker.html(fields, CardFacts(), ordinal: 0, isForTerminal: true).back.text
    let drawing = CardDrawing(back, CardDrawing.Options(bracketsClozes: false))
    let marked = drawing.rows(within: 80).flatMap { $0 }.filter { $0.style.contains(.cyan) }.map(\.text)
    #expect(marked.filter { !$0.trimmed.isEmpty } == hidden)
  }

  @Test func `plain text becomes HTML, and HTML with more than text is distinguished from it`() {
    #expect(FieldHTML.html(ofPlain: "a < b & c\nd") == "a &lt; b &amp; c<br>d")
    for plain in ["el gato", "a &lt; b", "uno<br>dos", "[x]", "a  b", "[sound:a.mp3]"] {
      #expect(!FieldHTML.isFormatted(plain))
    }
    for html in ["<b>a</b>", "a&nbsp;b", "<img src=a>", "<div>a</div>", "<br/>", "&#65;", "&", "a&#0;"] {
      #expect(FieldHTML.isFormatted(html))
    }
  }

  @Test func `text with too many marks is truncated to the limit of a card`() {
    let text = TerminalText.text(Bytes(("a" + String(repeating: "&#x301;", count: 500)).utf8), isInterrupted: { false })
    #expect(text.unicodeScalars.count == 129)
  }

  @Test func `a picture or a sound of the network is not a media file`() {
    let html = "[sound:https://a.org/b.mp3] <img src=\"https://a.org/b.png\"> [sound:c.mp3]"
    #expect(MediaNames.inHTML(html) == ["c.mp3"])
  }

  @Test func `the text to sort by has the names of media, and no other tags`() {
    #expect(FieldHTML.sortText("<b title='>'>a</b> <img src=x.png> <br>&lt;") == "'>a  x.png  <")
  }

  @Test func `a percent sign in the name of a sound is an ordinary character, and in that of a picture may be one`() {
    let html = "[sound:100%41&amp;.mp3] <img src=\"p%41&amp;.png\">"
    #expect(MediaNames.inHTML(html) == ["100%41&.mp3", "pA&.png"])
    #expect(MediaNames.renaming("100%41&.mp3", to: "b.mp3", in: html) == "[sound:b.mp3] <img src=\"p%41&amp;.png\">")
    #expect(MediaNames.inHTML(html, isThere: { $0 == "p%41&.png" }) == ["100%41&.mp3", "p%41&.png"])
    #expect(MediaNames.inHTML(html, isThere: { _ in true }) == ["100%41&.mp3", "p%41&.png", "pA&.png"])
    for picture in ["p%41&.png", "pA&.png"] {
      #expect(MediaNames.renaming(picture, to: "b.png", in: html) == "[sound:100%41&amp;.mp3] <img src=\"b.png\">")
    }
    let text = TerminalText.text(Bytes("[sound:100%41.mp3]".utf8), isInterrupted: { false })
    #expect(text == "[sound 100%41.mp3]")
  }

  @Test(arguments: ["hidden", "hidden style='color: red'", "style='color: red; display: none'"])
  func `a hidden element is not shown, whatever other attributes it has`(attributes: String) {
    let text = TerminalText.text(Bytes("<span \(attributes)>x</span>y".utf8), isInterrupted: { false })
    #expect(text == "y")
  }

  private func withoutHintIDs(_ html: String) -> String {
    var (result, rest) = ("", html[...])
    while let range = rest.firstRange(of: "hint") {
      result += rest[..<range.upperBound]
      rest = rest[range.upperBound...].drop { $0.isHexDigit }
    }
    return result + rest
  }
}
