// The table of documents: the text of the file, and what is looked up without parsing it.
// Invariant: the text of a row is that of a whole `.rwcard` file, with every key that was read.

package import Storage
import Values

public enum DocumentTable {
  package static let schema = Schema(
    "CREATE TABLE documents (id TEXT NOT NULL PRIMARY KEY, content TEXT NOT NULL, modified REAL NOT NULL) STRICT;")

  /// The ids of all documents, without reading any of them.
  package static func ids(_ db: Database) throws -> [String] {
    try db.rows("SELECT id FROM documents ORDER BY id") { $0.text(0) }
  }

  package static func count(_ db: Database) throws -> Int { try db.count("SELECT count(*) FROM documents") }

  /// The hashes anywhere in the texts of documents, including documents that cannot be opened and unknown keys.
  package static func pictures(_ db: Database) throws -> Set<String> {
    var found: Set<String> = []
    try db.forEachRow("SELECT content FROM documents") { row in
      // Quoted texts of 64 hexadecimal digits are found without parsing the JSON.
      for text in row.bytes(0).split(separator: UInt8(ascii: "\"")) where text.count == 64 {
        if let hash = ContentHash(String(decoding: text, as: UTF8.self)) { found.insert(hash.description) }
      }
    }
    return found
  }

  static func rows(_ db: Database) throws -> [DocumentRow] {
    try db.rows("SELECT id, content, modified FROM documents ORDER BY id", [], DocumentRow.init)
  }

  static func row(_ db: Database, _ id: DocumentID) throws -> DocumentRow? {
    try db.firstRow("SELECT id, content, modified FROM documents WHERE id = ?", [id.description], DocumentRow.init)
  }

  static func write(_ db: Database, _ row: DocumentRow) throws {
    try db.run(
      """
      INSERT INTO documents (id, content, modified) VALUES (?1, ?2, ?3)
      ON CONFLICT (id) DO UPDATE SET content = ?2, modified = ?3
      """, [row.id, String(decoding: row.content, as: UTF8.self), row.modified])
  }

  package static func remove(_ db: Database, _ id: DocumentID) throws {
    try db.run("DELETE FROM documents WHERE id = ?", [id.description])
  }

  /// Whether an id is that of a document, so that commands find its row.
  package static func isNamed(_ id: String) -> Bool { DocumentID(id)?.description == id }

  package static func removeUnnamed(_ db: Database) throws {
    for id in try ids(db) where !isNamed(id) { try db.run("DELETE FROM documents WHERE id = ?", [id]) }
  }
}

struct DocumentRow {
  let id: String
  let content: [UInt8]
  /// Seconds since 1970.
  let modified: Double
}

extension DocumentRow {
  init(_ row: Row) { self.init(id: row.text(0), content: Array(row.bytes(1)), modified: row.number(2)) }

  func decoded() throws(DocumentError) -> CardDocument {
    let name = "document \(id)"
    let document = try CardDocument(reading: content, file: name)
    guard document.id.description == id else {
      throw .wrong(file: name, .whole.appending("id"), expected: id, found: document.id.description)
    }
    return document
  }
}
