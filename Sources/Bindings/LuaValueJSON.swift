// The data of a mode as JSON text, and back. Invariant: texts, numbers, booleans and tables of these are restored
// unchanged, whatever their keys; anything else in them is left out, which `placeOfLoss` finds, and text that is not a
// table is refused.

import LuaRuntime
import Values

/// The only key of an object that represents what JSON cannot: a list of keys and values, or the name of a number.
///
///     {[5] = "five"}   // {"[]": [[5, "five"]]}
private let markKey = "[]"

extension LuaValue {
  /// Reads the table from a text that `storedText` returned; nil for anything else.
  init?(stored text: String) {
    let limits = JSONLimits(bytes: 256 << 20, depth: 256, values: 8_000_000, string: 256 << 20)
    do throws(JSONFailure) {
      let value = try JSONParser.parse(Array(text.utf8), limits: limits)
      guard value.list != nil || value.record != nil else { return nil }
      self.init(stored: value)
    } catch {
      return nil
    }
  }

  private init(stored value: Value) {
    if let items = value.list {
      self = .list(items.map { LuaValue(stored: $0) })
    } else if let record = value.record {
      self = LuaValue(marked: record) ?? .table(record.fields.map { (.text($0.name), LuaValue(stored: $0.value)) })
    } else {
      self.init(value)
    }
  }

  /// Reads an object whose only key is the mark; nil for any other object.
  private init?(marked record: Value.Record) {
    guard record.fields.count == 1, let content = record[markKey] else { return nil }
    if let pairs = content.list {
      self = .table(
        pairs.compactMap { pair in
          guard let parts = pair.list, parts.count == 2 else { return nil }
          return (LuaValue(stored: parts[0]), LuaValue(stored: parts[1]))
        })
    } else if let number = content.text.flatMap({ Double($0) }) {
      self = .number(number)
    } else {
      return nil
    }
  }

  /// The value as JSON on one line.
  var storedText: String? { storable?.json }

  /// The place of the first value that `storedText` leaves out, such as `.seen[3]`; nil if it leaves out none.
  var placeOfLoss: String? {
    switch self {
    case .none: return nil
    case .list(let items):
      for (index, item) in items.enumerated() {
        if let place = item.placeOfLoss { return "[\(index + 1)]" + place }
      }
    case .table(let pairs):
      for pair in pairs {
        if let place = pair.value.placeOfLoss { return pair.key.step + place }
        if pair.key.placeOfLoss != nil { return pair.key.step }
      }
    default: return storable == nil ? "" : nil
    }
    return nil
  }

  /// A key in the place of a value.
  private var step: String {
    if let text { return "." + text }
    if case .integer(let number) = self { return "[\(number)]" }
    return "[...]"
  }

  /// Nil for a value that is left out.
  private var storable: Value? {
    switch self {
    case .none, .opaque, .object: nil
    case .boolean(let flag): .boolean(flag)
    case .integer(let number): .integer(number)
    case .number(let number): number.isFinite ? .number(number) : .record([(markKey, .text("\(number)"))])
    case .bytes: text.map { .text($0) }
    case .list(let items): .list(items.map { $0.storable ?? .null })
    case .table(let pairs): Self.storable(pairs)
    }
  }

  private static func storable(_ pairs: [(key: LuaValue, value: LuaValue)]) -> Value {
    let kept = pairs.compactMap { pair in
      pair.key.storable.flatMap { key in pair.value.storable.map { (key: key, value: $0) } }
    }
    let named = kept.compactMap { pair in pair.key.text.map { ($0, pair.value) } }
    if named.count == kept.count, named.count != 1 || named[0].0 != markKey {
      return .record(named.sorted { $0.0 < $1.0 })
    }
    return .record([(markKey, .list(kept.map { .list([$0.key, $0.value]) }))])
  }
}
