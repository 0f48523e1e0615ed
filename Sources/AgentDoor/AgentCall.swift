// One call of a tool: its arguments, checked by the schema that clients get (`tools.json`), and the commands that it
// runs. Invariant: a tool runs only with arguments that its schema accepts, and reaches visible decks only.

import Decks
public import Problems
import Text
import Values
import Workspace

/// The result of a tool.
struct Answer {
  /// For programs; also the text if that is nil.
  let fields: [(String, Value)]
  var text: String?
  var isError = false
  /// The state of the question that the text is, which the client returns with the user's answer.
  var question: String?

  /// As many of the items as an answer of 100,000 bytes has room for, which lists them twice: as values, and as text.
  static func fitting(_ items: [Value]) -> [Value] {
    var room = 30_000
    let shown = items.filter { item in
      room -= item.json(.compact).utf8.count
      return room >= 0
    }
    return shown.isEmpty && !items.isEmpty ? [.record(["error": "it is too large for an answer"])] : shown
  }
}

final class AgentCall {
  private let description: Value
  let arguments: ValueReader
  let client: Client
  let host: any AgentHost
  let workspace: Workspace
  /// The decks that are visible, each with those within it; empty for all.
  let visible: [String]
  /// The user's answer to a question, and the state of the question.
  var (consent, state): (String?, String?)
  /// The words of each command that it ran, and the input of the command.
  private(set) var commands: [[String]] = []
  /// How many notes or cards it changes.
  var notes = 0

  /// Checks the arguments, and sets those that were left out to their defaults.
  init(_ tool: Value, _ arguments: Value, for client: Client, _ host: any AgentHost) throws {
    let schema = tool.record?["inputSchema"]?.record ?? [:]
    try ValueReader(arguments).check(schema)
    var given = arguments.record ?? [:]
    for field in schema["properties"]?.record?.fields ?? [] where given[field.name] == nil {
      given[field.name] = field.value.record?["default"]
    }
    (description, self.arguments) = (tool, ValueReader(.record(given)))
    (self.client, self.host) = (client, host)
    (workspace, visible) = (try host.openWorkspace(), try host.visibleDecks())
  }

  var tool: String { description.record?["name"]?.text ?? "" }

  var allowed: AgentSettings.Allowed { get throws { try workspace.preferences().agents.allowed } }

  func again() throws -> AgentCall { try AgentCall(description, arguments.value ?? .null, for: client, host) }

  private func shows(_ deck: String) -> Bool {
    let name = deck.lowercased()
    return visible.isEmpty || visible.contains { name == $0.lowercased() || name.hasPrefix($0.lowercased() + "::") }
  }

  func decks() throws -> [DeckHandle] { try workspace.decks.all().filter { shows(try $0.record().name) } }

  /// The name of the deck in the argument, whether or not it exists.
  func deckName() throws -> String {
    let name = try workspace.decks.checkedName(arguments["deck"].text())
    guard shows(name) else { throw AgentError.unknown("deck", name) }
    return name
  }

  func card(_ guid: String) throws -> CardHandle {
    let found = try guid.isEmpty ? [] : workspace.cards.find(guidBeginning: guid)
    for card in found where try card.record().guid == guid && shows(card.deck().record().name) { return card }
    throw AgentError.unknown("card", guid)
  }

  /// The note of a card; all its cards must be visible.
  func note(_ guid: String) throws -> NoteHandle {
    let note = try card(guid).note()
    for card in try note.cards() { _ = try self.card(card.record().guid) }
    return note
  }

  @discardableResult func run(_ words: [String], input: String = "") throws -> Value {
    let value = try host.readingInput(input) { try host.run(words) }
    commands.append(words + [input])
    return value
  }

  var bytes: Int { commands.joined().reduce(0) { $0 + $1.utf8.count } }

  /// Returns the results of the items of an argument. An item that fails before it has changed anything has its error
  /// there; if it has, the whole call fails.
  func results(of argument: String, _ body: (ValueReader) throws -> [(String, Value)]) throws -> [Value] {
    try arguments[argument].elements().enumerated().map { index, item in
      let count = commands.count
      var facts: [(String, Value)]
      do {
        facts = try body(item)
        if commands.count > count { notes += 1 }
      } catch {
        let problem = AgentError.problem(error)
        if commands.count > count || problem.report.code == .interrupted { throw error }
        facts = [("error", .record(["code": problem.code, "message": printable(problem.message, limit: 150)]))]
      }
      return .record([("index", .integer(index))] + facts)
    }
  }
}

/// Why a call is refused.
public enum AgentError: Problem, Equatable {
  case changed, cannotAsk, declined
  case unknown(_ kind: String, String)
  case otherMaker(step: Int)
  case budget(notes: Int, bytes: Int)
  case badArgument(String)

  public var report: ProblemReport {
    switch self {
    case .changed: ProblemReport(.changed, "Changed since", "cards were changed since the plan was made; plan again")
    case .cannotAsk:
      ProblemReport(.notHere, "Nobody to ask", "mcp.allow is ask, but this client shows the user no questions")
    case .declined: ProblemReport(.cancelled, "Declined", "the user declined; nothing was changed")
    case .unknown(let kind, let name):
      ProblemReport(.notFound, "No such \(kind)", "agents see no \(kind) called \(quoted(name))", ["name": name])
    case .otherMaker(let step):
      ProblemReport(.notHere, "Not its step", "step \(step) was not made by this client", ["step": step])
    case .budget(let notes, let bytes):
      ProblemReport(
        .budget, "Used up", "this server may still change \(counted(notes, "note")) and write \(grouped(bytes)) bytes")
    case .badArgument(let words): ProblemReport(.badValue, "Not usable", printable(words, limit: 500))
    }
  }

  static func problem(_ error: any Error) -> any Problem {
    guard let shape = error as? ShapeFailure else {
      return error as? any Problem ?? PlainProblem(ProblemReport(.failed, "It failed", "\(error)"))
    }
    let found = shape.found.map { ", not \($0)" } ?? ""
    return AgentError.badArgument("arguments\(shape.pointer): \(shape.expected) expected\(found)")
  }
}

extension ValueReader {
  /// Checks a value against a schema, of which it knows what `tools.json` uses.
  fileprivate func check(_ schema: Value.Record) throws {
    func limit(_ names: String...) -> Int? { names.lazy.compactMap { schema[$0]?.integer }.first }
    let range = (limit("minimum", "minItems") ?? .min)...(limit("maximum", "maxItems", "maxLength") ?? .max)
    switch schema["type"]?.text {
    case "string":
      let length = try text().unicodeScalars.count
      if !range.contains(length) { throw failure("at most \(grouped(range.upperBound)) characters") }
    case "integer": _ = try integer(in: range)
    case "boolean": _ = try boolean()
    case "array":
      let items = try elements()
      if !range.contains(items.count) { throw failure("\(range.lowerBound) to \(range.upperBound) items") }
      for item in items { try item.check(schema["items"]?.record ?? [:]) }
    case "object":
      let (known, others) = (schema["properties"]?.record ?? [:], schema["additionalProperties"]?.record)
      for (name, value) in try fields() {
        guard let shape = known[name]?.record ?? others else {
          throw value.failure(known.isEmpty ? "no argument" : known.names.joined(separator: ", "))
        }
        try value.check(shape)
      }
      for case .text(let name) in schema["required"]?.list ?? [] where self[name].value == nil {
        throw self[name].failure("a value")
      }
    default: if schema["enum"]?.list?.contains(value ?? .null) != true { throw failure(schema["enum"]?.json ?? "") }
    }
  }

  /// The texts of a list; none if it was left out.
  func texts() throws -> [String] { value == nil ? [] : try elements().map { try $0.text() } }
}
