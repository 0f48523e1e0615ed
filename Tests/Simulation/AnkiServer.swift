// A sync server that behaves like Anki's, for one user: rows, objects and graves, each with the update sequence number
// (USN) of its last change. Invariant: a sync is committed as a whole at `finish` or not at all; the server sends
// exactly what Anki's protocol defines.

import Values
import Wire

/// The server's reply to a call: JSON, or an HTTP status.
enum ServerAnswer {
  case value(Value)
  case status(Int)
}

struct AnkiServer {
  static let kinds = ["notes", "cards", "revlog"]
  private static let objects = ["models", "decks", "presets"]

  struct Collection: Equatable {
    var rows: [String: [Int: [Value]]] = [:]
    var objects: [String: [Int: Value.Record]] = [:]
    var tags: [String: Int] = [:]
    /// The kind, the id and the USN of the removal.
    var graves: [(kind: String, id: Int, usn: Int)] = []
    var usn = 1
    var modified = 1
    let schema = 1

    static func == (one: Collection, other: Collection) -> Bool {
      one.rows == other.rows && one.objects == other.objects
    }
  }

  private(set) var stored = Collection()
  private var open: Collection?
  private var least = 0
  private var waiting: Value = .null

  /// Starts with the content of a new account: one deck, one preset and the note type used most.
  init() {
    let side: Value.Record = [
      "name": .text("Card 1"), "ord": .integer(0), "qfmt": .text("{{Front}}"),
      "afmt": .text("{{FrontSide}}\n\n<hr id=answer>\n\n{{Back}}"),
    ]
    let fields = ["Front", "Back"].enumerated().map { index, name in
      Value.record(["name": .text(name), "ord": .integer(index)])
    }
    stored.objects["models"] = [
      1_600_000_000_100: [
        "id": .integer(1_600_000_000_100), "name": .text("Basic"), "type": .integer(0), "mod": .integer(5),
        "usn": .integer(0), "flds": .list(fields), "tmpls": .list([.record(side)]), "css": .text(""),
      ]
    ]
    stored.objects["decks"] = [
      1: [
        "id": .integer(1), "name": .text("Default"), "conf": .integer(1), "dyn": .integer(0), "mod": .integer(5),
        "usn": .integer(0), "newToday": .list([.integer(0), .integer(0)]),
      ]
    ]
    stored.objects["presets"] = [
      1: ["id": .integer(1), "name": .text("Default"), "usn": .integer(0), "mod": .integer(0)]
    ]
    for kind in AnkiServer.kinds { stored.rows[kind] = [:] }
  }

  /// - Parameter now: milliseconds since 1970.
  mutating func answer(_ call: String, _ body: Value, now: Int) -> ServerAnswer {
    let given = body.record ?? Value.Record()
    switch call {
    case "sync/hostKey": return .value(.record(["key": .text("key")]))
    case "sync/meta":
      open = nil
      return .value(meta(now))
    case "sync/start":
      (open, least) = (stored, given["minUsn"]?.integer ?? 0)
      return .value(started())
    case "sync/abort":
      open = nil
      return .value(.null)
    default: return open == nil ? .status(409) : within(call, given, now)
    }
  }

  private mutating func within(_ call: String, _ given: Value.Record, _ now: Int) -> ServerAnswer {
    switch call {
    case "sync/applyGraves":
      remove(given["chunk"]?.record ?? Value.Record())
      return .value(.null)
    case "sync/applyChanges":
      let mine = changes()
      merge(given["changes"]?.record ?? Value.Record())
      return .value(mine)
    case "sync/chunk": return .value(waiting)
    case "sync/applyChunk":
      guard merge(chunk: given["chunk"]?.record ?? Value.Record()) else { return .status(400) }
      return .value(.null)
    case "sync/sanityCheck2": return .value(counts())
    case "sync/finish": return .value(finish(now))
    default: return .status(404)
    }
  }

  // MARK: What the server sends

  private func meta(_ now: Int) -> Value {
    .record([
      "mod": .integer(stored.modified), "scm": .integer(stored.schema), "usn": .integer(stored.usn),
      "ts": .integer(now / 1000), "msg": .text(""), "cont": .boolean(true), "hostNum": .integer(0),
      "empty": .boolean(stored.rows["cards"]?.isEmpty ?? true), "media_usn": .integer(0),
    ])
  }

  /// Returns the graves since the client's USN, and sets the changed rows aside for `chunk`.
  private mutating func started() -> Value {
    let lists = AnkiServer.kinds.map { kind in
      (
        kind,
        Value.list(
          (stored.rows[kind] ?? [:]).sorted { $0.key < $1.key }.map(\.value).filter { usn(of: $0, kind) >= least }.map {
            .list($0)
          })
      )
    }
    waiting = .record([("done", .boolean(true))] + lists)
    return .record(
      ["cards", "notes", "decks"].map { kind in
        (kind, .list(stored.graves.filter { $0.kind == kind && $0.usn >= least }.map { .integer($0.id) }))
      })
  }

  private func usn(of row: [Value], _ kind: String) -> Int {
    row[kind == "notes" ? 4 : kind == "cards" ? 5 : 2].integer ?? 0
  }

  private func changes() -> Value {
    func list(_ kind: String) -> Value {
      .list(
        (stored.objects[kind] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
          .filter { $0["usn"]?.integer ?? 0 >= least }.map { .record($0) })
    }
    return .record([
      ("models", list("models")), ("decks", .list([list("decks"), list("presets")])),
      ("tags", .list(stored.tags.filter { $0.value >= least }.keys.sorted().map { .text($0) })),
      ("conf", .record(Value.Record())), ("crt", .integer(1_600_000_000)),
    ])
  }

  private func counts() -> Value {
    let rows = AnkiServer.kinds.map { kind in open?.rows[kind]?.count ?? 0 }
    let objects = AnkiServer.objects.map { kind in open?.objects[kind]?.count ?? 0 }
    let counts = [rows[1], rows[0], rows[2], 0] + objects
    return .record([
      ("status", .text("ok")),
      ("s", .list([.list([.integer(0), .integer(0), .integer(0)])] + counts.map { .integer($0) })),
    ])
  }

  private mutating func finish(_ now: Int) -> Value {
    guard var done = open else { return .null }
    done.usn = stored.usn + 1
    done.modified = max(now, stored.modified + 1)
    (stored, open) = (done, nil)
    return .integer(stored.modified)
  }

  // MARK: What the server receives

  private mutating func remove(_ graves: Value.Record) {
    for kind in ["cards", "notes", "decks"] {
      for id in (graves[kind]?.list ?? []).compactMap(\.integer) {
        if kind == "decks" { open?.objects[kind]?[id] = nil } else { open?.rows[kind]?[id] = nil }
        open?.graves.append((kind, id, stored.usn))
      }
    }
  }

  private mutating func merge(_ changes: Value.Record) {
    let decks = changes["decks"]?.list ?? []
    let lists = [changes["models"]?.list ?? [], decks.first?.list ?? [], decks.dropFirst().first?.list ?? []]
    for (kind, list) in zip(AnkiServer.objects, lists) {
      for record in list.compactMap(\.record) {
        guard let id = record["id"]?.integer else { continue }
        let mine = open?.objects[kind]?[id]?["mod"]?.integer ?? -1
        if record["mod"]?.integer ?? 0 < mine { continue }
        let taken = named(record, id, kind)
        open?.objects[kind]?[id] = taken
      }
    }
    for tag in (changes["tags"]?.list ?? []).compactMap(\.text) { open?.tags[tag] = stored.usn }
  }

  /// Appends `+` to a name that another object already has.
  private func named(_ record: Value.Record, _ id: Int, _ kind: String) -> Value.Record {
    let others = (open?.objects[kind] ?? [:]).filter { $0.key != id }.values.compactMap {
      $0["name"]?.text?.lowercased()
    }
    guard kind != "presets", var name = record["name"]?.text, others.contains(name.lowercased()) else { return record }
    while others.contains(name.lowercased()) { name += "+" }
    var renamed = record
    renamed["name"] = .text(name)
    return renamed
  }

  /// - Returns: false for a malformed row.
  private mutating func merge(chunk: Value.Record) -> Bool {
    for kind in AnkiServer.kinds {
      for row in (chunk[kind]?.list ?? []).compactMap(\.list) {
        guard row.count >= 9, let id = row[0].integer, usn(of: row, kind) == stored.usn else { return false }
        let place = kind == "notes" ? 3 : 4
        if let mine = open?.rows[kind]?[id] {
          if kind == "revlog" { continue }
          let isNews = usn(of: mine, kind) >= least
          if isNews, mine[place].integer ?? 0 >= row[place].integer ?? 0 { continue }
        }
        open?.rows[kind]?[id] = row
      }
    }
    return true
  }
}
