// Formats of files that Lua defines: reads the table passed to `decks.format`, and passes files and items between the
// format's functions and the import. Invariant: a file crosses once, as a whole; the functions see this file alone, and
// run in the state that made the format.

import Exchange
import Files
import LuaRuntime
import Problems
import Storage
import Templates
import Text
import Values
import Workspace

/// The maximum number of items of one call of `emit`.
private let mostItems = 100_000

func describeFormats(_ module: BoundModule, _ context: BindingContext) {
  module.action(
    "format", ["description": .table], grant: .formats,
    example: "{name = \"words\", ending = \"wrd\", read = function(file, emit) emit{{line = 1, left = \"new\"}} end}",
    "Adds a format of files for `deck import` and `deck export`: {name=, title=, ending= or endings={}, "
      + "kind=\"lines\", \"xml\", \"json\", \"zip\" or \"sqlite\", holds={}, types={}, sniff=function(head), "
      + "read=function(file, emit), write=function(cards, deck)}. `emit` takes a list of rows {line=, to=, prompt=, "
      + "answer=} and of lines that are {left=} or {used=}; each line has to be one of these. Codes: exists, "
      + "bad_format."
  ) { stack in
    let (format, hooks) = try readFormat(stack.table(1, "a table that describes a format"), context)
    try context.storing("format", format.name, stack) {
      try context.workspace().formats.add(format, hooks, owner: context.owner)
    }
  }
}

private func readFormat(
  _ table: borrowing LuaTable, _ context: BindingContext
) throws -> (CardFormat, FormatHooks) {
  try table.allowOnly([
    "name", "title", "ending", "endings", "kind", "holds", "types", "sniff", "read", "write",
  ])
  let name = try table.text("name")
  let kinds = ForeignFile.Kind.allCases.map(\.rawValue).joined(separator: ", ")
  guard let kind = ForeignFile.Kind(rawValue: try table.optionalText("kind") ?? "lines") else {
    throw table.wrong("field 'kind': one of \(kinds) expected")
  }
  let parts = try (table.optionalTexts("holds", atMost: 20) ?? []).map { name in
    guard let part = CardPart(rawValue: name) else { throw table.wrong("field 'holds': no part is called '\(name)'") }
    return part
  }
  let ending = try table.optionalText("ending").map { [$0] } ?? []
  let endings = try ending + (table.optionalTexts("endings", atMost: 20) ?? [])
  let format = CardFormat(
    name, printable(try table.optionalText("title") ?? name, limit: 100), endings: endings.map { $0.lowercased() },
    holds: Set(parts), openedAs: kind, types: try readTypes(table))
  guard let read = try table.optionalFunction("read") else {
    throw table.wrong("field 'read': function expected, got nil")
  }
  func call<R>(
    _ function: LuaReference, _ part: String, _ arguments: [any LuaRepresentable],
    _ answer: (borrowing LuaStack) throws -> R
  ) throws -> R {
    try context.calling(.part("format", name, function: part)) {
      try function.call(arguments, results: 2) { stack in
        if stack.isNoneOrNil(-2), let failure = failure(at: -1, on: stack) { throw failure }
        return try answer(stack)
      }
    }
  }
  var hooks = FormatHooks { file, take in
    let emit = LuaFunction("emit") { try emitItems($0, take) }
    try call(read, "read", [OpenedFile(file: file), emit]) { _ in }
  }
  if let sniff = try table.optionalFunction("sniff") {
    hooks.sniff = { head in try call(sniff, "sniff", [LuaValue.bytes(head)]) { try $0.number(-2) } }
  }
  if let write = try table.optionalFunction("write") {
    hooks.write = { cards, deck in
      try call(write, "write", [LuaValue(.list(cards)), deck]) { try $0.copiedBytes(-2, limit: 64 << 20) }
    }
  }
  return (format, hooks)
}

private func readTypes(_ table: borrowing LuaTable) throws -> [NoteTypeDraft] {
  var types: [NoteTypeDraft] = []
  _ = try table.optionalTable("types") { list in
    try list.forEachElement { _, stack in
      let type = try stack.table(-1)
      try type.allowOnly(["name", "fields", "cards", "css", "cloze"])
      var cards: [CardTemplate] = []
      _ = try type.optionalTable("cards") { list in
        try list.forEachElement { _, stack in
          let card = try stack.table(-1)
          cards.append(CardTemplate(try card.text("name"), front: try card.text("front"), back: try card.text("back")))
        }
      }
      var draft = NoteTypeDraft(
        name: try type.text("name"), fields: try type.optionalTexts("fields", atMost: 100) ?? [], cards: cards)
      draft.isCloze = try type.optionalBoolean("cloze") ?? false
      if let css = try type.optionalText("css") { draft.css = css }
      types.append(draft)
    }
  }
  return types
}

private func emitItems(_ stack: borrowing LuaStack, _ take: (Value) throws -> Void) throws -> LuaNothing {
  let table = try stack.table(1, "a list of items")
  let count = try table.count()
  guard count <= mostItems else {
    throw LuaFailure.argument(1, "a list of at most \(grouped(mostItems)) items expected, got \(grouped(count))")
  }
  try LuaItems(at: 1, on: stack).forEach { stack in
    guard let item = try stack.value(-1).plain else {
      throw LuaFailure.argument(1, "texts in UTF-8, numbers, booleans and tables of these expected")
    }
    do { try take(item) } catch let failure as ShapeFailure {
      let found = failure.found.map { ", got \($0)" } ?? ""
      throw LuaFailure.argument(1, "\(failure.pointer): \(failure.expected) expected\(found)")
    }
  }
  return LuaNothing()
}

/// A file as it is passed to a reader: a table, with functions for archives and databases.
private struct OpenedFile: LuaRepresentable {
  let file: ForeignFile

  var luaValue: LuaValue { .opaque("file") }

  func push(on stack: borrowing LuaStack) throws -> Int32 {
    try stack.reserve(16)
    stack.pushTable(array: 0, fields: 6)
    try stack.top.setField("name", file.name)
    try stack.top.setField("size", file.size)
    switch file.kind {
    case .lines:
      try stack.top.setField("lines", file.lines.map { LuaValue.bytes($0) })
      try stack.top.setField("text", LuaValue.bytes(Array(file.lines.joined(separator: [UInt8(ascii: "\n")]))))
    case .xml: try stack.top.setField("root", file.root.map { LuaValue($0) })
    case .json: try stack.top.setField("value", file.value.map { LuaValue($0) })
    case .zip:
      try stack.top.setField("entries", LuaFunction("entries") { [file] _ in try file.entries() })
      try stack.top.setField("entry", LuaFunction("entry", readEntry))
    case .sqlite: try stack.top.setField("query", LuaFunction("query", readRows))
    }
    return 1
  }

  /// `file:entry(name)` returns bytes, `file:entry(name, "xml")` a tree.
  private func readEntry(_ stack: borrowing LuaStack) throws -> LuaValue {
    let name = try stack.text(2, limit: longestName)
    guard let kind = try stack.optionalText(3) else { return try file.entry(name).map { .bytes($0) } ?? .none }
    guard kind == "xml" || kind == "json" else { throw LuaFailure.argument(3, "\"xml\" or \"json\" expected") }
    let tree = try file.tree(name, kind == "xml" ? .xml : .json)
    return tree?.root.map { LuaValue($0) } ?? tree?.value.map { LuaValue($0) } ?? .none
  }

  /// `file:query(sql, ...)` returns rows as tables.
  private func readRows(_ stack: borrowing LuaStack) throws -> LuaValue {
    let sql = try stack.text(2, limit: longestQuery)
    var arguments: [(any Bindable)?] = []
    for index in 3..<max(3, stack.count + 1) {
      if stack.isNoneOrNil(index) {
        arguments.append(nil)
      } else if let number = stack.wholeNumber(index) {
        arguments.append(number)
      } else if stack.kind(index) == .number {
        arguments.append(try stack.number(index))
      } else {
        arguments.append(try stack.text(index))
      }
    }
    return LuaValue(.list(try file.query(sql, arguments)))
  }
}

extension LuaValue {
  /// An element of XML: `{tag=, attr={}, line=, to=, text=, ...children}`.
  fileprivate init(_ element: XMLElement) {
    let attributes = element.attributes.map { (key: LuaValue.text($0.name), value: LuaValue.text($0.value)) }
    var pairs: [(key: LuaValue, value: LuaValue)] = [
      (.text("tag"), .text(element.tag)), (.text("attr"), .table(attributes)), (.text("line"), .integer(element.line)),
      (.text("to"), .integer(element.to)), (.text("text"), .text(element.text)),
    ]
    for (place, child) in element.children.enumerated() { pairs.append((.integer(place + 1), LuaValue(child))) }
    self = .table(pairs)
  }
}
