// Reports as values: what `--json` prints and Lua reads, made in one place. Invariant: the names of the fields are
// stable.

import Problems
public import Values

extension AddReport {
  public var value: Value {
    .record([
      ("added", .integer(added)), ("updated", .integer(updated)), ("skipped", .integer(skipped)),
      ("rejected_count", .integer(rejectedCount)), ("rejected", .list(rejected.map(\.value))),
    ])
  }
}

extension Rejection {
  var value: Value {
    var fields: [(String, Value)] = [("index", .integer(index))]
    if let line { fields.append(("line", .integer(line))) }
    if let column = place?.column { fields.append(("column", .integer(column))) }
    if let file = place?.file { fields.append(("path", .text(file))) }
    return .record(fields + [("code", .text(code.rawValue)), ("message", .text(message))])
  }
}
