// The state of each media file of an account in relation to the sync server.
// Invariant: a name that was deleted here stays until the server knows; a name that is on the server but not wanted
// here has a digest and no content.

public import Storage

/// The state of one name.
public struct MediaState: Equatable, Sendable {
  /// The hash of the content here; nil if there is none.
  public var hash: String?
  public var size = 0
  /// The SHA-1 that the server has or had; nil if the server does not know the file.
  public var digest: String?
  /// Whether it was changed or deleted here, and the change was not sent yet.
  public var isPending = true

  public init(hash: String?, size: Int = 0, digest: String? = nil, isPending: Bool = true) {
    (self.hash, self.size, self.digest, self.isPending) = (hash, size, digest, isPending)
  }
}

extension MediaTable {
  /// All names that are here or on the server.
  public static func states(_ db: Database) throws -> [String: MediaState] {
    var states: [String: MediaState] = [:]
    try db.forEachRow("SELECT name, hash, size, sha1, pending FROM media") { row in
      states[row.text(0)] = MediaState(
        hash: row.optionalText(1), size: row.count(2), digest: row.optionalText(3), isPending: row.integer(4) != 0)
    }
    return states
  }

  /// The current state of a name; nil if it is not known.
  public static func state(_ db: Database, of name: String) throws -> MediaState? {
    try db.firstRow("SELECT hash, size, sha1, pending FROM media WHERE name = ?", [name]) { row in
      MediaState(
        hash: row.optionalText(0), size: row.count(1), digest: row.optionalText(2), isPending: row.integer(3) != 0)
    }
  }

  /// Stores the state of a name; nil removes it.
  public static func set(_ db: Database, _ name: String, to state: MediaState?) throws {
    guard let state else { return try db.execute(sql: "DELETE FROM media WHERE name = ?", arguments: [name]) }
    try db.execute(
      sql: "INSERT OR REPLACE INTO media (name, hash, size, sha1, pending) VALUES (?, ?, ?, ?, ?)",
      arguments: [name, state.hash, state.size, state.digest, state.isPending])
  }
}
