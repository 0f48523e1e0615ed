// A record: named values in order.
// Invariant: names are unique; they are compared by their bytes, not by canonical equivalence.

import Text

extension Value {
  /// Named values in order. If the names are sorted (as in everything that was parsed from JSON), a new name is
  /// inserted in sorted position, so that equal records are written the same; otherwise it is appended.
  public struct Record: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    public struct Field: Hashable, Sendable {
      public let name: String
      public var value: Value
    }

    public private(set) var fields: [Field] = []
    /// Whether the fields are sorted by the UTF-8 of their names.
    private var isSorted = true

    public init() {}

    /// Fields in the given order; if a name is repeated, its last value is used.
    public init(_ fields: some Sequence<(String, Value)>) {
      let given = fields.map { Field(name: $0, value: $1) }
      isSorted = given.indices.dropFirst().allSatisfy { Self.inOrder(given[$0 - 1].name, given[$0].name) }
      self.fields = isSorted || Self.areDistinct(given) ? given : Self.withoutRepeats(given)
    }

    public init(dictionaryLiteral fields: (String, Value)...) { self.init(fields) }

    private static func areDistinct(_ fields: [Field]) -> Bool {
      let names = fields.map(\.name).sorted(by: inOrder)
      return names.indices.dropFirst().allSatisfy { !isSame(names[$0 - 1], names[$0]) }
    }

    private static func withoutRepeats(_ fields: [Field]) -> [Field] {
      var places: [[UInt8]: Int] = [:]
      var kept: [Field] = []
      for field in fields {
        let place = places[Array(field.name.utf8), default: kept.count]
        if place < kept.count {
          kept[place].value = field.value
        } else {
          places[Array(field.name.utf8)] = place
          kept.append(field)
        }
      }
      return kept
    }

    /// Creates a record from fields that are already sorted by `inOrder` and have distinct names.
    init(sorted fields: [Field]) { self.fields = fields }

    public var isEmpty: Bool { fields.isEmpty }
    public var names: [String] { fields.map(\.name) }
    /// The fields sorted by the UTF-8 of their names, which is the order of code points.
    public var sortedFields: [Field] { isSorted ? fields : fields.sorted { Self.inOrder($0.name, $1.name) } }

    /// The value of a name; assigning nil removes the field.
    public subscript(name: String) -> Value? {
      get { place(of: name).map { fields[$0].value } }
      set {
        switch (place(of: name), newValue) {
        case (let place?, let value?): fields[place].value = value
        case (let place?, nil): fields.remove(at: place)
        case (nil, let value?): insert(Field(name: name, value: value))
        case (nil, nil): break
        }
      }
    }

    public mutating func remove(_ name: String) -> Value? { place(of: name).map { fields.remove(at: $0).value } }

    private mutating func insert(_ field: Field) {
      guard isSorted else { return fields.append(field) }
      fields.insert(field, at: firstPlace(notBefore: field.name))
    }

    private func place(of name: String) -> Int? {
      guard isSorted, fields.count > 12 else { return fields.firstIndex { Self.isSame($0.name, name) } }
      let place = firstPlace(notBefore: name)
      return place < fields.count && Self.isSame(fields[place].name, name) ? place : nil
    }

    /// For sorted fields: the index of the name, or where to insert it.
    private func firstPlace(notBefore name: String) -> Int {
      fields.indices.bisected { Self.inOrder(fields[$0].name, name) }
    }

    /// Compares by bytes. `==` comes first because it is faster, but it also accepts canonically equivalent texts.
    private static func isSame(_ first: String, _ second: String) -> Bool {
      first == second && first.utf8.count == second.utf8.count && first.utf8.elementsEqual(second.utf8)
    }

    /// Whether the first name sorts before the second, by their UTF-8 bytes.
    static func inOrder(_ first: String, _ second: String) -> Bool { first.utf8.lexicographicallyPrecedes(second.utf8) }

    public static func == (first: Record, second: Record) -> Bool {
      first.fields.count == second.fields.count
        && first.fields.indices.allSatisfy {
          isSame(first.fields[$0].name, second.fields[$0].name) && first.fields[$0].value == second.fields[$0].value
        }
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }
  }
}
