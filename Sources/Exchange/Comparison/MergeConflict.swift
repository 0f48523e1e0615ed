// Two incompatible changes, stored as data, and settled in favour of one side.
// Invariant: what is written is read back unchanged; no side's text is lost; settling changes only the field in
// conflict; plain text from a file is converted to the HTML of the note.

public import Problems
import Templates
import Text
import Values

public enum SettledSide: String, CaseIterable, Sendable {
  case base, ours, theirs
}

/// A field that both sides changed, or an object that one side changed and the other removed.
///
///     MergeConflict(field: "answer", base: "the cat", ours: "the tomcat", theirs: "the kitty")
public struct MergeConflict: Hashable, Sendable {
  /// The object that a conflict is about when a note stores the conflict for it: a note type, the options of a deck,
  /// or a media file.
  public struct Owner: Hashable, Sendable {
    public let kind: ComparedKind
    public let key: String
  }

  /// The name of the field; empty when one side removed the whole object.
  public let field: String
  public let base: String?
  public let ours: String?
  public let theirs: String?
  /// Nil when the conflict is about the object that stores it.
  public var owner: Owner?
  /// Whether two orders conflict; the sides are then the entries that the note follows. A field may also be named
  /// `place`.
  public var isOrder = false

  /// Whether the conflict is about the content of a file; the sides are then digests.
  public var isOfContent: Bool { owner?.kind == .media && field == ComparedField.digest }

  /// Whether one side removed the object that stores the conflict.
  public var isRemoval: Bool { field.isEmpty && owner == nil }

  func of(_ kind: ComparedKind, _ key: String) -> MergeConflict {
    MergeConflict(field: field, base: base, ours: ours, theirs: theirs, owner: Owner(kind: kind, key: key))
  }

  var swapped: MergeConflict {
    MergeConflict(field: field, base: base, ours: theirs, theirs: ours, owner: owner, isOrder: isOrder)
  }

  func isAboutSame(as other: MergeConflict) -> Bool {
    field == other.field && owner == other.owner && isOrder == other.isOrder
  }

  static let name = "conflicts"
  public static let tag = "conflict"

  /// The column that may hold conflicts. Without a header it is the last one, and its cells tell.
  static func column(of cells: [String], areNames: Bool) -> Int? {
    areNames ? cells.lastIndex(of: name) : cells.count > 2 ? cells.count - 1 : nil
  }

  private var value: Value {
    let sides = [("base", base), ("ours", ours), ("theirs", theirs)].compactMap { name, side in
      side.map { (name, Value.text($0)) }
    }
    let thing = owner.map { [("kind", Value.text($0.kind.rawValue)), ("key", .text($0.key))] } ?? []
    let order = isOrder ? [("order", Value.boolean(true))] : []
    return .record(thing + [("field", .text(field))] + order + sides)
  }

  static func json(_ conflicts: [MergeConflict]) -> String { value(conflicts).json }

  static func value(_ conflicts: [MergeConflict]) -> Value { .list(conflicts.map(\.value)) }

  /// Parses a JSON list of conflicts; returns nil for any other text.
  static func list(of json: String) -> [MergeConflict]? {
    guard json.utf8.first == UInt8(ascii: "["), let list = ServerRows.parse(json)?.list else { return nil }
    let found = list.compactMap { MergeConflict($0) }
    return found.count == list.count && !found.isEmpty ? found : nil
  }
}

extension MergeConflict {
  private init?(_ value: Value) {
    guard let record = value.record, let field = record["field"]?.text else { return nil }
    self.init(
      field: field, base: record["base"]?.text, ours: record["ours"]?.text, theirs: record["theirs"]?.text,
      isOrder: record["order"] == .boolean(true))
    guard let name = record["kind"] else { return }
    guard let kind = name.text.flatMap({ ComparedKind(rawValue: $0) }), let key = record["key"]?.text else {
      return nil
    }
    owner = Owner(kind: kind, key: key)
  }

  /// Returns the text of a side; nil when the side has none.
  public func text(of side: SettledSide) -> String? {
    switch side {
    case .base: base
    case .ours: ours
    case .theirs: theirs
    }
  }

  /// The name shown to users: `answer`, `note_type Verb/css`.
  public var shownField: String {
    guard let owner else { return isRemoval ? "note" : field }
    return "\(owner.kind.rawValue) \(owner.key)" + (field.isEmpty ? "" : "/\(field)")
  }
}

extension ComparedContent {
  /// Settles a conflict that a note stores for another object. If the chosen side removed the object, it is removed.
  public mutating func settle(_ conflict: MergeConflict, of owner: MergeConflict.Owner, by side: SettledSide) {
    switch conflict.text(of: side) {
    case let text? where !conflict.field.isEmpty:
      self[owner.kind].update(owner.key) { $0.set($0.localName(of: conflict.field, owner.kind), to: text) }
    case nil where conflict.field.isEmpty:
      self[owner.kind] = ComparedList(self[owner.kind].entries.filter { $0.key != owner.key })
    default: break
    }
  }
}

extension ComparedEntry {
  /// Returns the name that a field of a note type or of options, as named in a file, has here.
  fileprivate func localName(of name: String, _ kind: ComparedKind) -> String {
    let outer = (kind == .noteType ? JSONName.noteType : JSONName.deckOptions) + "/"
    return fields.place(of: name) == nil && name.hasPrefix(outer) ? String(name.dropFirst(outer.count)) : name
  }

  /// Returns the entry with a conflict settled; nil when the chosen side removed it.
  public func settling(_ conflict: MergeConflict, by side: SettledSide) -> ComparedEntry? {
    let text = conflict.text(of: side)
    if conflict.isRemoval, text == nil { return nil }
    var entry = self
    entry.conflicts.removeAll { $0 == conflict }
    if conflict.isRemoval || conflict.isOrder || conflict.owner != nil { return entry }
    let (name, isPlain) = localName(of: conflict.field)
    entry.set(name, to: isPlain ? FieldHTML.html(ofPlain: text ?? "") : text ?? "")
    return entry
  }

  /// Returns the name that a field of a file has here. `isPlain` is true when the file has plain text and the note
  /// HTML.
  private func localName(of name: String) -> (name: String, isPlain: Bool) {
    if fields.place(of: name) != nil { return (name, false) }
    let inner = JSONName.noteFields + "/"
    if name.hasPrefix(inner) { return (ComparedField.escaped(String(name.dropFirst(inner.count))), false) }
    guard fields.list.count > 1 else { return (name, false) }
    switch name {
    case "prompt", "text": return (fields.list[0], true)
    case "answer": return (fields.list[1], true)
    default: return (name, false)
    }
  }
}

public enum ComparisonError: Problem, Equatable {
  case noOperand(String, suggestion: String?)
  case needsOutput
  /// Both sides changed lines of a file that are not cards.
  case notCards
  case noConflict(String)
  /// The chosen side of a conflict is a file that is not in the account.
  case noFile(name: String, side: SettledSide)

  public var report: ProblemReport {
    switch self {
    case .noOperand(let name, let near):
      ProblemReport(
        .notFound, "Nothing to compare",
        "\(quoted(name)) is neither a deck nor a file\(didYouMean(near)); a deck, DECK@STEP, a file or a folder of "
          + "sources expected", ["name": name, "suggestion": near])
    case .needsOutput:
      ProblemReport(
        .missingArgument, "No output file",
        "OURS is not a deck that the result can be written to; use --output FILE")
    case .notCards:
      ProblemReport(
        .badFormat, "No cards",
        "both sides changed lines that are not cards; merge these as text (`git merge-file`); nothing was written")
    case .noConflict(let name):
      ProblemReport(
        .notFound, "No conflict", "there is no conflict of \(quoted(name)); `deck conflicts DECK` lists them",
        ["name": name])
    case .noFile(let name, let side):
      ProblemReport(
        .notFound, "No such file",
        "the file \(quoted(name)) of \(side.rawValue) is not in your account; add it with `media add` under this "
          + "name, or choose another side; nothing was settled", ["name": name])
    }
  }
}
