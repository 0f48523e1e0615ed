// Reads the HTML of a card for its drawing. Invariant: the HTML is read once; scripts, styles, comments and hidden
// elements leave no trace; elements deeper than `deepest` show their text alone.

import Text

struct DrawingReader {
  private struct Element {
    let name: String
    let style: Style
    var keepsBlanks = false
    /// What is written before the first line and before the others.
    var mark: String?
    var hang = ""
    /// Written when the element ends.
    var end = ""
    /// The number of the next item of a list.
    var count: Int?
    /// 1 for raised text, -1 for lowered.
    var shift = 0
  }

  private static let deepest = 100
  private static let styles: [String: Style] = [
    "b": .bold, "strong": .bold, "h1": .bold, "h2": .bold, "h3": .bold, "h4": .bold, "h5": .bold, "h6": .bold,
    "th": .bold, "dt": .bold, "i": .italic, "em": .italic, "cite": .italic, "dfn": .italic, "var": .italic,
    "u": .underline, "ins": .underline, "s": .strike, "strike": .strike, "del": .strike, "mark": .reversed,
  ]
  /// Elements with an empty line above and below.
  private static let spaced: Set<String> = ["p", "blockquote", "pre", "table", "h1", "h2", "h3", "h4", "h5", "h6"]
  private static let cells: Set<String> = ["td", "th"]
  private static let frames: Set<String> = ["table", "thead", "tbody", "tfoot", "tr", "td", "th"]
  private static let blocks = HTMLTag.blocks.union(["td", "th", "pre"])
  /// The elements that a tag ends where their end tag was left out, and those beyond which it ends none.
  private static let implied: [String: (ended: Set<String>, within: Set<String>)] = [
    "li": (["li"], ["ul", "ol", "td", "th"]), "dt": (["dt", "dd"], ["dl", "td", "th"]),
    "dd": (["dt", "dd"], ["dl", "td", "th"]), "tr": (["tr"], ["table"]), "td": (cells, ["tr", "table"]),
    "th": (cells, ["tr", "table"]),
  ]

  private let options: CardDrawing.Options
  private let html: ArraySlice<UInt8>
  private var reader: HTMLReader
  private var open: [Element]
  private(set) var lines: [CardDrawing.Line] = []
  private(set) var hasHints = false
  private var line: CardDrawing.Line?
  /// What was read of the line and is not yet in it, with its style.
  private var bytes = Bytes()
  private var (style, shift): (Style, Int) = ([], 0)
  /// The line ends before the next character; dropped at the start.
  private var breaks = 0
  private var blank = false
  /// The least number of open elements since the text before the line ends: an empty line belongs to those.
  private var depth = Int.max
  /// Whether the text of the link of a hint comes next.
  private var beginsHint = false
  /// The row that is being read; the lines outside of the cell that is being read, and how many elements contain it.
  private var row: [[CardDrawing.Line]]?
  private var outside: (lines: [CardDrawing.Line], breaks: Int, depth: Int)?

  init(_ html: ArraySlice<UInt8>, isPlain: Bool, _ options: CardDrawing.Options) {
    (self.html, self.options) = (html, options)
    open = [Element(name: "", style: [], keepsBlanks: isPlain)]
    let opensHints = options.opensHints
    reader = HTMLReader(html) { tag in
      tag.isHint ? (tag.name == "a") == opensHints && (opensHints || tag.isHidden) : tag.isHidden
    }
  }

  mutating func run() {
    while let part = reader.next() {
      switch part {
      case .text(let text): for byte in text { read(byte) }
      case .character(let scalar): for byte in String(scalar).utf8 { scalar == "\n" ? read(byte) : write(byte) }
      case .tag(let tag): tag.isClosing ? close(tag.name) : show(tag)
      case .hidden(let tag): if let tag, tag.isHint { hasHints = true }
      }
    }
    while open.count > 1 { end(open.removeLast()) }
    endLine()
  }

  private var inner: Element { open[open.count - 1] }

  // MARK: Text

  private mutating func read(_ byte: UInt8) {
    guard isASCIISpace(byte) else { return write(byte) }
    if !inner.keepsBlanks {
      blank = !beginsHint
    } else if byte == 0x0A {
      breaks += 1
    } else if byte == 0x09 {
      write("    ")
    } else if byte != 0x0D {
      write(byte)
    }
  }

  private mutating func write(_ byte: UInt8) {
    if breaks > 0 || line == nil { beginLine() }
    let isNew = style != inner.style || shift != inner.shift
    if isNew { flush() }
    if blank, hasText {
      // A space belongs to what is on both of its sides.
      let between = style.intersection(inner.style)
      if bytes.isEmpty { line?.runs.add(" ", between) } else { bytes.append(0x20) }
    }
    (blank, beginsHint) = (false, false)
    (style, shift) = (inner.style, inner.shift)
    bytes.append(byte)
  }

  private var hasText: Bool { line?.runs.isEmpty == false || !bytes.isEmpty }

  private mutating func write(_ text: String) { for byte in text.utf8 { write(byte) } }

  private mutating func beginLine() {
    endLine()
    addBreaks()
    let (lead, hang) = margin()
    line = CardDrawing.Line(lead: lead, hang: hang)
    blank = false
  }

  /// Adds the empty lines before a line.
  private mutating func addBreaks() {
    if !lines.isEmpty, breaks > 1 {
      let hang = open.prefix(depth).dropFirst(outside?.depth ?? 0).map(\.hang).joined().trimmed
      lines += repeatElement(CardDrawing.Line(lead: hang, hang: hang), count: breaks - 1)
    }
    (breaks, depth) = (0, .max)
  }

  /// Returns what is written before the line and before those that continue it.
  private mutating func margin() -> (lead: String, hang: String) {
    var (lead, hang) = ("", "")
    for place in open.indices.dropFirst(outside?.depth ?? 0) {
      lead += open[place].mark ?? open[place].hang
      hang += open[place].hang
      open[place].mark = nil
    }
    return (lead, hang)
  }

  private mutating func endLine() {
    flush()
    if let line { lines.append(line) }
    line = nil
  }

  /// Puts what was read into the line.
  private mutating func flush() {
    guard !bytes.isEmpty, var line else { return }
    var isAfterSound = false
    for piece in FieldPiece.pieces(of: bytes.text) {
      switch piece {
      case .text(let text):
        let shown = printable(limitingMarks(text), limit: .max)
        if isAfterSound, shown.first?.isLetter == true { line.runs.add(" ", []) }
        line.runs.add(shift == 0 || shown.count > 9 ? shown : MathText.shifted(shown, up: shift > 0), style)
        isAfterSound = false
      case .sound:
        add(sound, to: &line)
        isAfterSound = true
      }
    }
    (self.line, bytes, blank) = (line, [], blank || isAfterSound)
  }

  private var sound: String { options.isSpoken ? "sound" : "♪" }

  private func add(_ sign: String, to line: inout CardDrawing.Line) {
    let isApart = line.runs.isEmpty || line.runs.text.last == " "
    line.runs.add((isApart ? "" : " ") + sign, style.subtracting(.bold))
  }

  // MARK: Tags

  private mutating func show(_ tag: HTMLTag) {
    switch tag.name {
    case "br": breaks += 1
    case "hr":
      endLine()
      addBreaks()
      if !lines.isEmpty { lines.append(CardDrawing.Line(rule: "─")) }
      breaks = 1
    case "img": picture(tag)
    case "audio": if !tag.fileName.isEmpty { put(sound) }
    case "video": if !tag.fileName.isEmpty { put("[video \(printable(tag.fileName, limit: .max))]") }
    default: if !tag.isVoid { begin(tag) }
    }
  }

  /// Writes a sign that is apart from the text beside it.
  private mutating func put(_ sign: String) {
    if breaks > 0 || line == nil { beginLine() }
    flush()
    guard var line else { return }
    add(sign, to: &line)
    (self.line, blank) = (line, true)
  }

  /// The mark of a picture is a run of its own, so that a screen can draw the picture in its place.
  private mutating func picture(_ tag: HTMLTag) {
    let mark = CardDrawing.mark(ofPicture: tag.fileName)
    let alt = tag.attribute("alt").map { MediaNames.decoded($0).trimmed } ?? ""
    if options.isSpoken { return put("picture: \(printable(alt.isEmpty ? tag.fileName : alt, limit: .max))") }
    if breaks > 0 || line == nil { beginLine() }
    flush()
    if blank, hasText { line?.runs.append(StyledRun(" ")) }
    line?.runs.append(StyledRun(mark, .dim))
    (blank, style) = (false, inner.style)
  }

  private mutating func begin(_ tag: HTMLTag) {
    let name = tag.name
    let isBlock = Self.blocks.contains(name)
    closeImplied(name, isBlock: isBlock)
    if isBlock { breakLine(name) }
    guard open.count < Self.deepest else { return }
    var element = Element(name: name, style: tag.style(within: inner.style.union(Self.styles[name] ?? [])))
    element.keepsBlanks = inner.keepsBlanks || name == "pre"
    element.shift = name == "sup" ? 1 : name == "sub" ? -1 : inner.shift
    switch name {
    case "ol": element.count = tag.attribute("start").flatMap { Int($0) } ?? 1
    case "li": (element.mark, element.hang) = item()
    case "blockquote": element.hang = options.isSpoken ? "" : "│ "
    case "dd": element.hang = "  "
    case "tr" where outside == nil:
      endLine()
      row = []
    case "td", "th": beginCell()
    case "rt":
      write("(")
      element.end = ")"
    case "a" where tag.isHint:
      hasHints = true
      write("[")
      (element.end, beginsHint) = ("]", true)
    case "span" where tag.attribute("class") == "cloze":
      let next = html[reader.index...]
      if options.bracketsClozes, !next.begins(with: "[") || next.begins(with: "[sound:") { element.end = "]" }
    default: break
    }
    open.append(element)
    if name == "span", !element.end.isEmpty { write("[") }
  }

  /// Returns what is before an item of the innermost list.
  private mutating func item() -> (mark: String, hang: String) {
    var mark = options.isSpoken ? "" : "• "
    if let list = open.lastIndex(where: { $0.name == "ul" || $0.name == "ol" }), let count = open[list].count {
      mark = "\(count). "
      open[list].count = count == .max ? count : count + 1
    }
    return (mark, String(repeating: " ", count: mark.count))
  }

  private mutating func breakLine(_ name: String) {
    let isSpaced = Self.spaced.contains(name) && !open.contains { $0.name == "li" || Self.cells.contains($0.name) }
    breaks = Swift.max(isSpaced ? 2 : 1, breaks)
    depth = Swift.min(depth, open.count)
  }

  private mutating func beginCell() {
    guard outside == nil, open.contains(where: { $0.name == "table" }) else { return blank = true }
    endLine()
    if row == nil { row = [] }
    outside = (lines, breaks, open.count)
    (lines, breaks) = ([], 0)
  }

  private mutating func closeImplied(_ name: String, isBlock: Bool) {
    guard let rule = Self.implied[name] ?? (isBlock ? (ended: ["p"], within: Self.blocks) : nil),
      let place = open.lastIndex(where: { rule.ended.contains($0.name) || rule.within.contains($0.name) }),
      rule.ended.contains(open[place].name)
    else { return }
    while open.count > place { end(open.removeLast()) }
  }

  private mutating func close(_ name: String) {
    // An end tag in a cell ends nothing outside of it.
    let least = Self.frames.contains(name) ? 1 : open.lastIndex { Self.cells.contains($0.name) }.map { $0 + 1 } ?? 1
    guard let place = open[least...].lastIndex(where: { $0.name == name }) else { return }
    while open.count > place { end(open.removeLast()) }
  }

  private mutating func end(_ element: Element) {
    let name = element.name
    if !element.end.isEmpty {
      if name == "rt", bytes.last == UInt8(ascii: "(") { bytes.removeLast() } else { writeEnd(element) }
    }
    if let outer = outside, open.count == outer.depth, Self.cells.contains(name) {
      endLine()
      row?.append(lines)
      (lines, outside, breaks, blank) = (outer.lines, nil, outer.breaks, false)
    } else if name == "tr" || name == "table", outside == nil, let cells = row {
      row = nil
      breaks = Swift.max(1, breaks)
      if cells.contains(where: { !$0.isEmpty }) {
        addBreaks()
        let (lead, hang) = margin()
        lines.append(CardDrawing.Line(lead: lead, hang: hang, cells: cells))
      }
      breakLine(name)
    } else if Self.blocks.contains(name) {
      breakLine(name)
    }
  }

  /// Writes the end of an element in its style, on the line that its text is on.
  private mutating func writeEnd(_ element: Element) {
    let before = breaks
    (breaks, blank) = (0, false)
    open.append(element)
    write(element.end)
    open.removeLast()
    breaks = before
  }
}

extension HTMLTag {
  /// Whether it is the link of `{{hint:Field}}` or the text behind it.
  package var isHint: Bool { attribute("class") == "hint" }

  /// The style of the text of this element.
  fileprivate func style(within outer: Style) -> Style {
    var style = outer
    if name == "span", attribute("class") == "cloze" { style = style.subtracting(.colors).union(CardDrawing.cloze) }
    if let color = attribute("color") { style.paint(color) }
    for declaration in HTMLTag.declarations(attribute("style") ?? "") {
      let value = declaration.value
      switch declaration.property {
      case "color": style.paint(value)
      case "font-weight":
        let isBold = ["bold", "bolder"].contains(value) || (Int(value) ?? 0) >= 600
        if isBold { style.insert(.bold) } else { style.remove(.bold) }
      case "font-style": if value == "normal" { style.remove(.italic) } else { style.insert(.italic) }
      case "text-decoration", "text-decoration-line":
        if value.contains(text: "underline") { style.insert(.underline) }
        if value.contains(text: "line-through") { style.insert(.strike) }
      default: break
      }
    }
    return style
  }

  /// Returns the declarations of a style in lower case: `("color", "red")`.
  package static func declarations(_ style: String) -> [(property: String, value: String)] {
    style.split(separator: ";").compactMap { declaration in
      let parts = declaration.split(at: ":", maxSplits: 1).map { String($0).trimmed.lowercased() }
      return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
  }
}
