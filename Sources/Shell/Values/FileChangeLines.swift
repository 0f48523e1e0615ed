// Changed files as lines in the style of diff -u, for reviewing an update before it is accepted. Invariant: text from
// others is made printable; every byte of a differing line is shown, in as many lines of the terminal as it needs,
// whatever the file contains; comparing takes bounded time.

import PluginHost
import Text

/// Shows changed files on a terminal.
struct FileChangeLines {
  let terminal: Terminal

  /// The most lines of both sides of a file that are compared; a larger file is shown as entirely removed and added.
  private static let mostCompared = 6_000
  /// The most lines that a user is asked about: a question after more of them would be about unread code.
  static let mostAskedAbout = 3_000
  private static let context = 3

  /// The permissions that are no longer requested, and those newly requested.
  func permissions(removed: [String], added: [String]) -> [String] {
    if removed.isEmpty, added.isEmpty { return [] }
    return [terminal.styled("permissions", .bold)]
      + removed.flatMap { rows("-", $0) } + added.flatMap { rows("+", $0) }
  }

  func files(_ changes: [PluginFileChange]) -> [String] { changes.flatMap(file) }

  private func file(_ change: PluginFileChange) -> [String] {
    let path = printable(change.path, limit: 400)
    let head = [
      terminal.styled("--- \(change.old == nil ? "nothing" : path)", .bold),
      terminal.styled("+++ \(change.new == nil ? "nothing" : path)", .bold),
    ]
    return head + hunks(Self.compared(Self.lines(change.old), Self.lines(change.new)))
  }

  private static func lines(_ bytes: [UInt8]?) -> [ArraySlice<UInt8>] {
    var lines = (bytes ?? []).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  private struct Line {
    /// `-`, `+` or a space.
    let sign: Character
    let text: ArraySlice<UInt8>
    /// The index of the line, or of the next one, on each side.
    let old: Int
    let new: Int
  }

  /// The lines are compared by bytes, since text that looks the same may still differ.
  private static func compared(_ old: [ArraySlice<UInt8>], _ new: [ArraySlice<UInt8>]) -> [Line] {
    let most = min(old.count, new.count)
    var start = 0
    while start < most, old[start] == new[start] { start += 1 }
    var end = 0
    while end < most - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
    let (first, second) = (old[start..<old.count - end], new[start..<new.count - end])
    var (removed, inserted) = (Set(first.indices), Set(second.indices))
    if first.count + second.count <= mostCompared {
      (removed, inserted) = ([], [])
      for change in Array(second).difference(from: Array(first)) {
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
      shown += hunk.flatMap { rows($0.sign, Self.text(of: $0.text)) }
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

  /// A line that is too long for the terminal continues in rows that begin with `|`.
  private func rows(_ sign: Character, _ text: String) -> [String] {
    let text = printable(text, limit: .max)
    let rows = terminal.cutWidth.map { text.lines(within: $0 - 1) } ?? [text]
    return rows.enumerated().map { index, row in
      let row = "\(index == 0 ? sign : "|")\(row)"
      return sign == " " ? row : terminal.styled(row, sign == "-" ? .red : .green)
    }
  }

  /// Bytes that are not UTF-8 are shown as `\xNN`.
  private static func text(of bytes: ArraySlice<UInt8>) -> String {
    String(validating: bytes, as: UTF8.self)
      ?? bytes.map { $0 < 0x80 ? String(UnicodeScalar($0)) : "\\x" + String($0, radix: 16, uppercase: true) }.joined()
  }
}
