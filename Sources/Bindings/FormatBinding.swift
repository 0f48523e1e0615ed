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
/// The seconds that storing the rows of a file may take in all.
private let longestStoring = 600.0

func describeFormats(_ module: BoundModule, _ context: BindingContext) {
  module.action(
    "format", ["description": .table], grant: .any(.formats),
    example: "{name = \"words\", ending = \"wrd\", read = function(file, emit) emit{{line = 1, left = \"new\"}} end}",
    "Adds a format of files for `deck import` and `deck export`: {name=, title=, ending= or endings={}, "
      + "kind=\"lines\", \"xml\", \"json\", \"zip\" or \"sqlite\", holds={}, types={}, sniff=function(head), "
      + "read=function(file, emit), write=function(cards, deck, place)}. `emit` takes a list of rows {line=, to=, "
      + "prompt=, answer=} and of lines that are {left=} or {used=}; each line has to be one of these. Codes: exists, "
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
    holds: Set(parts), openedAs: kind,
    types: try table.optionalTable("types") { try $0.elements { try readDraft($0.table(-1)) } } ?? [])
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
    do { try call(read, "read", [OpenedFile(file: file), emit]) { _ in } } catch let problem as PlainProblem {
      throw problem.reworded("\(printable(file.name)): \(problem.message)")
    }
  }
  if let sniff = try table.optionalFunction("sniff") {
    hooks.sniff = { head in try call(sniff, "sniff", [LuaValue.bytes(head)]) { try $0.number(-2) } }
  }
  if let write = try table.optionalFunction("write") {
    hooks.write = { cards, deck, isFirst, isLast in
      let place = Value.record([("first", .boolean(isFirst)), ("last", .boolean(isLast))])
      return try call(write, "write", [LuaValue(.list(cards)), deck, LuaValue(place)]) {
        try $0.copiedBytes(-2, limit: 64 << 20)
      }
    }
  }
  return (format, hooks)
}

private func emitItems(_ stack: borrowing LuaStack, _ take: (Value) throws -> Void) throws -> LuaNothing {
  let table = try stack.table(1, "a list of items")
  let count = try table.count()
  guard count <= mostItems else {
    throw LuaFailure.argument(1, "a list of at most \(grouped(mostItems)) items expected, got \(grouped(count))")
  }
  // The time in which the rows are stored is not the plugin's.
  try CallPause.pausingLimits(atMost: longestStoring) {
    try LuaItems(at: 1, on: stack).forEach { stack in
      guard let item = try stack.value(-1).plain else {
        throw LuaFailure.argument(1, "texts in UTF-8, numbers, booleans and tables of these expected")
      }
      try take(item)
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
    case .xml: try stack.top.setField("root", tree(file.text, .xml))
    case .json: try stack.top.setField("value", tree(file.text, .json))
    case .zip:
      try stack.top.setField("entries", LuaFunction("entries") { [file] _ in file.entries })
      try stack.top.setField("entry", LuaFunction("entry", readEntry))
    case .sqlite: try stack.top.setField("query", LuaFunction("query", readRows))
    }
    return 1
  }

  /// `file:entry(name)` returns bytes, `file:entry(name, "xml")` a tree.
  private func readEntry(_ stack: borrowing LuaStack) throws -> LuaValue {
    let name = try stack.text(2, limit: longestName)
    guard let kind = try stack.optionalText(3) else { return try file.entry(name).map { .bytes($0) } ?? .none }
    guard let kind = ForeignFile.Kind(rawValue: kind), kind == .xml || kind == .json else {
      throw LuaFailure.argument(3, "\"xml\" or \"json\" expected")
    }
    return try file.entry(name).map { try tree($0, kind, in: name) } ?? .none
  }

  private func tree(_ text: [UInt8], _ kind: ForeignFile.Kind, in member: String? = nil) throws -> LuaValue {
    if kind == .xml {
      let elements = try XMLElements(text) { file.fault($0, in: member, line: $1) }
      guard let root = elements.root else { throw file.fault("XML expected", in: member) }
      return root
    }
    let limits = JSONLimits(bytes: ForeignFile.limit, depth: 64, values: 2_000_000, string: 16 << 20)
    do throws(JSONFailure) { return LuaValue(try JSONParser.parse(text, limits: limits)) } catch {
      throw file.fault(error.words, in: member, line: error.line, column: error.column)
    }
  }

  /// `file:query(sql, ...)` returns rows as tables.
  private func readRows(_ stack: borrowing LuaStack) throws -> LuaValue {
    let sql = try stack.text(2, limit: longestQuery)
    let arguments = try (3..<max(3, stack.count + 1)).map { index -> (any Bindable)? in
      switch try stack.value(index) {
      case .none: nil
      case .integer(let number): number
      case .number(let number): number
      default: try stack.text(index)
      }
    }
    return LuaValue(.list(try file.query(sql, arguments)))
  }
}

/// The elements of a text in XML as tables: `{tag=, attr={}, line=, to=, text=, ...children}`. Names of tags are in
/// lower case, as they come from the reader of HTML. A text that is cut off or not well formed is an error.
private struct XMLElements {
  private static let deepest = 100
  private static let most = 2_000_000

  /// Nil for a text without elements.
  private(set) var root: LuaValue?
  private var open: [(tag: HTMLTag, line: Int, text: String, children: [LuaValue])] = []
  private var line = 1

  /// - Parameter fault: the error for what was expected on a line.
  init(_ bytes: [UInt8], fault: (String, Int) -> ExchangeError) throws {
    var (reader, place, count) = (HTMLReader(bytes[...], isDocument: true) { _ in false }, 0, 0)
    while let part = reader.next() {
      let start = line
      line += bytes[place..<reader.index].count { $0 == 0x0A }
      place = reader.index
      switch part {
      case .text(let text) where !open.isEmpty: open[open.count - 1].text += String(decoding: text, as: UTF8.self)
      case .character(let scalar) where !open.isEmpty: open[open.count - 1].text.unicodeScalars.append(scalar)
      case .tag(let tag) where tag.isClosing:
        if open.last?.tag.name != tag.name { throw fault(expected ?? "XML expected", start) }
        close()
      case .tag(let tag) where (0x61...0x7A).contains(tag.name.utf8.first ?? 0):
        count += 1
        if count > Self.most { throw fault("at most \(grouped(Self.most)) elements expected", start) }
        if open.count == Self.deepest { throw fault("elements at most \(Self.deepest) deep expected", start) }
        open.append((tag, start, "", []))
        if tag.rest.last == UInt8(ascii: "/") { close() }
      default: continue
      }
    }
    if let expected { throw fault(expected, line) }
  }

  /// What has to come next: the end of the innermost element.
  private var expected: String? {
    open.last.map { "</\(printable($0.tag.name))>, the end of what begins on line \($0.line), expected" }
  }

  private mutating func close() {
    guard let last = open.popLast() else { return }
    let attributes = last.tag.attributes.map { (key: LuaValue.text($0.name), value: LuaValue.text($0.value)) }
    var pairs: [(key: LuaValue, value: LuaValue)] = [
      (.text("tag"), .text(last.tag.name)), (.text("attr"), .table(attributes)), (.text("line"), .integer(last.line)),
      (.text("to"), .integer(line)), (.text("text"), .text(last.text)),
    ]
    for (place, child) in last.children.enumerated() { pairs.append((.integer(place + 1), child)) }
    if open.isEmpty { root = root ?? .table(pairs) } else { open[open.count - 1].children.append(.table(pairs)) }
  }
}
