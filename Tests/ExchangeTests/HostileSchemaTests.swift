// Databases of others whose tables are not what they seem: each reader refuses them, and nothing in them runs.

import Decks
import Files
import Problems
import Storage
import TestSupport

@testable import Exchange

@Suite struct HostileSchemaTests {
  private let here = PackageCollection()

  /// A table that a reader reads, with a text column.
  private struct Reader: CustomTestStringConvertible {
    let testDescription: String
    let tables: String
    let table: String
    let columns: [String]
    let text: String
  }

  private static let kindle = """
    CREATE TABLE WORDS (id, word, stem, lang, category, timestamp); INSERT INTO WORDS VALUES (1, 'a', '', '', 0, 1);
    CREATE TABLE LOOKUPS (id, word_key, book_key, dict_key, pos, usage, timestamp);
    CREATE TABLE BOOK_INFO (id, asin, guid, lang, title, authors);
    """
  private static let readers = [
    Reader(
      testDescription: "a Kindle's LOOKUPS", tables: kindle, table: "LOOKUPS",
      columns: ["id", "word_key", "book_key", "dict_key", "pos", "usage", "timestamp"], text: "usage"),
    Reader(
      testDescription: "a Kindle's BOOK_INFO", tables: kindle + "INSERT INTO LOOKUPS VALUES (1, 1, 1, 1, 1, 'a', 1);",
      table: "BOOK_INFO", columns: ["id", "title"], text: "title"),
    Reader(
      testDescription: "KOReader", tables: "CREATE TABLE title (id, name); CREATE TABLE vocabulary (a);",
      table: "vocabulary", columns: ["word", "title_id", "prev_context", "next_context"], text: "prev_context"),
    Reader(
      testDescription: "a Kobo", tables: "CREATE TABLE WordList (a);", table: "WordList",
      columns: ["Text", "DictSuffix"], text: "Text"),
    Reader(
      testDescription: "a package's notes", tables: "", table: "notes",
      columns: ["id", "guid", "mid", "mod", "usn", "tags", "flds", "sfld", "csum", "flags", "data"], text: "flds"),
    Reader(
      testDescription: "a package's cards", tables: "", table: "cards",
      columns: [
        "id", "nid", "did", "ord", "mod", "usn", "type", "queue", "due", "ivl", "factor", "reps", "lapses", "left",
        "odue", "odid", "flags", "data",
      ], text: "data"),
  ]

  /// What takes the place of the table.
  private enum Trick: CaseIterable {
    case view, endlessView, nestedViews, generatedColumn, virtualTable, hugeValue
  }

  private static func sql(_ trick: Trick, _ reader: Reader) -> String {
    func columns(_ value: String) -> String {
      reader.columns.map { "\($0 == reader.text ? value : "1") AS \($0)" }.joined(separator: ", ")
    }
    let others = reader.columns.filter { $0 != reader.text }.joined(separator: ", ")
    let values = reader.columns.filter { $0 != reader.text }.map { _ in "1" }.joined(separator: ", ")
    let drop = "DROP TABLE \(reader.table); "
    switch trick {
    case .view: return drop + "CREATE VIEW \(reader.table) AS SELECT \(columns("hex(zeroblob(450000000))"))"
    case .endlessView:
      return drop
        + """
        CREATE VIEW \(reader.table) AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
          SELECT \(columns("i")) FROM n
        """
    case .nestedViews:
      let views = (1...60).map { "CREATE VIEW v\($0) AS SELECT a.x FROM v\($0 - 1) AS a, v\($0 - 1) AS b; " }
      return drop + "CREATE TABLE v0 (x); " + views.joined()
        + "CREATE VIEW \(reader.table) AS SELECT \(columns("v60.x")) FROM v60"
    case .generatedColumn:
      return drop
        + """
        CREATE TABLE \(reader.table) (\(others), \(reader.text) AS (hex(zeroblob(450000000))));
        INSERT INTO \(reader.table) (\(others)) VALUES (\(values))
        """
    case .virtualTable:
      return drop + "CREATE VIRTUAL TABLE \(reader.table) USING fts5(\(reader.columns.joined(separator: ", ")))"
    case .hugeValue:
      return drop
        + """
        CREATE TABLE \(reader.table) (\(others), \(reader.text));
        INSERT INTO \(reader.table) VALUES (\(values), hex(zeroblob(20000000)))
        """
    }
  }

  @Test(arguments: readers, Trick.allCases)
  private func `a table that is not an ordinary one is refused, and so is a huge value`(
    reader: Reader, trick: Trick
  ) throws {
    let sql = Self.sql(trick, reader)
    if reader.testDescription.hasPrefix("a package") {
      let collection = try collectionFile(here.folder, BadPackageTests.basic + "; " + sql)
      let path = try package(here.folder, [("collection.anki2", collection)], deflated: true)
      #expect(throws: PackageError.self) { try here.importing(path) }
      #expect(throws: PackageError.self) {
        let settings = ExchangeSettings(
          folder: here.folder.path, moment: here.moment, isInterrupted: { false }, mediaPath: \.name)
        _ = try PackageContent(path: path, format: .apkg, settings: settings).read()
      }
      return
    }
    let path = here.folder.file("vocab.db")
    let file = try ExclusiveDatabase(path)
    try file.use { try $0.execute(sql: reader.tables + sql) }
    try file.close()
    #expect(throws: TextFileError.self) { try VocabularyFile(path, temporary: here.folder.path) { false } }
  }

  @Test func `a trigger of a foreign file is no obstacle, since it never fires`() throws {
    let path = here.folder.file("kobo.db")
    let file = try ExclusiveDatabase(path)
    try file.use {
      try $0.execute(
        sql: """
          CREATE TABLE WordList (Text TEXT, DictSuffix TEXT); INSERT INTO WordList VALUES ('gato', '-es');
          CREATE TRIGGER t AFTER INSERT ON WordList BEGIN DELETE FROM WordList; END; CREATE VIEW v AS SELECT 1
          """)
    }
    try file.close()
    #expect(try VocabularyFile(path, temporary: here.folder.path) { false }.entries.map(\.word) == ["gato"])
  }
}
