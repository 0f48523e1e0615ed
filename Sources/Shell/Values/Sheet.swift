// A text of named parts for the user's editor: notes and note types. Invariant: parsing restores the parts exactly,
// whatever they contain.

import Problems
import Text

/// Named parts, each below a line `==== NAME ====`.
struct Sheet: Equatable {
  struct Part: Equatable {
    let name: String
    let text: String
  }

  var parts: [Part] = []

  mutating func add(_ name: String, _ text: String) { parts.append(Part(name: name, text: text)) }

  /// - Parameter advice: comment lines at the top, which parsing ignores.
  func text(advice: [String]) -> String {
    let bar = bar
    var text = advice.map { "# \($0)\n" }.joined()
    for part in parts {
      text += "\(bar) \(part.name) \(bar)\n"
      if !part.text.isEmpty { text += part.text + "\n" }
    }
    return text
  }

  /// A bar longer than any run of `=` at the start of a line, ignoring leading whitespace.
  private var bar: String {
    let longest = parts.flatMap(\.text.lines).map { String($0).trimmed.prefix { $0 == "=" }.count }.max() ?? 0
    return String(repeating: "=", count: max(4, longest + 1))
  }

  init() {}

  /// - Throws: `EditorError.notSheet` when no heading is left.
  init(_ text: String) throws(EditorError) {
    let lines = text.lines.map(String.init)
    guard let first = lines.firstIndex(where: { $0.hasPrefix("====") }) else { throw .notSheet }
    let bar = String(lines[first].prefix { $0 == "=" })
    var (name, body): (String?, [String]) = (nil, [])
    // A text that ends with a line end yields an empty last line, which is dropped.
    for line in lines[first...].dropLast(lines.last == "" ? 1 : 0) {
      guard let heading = Sheet.heading(line, bar) else {
        body.append(line)
        continue
      }
      if let name { add(name, body.joined(separator: "\n")) }
      (name, body) = (heading, [])
    }
    guard let name else { throw .notSheet }
    add(name, body.joined(separator: "\n"))
  }

  private static func heading(_ line: String, _ bar: String) -> String? {
    let line = line.trimmed
    guard line.hasPrefix(bar + " "), line.hasSuffix(" " + bar), line.utf8.count > 2 * bar.utf8.count + 2 else {
      return nil
    }
    return String(line.dropFirst(bar.count + 1).dropLast(bar.count + 1)).trimmed
  }
}
