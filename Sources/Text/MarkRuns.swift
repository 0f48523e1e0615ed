// How many marks may follow one letter. Swift compares, sorts and hashes text by its normal form, for which the marks
// in a row are sorted by insertion: eighty thousand in a row take more than a second for one comparison, a million ten
// minutes. Invariant: what passes here is normalised and compared in time that grows with its length only.

/// Marks in a row that text may have. Unicode's Stream-Safe Text Format (UAX 15, section 13) goes by 30.
public let longestMarkRun = 128

/// The same for well-formed UTF-8 in place.
public func hasEndlessMarks(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
  if bytes.count <= 2 * longestMarkRun { return false }
  // No mark is ASCII, so that most texts need no decoding.
  var run = 0
  for byte in bytes {
    run = byte < 0x80 ? 0 : run + 1
    if run > 2 * longestMarkRun { return hasEndlessMarks(String(decoding: bytes, as: UTF8.self)) }
  }
  return false
}

/// Whether more than `longestMarkRun` combining marks stand in a row: no writing needs them.
public func hasEndlessMarks(_ text: String) -> Bool {
  // Each mark has two bytes or more.
  if text.utf8.count <= 2 * longestMarkRun { return false }
  var run = 0
  for scalar in text.unicodeScalars {
    guard scalar.value >= 0x300, scalar.properties.canonicalCombiningClass != .notReordered else {
      run = 0
      continue
    }
    run += 1
    if run > longestMarkRun { return true }
  }
  return false
}
