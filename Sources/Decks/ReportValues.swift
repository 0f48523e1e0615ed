// Reports as values: what `--json` prints and Lua reads, in one place. Invariant: the names of the fields are stable.

import Problems
public import Values

extension AddReport {
  public var value: Value {
    var fields: [(String, Value)] = [
      ("added", .integer(added)), ("updated", .integer(updated)), ("skipped", .integer(skipped)),
      ("rejected_count", .integer(rejectedCount)), ("rejected", .list(rejected.map(\.value))),
    ]
    if !lost.isEmpty { fields.append(("lost", .list(lost.map { .text($0) }))) }
    return .record(fields)
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
