// The record of a value: named values in an order.
// Invariant: no name occurs twice; names are told apart by their bytes, never by how they look.

extension Value {
  /// Named values in order. Where the names are sorted (as everything that was read from JSON is), a new name is put in
  /// its place, so that equal records are written the same; in any other record it is put at the end.
  public struct Record: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    public struct Field: Hashable, Sendable {
      public let name: String
      public var value: Value
    }

    public private(set) var fields: [Field] = []
    /// Whether the fields are in the order of their names' UTF-8.
    private var isSorted = true

    public init() {}

    /// Fields in the order given; of two with one name the later value holds.
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

    /// Fields that the caller has sorted by `inOrder` and found to be distinct.
    init(sorted fields: [Field]) { self.fields = fields }

    public var isEmpty: Bool { fields.isEmpty }
    public var names: [String] { fields.map(\.name) }
    /// The fields in the order of their names' UTF-8, which is the order of code points.
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

    /// Takes a field out and gives its value.
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

    /// Of sorted fields: where the name is, or would have to be.
    private func firstPlace(notBefore name: String) -> Int {
      var low = 0
      var high = fields.count
      while low < high {
        let middle = low + (high - low) / 2
        if Self.inOrder(fields[middle].name, name) { low = middle + 1 } else { high = middle }
      }
      return low
    }

    /// Texts of the same bytes are equal too, which is found out faster; equal ones may differ in their bytes.
    private static func isSame(_ first: String, _ second: String) -> Bool {
      first == second && first.utf8.count == second.utf8.count && first.utf8.elementsEqual(second.utf8)
    }

    /// Whether the first name is before the second: by the bytes of their UTF-8.
    static func inOrder(_ first: String, _ second: String) -> Bool {
      first.utf8.lexicographicallyPrecedes(second.utf8)
    }

    public static func == (first: Record, second: Record) -> Bool {
      first.fields.count == second.fields.count
        && first.fields.indices.allSatisfy {
          isSame(first.fields[$0].name, second.fields[$0].name) && first.fields[$0].value == second.fields[$0].value
        }
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }
  }
}
