// The rows of a small collection on a server.

import Exchange
import Values

enum ServerSide {
  static let type = 1_600_000_000_100
  static let note = 1_690_000_000_000
  static let card = 1_690_000_000_001

  static func head() -> StagedHead {
    let side: Value.Record = [
      "name": .text("Card 1"), "ord": .integer(0), "qfmt": .text("{{Front}}"),
      "afmt": .text("{{FrontSide}}\n\n<hr id=answer>\n\n{{Back}}"), "strange": .integer(7),
    ]
    let fields = ["Front", "Back"].map { Value.record(["name": .text($0)]) }
    var head = StagedHead()
    head.types = [
      [
        "id": .integer(type), "name": .text("Basic"), "type": .integer(0), "mod": .integer(5), "usn": .integer(1),
        "flds": .list(fields), "tmpls": .list([.record(side)]), "css": .text(""), "unknown": .text("kept"),
      ]
    ]
    head.decks = [deck(1, "Default"), deck(2, "Spanish")]
    head.presets = [["id": .integer(1), "name": .text("Default"), "usn": .integer(0), "mod": .integer(0)]]
    head.created = 1_600_000_000
    return head
  }

  static func deck(_ id: Int, _ name: String) -> Value.Record {
    [
      "id": .integer(id), "name": .text(name), "conf": .integer(1), "dyn": .integer(0), "mod": .integer(5),
      "usn": .integer(1), "newToday": .list([.integer(3), .integer(4)]),
    ]
  }

  static func note(_ modified: Int, _ back: String) -> Value {
    .list([
      .integer(note), .text("g1"), .integer(type), .integer(modified), .integer(3), .text(" a "),
      .text("uno\u{1F}\(back)"), .text(""), .text(""), .integer(0), .text("odd"),
    ])
  }

  /// A review card with the bits of a newer Anki's flags and with custom data.
  static func card(_ modified: Int) -> Value {
    .list(
      [card, note, 2, 0, modified, 3, 2, 2, 1000, 30, 2500, 4, 1, 0, 0, 0, 0b101_000].map { .integer($0) }
        + [.text(#"{"s":30.0,"d":5.0,"lrt":1690000000,"cd":"mine"}"#)])
  }

  static func review(_ id: Int, _ ease: Int) -> Value {
    .list([id, card, 3, ease, 30, 10, 500, 4000, 1].map { .integer($0) })
  }
}
