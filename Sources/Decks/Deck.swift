// A deck as it is stored, and the rules for its name.
// Invariant: a `DeckName` that exists has passed every rule; nothing else reaches the table.

import Text

/// The id of a deck, here and in Anki. An id is never used again for another deck.
public struct DeckID: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }
}

public struct DeckRecord: Equatable, Sendable {
  public let id: DeckID
  public let name: String
  /// The time of the last answer in the deck, in seconds since 1970; in `DeckTable.list`, also in a deck within it.
  public internal(set) var studied: Double?

  /// The deck and the preset that every collection of Anki has; both have this id.
  public static let firstName = "Default"
  public static let firstNumber = 1

  /// The part of its name below a deck that contains it; empty for that deck itself: `b::c` for `a::b::c` within `a`.
  public func name(within outer: DeckRecord) -> String {
    DeckName.rest(of: name, below: DeckName.split(outer.name).count)
  }
}

/// How many cards a deck has itself, without the decks within it.
public struct DeckCounts: Equatable, Sendable {
  public var count = 0
  /// New cards, without suspended ones.
  public var newCount = 0
  /// Learnt cards that are due, without suspended ones.
  public var dueCount = 0
}

/// A deck's name: parts joined by `::`, each trimmed and not empty, at most 200 characters in all, no control
/// characters, and combining marks as in a card's texts.
///
///     try DeckName(" Spanish :: Verbs ").text   // "Spanish::Verbs"
public struct DeckName: Equatable, Sendable {
  public let text: String
  public static let limit = 200

  public init(_ given: String) throws(DeckError) {
    if hasTooManyMarks(given) {
      throw .badName(name: given, reason: "must not have more than \(longestMarkRun) combining marks in a row")
    }
    let text = DeckName.trimmed(given)
    if text.isEmpty { throw .badName(name: given, reason: "must not be blank") }
    if DeckName.split(text).contains("") { throw .badName(name: given, reason: "has an empty part beside \"::\"") }
    if text.count > DeckName.limit { throw .badName(name: given, reason: "must have at most 200 characters") }
    if text.unicodeScalars.contains(where: DeckName.isControl) {
      throw .badName(name: given, reason: "must not contain control characters")
    }
    self.text = text.composed
  }

  /// Whether a name must not contain the character.
  static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
  }

  /// Trims the parts of a name. Removing spaces between colons (`a: :: b`) changes the parts, so this repeats until
  /// the text stays the same.
  private static func trimmed(_ given: String) -> String {
    var (text, before) = (given, 0)
    repeat {
      before = text.utf8.count
      text = split(text).map(\.trimmed).joined(separator: "::")
    } while text.utf8.count < before
    return text
  }

  /// Joins parts of names that passed every rule.
  init(parts: some Sequence<String>) { text = parts.joined(separator: "::") }

  /// The parts of a name below the first `depth` ones: `b::c` of `a::b::c` below 1.
  static func rest(of text: String, below depth: Int) -> String { split(text).dropFirst(depth).joined(separator: "::") }

  var depth: Int { DeckName.split(text).count }

  /// Whether the deck with a key is within the deck with another key, at any depth. Bytes are compared, because a
  /// combining mark at the beginning of a part would form one character with the colon before it.
  static func isKey(_ key: String, within outer: String) -> Bool { key.utf8.starts(with: (outer + "::").utf8) }

  /// The key by which names are compared: they are case-insensitive.
  var key: String { text.lowercased() }

  /// The same key for other names that users choose: of a preset, of a note type.
  static func key(_ name: String) -> String { name.trimmed.composed.lowercased() }

  /// The names of the decks that contain this one, the outermost first.
  var parents: [DeckName] {
    let parts = DeckName.split(text)
    return (1..<max(1, parts.count)).map { DeckName(parts: parts.prefix($0)) }
  }

  /// Splits `A::B` into its parts.
  public static func split(_ text: String) -> [String] {
    var parts: [[UInt8]] = [[]]
    var bytes = Array(text.utf8)[...]
    while let byte = bytes.popFirst() {
      if byte == UInt8(ascii: ":"), bytes.first == byte {
        bytes.removeFirst()
        parts.append([])
      } else {
        parts[parts.count - 1].append(byte)
      }
    }
    return parts.map { String(decoding: $0, as: UTF8.self) }
  }
}
