// The reference of `deckhand docs` in Markdown, generated from the descriptions of commands, bound types, settings,
// formats, rules, events and codes. Invariant: it is the same on every machine and for every user.

import Bindings
import Commands
import Exchange
import LuaRuntime
import Problems
import Text
import ToggleSettings
import WordGames
import Workspace

struct ReferencePages {
  let session: Session

  var files: [(name: String, text: String)] {
    get throws {
      [
        ("Commands.md", commands), ("ErrorCodes.md", errorCodes), ("Events.md", events), ("Formats.md", formats),
        ("Lua.md", lua), ("Rules.md", rules), ("Settings.md", try settings),
      ]
    }
  }

  private var commands: String {
    let own = session.registry.commands.filter { $0.owner == .program }
    var page = MarkdownPage("Commands", "Every command of the program, as `help COMMAND` shows it.")
    for theme in session.registry.themeOrder {
      page.heading(2, theme)
      for command in own where command.theme == theme { add(command, to: &page) }
    }
    return page.text
  }

  private func add(_ command: Command, to page: inout MarkdownPage) {
    page.heading(3, command.name)
    page.list(command.usageLines.map { "`\($0)`" })
    page.paragraphs(command.summary + "\n" + command.details)
    page.table(["Argument", "What it is"], command.arguments.map { ["`\($0.usage)`", $0.help] })
    page.table(["Option", "What it does"], command.options.map { ["`\($0.heading)`", $0.help] })
    page.paragraphs(command.access.needsSignIn ? "Needs a sign-in if there are accounts." : "Needs no sign-in.")
    if !command.text.answer.isEmpty { page.paragraphs("With `--json`: `\(command.text.answer)`") }
    if !command.example.isEmpty { page.paragraphs("Example: `\(command.example)`") }
  }

  private var lua: String {
    var page = MarkdownPage("Lua", "Every module, function, type and field, as `help NAME` shows it.")
    for entry in session.lua.helpEntries {
      page.heading(2, entry.name)
      page.paragraphs(entry.words)
      for member in entry.members { page.member(member) }
    }
    return page.text
  }

  private var errorCodes: String {
    var page = MarkdownPage(
      "Problem codes",
      "The values of the field `code` of a problem, in Lua and with `--json`; a code never changes its meaning.")
    page.table(
      ["Code", "What it means", "Exit status"],
      ProblemCode.distinct.map { ["`\($0.rawValue)`", $0.meaning, $0.statuses] })
    return page.text
  }

  private var events: String {
    var page = MarkdownPage(
      "Events", "What `shell.on(NAME, function(...) end)` can listen to, and the arguments that a listener gets.")
    page.table(
      ["Event", "When", "Called with"],
      ShellEvent.allCases.map { event in
        let parameters = event.parameters.map { "`\($0.name)` (\($0.type))" }.joined(separator: ", ")
        return ["`\(event.rawValue)`", event.meaning, parameters.isEmpty ? "nothing" : parameters]
      })
    return page.text
  }

  private var formats: String {
    var page = MarkdownPage(
      "Formats",
      "The files of cards that `deck import` reads and `deck export` writes; the extension or `--format` selects one.")
    page.paragraphs(
      "All contain prompts, answers, tags, guids and the decks within a deck. What else each of them contains:")
    let parts = CardPart.allCases.filter { !CardPart.usual.contains($0) }
    page.table(
      ["Format", "What it is"] + parts.map { $0.rawValue.split(separator: "_").joined(separator: " ") },
      CardFormat.native.map { format in
        ["`\(format.name)`", format.summary] + parts.map { format.holds.contains($0) ? "yes" : "no" }
      })
    page.paragraphs(
      "Schedules and reviews are written with `--with-schedule`. A large card is one whose row would have more than "
        + "1,000,000 bytes; an unmade card is one that no template of its note's type makes any more. `deck export` "
        + "reports what is left out.")
    return page.text
  }

  private var rules: String {
    var page = MarkdownPage(
      "Rules of games", "The rules for the list `rules` of games.mode{}, and the answer to a guess that fails one.")
    page.table(
      ["Rule", "Answer to a guess that fails it"],
      Rule.samples.map { form, rule in ["`\(form)`", rule.report.titleAndMessage] })
    page.paragraphs(Rule.valuesInWords)
    return page.text
  }

  private var settings: String {
    get throws {
      // Independent of machine and user: no settings are set, and no word lists are searched for.
      let tree = try Preferences(SettingSources(), languages: []).tree
      var page = MarkdownPage("Settings", "What `set NAME VALUE` can set; `set --why NAME` shows where a value is set.")
      let rows = try tree.names.compactMap { name -> [String]? in
        guard let declaration = tree.declaration(of: name) else { return nil }
        let reasons = try tree.why(name)
        return [
          "`\(name)`", declaration.help.isEmpty ? declaration.title + "." : declaration.help,
          name == "game.language" ? "a language of `word languages`" : reasons.expectation,
          reasons.standard.map { $0.text.isEmpty ? "empty" : "`\($0.text)`" } ?? "that of its switches",
        ]
      }
      page.table(["Setting", "What it is", "Values", "Default"], rows)
      return page.text
    }
  }
}

private struct MarkdownPage {
  private var lines: [String]

  init(_ title: String, _ summary: String) {
    lines = [
      "# \(title)", "", summary, "", "<!-- Written by `deckhand docs`: change the descriptions, not this file. -->",
    ]
  }

  var text: String { lines.map { $0 + "\n" }.joined() }

  mutating func heading(_ level: Int, _ title: String) {
    lines += ["", String(repeating: "#", count: level) + " " + title]
  }

  /// Adds each line as a paragraph; a line that begins with a space becomes a list item.
  mutating func paragraphs(_ text: String) {
    for line in text.split(separator: "\n").map(String.init) {
      lines += ["", line.hasPrefix(" ") ? "- `\(line.trimmed)`" : Self.plain(line.trimmed)]
    }
  }

  mutating func list(_ items: [String]) { lines += [""] + items.map { "- " + $0 } }

  mutating func member(_ member: LuaEntry) {
    let text = Self.plain(member.words.split(separator: "\n").joined(separator: " "))
    lines +=
      ["", "- `\(member.signature)`", "  \(text)"] + (member.isFunction ? ["  Example: `\(member.example)`"] : [])
  }

  mutating func table(_ heads: [String], _ rows: [[String]]) {
    if rows.isEmpty { return }
    lines += ["", row(heads), row(heads.map { _ in "---" })] + rows.map(row)
  }

  /// Escapes all Markdown except `...`.
  private static func plain(_ text: String) -> String {
    var isCode = false
    return text.reduce(into: "") { plain, character in
      if character == "`" { isCode.toggle() }
      plain += !isCode && "<*_[".contains(character) ? "\\\(character)" : String(character)
    }
  }

  private func row(_ cells: [String]) -> String {
    let escaped = cells.map { cell in
      Self.plain(cell).reduce(into: "") { $0 += $1 == "|" ? "\\|" : $1 == "\n" ? " " : String($1) }
    }
    return "| \(escaped.joined(separator: " | ")) |"
  }
}
