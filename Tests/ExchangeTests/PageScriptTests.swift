// The page's own script, run by node and compared with the shell: schedules, logs, typed answers. Without node the
// tests are skipped, and the run says so.

import Files
import Glibc
import Templates
import TestDecks
import Values

@testable import Exchange
@testable import Memory

/// Calls functions of the page's script.
enum PageScript {
  /// The files of the script, in order.
  static let parts = ["scheduler", "study", "page", "fsrs7"].map { "/Sources/Exchange/Page/\($0).js" }

  static let node: String? = (["/usr/bin/node", "/usr/bin/nodejs", "/usr/local/bin/node"] as [String]).first { path in
    access(path, X_OK) == 0
  }

  static func call(_ name: String, _ input: Value) throws -> Value {
    let node = try #require(node)
    let parts = PageScript.parts.map { sourceRoot() + $0 }
    let child = try Child([node, sourceRoot() + "/Tests/Page/schedules.js"] + parts, environment: ["TZ=UTC"])
    let request: Value = .record([("call", .text(name)), ("input", input)])
    let run = try child.finish(input: request.json)
    try #require(run.status == 0, "\(run.errors)")
    let limits = JSONLimits(bytes: 1 << 26, depth: 20, values: 1 << 20, string: 1 << 16)
    return try JSONParser.parse(Array(run.output.utf8), limits: limits)
  }
}

@Suite(.enabled(if: PageScript.node != nil, "node is not here: the page's script was not run"))
struct PageScriptTests {
  /// A card's answers.
  private struct History {
    let options: DeckOptions
    var steps: [(rating: Rating, moment: StudyMoment, seconds: Double)] = []
    var expected: [NextSchedule] = []
  }

  private static func options(_ random: inout TestGenerator) throws -> DeckOptions {
    var options = DeckOptions()
    func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
    if chance(2) { try options.set(.desiredRetention, to: Double.random(in: 0.7...0.99, using: &random)) }
    if chance(3) { try options.set(.learningSteps, .steps([30, 300, 86_400])) }
    if chance(4) { try options.set(.learningSteps, .steps([])) }
    if chance(3) { try options.set(.relearningSteps, .steps(chance(2) ? [] : [120, 1800])) }
    if chance(4) { try options.set(.shortTerm, .flag(false)) }
    if chance(4) { try options.set(.maximumInterval, to: 90) }
    if chance(4) { try options.set(.minimumLapseInterval, to: 3) }
    if chance(2) {
      let published = MemoryModel.defaultParameters
      let near = zip(published, MemoryModel.parameterRanges).map { value, range in
        min(range.upperBound, max(range.lowerBound, value * Double.random(in: 0.7...1.4, using: &random)))
      }
      try options.set(.parameters, .parameters(near))
    }
    if chance(2) {
      var w = MemoryModel7.published.map { $0 * Double.random(in: 0.8...1.2, using: &random) }
      MemoryModel7.clamp(&w)
      let firsts = (0..<4).map { _ in chance(2) ? 60 : 10 }
      let time = AnswerTime(median: 4, shift: 0.1, slope: -0.3)
      options.fitted = try FittedModels(answers: 5000, parameters: chance(4) ? [] : w, firsts: firsts, time: time)
      try options.set(.model, toText: chance(2) ? "fsrs-7" : "both")
      if chance(4) { try options.set(.answerTime, .flag(false)) }
      if chance(2) { try options.set(.learningSteps, toText: "auto") }
      if chance(2) { try options.set(.relearningSteps, toText: "auto") }
    }
    return options
  }

  private static func history(_ random: inout TestGenerator, answers: Int) throws -> History {
    var history = History(options: try options(&random))
    let scheduler = Scheduler(options: history.options)
    var schedule = CardSchedule()
    var now = Double.random(in: 1_600_000_000...1_800_000_000, using: &random).rounded()
    let offsets: [Double] = [0, 7200, -18_000, 20_700]
    let offset = offsets.randomElement(using: &random) ?? 0
    for _ in 0..<answers {
      let rating = Rating.allCases.randomElement(using: &random) ?? .good
      let moment = StudyMoment(now: now, utcOffset: offset)
      let seconds = (Double.random(in: 0...20, using: &random) * 10).rounded() / 10
      let next = scheduler.next(schedule, rating, at: moment, seconds: seconds)
      history.steps.append((rating, moment, seconds))
      history.expected.append(next)
      schedule = next.schedule
      // Early, on time, or late.
      now = max(now + 1, now + (next.interval * Double.random(in: 0.2...2, using: &random)).rounded())
      if now > 4e9 { break }
    }
    return history
  }

  @Test func `3,600 random answers give the same schedules as in the shell`() throws {
    var random = TestGenerator(20)
    var histories: [History] = []
    while histories.reduce(0, { $0 + $1.steps.count }) < 3600 {
      histories.append(try Self.history(&random, answers: 12))
    }
    let input = Value.list(
      histories.map { history in
        .record([
          ("options", history.options.forPage),
          (
            "steps",
            .list(
              history.steps.map {
                .list([
                  .integer(Int($0.rating.rawValue)), .number($0.moment.now), .number($0.moment.utcOffset),
                  .number($0.seconds),
                ])
              })
          ),
        ])
      })
    let output = try #require(try PageScript.call("schedules", input).list)
    var (compared, byFSRS7, worst) = (0, 0, 0.0)
    for (history, card) in zip(histories, output) {
      for (expected, found) in zip(history.expected, card.list ?? []) {
        let (schedule, reader) = (expected.schedule, ValueReader(found))
        #expect(try reader["state"].integer() == Int(schedule.state.rawValue))
        #expect(try reader["step"].integer() == schedule.step)
        #expect(try reader["interval"].number() == expected.interval)
        #expect(try reader["due"].number() == schedule.due)
        #expect(try reader["reps"].integer() == schedule.reps && reader["lapses"].integer() == schedule.lapses)
        if let timed = schedule.timed {
          worst = max(worst, abs(try reader["timed"]["hesitation"].number() - timed.hesitation))
        }
        if let timed = schedule.timed?.state {
          let memory = reader["timed"]
          for (name, value) in [("slow", timed.slow), ("fast", timed.fast), ("difficulty", timed.difficulty)] {
            worst = max(worst, abs(try memory[name].number() - value) / value)
          }
          byFSRS7 += 1
        }
        for (name, value) in [("stability", schedule.stability), ("difficulty", schedule.difficulty)] {
          let value = try #require(value)
          worst = max(worst, abs(try reader[name].number() - value) / value)
        }
        compared += 1
      }
    }
    #expect(compared >= 3600 && byFSRS7 >= 1000 && worst < 1e-9, "\(compared) answers, farthest \(worst)")
  }

  @Test func `the sequences of py-fsrs give the same result`() throws {
    let path = sourceRoot() + "/Tests/DecksTests/Fixtures/fsrs6_sequences.tsv"
    let text = try #require(try FileText.read(path, limit: 1 << 24))
    var compared = 0
    var (cards, expected): ([Value], [[[Double]]]) = ([], [])
    for block in text.split(separator: "\n\n") {
      let rows = block.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: "\t") }
      guard let first = rows.first, let retention = Double(first[0]) else { continue }
      var options = DeckOptions()
      try options.set(.desiredRetention, to: retention)
      var now = 1_700_000_000.0
      let steps = try rows.map { row in
        now += try #require(Double(row[2])) * 86_400 + 1
        return Value.list([.integer(try #require(Int(row[1]))), .number(now), .integer(0), .integer(0)])
      }
      cards.append(.record([("options", options.forPage), ("steps", .list(steps))]))
      expected.append(try rows.map { row in try [row[3], row[4], row[6]].map { try #require(Double($0)) } })
    }
    let output = try #require(try PageScript.call("schedules", .list(cards)).list)
    for (rows, card) in zip(expected, output) {
      for (row, found) in zip(rows, card.list ?? []) {
        let reader = ValueReader(found)
        #expect(abs(try reader["stability"].number() - row[0]) < 1e-9 * row[0])
        #expect(abs(try reader["difficulty"].number() - row[1]) < 1e-9)
        #expect(try reader["interval"].number() == row[2])
        compared += 1
      }
    }
    #expect(compared > 100)
  }

  @Test func `typed answers are judged as in the shell`() throws {
    let pairs: [(String, String, Bool)] = [
      ("el perro", "el perro", false), (" el perro ", "el perro", false), ("el pero", "el perro", false),
      ("cafe\u{301}", "caf\u{E9}", false), ("cafe", "café", false), ("cafe", "café", true), ("", "x", false),
      ("Ünïcode", "unicode", true), ("ni\u{F1}o", "nino", true), ("a👩‍👩‍👧b", "a👩‍👩‍👧b", false), ("ab", "abab", false),
      ("שנון", "שִׁנּוּן", true), ("كتب", "كَتَبَ", true), ("は", "ば", true), ("की", "कि", true),
    ]
    let input = Value.list(pairs.map { .list([.text($0.0), .text($0.1), .boolean($0.2)]) })
    let output = try #require(try PageScript.call("compared", input).list)
    #expect(output.count == pairs.count)
    for (pair, parts) in zip(pairs, output) {
      let shell = WordComparison(given: pair.0, expected: pair.1, ignoresAccents: pair.2) { _ in false }
      let isRight = try ValueReader(parts).elements().allSatisfy { try $0["mark"].text() == "right" }
      #expect(isRight == (shell.cost == 0), "\(pair)")
    }
  }

  @Test func `new cards get the room that reviews leave, as in the shell`() throws {
    typealias Section = (ignoresReviews: Bool, reviews: Double, fresh: Int, due: Int)
    let cases: [(sections: [Section], waiting: [Int])] = [
      ([(false, 200, 30, 195)], [5, 195]), ([(false, 10, 30, 30)], [0, 10]), ([(true, 10, 30, 30)], [20, 10]),
      ([(false, 200, 0, 100), (false, 200, 30, 98)], [2, 198]), ([(false, 200, 30, 0)], [20, 0]),
    ]
    let input: [Value] = try cases.map { given in
      .list(
        try given.sections.map { section -> Value in
          var options = DeckOptions()
          try options.set(.reviewsPerDay, to: section.reviews)
          try options.set(.newIgnoresReviewLimit, .flag(section.ignoresReviews))
          return .record([
            ("options", options.forPage), ("fresh", .integer(section.fresh)), ("due", .integer(section.due)),
          ])
        })
    }
    let wanted: [Value] = cases.map { given in .list(given.waiting.map { .integer($0) }) }
    #expect(try PageScript.call("waiting", .list(input)).list == wanted)
  }

  @Test func `a bad log is refused with its line`() throws {
    let head = "{\"deck\":\"deck\",\"version\":1}\n"
    let good = "{\"guid\":\"a\",\"at\":1700000000.5,\"rating\":3,\"seconds\":2}\n"
    let logs = [
      head + good, "", "no log", "{\"deck\":\"other\",\"version\":1}\n", head + good + "{\"guid\":\"a\",\"at\":17",
      head + good.replacing(":3,", with: ":5,"), head + good.replacing("1700000000.5", with: "9e9"), head + "null\n",
    ]
    let output = try #require(try PageScript.call("logs", .list(logs.map { .text($0) })).list)
    #expect(output.count == logs.count && output[0].list?.count == 1)
    let messages = output.dropFirst().map { $0.text ?? "none" }
    let wanted = [
      "Line 1: not an answer file", "Line 1: not JSON", "Line 1: the answers are for another deck",
      "Line 3: not JSON", "Line 2: rating must be", "Line 2: at must be", "Line 2: guid must be",
    ]
    for (message, start) in zip(messages, wanted) { #expect(message.hasPrefix(start), "\(message)") }
  }
}
