// Stores the search index in a file beside the database, so that the first search of a process does not read every
// card.
// Invariant: the file is only a copy. If it cannot be read, is damaged or comes from another version, it is made
// again; if it cannot be written, there is none.

import Files
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
