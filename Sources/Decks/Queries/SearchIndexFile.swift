// The search index in a file beside the database, so that the first search of a process does not read every card; and
// the log of changed texts, from which it learns what to read again. Invariant: the file is only a copy, made again if
// it cannot be used. Each change to the texts of an existing card is logged, or the log gets another epoch.

import Files
public import Storage
import Text

extension SearchIndex {
  private static let magic: [UInt8] = Array("DHSEARCH".utf8)
  private static let version: Int64 = 4
  private static let headerNumbers = 7
  private static let rowLimit = 16 << 20

  /// Loads an index; returns false if there is no intact one.
  func load(_ path: String) -> Bool {
    do throws(FileError) {
      return try loaded(ByteFile(path, followingLinks: false, isInterrupted: isNeverInterrupted))
    } catch {
      // The search then reads the cards and writes the file again.
      return false
    }
  }

  private func loaded(_ file: ByteFile) throws(FileError) -> Bool {
    guard try file.elements(Self.magic.count, UInt8.self) == Self.magic else { return false }
    let header = try file.elements(Self.headerNumbers, Int64.self)
    guard header.count == Self.headerNumbers, header[0] == Self.version, (0...Int64(Self.rowLimit)).contains(header[4]),
      (0...Int64(Self.byteLimit)).contains(header[5])
    else { return false }
    let (rows, bytes) = (Int(header[4]), Int(header[5]))
    let cards = try file.elements(rows, Int64.self)
    let ends = try file.elements(rows * Self.cellsPerRow, UInt32.self)
    let texts = try file.elements(bytes, UInt8.self)
    guard cards.count == rows, ends.count == rows * Self.cellsPerRow, texts.count == bytes else { return false }
    guard Self.isValid(ends, texts.count),
      Self.digest(header.dropLast(), cards, ends, texts) == UInt64(bitPattern: header[6])
    else { return false }
    replace(cards: cards, ends: ends, texts: texts)
    state = SearchLog.State(epoch: header[1], lastCard: header[2], lastChange: header[3])
    return true
  }

  /// Whether the cells follow each other, separated by one byte, up to the end of the texts.
  private static func isValid(_ ends: [UInt32], _ count: Int) -> Bool {
    var start = 0
    for end in ends {
      if Int(end) < start { return false }
      start = Int(end) + 1
    }
    return start == count
  }

  private static func digest(
    _ header: ArraySlice<Int64>, _ cards: [Int64], _ ends: [UInt32], _ texts: [UInt8]
  ) -> UInt64 {
    var sum = header.withUnsafeBytes { damageDigest($0, seed: 1) }
    sum = cards.withUnsafeBytes { damageDigest($0, seed: sum) }
    sum = ends.withUnsafeBytes { damageDigest($0, seed: sum) }
    return texts.withUnsafeBytes { damageDigest($0, seed: sum) }
  }

  /// Saves the index for the next process. If the folder is read-only or full, that process reads the cards itself.
  func save(_ path: String) {
    compact()
    readCount = 0
    var header = [Self.version, state.epoch, state.lastCard, state.lastChange, Int64(cards.count), Int64(texts.count)]
    header.append(Int64(bitPattern: Self.digest(header[...], cards, ends, texts)))
    // If two processes write at the same time, one of the files remains; a mixture of both would be detected as
    // damaged.
    var options = Replacement.internalFile(temporaryName: ".search-new")
    options.isSynced = false
    do {
      try AtomicFile.write(path, options) { sink in
        try sink.append(Self.magic)
        try header.withUnsafeBytes { try sink.append($0) }
        try cards.withUnsafeBytes { try sink.append($0) }
        try ends.withUnsafeBytes { try sink.append($0) }
        try sink.append(texts)
      }
    } catch {
      // Nothing depends on the file.
    }
  }
}

extension ByteFile {
  /// Reads `count` numbers in this machine's byte order; returns none if the file has fewer left.
  fileprivate func elements<Element: FixedWidthInteger & BitwiseCopyable>(
    _ count: Int, _ type: Element.Type
  ) throws(FileError) -> [Element] {
    let size = MemoryLayout<Element>.size
    if let left = self.size, count * size > left { return [] }
    var failure: FileError?
    // The memory is not cleared first, because it is some megabytes for a single search.
    let elements = [Element](unsafeUninitializedCapacity: count) { memory, filled in
      do throws(FileError) { filled = try fill(UnsafeMutableRawBufferPointer(memory)) / size } catch { failure = error }
    }
    if let failure { throw failure }
    return elements.count == count ? elements : []
  }
}

/// The log of changed texts, in the tables `undo_search` and `undo_search_log`, which undo ignores.
///
///     try store.undo { db in try SearchLog.forget(db) }   // the triggers did not see what undo wrote
public enum SearchLog {
  /// A new card has a higher id than all others and is not logged, so adding cards costs nothing. Changed cards are
  /// logged, and new cards with lower ids from elsewhere; the last 4,096 entries are kept. Whoever changes the fields
  /// or tags of a note writes the content of its cards: a trigger on notes, whose index calls a function, would make
  /// SQLite keep a journal for each statement and look at all that the operation has changed.
  static let tables = """
    CREATE TABLE undo_search (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL) STRICT;
    INSERT INTO undo_search VALUES (1, random());
    CREATE TABLE undo_search_log (seq INTEGER PRIMARY KEY AUTOINCREMENT, card INTEGER NOT NULL) STRICT;
    CREATE TRIGGER cards_texts AFTER UPDATE OF content ON cards BEGIN
      INSERT INTO undo_search_log (card) VALUES (NEW.id);
      DELETE FROM undo_search_log WHERE seq <= (SELECT max(seq) FROM undo_search_log) - 4096;
    END;
    """

  /// The state of the cards that an index knows.
  struct State: Equatable {
    var epoch: Int64 = 0
    /// The highest id that any card has ever had.
    var lastCard: Int64 = 0
    /// The number of the last change.
    var lastChange: Int64 = 0
  }

  static func state(_ db: Database) throws -> State {
    let sql = """
      SELECT epoch, (SELECT seq FROM sqlite_sequence WHERE name = 'cards'),
        (SELECT seq FROM sqlite_sequence WHERE name = 'undo_search_log') FROM undo_search
      """
    return try db.firstRow(sql) { State(epoch: $0.integer(0), lastCard: $0.integer(1), lastChange: $0.integer(2)) }
      ?? State()
  }

  /// The cards that have changed between two states; nil if the log does not reach back that far.
  static func changes(_ db: Database, from old: State, to new: State) throws -> [Int64]? {
    guard old.epoch == new.epoch, old.lastCard <= new.lastCard, old.lastChange <= new.lastChange else { return nil }
    let logged = try db.rows("SELECT card FROM undo_search_log WHERE seq > ?", [old.lastChange]) { $0.integer(0) }
    return Int64(logged.count) == new.lastChange - old.lastChange ? logged : nil
  }

  /// Logs new cards with ids lower than those of others.
  static func note(_ db: Database, _ cards: [Int64]) throws {
    if cards.count > logLimit { return try forget(db) }
    try db.run("INSERT INTO undo_search_log (card) SELECT value FROM json_each(?)", [CardTable.list(cards)])
  }

  static let logLimit = 1000

  /// Makes all search indexes invalid.
  public static func forget(_ db: Database) throws { try db.execute(sql: "UPDATE undo_search SET epoch = random()") }
}
