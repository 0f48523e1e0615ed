// Positions inside a JSON value (RFC 6901).

import Text

/// A position in a document: `/elements/3/frame`. The empty one is the whole document.
public struct JSONPointer: Equatable, Sendable, CustomStringConvertible {
  /// The keys and indices of the path.
  private let steps: [String]

  public static let whole = JSONPointer(steps: [])

  private init(steps: [String]) { self.steps = steps }

  public var description: String {
    steps.map { "/" + $0.replacing(text: "~", with: "~0").replacing(text: "/", with: "~1") }.joined()
  }

  /// The position of a key within this one. Readers ask for it at each value, and for its description at an error.
  public func appending(_ key: String) -> JSONPointer { JSONPointer(steps: steps + [key]) }

  /// The position of a list element within this one, counted from 0.
  public func appending(_ index: Int) -> JSONPointer { appending(String(index)) }

  /// Finds where this position begins in a text that was parsed as JSON: at the key, or at the list element. If the
  /// position does not exist, it returns the nearest enclosing one.
  /// - Returns: line and column from 1; the column counts characters.
  public func place(in bytes: [UInt8]) -> (line: Int, column: Int) {
    var reader = JSONReader(JSONBytes(bytes), depthLimit: .max, rowLimit: bytes.count + 1)
    return JSONBytes.place(of: reader.offset(of: steps[...]), in: bytes)
  }
}

extension JSONReader<JSONBytes> {
  fileprivate mutating func offset(of steps: ArraySlice<String>) -> Int {
    var last = source.offset
    var steps = steps
    do throws(JSONFailure) {
      try skipBlanks()
      last = source.offset
      while let step = steps.popFirst(), let found = try find(step) { last = found }
    } catch {
      // From here on the text is not JSON.
      return last
    }
    return last
  }

  /// Moves to the value of a step; nil if it does not exist.
  private mutating func find(_ step: String) throws(JSONFailure) -> Int? {
    let isObject = source.next == UInt8(ascii: "{")
    guard isObject || source.next == UInt8(ascii: "[") else { return nil }
    let close = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
    source.skip()
    if try isEmpty(until: close) { return nil }
    var index = 0
    repeat {
      try skipBlanks()
      let offset = source.offset
      let name = isObject ? String(decoding: try name().bytes, as: UTF8.self) : String(index)
      if name == step { return offset }
      var rest: [UInt8] = []
      try value(into: &rest)
      index += 1
    } while try hasNext(until: close)
    return nil
  }
}
