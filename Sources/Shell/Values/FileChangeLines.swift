// Changed files as lines in the style of diff -u, for reviewing an update before it is accepted. Invariant: text from
// others is made printable; every differing line is shown or counted as omitted; comparing takes bounded time.

import PluginHost
import Text

/// Shows changed files on a terminal.
struct FileChangeLines {
  let terminal: Terminal

  /// The most lines of both sides of a file that are compared; a larger file is shown as entirely removed and added.
  private static let mostCompared = 6_000
  /// The most lines shown for all files together.
  private static let mostShown = 3_000
  private static let context = 3

  /// The permissions that are no longer requested, and those newly requested.
  func permissions(removed: [String], added: [String]) -> [String] {
    if removed.isEmpty, added.isEmpty { return [] }
    return [terminal.styled("permissions", .bold)]
      + removed.map { terminal.styled("-" + printable($0, limit: 500), .red) }
      + added.map { terminal.styled("+" + printable($0, limit: 500), .green) }
  }

  func files(_ changes: [PluginFileChange]) -> [String] {
    let lines = changes.flatMap(file)
    if lines.count <= Self.mostShown { return lines }
    let rest = lines.count - Self.mostShown
    return lines.prefix(Self.mostShown) + ["... \(grouped(rest)) more lines: unpack both to see them"]
  }

  private func file(_ change: PluginFileChange) -> [String] {
    let path = printable(change.path, limit: 400)
    let head = [
      terminal.styled("--- \(change.old == nil ? "nothing" : path)", .bold),
      terminal.styled("+++ \(change.new == nil ? "nothing" : path)", .bold),
    ]
    let (old, new) = (Self.lines(change.old), Self.lines(change.new))
    guard let old, let new else {
      let (before, after) = (change.old?.count ?? 0, change.new?.count ?? 0)
      return head + ["not text: \(counted(before, "byte")), now \(counted(after, "byte"))"]
    }
    return head + hunks(Self.compared(old, new))
  }

  /// The lines of a file; nil when it is not text.
  private static func lines(_ bytes: [UInt8]?) -> [Substring]? {
    guard let bytes, !bytes.isEmpty else { return [] }
    guard let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0) else { return nil }
    var lines = text.split(at: "\n")
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  private struct Line {
    /// `-`, `+` or a space.
    let sign: Character
    let text: Substring
    /// The index of the line, or of the next one, on each side.
    let old: Int
    let new: Int
  }

  private static func compared(_ old: [Substring], _ new: [Substring]) -> [Line] {
    // Compared by bytes, since text that looks the same may still differ.
    func isSame(_ one: Substring, _ other: Substring) -> Bool { one.utf8.elementsEqual(other.utf8) }
    let most = min(old.count, new.count)
    var start = 0
    while start < most, isSame(old[start], new[start]) { start += 1 }
    var end = 0
    while end < most - start, isSame(old[old.count - 1 - end], new[new.count - 1 - end]) { end += 1 }
    let (first, second) = (old[start..<old.count - end], new[start..<new.count - end])
    var (removed, inserted) = (Set(first.indices), Set(second.indices))
    if first.count + second.count <= mostCompared {
      (removed, inserted) = ([], [])
      for change in Array(second).difference(from: Array(first), by: isSame) {
        switch change {
        case .remove(let offset, _, _): removed.insert(offset + start)
        case .insert(let offset, _, _): inserted.insert(offset + start)
        }
      }
    }
    var lines: [Line] = []
    var (i, j) = (0, 0)
    while i < old.count || j < new.count {
      if i < old.count, removed.contains(i) {
        lines.append(Line(sign: "-", text: old[i], old: i, new: j))
        i += 1
      } else if j < new.count, inserted.contains(j) {
        lines.append(Line(sign: "+", text: new[j], old: i, new: j))
        j += 1
      } else {
        lines.append(Line(sign: " ", text: old[i], old: i, new: j))
        (i, j) = (i + 1, j + 1)
      }
    }
    return lines
  }

  /// The differing lines with their context.
  private func hunks(_ lines: [Line]) -> [String] {
    var shown: [String] = []
    var next = 0
    while let change = lines[next...].firstIndex(where: { $0.sign != " " }) {
      let start = max(next, change - Self.context)
      var (last, place) = (change, change)
      while place < lines.count, place - last <= 2 * Self.context {
        if lines[place].sign != " " { last = place }
        place += 1
      }
      let hunk = lines[start..<min(lines.count, last + Self.context + 1)]
      shown.append(terminal.styled(head(of: hunk), .cyan))
      shown += hunk.map(shown(_:))
      next = hunk.endIndex
    }
    return shown
  }

  private func head(of hunk: ArraySlice<Line>) -> String {
    func side(_ first: Int, _ count: Int) -> String { "\(count == 0 ? first : first + 1),\(count)" }
    guard let first = hunk.first else { return "" }
    let (old, new) = (hunk.count { $0.sign != "+" }, hunk.count { $0.sign != "-" })
    return "@@ -\(side(first.old, old)) +\(side(first.new, new)) @@"
  }

  private func shown(_ line: Line) -> String {
    let text = "\(line.sign)\(printable(String(line.text), limit: 2_000))"
    switch line.sign {
    case "-": return terminal.styled(text, .red)
    case "+": return terminal.styled(text, .green)
    default: return text
    }
  }
}
