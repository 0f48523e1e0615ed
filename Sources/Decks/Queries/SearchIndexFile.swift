// The index for searching as a file beside the database, so that the first search of a process does not read every
// card.
// Invariant: it is only ever a copy: what cannot be read, is damaged or of another program is made again, and what
// cannot be written is left away.

import Files
import Text

extension SearchIndex {
  private static let magic: [UInt8] = Array("DHSEARCH".utf8)
  private static let version: Int64 = 1
  private static let headerNumbers = 7
  private static let mostRows = 16 << 20

  /// Reads an index; false when there is none that is whole.
  func load(_ path: String) -> Bool {
    do throws(FileError) {
      return try loaded(ByteFile(path, followingLinks: false, isInterrupted: isNeverInterrupted))
    } catch {
      // Searching reads the cards then, and writes the file anew.
      return false
    }
  }

  private func loaded(_ file: ByteFile) throws(FileError) -> Bool {
    guard try file.elements(Self.magic.count, UInt8.self) == Self.magic else { return false }
    let header = try file.elements(Self.headerNumbers, Int64.self)
    guard header.count == Self.headerNumbers, header[0] == Self.version, (0...Int64(Self.mostRows)).contains(header[4]),
      (0...Int64(Self.mostBytes)).contains(header[5])
    else { return false }
    let (rows, bytes) = (Int(header[4]), Int(header[5]))
    let cards = try file.elements(rows, Int64.self)
    let ends = try file.elements(rows * Self.cellsPerRow, UInt32.self)
    let texts = try file.elements(bytes, UInt8.self)
    guard cards.count == rows, ends.count == rows * Self.cellsPerRow, texts.count == bytes else { return false }
    guard Self.isSound(ends, texts.count),
      Self.digest(header.dropLast(), cards, ends, texts) == UInt64(bitPattern: header[6])
    else { return false }
    replace(cards: cards, ends: ends, texts: texts)
    state = SearchLog.State(epoch: header[1], lastCard: header[2], lastChange: header[3])
    return true
  }

  /// Cells follow each other, with a byte between two, to the end of the texts.
  private static func isSound(_ ends: [UInt32], _ count: Int) -> Bool {
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

  /// Writes the index for the next process. The folder may be read only, or full: then that one reads the cards itself.
  func save(_ path: String) {
    tidy()
    readCount = 0
    var header = [
      Self.version, state.epoch, state.lastCard, state.lastChange, Int64(cards.count), Int64(texts.count),
    ]
    header.append(Int64(bitPattern: Self.digest(header[...], cards, ends, texts)))
    // Of two processes that write at once one file is kept; a mixture of both would be found damaged.
    var options = Replacement.ofOurs(temporaryName: ".search-new")
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
      // Nothing depends on it.
    }
  }
}

extension ByteFile {
  /// So many numbers, as this machine has them in memory; fewer at the end of the file.
  fileprivate func elements<Element: FixedWidthInteger & BitwiseCopyable>(
    _ count: Int, _ type: Element.Type
  ) throws(FileError) -> [Element] {
    let size = MemoryLayout<Element>.size
    if let left = self.size, count * size > left { return [] }
    var failure: FileError?
    // Memory that is not cleared first: it is some megabytes, for one search.
    let elements = [Element](unsafeUninitializedCapacity: count) { memory, filled in
      do throws(FileError) { filled = try fill(UnsafeMutableRawBufferPointer(memory)) / size } catch { failure = error }
    }
    if let failure { throw failure }
    return elements.count == count ? elements : []
  }

  /// - Returns: how many bytes there were.
  private func fill(_ memory: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
    var done = 0
    while done < memory.count {
      let added = try read(into: UnsafeMutableRawBufferPointer(rebasing: memory[done...]))
      if added == 0 { break }
      done += added
    }
    return done
  }
}
