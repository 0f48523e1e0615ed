// The answer to one request while it is written: the results of its actions, one after another.
// Invariant: it has at most `limit` bytes besides its error results; what a result needs is charged before it is
// collected; a result exists as a value only until it is written.

import Templates
import Text
import Values

/// The answer to one request.
///
///     try answer.charge(size * 4 / 3)                      // before the file is read
///     try answer.write(.text(base64), isBare: false)
final class ActionAnswer {
  private var writer = JSONWriter(.compact)
  private let limit: Int
  /// The bytes that the current action has charged.
  private var charged = 0
  /// What the current action did not do as it was asked, although it has a result.
  private var warnings: [String] = []

  init(limit: Int) { self.limit = limit }

  var bytes: [UInt8] { writer.bytes }

  private var tooLarge: ActionFailure {
    ActionFailure("the answer to one request has at most \(limit >> 20) MiB; ask for less at once")
  }

  /// Charges the bytes that an action is about to collect for its result.
  func charge(_ count: Int) throws(ActionFailure) {
    guard count <= limit - writer.bytes.count - charged else { throw tooLarge }
    charged += count
  }

  /// Adds a warning that is written beside the result of the current action.
  func warn(_ words: String) { if warnings.count < 100 { warnings.append(words) } }

  /// Warns of a text for a field that the note type does not have.
  func warn(field name: String, of type: NoteType) {
    warn("the note type \(quoted(type.name)) has no field \(quoted(name)); its text was not stored")
  }

  /// Writes a result, bare or as a record with a null error.
  /// - Parameter mustFit: false writes a result that is too large anyway: the result of a change that was already made.
  func write(_ result: Value, isBare: Bool, mustFit: Bool = true) throws(ActionFailure) {
    charged = 0
    defer { warnings = [] }
    let mark = writer.mark
    if isBare { writer.write(result) } else { wrapped { writer.write(result) } }
    if mustFit, writer.bytes.count > limit {
      writer.rewind(to: mark)
      throw tooLarge
    }
  }

  /// Writes the results of several actions as one result.
  func writeList(isBare: Bool, _ elements: () -> Void) {
    func list() {
      writer.beginList()
      elements()
      writer.endList()
    }
    if isBare { list() } else { wrapped(list) }
  }

  private func wrapped(_ result: () -> Void) {
    writer.beginRecord()
    writer.name("result")
    result()
    writer.name("error")
    writer.write(.null)
    if !warnings.isEmpty {
      writer.name("warnings")
      writer.write(.list(warnings.map { .text($0) }))
    }
    writer.endRecord()
  }

  /// Writes an error instead of a result.
  func refuse(_ words: String) {
    (charged, warnings) = (0, [])
    let fits = words.utf8.count <= limit - writer.bytes.count
    writer.write(.record([("result", .null), ("error", .text(fits ? words : tooLarge.words))]))
  }
}
