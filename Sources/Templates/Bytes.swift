// Searching bytes in place. Invariant: nothing here reads beyond the slice, and every search is a single pass.

package typealias Bytes = [UInt8]

extension ArraySlice<UInt8> {
  /// Returns the index of the needle at or after `start`; nil if it does not occur.
  package func position(of needle: StaticString, from start: Int) -> Int? {
    let count = needle.utf8CodeUnitCount
    guard count > 0, start >= startIndex, endIndex - start >= count else { return nil }
    let first = needle.utf8Start[0]
    return withUnsafeBufferPointer { bytes in
      var index = start - startIndex
      let last = bytes.count - count
      while index <= last {
        if bytes[index] == first {
          var matched = 1
          while matched < count, bytes[index + matched] == needle.utf8Start[matched] { matched += 1 }
          if matched == count { return startIndex + index }
        }
        index += 1
      }
      return nil
    }
  }

  package func begins(with prefix: StaticString, at start: Int? = nil) -> Bool {
    let start = start ?? startIndex
    guard endIndex - start >= prefix.utf8CodeUnitCount else { return false }
    for offset in 0..<prefix.utf8CodeUnitCount where self[start + offset] != prefix.utf8Start[offset] { return false }
    return true
  }

  /// Like `begins(with:at:)`, ignoring ASCII case; the prefix must be in lower case.
  func beginsIgnoringCase(with prefix: StaticString, at start: Int) -> Bool {
    guard start >= startIndex, endIndex - start >= prefix.utf8CodeUnitCount else { return false }
    for offset in 0..<prefix.utf8CodeUnitCount where asciiLowered(self[start + offset]) != prefix.utf8Start[offset] {
      return false
    }
    return true
  }

  package var text: String { String(decoding: self, as: UTF8.self) }
}

extension [UInt8] {
  package var text: String { String(decoding: self, as: UTF8.self) }

  package mutating func add(_ text: String) { append(contentsOf: text.utf8) }
}

/// Finds the next occurrence of a byte for a scan that only moves forward, so that each byte is read once.
struct NextByte {
  private let wanted: UInt8
  private var known = -1

  init(_ wanted: UInt8) { self.wanted = wanted }

  /// Nil if the byte does not occur at or after `start`.
  mutating func next(_ bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
    if known < start { known = bytes.dropFirst(start - bytes.startIndex).firstIndex(of: wanted) ?? bytes.endIndex }
    return known < bytes.endIndex ? known : nil
  }
}

func asciiLowered(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }

func isASCIILetter(_ byte: UInt8) -> Bool { (97...122).contains(asciiLowered(byte)) }
