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
  /// The shape of a command's `--json` output.
  var answer = ""
  /// Returns the text without its example; of a command, the whole text in long lines.
  let lines: () -> [String]
}

struct HelpIndex {
  let session: Session

  /// The names that Tab offers besides commands.
  var names: [String] {
    HelpTopic.all.map(\.name) + [ShellCommands.allCommands, "developers"] + session.lua.allHelpEntries.map(\.name)
      + (session.preferences?.tree.names ?? []) + ProblemCode.distinct.map(\.rawValue)
  }

  /// All entries, in the order in which a name is looked up.
  private var entries: [HelpEntry] {
    let topics = HelpTopic.all.map { topic in
      HelpEntry(name: topic.name, kind: .topic, summary: topic.summary, example: topic.example) {
        topic.lines(width: width)
      }
    }
    let commands = session.registry.commands.map { command in
      HelpEntry(
        name: command.name, kind: .command, summary: command.summary, example: command.example,
        answer: command.text.answer
      ) { command.helpText(width: 1000) }
    }
    let lua = session.lua.allHelpEntries.map { entry in
      HelpEntry(name: entry.name, kind: .lua, summary: firstSentence(entry.words) + ".", example: entry.example) {
        entry.lines(within: width)
      }
    }
    let problems = ProblemCode.distinct.map { code in
      HelpEntry(name: code.rawValue, kind: .problem, summary: code.meaning, example: code.example) {
        code.lines(width: width)
      }
    }
    return topics + commands + lua + settings + problems
  }

  private var settings: [HelpEntry] {
    guard let tree = session.preferences?.tree else { return [] }
    return tree.names.compactMap { name in
      guard let declaration = tree.declaration(of: name) else { return nil }
      return HelpEntry(
        name: name, kind: .setting, summary: declaration.help.isEmpty ? declaration.title : declaration.help,
        example: "set \(name) \(exampleValue(of: declaration))"
      ) { settingLines(name, declaration, tree) }
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

  private var width: Int { min(100, session.console.terminal.width) }

  /// The help for a name: of every entry with that name, the first in full.
  /// - Throws: `CommandError.unknownHelp` with the nearest name.
  func lines(of words: [String]) throws -> [String] {
    let name = words.joined(separator: " ")
    let words = name.split(separator: " ").map(String.init)
    let isCommand = session.registry.isKnown(words.first ?? "")
    if isCommand { try session.plugins.prepareCommand(words) }
    let entries = entries.filter { $0.name == name }
    let topic = entries.first { $0.kind == .topic }
    var parts = topic.map { [text(of: $0)] } ?? []
    if isCommand { parts.append(try session.registry.helpText(for: words, width: width)) }
    for entry in entries where entry.kind != .topic && entry.kind != .command {
      // For a Lua name that is also a command, one line is enough.
      if !parts.isEmpty, entry.kind == .lua, topic == nil {
        let members = session.lua.allHelpEntries.map(\.name).filter {
          $0.hasPrefix(entry.name + ".") || $0.hasPrefix(entry.name + ":")
        }
        let shown = members.prefix(12).joined(separator: ", ") + (members.count > 12 ? " and others" : "")
        let text = "In Lua, \(entry.name): \(entry.summary) `help NAME` explains \(shown)."
        parts.append(wrapped(text, width: width))
      } else {
        parts.append(text(of: entry))
      }
    }
    // The developers' theme matches by its last word.
    let titles = [name.lowercased(), "for " + name.lowercased()]
    if parts.isEmpty, let theme = session.registry.themes.first(where: { titles.contains($0.lowercased()) }) {
      return session.registry.helpText(theme: theme, width: width)
    }
    guard !parts.isEmpty else {
      throw CommandError.unknownHelp(
        name, suggestion: suggestion(for: name, among: session.registry.firstWords + names),
        mentions: self.entries(about: name).count)
    }
    return Array(parts.joined(separator: [""]))
  }

  private func text(of entry: HelpEntry) -> [String] {
    entry.lines() + (entry.example.isEmpty ? [] : ["", "Example", "  " + entry.example])
  }

  /// The entries that contain the word in their name or text, those with it in the name first.
  func entries(about word: String) -> [HelpEntry] {
    let wanted = word.lowercased()
    func isIn(_ text: String) -> Bool { text.lowercased().contains(text: wanted) }
    let all = entries
    return all.filter { isIn($0.name) }
      + all.filter { !isIn($0.name) && (isIn($0.summary) || $0.lines().contains(where: isIn)) }
  }
}

extension ProblemCode {
  /// Each code once, sorted: a code that is both a failure and a usage error has one meaning.
  static let distinct = known.distinct(by: \.rawValue).sorted { $0.rawValue < $1.rawValue }

  /// The exit statuses of commands that fail with it.
  var statuses: String {
    Set(Self.known.filter { $0.rawValue == rawValue }.map(\.exitStatus)).sorted().map { "\($0)" }
      .joined(separator: " or ")
  }

  func lines(width: Int) -> [String] {
    let text = statuses.isEmpty ? meaning : "\(meaning) A command that fails with it has exit status \(statuses)."
    return ["\(rawValue): a problem code", ""] + wrapped(text, width: width)
  }

  /// A line of Lua that checks for the code.
  var example: String {
    "deck, problem = decks.open(\"Spanish\"); if problem and problem.code == \"\(rawValue)\" then print(problem) end"
  }
}
