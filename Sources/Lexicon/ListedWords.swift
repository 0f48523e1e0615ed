// Words that were found, as offsets in the list, so that no String is made for callers that need only the bytes.
// Invariant: the bounds of the compiled index contain every offset.

public struct ListedWords {
  let lexicon: Lexicon
  let offsets: [UInt32]

  public var count: Int { offsets.count }

  /// Calls `body` with the UTF-8 of each word.
  public func forEach(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
    for offset in offsets { try body(lexicon.bytes(at: offset)) }
  }

  public var texts: [String] { offsets.map(lexicon.word(at:)) }
}
