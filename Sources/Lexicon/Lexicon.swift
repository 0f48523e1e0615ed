// The words of one language in a compact form that is fast to search, and the queries on them.
// Invariant: immutable once created. Lists of words have one order everywhere: longest first, then by code point.

/// A compiled word list. All words are in normal form (`normalize`), and queries expect their arguments in it.
///
///     let lexicon = try library.lexicon(for: spanish)
///     lexicon.contains("perro")         // true
///     lexicon.formableWords(from: "perro").texts   // the words that its letters make
public final class Lexicon {
  public let language: Language
  /// The name of the language, or the name under which the list was loaded.
  public let name: String
  /// The number of words.
  public let count: Int
  /// What happened to the lines of the list.
  public let report: CompileReport
  /// Whether the words have lost their accents, except in letters of their own.
  public let foldsAccents: Bool
  /// Whether this lexicon is mapped from a compiled file (and shared), rather than built in memory.
  public let isMapped: Bool
  /// Whether its file was truncated or written to meanwhile: it must not be queried any more. Set by its library.
  public internal(set) var isDamaged = false
  /// Why its compiled form could not be stored in the cache folder; its words are available. Set by its library.
  public internal(set) var cacheFailure: LexiconError?
  let compiled: CompiledIndex
  let heap: UnsafePointer<UInt8>
  let table: SlotTable
  let anagrams: AnagramTable
  let blocks: [Block]

  init?(_ compiled: CompiledIndex, _ policy: WordPolicy, name: String, isMapped: Bool) {
    guard let heap = compiled.elements(.heap, as: UInt8.self).baseAddress, let table = SlotTable(compiled, .table),
      let anagrams = AnagramTable(compiled), let blocks = Block.all(of: compiled)
    else { return nil }
    (self.compiled, language, foldsAccents) = (compiled, policy.language, policy.foldsAccents)
    (self.name, self.isMapped, count, report) = (name, isMapped, compiled.wordCount, compiled.report)
    (self.heap, self.table, self.anagrams, self.blocks) = (heap, table, anagrams, blocks)
  }

  public var damage: LexiconError { .cutShort(list: name, path: compiled.path) }

  /// Returns whether the list has the word, given as normalised UTF-8.
  public func contains(_ word: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = word.baseAddress, word.count > 0 else { return false }
    guard word.count <= 16 else { return probe(word, hash: WordHash.of(start, word.count)) != 0 }
    let lanes = Lanes(start, word.count)
    return offset(of: word, lanes, hash: WordHash.of(lanes, word.count)) != 0
  }

  /// Returns whether the list has the word, given in normal form.
  public func contains(_ word: String) -> Bool {
    var word = word
    return word.withUTF8 { contains($0) }
  }

  /// The number of bytes that `contains` uses: the words and their table.
  public var membershipBytes: Int {
    compiled.elements(.heap, as: UInt8.self).count + compiled.elements(.table, as: UInt8.self).count
  }

  /// Returns the number of letters of a text that is easily recognised as normal: each of its letters is one scalar and
  /// occurs in some word of the list. Returns nil for any other text, normal or not.
  public func lettersIfNormal(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    // In Greek, the normal form depends on the position of a sigma in the word.
    guard language.letterCase != .finalSigma, !compiled.alphabet.hasMarks else { return nil }
    var letters = 0
    let isNormal = forEachShortScalar(in: text) { value in
      letters += 1
      return compiled.alphabet.simple[value] != 0
    }
    return isNormal ? letters : nil
  }

  public func normalized(_ text: String) -> String { normalize(text, language: language, foldAccents: foldsAccents) }

  /// Returns the offset of a word in the heap, or 0.
  @inline(__always) func offset(of word: UnsafeBufferPointer<UInt8>, hash: UInt64) -> UInt32 {
    guard let start = word.baseAddress, word.count > 0 else { return 0 }
    return word.count <= 16 ? offset(of: word, Lanes(start, word.count), hash: hash) : probe(word, hash: hash)
  }

  /// Does the same for a word of up to 16 bytes. A byte with such a value occurs in the heap only as the length before
  /// a word, so if the bytes at an offset do not differ, a word begins there.
  @inline(__always) private func offset(of word: UnsafeBufferPointer<UInt8>, _ lanes: Lanes, hash: UInt64) -> UInt32 {
    let text = LaneMatch(lanes, word.count)
    let (offset, difference, isOpen) = table.only(hash) { text.difference(heap + Int($0)) }
    if isOpen { return probe(word, hash: hash) }
    return difference == 0 ? offset : 0
  }

  /// Does the same as `offset(of:hash:)`, comparing one word after another.
  @inline(never) private func probe(_ word: UnsafeBufferPointer<UInt8>, hash: UInt64) -> UInt32 {
    var found: UInt32 = 0
    table.probe(hash) { offset in
      guard bytes(at: offset).elementsEqual(word) else { return false }
      found = offset
      return true
    }
    return found
  }

  /// Returns the bytes of the word at an offset that the bounds of the compiled index contain.
  @inline(__always) func bytes(at offset: UInt32) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: heap + Int(offset) + 1, count: Int(heap[Int(offset)]))
  }

  func word(at offset: UInt32) -> String { String(decoding: bytes(at: offset), as: UTF8.self) }

  /// Returns the offset of the word with this index, 0 ..< count; 0 if a damaged file has none.
  func offset(ofIndex index: Int) -> UInt32 {
    let samples = compiled.elements(.samples, as: UInt32.self)
    guard index >= 0, index < count else { return 0 }
    var offset = samples[index / IndexLayout.sampleStep]
    for _ in 0..<index % IndexLayout.sampleStep {
      guard compiled.bounds.contains(offset) else { return 0 }
      offset += 1 + UInt32(heap[Int(offset)])
    }
    return compiled.bounds.contains(offset) ? offset : 0
  }
}

extension SlotTable {
  /// Takes a table section of a checked compiled index.
  init?(_ compiled: CompiledIndex, _ section: IndexLayout.Section) {
    let lines = compiled.elements(section, as: Line.self)
    guard let start = lines.baseAddress, !lines.isEmpty else { return nil }
    self.init(lines: start, lineCount: lines.count, offsetBits: compiled.offsetBits, bounds: compiled.bounds)
  }
}

/// The words of one length, in letters: a range of indices, and their planes.
struct Block {
  let length: Int
  let indices: Range<Int>
  /// The index of the first plane in the section, in 64-bit integers.
  let planes: Int
  /// The number of 64-bit integers of one plane.
  var stride: Int { (indices.count + 63) / 64 }

  /// Returns the blocks of a compiled index that have words, longest words first; nil if they claim more than there is.
  static func all(of compiled: CompiledIndex) -> [Block]? {
    let fields = compiled.elements(.blocks, as: UInt32.self)
    let planeWords = compiled.elements(.planes, as: UInt64.self).count
    var blocks: [Block] = []
    var next = 0
    for length in (0..<IndexLayout.blockCount).reversed() {
      let field = length * IndexLayout.blockFields
      let (first, count, planes) = (Int(fields[field]), Int(fields[field + 1]), Int(fields[field + 2]))
      if count == 0 { continue }
      let block = Block(length: length, indices: first..<first + count, planes: planes)
      guard length > 0, first == next, first + count <= compiled.wordCount,
        planes + block.stride * length * compiled.planeCount <= planeWords
      else { return nil }
      blocks.append(block)
      next = first + count
    }
    return next == compiled.wordCount ? blocks : nil
  }
}

extension Lexicon {
  /// Returns the hash of a word's bytes that membership tests use, for callers that need it more than once.
  public static func hash(of word: UnsafeBufferPointer<UInt8>) -> UInt64 {
    guard let start = word.baseAddress, word.count > 0 else { return 0 }
    return WordHash.of(start, word.count)
  }

  /// Returns the hash of a word of small ASCII letters, which is in normal form in every language; nil for any other.
  public static func hash(ofPlain word: UnsafeBufferPointer<UInt8>) -> UInt64? {
    guard let start = word.baseAddress, word.count > 0 else { return nil }
    if word.count <= 16 {
      let lanes = Lanes(start, word.count)
      return lanes.areSmallLetters(word.count) ? WordHash.of(lanes, word.count) : nil
    }
    return isPlain(word) ? WordHash.of(start, word.count) : nil
  }

  /// Returns whether the list has the word, given as normalised UTF-8 with its `hash(of:)`.
  public func contains(_ word: UnsafeBufferPointer<UInt8>, hash: UInt64) -> Bool { offset(of: word, hash: hash) != 0 }
}
