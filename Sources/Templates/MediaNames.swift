// The names of media files in fields and templates: `[sound:x.mp3]`, `<img src="x.png">`.
// Invariant: names are returned without entities and, in attributes, without percent escapes, unless a file has the
// name that is written.

import Text

public enum MediaNames {
  /// Returns the files that HTML shows or plays, without those on the network.
  public static func inHTML(_ html: String) -> Set<String> { inHTML(html) { _ in false } }

  /// Returns the same files, given which files there are: `p%41.png` in an attribute may be a file of that name or
  /// `pA.png`, and is both if both exist.
  public static func inHTML(_ html: String, isThere: (String) throws -> Bool) rethrows -> Set<String> {
    var found: Set<String> = []
    try forEach(html, isThere) { name, _ in found.insert(name) }
    return found
  }

  package static func inOrder(
    _ html: String, isThere: (String) throws -> Bool
  ) rethrows -> (sounds: [String], pictures: [String]) {
    var (sounds, pictures): ([String], [String]) = ([], [])
    try forEach(html, isThere) { name, isSound in
      if isSound, !sounds.contains(name) { sounds.append(name) }
      if !isSound, !pictures.contains(name) { pictures.append(name) }
    }
    return (sounds, pictures)
  }

  private static func forEach(
    _ html: String, _ isThere: (String) throws -> Bool, _ body: (_ name: String, _ isSound: Bool) -> Void
  ) rethrows {
    try forEachReference(in: Bytes(html.utf8)) { name, _ in
      if try isLocal(name, isThere) { body(name, true) }
    } tag: { tag, _ in
      for name in try tag.mediaNames(isThere) where try isLocal(name, isThere) {
        body(name, ["audio", "video", "source"].contains(tag.name))
      }
    }
  }

  /// Calls the functions with each `[sound:name]` and each opening tag, in order.
  /// - Parameter sound: gets the place of the name, as it is written.
  private static func forEachReference(
    in html: Bytes, sound: (_ name: String, Range<Int>) throws -> Void, tag: (HTMLTag, Range<Int>) throws -> Void
  ) rethrows {
    var (index, tags, brackets) = (0, TagReading(), NextByte(UInt8(ascii: "]")))
    while index < html.count {
      if html[index] == UInt8(ascii: "["), html[...].begins(with: "[sound:", at: index),
        let end = brackets.next(html[...], from: index), end < index + 1_000
      {
        try sound(decoded(html[(index + 7)..<end], hasEscapes: false).composed, index + 7..<end)
      } else if html[index] == UInt8(ascii: "<"), let (found, end) = tags.tag(html[...], index) {
        if !found.isClosing { try tag(found, index..<end) }
        index = end - 1
      }
      index += 1
    }
  }

  /// A name with a colon is an address, unless a file has it.
  private static func isLocal(_ name: String, _ isThere: (String) throws -> Bool) rethrows -> Bool {
    if name.isEmpty || name.utf8.contains(UInt8(ascii: "/")) { return false }
    let start = name.utf8.prefix { $0 != UInt8(ascii: "\\") }
    return try start.contains(UInt8(ascii: ":")) ? isThere(name) : true
  }

  /// Decodes the entities and percent escapes of a name.
  package static func decoded(_ name: String) -> String { decoded(Bytes(name.utf8)[...]) }

  /// - Parameter hasEscapes: false in `[sound:...]`, where a percent sign is an ordinary character.
  static func decoded(_ bytes: ArraySlice<UInt8>, hasEscapes: Bool = true) -> String {
    var (result, index) = (Bytes(), bytes.startIndex)
    while index < bytes.endIndex {
      if bytes[index] == UInt8(ascii: "&"), let (scalar, end) = HTMLEntities.character(bytes, index) {
        result.add(String(scalar))
        index = end
      } else if hasEscapes, bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.endIndex,
        let byte = UInt8(bytes[(index + 1)...(index + 2)].text, radix: 16), byte >= 0x20
      {
        result.append(byte)
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return String(validating: result, as: UTF8.self) ?? bytes.text
  }

  /// Returns the names that an attribute may mean: without percent escapes, and as it is written.
  static func names(_ attribute: ArraySlice<UInt8>) -> [String] {
    let names = [true, false].map { decoded(attribute, hasEscapes: $0).composed }
    return names[0].utf8.elementsEqual(names[1].utf8) ? [names[0]] : names
  }

  /// Returns the names that the file of a tag may have; none for one of the network.
  package static func named(by tag: HTMLTag) -> [String] {
    [tag.attribute("src"), tag.attribute("data")].flatMap { $0.map { names(Bytes($0.utf8)[...]) } ?? [] }
      .filter { isLocal($0) { _ in true } }
  }

  /// Returns the name trimmed if a media file may have it: no path, no control characters, at most 120 bytes.
  /// - Throws: `NoteError.badMediaName`.
  public static func checked(_ given: String) throws(NoteError) -> String {
    let name = given.trimmed.composed
    if name.isEmpty || name == "." || name == ".." { throw .badMediaName(name: given, reason: "must not be blank") }
    if name.utf8.count > limit { throw .badMediaName(name: given, reason: "must have at most \(limit) bytes") }
    if name.unicodeScalars.contains(where: isIllegal) {
      throw .badMediaName(name: given, reason: "must not contain control characters or any of / \\ : * ? \" < > | [ ]")
    }
    return name
  }

  private static func isIllegal(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control || "/\\:*?\"<>|[]".unicodeScalars.contains(scalar)
  }

  /// Returns the name without the characters that `checked` refuses, as Anki stores it; a path is refused all the same.
  public static func cleaned(_ given: String) throws(NoteError) -> String {
    let kept: String.UnicodeScalarView = given.unicodeScalars.filter { $0 == "/" || $0 == "\\" || !isIllegal($0) }
    return try checked(String(kept))
  }

  /// The limit on a name in bytes, as in Anki.
  public static let limit = 120

  /// Returns a name that `checked` accepts: characters that it refuses are removed, and a name that is too long loses
  /// characters before its extension.
  public static func usable(_ given: String) -> String {
    let kept = String(String.UnicodeScalarView(given.unicodeScalars.filter { !isIllegal($0) })).trimmed.composed
    let name = shortened(kept, to: limit).trimmed
    return ["", ".", ".."].contains(name) ? "_" + name : name
  }

  /// Returns a name without characters before its extension, so that it has at most this number of bytes.
  public static func shortened(_ given: String, to limit: Int) -> String {
    var name = given
    while name.utf8.count > limit, let dot = name.lastIndex(of: "."), dot > name.startIndex {
      name.remove(at: name.index(before: dot))
    }
    while name.utf8.count > limit { name.removeLast() }
    return name
  }

  /// `picture-1a2b3c4d.png`: a name for a file whose own name is taken.
  public static func distinct(_ name: String, hash: String) -> String {
    let suffix = "-" + hash.prefix(8)
    let name = shortened(name, to: limit - suffix.utf8.count)
    let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count > 1, let ending = parts.last else { return name + suffix }
    return parts.dropLast().map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".") + suffix + "."
      + String(decoding: ending, as: UTF8.self)
  }
}

extension HTMLTag {
  /// Returns the files that the tag shows or plays: of the names that an attribute may mean, those that are there, or
  /// else the first.
  fileprivate func mediaNames(_ isThere: (String) throws -> Bool) rethrows -> [String] {
    guard ["img", "audio", "video", "source", "object", "embed"].contains(name) else { return [] }
    return try [attribute("src"), attribute("data")].compactMap(\.self).flatMap { value in
      let names = MediaNames.names(Bytes(value.utf8)[...])
      let there = try names.count > 1 ? names.filter(isThere) : names
      return there.isEmpty ? [names[0]] : there
    }
  }
}

extension MediaNames {
  /// Returns the HTML with a file renamed, wherever `inHTML` finds it.
  public static func renaming(_ old: String, to new: String, in html: String) -> String {
    let bytes = Bytes(html.utf8)
    var (result, start) = (Bytes(), 0)
    func replace(_ place: Range<Int>, by text: String) {
      if place.lowerBound < start { return }
      result += bytes[start..<place.lowerBound] + Bytes(text.utf8)
      start = place.upperBound
    }
    forEachReference(in: bytes) { name, place in
      if name == old { replace(place, by: new) }
    } tag: { tag, _ in
      guard tag.mediaNames({ _ in true }).contains(old) else { return }
      for value in tag.values where names(value).contains(old) {
        let (quote, end) = (bytes[value.startIndex - 1], value.endIndex)
        let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        let place = value.startIndex - (isQuoted ? 1 : 0)..<end + (isQuoted && bytes[end] == quote ? 1 : 0)
        replace(place, by: "\"\(FieldHTML.html(ofPlain: new))\"")
      }
    }
    return (result + bytes[start...]).text
  }

  /// Returns a template or a style sheet with a file renamed: where `inHTML` finds it, and, since scripts and styles
  /// name files in other ways, wherever a name that begins with `_` stands by itself.
  public static func renaming(_ old: String, to new: String, inTemplate text: String) -> String {
    let text = renaming(old, to: new, in: text)
    guard old.hasPrefix("_") else { return text }
    let pieces = text.split(at: old)
    func isInName(_ character: Character?) -> Bool {
      character.map { $0.isLetter || $0.isNumber || "_-.%/".contains($0) } ?? false
    }
    return pieces.dropFirst().reduce(into: String(pieces[0])) { result, next in
      result += (isInName(result.last) || isInName(next.first) ? old : new) + next
    }
  }
}
