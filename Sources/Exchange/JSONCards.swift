// Reads cards as JSON: an array of objects, an object with everything (deck, options, note types, cards), or one
// object per line.
// Invariant: every unknown key of a card is kept in the card's fields; memory holds one card at a time.

import Decks
import Problems
import Text
import Values

final class JSONCards: CardRows {
  /// The position in the structure of the file.
  private enum Place {
    case beginning, inArray, inObject, inTypes, inCards, inLines, end
  }

  private let source: ByteSource
  private var element: JSONElement
  private var place: Place
  /// Whether the current list has already yielded an element.
  private var hasElement = false
  private(set) var found = ImportFindings()
  var account: LineAccount { source.account }
  /// The names of the members of the object, and whether one of them has cards.
  private var (names, hasCards): ([String], Bool) = ([], false)
  private var isCrowdAnki = false

  /// - Parameter isLines: whether the file has one object per line instead of a single value.
  init(_ source: ByteSource, isLines: Bool) {
    self.source = source
    element = JSONElement(source)
    place = isLines ? .inLines : .beginning
    found.encoding = source.encoding
    if !isLines { source.account.countElements() }
  }

  func next(into row: inout CardRow) throws -> Bool {
    while true {
      switch place {
      case .beginning: try open()
      case .inArray, .inCards:
        if try hasNext() {
          try element.read(into: &row)
          count(row, account.nextElement())
          return true
        }
        place = place == .inArray ? .end : .inObject
      case .inTypes:
        if try hasNext() {
          try element.readType(into: &row)
          count(row, account.nextElement())
          return true
        }
        place = .inObject
      case .inObject: if try member(into: &row) { return true }
      case .inLines:
        try element.reader.skipBlanks()
        if try source.peek() == nil {
          source.endAccount()
          return false
        }
        try element.read(into: &row)
        count(row, row.start.line, to: source.line)
        try endLine()
        return true
      case .end:
        try element.reader.skipBlanks()
        if try source.peek() != nil { throw try source.expected("the end of the file") }
        if !hasCards { throw ExchangeError.noCards(path: source.path, keys: names, isCrowdAnki: isCrowdAnki) }
        source.endAccount()
        return false
      }
    }
  }

  private func open() throws {
    try element.reader.skipBlanks()
    switch try source.peek() {
    case UInt8(ascii: "["):
      (place, hasCards) = (.inArray, true)
      use()
    case UInt8(ascii: "{"):
      place = .inObject
      isFirstMember = true
    default: throw try source.expected("\"[\" or \"{\"")
    }
    source.skip()
    hasElement = false
  }

  private var isFirstMember = false

  private func use() {
    let number = account.nextElement()
    account.use(number...number)
  }

  /// Counts an element: options and note types are used, everything else is a row.
  private func count(_ row: CardRow, _ first: Int, to last: Int? = nil) {
    let lines = first...(last ?? first)
    if row.content.isCard || row.start.invalidReason != nil { account.row(lines) } else { account.use(lines) }
  }

  /// Returns whether another element of the list follows.
  private func hasNext() throws -> Bool {
    let close = UInt8(ascii: "]")
    let isThere = try hasElement ? element.reader.hasNext(until: close) : !element.reader.isEmpty(until: close)
    hasElement = true
    if isThere { try element.reader.skipBlanks() }
    return isThere
  }

  /// Skips whitespace after the object of a line; anything else is an error.
  private func endLine() throws {
    while let byte = try source.peek(), byte == 0x20 || byte == 0x09 || byte == 0x0D { source.skip() }
    if let byte = try source.peek(), byte != 0x0A { throw try source.expected("the line's end") }
  }

  // MARK: The object with everything

  /// Reads the next member. Returns true when it made a row, false when it was skipped or a list was entered.
  private func member(into row: inout CardRow) throws -> Bool {
    let close = UInt8(ascii: "}")
    let isThere = try isFirstMember ? !element.reader.isEmpty(until: close) : element.reader.hasNext(until: close)
    isFirstMember = false
    guard isThere else {
      place = .end
      return false
    }
    element.reader.beginRow()
    let (line, column) = (source.line, source.column)
    let name = String(decoding: try element.reader.name().bytes, as: UTF8.self)
    switch name {
    case "cards": try enter(.inCards)
    case "note_types": try enter(.inTypes)
    case "options":
      hasCards = true
      row.clear(line: line, column: column)
      try element.readOptions(into: &row)
      count(row, account.nextElement())
      return true
    case "deckhand", "deck":
      try element.reader.skip()
      use()
    default: try skip(name, line)
    }
    return false
  }

  /// Skips a member that is not known.
  private func skip(_ name: String, _ line: Int) throws {
    if names.count < 100 { names.append(name) }
    if name == "__type__", try source.peek() == UInt8(ascii: "\"") {
      isCrowdAnki = try element.reader.text().bytes == Array("Deck".utf8)
    } else {
      try element.reader.skip()
    }
    let number = account.nextElement()
    account.leave(number...number, .unknownKey, name: printable(name, limit: 60), at: line)
  }

  private func enter(_ list: Place) throws {
    try element.reader.expect(UInt8(ascii: "["))
    hasCards = true
    use()
    (place, hasElement) = (list, false)
  }
}
