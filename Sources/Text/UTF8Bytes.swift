// Questions about the bytes of a text: whether they are UTF-8, and which of them are white space.
// Invariant: nothing here creates a String; bytes that pass are well-formed UTF-8 without NUL.

/// Returns whether a byte is a space, a tab, a line end, a vertical tab or a form feed.
@inlinable @inline(__always) public func isASCIISpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte &- 9 < 5 }

extension Collection<UInt8> {
  /// The bytes without the UTF-8 byte order mark that some programs write at the beginning of a text.
  @inlinable public var withoutMark: SubSequence { starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self[...] }
}

/// Returns the offset of the first byte that is NUL or not part of well-formed UTF-8 (Unicode, table 3-7).
public func firstInvalidByte(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
  var index = 0
  let count = bytes.count
  while index < count {
    let byte = bytes[index]
    if byte < 0x80 {
      if byte == 0 { return index }
      index += 1
      continue
    }
    let length = sequenceLength(bytes, index)
    if length == 0 { return index }
    index += length
  }
  return nil
}

/// Returns the length of the sequence of two to four bytes at `index`, or 0 if it is not well formed.
private func sequenceLength(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Int {
  func continues(_ offset: Int, _ low: UInt8 = 0x80, _ high: UInt8 = 0xBF) -> Bool {
    index + offset < bytes.count && bytes[index + offset] >= low && bytes[index + offset] <= high
  }
  switch bytes[index] {
  case 0xC2...0xDF: return continues(1) ? 2 : 0
  case 0xE0: return continues(1, 0xA0) && continues(2) ? 3 : 0
  case 0xED: return continues(1, 0x80, 0x9F) && continues(2) ? 3 : 0
  case 0xE1...0xEF: return continues(1) && continues(2) ? 3 : 0
  case 0xF0: return continues(1, 0x90) && continues(2) && continues(3) ? 4 : 0
  case 0xF1...0xF3: return continues(1) && continues(2) && continues(3) ? 4 : 0
  case 0xF4: return continues(1, 0x80, 0x8F) && continues(2) && continues(3) ? 4 : 0
  default: return 0
  }
}
