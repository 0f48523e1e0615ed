// Two incompatible changes, stored as data.
// Invariant: what is written is read back unchanged; no side's text is lost.

import Values

/// The side by which a conflict is settled.
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
  /// Nil when the base did not have it.
  public let base: String?
  /// Nil when the side removed it.
  public let ours: String?
  public let theirs: String?
  /// Nil when the conflict is about the object that stores it.
  public let owner: Owner?
  /// Whether two orders conflict; the sides are then the entries that the note follows. A field may also be named
  /// `place`.
  public let isOrder: Bool

  public init(
    field: String, base: String?, ours: String?, theirs: String?, owner: Owner? = nil, isOrder: Bool = false
  ) {
    (self.field, self.base, self.ours, self.theirs) = (field, base, ours, theirs)
    (self.owner, self.isOrder) = (owner, isOrder)
  }

  /// Whether the conflict is about the content of a file; the sides are then digests.
  public var isOfContent: Bool { owner?.kind == .media && field == ComparedField.digest }

  /// Whether one side removed the object that stores the conflict.
  public var isRemoval: Bool { field.isEmpty && owner == nil }

  /// Returns the conflict with an owner, for storage in a note.
  func of(_ kind: ComparedKind, _ key: String) -> MergeConflict {
    MergeConflict(field: field, base: base, ours: ours, theirs: theirs, owner: Owner(kind: kind, key: key))
  }

  /// The conflict with the sides exchanged.
  var swapped: MergeConflict {
    MergeConflict(field: field, base: base, ours: theirs, theirs: ours, owner: owner, isOrder: isOrder)
  }

  /// Whether both are about the same field of the same object.
  func isAboutSame(as other: MergeConflict) -> Bool {
    field == other.field && owner == other.owner && isOrder == other.isOrder
  }

  /// The name of the field in which files and decks store a list of conflicts.
  static let name = "conflicts"
  /// The tag of notes that have conflicts.
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

  /// Returns a list of conflicts as JSON.
  static func json(_ conflicts: [MergeConflict]) -> String { value(conflicts).json }

  static func value(_ conflicts: [MergeConflict]) -> Value { .list(conflicts.map(\.value)) }

  /// Parses a JSON list of conflicts; returns nil for any other text.
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
