// `word dictionaries`: lists dictionaries, indexes others, and sets the order in which they are searched. Invariant: a
// dictionary is indexed whole or not at all; only an index is ever removed, never its source file.

import Bindings
import Commands
import Files
import Lexicon
import Problems
import Text
import Values
import Workspace

enum DictionaryCommand {
  static let command = BuiltIn(
    "word", "dictionaries",
    effect: .depends {
      switch $0.optionalText("ACTION") {
      case "add", "remove": .announces
      case "order": .changes
      default: .reads
      }
    }, summary: "Lists, adds, removes or orders the dictionaries that explain words.",
    answer: "{name, words?, meanings?, path, own}... or {name, path, meanings, forms, frequencies, "
      + "pronunciations} or {order} or {removed}",
    details: """
      A dictionary is a table (NAME.tsv: word, tab, meaning), a StarDict dictionary (NAME.ifo and its other files), \
      a dictd dictionary, or one that was added. A name like spa-eng.tsv means that it explains Spanish words in \
      English; one without a language is used for every language. Debian has dict-wn and dict-freedict-spa-eng, \
      dict-freedict-eng-spa, ..., and apertium-eng-spa; those of Apertium are searched last. `add` indexes a .zip of \
      Yomitan (terms, frequencies, forms), a .ifo, a .index or a .tsv once, so that searches in a large one are \
      fast; `remove` deletes such an index. With --forms, a .tsv (form, tab, lemma) gives the words of texts their \
      dictionary forms, before all other data of its language. `order` sets which dictionaries are searched first; it \
      is the setting text.dictionaries.
      """,
    arguments: [
      Argument(
        "ACTION", .choice(["list", "add", "remove", "order"]), isOptional: true, help: "list, add, remove or order"),
      Argument(
        "FILE|NAME", .file, isOptional: true, isRepeating: true, access: .read,
        help: "a dictionary to add; names of dictionaries to remove or to put in order"),
    ],
    options: [
      Option(
        "--language", "L", .language, help: "the language of the words of an added dictionary, if it does not say"),
      Option("--forms", help: "the file that is added is a table: form, tab, lemma"),
    ],
    usage: [
      "word dictionaries", "word dictionaries add FILE... [--language L] [--forms]", "word dictionaries remove NAME",
      "word dictionaries order NAME...",
    ], complete: offers
  ) { invocation, session in
    let names = invocation.list("FILE|NAME")
    switch invocation.optionalText("ACTION") {
    case "add": return try add(names, invocation, session)
    case "remove": return try remove(names, session)
    case "order": return try order(names, session)
    default:
      if let extra = names.first {
        let usage = "word dictionaries list"
        throw CommandError.extraArgument(command: usage, extra, usage: usage)
      }
      return try list(session)
    }
  }

  private static func offers(_ word: String, _ before: [String], _ session: Session) throws -> [Offer] {
    if before.isEmpty { return ["list", "add", "remove", "order"].map { Offer($0) } }
    guard before[0] == "add" else { return try names(session).map { Offer($0) } }
    return NameOffers(session: session).paths(word)
  }

  /// The names of the available dictionaries.
  static func names(_ session: Session) throws -> [String] { try session.workspace().words.dictionaries().map(\.name) }

  private static func require(_ names: [String], _ action: String, _ what: String) throws {
    if names.isEmpty {
      throw CommandError.missingArgument(
        command: "word dictionaries \(action)", what, usage: "word dictionaries \(action) \(what)")
    }
  }

  private static func list(_ session: Session) throws -> CommandResult {
    let places = try session.workspace().words.dictionaries()
    let folders = session.lexicons.meanings.ownFolders.map { printable($0) }.joined(separator: " and ")
    if places.isEmpty { session.console.note("No dictionaries are installed; install Debian's dict-wn, for example.") }
    session.console.note("Put your own dictionaries into \(folders).")
    return CommandResult(listing: places, [.name("Dictionary"), "Words", "Meanings", .init("File", fit: .middle)]) {
      ["name": $0.name, "words": $0.words, "meanings": $0.meanings, "path": $0.path, "own": $0.isOwn]
    } row: {
      [printable($0.name), $0.words ?? "any", $0.meanings ?? "", printable($0.path)]
    }
  }

  private static func add(_ names: [String], _ invocation: Invocation, _ session: Session) throws -> CommandResult {
    try require(names, "add", "FILE")
    let workspace = try session.workspace()
    let language = try invocation.optionalText("--language").map { try workspace.words.language(named: $0) }
    var (values, lines): ([Value], [String]) = ([], [])
    for file in names {
      let path = session.environment.folders.expanded(file)
      guard session.rehearsal.mayActOutside("index \(printable(path))") else { continue }
      let added = try session.console.showing("Indexing") { progress in
        try UserDictionaries(workspace).add(path, words: language, areForms: invocation.flag("--forms")) {
          progress($0, nil)
        }
      }
      func count(_ kind: DictionaryEntryKind) -> Int { added.counts[kind, default: 0] }
      values.append(
        .record([
          "name": added.name, "path": added.path, "meanings": added.meanings, "forms": count(.form),
          "frequencies": count(.frequency), "pronunciations": count(.pronunciation),
        ]))
      var counts = [
        session.counted(added.meanings, "meaning"), session.counted(count(.form), "form"),
        session.counted(count(.frequency), "frequency", "frequencies"),
      ]
      if count(.pronunciation) > 0 { counts.append(session.counted(count(.pronunciation), "pronunciation")) }
      lines.append("Added \(added.name): \(counts.joined(separator: ", ")).")
      let code = DictionaryPlace.language(of: added.name)
      if let code, session.lexicons.meanings.language(ofWordsIn: added.name) == nil {
        session.console.note(
          "word dictionaries: \"\(code)\" is not in `word languages`; only `--dictionary \(added.name)` finds its words"
        )
      }
    }
    return CommandResult(values.count == 1 ? values[0] : .list(values), .lines(lines))
  }

  private static func remove(_ names: [String], _ session: Session) throws -> CommandResult {
    try require(names, "remove", "NAME")
    let dictionaries = try UserDictionaries(session.workspace())
    // All of them are removed, or none.
    for name in names { try dictionaries.requireOwn(name) }
    let shown = names.map { printable($0) }.joined(separator: ", ")
    guard session.rehearsal.mayActOutside("remove the dictionary \(shown)") else { return CommandResult() }
    for name in Set(names) { try dictionaries.remove(name) }
    return CommandResult(.record(["removed": names]), line: "Removed \(shown).")
  }

  private static func order(_ names: [String], _ session: Session) throws -> CommandResult {
    let known = try Self.names(session)
    for name in names where !known.contains(name) {
      throw DictionaryError.unknown(name: name, suggestion: suggestion(for: name, among: known))
    }
    try UserDictionaries(session.workspace()).setOrder(names, by: session.scripting.settingOwner)
    return CommandResult(
      .record(["order": names]),
      line: names.isEmpty
        ? "No dictionary comes before the others."
        : "Searched first: \(names.map { printable($0) }.joined(separator: ", ")).")
  }
}
