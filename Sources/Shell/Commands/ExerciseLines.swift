// A study by an exercise for a program: `study --exercise NAME --json`. Invariant: each line that is written is one
// JSON object, and each line that is read is answered.

import Commands
import Decks
import Memory
import Problems
import Text
import Values
import Workspace

struct ExerciseLines {
  let session: Session

  func run(_ study: SessionHandle) throws -> CommandResult {
    while let card = try study.card() {
      let (record, question) = (try card.record(), try study.question()?.value.record ?? ["input": .text("self")])
      let isSeen = question["prompt"] == nil && question["say"] == nil
      let prompt = isSeen ? [("prompt", Value.text(record.prompt))] : []
      write(.record([("card", .text(record.guid))] + prompt + question.fields.map { ($0.name, $0.value) }))
      guard let result = try answering({ try study.give($0) }) else { break }
      write(result.value)
      let answered: SessionResult? = try answering { line in
        let word = line.trimmed.lowercased()
        let rating = Int64(word).flatMap { Rating(rawValue: $0) } ?? (word.isEmpty ? result.rating ?? .good : nil)
        return try study.answer(rating ?? Rating(named: word))
      }
      if answered == nil { break }
    }
    let usual = try study.askedAsUsual()
    if !usual.isEmpty { session.console.note(usual + ".") }
    try study.finishIfOver()
    return StudyScore(try study.progress()).result
  }

  private func write(_ value: Value) { session.console.show([value.json]) }

  /// Reads lines until one is understood; an error is written as an object. Nil at the end of the input.
  private func answering<Answer>(_ body: (String) throws -> Answer) throws -> Answer? {
    while true {
      switch try session.input.plainReader.read() {
      case .line(let line):
        do { return try body(line) } catch let problem as any Problem where problem.report.code != .interrupted {
          let report = problem.report
          write(.record(["code": report.code.rawValue, "title": report.title, "message": report.message]))
        }
      case .interrupted: throw ShellError.interruptedAmidAnswers
      // Only the line editor ends a line by a tick.
      case .endOfInput, .stopped: return nil
      }
    }
  }
}
