// The values of options: checked against their kind, parsed from what users type and from files, and written for both.
// Invariant: what is written reads back as the same value.

import Memory
import Problems
import Text
import Values

extension DeckOptions.Name {
  /// Returns the value as it is stored: parameters of 17 and 19 numbers become 21.
  /// - Throws: `badOption` if it is out of range or of another kind.
  func checked(_ value: OptionValue) throws(DeckError) -> OptionValue {
    switch (kind, value) {
    case (.whole(let range), .number(let number)):
      guard let whole = Int(exactly: number), range.contains(whole) else { throw refusal }
    case (.number(let range), .number(let number)):
      guard range.contains(number) else { throw refusal }
    case (.flag, .flag): break
    case (.choice(let choices), .choice(let choice)):
      let isLine = choices.isEmpty && !choice.unicodeScalars.contains { $0.properties.generalCategory == .control }
      guard choices.contains(choice) || isLine else { throw refusal }
    case (.steps, .steps(let steps)):
      guard steps.count <= 100, steps.allSatisfy({ (1...365 * 86_400).contains($0) }) else { throw refusal }
    case (.steps, .choice("auto")): break
    case (.weekdays, .weekdays(let shares)):
      guard shares.count == 7, shares.allSatisfy({ (0...1).contains($0) }) else { throw refusal }
    case (.parameters, .parameters(let numbers)): return .parameters(try DeckOptions.Name.converted(numbers))
    default: throw refusal
    }
    return value
  }

  private static func converted(_ numbers: [Double]) throws(DeckError) -> [Double] {
    do throws(MemoryError) { return try MemoryModel.converted(numbers) } catch {
      guard case .badOption(let name, let reason) = error else {
        throw .badOption(name: "parameters", reason: error.message)
      }
      throw .badOption(name: name, reason: reason)
    }
  }

  var refusal: DeckError { .badOption(name: text, reason: "must be \(expectation)") }

  /// Parses the value in a text: `20`, `on`, `1m 10m`, `0.2, 1.3, ...`.
  public func value(of text: String) throws(DeckError) -> OptionValue {
    let text = text.trimmed
    switch kind {
    case .whole, .number:
      guard let number = Double(text) else { throw refusal }
      return try checked(.number(number))
    case .flag:
      switch text.lowercased() {
      case "true", "on", "yes": return .flag(true)
      case "false", "off", "no": return .flag(false)
      default: throw refusal
      }
    case .choice: return try checked(.choice(text.lowercased()))
    case .steps where text.lowercased() == "auto": return .choice("auto")
    case .steps:
      var steps: [Double] = []
      for word in Tags.separated(text) {
        guard let seconds = OptionValue.seconds(of: word) else { throw refusal }
        steps.append(seconds)
      }
      return try checked(.steps(steps))
    case .parameters:
      let words = text.split { $0 == "," || $0.isWhitespace || $0 == "[" || $0 == "]" }
      let numbers = words.compactMap { Double($0) }
      guard numbers.count == words.count else { throw refusal }
      return try checked(.parameters(numbers))
    case .weekdays:
      guard let shares = OptionValue.shares(of: text) else { throw refusal }
      return try checked(.weekdays(shares))
    }
  }

  /// The value of a stored member; nil if it is not valid.
  func value(stored: CardFieldValue) -> OptionValue? {
    do throws(DeckError) {
      switch (kind, stored) {
      case (.choice, .text(let text)), (.steps, .text(let text)): return try checked(.choice(text))
      case (.steps, .json(let text)): return try OptionValue.numbers(text).map { .steps($0) }.map(checked)
      case (.weekdays, .json(let text)): return try OptionValue.numbers(text).map { .weekdays($0) }.map(checked)
      case (.parameters, .json(let text)): return try OptionValue.numbers(text).map { .parameters($0) }.map(checked)
      case (.whole, .json(let text)), (.number, .json(let text)):
        return try Double(text).map { .number($0) }.map(checked)
      case (.flag, .json("true")): return .flag(true)
      case (.flag, .json("false")): return .flag(false)
      default: return nil
      }
    } catch {
      // A newer version may allow other ranges: the value counts as not set.
      return nil
    }
  }
}

extension OptionValue {
  /// The form that users read and type.
  public var text: String {
    switch self {
    case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
    case .flag(let isOn): isOn ? "true" : "false"
    case .choice(let choice): choice
    case .steps(let steps): steps.map(OptionValue.step).joined(separator: " ")
    case .parameters(let numbers): numbers.map { "\($0)" }.joined(separator: ", ")
    case .weekdays(let shares):
      zip(OptionValue.weekdays, shares).filter { $1 != 1 }.map { "\($0)=\(OptionValue.number($1).text)" }
        .joined(separator: " ")
    }
  }

  /// The form in files.
  var stored: CardFieldValue {
    switch self {
    case .choice(let choice): .text(choice)
    case .steps(let numbers), .parameters(let numbers), .weekdays(let numbers):
      .json("[" + numbers.map { OptionValue.number($0).text }.joined(separator: ",") + "]")
    default: .json(text)
    }
  }

  static let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

  /// Parses `sat=0.5 sun=0`, where the days that are not named are usual ones, or 7 numbers.
  fileprivate static func shares(of text: String) -> [Double]? {
    let words = Tags.separated(text)
    let numbers = words.compactMap { Double($0) }
    if words.count == 7, numbers.count == 7 { return numbers }
    var shares = Array(repeating: 1.0, count: 7)
    for word in words {
      let parts = word.split(separator: "=", omittingEmptySubsequences: false)
      guard parts.count == 2, let day = weekdays.firstIndex(of: parts[0].prefix(3).lowercased()),
        parts[0].utf8.count >= 3, let share = Double(parts[1])
      else { return nil }
      shares[day] = share
    }
    return shares
  }

  private static let units: [(letter: Character, seconds: Double)] = [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)]

  /// `10m`, `1d`, `90s`.
  private static func step(_ seconds: Double) -> String {
    for unit in units where seconds.truncatingRemainder(dividingBy: unit.seconds) == 0 {
      return "\(Int(seconds / unit.seconds))\(unit.letter)"
    }
    return "\(seconds)s"
  }

  /// Parses a duration; without a unit, it is in minutes.
  fileprivate static func seconds(of word: String) -> Double? {
    guard let unit = units.first(where: { word.hasSuffix(String($0.letter)) }) else {
      return Double(word).map { $0 * 60 }
    }
    return Double(word.dropLast()).map { $0 * unit.seconds }
  }

  /// The numbers of a JSON list; nil for anything else.
  fileprivate static func numbers(_ json: String) -> [Double]? {
    guard json.hasPrefix("["), json.hasSuffix("]") else { return nil }
    let words = json.dropFirst().dropLast().split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty }
    let numbers = words.compactMap { Double($0) }
    return numbers.count == words.count ? numbers : nil
  }
}

extension FieldText {
  /// A JSON object of fields, in their order.
  static func object(_ fields: [CardField]) -> String {
    var writer = JSONWriter(.compact)
    writer.beginRecord()
    for field in fields { field.write(to: &writer) }
    writer.endRecord()
    return String(decoding: writer.take(), as: UTF8.self)
  }
}
