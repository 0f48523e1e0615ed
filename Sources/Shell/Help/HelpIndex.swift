// Everything that `help` can explain, in one list: topics, commands, Lua, settings, the codes of problems. Invariant:
// each entry is generated from the description of what it explains, except topics and codes.

import Commands
import LuaRuntime
import PluginHost
import Problems
import Text
import ToggleSettings
import Workspace

/// Something that `help NAME` explains.
struct HelpEntry {
  enum Kind: String { case topic, command, lua = "Lua", setting, problem }

  let name: String
  let kind: Kind
  /// One sentence, for lists.
  let summary: String
  /// A line that the user can type at the prompt.
  let example: String
  /// The text without its example; nil when the registry has the whole text.
  let lines: [String]?
  /// The shape of a command's `--json` output.
  var answer = ""
}

struct HelpIndex {
  let session: Session

  /// The names that Tab offers besides commands.
  var names: [String] {
    HelpTopic.all.map(\.name) + [ShellCommands.allCommands, "developers"] + LuaHelp(lua: session.lua).names
      + (session.preferences?.tree.names ?? []) + ProblemMeaning.all.map(\.code)
  }

  /// All entries, in the order in which a name is looked up.
  var entries: [HelpEntry] { topics() + commands + others() }

  // When a name is given, only its entries are built: building all of them takes longer than answering.

  private func topics(named wanted: String? = nil) -> [HelpEntry] {
    HelpTopic.all.filter { wanted == nil || $0.name == wanted }.map {
      HelpEntry(name: $0.name, kind: .topic, summary: $0.summary, example: $0.example, lines: $0.lines(width: width))
    }
  }

  private var commands: [HelpEntry] {
    session.registry.commands.map {
      HelpEntry(
        name: $0.name, kind: .command, summary: $0.summary, example: $0.example, lines: nil, answer: $0.text.answer)
    }
  }

  /// The entries that are looked up after topics and commands.
  private func others(named wanted: String? = nil) -> [HelpEntry] {
    lua(named: wanted) + settings(named: wanted) + problems(named: wanted)
  }

  private func lua(named wanted: String?) -> [HelpEntry] {
    let help = LuaHelp(lua: session.lua)
    return help.names.filter { wanted == nil || $0 == wanted }.map { name in
      let lines = help.lines(of: name) ?? []
      // The help of a module or type begins with what it is, that of a member with its signature.
      let isMember = lines.count > 2 && lines[1].isEmpty && !lines[2].hasPrefix(" ")
      let words = isMember ? lines[2] : lines.first ?? ""
      return HelpEntry(
        name: name, kind: .lua, summary: firstSentence(words) + ".", example: help.example(of: name),
        lines: help.lines(of: name, within: width))
    }
  }

  private func settings(named wanted: String?) -> [HelpEntry] {
    guard let tree = session.preferences?.tree else { return [] }
    return tree.names.compactMap { name in
      guard wanted == nil || name == wanted, let declaration = tree.declaration(of: name) else { return nil }
      return HelpEntry(
        name: name, kind: .setting, summary: declaration.help.isEmpty ? declaration.title : declaration.help,
        example: "set \(name) \(exampleValue(of: declaration))", lines: settingLines(name, declaration, tree))
    }
  }

  private func settingLines(_ name: String, _ declaration: SettingDeclaration, _ tree: SettingsTree) -> [String] {
    var lines = ["\(name): \(declaration.title)"]
    if !declaration.help.isEmpty { lines += [""] + wrapped(declaration.help, width: width) }
    do {
      let reasons = try tree.why(name)
      let standard = reasons.standard.map { $0.text.isEmpty ? "empty" : printable($0.text) } ?? "that of its switches"
      lines += [""] + wrapped("It accepts \(reasons.expectation); its default is \(standard).", width: width)
    } catch {
      // A section of settings takes no value itself.
    }
    return lines
  }

  private func exampleValue(of declaration: SettingDeclaration) -> String {
    switch declaration.kind {
    case .group, .toggle: "on"
    case .choice(let options, let option): options.first { $0 != option } ?? option
    default: ShellWords.quote(declaration.kind.defaultValue?.text ?? "")
    }
  }

  private func problems(named wanted: String?) -> [HelpEntry] {
    ProblemMeaning.all.filter { wanted == nil || $0.code == wanted }.map { meaning in
      HelpEntry(
        name: meaning.code, kind: .problem, summary: meaning.text, example: meaning.example,
        lines: meaning.lines(width: width))
    }
  }

  private var width: Int { min(100, session.console.terminal.width) }

  /// The help for a name: of every entry with that name, the first in full.
  /// - Throws: `CommandError.unknownHelp` with the nearest name.
  func lines(of words: [String]) throws -> [String] {
    let name = words.joined(separator: " ")
    let words = name.split(separator: " ").map(String.init)
    var parts: [[String]] = []
    let topic = topics(named: name).first
    if let topic { parts.append(text(of: topic)) }
    if session.registry.isKnown(words.first ?? "") {
      try session.plugins.prepareCommand(words)
      parts.append(try session.registry.helpText(for: words, width: width))
    }
    for entry in others(named: name) {
      // For a Lua name that is also a command, one line is enough.
      if !parts.isEmpty, entry.kind == .lua, topic == nil {
        parts.append(wrapped(briefly(entry), width: width))
      } else {
        parts.append(text(of: entry))
      }
    }
    if parts.isEmpty, let theme = session.registry.themes.first(where: { Self.isTheme($0, named: name) }) {
      return session.registry.helpText(theme: theme, width: width)
    }
    guard !parts.isEmpty else {
      throw CommandError.unknownHelp(
        name, suggestion: suggestion(for: name, among: session.registry.firstWords + names),
        mentions: entries(about: name).count)
    }
    return Array(parts.joined(separator: [""]))
  }

  /// Whether the name matches a theme; the developers' theme matches by its last word.
  private static func isTheme(_ theme: String, named name: String) -> Bool {
    let (theme, name) = (theme.lowercased(), name.lowercased())
    return theme == name || theme == "for " + name
  }

  private func briefly(_ entry: HelpEntry) -> String {
    let members = LuaHelp(lua: session.lua).names.filter {
      $0.hasPrefix(entry.name + ".") || $0.hasPrefix(entry.name + ":")
    }
    let shown = members.prefix(12).joined(separator: ", ") + (members.count > 12 ? " and others" : "")
    return "In Lua, \(entry.name): \(entry.summary) `help NAME` explains \(shown)."
  }

  private func text(of entry: HelpEntry) -> [String] {
    (entry.lines ?? []) + (entry.example.isEmpty ? [] : ["", "Example", "  " + entry.example])
  }

  /// The entries that contain the word in their name or text, those with it in the name first.
  func entries(about word: String) -> [HelpEntry] {
    let wanted = word.lowercased()
    let all = entries
    let named = all.filter { $0.name.lowercased().contains(text: wanted) }
    let mentioning = all.filter { entry in
      !entry.name.lowercased().contains(text: wanted)
        && (entry.summary.lowercased().contains(text: wanted)
          || body(of: entry).contains { $0.lowercased().contains(text: wanted) })
    }
    return named + mentioning
  }

  private func body(of entry: HelpEntry) -> [String] {
    if let lines = entry.lines { return lines }
    return session.registry.commands.first { $0.name == entry.name }?.helpText(width: 1000) ?? []
  }
}

struct ProblemMeaning {
  let code: String
  /// One sentence.
  let text: String

  /// The exit statuses of commands that fail with it.
  var status: String {
    Set(ProblemCode.known.filter { $0.rawValue == code }.map(\.exitStatus)).sorted().map { "\($0)" }
      .joined(separator: " or ")
  }

  func lines(width: Int) -> [String] {
    ["\(code): a problem code", ""]
      + wrapped(text + (status.isEmpty ? "" : " A command that fails with it has exit status \(status)."), width: width)
  }

  /// A line of Lua that checks for the code.
  var example: String {
    "deck, problem = decks.open(\"Spanish\"); if problem and problem.code == \"\(code)\" then print(problem) end"
  }

  /// Each code once: a code that is both a failure and a usage error has one meaning.
  static let all: [ProblemMeaning] = {
    var known: Set<String> = []
    return ProblemCode.known.filter { known.insert($0.rawValue).inserted }
      .map { ProblemMeaning(code: $0.rawValue, text: $0.meaning) }.sorted { $0.code < $1.code }
  }()
}
