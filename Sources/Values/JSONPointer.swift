// Names a place inside a JSON value, RFC 6901.

/// A place in a document: `/elements/3/frame`. The empty one is the whole.
public struct JSONPointer: Equatable, Sendable, CustomStringConvertible {
  public let description: String

  public static let whole = JSONPointer(description: "")

  private init(description: String) { self.description = description }

  /// The place of a key within this one.
  public func appending(_ key: String) -> JSONPointer {
    var escaped = ""
    for character in key.unicodeScalars {
      switch character {
      case "~": escaped += "~0"
      case "/": escaped += "~1"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return JSONPointer(description: description + "/" + escaped)
  }

  /// The place of an entry of a list within this one, counted from 0.
  public func appending(_ index: Int) -> JSONPointer { appending(String(index)) }
}
