// The description of a deck that is built from a folder: `deck.json`.
// Invariant: every error in it has a line and a column.

package import Decks
import Files
import Problems
package import Storage
import Text
import Values

/// A `deck.json`, or its defaults in a folder without one.
///
///     try BuildDescription(Array(#"{"name": "Spanish"}"#.utf8), "es/deck.json").name   // "Spanish"
package struct BuildDescription {
  package static let fileName = "deck.json"
  /// The limit on its size in bytes.
  static let limit = 1 << 20
  package static let keys = ["name", "namespace", "options"]

  /// The deck's name.
  package let name: String
  /// The namespace that makes ids unique; if it is empty, ids are used as guids unchanged.
  package let namespace: String
  /// The deck's options, in the form that `deck options` accepts.
  package let options: [(name: DeckOptions.Name, text: String)]

  /// - Parameter path: the path of the file.
  package init(_ bytes: [UInt8], _ path: String) throws(BuildError) {
    let value: Value
    do throws(JSONFailure) {
      let limits = JSONLimits(bytes: Self.limit, depth: 16, values: 10_000, string: 100_000)
      value = try JSONParser.parse(bytes, limits: limits)
    } catch {
      throw .badDescription(path: path, line: error.line, column: error.column, reason: error.words)
    }
    let faults = Faults(bytes: bytes, path: path)
    do {
      let whole = try ValueReader(value).asRecord()
      for (key, reader) in try whole.fields() where !Self.keys.contains(key) {
        let hint = didYouMean(key, among: Self.keys)
        throw faults.fault(
          reader.pointer, "no key is called \(quoted(key))\(hint); the keys are \(Self.keys.joined(separator: ", "))")
      }
      name = try whole["name"].text("the deck's name")
      do throws(DeckError) { _ = try DeckName(name) } catch {
        throw faults.fault(whole["name"].pointer, error.message)
      }
      namespace = whole["namespace"].value == nil ? "" : try whole["namespace"].text()
      let options = whole["options"].value == nil ? [] : try whole["options"].fields("an object with options")
      self.options = try options.map { try faults.option($0.name, $0.reader) }
    } catch let failure as ShapeFailure {
      let found = failure.found.map { ", \($0) found" } ?? ""
      throw faults.fault(failure.pointer, "at \(failure.pointer): \(failure.expected) expected\(found)")
    } catch let error as BuildError {
      throw error
    } catch {
      throw faults.fault(.whole, "\(error)")
    }
  }

  /// Reads the description of a folder; without a file the deck gets the folder's name.
  /// - Throws: `BuildError`, `FileError`.
  package init(inFolder path: String, isInterrupted: @escaping () -> Bool) throws {
    let file = path + "/" + Self.fileName
    self =
      try fileExists(file)
      ? BuildDescription(FileText.bytes(file, limit: Self.limit, isInterrupted: isInterrupted), file)
      : BuildDescription(ofFolder: path)
  }

  /// The description of a folder without a file; nil when its name is not a valid deck name.
  package init?(ofName name: String) {
    do throws(DeckError) { _ = try DeckName(name) } catch {
      // Such a folder cannot be built.
      return nil
    }
    (self.name, namespace, options) = (name, "", [])
  }

  /// Whether a deck was built from this description.
  package func isBuilt(_ db: Database) throws -> Bool { try BuildTable.find(db, self) != nil }

  private init(ofFolder path: String) throws(BuildError) {
    guard Folder.isFolder(path) else { throw BuildError.noFolder(path: path) }
    name = String(path.split(separator: "/").last ?? "")
    (namespace, options) = ("", [])
    do throws(DeckError) { _ = try DeckName(name) } catch {
      throw .badDescription(path: path + "/" + Self.fileName, reason: "is needed because \(error.message)")
    }
  }
}

/// Creates errors with the place in the text.
private struct Faults {
  let bytes: [UInt8]
  let path: String

  func fault(_ pointer: JSONPointer, _ reason: String) -> BuildError {
    let place = pointer.place(in: bytes)
    return .badDescription(path: path, line: place.line, column: place.column, reason: reason)
  }

  func option(_ name: String, _ reader: ValueReader) throws -> (name: DeckOptions.Name, text: String) {
    guard let known = DeckOptions.Name(rawValue: name) else {
      let hint = didYouMean(name, among: DeckOptions.Name.allCases.map(\.rawValue))
      throw fault(reader.pointer, "no option is called \(quoted(name))\(hint); `deck options` lists them")
    }
    let text = try Self.text(reader)
    do throws(DeckError) { _ = try known.value(of: text) } catch { throw fault(reader.pointer, error.message) }
    return (known, text)
  }

  /// Returns the value of an option in the form that `deck options` accepts; the parts of a list are separated by
  /// spaces.
  private static func text(_ reader: ValueReader) throws(ShapeFailure) -> String {
    switch reader.value {
    case .text(let text): return text
    case .boolean(let flag): return flag ? "on" : "off"
    case .integer(let number): return String(number)
    case .number(let number): return "\(number.value)"
    case .list:
      var parts: [String] = []
      for element in try reader.elements() { parts.append(try text(element)) }
      return parts.joined(separator: " ")
    default: throw reader.failure("a text, a number, true or false")
    }
  }
}
