// The spoken text of a cue: without markup, remarks and songs; a dash marks each new speaker.
// Invariant: only known tags are markup, anything else in `<>` or `{}` is text; a line takes time in proportion to its
// length.

import Templates
import Text

struct SpokenText {
  /// The limit on the length of a tag in bytes.
  private static let longestTag = 1024
  private static let longestName = 24
  /// The limits on the length of a remark: of a whole cue in bytes, and in speech in characters, also of names.
  private static let longestRemark = 1 << 12
  private static let longestInsertion = 80
  private static let longestNameInside = 12
  private static let dashes = "-–—‐"
  private static let tags: Set<Substring> = [
    "i", "b", "u", "s", "em", "strong", "font", "c", "v", "lang", "ruby", "rt", "rp", "span", "br", "p", "div",
  ]
  private static let brackets: [Character: Character] = ["(": ")", "[": "]", "（": "）", "［": "］", "【": "】", "〔": "〕"]
  private static let songs: [Unicode.Scalar] = ["♪", "♫", "♬", "♩"]

  private var losses = TextLosses()

  /// Removes markup and empty lines.
  static func removeMarks(from cue: inout SubtitleCue, _ scan: TextScan) throws {
    cue.source = cue.lines
    cue.lines = []
    for (number, line) in cue.source.enumerated() {
      if number & 0x3F == 0 { try scan.check() }
      cue.lines += withoutMarks(line).map(\.trimmed).filter { !$0.isEmpty }
    }
    cue.stamps = RollingCaptions.stamps(cue.source)
  }

  /// Removes remarks, songs and the names of speakers from lines without markup.
  static func removeRemarks(from cue: inout SubtitleCue, _ scan: inout TextScan) throws {
    var spoken = SpokenText()
    swap(&spoken.losses, &scan.losses)
    defer { swap(&spoken.losses, &scan.losses) }
    let plain = cue.lines
    cue.lines = []
    // A remark may take several lines.
    if plain.count > 1, plain.reduce(0, { $0 + $1.utf8.count }) < longestRemark,
      isRemark(plain.joined(separator: "\n"))
    {
      return spoken.losses.add(.remark)
    }
    for (number, line) in plain.enumerated() {
      if number & 0x3F == 0 { try scan.check() }
      cue.lines += spoken.speech(line, follows: cue.lines.last)
    }
  }

  /// Returns a line without the dash of a new speaker, and whether it has one.
  static func words(of line: String) -> (words: String, isSpeech: Bool) {
    let isSpeech = line.first.map { dashes.contains($0) } ?? false
    return (isSpeech ? String(line.drop { dashes.contains($0) || $0 == " " }) : line, isSpeech)
  }

  // MARK: Markup

  /// Removes markup, decodes references and splits at line breaks.
  private static func withoutMarks(_ line: String) -> [String] {
    // A tag that is never closed is text.
    guard line.utf8.contains(where: { ">}\\&".utf8.contains($0) }) else { return [line] }
    var (plain, rest, isReading) = ("", line[...], false)
    while let place = rest.utf8.firstIndex(where: { "<{\\".utf8.contains($0) }) {
      if !isReading { plain += rest[..<place] }
      rest = rest[place...]
      guard let (mark, text) = mark(rest) else {
        let next = rest.utf8.index(after: rest.startIndex)
        if !isReading { plain += rest[..<next] }
        rest = rest[next...]
        continue
      }
      rest = rest[mark.endIndex...]
      // The readings of Chinese characters.
      if text == "rt" || text == "rp" { isReading = true }
      if text == "/rt" || text == "/rp" || text == "/ruby" { isReading = false }
      if text == "\n" || text == " " { plain += text }
    }
    if !isReading { plain += rest }
    let lines = plain.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.map { HTMLEntities.decoded($0).replacing(text: "\u{A0}", with: " ").withoutLayout }
  }

  /// Returns the markup at the beginning of a text, and what it stands for: a line break, a blank, the name of a tag.
  private static func mark(_ text: Substring) -> (mark: Substring, text: String)? {
    if text.utf8.first == UInt8(ascii: "\\") {
      let mark = text.prefix(2)
      return mark == "\\N" || mark == "\\n" ? (mark, "\n") : mark == "\\h" ? (mark, " ") : nil
    }
    let isTag = text.utf8.first == UInt8(ascii: "<")
    let closing = UInt8(ascii: isTag ? ">" : "}")
    guard let end = text.utf8.prefix(longestTag).firstIndex(of: closing) else { return nil }
    let mark = text[...end]
    let inner = mark.dropFirst().dropLast()
    if !isTag {
      // As in SubStation Alpha, or as in MicroDVD: `{y:i}`.
      let isFormat = inner.first.map("yYcCfFsSPoH".contains) ?? false
      return inner.hasPrefix("\\") || isFormat && inner.dropFirst().hasPrefix(":") ? (mark, "") : nil
    }
    if inner.first?.isNumber == true, inner.contains(":"), inner.allSatisfy({ $0.isNumber || ":.,".contains($0) }) {
      return (mark, "")
    }
    let name = inner.drop { $0 == "/" }.prefix { $0.isASCII && $0.isLetter }.lowercased()
    let next = inner.drop { $0 == "/" }.dropFirst(name.count).first
    guard tags.contains(name[...]), next.map({ " ./\t=".contains($0) }) ?? true, !inner.contains("<") else {
      return nil
    }
    if name == "br" || (inner.hasPrefix("/") && (name == "p" || name == "div")) { return (mark, "\n") }
    return (mark, (inner.hasPrefix("/") ? "/" : "") + name)
  }

  // MARK: Remarks and speakers

  /// Returns the speech of a line: nothing, a line, or one for each speaker.
  /// - Parameter before: the line of the cue before it.
  private mutating func speech(_ line: String, follows before: String?) -> [String] {
    var text = line[...]
    if line.unicodeScalars.contains(where: Self.songs.contains) || Self.isEnclosed(line, in: "＃", "＃")
      || Self.isEnclosed(line, in: "#", "#")
    {
      losses.add(.song)
      return []
    }
    for (open, close) in [("<", ">"), ("〈", "〉"), ("《", "》")] as [(Character, Character)]
    where Self.isEnclosed(line, in: open, close) { text = text.dropFirst().dropLast() }
    let rest = text.drop { Self.dashes.contains($0) }
    let words = rest.drop(while: \.isWhitespace)
    var dash = rest.startIndex == text.startIndex ? "" : text[..<words.startIndex]
    text = words
    if text.hasPrefix(">>") { (text, dash) = (text.drop { $0 == ">" || $0 == " " }, "- ") }
    if Self.isRemark(String(text).trimmed) {
      losses.add(.remark)
      return []
    }
    let lines = withoutRemarks(text).split(separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().compactMap { number, part in
      var (part, isNew) = (String(part).trimmed, number > 0)
      // A word in capitals that continues a sentence is no speaker.
      let mayBegin = isNew || !dash.isEmpty || before?.hasPrefix("- ") ?? true || before?.endsSentence ?? true
      if mayBegin, let words = Self.afterSpeaker(part) { (part, isNew) = (words, true) }
      if number == 0, lines.count > 1, part.isEmpty { return nil }
      let mark = isNew ? "- " : dash
      return (mark + part).isEmpty ? nil : mark + part
    }
  }

  /// Whether a text is one remark in brackets: `[door closes]`, but not `(laughs) Yes. (sighs)`.
  private static func isRemark(_ text: String) -> Bool {
    guard let open = text.first, let close = brackets[open] else { return false }
    var depth = 0
    let end = text.firstIndex { character in
      depth += character == open ? 1 : character == close ? -1 : 0
      return depth == 0
    }
    return end.map { text.index(after: $0) } == text.endIndex
  }

  private static func isEnclosed(_ text: String, in open: Character, _ close: Character) -> Bool {
    text.first == open && text.last == close && text.utf8.count > 2 && !text.dropFirst().dropLast().contains(open)
  }

  /// Removes the remarks beside speech. A line break replaces the name of a speaker in brackets.
  private mutating func withoutRemarks(_ text: Substring) -> String {
    guard text.contains(where: Self.brackets.values.contains) else { return String(text) }
    var (spoken, rest, isFirst) = ("", text, true)
    while let open = rest.firstIndex(where: { Self.brackets[$0] != nil }) {
      spoken += rest[..<open]
      isFirst = isFirst && rest[..<open].allSatisfy(\.isWhitespace)
      let bracket = rest[open]
      let isSquare = "[［【".contains(bracket)
      let longest = isSquare ? Self.longestInsertion : Self.longestName
      let close = rest[open...].prefix(longest + 2).firstIndex { $0 == Self.brackets[bracket] }
      let after = close.map { rest[rest.index(after: $0)...] } ?? rest[rest.index(after: open)...]
      let isLast = after.allSatisfy(\.isWhitespace)
      let isName = isFirst || bracket == "（" && !isLast
      let isNear = isFirst || close.map { rest[open..<$0].count <= Self.longestNameInside + 1 } ?? false
      if close != nil, isName ? isNear : isLast || isSquare {
        losses.add(.remark)
        if isName { spoken += "\n" }
        rest = after
      } else {
        spoken.append(bracket)
        isFirst = false
        rest = rest[rest.index(after: open)...]
      }
    }
    return spoken + rest
  }

  /// Returns what follows `NAME:` in capitals, because another speaker begins; nil without one.
  private static func afterSpeaker(_ line: String) -> String? {
    guard let colon = line.prefix(longestName + 1).firstIndex(where: { $0 == ":" || $0 == "：" }) else { return nil }
    let (name, words) = (line[..<colon].trimmed, line[line.index(after: colon)...])
    guard name.count > 1, name.first?.isLetter == true, !name.contains(where: \.isLowercase),
      name.contains(where: \.isUppercase), words.first?.isNumber != true
    else { return nil }
    return String(words).trimmed
  }
}
