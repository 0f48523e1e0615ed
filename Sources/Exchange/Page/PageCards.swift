// Writes the cards of a page, each as an element that opens: the prompt outside, the answer inside; pictures and sounds
// as data: URLs. Invariant: memory holds one card and one chunk of a file; what a browser cannot show is left out and
// counted.

import Decks
import Files
import Memory
import Storage
import Templates
import Text
import Values

struct PageCards {
  private let db: Database
  private let sink: FileSink
  private let options: PageOptions
  private let memories: TimedMemories
  private let mediaPath: (MediaRecord) -> String
  private let picture: (String) throws -> GalleryPicture?
  private let isInterrupted: () -> Bool
  private(set) var report = PageReport()

  init(
    _ db: Database, _ sink: FileSink, _ options: PageOptions, _ memories: TimedMemories,
    _ mediaPath: @escaping (MediaRecord) -> String, _ picture: @escaping (String) throws -> GalleryPicture?,
    _ isInterrupted: @escaping () -> Bool
  ) {
    self.picture = picture
    (self.db, self.sink, self.options, self.mediaPath) = (db, sink, options, mediaPath)
    self.memories = memories
    self.isInterrupted = isInterrupted
  }

  mutating func write(_ card: CardRecord) throws {
    let media = try CardMedia(db, of: card)
    var start = "<details data-guid=\"\(PageText.escaped(card.guid))\""
    if !options.isFresh, card.reps > 0 || card.state != .new {
      var schedule = card.schedule
      schedule.timed = try memories.entry(
        db, of: card.id, in: card.deck, stability: schedule.stability, last: schedule.lastReview)?.memory
      start += " data-schedule=\"\(PageText.escaped(schedule.forPage.json))\""
    }
    if let typed = try NoteTable.typedQuestion(db, card.id) {
      start += " data-typed=\"\(PageText.escaped(typed.expected))\""
      if typed.ignoresAccents { start += " data-accents=\"ignored\"" }
    }
    try sink.append((start + "><summary\(lang(options.promptLanguage)) dir=\"auto\">").utf8)
    try write(card.prompt, media.promptPictures + media.promptSounds)
    try sink.append("</summary><div\(lang(options.answerLanguage)) dir=\"auto\">".utf8)
    try write(card.answer, media.ofAnswerAlone(card.answer), hidden: CardFields.hiddenParts(db, of: card))
    if let document = card.document { try write(document: document) }
    try sink.append("</div></details>\n".utf8)
    report.cards += 1
  }

  /// Writes the picture of a document below the answer.
  private mutating func write(document: String) throws {
    guard let shown = try picture(document) else { return report.documentsLeftOut += 1 }
    let start = "<img alt=\"\(PageText.escaped(shown.description))\" src=\"data:image/png;base64,"
    try sink.append((start + base64(shown.png) + "\">").utf8)
    report.documents += 1
  }

  private func lang(_ language: String?) -> String { language.map { " lang=\"\(PageText.escaped($0))\"" } ?? "" }

  /// Writes one side of a card.
  /// - Parameter hidden: the UTF-8 ranges of the text that a cloze hid.
  private mutating func write(_ text: String, _ names: [String], hidden: [Range<Int>] = []) throws {
    var (bytes, start) = ([UInt8](), 0)
    let utf8 = Array(text.utf8)
    // If the names of media are removed from the text, the ranges no longer apply.
    for range in hidden where names.isEmpty && range.lowerBound >= start && range.upperBound <= utf8.count {
      PageText.append(String(decoding: utf8[start..<range.lowerBound], as: UTF8.self), to: &bytes)
      bytes += "<b>".utf8
      PageText.append(String(decoding: utf8[range], as: UTF8.self), to: &bytes)
      bytes += "</b>".utf8
      start = range.upperBound
    }
    let rest = start == 0 ? text : String(decoding: utf8[start...], as: UTF8.self)
    PageText.append(CardMedia.text(rest, without: names), to: &bytes)
    try sink.append(bytes)
    for name in names {
      let known = try MediaTable.named(db, name)
      let isShown = try known.map { record in
        try PageMedia.write(record.name, at: mediaPath(record), to: sink, isInterrupted: isInterrupted)
      }
      if isShown == true { report.media += 1 } else { report.mediaLeftOut += 1 }
    }
  }
}

extension TimedMemory {
  fileprivate var forPage: Value {
    .record([
      ("slow", .number(state.slow)), ("fast", .number(state.fast)), ("difficulty", .number(state.difficulty)),
      ("first", .integer(Int(first.rawValue))),
    ])
  }
}

extension CardSchedule {
  /// The schedule from which the page's script continues.
  fileprivate var forPage: Value {
    func number(_ value: Double?) -> Value { value.map { .number($0) } ?? .null }
    return .record([
      ("state", .integer(Int(state.rawValue))), ("step", .integer(step)), ("due", number(due)),
      ("stability", number(stability)), ("difficulty", number(difficulty)), ("reps", .integer(reps)),
      ("lapses", .integer(lapses)), ("last", number(lastReview)), ("timed", timed?.forPage ?? .null),
    ])
  }
}

/// How a browser presents a file, by the extension of its name.
enum PageMediaKind {
  case picture(String), sound(String)

  init?(ofName name: String) {
    switch name.lowercased().split(separator: ".").last {
    case "png": self = .picture("image/png")
    case "jpg", "jpeg": self = .picture("image/jpeg")
    case "gif": self = .picture("image/gif")
    case "webp": self = .picture("image/webp")
    case "avif": self = .picture("image/avif")
    case "bmp": self = .picture("image/bmp")
    case "svg": self = .picture("image/svg+xml")
    case "mp3": self = .sound("audio/mpeg")
    case "ogg", "oga", "opus": self = .sound("audio/ogg")
    case "wav": self = .sound("audio/wav")
    case "flac": self = .sound("audio/flac")
    case "m4a", "aac", "mp4": self = .sound("audio/mp4")
    case "webm": self = .sound("audio/webm")
    default: return nil
    }
  }
}

struct PageMedia {
  /// A multiple of three bytes, so that the chunks of base64 can be concatenated.
  private static let chunk = 3 << 14

  /// Writes a file as an element that shows or plays it.
  /// - Parameter path: the path of the file's content.
  /// - Returns: false when a browser cannot show the file, or it does not exist; then nothing was written.
  static func write(
    _ name: String, at path: String, to sink: FileSink, isInterrupted: @escaping () -> Bool
  ) throws -> Bool {
    guard let kind = PageMediaKind(ofName: name), try FileFacts.at(path) != nil else { return false }
    let file = try ByteFile(path, isInterrupted: isInterrupted)
    let name = PageText.escaped(name)
    switch kind {
    case .picture(let type): try sink.append("<img alt=\"\(name)\" src=\"data:\(type);base64,".utf8)
    case .sound(let type): try sink.append("<audio controls title=\"\(name)\" src=\"data:\(type);base64,".utf8)
    }
    var place = 0
    while true {
      let bytes = try file.bytes(at: place, count: chunk)
      try sink.append(base64(bytes).utf8)
      place += bytes.count
      if bytes.count < chunk { break }
    }
    if case .sound = kind { try sink.append("\"></audio>".utf8) } else { try sink.append("\">".utf8) }
    return true
  }
}
