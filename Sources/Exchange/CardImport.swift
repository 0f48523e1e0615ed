// Putting the cards of a file into a deck, row by row.
// Invariant: a broken file throws and the caller's operation takes everything back; a bad row is refused and listed;
// memory does not grow with the file.

public import Decks
public import Files
public import GRDB
import Problems

/// How a file of cards is imported.
///
///     var options = ImportOptions()
///     (options.format, options.onDuplicate) = (.csv, .update)
public struct ImportOptions: Sendable {
  /// nil: by the file's ending.
  public var format: CardFormat?
  public var encoding = TextEncoding.utf8
  public var onDuplicate = OnDuplicate.skip
  /// The first row that is refused ends the import with nothing imported.
  public var isStrict = false

  public init() {}
}

/// An import under way: made, run and left inside one operation.
///
///     let work = CardImport(db, into: deck, options: ImportOptions(), now: now, random: random)
///     let report = try work.run("cards.csv")
public final class CardImport {
  private let db: Database
  private let deck: DeckID
  private let options: ImportOptions
  private let now: Double
  private let random: () -> UInt64
  /// The batch of each deck that cards went to, by its name within the one that is imported into.
  private var batches: [String: CardBatch] = [:]
  private var report = AddReport()
  private var rowCount = 0

  /// - Parameters:
  ///   - now: seconds since 1970, the time of creation of all.
  ///   - random: 64 random bits a call, for the guids of cards without one.
  public init(_ db: Database, into deck: DeckID, options: ImportOptions, now: Double, random: @escaping () -> UInt64) {
    self.db = db
    self.deck = deck
    self.options = options
    self.now = now
    self.random = random
  }

  /// Reads the file to its end. Cards go on top in the order of the file. `index` of a rejection counts rows of data.
  /// - Parameters:
  ///   - kinds: which files are read: others than plain ones only where the user typed the path.
  ///   - isInterrupted: asked while the file is waited for; true gives up.
  ///   - progress: called every 64 KiB; what it throws ends the import.
  /// - Throws: `ExchangeError` for a broken file, `FileError` for one that cannot be read.
  public func run(
    _ path: String, _ kinds: FileKinds = .plain, isInterrupted: @escaping () -> Bool = { false },
    progress: @escaping ImportProgress = { _, _ in }
  ) throws -> AddReport {
    let format = if let given = options.format { given } else { try CardFormat(ofPath: path) }
    let source = try ByteSource(
      path: path, kinds, encoding: options.encoding, isInterrupted: isInterrupted, progress: progress)
    let rows: any CardRows =
      switch format {
      case .json: JSONCards(source)
      case .csv: TableCards(source, separator: UInt8(ascii: ","))
      case .tsv: TableCards(source, separator: UInt8(ascii: "\t"))
      case .apkg, .colpkg: throw ExchangeError.notHere(format: format)
      }
    var row = CardRow()
    while try rows.next(into: &row) {
      rowCount += 1
      try add(row, path)
    }
    return report
  }

  private func add(_ row: CardRow, _ path: String) throws {
    if let reason = row.invalidReason { return try refuse(row, reason.code, reason.message, path) }
    let batch: CardBatch
    do {
      batch = try self.batch(within: row.subdeck)
    } catch let error as DeckError where error.report.code == .failure(.badName) {
      return try refuse(row, .failure(.badName), error.message, path)
    }
    try row.withBytes { bytes in
      let card: CheckedCard
      do throws(DeckError) {
        card = try CheckedCard(bytes)
      } catch {
        return try refuse(row, error.report.code, error.message, path)
      }
      do {
        report.count(try batch.write(card))
      } catch let error as NoteError {
        try refuse(row, error.report.code, error.message, path)
      }
    }
  }

  private func refuse(_ row: CardRow, _ code: ProblemCode, _ message: String, _ path: String) throws {
    let place = RowPlace(line: row.line, column: row.column, element: row.column.map { _ in rowCount })
    if options.isStrict { throw ExchangeError.refusedRow(path: path, place: place, code: code, reason: message) }
    report.reject(Rejection(index: rowCount, place: place, code: code, message: message))
  }

  /// A deck within the one that is imported into is made when it is missing.
  private func batch(within name: String) throws -> CardBatch {
    if let known = batches[name] { return known }
    var target = deck
    if !name.isEmpty {
      target = try DeckTable.ensure(db, name, within: deck, now: now).id
    }
    let made = try CardBatch(db, deck: target, onDuplicate: options.onDuplicate, now: now, random: random)
    batches[name] = made
    return made
  }
}

extension CardRow {
  /// Lends the row's bytes as a card to be written.
  fileprivate func withBytes(_ body: (CardBytes) throws -> Void) throws {
    try (prompt ?? []).withUnsafeBufferPointer { prompt in
      try (answer ?? []).withUnsafeBufferPointer { answer in
        try guid.withUnsafeBufferPointer { guid in
          try body(
            CardBytes(prompt: prompt, answer: answer, guid: guid, tags: tags, fields: fields, document: document))
        }
      }
    }
  }
}
