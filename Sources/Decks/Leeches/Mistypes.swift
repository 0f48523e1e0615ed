// What was typed for a card and is not its answer.
// Invariant: a card keeps only the last texts, up to a limit. They are not sent to a server or written to a file.

public import Storage
import Text

/// A wrong answer that was typed.
public struct Mistype: Equatable, Sendable {
  public let text: String
  public let times: Int
}

/// The table `mistypes`.
public enum MistypeTable {
  static let schema = """
    CREATE TABLE mistypes (
      card INTEGER NOT NULL REFERENCES cards(id) ON DELETE CASCADE ON UPDATE CASCADE,
      text TEXT NOT NULL,
      times INTEGER NOT NULL,
      at REAL NOT NULL,
      PRIMARY KEY (card, text)
    ) STRICT, WITHOUT ROWID;
    """
  /// The most texts per card.
  private static let most = 20
  /// The most characters of a text; longer ones are not stored.
  private static let longest = 200

  static func add(_ db: Database, _ card: CardID, _ typed: String, now: Double) throws {
    let text = typed.trimmed.composed
    guard !text.isEmpty, text.count <= longest else { return }
    try db.execute(
      sql: """
        INSERT INTO mistypes (card, text, times, at) VALUES (?, ?, 1, ?)
        ON CONFLICT (card, text) DO UPDATE SET times = times + 1, at = excluded.at
        """, arguments: [card.rawValue, text, now])
    try db.execute(
      sql: """
        DELETE FROM mistypes
        WHERE card = ?1 AND text NOT IN (SELECT text FROM mistypes WHERE card = ?1 ORDER BY at DESC, text LIMIT ?2)
        """, arguments: [card.rawValue, most])
  }

  /// The texts that were typed for a card, the most frequent first.
  public static func list(_ db: Database, of card: CardID) throws -> [Mistype] {
    let sql = "SELECT text, times FROM mistypes WHERE card = ? ORDER BY times DESC, at DESC, text"
    return try db.rows(sql, [card.rawValue]) { Mistype(text: $0.text(0), times: $0.count(1)) }
  }
}
