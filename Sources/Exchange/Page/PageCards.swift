// The cards of a page, each an element that opens: the prompt outside, the answer inside.
// Invariant: one card is in memory at a time, and no picture or sound as a whole.

import Decks
import Files
import Storage
import Templates
import Values

struct PageCards {
  private let db: Database
  private let sink: FileSink
  private let options: PageOptions
  private let mediaPath: (MediaRecord) -> String
  private let isInterrupted: () -> Bool
  private(set) var report = PageReport()

  init(
    _ db: Database, _ sink: FileSink, _ options: PageOptions, _ mediaPath: @escaping (MediaRecord) -> String,
    _ isInterrupted: @escaping () -> Bool
  ) {
    (self.db, self.sink, self.options, self.mediaPath) = (db, sink, options, mediaPath)
    self.isInterrupted = isInterrupted
  }

  mutating func write(_ card: CardRecord) throws {
    let media = try CardMedia(db, of: card)
    var start = "<details data-guid=\"\(PageText.escaped(card.guid))\""
    if !options.isFresh, card.reps > 0 || card.state != .new {
      start += " data-schedule=\"\(PageText.escaped(card.schedule.forPage.json))\""
    }
    if let typed = try NoteTable.typedQuestion(db, card.id) {
      start += " data-typed=\"\(PageText.escaped(typed.expected))\""
      if typed.ignoresAccents { start += " data-accents=\"ignored\"" }
    }
    try sink.append((start + "><summary\(lang(options.promptLanguage)) dir=\"auto\">").utf8)
    try write(card.prompt, media.promptPictures + media.promptSounds)
    try sink.append("</summary><div\(lang(options.answerLanguage)) dir=\"auto\">".utf8)
    // What the back of a note repeats of its front is not shown twice, unless the answer names it.
    let front = Set(media.promptPictures + media.promptSounds)
    try write(
      card.answer,
      (media.answerPictures + media.answerSounds).filter { !front.contains($0) || card.answer.contains($0) })
    try sink.append("</div></details>\n".utf8)
    report.cards += 1
    if card.document != nil { report.documents += 1 }
  }

  private func lang(_ language: String?) -> String { language.map { " lang=\"\(PageText.escaped($0))\"" } ?? "" }

  private mutating func write(_ text: String, _ names: [String]) throws {
    var bytes: [UInt8] = []
    PageText.append(PageMedia.text(text, without: names), to: &bytes)
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

extension CardSchedule {
  /// What the page's script goes on from.
  fileprivate var forPage: Value {
    func number(_ value: Double?) -> Value { value.map { .number($0) } ?? .null }
    return .record([
      ("state", .integer(Int(state.rawValue))), ("step", .integer(step)), ("due", number(due)),
      ("stability", number(stability)), ("difficulty", number(difficulty)), ("reps", .integer(reps)),
      ("lapses", .integer(lapses)), ("last", number(lastReview)),
    ])
  }
}
