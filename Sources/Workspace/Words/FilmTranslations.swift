// Which files are translations of which texts, by their names: `S01E01.en.srt` is one of `S01E01.es.srt`.
// Invariant: a file that is a translation is not read as a text, and each one that was named belongs to a text.

import Exchange
import Files
import Lexicon

/// The texts to read, each with its translation.
public struct FilmTranslations {
  public private(set) var texts: [String]
  /// One for each text; nil for a text that has none. Empty if none were wanted.
  public private(set) var paths: [String?] = []

  /// Finds the translation of each text.
  /// - Parameter files: the files that were named as texts; those that are translations are taken out.
  /// - Parameter named: files of translations, or one language: its files beside the texts are found.
  /// - Throws: `TextFileError.refused`, `FileError`.
  public init(of files: [String], named: [String]) throws {
    texts = files
    guard let first = named.first else {
      try requireOneLanguage()
      return
    }
    let language = try FileFacts.at(first) == nil ? LanguageCode.named(lastPart(of: first)) : nil
    let given = language == nil ? named : []
    let codes = Set(language.map { [$0] } ?? given.compactMap { SubtitleName($0).code })
    func isTranslation(_ path: String) -> Bool { SubtitleName(path).code.map(codes.contains) ?? false }
    let taken = files.filter(isTranslation)
    if taken.count < files.count { texts.removeAll(where: isTranslation) }
    let candidates = given + (taken.count < files.count ? taken : [])
    paths = try texts.map { text in
      let film = lastPart(of: SubtitleName(text).film)
      let named = candidates.first { lastPart(of: SubtitleName($0).film) == film }
      return try named ?? (language == nil ? nil : Self.sibling(of: text, in: codes))
    }
    let isNone = paths.allSatisfy { $0 == nil }
    if let language, isNone, let text = texts.first {
      let expected = "\(lastPart(of: SubtitleName(text).film)).\(language).srt"
      throw TextFileError.refused(path: text, reason: "no translation is beside it, such as \(expected)")
    }
    if isNone, candidates.count == texts.count { paths = candidates }
    if let path = candidates.first(where: { !paths.contains($0) }) {
      throw TextFileError.refused(path: path, reason: "it is named as a translation, but belongs to none of the texts")
    }
  }

  /// Two texts of one film are one text in two languages, of which only one is to be learned.
  private func requireOneLanguage() throws {
    var codes: [String: String] = [:]
    for text in texts {
      let name = SubtitleName(text)
      guard let code = name.code else { continue }
      if let other = codes.updateValue(code, forKey: name.film), other != code {
        throw TextFileError.refused(
          path: text,
          reason: "its film is among the texts twice; say which is the translation: --translation \(other) or "
            + "--translation \(code)")
      }
    }
  }

  private static func sibling(of text: String, in codes: Set<String>) throws -> String? {
    let film = SubtitleName(text).film
    let folder = String(text.dropLast(lastPart(of: text).count))
    return try Folder.names(in: folder.isEmpty ? "." : folder).map { folder + $0 }.first { path in
      let name = SubtitleName(path)
      return name.film == film && name.code.map(codes.contains) ?? false
    }
  }
}

/// The name of a subtitle file, split at the tag of its language.
struct SubtitleName: Equatable {
  /// The path without the tag and the ending.
  let film: String
  /// The code of the language; nil without a tag.
  let code: String?

  init(_ path: String) {
    var parts = path.split(separator: ".", omittingEmptySubsequences: false)
    let isSubtitle = TextFormat(path: path).isTimed
    if isSubtitle { parts.removeLast() }
    // What players add for those who cannot hear.
    while parts.count > 2, ["forced", "sdh", "cc"].contains(parts[parts.count - 1].lowercased()) { parts.removeLast() }
    let tag = parts.count > 1 ? parts[parts.count - 1].lowercased().split { $0 == "-" || $0 == "_" }.first : nil
    code = isSubtitle ? tag.flatMap { LanguageCode.named($0) } : nil
    if code != nil { parts.removeLast() }
    film = parts.joined(separator: ".")
  }
}
