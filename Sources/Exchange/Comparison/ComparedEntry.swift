// The model of a comparison: the objects of a deck or a file, each with a key, named fields and tags, in an order.
// Invariant: keys are unique within a list; a missing field equals an empty one.

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
  public private(set) var key: String
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

  /// Returns the entry with the storage of another one for what both have.
  func sharing(_ other: ComparedEntry?) -> ComparedEntry {
    guard let other else { return self }
    var entry = self
    if values == other.values { entry.values = other.values }
    if title == other.title { entry.title = other.title }
    if tags == other.tags { entry.tags = other.tags }
    return entry
  }

  func keyed(_ key: String) -> ComparedEntry {
    var other = self
    other.key = key
    return other
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

public struct ComparedList: Sendable {
  public private(set) var entries: [ComparedEntry] = []
  private(set) var places: [String: Int] = [:]
  private var numbers: [String: Int] = [:]

  public init(_ entries: [ComparedEntry] = []) {
    self.entries = entries
    places = Dictionary(firstOf: entries.enumerated().map { ($1.key, $0) })
  }

  public subscript(key: String) -> ComparedEntry? { places[key].map { entries[$0] } }

  mutating func reserve(_ count: Int) {
    entries.reserveCapacity(count)
    places.reserveCapacity(count)
  }

  /// Appends an entry. If its key is taken, it gets a number as a suffix.
  /// - Returns: the key that the entry got.
  @discardableResult
  mutating func append(_ entry: ComparedEntry) -> String {
    var key = entry.key
    if places[key] != nil {
      var number = numbers[key] ?? 2
      repeat {
        key = "\(entry.key)#\(number)"
        number += 1
      } while places[key] != nil
      numbers[entry.key] = number
    }
    places[key] = entries.count
    entries.append(key == entry.key ? entry : entry.keyed(key))
    return key
  }

  mutating func update(_ key: String, _ change: (inout ComparedEntry) -> Void) {
    if let place = places[key] { change(&entries[place]) }
  }

  mutating func updateEach(_ change: (inout ComparedEntry) -> Void) {
    for place in entries.indices { change(&entries[place]) }
  }
}

final class SharedNotes {
  var list = ComparedList()
}

public struct ComparedContent: Sendable {
  private var lists: [ComparedKind: ComparedList] = [:]

  public init() {}

  public subscript(kind: ComparedKind) -> ComparedList {
    get { lists[kind] ?? ComparedList() }
    _modify { yield &lists[kind, default: ComparedList()] }
  }
}
