// The answer to one request while it is written: the results of its actions, one after the other.
// Invariant: it has at most `limit` bytes beside its refusals; what a result needs is charged before it is gathered; a
// result is in memory as a value only until it is written.

import Text
import Values

/// One answer.
///
///     try answer.charge(size * 4 / 3)                      // before the file is read
///     try answer.write(.text(base64), isBare: false)
final class DoorAnswer {
  private var writer = JSONWriter(.compact)
  private let limit: Int
  /// Bytes that the action which runs has charged.
  private var charged = 0

  init(limit: Int) { self.limit = limit }

  var bytes: [UInt8] { writer.bytes }

  private var tooLarge: ActionFailure {
    ActionFailure("the answer to one request has at most \(limit >> 20) MiB; ask for less at once")
  }

  /// What an action is about to gather for its result.
  func charge(_ count: Int) throws(ActionFailure) {
    guard count <= limit - writer.bytes.count - charged else { throw tooLarge }
    charged += count
  }

  /// A result, alone or as a record with an error of null.
  /// - Parameter mustFit: otherwise it is written though it is too large, as that of a change which was made.
  func write(_ result: Value, isBare: Bool, mustFit: Bool = true) throws(ActionFailure) {
    charged = 0
    let mark = writer.mark
    if isBare { writer.write(result) } else { wrapped { writer.write(result) } }
    if mustFit, writer.bytes.count > limit {
      writer.rewind(to: mark)
      throw tooLarge
    }
  }

  /// The results of several actions as the result of one.
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
    writer.endRecord()
  }

  /// Why there is no result.
  func refuse(_ words: String) {
    charged = 0
    let fits = words.utf8.count <= limit - writer.bytes.count
    writer.write(.record([("result", .null), ("error", .text(fits ? words : tooLarge.words))]))
  }
}
