// What Tab offers on a command line: commands, subcommands, options and the values of arguments, quoted as the line
// needs them. Invariant: completion runs no command and loads no plugin; the parser accepts what is offered.

import Text

/// A text that Tab can put in place of the word under the cursor.
///
///     Candidate("My\\ deck", shown: "My deck")   // Tab puts `My\ deck ` into the line
public struct Candidate: Equatable, Sendable {
  /// The text that replaces the word in the line, quoted, without a closing quote.
  public let replacement: String
  /// The text in the list of candidates.
  public let shown: String
  /// The text after the replacement if it is the only candidate: a space, a closing quote and a space, or nothing.
  public let suffix: String
  public let help: String

  public init(_ replacement: String, shown: String? = nil, suffix: String = " ", help: String = "") {
    (self.replacement, self.shown, self.suffix) = (replacement, shown ?? replacement, suffix)
    self.help = help
  }
}

/// What Tab offers at a position in a line.
public struct Completion: Equatable, Sendable {
  /// The offset, in UTF-8 bytes of the line, of the word that a candidate replaces; the word ends at the cursor.
  public let wordStart: Int
  public let candidates: [Candidate]

  public init(wordStart: Int, candidates: [Candidate]) { (self.wordStart, self.candidates) = (wordStart, candidates) }
}

/// The sources of the names that Tab offers for the values of arguments.
public struct CompletionSources {
  /// The names of a kind (decks, modes, ...) with short descriptions; for cards and documents, possibly only the most
  /// recent ones. The word is what was typed of the name: names that do not begin with it are dropped anyway.
  public var names: (_ kind: ValueKind, _ word: String) -> [Offer]
  /// Paths that begin with the text; folders end with a slash. If the second argument is true, only folders.
  public var paths: (String, _ foldersOnly: Bool) -> [String]
  /// The offers of a command whose completion is `.builtIn`, for the word and the words before it.
  public var values: (_ command: Command, _ word: String, _ before: [String]) -> [Offer]

  public init(
    names: @escaping (ValueKind, String) -> [Offer] = { _, _ in [] },
    paths: @escaping (String, _ foldersOnly: Bool) -> [String] = { _, _ in [] },
    values: @escaping (Command, String, [String]) -> [Offer] = { _, _, _ in [] }
  ) { (self.names, self.paths, self.values) = (names, paths, values) }
}

extension CommandRegistry {
  /// The candidates for the word that ends at the cursor. `line` is the text before the cursor.
  public func completions(line: String, sources: CompletionSources) -> Completion {
    let partial = ShellWords.partial(line)
    let offers = completions(words: partial.words + [partial.word], sources: sources)
    return Completion(wordStart: partial.start, candidates: offers.map(partial.candidate(for:)))
  }

  /// The unquoted texts that could replace the last word.
  public func completions(words: [String], sources: CompletionSources) -> [Offer] {
    guard let word = words.last else { return [] }
    let before = Array(words.dropLast())
    if before.isEmpty { return Offer.matching(firstWordOffers, word) }
    do {
      switch try lookup(before) {
      case .group(let group):
        guard before.count == 1 else { return [] }
        return Offer.matching(group.commands.map { Offer($0.path[1], help: $0.summary) }, word)
      case .command(let command, let rest): return try offers(command, before: rest, word, sources)
      }
    } catch {
      // The line has an error before the cursor, which no offer could repair.
      return []
    }
  }

  /// The words that a line may begin with, each with its description.
  public var firstWordOffers: [Offer] {
    let words = Dictionary(firstOf: aliases.map { ($0.name, $0.words) })
    return firstWords.map { name in
      if let words = words[name] { return Offer(name, help: Self.summary(ofAlias: words)) }
      return Offer(name, help: group(name)?.summary ?? commands(of: name).first?.summary ?? "")
    }
  }

  private func offers(
    _ command: Command, before: [String], _ word: String, _ sources: CompletionSources
  ) throws(CommandError) -> [Offer] {
    var scanner = WordScanner(command)
    for word in before { try scanner.take(word) }
    if let option = scanner.pending { return offers(option.kind, word, sources) }
    if !scanner.takesOnlyValues, word.hasPrefix("--") || word.hasPrefix("-") && scanner.isOption(word) {
      return optionOffers(scanner, word, sources)
    }
    let own: [Offer] =
      switch command.completion {
      case .byKind: []
      case .builtIn: sources.values(command, word, before)
      case .function(let offers): offers(word, before).map { Offer($0) }
      }
    var found = Offer.matching(own, word)
    if found.isEmpty {
      found = command.arguments(at: scanner.positionals.count).flatMap { offers($0.kind, word, sources) }
    }
    guard found.isEmpty, word.isEmpty, !scanner.takesOnlyValues else { return found }
    return optionOffers(scanner, word, sources)
  }

  private func optionOffers(_ scanner: WordScanner, _ word: String, _ sources: CompletionSources) -> [Offer] {
    let parts = word.split(at: "=", maxSplits: 1).map(String.init)
    if parts.count == 2, let option = scanner.command.options.first(where: { $0.name == parts[0] && $0.takesValue }) {
      return offers(option.kind, parts[1], sources).map { $0.prefixed(by: parts[0] + "=") }
    }
    let all = scanner.command.options
    let left = (all.contains { $0.name == Option.json.name } ? all : all + [.json]).filter { option in
      option.isRepeating || !scanner.given.contains { $0.option.name == option.name }
    }
    return Offer.matching(left.map { Offer($0.name, help: $0.help) }, word)
  }

  /// The offers for a value of a kind.
  public func offers(_ kind: ValueKind, _ word: String, _ sources: CompletionSources) -> [Offer] {
    switch kind {
    case .file, .folder, .verbatim: sources.paths(word, kind == .folder).map { Offer(path: $0) }
    case .choice(let names, _): Offer.matching(names.map { Offer($0) }, word)
    case .command: Offer.matching(firstWordOffers + sources.names(.command, word), word)
    case .integer, .number: []
    default: Offer.matching(sources.names(kind, word), word)
    }
  }

  /// The offers for the last word of a line on which a program's options come before a command with its own words.
  public func leadingOffers(of program: Command, words: [String], sources: CompletionSources) -> LeadingOffers {
    var (scanner, rest) = (WordScanner(program), words[...])
    do { if try scanner.takeOptions(&rest, keeping: 1) { return .command(Array(rest)) } } catch {
      // The line has an error before the cursor.
      return .offers([])
    }
    guard rest.count == 1, let word = rest.first else { return .command(Array(rest)) }
    if let option = scanner.pending { return .offers(offers(option.kind, word, sources)) }
    return word.hasPrefix("-") ? .offers(optionOffers(scanner, word, sources)) : .command([word])
  }

  /// The names that other programs use for our commands.
  private static let otherNames = [
    "new": ["create", "add"], "make": ["create", "add"], "add": ["create"],
    "delete": ["remove"], "rm": ["remove"], "del": ["remove"], "ls": ["list"], "dir": ["list"],
    "mv": ["rename", "move"], "view": ["show"], "open": ["show"], "change": ["edit"],
    "modify": ["edit"], "learn": ["study"], "review": ["study"], "bye": ["exit"], "logoff": ["logout"],
    "man": ["help"], "config": ["set"], "settings": ["set"], "game": ["play"], "stats": ["deck stats"],
    "unsuspend": ["resume"], "unbury": ["resume"],
  ]

  /// The command that a first word was meant as: `studdy` is `study`, `import` is `deck import`; nil if none is near.
  ///
  ///     registry.nearCommand(to: "import")   // "deck import"
  public func nearCommand(to word: String, among more: [String] = []) -> String? {
    let firstWords = firstWords
    if let near = suggestion(for: word, among: firstWords + more) { return near }
    let others = Self.otherNames[word.lowercased()] ?? []
    if let other = others.first(where: { name in firstWords.contains(name) || commands.contains { $0.name == name } }) {
      return other
    }
    // In the order of the help: `list` is `card list`, not `account list`.
    for group in wordsByTheme.flatMap(\.words).compactMap({ group($0) }) {
      if group.commands.contains(where: { $0.path[1] == word }) { return "\(group.name) \(word)" }
    }
    return nil
  }

  func nearCommand(to word: String, in group: CommandGroup) -> String? {
    let names = group.commands.map { $0.path[1] }
    return Self.otherNames[word.lowercased()]?.first { names.contains($0) } ?? suggestion(for: word, among: names)
  }
}

/// The completion of a line that begins with a program's own options.
public enum LeadingOffers: Equatable {
  /// Offers for an option of the program or its value.
  case offers([Offer])
  /// The program's options have ended: these are the words of a command so far.
  case command([String])
}

extension PartialLine {
  public func candidate(for offer: Offer) -> Candidate {
    let keepsTilde = hasTilde || word.isEmpty && offer.isPath
    let text = ShellWords.escape(offer.text, in: quote, keepsTilde: keepsTilde)
    return Candidate(
      quote.rawValue + text, shown: offer.shown, suffix: offer.isOpen ? "" : quote.rawValue + " ", help: offer.help)
  }
}

/// A text that Tab offers, before quoting.
///
///     Offer("Spanish", help: "12 cards").text   // "Spanish"
///     Offer(path: "lists/en/").shown            // "en/"
public struct Offer: Equatable, Sendable {
  public private(set) var text: String
  public let shown: String
  public let isPath: Bool
  /// Whether more of the same word may follow, as after a folder.
  public let isOpen: Bool
  public let help: String

  /// - Parameters:
  ///   - shown: the text in the list; nil for the name itself.
  ///   - isOpen: whether more of the same word may follow.
  public init(_ name: String, shown: String? = nil, help: String = "", isOpen: Bool = false) {
    (text, self.shown, isPath, self.isOpen, self.help) = (name, shown ?? name, false, isOpen, help)
  }

  /// Creates an offer for a path; the list shows only the last part of the path.
  public init(path: String) {
    let last = path.split(separator: "/").last.map(String.init) ?? path
    (text, isPath, isOpen, help) = (path, true, path.hasSuffix("/"), "")
    shown = isOpen && last != path ? last + "/" : last
  }

  func prefixed(by prefix: String) -> Offer {
    var longer = self
    longer.text = prefix + text
    return longer
  }

  /// The offers that begin with the word, ignoring case if none does otherwise; each once, sorted.
  public static func matching(_ offers: [Offer], _ word: String) -> [Offer] {
    let exact = offers.filter { $0.text.begins(with: word) }
    let lowered = word.lowercased()
    let found = exact.isEmpty ? offers.filter { $0.text.lowercased().begins(with: lowered) } : exact
    return found.distinct(by: \.text).sorted { $0.text < $1.text }
  }
}

extension String {
  /// Compares code points, as a partly typed syllable of Hindi or Tamil is only a part of a character.
  fileprivate func begins(with word: String) -> Bool { unicodeScalars.starts(with: word.unicodeScalars) }
}

extension Command {
  /// The arguments that the value at `index` could belong to: after a repeating one, there may be several.
  fileprivate func arguments(at index: Int) -> ArraySlice<Argument> {
    guard let repeating = arguments.firstIndex(where: \.takesRest), index >= repeating else {
      return arguments.dropFirst(index).prefix(1)
    }
    return index == repeating ? arguments[repeating...repeating] : arguments[repeating...]
  }
}
