// Reads a word list: splits it into lines, rejects what is not UTF-8 text, and passes each line to the normalizer.
// Invariant: whatever bytes a file has, the result is words with a report, or an error about its looks.

import Text

/// Adds the words of a whole list to `collection`. `path` is for messages.
func readList(
  _ bytes: UnsafeBufferPointer<UInt8>, path: String, encoding: ListEncoding, normalizer: WordNormalizer,
  _ isInterrupted: () -> Bool, into collection: inout WordCollection
) throws(LexiconError) {
  var rest = bytes.withoutMark
  if rest.starts(with: [0xFF, 0xFE]) || rest.starts(with: [0xFE, 0xFF]) {
    throw .badList(path: path, reason: "it is UTF-16; save it as UTF-8 (iconv -f utf-16 -t utf-8)")
  }
  if rest.prefix(4096).contains(0) {
    throw .badList(path: path, reason: "it contains NUL bytes; a list must be UTF-8 text with one word per line")
  }
  var lines = 0
  var firstBad = 0
  while !rest.isEmpty {
    let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
    lines += 1
    if lines & 0xFFF == 0, isInterrupted() { throw .interrupted }
    let before = collection.report[.notText]
    addLine(UnsafeBufferPointer(rebasing: rest[rest.startIndex..<end]), encoding, normalizer, &collection)
    if firstBad == 0, collection.report[.notText] > before { firstBad = lines }
    rest = rest[min(end + 1, rest.endIndex)...]
  }
  // A few malformed lines are dropped and counted; more mean that the file is in another encoding.
  if collection.report[.notText] > max(3, lines / 100) {
    throw .badList(
      path: path, reason: "line \(grouped(firstBad)) is not UTF-8 (Latin-1? iconv -f latin1 -t utf-8 converts it)")
  }
}

private func addLine(
  _ line: UnsafeBufferPointer<UInt8>, _ encoding: ListEncoding, _ normalizer: WordNormalizer,
  _ collection: inout WordCollection
) {
  var line = line[...]
  while let last = line.last, isASCIISpace(last) { line.removeLast() }
  while let first = line.first, isASCIISpace(first) { line.removeFirst() }
  guard encoding == .latin1, line.contains(where: { $0 >= 0x80 }), line.count <= 1024 else {
    return collection.add(UnsafeBufferPointer(rebasing: line), by: normalizer)
  }
  var text = String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) }))
  text.withUTF8 { collection.add($0, by: normalizer) }
}
