// A JSON value that loses nothing: numbers keep their text, objects keep every key.
// Invariant: an object's members are sorted by the UTF-8 of their keys and no key stands twice, so that equal objects
// are equal arrays and what is written is always in the same order.

/// A JSON value, RFC 8259.
public indirect enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)

  /// A finite number in its shortest text; anything else is null.
  public static func number(_ value: Double) -> JSONValue { JSONNumber(value).map { .number($0) } ?? .null }

  public static func integer(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }

  /// The value as text, as `JSONWriter` writes it.
  public var text: String { String(decoding: JSONWriter.bytes(of: self), as: UTF8.self) }

  public var object: JSONObject? { if case .object(let object) = self { object } else { nil } }
  public var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
  public var string: String? { if case .string(let text) = self { text } else { nil } }
  public var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
  /// The number's value when it is a number within the range of a Double.
  public var double: Double? { if case .number(let number) = self, number.value.isFinite { number.value } else { nil } }
  /// The number's value when it is a whole one.
  public var integer: Int? { double.flatMap { Int(exactly: $0) } }

  /// What kind of value it is, with its article, for messages: `a number`.
  public var kind: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .string: "a text"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

/// A number as it was written, and its value: `-6.0000000000000009` stays that, `4` never becomes `4.0`.
public struct JSONNumber: Equatable, Sendable {
  public let text: String
  /// Infinite when the text names a number that no Double reaches.
  public let value: Double

  /// The shortest text that reads back as the same value, whole numbers without a point. Nil for what JSON cannot write.
  public init(_ value: Int) {
    text = String(value)
    self.value = Double(value)
  }

  public init?(_ value: Double) {
    guard value.isFinite else { return nil }
    self.value = value
    if let whole = Int(exactly: value), whole.magnitude <= 1 << 53 { text = String(whole) } else { text = "\(value)" }
  }

  /// The parser has checked that the text is a JSON number.
  init(checked text: String) {
    self.text = text
    value = Double(text) ?? .infinity
  }
}

/// The members of a JSON object, found by the exact bytes of their keys.
public struct JSONObject: Equatable, Sendable {
  public struct Member: Equatable, Sendable {
    public let key: String
    public var value: JSONValue
  }

  public private(set) var members: [Member] = []

  public init() {}

  public init(_ members: KeyValuePairs<String, JSONValue>) {
    for (key, value) in members { self[key] = value }
  }

  /// Members that the caller has sorted and found to be distinct.
  init(sorted members: [Member]) { self.members = members }

  public var isEmpty: Bool { members.isEmpty }
  public var keys: [String] { members.map(\.key) }

  /// The value of a key; assigning nil removes the member.
  public subscript(key: String) -> JSONValue? {
    get {
      let place = place(of: key)
      return holds(key, at: place) ? members[place].value : nil
    }
    set {
      let place = place(of: key)
      switch (holds(key, at: place), newValue) {
      case (true, let value?): members[place].value = value
      case (true, nil): members.remove(at: place)
      case (false, let value?): members.insert(Member(key: key, value: value), at: place)
      case (false, nil): break
      }
    }
  }

  /// Takes a member out and gives its value.
  public mutating func remove(_ key: String) -> JSONValue? {
    defer { self[key] = nil }
    return self[key]
  }

  private func holds(_ key: String, at place: Int) -> Bool {
    place < members.count && members[place].key.utf8.elementsEqual(key.utf8)
  }

  /// Where the key stands, or would have to.
  private func place(of key: String) -> Int {
    var low = 0
    var high = members.count
    while low < high {
      let middle = low + (high - low) / 2
      if JSONObject.inOrder(members[middle].key, key) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Whether the first key stands before the second: by the bytes of their UTF-8, which is the order of code points.
  static func inOrder(_ first: String, _ second: String) -> Bool {
    first.utf8.lexicographicallyPrecedes(second.utf8)
  }
}
