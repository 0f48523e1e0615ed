// Readers of untrusted files: texts, cards, documents, archives, frames of the helper programs. Invariant: a target
// uses the program's own readers; nothing remains between two inputs.

import Archives
import CardDocuments
import Decks
import FuzzDriver
import Glibc
import Templates
import Values
import Wire

@main struct Main {
  static func main() throws {
    let folder = FuzzFolder()
    let cards = try CardFiles(folder)
    exit(
      try fuzz(
        texts + archives(folder) + cards.targets + texts(of: folder)
          + dictionaries(of: folder)))
  }
}

/// Formats that are parsed from bytes in memory.
private var texts: [FuzzTarget] {
  [
    FuzzTarget("json") { bytes in
      let limits = JSONLimits(bytes: 1 << 20, depth: 40, values: 10_000, string: 100_000)
      let value = try JSONParser.parse(bytes, limits: limits)
      let written = JSONWriter.bytes(of: value)
      hold(
        try JSONParser.parse(written, limits: JSONLimits(bytes: 8 << 20, depth: 40, values: 10_000, string: 1 << 20))
          == value, "written JSON is another value")
    },
    FuzzTarget("rwcard") { bytes in
      let document = try CardDocument(reading: bytes, file: "a.rwcard")
      _ = document.problems()
      let again = try CardDocument(reading: document.encoded, file: "b.rwcard")
      hold(again.encoded == document.encoded, "a document that was written is read as another")
    },
    FuzzTarget("template") { bytes in
      let parts = parts(bytes)
      guard parts.count > 2 else { return }
      let texts = parts.map { String(decoding: $0.bytes, as: UTF8.self) }
      let fields = NoteFields(names: ["Front", "Back"], values: [texts[1], texts.count > 3 ? texts[3] : "b"])
      let (front, back) = (try Template(texts[0]), try Template(texts[2]))
      for isForTerminal in [false, true] {
        let sides = CardSides(fields: fields, ordinal: 0, isForTerminal: isForTerminal, isInterrupted: { false })
        _ = try sides.back(back, frontSide: sides.front(front))
      }
      try study(fields, CardTemplate("Card 1", front: texts[0], back: texts[2]))
    },
    FuzzTarget("drawing") { bytes in
      if let request = decoded({ try DrawRequest(decoding: bytes) }) {
        hold(decoded({ try DrawRequest(decoding: request.encoded) }) != nil, "a request that was written is not read")
      }
      if let answer = decoded({ try DrawAnswer(decoding: bytes) }) {
        hold(decoded({ try DrawAnswer(decoding: answer.encoded) }) != nil, "an answer that was written is not read")
      }
    },
    FuzzTarget("frames") { bytes in
      let limits = JSONLimits(bytes: 1 << 20, depth: 40, values: 10_000, string: 100_000)
      let head = try JSONParser.parse(bytes, limits: limits)
      if let request = SyncRequest(head) {
        hold(SyncRequest(request.value) != nil, "a call that was written is not read")
      }
      if let reply = SyncReply(head) { hold(SyncReply(reply.value) != nil, "a reply that was written is not read") }
      if let request = ClientRequest(head) { hold(ClientRequest(request.value) == request, "a request changes") }
      if let reply = ClientReply(head) { hold(ClientReply(reply.value) == reply, "a reply changes") }
      if let request = ListenRequest(head) { hold(ListenRequest(request.value) == request, "a start changes") }
      if let reply = ListenReply(head) { hold(ListenReply(reply.value) == reply, "a start's reply changes") }
    },
  ]
}

/// Asks for what is shown of the cards of a note in study and on pages, and renames what its template names.
private func study(_ fields: NoteFields, _ card: CardTemplate) throws {
  for isCloze in [false, true] {
    let draft = NoteTypeDraft(name: "Type", fields: ["Front", "Back"], cards: [card], isCloze: isCloze)
    let maker = NoteCardMaker(NoteType(draft, id: NoteTypeID(rawValue: 1), modified: 0), isInterrupted: { false })
    let facts = maker.facts(tags: [], deckName: "A::B", subdeckName: "B")
    for ordinal in maker.ordinals(fields).prefix(3) {
      let answer = try maker.texts(fields, facts, ordinal: ordinal).answer
      let html = try maker.html(fields, facts, ordinal: ordinal, isForTerminal: true)
      hold(CardDrawing(html.back.text).words.utf8.allSatisfy { $0 != 0x1B }, "a card can move the cursor")
      if let asked = maker.typedQuestion(fields, ordinal: ordinal) {
        let typed = String(answer.prefix(500))
        _ = WordComparison(given: typed, expected: asked.expected, ignoresAccents: asked.ignoresAccents) { _ in false }
      }
    }
  }
  for html in [card.front, card.back] {
    _ = Template.renaming(["Front": "F"], in: Template.removing(["Back"], in: html))
    for name in MediaNames.inHTML(html).prefix(3) { _ = MediaNames.renaming(name, to: "b.png", in: html) }
  }
}

private func decoded<T>(_ body: () throws -> T) -> T? {
  do { return try body() } catch { return nil }
}

/// Archives: their content, and the container itself.
private func archives(_ folder: FuzzFolder) -> [FuzzTarget] {
  [
    FuzzTarget("plugin-package") { bytes in
      var limits = PackedLimits()
      (limits.packed, limits.unpacked) = (1 << 16, 1 << 18)
      for file in [bytes, gzipFile(bytes)] {
        guard let files = decoded({ try PackedFiles(unpacking: file, path: "a.tar.gz", limits: limits) }) else {
          continue
        }
        let packed = try files.packed(as: "b.tar.gz")
        hold(try PackedFiles(unpacking: packed, path: "b.tar.gz") == files, "packed again it is another")
      }
    },
    FuzzTarget("zstd", zstd),
    FuzzTarget("tar") { bytes in
      var packed: [UInt8] = []
      let frames = try FrameWriter(level: 1)
      try bytes.withUnsafeBytes { try frames.feed($0, isLast: true) { packed += $0 } }
      folder.write(packed, to: "a.tar.zst")
      let archive = try ArchiveReader(folder.file("a.tar.zst"), isInterrupted: { false })
      while let entry = try archive.next() {
        hold(!entry.name.hasPrefix("/") && !entry.name.split(separator: "/").contains(".."), "\(entry.name) leads out")
        _ = try archive.read()
      }
    },
  ]
}

/// Compressed frames of the first part of an input, changed as the second part says, or the input itself: the result
/// is the same whether they are fed whole or in pieces. The content is the first part without its first two bytes: one
/// says how often the content is repeated, so that it fills the output buffer, the other how long the pieces are.
private func zstd(_ bytes: [UInt8]) throws {
  let parts = parts(bytes).map { Array($0.bytes) }
  guard let first = parts.first, first.count > 2 else {
    hold(unpacked(bytes, by: bytes.count) == unpacked(bytes, by: 1), "in pieces it is another")
    return
  }
  let content = [[UInt8]](repeating: Array(first[2...]), count: 1 << (first[0] % 8)).flatMap(\.self)
  let writer = try FrameWriter(level: 1, hasCheckSum: first[0] > 0x7F)
  var packed: [UInt8] = []
  try content.withUnsafeBytes { try writer.feed($0, isLast: true) { packed += $0 } }
  hold(unpacked(packed, by: packed.count) == content, "unpacked it is another")
  if parts.count > 1 { packed = edited(packed, by: parts[1]) }
  hold(unpacked(packed, by: packed.count) == unpacked(packed, by: 1 + Int(first[1])), "in pieces it is another")
}

/// Returns the data decompressed in pieces of `count` bytes; nil if it is refused.
private func unpacked(_ packed: [UInt8], by count: Int) -> [UInt8]? {
  decoded {
    let frames = try FrameReader(limit: UnpackedLimit(bytes: 1 << 21))
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: packed.count, by: max(1, count)) {
      let piece = packed[start..<min(packed.count, start + count)]
      try piece.withUnsafeBytes { try frames.feed($0) { bytes += $0 } }
    }
    try frames.finish()
    return bytes
  }
}
