// Tab in a line of Lua: globals, fields and methods of the object before the dot or colon. Invariant: values are looked
// at by raw access only, so no code of the user's runs.

import Authentication
import CardDocuments
import Commands
import Decks
import Files
import Lexicon
import LuaRuntime
import PluginHost
import ToggleSettings
import WordGames
import Workspace

struct LineCompletion {
  let session: Session

  init(_ session: Session) { self.session = session }

  /// What Tab offers for the line before the cursor.
  func completion(_ line: String) -> Completion {
    if isCommandLine(line, knows: { session.registry.isKnown($0) }, isUserGlobal: session.isUserGlobal) {
      return session.registry.completions(line: line, sources: completionSources)
    }
    let lua = luaCompletion(line)
    // The first word may be the beginning of a command.
    guard !line.isEmpty, line.utf8.allSatisfy({ isNameByte($0) || $0 == 0x2D }) else { return lua }
    let commands = session.registry.completions(line: line, sources: completionSources)
    let names = Set(commands.candidates.map(\.shown))
    return Completion(
      wordStart: 0, candidates: commands.candidates + lua.candidates.filter { !names.contains($0.shown) })
  }

  private var completionSources: CompletionSources {
    CompletionSources(
      names: { names(of: $0) },
      paths: { text, foldersOnly in
        PathCompletion.paths(beginningWith: text, foldersOnly: foldersOnly, home: session.environment.folders.home)
      },
      values: { command, word, before in
        session.tables.builtIns[command.name]?.complete?(word, before, session) ?? []
      })
  }

  private func names(of kind: ValueKind) -> [String] {
    do {
      switch kind {
      case .deck: return try session.workspace().decks().map { try $0.record().name }
      case .card:
        return try session.workspace().decks().map { try $0.record().name + ":" }
      case .document:
        return try session.workspace().documentEntries().compactMap { $0.id.map { String($0.description.prefix(8)) } }
      case .language: return session.lexicons.languages().map(\.name)
      case .mode: return session.modes.modes.map(\.name) + session.plugins.offeredModes.map(\.name)
      case .plugin: return session.plugins.plugins.map(\.name)
      case .setting: return session.preferences?.tree.names ?? []
      case .account: return session.gate.needsAuthentication ? [] : try session.gate.store.names()
      case .command: return LuaHelp(session.lua).names
      default: return []
      }
    } catch {
      // Completion offers what can be read; the command itself will say what is wrong.
      return []
    }
  }

  private func luaCompletion(_ line: String) -> Completion {
    let bytes = Array(line.utf8)
    var start = bytes.count
    while start > 0, isNameByte(bytes[start - 1]) || bytes[start - 1] == 0x2E || bytes[start - 1] == 0x3A { start -= 1 }
    let expression = String(decoding: bytes[start...], as: UTF8.self)
    let parts = expression.split(omittingEmptySubsequences: false) { $0 == "." || $0 == ":" }.map(String.init)
    guard let word = parts.last, !isInText(bytes[..<start]) else {
      return Completion(wordStart: bytes.count, candidates: [])
    }
    let wordStart = bytes.count - word.utf8.count
    let isMethod = wordStart > 0 && bytes[wordStart - 1] == 0x3A
    let names = offers(Array(parts.dropLast()), isMethod: isMethod)
    return Completion(
      wordStart: wordStart,
      candidates: names.filter { $0.name.hasPrefix(word) }.map { Candidate($0.name, suffix: $0.isFunction ? "(" : "") })
  }

  private func offers(_ path: [String], isMethod: Bool) -> [(name: String, isFunction: Bool)] {
    do {
      switch try session.lua.inspect(path: path) {
      case .table(let keys):
        let module = path.count == 1 ? session.lua.modules.first { $0.name == path[0] } : nil
        return keys + (module?.fields ?? []).map { ($0.name, false) }
      case .object(let type, let object):
        let own = try isMethod ? [] : (type.anyField?.names(object) ?? []).filter(isName)
        return (isMethod ? [] : (type.fields.map(\.name) + own).map { ($0, false) })
          + type.methods.map { ($0.name, true) }
      case .text: return try isMethod ? offersOfTable(["string"]) : []
      default: return []
      }
    } catch {
      // A closed state offers nothing.
      return []
    }
  }

  private func offersOfTable(_ path: [String]) throws -> [(name: String, isFunction: Bool)] {
    if case .table(let keys) = try session.lua.inspect(path: path) { return keys }
    return []
  }

  /// Whether a field can be written behind a dot.
  private func isName(_ text: String) -> Bool {
    text.utf8.allSatisfy(isNameByte) && text.utf8.first.map { !(0x30...0x39).contains($0) } ?? false
  }

  private func isNameByte(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
  }

  /// Whether the bytes end inside a short string.
  private func isInText(_ bytes: ArraySlice<UInt8>) -> Bool {
    var quote: UInt8?
    var isEscaped = false
    for byte in bytes {
      if isEscaped {
        isEscaped = false
      } else if byte == 0x5C {
        isEscaped = quote != nil
      } else if let open = quote {
        if byte == open { quote = nil }
      } else if byte == 0x22 || byte == 0x27 {
        quote = byte
      }
    }
    return quote != nil
  }
}

extension Session {
  /// Whether a global of that name was set by the user.
  func isUserGlobal(_ name: String) -> Bool {
    guard !scripting.ownGlobals.contains(name) else { return false }
    do {
      return try lua.inspect(path: [name]) != nil
    } catch {
      // Without a Lua state there are no globals.
      return false
    }
  }
}
