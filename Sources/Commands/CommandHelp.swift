// The texts of `help`, generated from the descriptions: all commands by theme, a group, one command. Invariant: plain
// lines no wider than requested, as far as single words allow; every argument and option of a command is in its text.

import Problems
import Text

extension Command {
  /// One line for each form: `deck import DECK FILE [--format F] [--strict]`.
  public var usageLines: [String] {
    if !usage.isEmpty { return usage }
    return [([name] + arguments.map(\.usage) + options.map(\.usage)).joined(separator: " ")]
  }

  /// All forms in one line, for an error message.
  public var usageText: String { usageLines.joined(separator: " | ") }

  public func optionLines(width: Int) -> [String] { helpTable(options.map { ($0.heading, $0.help) }, width: width) }

  public func helpText(width: Int = 80) -> [String] {
    var parts = [usageLines.flatMap { hanging($0, width: width) }]
    if !summary.isEmpty { parts.append(wrapped(summary, width: width)) }
    if !details.isEmpty { parts.append(paragraphs(details, width: width)) }
    if !arguments.isEmpty {
      parts.append(["Arguments"] + helpTable(arguments.map { ($0.usage, $0.help) }, width: width))
    }
    parts.append(["Options"] + helpTable((options + [.json]).map { ($0.heading, $0.help) }, width: width))
    if !text.answer.isEmpty { parts.append(["With --json"] + wrapped(text.answer, width: width - 2).map { "  " + $0 }) }
    if !example.isEmpty { parts.append(["Example", "  " + example]) }
    if owner != .program { parts.append(["Added by \(CommandError.name(of: owner))."]) }
    return Array(parts.joined(separator: [""]))
  }
}

extension Argument {
  /// The argument in a usage line: `[DECK]...`.
  public var usage: String { (isOptional ? "[\(name)]" : name) + (isRepeating ? "..." : "") }
}

extension Option {
  var usage: String { "[\(nameAndValue)]" + (isRepeating ? "..." : "") }
  var nameAndValue: String { [name, valueName].compactMap { $0 }.joined(separator: " ") }

  /// The beginning of the option's line in the list of options: `-n, --limit N`.
  public var heading: String { (short.map { "-\($0), " } ?? "") + nameAndValue }
}

extension CommandRegistry {
  /// The text of `help`: all commands by theme, or the text about the group or command of the words.
  /// - Throws: `.unknownCommand`, `.unknownSubcommand`, or `.extraArgument` after the words of a command.
  public func helpText(for words: [String] = [], width: Int = 80) throws(CommandError) -> [String] {
    if words.isEmpty { return Array(themes.map { helpText(theme: $0, width: width) }.joined(separator: [""])) }
    if words.count == 1, let alias = pluginAlias(named: words[0]) { return alias.helpText(width: width) }
    switch try lookup(words) {
    case .group(let group): return helpText(group, width: width)
    case .command(let command, let rest):
      if let extra = rest.first { throw .extraArgument(command: "help", extra, usage: "help \(command.name)") }
      return command.helpText(width: width)
    }
  }

  public var themes: [String] {
    let used = Set(commands.map(\.theme))
    return themeOrder.filter(used.contains) + used.subtracting(themeOrder).sorted()
  }

  /// The first words of commands by theme, each once; aliases come last.
  public var wordsByTheme: [(theme: String, words: [String])] {
    let commands = commands
    var seen: Set<String> = []
    var found = themes.map { theme in
      let words = commands.filter { $0.theme == theme }.map { $0.path[0] }
      return (theme: theme, words: words.filter { seen.insert($0).inserted })
    }
    let others = firstWords.filter { !seen.contains($0) }
    if !others.isEmpty { found.append(("Aliases", others)) }
    return found.filter { !$0.words.isEmpty }
  }

  /// The commands of a theme below its name.
  public func helpText(theme: String, width: Int = 80) -> [String] {
    [theme] + helpTable(overviewRows(theme), width: width)
  }

  /// A plain command has its summary; a group has its summary and the names of its commands.
  private func overviewRows(_ theme: String) -> [(String, String)] {
    let own = commands.filter { $0.theme == theme }
    var rows: [(String, String)] = []
    for command in own where rows.last?.0 != command.path[0] {
      guard command.path.count == 2 else {
        rows.append((command.name, command.summary))
        continue
      }
      let names = own.filter { $0.path[0] == command.path[0] }.map { $0.path[1] }.joined(separator: ", ")
      let summary = group(command.path[0])?.summary ?? ""
      rows.append((command.path[0], summary.isEmpty ? names : summary + " Subcommands: " + names))
    }
    return rows
  }

  private func helpText(_ group: CommandGroup, width: Int) -> [String] {
    var lines = group.summary.isEmpty ? [] : wrapped(group.summary, width: width) + [""]
    for command in group.commands {
      lines += command.usageLines.flatMap { hanging($0, width: width) }
      lines += wrapped(command.summary, width: width - 4).map { "    " + $0 }
    }
    return lines
  }
}

/// Formats two columns: the first is as wide as its widest name (at most `widest`), the second is wrapped. If that
/// leaves no room for the second column, each text is below its name.
public func helpTable(_ rows: [(String, String)], width: Int, widest: Int = 28) -> [String] {
  let beside = 2 + (rows.map { min($0.0.count, widest) }.max() ?? 0) + 2
  let isNarrow = width - beside < 24
  let indent = isNarrow ? 6 : beside
  return rows.flatMap { name, text in
    let lines = wrapped(text, width: width - indent)
    let blank = String(repeating: " ", count: indent)
    let names = hanging(name, width: width - 2).map { "  " + $0 }
    guard let first = lines.first else { return names }
    guard !isNarrow, name.count <= indent - 4 else { return names + lines.map { blank + $0 } }
    let start = "  " + name + String(repeating: " ", count: indent - 2 - name.count)
    return [start + first] + lines.dropFirst().map { blank + $0 }
  }
}

/// Wraps a line, with its continuation indented. Choices that are wider than a line are broken after a bar.
private func hanging(_ line: String, width: Int) -> [String] {
  let words = line.split(separator: " ").map { word in
    word.count > width - 4 ? word.replacing(text: "|", with: "| ") : String(word)
  }
  return wrapped(words.joined(separator: " "), width: width - 4).enumerated().map { ($0 == 0 ? "" : "    ") + $1 }
}

private func paragraphs(_ text: String, width: Int) -> [String] {
  text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
    line.hasPrefix(" ") || line.isEmpty ? [String(line)] : wrapped(String(line), width: width)
  }
}
