// What the person granted to which plugin: a file in the folder of installed plugins. Invariant: it is written whole or not at
// all, and what it does not say was not granted.

import JSON
import Storage
import Wording

struct GrantFile {
  struct Entry: Equatable {
    var version: String
    var granted: [String]
    var isEnabled: Bool
  }

  let path: String
  private(set) var entries: [String: Entry] = [:]

  /// Reads the file; one that is missing grants nothing.
  init(path: String) throws {
    self.path = path
    guard fileExists(path) else { return }
    let bytes = try FileText.bytes(path, limit: 1 << 20)
    let limits = JSONLimits(bytes: 1 << 20, depth: 8, values: 100_000, string: 64 << 10)
    do throws(JSONFailure) {
      entries = Self.entries(in: try JSONParser.parse(bytes, limits: limits))
    } catch {
      throw PlainProblem(
        code: "bad_file", title: "A damaged file",
        message:
          "\(path):\(error.line):\(error.column): \(error.words); no installed plugin is enabled until it is mended or removed"
      )
    }
  }

  private static func entries(in value: JSONValue) -> [String: Entry] {
    var found: [String: Entry] = [:]
    for member in value.object?.members ?? [] {
      guard let object = member.value.object else { continue }
      found[member.key] = Entry(
        version: object["version"]?.string ?? "", granted: (object["granted"]?.array ?? []).compactMap(\.string),
        isEnabled: object["enabled"]?.bool ?? false)
    }
    return found
  }

  mutating func set(_ name: String, _ entry: Entry) throws {
    entries[name] = entry
    var whole = JSONObject()
    for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
      whole[name] = .object(
        JSONObject([
          "enabled": .bool(entry.isEnabled), "granted": .array(entry.granted.map { .string($0) }),
          "version": .string(entry.version),
        ]))
    }
    try AtomicFile.write(path, JSONWriter.bytes(of: .object(whole)))
  }
}
