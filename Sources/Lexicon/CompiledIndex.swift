// A compiled list in memory, mapped from its file or just built, with checked bounds. Invariant: once a `CompiledIndex`
// exists, every section lies inside its bytes, is aligned, and has as many elements as the header says; the 256 bytes
// after an offset that `bounds` contains are inside the heap. Code that takes an offset or an index from a section
// compares it with these bounds before use. So no content of the file, even if it changes while it is mapped, makes a
// query read outside. If it is truncated meanwhile, the missing part reads as zeros, and `isWhole` is false.

import Files

final class CompiledIndex {
  /// What the header must say for a file to be accepted as the compiled form of a list.
  struct Expectation {
    let policy: UInt32
    let name: String
  }

  let bytes: UnsafeRawBufferPointer
  /// The mapped file, as it was when it was mapped; nil in memory.
  let file: MappedFile?
  let wordCount: Int
  let offsetBits: UInt32
  let bitmapBits: UInt64
  let planeCount: Int
  let source: ListStamp
  let report: CompileReport
  let alphabet: Alphabet
  /// The offsets at which words may begin in the heap.
  let bounds: HeapBounds
  private let ranges: [Range<Int>]

  /// Nil if the bytes are not the expected compiled list.
  /// - Parameter file: nil for allocated memory, which the object then owns.
  private init?(bytes: UnsafeRawBufferPointer, file: MappedFile?, expected: Expectation) {
    let header = IndexHeader(bytes: bytes)
    guard let ranges = header.validSections(expected),
      let alphabet = Alphabet(
        encoded: UnsafeRawBufferPointer(rebasing: bytes[ranges[IndexLayout.Section.letters.rawValue]]),
        count: header.integer(.letterCount))
    else { return nil }
    (self.bytes, self.file, self.ranges, self.alphabet) = (bytes, file, ranges, alphabet)
    wordCount = header.integer(.wordCount)
    offsetBits = UInt32(truncatingIfNeeded: header.integer(.offsetBits))
    bitmapBits = UInt64(truncatingIfNeeded: header.integer(.bitmapBits))
    planeCount = header.integer(.planeCount)
    source = header.source
    report = header.report
    bounds = HeapBounds(heapBytes: ranges[IndexLayout.Section.heap.rawValue].count)
  }

  deinit {
    if file == nil { bytes.deallocate() }
  }

  /// Copies the bytes and returns their compiled index; nil if they are not the expected compiled list.
  static func inMemory(_ content: [UInt8], expected: Expectation) -> CompiledIndex? {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(content.count, 1), alignment: 64)
    memory.copyBytes(from: content)
    let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory)[..<content.count])
    let compiled = CompiledIndex(bytes: bytes, file: nil, expected: expected)
    if compiled == nil { memory.deallocate() }
    return compiled
  }

  /// Maps an open file, in memory that all processes that map it share; nil if it is not the expected compiled list.
  static func mapping(_ descriptor: Int32, of path: String, expected: Expectation) -> CompiledIndex? {
    MappedFile(descriptor, path: path, atLeast: IndexLayout.headerBytes).flatMap {
      CompiledIndex(bytes: $0.bytes, file: $0, expected: expected)
    }
  }

  /// False once the mapped file was truncated or written to: its answers can no longer be trusted.
  var isWhole: Bool { file?.isUnchanged(orStamped: CompiledFile.stamp(of: checksum)) ?? true }

  var path: String { file?.path ?? "" }

  var checksum: UInt64 { IndexHeader(bytes: bytes).checksum }

  func elements<Element: BitwiseCopyable>(
    _ section: IndexLayout.Section, as type: Element.Type
  ) -> UnsafeBufferPointer<Element> {
    UnsafeRawBufferPointer(rebasing: bytes[ranges[section.rawValue]]).assumingMemoryBound(to: type)
  }
}

/// Decodes the header of bytes that may be a compiled list.
struct IndexHeader {
  let bytes: UnsafeRawBufferPointer

  private func load<Value: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: Value.Type) -> Value {
    Value(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
  }

  func integer(_ field: IndexLayout.Field) -> Int { Int(load(field.rawValue, as: UInt32.self)) }

  var checksum: UInt64 { load(IndexLayout.Field.checksum.rawValue, as: UInt64.self) }

  var source: ListStamp {
    ListStamp(
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

  /// Returns the ranges of the sections if the header has this version and policy and fits the bytes.
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

  /// Returns whether the sections have the sizes that the numbers of the header require.
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
