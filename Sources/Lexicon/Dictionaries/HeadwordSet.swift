// The words of dictionaries as hashes of 64 bits (FNV-1a): 200,000 words take 8 MB. Invariant: a listed word is always
// found; another one is taken for listed once in 10^13 questions.

/// Words that are found by their bytes.
///
///     var words = HeadwordSet()
///     words.insert("学生".utf8)
///     words.contains("学生")   // true
public struct HeadwordSet: Sendable {
  /// The hash of no bytes.
  public static let start: UInt64 = 0xCBF2_9CE4_8422_2325
  private var hashes: Set<UInt64> = []

  public init() {}

  public var isEmpty: Bool { hashes.isEmpty }
  public mutating func insert(_ word: some Sequence<UInt8>) { hashes.insert(word.reduce(Self.start, Self.extended)) }
  public func contains(_ word: String) -> Bool { contains(hash: word.utf8.reduce(Self.start, Self.extended)) }
  public func contains(hash: UInt64) -> Bool { hashes.contains(hash) }

  /// Returns the hash of a word with one more byte.
  @inlinable public static func extended(_ hash: UInt64, by byte: UInt8) -> UInt64 {
    (hash ^ UInt64(byte)) &* 0x100_0000_01B3
  }
}
