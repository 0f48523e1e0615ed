// The names, query terms and paths that Tab offers for argument values, each with a short description. Invariant: each
// kind takes a single read of the data, however much there is; what cannot be read yields no completions.

import Authentication
import CardDocuments
import Commands
import Decks
import Exchange
import Files
import Lexicon
import PluginHost
import Templates
import Text
import ToggleSettings
import WordGames
import Workspace

struct NameOffers {
  let session: Session

  var sources: CompletionSources {
    CompletionSources(
      names: { kind, word in readable { try names(of: kind, word) } },
      paths: { text, foldersOnly in
        PathCompletion.paths(beginningWith: text, foldersOnly: foldersOnly, home: session.environment.folders.home)
      },
      values: { command, word, before in
        readable { try session.tables.builtIns[command.name]?.complete?(word, before, session) ?? [] }
      })
  }

  private func readable(_ offers: () throws -> [Offer]) -> [Offer] {
    do { return try offers() } catch {
      // Completion offers only what it can read; the command itself reports what is wrong.
      return []
    }
  }

  /// Files and folders whose paths begin with the text.
  func paths(_ word: String, foldersOnly: Bool = false) -> [Offer] {
    sources.paths(word, foldersOnly).map { Offer(path: $0) }
  }

  func names(of kind: ValueKind, _ word: String) throws -> [Offer] {
    switch kind {
    case .deck: try decks()
    case .card: try cards(word)
    case .document: try documents(word)
    case .language: session.lexicons.languages().map { Offer($0.name, help: $0.title) }
    case .mode: session.modes.names.map { Offer($0.name, help: $0.summary) }
    case .exercise: session.tables.exercises.names.map { Offer($0.name, help: $0.summary) }
    case .format:
      CardFormat.native.map { Offer($0.name, help: $0.summary) } + session.formats.addedNames.map { Offer($0) }
    case .plugin: session.plugins.plugins.map { Offer($0.name.description, help: $0.manifest?.summary ?? "") }
    case .setting: try settings()
    case .account: session.auth.needsAuthentication ? [] : try session.auth.store.names().map { Offer($0) }
    case .command: HelpIndex(session: session).names.map { Offer($0) }
    case .query: try QueryOffers(session: session).offers(word)
    default: []
    }
  }

  func decks() throws -> [Offer] {
    try session.workspace().decks.records().map { deck in
      Offer(deck.name, help: deck.studied.map { "studied \(session.ago($0))" } ?? "never studied")
    }
  }

  /// Completes `DECK:`, and after it the first 20 positions with their prompts.
  private func cards(_ word: String) throws -> [Offer] {
    let decks = try session.workspace().decks.records()
    guard let colon = word.lastIndex(of: ":"), word[..<colon].last != ":", !word.hasSuffix("::"),
      let name = decks.first(where: { $0.name == word[..<colon] })?.name
    else { return decks.map { Offer($0.name + ":", isOpen: true) } }
    let listing = try session.workspace().cards.list(of: [try session.workspace().decks.open(name)], limit: 20)
    return try listing.cards.map { card, position in
      Offer("\(name):\(position)", shown: "\(position)", help: printable(try card.record().prompt, limit: 60))
    }
  }

  /// Completes document ids; reads the titles of at most 100 documents.
  private func documents(_ word: String) throws -> [Offer] {
    let ids = try session.workspace().documents.ids().filter { $0.lowercased().hasPrefix(word.lowercased()) }
    return try ids.enumerated().map { place, id in
      let title = place < 100 ? try session.workspace().documents.open(id).document().content.title : ""
      return Offer(String(id.prefix(8)), help: printable(title, limit: 60))
    }
  }

  /// Each setting with its current value.
  private func settings() throws -> [Offer] {
    guard let tree = session.preferences?.tree else { return [] }
    let rows = try tree.rows()
    // A group is left out, since its name continues with a dot.
    let groups = Set(rows.compactMap { row in row.name.lastIndex(of: ".").map { String(row.name[..<$0]) } })
    return rows.filter { !groups.contains($0.name) }.map { row in
      let value = row.state?.rawValue ?? row.value?.text ?? ""
      return Offer(row.name, help: value.isEmpty ? row.title : "\(printable(value, limit: 40)) · \(row.title)")
    }
  }
}

/// Completions for the terms of a query: `tag:`, `deck:`, `is:`.
struct QueryOffers {
  let session: Session

  private static let starts = QueryHelp.examples.filter { !$0.query.contains(" ") }.compactMap { example in
    example.query.firstIndex(of: ":").map { (text: String(example.query[...$0]), help: example.finds) }
  }.distinct { $0.text }
  private static let states: [(text: String, help: String)] = [
    ("due", "due now"), ("new", "never studied"), ("learning", "being learnt"), ("review", "learnt"),
    ("relearning", "forgotten, being learnt again"), ("suspended", "excluded from study"),
    ("buried", "hidden until tomorrow"), ("leech", "forgotten again and again"),
  ]
  private static let figures = CardProperty.figures.compactMap { property in
    property.description.figure.map { (text: $0.short, help: $0.help) }
  }

  /// Completes the last term of a query; the text before it stays.
  func offers(_ word: String) throws -> [Offer] {
    let blank = try isInName(word) ? nil : word.lastIndex(where: { " (\"".contains($0) })
    let last = blank.map { word.index(after: $0) } ?? word.startIndex
    var start = last
    if word[start...].hasPrefix("-") { start = word.index(after: start) }
    let before = String(word[..<start])
    return try offers(part: String(word[start...])).map { offer in
      Offer(before + offer.text, shown: offer.shown, help: offer.help, isOpen: offer.isOpen)
    }
  }

  /// Whether the word is a single term whose name contains a space: `deck:Class 1`.
  private func isInName(_ word: String) throws -> Bool {
    guard let term = NamedTerm(word), term.containsSpace, case let begun = term.name.lowercased() else { return false }
    return try term.names(session).contains { $0.lowercased().hasPrefix(begun) }
  }

  private func offers(part: String) throws -> [Offer] {
    guard let colon = part.firstIndex(of: ":") else {
      return Self.starts.map { Offer($0.text, help: $0.help, isOpen: true) }
    }
    let field = part[..<colon].lowercased()
    func values(_ names: [(text: String, help: String)], isOpen: Bool = false) -> [Offer] {
      names.map { Offer("\(part[...colon])\($0.text)", shown: $0.text, help: $0.help, isOpen: isOpen) }
    }
    switch field {
    case "tag":
      let begun = String(part[part.index(after: colon)...])
      return values(try session.workspace().cards.recentTags(beginningWith: begun).map { ($0, "") })
    case "deck", "note": return values(try NamedTerm(part)?.names(session).map { ($0, "") } ?? [])
    case "is": return values(Self.states)
    case "prop": return values(Self.figures, isOpen: true)
    case "flag": return values(CardHiding.flagNames.enumerated().map { ("\($0.offset)", $0.element) })
    default: return []
    }
  }
}

/// A query word that begins with a field whose names may contain spaces: `deck:Class 1`, `-note:Basic`.
struct NamedTerm {
  /// The part before the name: `-deck:`.
  let start: Substring
  let name: Substring
  private let isOfDeck: Bool

  init?(_ word: String) {
    guard let colon = word.firstIndex(of: ":") else { return nil }
    let field = word[..<colon].drop { $0 == "-" }.lowercased()
    guard field == "deck" || field == "note" else { return nil }
    isOfDeck = field == "deck"
    (start, name) = (word[...colon], word[word.index(after: colon)...])
  }

  var containsSpace: Bool { name.contains(" ") && !name.contains("\"") }

  func names(_ session: Session) throws -> [String] {
    let workspace = try session.workspace()
    return try isOfDeck ? workspace.decks.records().map(\.name) : workspace.noteTypes.all().map { try $0.record().name }
  }
}

extension Session {
  /// The words joined by spaces. A word like `deck:Class 1` becomes `deck:"Class 1"` if a deck has that name, because
  /// the user's shell removes the quotes.
  func query(_ words: [String]) throws -> String {
    try words.map { word in
      guard let term = NamedTerm(word), term.containsSpace, case let wanted = term.name.lowercased(),
        try term.names(self).contains(where: { $0.lowercased() == wanted })
      else { return word }
      return "\(term.start)\"\(term.name)\""
    }.joined(separator: " ")
  }

  /// The query text of an argument or option; nil when it was left out.
  func query(_ name: String, of invocation: Invocation) throws -> String? {
    let words = invocation.list(name)
    return words.isEmpty ? nil : try query(words)
  }
}

package enum PathCompletion {
  private static let most = 5_000

  /// The paths that begin with the text, sorted; folders end with a slash. Hidden names are included only when the
  /// typed name begins with a dot. `home` replaces a leading `~/` when reading; the returned paths keep the `~/`.
  package static func paths(beginningWith text: String, foldersOnly: Bool = false, home: String?) -> [String] {
    let split = text.lastIndex(of: "/").map { text.index(after: $0) } ?? text.startIndex
    let (folder, start) = (String(text[..<split]), text[split...])
    if text == "~" { return home == nil ? [] : ["~/"] }
    let real = folder.hasPrefix("~/") ? (home.map { $0 + folder.dropFirst() } ?? folder) : folder
    let all: [String]
    // A folder that cannot be read has no completions.
    do { all = try Folder.names(in: real.isEmpty ? "." : real) } catch { return [] }
    let names = all.filter { name in
      name.unicodeScalars.starts(with: start.unicodeScalars) && (!name.hasPrefix(".") || start.hasPrefix("."))
    }
    return names.prefix(most).compactMap { name in
      let isFolder = Folder.isFolder(real + name)
      return foldersOnly && !isFolder ? nil : folder + name + (isFolder ? "/" : "")
    }
  }
}
