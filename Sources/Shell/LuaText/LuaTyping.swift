// Infers the type of a Lua expression from the declared types of modules and bound objects, the values of globals, and
// the locals of the chunk. Invariant: none of the user's code runs; globals are read by raw access only.

import LuaRuntime

enum LuaKnown {
  /// A table reached from the globals by raw access.
  case path([String])
  case type(LuaType)
  case function(FunctionDescription, name: String)
}

struct LuaTyping {
  private let lua: LuaState
  let tokens: [LuaToken]
  /// For each bracket token, the index of its partner.
  let partners: [Int?]
  private var locals: [String: LuaKnown] = [:]

  /// - Parameter chunk: the text up to the cursor, including the lines before it.
  init(_ lua: LuaState, chunk: String) {
    self.lua = lua
    tokens = luaTokens(chunk).filter { !$0.isComment }
    partners = Self.partners(in: tokens)
    for (index, token) in tokens.enumerated() {
      switch token.kind {
      case .keyword where token.text == "local": readNames(at: index + 1, endedBy: "=")
      case .keyword where token.text == "for": readNames(at: index + 1, endedBy: "in")
      case .keyword where token.text == "function": readParameters(at: index + 1)
      case .name where index + 1 < tokens.count && tokens[index + 1].isSymbol("=") && isStatement(index):
        note(token.text, value(at: index + 2))
      default: break
      }
    }
  }

  /// Pairs brackets regardless of their kind, since a chunk that is being typed is seldom well-formed.
  private static func partners(in tokens: [LuaToken]) -> [Int?] {
    var partners = [Int?](repeating: nil, count: tokens.count)
    var open: [Int] = []
    for (index, token) in tokens.enumerated() {
      if token.opens { open.append(index) }
      if token.closes, let first = open.popLast() { (partners[first], partners[index]) = (index, first) }
    }
    return partners
  }

  /// The names that the chunk itself defines, the nearest last.
  private(set) var localNames: [String] = []

  /// Whether a name begins an assignment rather than being a field of a table constructor or a member.
  private func isStatement(_ index: Int) -> Bool {
    guard index > 0 else { return true }
    let before = tokens[index - 1]
    return ![",", "{", ".", ":", ";"].contains(before.text) && !before.isKeyword("local")
  }

  private mutating func note(_ name: String, _ known: LuaKnown?) {
    localNames.append(name)
    locals[name] = known
  }

  private mutating func readNames(at start: Int, endedBy end: String) {
    var index = start
    if index < tokens.count, tokens[index].isKeyword("function") {
      if index + 1 < tokens.count { note(tokens[index + 1].text, nil) }
      return
    }
    var names: [String] = []
    while index < tokens.count, tokens[index].kind == .name {
      names.append(tokens[index].text)
      index += 1
      // `local x <close>`
      if index + 2 < tokens.count, tokens[index].isSymbol("<") { index += 3 }
      guard index < tokens.count, tokens[index].isSymbol(",") else { break }
      index += 1
    }
    var known: [LuaKnown?] = []
    if index < tokens.count, tokens[index].text == end {
      known = end == "in" ? loopValues(at: index + 1) : [value(at: index + 1)]
    } else if end == "in" {
      known = [.type(.integer)]
    }
    for (place, name) in names.enumerated() { note(name, place < known.count ? known[place] : nil) }
  }

  private mutating func readParameters(at start: Int) {
    guard let open = tokens[min(start, tokens.count)...].firstIndex(where: { $0.isSymbol("(") }) else { return }
    for token in tokens[(open + 1)...] {
      if token.isSymbol(")") { return }
      if token.kind == .name { note(token.text, nil) }
    }
  }

  /// The types of a loop's variables.
  private func loopValues(at start: Int) -> [LuaKnown?] {
    guard start < tokens.count else { return [] }
    if tokens[start].text == "ipairs" || tokens[start].text == "pairs", start + 2 < tokens.count {
      return [.type(.integer), element(of: value(at: start + 2))]
    }
    guard case .type(let type)? = value(at: start), case .iterator(let element) = type else { return [] }
    return [.type(element)]
  }

  private func element(of known: LuaKnown?) -> LuaKnown? {
    guard case .type(.list(let element))? = known.map(plain) else { return nil }
    return .type(element)
  }

  /// The expression that ends before the token at an index, such as `decks.open("x")` before `:`.
  func expression(endingBefore end: Int) -> LuaKnown? {
    guard let start = start(ofExpressionEndingAt: end - 1) else { return nil }
    return value(at: start, upTo: end)
  }

  /// Walks backwards over names, calls and index operations.
  private func start(ofExpressionEndingAt last: Int) -> Int? {
    var index = last
    while index >= 0 {
      let token = tokens[index]
      if token.closes {
        guard let open = partners[index] else { return nil }
        guard open > 0, continues(tokens[open - 1]) else { return open }
        index = open - 1
      } else if token.isString {
        guard index > 0, continues(tokens[index - 1]) else { return index }
        index -= 1
      } else if token.kind == .name {
        guard index > 1, tokens[index - 1].isSymbol(".") || tokens[index - 1].isSymbol(":") else { return index }
        index -= 2
      } else {
        return nil
      }
    }
    return nil
  }

  /// Whether the next token may be a call or index operation on this one.
  private func continues(_ token: LuaToken) -> Bool {
    token.kind == .name || token.isSymbol(")") || token.isSymbol("]") || token.isString
  }

  /// The deepest bracket nesting that is examined.
  private static let deepest = 100

  /// The value of the expression that begins at an index.
  private func value(at start: Int, upTo end: Int? = nil, depth: Int = 0) -> LuaKnown? {
    let end = end ?? tokens.count
    guard start < end, depth < Self.deepest else { return nil }
    var index = start
    var known: LuaKnown?
    let first = tokens[start]
    if first.kind == .name {
      if first.text == "assert", start + 1 < end, tokens[start + 1].isSymbol("(") {
        known = value(at: start + 2, depth: depth + 1)
        index = (partners[start + 1] ?? end) + 1
      } else {
        known = locals[first.text] ?? .path([first.text])
        if localNames.contains(first.text), locals[first.text] == nil { known = nil }
        index += 1
      }
    } else if first.isString {
      known = .type(.string)
      index += 1
    } else if first.isSymbol("("), let close = partners[start], close < end {
      known = value(at: start + 1, upTo: close, depth: depth + 1)
      index = close + 1
    }
    while let before = known, index < end, let next = step(before, &index, end) { known = next }
    return known
  }

  /// Advances over one member, call or index operation; nil where the expression ends.
  private func step(_ known: LuaKnown, _ index: inout Int, _ end: Int) -> LuaKnown?? {
    let token = tokens[index]
    if token.isSymbol(".") || token.isSymbol(":") {
      guard index + 1 < end, tokens[index + 1].kind == .name else { return nil }
      let name = tokens[index + 1].text
      index += 2
      return .some(member(name, of: known))
    }
    if token.opens {
      guard let close = partners[index], close < end else { return nil }
      index = close + 1
      return .some(token.isSymbol("[") ? element(of: known) : result(of: known))
    }
    if token.isString {
      index += 1
      return .some(result(of: known))
    }
    return nil
  }

  /// Resolves an optional, a union or a global to its value: `deck?` as `deck`.
  func plain(_ known: LuaKnown) -> LuaKnown {
    switch known {
    case .type(.optional(let type)): return plain(.type(type))
    case .type(.oneOf(let types)):
      for case .object(let name) in types { return .type(.object(name)) }
      return known
    case .path(let path):
      do {
        switch try lua.inspect(path: path) {
        case .object(let type, _)?: return .type(.object(type.name))
        case .text?: return .type(.string)
        default: return known
        }
      } catch {
        // Nothing is known in a closed state.
        return known
      }
    default: return known
    }
  }

  private func result(of known: LuaKnown) -> LuaKnown? {
    if case .function(let function, _) = known { return .type(function.returns) }
    return nil
  }

  /// The member with the given name; a function gets its full name, `decks.open` or `deck:add`.
  func member(_ name: String, of known: LuaKnown) -> LuaKnown? {
    switch plain(known) {
    case .path(let path):
      if path.count == 1, let module = lua.modules.first(where: { $0.name == path[0] }) {
        if let function = module.functions.first(where: { $0.name == name }) {
          return .function(function, name: "\(module.name).\(name)")
        }
        if let field = module.fields.first(where: { $0.name == name }) { return .type(field.type) }
      }
      // `deckhand.decks` is the same as `decks`.
      return .path(path == ["deckhand"] ? [name] : path + [name])
    case .type(.object(let type)):
      guard let type = lua.types.first(where: { $0.name == type }) else { return nil }
      if let method = type.methods.first(where: { $0.name == name }) {
        return .function(method, name: "\(type.name):\(name)")
      }
      return type.fields.first { $0.name == name }.map { .type($0.type) } ?? type.anyField.map { .type($0.type) }
    default: return nil
    }
  }

  /// The function call that encloses the end of the chunk, the index of the argument (from 0), and the key if a table
  /// field is being written there.
  func openCall() -> (name: String, argument: Int, key: String?)? {
    var index = tokens.count - 1
    // The string that is being typed is the argument itself.
    if index >= 0, case .string(isClosed: false) = tokens[index].kind {
      if index > 0, continues(tokens[index - 1]), let name = functionName(endingBefore: index) { return (name, 0, nil) }
      index -= 1
    }
    var key: String?
    var argument = 0
    if index >= 1, tokens[index].isSymbol("="), tokens[index - 1].kind == .name { key = tokens[index - 1].text }
    while index >= 0 {
      let token = tokens[index]
      if token.closes {
        guard let open = partners[index] else { return nil }
        index = open - 1
        continue
      }
      if token.isSymbol("{") {
        // Both `f{mode = "` and `f({mode = "`.
        if let name = functionName(endingBefore: index) { return key.map { (name, 0, $0) } }
        argument = 0
      } else if token.isSymbol("(") {
        return functionName(endingBefore: index).map { ($0, argument, key) }
      } else if token.isSymbol(",") {
        argument += 1
      } else if token.kind == .keyword, !["true", "false", "nil", "not", "and", "or"].contains(token.text) {
        return nil
      }
      index -= 1
    }
    return nil
  }

  private func functionName(endingBefore end: Int) -> String? {
    guard end > 0, continues(tokens[end - 1]), case .function(_, let name)? = expression(endingBefore: end) else {
      return nil
    }
    return name
  }

  /// The expression before the last `.` or `:` of the chunk, whether it was a colon, and the word after it.
  func memberAtEnd() -> (of: LuaKnown?, isMethod: Bool, word: String)? {
    var last = tokens.count - 1
    var word = ""
    if last >= 0, tokens[last].kind == .name || tokens[last].kind == .keyword {
      word = tokens[last].text
      last -= 1
    }
    guard last >= 0, tokens[last].isSymbol(".") || tokens[last].isSymbol(":") else { return nil }
    return (expression(endingBefore: last), tokens[last].isSymbol(":"), word)
  }
}

extension LuaToken {
  fileprivate var opens: Bool { isSymbol("(") || isSymbol("[") || isSymbol("{") }
  var closes: Bool { isSymbol(")") || isSymbol("]") || isSymbol("}") }
}
