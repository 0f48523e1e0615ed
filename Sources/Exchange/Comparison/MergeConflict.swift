// Two changes that do not go together, kept as data.
// Invariant: what is written is read back as the same; neither side's text is lost.

import Values

/// A side that a conflict is settled by.
public enum SettledSide: String, CaseIterable, Sendable {
  case base, ours, theirs
}

/// A field that both sides changed, or a thing that one changed and the other removed.
///
///     MergeConflict(field: "answer", base: "the cat", ours: "the tomcat", theirs: "the kitty")
public struct MergeConflict: Hashable, Sendable {
  /// What a conflict is of that a note keeps for something else: a type, the options of a deck, a file of the media.
  public struct Owner: Hashable, Sendable {
    public let kind: ComparedKind
    public let key: String
  }

  /// The name of the field; empty where one side removed the whole.
  public let field: String
  /// Nil where there was none.
  public let base: String?
  /// Nil where that side removed it.
  public let ours: String?
  public let theirs: String?
  /// Nil where the conflict is of what it is kept with.
  public let owner: Owner?
  /// Whether it is of two orders: the sides are what the note comes behind. A note may have a field of the same name.
  public let isOrder: Bool

  public init(
    field: String, base: String?, ours: String?, theirs: String?, owner: Owner? = nil, isOrder: Bool = false
  ) {
    (self.field, self.base, self.ours, self.theirs) = (field, base, ours, theirs)
    (self.owner, self.isOrder) = (owner, isOrder)
  }

  /// Whether it is of the content of a file: the sides are digests.
  public var isOfContent: Bool { owner?.kind == .media && field == ComparedField.digest }

  /// Whether one side removed the thing that the conflict is kept with.
  public var isRemoval: Bool { field.isEmpty && owner == nil }

  /// The conflict as a note keeps it, of something that is no note.
  func of(_ kind: ComparedKind, _ key: String) -> MergeConflict {
    MergeConflict(field: field, base: base, ours: ours, theirs: theirs, owner: Owner(kind: kind, key: key))
  }

  /// The conflict as the other side has it.
  var swapped: MergeConflict {
    MergeConflict(field: field, base: base, ours: theirs, theirs: ours, owner: owner, isOrder: isOrder)
  }

  /// Whether both are about the same field of the same thing.
  func isAboutSame(as other: MergeConflict) -> Bool {
    field == other.field && owner == other.owner && isOrder == other.isOrder
  }

  /// The name that files and decks keep a list of conflicts under.
  static let name = "conflicts"
  /// The tag of a note that has some.
  public static let tag = "conflict"

  private var value: Value {
    let sides = [("base", base), ("ours", ours), ("theirs", theirs)].compactMap { name, side in
      side.map { (name, Value.text($0)) }
    }
    let thing = owner.map { [("kind", Value.text($0.kind.rawValue)), ("key", .text($0.key))] } ?? []
    let order = isOrder ? [("order", Value.boolean(true))] : []
    return .record(thing + [("field", .text(field))] + order + sides)
  }

  private init?(_ value: Value) {
    guard let record = value.record, let field = record["field"]?.text else { return nil }
    var owner: Owner?
    if let name = record["kind"] {
      guard let kind = name.text.flatMap({ ComparedKind(rawValue: $0) }), let key = record["key"]?.text else {
        return nil
      }
      owner = Owner(kind: kind, key: key)
    }
    self.init(
      field: field, base: record["base"]?.text, ours: record["ours"]?.text, theirs: record["theirs"]?.text,
      owner: owner, isOrder: record["order"] == .boolean(true))
  }

  /// The JSON of a list of them.
  static func json(_ conflicts: [MergeConflict]) -> String { value(conflicts).json }

  static func value(_ conflicts: [MergeConflict]) -> Value { .list(conflicts.map(\.value)) }

  /// The conflicts of a list of JSON; nil for a text that is none.
  static func list(of json: String) -> [MergeConflict]? {
    guard json.utf8.first == UInt8(ascii: "[") else { return nil }
    do throws(JSONFailure) {
      let limits = JSONLimits(bytes: 16 << 20, depth: 4, values: 100_000, string: 16 << 20)
      let list = try JSONParser.parse(Array(json.utf8), limits: limits).list ?? []
      let found = list.compactMap { MergeConflict($0) }
      return found.count == list.count && !found.isEmpty ? found : nil
    } catch { return nil }
  }
}

extension MergeConflict {
  /// What a side says; nil where it has nothing.
  public func text(of side: SettledSide) -> String? {
    switch side {
    case .base: base
    case .ours: ours
    case .theirs: theirs
    }
  }

  /// How it is named where people read of it: `answer`, `note_type Verb/css`.
  public var shownField: String {
    guard let owner else { return isRemoval ? "note" : field }
    return "\(owner.kind.rawValue) \(owner.key)" + (field.isEmpty ? "" : "/\(field)")
  }
}
