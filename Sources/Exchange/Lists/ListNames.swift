// The names of columns and keys, and what they mean: read from names.txt, which holds them in ten languages.
// Invariant: a whole name must match; case, accents and a plural s do not count, and `_`, `-` and `.` are blanks.

import Text

/// What the name of a column or of a key says about it.
enum ListRole: Hashable {
  case prompt, answer, tags, category, deck, guid
  /// One side of a list of two languages: the code of the language.
  case language(String)
  /// A sentence; a number, which is never a prompt; anything else that belongs to a card.
  case example, number, extra
}

enum ListNames {
  /// The most bytes of a name. A longer cell is not compared with others: with thousands of combining marks that takes
  /// minutes.
  static let longest = 1_000

  private static let roles: [String: ListRole] = {
    var roles: [String: ListRole] = [:]
    for line in String(decoding: PackageResources.names_txt, as: UTF8.self).lines {
      let parts = line.split(at: ": ", maxSplits: 1)
      let words = parts[0].split(separator: " ").map(String.init)
      guard parts.count == 2 else { continue }
      let role = named[words[0]] ?? (words[0] == "language" ? .language(words[words.count - 1]) : .extra)
      for name in parts[1].split(separator: ",") where roles[folded(String(name))] == nil {
        roles[folded(String(name))] = role
      }
    }
    return roles
  }()

  private static let named: [String: ListRole] = [
    "prompt": .prompt, "answer": .answer, "tags": .tags, "category": .category, "deck": .deck, "guid": .guid,
    "example": .example, "number": .number,
  ]

  static func role(of name: String) -> ListRole? {
    if name.utf8.count > 100 { return nil }
    let name = folded(name)
    return roles[name] ?? (name.count > 3 && name.hasSuffix("s") ? roles[String(name.dropLast())] : nil)
  }

  private static func folded(_ name: String) -> String {
    var (words, isInWord) = ("", false)
    for scalar in name.decomposed.unicodeScalars where !scalar.isCombiningDiacritic {
      // `exampleSentence`, as programs write it, has two words.
      let begins = isInWord && scalar.isCapital
      if begins || scalar.properties.isWhitespace || "_-.".unicodeScalars.contains(scalar) { words += " " }
      if !"_-.".unicodeScalars.contains(scalar) { words.unicodeScalars.append(scalar) }
      isInWord = scalar.properties.isLowercase
    }
    return words.lowercased().split(separator: " ").joined(separator: " ")
  }

  /// Returns the columns of the prompt and the answer by their names; nil if not both are named. Of two columns with
  /// one role the first has it. Without a prompt or an answer, the first language takes its place.
  /// - Parameter isLoose: whether one of them is enough, with an example or a column without a role as the other.
  static func sides(of names: [String], isLoose: Bool = false) -> (prompt: Int, answer: Int)? {
    var roles = names.map(role(of:))
    // Single letters are names only as a pair.
    let letters = names.map { $0.lowercased() }
    if !letters.contains("q") || !letters.contains("a") {
      for index in letters.indices where letters[index] == "q" || letters[index] == "a" { roles[index] = nil }
    }
    var (prompt, answer) = (roles.firstIndex(of: .prompt), roles.firstIndex(of: .answer))
    var languages = roles.indices.filter { if case .language = roles[$0] { true } else { false } }
    if prompt == nil, !languages.isEmpty { prompt = languages.removeFirst() }
    if answer == nil { answer = languages.first { roles[$0] != roles[prompt ?? $0] } }
    if isLoose, (prompt ?? answer).map({ [.prompt, .answer].contains(roles[$0]) }) ?? false {
      let others = roles.indices.filter { $0 != prompt && $0 != answer && (roles[$0] ?? .example) == .example }
      if prompt == nil { prompt = others.first { roles[$0] == nil } ?? others.first }
      if answer == nil { answer = others.first }
    }
    if let prompt, let answer { return (prompt, answer) }
    return nil
  }
}

/// The names by which lists of known words know their columns.
enum ColumnNames {
  /// The parts of a list of words, by plain names.
  static let ofWords = [
    "word": [
      "word", "term", "lemma", "expression", "vocabulary", "form", "spelling", "headword", "morphlemma", "baseform",
      "dictionaryform", "targetword", "morph", "morphinflection",
    ],
    "status": ["status", "state", "level", "learningstatus", "knownstatus"], "language": ["language", "lang"],
  ]

  /// Returns a name without case, blanks and signs.
  static func plain(_ name: String) -> String { String(name.lowercased().filter { !" -_".contains($0) }) }
}
