// Formats Lua values for the user: short tables on one line, long ones indented and sorted, records as an aligned
// table. Invariant: the preview's limits bound the number of lines, and no text can move the cursor.

import Commands
import LuaRuntime
import Text

extension LuaPreview {
  func lines(on terminal: Terminal) -> [String] {
    if let table = records { return table.lines(on: terminal) }
    return block(indent: 0, width: terminal.cutWidth ?? 100)
  }

  /// The value as the result of a command: a table stays a table, so that it gets its styles when drawn; plain lines
  /// are made printable, which would remove styles.
  func display(on terminal: Terminal) -> Display {
    if let table = records { return .table(table) }
    return .lines(lines(on: terminal))
  }

  /// The value on one line; nil when that is too long or too deep.
  fileprivate func inline(limit: Int) -> String? {
    let text: String
    switch self {
    case .word(let word): text = printable(word)
    case .text: text = quotedText
    case .summary(let summary): text = printable(summary, limit: 500)
    case .cycle: text = "{…cycle…}"
    case .folded(let count): text = count == 0 ? "{}" : "{… \(grouped(count)) …}"
    case .table(let table): return table.inline(limit: limit)
    }
    return text.count <= limit ? text : nil
  }

  private var quotedText: String {
    guard case .text(let bytes, let total) = self else { return "" }
    let more = total > bytes.count ? " … \(grouped(total - bytes.count)) more bytes" : ""
    let text = String(validating: bytes, as: UTF8.self) ?? escaped(bytes)
    return "\"" + printable(text, limit: Int.max).replacing(text: "\"", with: "\\\"") + "\"" + more
  }

  fileprivate func block(indent: Int, width: Int) -> [String] {
    if let line = inline(limit: max(20, width - indent)) { return [line] }
    guard case .table(let table) = self else {
      if case .text = self { return [quotedText] }
      return [inline(limit: Int.max) ?? "…"]
    }
    return table.block(indent: indent, width: width)
  }

  /// The value as a table, when it is a list of small records with the same keys.
  private var records: TableText? {
    guard case .table(let table) = self, table.fieldCount == 0, table.elements.count > 1 else { return nil }
    var columns: [String] = []
    var rows: [[String]] = []
    for element in table.elements {
      guard case .table(let record) = element, let cells = record.cells else { return nil }
      if rows.isEmpty { columns = cells.map(\.name) }
      guard cells.map(\.name) == columns, !columns.isEmpty else { return nil }
      rows.append(cells.map(\.text))
    }
    let numeric = columns.indices.map { index in rows.allSatisfy { Double($0[index]) != nil } }
    let more = table.elementCount - table.elements.count
    if more > 0 { rows.append(["… \(grouped(more)) more"]) }
    return TableText(zip(columns, numeric).map { .init($0, $1 ? .right : .left) }, rows: rows)
  }

  /// The key as written in Lua: a name, or `["two words"]`, `[1.5]`, `[deck "Spanish" (2 cards)]`.
  fileprivate var keyText: String {
    if case .text(let bytes, _) = self, let name = String(validating: bytes, as: UTF8.self), name.isLuaName {
      return name
    }
    if case .word(let word) = self, word.hasPrefix("[") { return word }
    if case .text = self { return "[\(quotedText)]" }
    return "[\(inline(limit: Int.max) ?? "…")]"
  }
}

extension LuaTablePreview {
  fileprivate func inline(limit: Int) -> String? {
    guard elements.count == elementCount, fields.count == fieldCount, elements.count + fields.count <= 12 else {
      return nil
    }
    var parts: [String] = []
    var length = 2
    for part in elements.map({ (nil as String?, $0) }) + fields.map({ ($0.key.keyText, $0.value) }) {
      if case .table(let inner) = part.1, inner.elementCount + inner.fieldCount > 4 { return nil }
      guard let value = part.1.inline(limit: limit - length) else { return nil }
      let text = part.0.map { "\($0) = \(value)" } ?? value
      length += text.count + 2
      if length > limit { return nil }
      parts.append(text)
    }
    return "{" + parts.joined(separator: ", ") + "}"
  }

  fileprivate func block(indent: Int, width: Int) -> [String] {
    var lines = ["{"]
    let inner = indent + 2
    let pad = String(repeating: " ", count: 2)
    func add(_ prefix: String, _ value: LuaPreview) {
      let block = value.block(indent: inner + prefix.count, width: width - 1)
      lines.append(pad + prefix + block[0] + (block.count == 1 ? "," : ""))
      lines += block.dropFirst().enumerated().map { index, line in pad + line + (index == block.count - 2 ? "," : "") }
    }
    for element in elements { add("", element) }
    if elementCount > elements.count { lines.append(pad + "… \(grouped(elementCount - elements.count)) more") }
    for field in fields { add(field.key.keyText + " = ", field.value) }
    if fieldCount > fields.count { lines.append(pad + "… \(grouped(fieldCount - fields.count)) more") }
    return lines + ["}"]
  }

  /// The fields as cells of a table, if all are simple values.
  fileprivate var cells: [(name: String, text: String)]? {
    guard elementCount == 0, fields.count == fieldCount, !fields.isEmpty else { return nil }
    var cells: [(name: String, text: String)] = []
    for field in fields {
      guard case .text(let name, _) = field.key else { return nil }
      let text: String
      switch field.value {
      case .word(let word), .summary(let word): text = printable(word)
      case .text(let bytes, let total) where total == bytes.count && total <= 200:
        text = printable(String(decoding: bytes, as: UTF8.self))
      default: return nil
      }
      cells.append((String(decoding: name, as: UTF8.self), text))
    }
    return cells
  }
}

extension String {
  var isLuaName: Bool {
    guard let first = utf8.first, !(0x30...0x39).contains(first), utf8.count <= 100 else { return false }
    return utf8.allSatisfy(isNameByte)
  }
}

/// Formats bytes that are not UTF-8: ASCII as it is, other bytes as `\xFF`.
func escaped(_ bytes: some Collection<UInt8>) -> String {
  bytes.map { $0 < 0x80 ? String(UnicodeScalar($0)) : "\\x" + String($0, radix: 16, uppercase: true) }.joined()
}
