// The model of a comparison: the objects of a deck or a file, each with a key, named fields and tags, in an order.
// Invariant: a missing field equals an empty one.

import Text

public enum ComparedKind: String, CaseIterable, Sendable {
  case column, noteType = "note_type", preset, deck
  /// A media file, compared by its content.
  case media
  /// A note, or a row of a file.
  case note

  /// Whether the order of the entries is meaningful to users.
  var isOrdered: Bool { self == .column || self == .note }
}

/// The names of fields, shared by all entries with the same names.
public final class FieldNames: Sendable {
  public let list: [String]
  private let places: [String: Int]

  public init(_ list: [String]) {
    self.list = list
    places = Dictionary(firstOf: list.enumerated().map { ($1, $0) })
  }

  func place(of name: String) -> Int? { places[name] }

  public static let none = FieldNames([])
}

/// An object to compare.
///
///     ComparedEntry(key: "3kTMd", fields: FieldNames(["prompt", "answer"]), values: ["el gato", "the cat"])
public struct ComparedEntry: Sendable {
  public internal(set) var key: String
  /// The name shown to users; empty when the key is shown instead.
  public var title = ""
  public var fields = FieldNames.none
  public var values: [String] = []
  public var tags: [String] = []
  public var conflicts: [MergeConflict] = []
  public var shownTitle: String { title.isEmpty ? values.first ?? key : title }

  public subscript(name: String) -> String {
    guard let place = fields.place(of: name), place < values.count else { return "" }
    return values[place]
  }

  /// Sets a field. A missing field is added at the end, unless the text is empty.
  public mutating func set(_ name: String, to value: String) {
    if let place = fields.place(of: name), place < values.count { return values[place] = value }
    if value.isEmpty { return }
    fields = FieldNames(fields.list + [name])
    values.append(value)
  }

  /// Whether both have the same fields, tags and conflicts, in any order.
  public func isSame(as other: ComparedEntry) -> Bool {
    hasSameFields(as: other) && (tags == other.tags || Set(tags) == Set(other.tags))
      && (conflicts == other.conflicts || Set(conflicts) == Set(other.conflicts))
  }

  private func hasSameFields(as other: ComparedEntry) -> Bool {
    if fields === other.fields || fields.list == other.fields.list { return values == other.values }
    return fields.list.allSatisfy { self[$0] == other[$0] } && other.fields.list.allSatisfy { self[$0] == other[$0] }
  }

  /// Returns all field names of the entries: those of the first in their order, then those that only others have.
  static func names(_ entries: [ComparedEntry?]) -> FieldNames {
    let all = entries.compactMap { $0 }
    guard let first = all.first else { return .none }
    if all.dropFirst().allSatisfy({ $0.fields === first.fields || $0.fields.list == first.fields.list }) {
      return first.fields
    }
    var seen = Set(first.fields.list)
    var names = first.fields.list
    for entry in all.dropFirst() {
      for name in entry.fields.list where seen.insert(name).inserted { names.append(name) }
    }
    return FieldNames(names)
  }
}
