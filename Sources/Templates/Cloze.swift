// Cloze deletions of a field: `{{c1::text::hint}}`, `{{c1,2::text}}`, nested up to 10 levels.
// Invariant: parsing and showing take time in proportion to the field's length, however many clozes it holds.

import Text

package struct ClozeText {
  struct Cloze {
    /// Sorted, without duplicates, 0 to 65,535.
    let numbers: [Int]
    var nodes: [Node] = []
    var hint: ArraySlice<UInt8>?

    /// What an area of a picture has after `image-occlusion:`; nil for any other cloze.
    var area: String? {
      guard case .text(let text)? = nodes.first, text.begins(with: "image-occlusion:") else { return nil }
      return text.dropFirst(16).text
    }
  }

  indirect enum Node {
    case text(ArraySlice<UInt8>)
    case cloze(Cloze)
  }

  static let depthLimit = 10
  /// The maximum number of clozes in a field; anything after them is read as text.
  static let countLimit = 20_000
  private(set) var nodes: [Node] = []
  /// The clozes that are areas of a picture; nil for one that cannot be read.
  private(set) var areas: [MaskedArea?] = []

  package init(_ field: Bytes) {
    let bytes = field[...]
    var open: [Cloze] = []
    var (index, textStart, count) = (0, 0, 0)
    while index < bytes.endIndex, count < ClozeText.countLimit {
      if bytes[index] == UInt8(ascii: "}"), bytes.begins(with: "}}", at: index) {
        add(bytes[textStart..<index], to: &open)
        close(&open, bytes[index..<index + 2])
        index += 2
        textStart = index
      } else if let (numbers, end) = ClozeText.opening(bytes, index) {
        add(bytes[textStart..<index], to: &open)
        if open.count < ClozeText.depthLimit { open.append(Cloze(numbers: numbers)) }
        count += 1
        index = end
        textStart = end
      } else {
        index += 1
      }
    }
    // A cloze that is never closed shows nothing.
    add(bytes[textStart...], to: &open)
    for case .cloze(let cloze) in nodes {
      // No field contains this character.
      let parts = cloze.area?.replacing(text: "\\:", with: "\u{1F}").split(at: ":").map(String.init) ?? []
      guard let shape = parts.first, ["rect", "ellipse", "polygon", "text"].contains(shape) else { continue }
      areas.append(MaskedArea(parts, cloze.numbers))
    }
  }

  private mutating func close(_ open: inout [Cloze], _ braces: ArraySlice<UInt8>) {
    guard let last = open.popLast() else { return nodes.append(.text(braces)) }
    if open.isEmpty { nodes.append(.cloze(last)) } else { open[open.count - 1].nodes.append(.cloze(last)) }
  }

  /// Within a cloze, `::` ends the text and begins the hint.
  private mutating func add(_ text: ArraySlice<UInt8>, to open: inout [Cloze]) {
    if text.isEmpty { return }
    guard !open.isEmpty else { return nodes.append(.text(text)) }
    guard let colons = text.position(of: "::", from: text.startIndex) else {
      open[open.count - 1].nodes.append(.text(text))
      return
    }
    open[open.count - 1].nodes.append(.text(text[..<colons]))
    open[open.count - 1].hint = text[(colons + 2)...]
  }

  /// Parses `{{c1,2::` at an index; returns its numbers and the end index.
  private static func opening(_ bytes: ArraySlice<UInt8>, _ start: Int) -> (numbers: [Int], end: Int)? {
    guard bytes[start] == UInt8(ascii: "{"), bytes.begins(with: "{{c", at: start) else { return nil }
    var (index, number, digits) = (start + 3, 0, 0)
    var numbers: [Int] = []
    func take() { if digits > 0, number <= 65_535 { numbers.append(number) } }
    while index < bytes.endIndex, index - start < 2_000 {
      let byte = bytes[index]
      if (48...57).contains(byte) {
        number = min(100_000, number * 10 + Int(byte - 48))
        digits += 1
      } else if byte == UInt8(ascii: ",") {
        take()
        (number, digits) = (0, 0)
      } else {
        break
      }
      index += 1
    }
    take()
    guard !numbers.isEmpty, bytes.begins(with: "::", at: index) else { return nil }
    return (Set(numbers).sorted(), index + 2)
  }

  // MARK: Queries

  package var numbers: Set<Int> {
    var found: Set<Int> = []
    ClozeText.collect(nodes, &found)
    return found
  }

  private static func collect(_ nodes: [Node], _ found: inout Set<Int>) {
    for case .cloze(let cloze) in nodes {
      found.formUnion(cloze.numbers)
      collect(cloze.nodes, &found)
    }
  }

  // MARK: Rendering

  /// Returns the field as one side of the card with that number shows it; empty if no cloze has the number.
  /// - Parameter isTagged: whether tags mark the clozes.
  package func shown(number: Int, isFront: Bool, isTagged: Bool = true) -> Bytes {
    var view = ClozeView(number: number, isFront: isFront, isTagged: isTagged)
    let isActive = view.show(nodes)
    return isActive ? FieldHTML.strippingMathTags(view.result) : []
  }

  /// Returns only the texts of the clozes with that number, or on the front their hints, separated by ", ".
  package func only(number: Int, isFront: Bool) -> Bytes {
    Bytes(texts(number, isFront: isFront).joined(separator: Bytes(", ".utf8)))
  }

  /// Returns the same texts as the answer to be typed: if they are all equal, as in Anki, only one of them.
  package func typed(number: Int) -> Bytes {
    let found = texts(number, isFront: false)
    if let first = found.first, found.allSatisfy({ $0 == first }) { return first }
    return Bytes(found.joined(separator: Bytes(", ".utf8)))
  }

  private func texts(_ number: Int, isFront: Bool) -> [Bytes] {
    var found: [Bytes] = []
    ClozeText.collect(nodes, number, isFront, &found)
    return found
  }

  private static func collect(_ nodes: [Node], _ number: Int, _ isFront: Bool, _ found: inout [Bytes]) {
    for case .cloze(let cloze) in nodes {
      if cloze.numbers.contains(number) {
        var text = Bytes()
        if isFront { text = cloze.hint.map(Bytes.init) ?? Bytes("...".utf8) } else { plain(cloze.nodes, &text) }
        found.append(text)
      }
      collect(cloze.nodes, number, isFront, &found)
    }
  }

  private static func plain(_ nodes: [Node], _ text: inout Bytes) {
    for node in nodes {
      switch node {
      case .text(let part): text += part
      case .cloze(let cloze): plain(cloze.nodes, &text)
      }
    }
  }
}

private struct ClozeView {
  let number: Int
  let isFront: Bool
  let isTagged: Bool
  var result = Bytes()

  mutating func show(_ nodes: [ClozeText.Node]) -> Bool {
    var isActive = false
    for node in nodes {
      switch node {
      case .text(let text): result += text
      case .cloze(let cloze): if show(cloze) { isActive = true }
      }
    }
    return isActive
  }

  private mutating func show(_ cloze: ClozeText.Cloze) -> Bool {
    let isThis = cloze.numbers.contains(number)
    // It is drawn over the picture, and has no text.
    if cloze.area != nil { return isThis }
    if isTagged {
      result.add(isThis ? "<span class=\"cloze\" data-ordinal=\"" : "<span class=\"cloze-inactive\" data-ordinal=\"")
      result.add(cloze.numbers.map(String.init).joined(separator: ","))
      result.add("\">")
    }
    var isActive = isThis
    if isThis, isFront {
      result.append(UInt8(ascii: "["))
      if let hint = cloze.hint { result += hint } else { result.add("...") }
      result.append(UInt8(ascii: "]"))
    } else if show(cloze.nodes) {
      isActive = true
    }
    if isTagged { result.add("</span>") }
    return isActive
  }
}
