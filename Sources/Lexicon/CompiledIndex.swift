// A compiled list in memory, mapped from its file or made just now, after its bounds were checked. Invariant: once a
// `CompiledIndex` exists, every section lies inside its bytes, aligned, and holds as many elements as the header says;
// an offset that `bounds` contains may be followed by 256 bytes without leaving the heap. Whoever takes an offset or an
// index out of a section compares it with these bounds before use. So no content of the file, not even one that changes
// while it is mapped, makes a query read outside. A file that is cut short under the mapping reads as zeros there, and
// `isWhole` says so.

import CMapping
import Files
import Glibc

final class CompiledIndex {
  /// What a file must be to be taken for the compiled form of a list.
  struct Expectation {
    let policy: UInt32
    let name: String
  }

  let bytes: UnsafeRawBufferPointer
  /// The file that it is mapped from, as it was then; nil in memory.
  private let file: MappedFile?
  let wordCount: Int
  let offsetBits: UInt32
  let bitmapBits: UInt64
  let planeCount: Int
  let source: SourceStamp
  let report: CompileReport
  let alphabet: Alphabet
  /// Where words may begin in the heap.
  let bounds: HeapBounds
  private let ranges: [Range<Int>]

  /// Takes over a mapping, or memory that was allocated; gives it back when the bytes are no compiled list.
  private init?(bytes: UnsafeRawBufferPointer, file: MappedFile?, expected: Expectation) {
    let header = IndexHeader(bytes: bytes)
    guard let ranges = header.validSections(expected),
      let alphabet = Alphabet(
        encoded: UnsafeRawBufferPointer(rebasing: bytes[ranges[IndexLayout.Section.letters.rawValue]]),
        count: header.integer(.letterCount))
    else {
      Self.release(bytes, isMapped: file != nil)
      return nil
    }
    self.bytes = bytes
    self.file = file
    self.ranges = ranges
    self.alphabet = alphabet
    wordCount = header.integer(.wordCount)
    offsetBits = UInt32(truncatingIfNeeded: header.integer(.offsetBits))
    bitmapBits = UInt64(truncatingIfNeeded: header.integer(.bitmapBits))
    planeCount = header.integer(.planeCount)
    source = header.source
    report = header.report
    bounds = HeapBounds(heapBytes: ranges[IndexLayout.Section.heap.rawValue].count)
  }

  deinit { Self.release(bytes, isMapped: file != nil) }

  private static func release(_ bytes: UnsafeRawBufferPointer, isMapped: Bool) {
    guard let base = bytes.baseAddress else { return }
    if isMapped {
      mapping_end(UnsafeMutableRawPointer(mutating: base), bytes.count)
    } else {
      bytes.deallocate()
    }
  }

  /// A compiled index of bytes that are copied; nil when they are no compiled list of what is expected.
  static func inMemory(_ content: [UInt8], expected: Expectation) -> CompiledIndex? {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(content.count, 1), alignment: 64)
    memory.copyBytes(from: content)
    return CompiledIndex(
      bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[..<content.count]), file: nil,
      expected: expected)
  }

  /// A compiled index of an open file, shared with every process that maps it; nil when it is no compiled list of what
  /// is expected.
  static func mapping(_ descriptor: Int32, of path: String, expected: Expectation) -> CompiledIndex? {
    guard let file = MappedFile(descriptor, path: path), file.size >= IndexLayout.headerBytes,
      let base = mapping_begin(descriptor, file.size)
    else { return nil }
    return CompiledIndex(bytes: UnsafeRawBufferPointer(start: base, count: file.size), file: file, expected: expected)
  }

  /// False once the file under the mapping was cut short or written to: what it answers cannot be trusted then.
  var isWhole: Bool { file?.isUnchanged(orStamped: CompiledFile.stamp(of: checksum)) ?? true }

  var path: String { file?.path ?? "" }

  /// The checksum that the header has.
  var checksum: UInt64 { IndexHeader(bytes: bytes).checksum }

  /// Whether the bytes are those that were written.
  var hasIntactChecksum: Bool { imageChecksum(of: bytes) == checksum }

  /// The elements of a section.
  func elements<Element: BitwiseCopyable>(
    _ section: IndexLayout.Section, as type: Element.Type
  ) -> UnsafeBufferPointer<Element> {
    UnsafeRawBufferPointer(rebasing: bytes[ranges[section.rawValue]]).assumingMemoryBound(to: type)
  }
}

/// A file as it was when it was mapped.
struct MappedFile {
  let path: String
  let size: Int
  private let inode: UInt64
  private let time: Int64

  init?(_ descriptor: Int32, path: String) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    self.path = path
    (size, inode, time) = (Int(status.st_size), UInt64(status.st_ino), nanoseconds(status.st_mtim))
  }

  /// Whether it still is as it was. One that was replaced or removed is whole where it is mapped.
  func isUnchanged(orStamped stamp: timespec) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_ino == inode else { return true }
    let now = nanoseconds(status.st_mtim)
    return Int(status.st_size) == size && (now == time || now == nanoseconds(stamp))
  }
}

/// Reads the header of what may be a compiled list.
struct IndexHeader {
  let bytes: UnsafeRawBufferPointer

  private func load<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: Value.Type) -> Value {
    Value(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
  }

  /// A field of 32 bits.
  func integer(_ field: IndexLayout.Field) -> Int { Int(load(field.rawValue, as: UInt32.self)) }

  var checksum: UInt64 { load(IndexLayout.Field.checksum.rawValue, as: UInt64.self) }

  var source: SourceStamp {
    SourceStamp(
      bytes: load(IndexLayout.Field.sourceBytes.rawValue, as: UInt64.self),
      time: load(IndexLayout.Field.sourceTime.rawValue, as: Int64.self),
      hash: load(IndexLayout.Field.sourceHash.rawValue, as: UInt64.self))
  }

  var report: CompileReport {
    var report = CompileReport()
    report.kept = integer(.wordCount)
    for reason in DropReason.allCases {
      report[reason] = Int(load(IndexLayout.Field.dropCounts.rawValue + reason.rawValue * 4, as: UInt32.self))
    }
    return report
  }

  /// The sections' ranges, when the header is of this version and policy and all that it claims fits the bytes.
  func validSections(_ expected: CompiledIndex.Expectation) -> [Range<Int>]? {
    guard bytes.count >= IndexLayout.headerBytes,
      load(IndexLayout.Field.magic.rawValue, as: UInt64.self) == IndexLayout.magic,
      integer(.version) == Int(IndexLayout.version), integer(.policy) == Int(expected.policy),
      load(IndexLayout.Field.totalBytes.rawValue, as: UInt64.self) == UInt64(bytes.count)
    else { return nil }
    var ranges: [Range<Int>] = []
    for section in IndexLayout.Section.allCases {
      guard let range = range(of: section) else { return nil }
      ranges.append(range)
    }
    let name = bytes[ranges[IndexLayout.Section.name.rawValue]]
    return name.elementsEqual(expected.name.utf8) && fits(ranges.map(\.count)) ? ranges : nil
  }

  private func range(of section: IndexLayout.Section) -> Range<Int>? {
    let field = IndexLayout.Field.sections.rawValue + section.rawValue * 16
    guard let start = Int(exactly: load(field, as: UInt64.self)),
      let count = Int(exactly: load(field + 8, as: UInt64.self)),
      start >= IndexLayout.headerBytes, start % 64 == 0, start <= bytes.count, count <= bytes.count - start
    else { return nil }
    return start..<start + count
  }

  /// Whether the sections are as long as the header's numbers ask.
  private func fits(_ sizes: [Int]) -> Bool {
    func size(_ section: IndexLayout.Section) -> Int { sizes[section.rawValue] }
    let words = integer(.wordCount)
    let step = IndexLayout.sampleStep
    let bits = integer(.bitmapBits)
    let letters = integer(.letterCount)
    return words > 0 && words <= size(.heap) && size(.heap) > IndexLayout.headBytes + IndexLayout.guardBytes
      && size(.heap) <= Int(UInt32.max) && (8...31).contains(integer(.offsetBits))
      && size(.table) >= 64 && size(.table) % 64 == 0 && size(.anagrams) == (words + AnagramTable.stride) * 8
      && size(.buckets) == (AnagramTable.buckets(for: words) + 1) * 4
      && (6...40).contains(bits) && size(.bitmap) == 1 << (bits - 3)
      && size(.samples) == (words + step - 1) / step * 4
      && size(.blocks) == IndexLayout.blockCount * IndexLayout.blockFields * 4
      && letters > 0 && integer(.planeCount) == Int.bitWidth - letters.leadingZeroBitCount
      && size(.planes) % 8 == 0
  }
}
