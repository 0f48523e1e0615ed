// What an account knows of each media file beside a sync server. Invariant: a name that was deleted here stays until
// the server knows; one that is there and not wanted here has a digest and no content.

public import Storage

/// One name.
public struct MediaState: Equatable, Sendable {
  /// Of the content here; nil where there is none.
  public var hash: String?
  public var size = 0
  /// SHA-1 as the server has it, or had; nil for what it does not know.
  public var digest: String?
  /// Changed here, or deleted, and not sent.
  public var isPending = true

  public init(hash: String?, size: Int = 0, digest: String? = nil, isPending: Bool = true) {
    (self.hash, self.size, self.digest, self.isPending) = (hash, size, digest, isPending)
  }
}

extension MediaTable {
  /// All names that are here, or that the server has.
  public static func states(_ db: Database) throws -> [String: MediaState] {
    var states: [String: MediaState] = [:]
    try db.forEachRow("SELECT name, hash, size, sha1, pending FROM media") { row in
      states[row.text(0)] = MediaState(
        hash: row.optionalText(1), size: row.count(2), digest: row.optionalText(3), isPending: row.integer(4) != 0)
    }
    return states
  }

  /// The state of a name now; nil for one that is not known.
  public static func state(_ db: Database, of name: String) throws -> MediaState? {
    try db.firstRow("SELECT hash, size, sha1, pending FROM media WHERE name = ?", [name]) { row in
      MediaState(
        hash: row.optionalText(0), size: row.count(1), digest: row.optionalText(2), isPending: row.integer(3) != 0)
    }
  }

  /// Writes the state of a name; nil removes it.
  public static func set(_ db: Database, _ name: String, to state: MediaState?) throws {
    guard let state else { return try db.execute(sql: "DELETE FROM media WHERE name = ?", arguments: [name]) }
    try db.execute(
      sql: "INSERT OR REPLACE INTO media (name, hash, size, sha1, pending) VALUES (?, ?, ?, ?, ?)",
      arguments: [name, state.hash, state.size, state.digest, state.isPending])
  }
}
