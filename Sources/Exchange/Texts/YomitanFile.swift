// Reads Yomitan dictionaries (https://yomitan.wiki): a ZIP file of `index.json`, term banks, and banks of frequencies
// and pronunciations.
// Invariant: a bank is read entry by entry, whatever its size; unpacked bytes are counted and bounded; pictures and
// sounds of a dictionary are not unpacked.

import Files
import Text
import Values

/// A Yomitan dictionary.
///
///     let file = try YomitanFile("wty-es-en.zip") { false }
///     try file.forEachEntry { print($0) }
public final class YomitanFile {
  public enum Entry: Equatable, Sendable {
    /// Of the meanings of one word, the one with the highest score comes first.
    case meaning(word: String, text: String, score: Int = 0)
    /// A word that is a form of a lemma.
    case form(word: String, lemma: String)
    case frequency(word: String, text: String)
    /// A pronunciation in the IPA, or a reading with the morae after which the pitch falls.
    case pronunciation(word: String, text: String)
  }

  private static let mostMembers = 20_000
  /// The limit on the unpacked size of all banks in bytes.
  private static let mostBytes = 4 << 30
  private static let entryLimits = JSONLimits(bytes: 8 << 20, depth: 100, values: 200_000, string: 4 << 20)

  private let path: String
  private let zip: ZipFile
  private let isInterrupted: () -> Bool
  private var inflated = 0
  private let version: Int
  public let title: String
  /// The language codes of the words and of their meanings, such as `es`; nil when they are not declared.
  public let words: String?
  public let meanings: String?

  /// Opens a dictionary and reads its index.
  /// - Throws: `FileError`, `TextFileError`.
  public init(_ path: String, isInterrupted: @escaping () -> Bool) throws {
    (self.path, self.isInterrupted) = (path, isInterrupted)
    zip = try ZipFile.ofText(path, mostMembers: Self.mostMembers, isInterrupted: isInterrupted)
    guard let member = zip.members["index.json"] else {
      throw TextFileError.damaged(path: path, reason: "it is not a Yomitan dictionary: index.json is missing")
    }
    var bytes: [UInt8] = []
    try Self.read(zip, member, path) { piece in
      bytes += piece
      if bytes.count > 4 << 20 { throw TextFileError.refused(path: path, reason: "its index.json has more than 4 MiB") }
    }
    let index: Value.Record?
    do throws(JSONFailure) { index = try JSONParser.parse(bytes, limits: Self.entryLimits).record } catch {
      throw TextFileError.damaged(path: path, reason: "index.json:\(error.line):\(error.column): \(error.words)")
    }
    let version = index?["format"]?.integer ?? index?["version"]?.integer ?? 0
    guard let title = index?["title"]?.text, (1...3).contains(version) else {
      throw TextFileError.damaged(
        path: path,
        reason: "it is not a supported Yomitan dictionary: index.json has no title, or a format other than 1 to 3")
    }
    (self.title, self.version) = (title, version)
    (words, meanings) = (index?["sourceLanguage"]?.text, index?["targetLanguage"]?.text)
  }

  private static func read(
    _ zip: ZipFile, _ member: ZipFile.Member, _ path: String, _ piece: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    do { try zip.read(member, piece) } catch let error as PackageError { throw TextFileError(error, path) }
  }

  /// Calls `body` with each entry, bank by bank.
  /// - Throws: `TextFileError`, `FileError`, and errors from `body`.
  public func forEachEntry(_ body: (Entry) throws -> Void) throws {
    for kind in ["term_bank_", "term_meta_bank_"] {
      for member in banks(kind) {
        var elements = JSONElements(limit: Self.entryLimits.bytes)
        try Self.read(zip, member, path) { piece in
          inflated += piece.count
          if inflated > Self.mostBytes {
            throw TextFileError.refused(path: path, reason: "it unpacks to more than \(Self.mostBytes >> 30) GiB")
          }
          if isInterrupted() { throw FileError(path, .read, .interrupted) }
          let isFine = try elements.take(piece) { try self.entries(of: $0, in: member, body) }
          if !isFine { throw damaged(member, "a list of entries expected") }
        }
        if !elements.isFinished { throw damaged(member, "it is truncated") }
      }
    }
  }

  private func banks(_ kind: String) -> [ZipFile.Member] {
    let found = zip.members.values.compactMap { member -> (number: Int, member: ZipFile.Member)? in
      guard member.name.hasPrefix(kind), member.name.hasSuffix(".json") else { return nil }
      return Int(member.name.dropFirst(kind.count).dropLast(5)).map { ($0, member) }
    }
    return found.sorted { $0.number < $1.number }.map(\.member)
  }

  private func damaged(_ member: ZipFile.Member, _ reason: String) -> TextFileError {
    .damaged(path: path, reason: "\(member.name) is damaged: \(reason)")
  }

  private func entries(of bytes: [UInt8], in member: ZipFile.Member, _ body: (Entry) throws -> Void) throws {
    let value: Value
    do throws(JSONFailure) { value = try JSONParser.parse(bytes, limits: Self.entryLimits) } catch {
      throw damaged(member, error.words)
    }
    guard let cells = value.list, cells.count >= 3, let word = cells[0].text else {
      throw damaged(member, "an entry is not a list of a word and at least two values")
    }
    if member.name.hasPrefix("term_meta") {
      if cells[1].text == "freq", let text = YomitanText.frequency(cells[2]) {
        try body(.frequency(word: word, text: text))
      }
      if let text = YomitanText.pronunciation(cells[2], kind: cells[1].text ?? "") {
        try body(.pronunciation(word: word, text: text))
      }
      return
    }
    if let reading = cells[1].text, !reading.isEmpty, reading != word { try body(.form(word: reading, lemma: word)) }
    // In version 1, each further value is a definition.
    guard cells.count >= 6, let definitions: [Value] = version == 1 ? [Value](cells[5...]) : cells[5].list else {
      return
    }
    var texts: [String] = []
    for definition in definitions {
      if let lemma = definition.list?.first?.text {
        if lemma != word { try body(.form(word: word, lemma: lemma)) }
      } else {
        let text = YomitanText.text(of: definition)
        if !text.isEmpty { texts.append(text) }
      }
    }
    if !texts.isEmpty {
      let text = texts.joined(separator: texts.contains { $0.utf8.contains(0x0A) } ? "\n" : "; ")
      try body(.meaning(word: word, text: text, score: cells[4].integer ?? 0))
    }
  }
}

private enum YomitanText {
  /// Returns a definition as plain text, with blocks and list items on lines of their own.
  static func text(of definition: Value) -> String {
    var text = ""
    switch definition.record?["type"]?.text {
    case "text": return definition.record?["text"]?.text?.trimmed ?? ""
    case "image": return ""
    case "structured-content": add(definition.record?["content"] ?? .null, to: &text)
    default: add(definition, to: &text)
    }
    guard text.utf8.contains(0x0A) else { return text.trimmed }
    let lines = text.utf8.split(separator: 0x0A).map { String(Substring($0)).trimmed }.filter { !$0.isEmpty }
    return lines.joined(separator: "\n")
  }

  private static let blocks: Set<String> = [
    "div", "p", "li", "ul", "ol", "tr", "table", "details", "summary", "br", "thead", "tbody", "tfoot",
  ]

  /// Appends the text of some content. The JSON parser limits the depth of recursion.
  private static func add(_ content: Value, to text: inout String) {
    if let plain = content.text { text += plain }
    for part in content.list ?? [] { add(part, to: &text) }
    guard let element = content.record else { return }
    let tag = element["tag"]?.text ?? ""
    if ["rt", "rp", "img"].contains(tag) { return }
    if blocks.contains(tag) { text += "\n" }
    if tag == "td" || tag == "th" { text += " " }
    add(element["content"] ?? .null, to: &text)
    if blocks.contains(tag) { text += "\n" }
  }

  /// Returns a frequency: a number, a text, or a record that contains one; its reading is left out.
  static func frequency(_ value: Value) -> String? {
    if let text = value.text { return text }
    if let number = value.integer { return String(number) }
    if case .number(let number) = value { return number.text }
    guard let record = value.record else { return nil }
    if let shown = record["displayValue"]?.text { return shown }
    return (record["value"] ?? record["frequency"]).flatMap(frequency)
  }

  /// Returns the pronunciation in an entry of the kind `ipa` or `pitch`; nil for any other kind.
  static func pronunciation(_ value: Value, kind: String) -> String? {
    let reading = value.record?["reading"]?.text ?? ""
    var shown: [String] = []
    switch kind {
    case "ipa":
      for transcription in value.record?["transcriptions"]?.list ?? [] {
        guard let ipa = transcription.record?["ipa"]?.text?.trimmed, !ipa.isEmpty else { continue }
        let tags = (transcription.record?["tags"]?.list ?? []).compactMap(\.text).joined(separator: ", ")
        shown.append(ipa + (tags.isEmpty ? "" : " (\(tags))"))
      }
      return shown.isEmpty ? nil : shown.joined(separator: ", ")
    case "pitch":
      for pitch in value.record?["pitches"]?.list ?? [] {
        // Newer files give the pitch of each mora: `LHH`.
        if let position = pitch.record?["position"]?.integer { shown.append(String(position)) }
        if let heights = pitch.record?["position"]?.text { shown.append(heights) }
      }
      return shown.isEmpty ? nil : "\(reading) [\(shown.joined(separator: ", "))]".trimmed
    default: return nil
    }
  }
}

/// Splits a JSON list into its elements as chunks arrive. It only finds the end of each element; the caller parses
/// the elements.
struct JSONElements {
  private let limit: Int
  private var element: [UInt8] = []
  private var depth = 0
  private var isInText = false
  private var isEscaped = false
  private(set) var isFinished = false

  init(limit: Int) { self.limit = limit }

  /// - Returns: false when the input is not a list, or an element exceeds the limit.
  mutating func take(_ piece: UnsafeRawBufferPointer, _ body: ([UInt8]) throws -> Void) rethrows -> Bool {
    var start = 0
    for (place, byte) in piece.enumerated() {
      if isInText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInText = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\"") where depth > 0: isInText = true
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        if depth == 1 {
          if byte != UInt8(ascii: "[") || isFinished { return false }
          start = place + 1
        }
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth -= 1
        if depth < 0 { return false }
        if depth > 0 { continue }
        element += piece[start..<place]
        try finish(body)
        isFinished = true
      case UInt8(ascii: ",") where depth == 1:
        element += piece[start..<place]
        start = place + 1
        try finish(body)
      default:
        // Outside of the list, only whitespace and a UTF-8 byte order mark are allowed.
        if depth == 0, byte > 0x20, byte < 0x80 { return false }
      }
    }
    if depth > 0 { element += piece[start...] }
    return element.count <= limit
  }

  private mutating func finish(_ body: ([UInt8]) throws -> Void) rethrows {
    defer { element.removeAll(keepingCapacity: true) }
    if element.contains(where: { $0 > 0x20 }) { try body(element) }
  }
}
