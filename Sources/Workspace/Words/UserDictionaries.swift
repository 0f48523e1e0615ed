// Dictionaries from other sources, indexed once into the user's own folder. Invariant: an index is written whole or
// not at all; the source file is only read.

import Exchange
import Files
import Language
public import Lexicon
public import Problems
import Text
import ToggleSettings

public struct AddedDictionary: Equatable, Sendable {
  public let name: String
  public let path: String
  /// The number of entries by kind; forms are headwords that are forms of other words.
  public let counts: [DictionaryEntryKind: Int]
  public var meanings: Int { counts[.meaning, default: 0] + counts[.markup, default: 0] }
}

/// The dictionaries that a user has added, and the order of all dictionaries.
public struct UserDictionaries {
  private let workspace: Workspace

  public init(_ workspace: Workspace) throws {
    _ = try workspace.store(for: "dictionaries")
    self.workspace = workspace
  }

  private var library: DictionaryLibrary { workspace.lexicons.meanings }

  /// Indexes a dictionary: a Yomitan zip, a StarDict `.ifo`, a dictd `.index`, or a table. Its name is the title of a
  /// Yomitan dictionary, or that of the file.
  /// - Parameter words: the language of its headwords, if it does not say so itself.
  /// - Parameter areForms: the file is a table of forms and their lemmas, for the dictionary forms of texts.
  /// - Parameter progress: called with the number of entries so far; an error that it throws ends the indexing.
  /// - Throws: `TextFileError`, `DictionaryError`, `FileError`.
  public func add(
    _ path: String, words: Language? = nil, areForms: Bool = false, progress: (Int) throws -> Void = { _ in }
  ) throws -> AddedDictionary {
    let isInterrupted = workspace.isInterrupted
    let isZip = !areForms && path.lowercased().hasSuffix(".zip")
    let yomitan = isZip ? try YomitanFile(path, isInterrupted: isInterrupted) : nil
    let file = String(lastPart(of: path).prefix { $0 != "." })
    let name = try DictionaryName(
      yomitan?.title ?? file, words: words?.baseCode ?? yomitan?.words, meanings: yomitan?.meanings, path: path)
    let title = name.text + (areForms ? DictionaryLibrary.formEnding : "")
    guard let folder = library.ownFolders.first else {
      throw DictionaryError.damaged(path: path, reason: "there is no folder for dictionaries")
    }
    try makePrivateFolder(folder)
    let target = "\(folder)/\(title)\(DictionaryLibrary.indexEnding)"
    var seen = 0
    let counts = try DictionaryIndexWriter.write(target, isInterrupted: isInterrupted) { index in
      guard let yomitan else { return try library.index(path, areForms: areForms, into: index) }
      try yomitan.forEachEntry { entry in
        seen += 1
        if seen & 0xFFF == 0 { try progress(seen) }
        switch entry {
        case .meaning(let word, let text, let score): try index.add(.meaning, word, text, score: score)
        case .form(let word, let lemma): try index.add(.form, word, lemma)
        case .frequency(let word, let text): try index.add(.frequency, word, text)
        case .pronunciation(let word, let text): try index.add(.pronunciation, word, text)
        }
      }
    }
    forget()
    return AddedDictionary(name: title, path: target, counts: counts)
  }

  /// Removes an indexed dictionary.
  /// - Throws: `DictionaryError.unknown`, `FileError`.
  public func remove(_ name: String) throws {
    try Folder.removeFile(try requireOwn(name).path)
    forget()
  }

  /// - Throws: `DictionaryError.unknown` for a dictionary that `remove` cannot remove.
  @discardableResult
  public func requireOwn(_ name: String) throws -> DictionaryPlace {
    let indexed = library.places().filter { $0.isOwn && $0.path.hasSuffix(DictionaryLibrary.indexEnding) }
    if let place = indexed.first(where: { $0.name == name }) { return place }
    throw DictionaryError.unknown(name: name, suggestion: suggestion(for: name, among: indexed.map(\.name)))
  }

  /// Sets which dictionaries are consulted before all others.
  public func setOrder(_ names: [String], by owner: Owner) throws {
    let text = names.joined(separator: " ")
    let preferences = try workspace.preferences()
    try preferences.tree.set(preferences.texts.$dictionaries, text: text, by: owner)
  }

  private func forget() {
    library.forget()
    workspace.opened.languages?.renew(library)
  }
}

/// The name of an indexed dictionary: first the languages, which are parsed from the names of dictionaries, then its
/// title in characters that every system accepts.
private struct DictionaryName {
  let text: String

  init(_ title: String, words: String?, meanings: String?, path: String) throws {
    let plain = title.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    let parts = String(plain).split(separator: "-").map(String.init)
    // A dictionary may claim anything about itself: only text that looks like a language code is used in a path.
    let codes = [words, meanings].compactMap { $0?.lowercased().split(separator: "-").first.map(String.init) }
      .filter { (2...3).contains($0.utf8.count) && $0.allSatisfy { $0.isASCII && $0.isLetter } }
    let rest = parts.starts(with: codes) ? Array(parts.dropFirst(codes.count)) : parts
    text = String((codes + rest).joined(separator: "-").prefix(80))
    if text.isEmpty || codes.isEmpty && DictionaryPlace.language(of: text) == nil {
      throw DictionaryError.noLanguage(path: path)
    }
  }
}
