// How many marks may follow one letter. Swift compares, sorts and hashes text by its normal form, for which the marks
// in a row are sorted by insertion: eighty thousand in a row take more than a second for one comparison, a million ten
// minutes. Invariant: what passes here is normalised and compared in time that grows with its length only.

/// Marks in a row that text may have. Unicode's Stream-Safe Text Format (UAX 15, section 13) goes by 30.
public let longestMarkRun = 128

/// Whether more than `longestMarkRun` combining marks stand in a row of well-formed UTF-8: no writing needs them.
public func hasEndlessMarks(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
  // Each mark has two bytes or more, and none is ASCII, so that most texts need no decoding.
  if bytes.count <= 2 * longestMarkRun { return false }
  let words = UnsafeRawBufferPointer(bytes)
  var (run, place) = (0, 0)
  while place < bytes.count {
    if run == 0, place + 8 <= bytes.count,
      words.loadUnaligned(fromByteOffset: place, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
    {
      place += 8
      continue
    }
    run = bytes[place] < 0x80 ? 0 : run + 1
    if run > 2 * longestMarkRun { return hasEndlessMarks(decoding: bytes) }
    place += 1
  }
  return false
}

/// The same of a string.
public func hasEndlessMarks(_ text: String) -> Bool {
  var text = text
  return text.withUTF8 { hasEndlessMarks($0) }
}

private func hasEndlessMarks(decoding bytes: UnsafeBufferPointer<UInt8>) -> Bool {
  var run = 0
  for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
    guard scalar.value >= 0x300, scalar.properties.canonicalCombiningClass != .notReordered else {
      run = 0
      continue
    }
    run += 1
    if run > longestMarkRun { return true }
  }
  return false
}
