// A dictionary that was indexed once: consecutive entries, and a hash table that finds them by their headwords. It is
// mapped, so opening it costs nothing and a lookup reads a page or two. Invariant: every offset is checked against the
// size of the file before it is used, so a damaged file yields fewer entries and breaks nothing.
//
// The format of a file, all numbers little-endian:
//
//     DHWORDS2
//     entries    kind (1 byte), size of the headword and of the text in bytes (4 bytes each), headword, text
//     slots      8 bytes each, a power of two of them: the upper 24 bits of the key's hash, then the offset of the
//                entry; 0 if empty. The entries of a headword are in the order in which they are shown.
//     end        offset of the slots, number of slots, number of entries (8 bytes each), DHWORDS2

import Files
import Glibc
import Text

/// What an entry says about its headword.
public enum DictionaryEntryKind: UInt8, Sendable {
  case meaning, markup
  /// The text is the lemma of which the headword is a form.
  case form
  /// The text is the frequency of the headword, as the dictionary gives it.
  case frequency
  /// The text is the pronunciation of the headword, as the dictionary writes it.
  case pronunciation
}

/// Returns the hash by which headwords are found: without accents and capitals, whatever the language, and with a dot
/// on each i, because a Turkish I is small without one. The results are then compared by the language's rules.
private func keyHash(_ headword: String) -> UInt64 {
  var (headword, hash): (String, UInt64) = (headword, 0)
  func take(_ key: UnsafeBufferPointer<UInt8>) { hash = damageDigest(UnsafeRawBufferPointer(key), seed: 0) }
  if headword.withUTF8({ withNormalizedPlain($0, .plain, take) }) { return hash }
  let neutral = Language(name: "", title: "", code: "")
  var key = normalize(headword, language: neutral, foldAccents: true).replacing(text: "ı", with: "i")
  key.withUTF8(take)
  return hash
}

private enum IndexFile {
  /// Its last digit increases when the format or the hash of headwords changes.
  static let mark = Array("DHWORDS2".utf8)
  static let entryHead = 9
  static let tail = 32
  static let offsetBits: UInt64 = 40
  static let offsetMask: UInt64 = (1 << offsetBits) - 1
  /// The scores that are distinguished: their ranks fit above an offset.
  static let scores = -(1 << 23)...(1 << 23) - 1
}

/// Writes the entries of a dictionary.
///
///     try DictionaryIndexWriter.write("es-en-mine.words", isInterrupted: { false }) { index in
///       try index.add(.meaning, "gato", "cat")
///     }
public final class DictionaryIndexWriter {
  public static let longestHeadword = 1_000
  public static let longestText = 1 << 18
  /// The most entries that one dictionary may have.
  public static let entryLimit = 30_000_000

  private let sink: FileSink
  private let path: String
  /// An entry's place is its offset, and above that its rank among the entries of its headword, the first being 0.
  private var entries: [(hash: UInt64, place: UInt64)] = []
  /// The number of entries so far, by kind.
  public private(set) var counts: [DictionaryEntryKind: Int] = [:]

  private init(_ sink: FileSink, _ path: String) { (self.sink, self.path) = (sink, path) }

  /// Writes a file completely or not at all.
  /// - Returns: the number of entries of each kind.
  /// - Throws: `FileError`, and what the body throws.
  @discardableResult public static func write(
    _ path: String, isInterrupted: @escaping () -> Bool, _ body: (DictionaryIndexWriter) throws -> Void
  ) throws -> [DictionaryEntryKind: Int] {
    var options = Replacement(isInterrupted: isInterrupted)
    (options.keepsMode, options.followsLinks) = (false, false)
    var counts: [DictionaryEntryKind: Int] = [:]
    try AtomicFile.write(path, options) { sink in
      try sink.append(IndexFile.mark)
      let writer = DictionaryIndexWriter(sink, path)
      try body(writer)
      try writer.finish()
      counts = writer.counts
    }
    return counts
  }

  /// Adds an entry. An entry whose headword or text is empty or too long is skipped.
  /// - Parameter score: of the entries of a headword, the highest score comes first, then the one that is added first.
  public func add(_ kind: DictionaryEntryKind, _ headword: String, _ text: String, score: Int = 0) throws {
    let (head, body) = (headword.utf8.count, text.utf8.count)
    guard (1...Self.longestHeadword).contains(head), (1...Self.longestText).contains(body) else { return }
    guard entries.count < Self.entryLimit else {
      throw DictionaryError.damaged(path: path, reason: "it has more than \(grouped(Self.entryLimit)) entries")
    }
    let scores = IndexFile.scores
    let rank = UInt64(scores.upperBound - min(max(score, scores.lowerBound), scores.upperBound))
    entries.append((keyHash(headword), rank << IndexFile.offsetBits | UInt64(sink.count)))
    counts[kind, default: 0] += 1
    try append(kind.rawValue)
    try append(UInt32(head))
    try append(UInt32(body))
    try sink.append(headword)
    try sink.append(text)
  }

  private func finish() throws {
    var size = 16
    while size < entries.count * 3 / 2 { size *= 2 }
    var slots = [UInt64](repeating: 0, count: size)
    // Inserts in the order of hashes, so that each entry starts its search for a free slot at the previous one.
    entries.sort { ($0.hash, $0.place) < ($1.hash, $1.place) }
    var (last, slot): (UInt64?, Int) = (nil, 0)
    for (hash, place) in entries {
      if hash != last { (last, slot) = (hash, Int(truncatingIfNeeded: hash) & (size - 1)) }
      while slots[slot] != 0 { slot = (slot + 1) & (size - 1) }
      slots[slot] = hash & ~IndexFile.offsetMask | place & IndexFile.offsetMask
    }
    let (start, count) = (UInt64(sink.count), UInt64(entries.count))
    entries = []
    for slot in slots { try append(slot) }
    for number in [start, UInt64(size), count] { try append(number) }
    try sink.append(IndexFile.mark)
  }

  private func append(_ number: some FixedWidthInteger) throws {
    try withUnsafeBytes(of: number.littleEndian) { try sink.append($0) }
  }
}

final class DictionaryIndex {
  private let file: MappedFile
  private let slots: Range<Int>
  private let mask: Int

  /// - Throws: `FileError`, `DictionaryError.damaged`.
  init(_ path: String) throws {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(path, .open, number: errno) }
    defer { close(descriptor) }
    guard let file = MappedFile(descriptor, path: path, atLeast: IndexFile.mark.count + IndexFile.tail) else {
      throw DictionaryError.damaged(path: path, reason: "it is truncated, or not a file")
    }
    let bytes = file.bytes
    func number(_ place: Int) -> Int? {
      Int(exactly: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
    }
    let tail = bytes.count - IndexFile.tail
    guard bytes.prefix(8).elementsEqual(IndexFile.mark), bytes.suffix(8).elementsEqual(IndexFile.mark),
      let start = number(tail), let size = number(tail + 8), size > 0, size & (size - 1) == 0, size <= bytes.count / 8,
      start >= IndexFile.mark.count, start == tail - size * 8
    else {
      let isOfOtherVersion = bytes.starts(with: IndexFile.mark.dropLast()) && bytes[7] != IndexFile.mark[7]
      throw DictionaryError.damaged(
        path: path,
        reason: isOfOtherVersion
          ? "another version of this program indexed it" : "its footer does not match its content")
    }
    (self.file, slots, mask) = (file, start..<tail, size - 1)
  }

  private var bytes: UnsafeRawBufferPointer { file.bytes }

  private func slot(_ number: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: slots.lowerBound + number * 8, as: UInt64.self))
  }

  /// Returns the entries that a word may lead to, in the writer's order; the caller compares their headwords.
  func entries(of word: String) -> [(kind: DictionaryEntryKind, headword: String, text: String)] {
    let hash = keyHash(word)
    var (number, offsets): (Int, [Int]) = (Int(truncatingIfNeeded: hash) & mask, [])
    // `DictionaryIndexWriter` leaves empty slots. A table without one is damaged, so the loop ends after the last slot.
    for _ in 0...mask {
      let slot = slot(number)
      if slot == 0 || offsets.count > 10_000 { break }
      if slot >> IndexFile.offsetBits == hash >> IndexFile.offsetBits {
        offsets.append(Int(slot & IndexFile.offsetMask))
      }
      number = (number + 1) & mask
    }
    return offsets.compactMap(entry)
  }

  private func size(_ place: Int) -> Int {
    Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)))
  }

  /// Calls `body` with the kind and the headword of each entry, in the order of the file.
  func forEachHeadword(_ body: (DictionaryEntryKind, UnsafeRawBufferPointer) -> Void) {
    var offset = IndexFile.mark.count
    while offset + IndexFile.entryHead <= slots.lowerBound, let kind = DictionaryEntryKind(rawValue: bytes[offset]) {
      let start = offset + IndexFile.entryHead
      let end = start + size(offset + 1)
      offset = end + size(offset + 5)
      guard offset <= slots.lowerBound else { return }
      body(kind, UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
    }
  }

  private func entry(_ offset: Int) -> (kind: DictionaryEntryKind, headword: String, text: String)? {
    guard offset >= IndexFile.mark.count, offset + IndexFile.entryHead <= slots.lowerBound,
      let kind = DictionaryEntryKind(rawValue: bytes[offset])
    else { return nil }
    let (start, head, text) = (offset + IndexFile.entryHead, size(offset + 1), size(offset + 5))
    guard head <= DictionaryIndexWriter.longestHeadword, text <= DictionaryIndexWriter.longestText,
      start + head + text <= slots.lowerBound
    else { return nil }
    func string(_ range: Range<Int>) -> String {
      String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }
    return (kind, string(start..<start + head), string(start + head..<start + head + text))
  }
}
