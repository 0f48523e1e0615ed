// A limit on combining marks after one letter. Swift compares, sorts and hashes text in its normal form, for which
// consecutive marks are sorted by insertion: eighty thousand in a row take more than a second for one comparison, a
// million take ten minutes. Invariant: text that passes is normalised and compared in linear time.

/// The maximum number of consecutive combining marks in a text. Unicode's Stream-Safe Text Format (UAX 15) allows 30.
public let longestMarkRun = 128

/// Whether well-formed UTF-8 has more than `longestMarkRun` consecutive combining marks, which no script needs.
public func hasTooManyMarks(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
  // Each mark has at least two bytes, none of them ASCII, so most texts need no decoding.
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
    if run > 2 * longestMarkRun { return hasTooManyMarks(decoding: bytes) }
    place += 1
  }
  return false
}

/// The same check for a string.
public func hasTooManyMarks(_ text: String) -> Bool {
  var text = text
  return text.withUTF8 { hasTooManyMarks($0) }
}

private func hasTooManyMarks(decoding bytes: UnsafeBufferPointer<UInt8>) -> Bool {
  var run = 0
  for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
    run = isSorted(scalar) ? run + 1 : 0
    if run > longestMarkRun { return true }
  }
  return false
}

/// Returns the text without the marks that are too many in a row.
public func limitingMarks(_ text: String) -> String {
  guard hasTooManyMarks(text) else { return text }
  var (kept, run) = (String.UnicodeScalarView(), 0)
  for scalar in text.unicodeScalars {
    run = isSorted(scalar) ? run + 1 : 0
    if run <= longestMarkRun { kept.append(scalar) }
  }
  return String(kept)
}

/// Whether the normal form sorts it among marks. Three Tibetan vowel signs are no marks, but decompose into two.
private func isSorted(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x300: false
  case 0xF73, 0xF75, 0xF81: true
  default: scalar.properties.canonicalCombiningClass != .notReordered
  }
}
