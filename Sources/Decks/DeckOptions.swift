// What a user can set for a deck.
// Invariant: every value is in its range; what a newer program wrote beside them survives reading and writing.

import Text
import Values

/// How a deck is studied.
///
///     var options = try DeckTable.options(db, deck)
///     try options.set(DeckOptions.name("new_per_day"), to: 10)
///     try DeckTable.setOptions(db, deck, to: options)
public struct DeckOptions: Equatable, Sendable {
  public private(set) var newPerDay = 20
  public private(set) var reviewsPerDay = 200
  /// The probability of remembering at which a card is shown again.
  public private(set) var desiredRetention = 0.9
  /// Forgotten so often, a card gets the tag `leech`.
  public private(set) var leechThreshold = 8
  /// Days.
  public private(set) var maximumInterval = 36_500
  /// Members of the stored object that are not known here, as JSON.
  private var unknown: [CardField] = []

  public init() {}

  /// An option by the name that Lua and the file have for it.
  public struct Name: Hashable, Sendable {
    public let text: String
    public let isWhole: Bool
    public let range: ClosedRange<Double>

    /// `a whole number from 0 to 9,999`, `a number from 0.7 to 0.99`.
    public var expectation: String {
      guard isWhole else { return "a number from \(range.lowerBound) to \(range.upperBound)" }
      return "a whole number from \(grouped(Int(range.lowerBound))) to \(grouped(Int(range.upperBound)))"
    }

    func allows(_ value: Double) -> Bool { range.contains(value) && (!isWhole || value == value.rounded()) }

    static let newPerDay = Name(text: "new_per_day", isWhole: true, range: 0...9999)
    static let reviewsPerDay = Name(text: "reviews_per_day", isWhole: true, range: 0...9999)
    static let desiredRetention = Name(text: "desired_retention", isWhole: false, range: 0.7...0.99)
    static let leechThreshold = Name(text: "leech_threshold", isWhole: true, range: 1...9999)
    static let maximumInterval = Name(text: "maximum_interval", isWhole: true, range: 1...36_500)
  }

  public static let names: [Name] = [.newPerDay, .reviewsPerDay, .desiredRetention, .leechThreshold, .maximumInterval]

  /// - Throws: `badOption` for a name that is none.
  public static func name(_ text: String) throws(DeckError) -> Name {
    guard let name = names.first(where: { $0.text == text }) else {
      let nearest = didYouMean(text, among: names.map(\.text))
      throw .badOption(name: text, reason: "is not an option of a deck\(nearest)")
    }
    return name
  }

  public func value(_ name: Name) -> Double {
    switch name {
    case .newPerDay: Double(newPerDay)
    case .reviewsPerDay: Double(reviewsPerDay)
    case .desiredRetention: desiredRetention
    case .leechThreshold: Double(leechThreshold)
    default: Double(maximumInterval)
    }
  }

  /// - Throws: `badOption` when the value is out of range, or not whole where it must be.
  public mutating func set(_ name: Name, to value: Double) throws(DeckError) {
    guard name.allows(value) else {
      throw .badOption(name: name.text, reason: "must be \(name.expectation)")
    }
    switch name {
    case .newPerDay: newPerDay = Int(value)
    case .reviewsPerDay: reviewsPerDay = Int(value)
    case .desiredRetention: desiredRetention = value
    case .leechThreshold: leechThreshold = Int(value)
    default: maximumInterval = Int(value)
    }
  }

  /// From the stored object. A value that cannot be used (a newer program may know other ranges) leaves the default.
  init(json: String) throws {
    for field in try FieldText.list(json) {
      guard let name = DeckOptions.names.first(where: { $0.text == field.name }) else {
        unknown.append(field)
        continue
      }
      guard case .json(let text) = field.value, let number = Double(text), name.allows(number) else { continue }
      try set(name, to: number)
    }
  }

  /// The object to store.
  var json: String {
    var writer = JSONWriter(.compact)
    writer.beginRecord()
    for name in DeckOptions.names {
      writer.name(name.text)
      writer.write(name.isWhole ? .integer(Int(value(name))) : .number(value(name)))
    }
    for field in unknown { field.write(to: &writer) }
    writer.endRecord()
    return String(decoding: writer.take(), as: UTF8.self)
  }
}
