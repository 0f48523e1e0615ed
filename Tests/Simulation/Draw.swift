// Draws random plans from the command descriptions, so that a new command is drawn as soon as it exists. Invariant:
// what is drawn depends only on the seed, the commands and the state of the machine.

import Commands
import Files
import Problems

/// The state of the machine, for commands that name parts of it.
struct MachineState {
  var decks: [String] = []
  var counts: [String: Int] = [:]
  var guids: [String] = []
  var types: [String] = []
  var documents: [String] = []
  var media: [String] = []
  var presets: [String] = []
  /// Whether two notes share a guid.
  var sharesGuids = false
  /// Whether the first field of some note is empty.
  var hasEmptyFirst = false

  /// - Parameter path: the path of the collection.
  init(_ path: String) throws {
    guard let facts = try FileFacts.at(path), facts.size > 0 else { return }
    let rows = try Rows(path)
    for row in try rows.all("SELECT name, (SELECT count(*) FROM cards WHERE deck = decks.id) FROM decks ORDER BY id") {
      decks.append(row[0])
      counts[row[0]] = Int(row[1])
    }
    func first(_ sql: String) throws -> [String] { try rows.all(sql).map { $0[0] } }
    sharesGuids = try first("SELECT count(*) > count(DISTINCT guid) FROM notes") == ["1"]
    hasEmptyFirst = try first("SELECT count(*) FROM notes WHERE fields = '' OR fields LIKE char(31) || '%'") != ["0"]
    guids = try first("SELECT guid FROM notes ORDER BY id LIMIT 50")
    types = try first("SELECT name FROM note_types ORDER BY id LIMIT 20")
    documents = try first("SELECT id FROM documents ORDER BY id LIMIT 20")
    media = try first("SELECT name FROM media ORDER BY name LIMIT 20")
    presets = try first("SELECT name FROM presets ORDER BY id LIMIT 20")
  }
}

struct Draw {
  var chance: Random
  private let commands: [Command]
  private let scripts: LuaDraw
  private var state: MachineState
  /// The names of the files that steps have made.
  private var files: [String] = []
  /// The source folders.
  private var folders: [String] = []
  private var fileCount = 0
  /// The time that the machine's clock shows.
  var now = 0.0
  var zone = Zone.east
  /// Whether a plugin is installed, whose commands are drawn as well.
  private(set) var hasPlugin = false
  /// The percentage of commands that meet a fault.
  var faults = 0

  /// Commands that need a terminal, a network, another process or minutes of processor time, or that only show help
  /// pages.
  private static let skipped: Set<String> = [
    "account", "login", "logout", "passwd", "serve", "lsp", "mcp", "sync", "exit", "quit", "help", "man", "docs",
    "lua-types",
    "completions", "plugin", "word define", "word dictionaries", "word languages", "map", "version", "whoami",
    "history", "text read", "media speak", "card speak",
  ]
  /// Options that wait for the user or start another program.
  private static let skippedOptions: Set<String> = ["--watch", "--git"]
  /// The commands that a collection sees most often, with their weights.
  private static let usual: [String: Int] = [
    "card add": 12, "note add": 8, "study": 8, "undo": 6, "redo": 4, "deck import": 10, "deck export": 4,
    "deck create": 5, "run": 10, "card edit": 5, "card move": 5, "deck rename": 4, "deck options": 4,
    "notetype create": 4, "notetype edit": 4, "note edit": 6, "build": 6, "play": 6, "backup": 1, "restore": 2,
    "doc create": 4, "doc add-text": 4, "card tag": 4, "card remove": 3,
  ]
  /// Options without which a command would open an editor or do nothing.
  private static let needed: [String: [String]] = [
    "note edit": ["--set"], "card edit": ["--prompt", "--answer"], "card tag": ["--add", "--remove"],
    "notetype edit": ["--from", "--yes"], "notetype create": ["--from"], "deck order": ["--by"],
  ]

  private static let spans = [1, 60, 3600, 86_400, 86_400 * 30, -3600, 86_400 * 4000]

  /// The steps most plans begin with.
  static let beginning: [[String]] = [
    ["deck", "create", "A"], ["card", "add", "A", "el perro", "the dog"], ["card", "add", "A", "el gato", "the cat"],
    ["note", "add", "Basic (and reversed card)", "Front=uno", "Back=one", "--deck", "A"], ["doc", "create"],
  ]

  init(seed: UInt64, commands all: [Command], scripts: LuaDraw) {
    chance = Random(seed: seed)
    self.scripts = scripts
    state = MachineState.none
    commands = all.filter(Draw.draws).flatMap { command in
      var weight = Draw.usual[command.name] ?? 2
      if case .reads = command.effect { weight = 1 }
      return Array(repeating: command, count: weight)
    }
  }

  /// Returns whether a command is drawn in plans.
  static func draws(_ command: Command) -> Bool {
    !skipped.contains(command.name) && !skipped.contains(command.path[0]) && command.owner == .program
  }

  /// Returns the next steps: a command and the files it is given.
  mutating func next(_ state: MachineState) -> [Step] {
    self.state = state
    switch chance.number(1...20) {
    case 1:
      let borders = chance.happens(onceIn: 2) ? zone.borders(after: now) : []
      return [.pass(seconds: chance.pick(borders.isEmpty ? Draw.spans : borders))]
    case 2: return [.restart]
    default: break
    }
    if hasPlugin, chance.happens(onceIn: 8) { return [.command([chance.pick(PluginDraw.commands)], fault: fault())] }
    var steps: [Step] = []
    let command = chance.pick(commands)
    let words = words(of: command, &steps)
    steps.append(.command(words, input: input(of: command), fault: fault()))
    if command.name == "undo", chance.happens(onceIn: 2) { steps.append(.command(["redo"])) }
    return steps
  }

  private mutating func fault() -> Fault? {
    chance.number(1...100) <= faults
      ? Fault(kind: chance.pick(Fault.Kind.ofMachine), call: chance.number(1...4000)) : nil
  }

  /// Adds a plugin.
  mutating func plugin() -> [Step] {
    hasPlugin = true
    return PluginDraw.steps(scripts, MachineState.none, &chance)
  }

  private mutating func input(of command: Command) -> String {
    let keys: [String]
    switch command.name {
    case "study": keys = ["", "1", "2", "3", "4", "", "3", "u", "s", "b", "f", "r", "w", "p"]
    case "play":
      keys = OddWords.list + ["/new", "/hint", "/shuffle", "/list", "/give-up", "/quit", "cafe", "", "é", "xyz"]
    default: return ""
    }
    return (0..<chance.number(1...14)).map { _ in chance.pick(keys) + "\n" }.joined()
  }

  // MARK: Words

  private mutating func words(of command: Command, _ steps: inout [Step]) -> [String] {
    var words = command.path
    let needed = Draw.needed[command.name] ?? []
    for option in command.options
    where !Draw.skippedOptions.contains(option.name)
      && (chance.happens(onceIn: 9) || needed.contains(option.name) && !chance.happens(onceIn: 3))
    {
      words.append(option.name)
      if option.takesValue { words.append(value(option.kind, option.valueName ?? "", option.access, command, &steps)) }
    }
    for argument in command.arguments {
      if argument.isOptional, chance.happens(onceIn: 4) { break }
      let count = argument.isRepeating ? chance.pick([1, 1, 2, 3]) : 1
      for _ in 0..<count { words.append(value(argument.kind, argument.name, argument.access, command, &steps)) }
      if argument.kind == .query { words += more(command) }
    }
    return words
  }

  /// Returns what follows the cards within the same argument.
  private mutating func more(_ command: Command) -> [String] {
    switch command.name {
    case "card move": [String(chance.number(0...6))]
    case "card flag": [String(chance.number(0...8))]
    default: []
    }
  }

  private mutating func value(
    _ kind: ValueKind, _ name: String, _ access: FileAccess, _ command: Command, _ steps: inout [Step]
  ) -> String {
    switch kind {
    case .integer(let range): return String(number(in: range))
    case .number: return chance.pick(["0", "1", "0.5", "0.9", "-1", "1e9", "100"])
    case .choice(let names, _): return chance.pick(names)
    case .deck: return deck()
    case .card: return card()
    case .query: return query()
    case .document: return chance.any(state.documents) ?? "0"
    case .setting: return chance.pick(["study.seconds", "display.rows", "sound.right", "backup.daily", "nothing"])
    case .language: return chance.pick(["english", "english", "english", "spanish", "x"])
    case .file, .folder: return file(access, command, &steps)
    default: return named(name, command)
    }
  }

  private mutating func number(in range: ClosedRange<Int>) -> Int {
    let small = max(range.lowerBound, min(range.upperBound, chance.number(0...9)))
    return chance.pick([small, small, small, range.lowerBound, range.upperBound])
  }

  private mutating func deck() -> String {
    chance.happens(onceIn: 9) ? chance.pick(OddWords.decks) : chance.any(state.decks) ?? "A"
  }

  private mutating func card() -> String {
    if chance.happens(onceIn: 5), let guid = chance.any(state.guids) { return guid }
    let deck = chance.any(state.decks.filter { state.counts[$0, default: 0] > 0 }) ?? "A"
    return "\(deck):\(chance.number(1...max(1, state.counts[deck, default: 0] + (chance.happens(onceIn: 9) ? 1 : 0))))"
  }

  private mutating func query() -> String {
    chance.number(1...3) > 1
      ? card()
      : chance.pick([
        "perro", "tag:x", "is:new", "is:due", "-tag:x", "deck:A", "\"el perro\"", "prompt:a*", "is:suspended", "flag:1",
        "*", "added:7", "prop:reps>0", "x or y", "(",
      ])
  }

  /// Returns a value for the argument name that the help uses.
  private mutating func named(_ name: String, _ command: Command) -> String {
    switch name {
    case "DECK", "NEW": return deck()
    case "CARD", "NOTE": return card()
    case "DOC": return chance.any(state.documents) ?? "none"
    case "TYPE": return type()
    case "NAME": return nameOf(command)
    case "T": return chance.pick(OddWords.tags)
    case "F": return chance.pick(["Front", "Back", "Word", "Text", "é"])
    case "POSITION", "N": return String(chance.number(0...5))
    case "ELEMENT": return "1"
    case "DATE": return chance.pick(["2025-07-01", "2026-01-01", "2020-01-01", "x"])
    case "FIELD=VALUE", "FIELD=TEXT":
      if chance.happens(onceIn: 6), let file = chance.any(state.media) { return "Back=<img src=\"\(file)\">" }
      return chance.pick(["Front", "Front", "Front", "Back", "Back", "Text", "Word"]) + "=" + OddWords.text(&chance)
    case "NAME=VALUE":
      return chance.pick([
        "new_per_day=5", "reviews_per_day=0", "desired_retention=0.8", "preset=p", "preset=", "new_per_day=", "x=1",
      ])
    case "ELEMENT|FIELD=VALUE": return chance.pick(["1", "x=100", "rotation=30", "text=é", "locked=true", "2"])
    case "HTML":
      return chance.pick([
        "{{Front}}", "{{Back}}<hr>{{Front}}", "{{Word}}", "{{cloze:Text}}", "x", "{{#Back}}{{Back}}{{/Back}}",
      ])
    case "WORD", "LETTERS", "FORM": return chance.pick(OddWords.list + ["xyz", "é"])
    case "PATTERN": return chance.pick(["c?t", "*a*", "ma*", "[", "?"])
    case "DEGREES", "X", "Y", "W", "H": return String(chance.number(-10...900))
    default: return OddWords.text(&chance)
    }
  }

  private mutating func type() -> String {
    chance.happens(onceIn: 2) ? "Basic" : chance.any(state.types) ?? chance.pick(["Basic", "Cloze", "W"])
  }

  private mutating func nameOf(_ command: Command) -> String {
    switch command.path[0] {
    case "media": chance.any(state.media) ?? "x.png"
    case "notetype": command.name == "notetype create" ? chance.pick(["W", "w", "V", "x y", "Basic"]) : type()
    case "deck": chance.pick(OddWords.decks)
    default: OddWords.text(&chance)
    }
  }

  // MARK: Files

  private mutating func file(_ access: FileAccess, _ command: Command, _ steps: inout [Step]) -> String {
    if command.name == "build", access == .read { return sources(&steps) }
    if access == [.write] || command.name == "backup" || command.name.hasSuffix("export") {
      let name = "out\(fileCount)." + chance.pick(command.name == "backup" ? ["backup"] : Draw.endings(command))
      fileCount += 1
      files.append(name)
      return name
    }
    let fitting = files.filter { ($0.hasSuffix(".backup")) == (command.name == "restore") && !$0.hasSuffix(".lua") }
    if command.name != "run", chance.happens(onceIn: 2), let known = chance.any(fitting) { return known }
    fileCount += 1
    if command.name == "restore" {
      let name = "out\(fileCount).backup"
      steps.append(.command(["backup", name]))
      files.append(name)
      return name
    }
    let ending = chance.pick(Draw.endings(command))
    let name = "in\(fileCount).\(ending)"
    steps.append(.file(name, ending == "lua" ? scripts.script(state, &chance) : Content.of(ending, &chance)))
    files.append(name)
    return name
  }

  /// Returns a folder of sources: a new one, or an earlier one with other sources or none.
  private mutating func sources(_ steps: inout [Step]) -> String {
    var folder = chance.any(folders) ?? ""
    let isNew = folder.isEmpty || chance.happens(onceIn: 4)
    if isNew {
      folder = "src\(fileCount)"
      fileCount += 1
      folders.append(folder)
    }
    for _ in 0..<chance.number(isNew ? 1...3 : 0...2) {
      let (name, content) = Content.source(&chance)
      steps.append(.file(folder + "/" + name, content))
    }
    return folder
  }

  private static func endings(_ command: Command) -> [String] {
    switch command.name {
    case "build": ["apkg"]
    case "run": ["lua"]
    case "media add": ["png", "mp3", "txt"]
    case "doc render", "doc sheet": ["svg", "png", "pdf"]
    case "deck export": ["csv", "tsv", "txt", "md", "json", "jsonl", "apkg", "colpkg"]
    case "doc export": ["rwcard"]
    case "deck page", "doc page": ["html"]
    case "notetype create", "notetype edit": ["type"]
    default: ["csv", "tsv", "txt", "md", "json", "jsonl"]
    }
  }
}

extension MachineState {
  private init() {}
  static let none = MachineState()
}
