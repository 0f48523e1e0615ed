// The cost of study with 100,000 cards and 300,000 answers. References: SQLite's own interface reading the same rows,
// and the optimizer of the PyPI package fsrs.

import BenchmarkReferences
import Decks
import Glibc
import Memory
import Storage
import Workspace

struct StudyFigures {
  private let folder = Asked.folder + "/study"
  private let path = Asked.folder + "/study/local/collection.sqlite"
  private static let cards = sized(100_000)
  /// The first card's id: the milliseconds of its creation. The others follow.
  private static let firstCard = 1_700_000_000_000
  private static let answers = 3
  private let moment = StudyMoment(now: 1_750_000_000, utcOffset: 7200)

  func all() throws -> [Figure?] {
    let titles = [statistics, queue, counts, opening, word, state, answering, undoing, listing, listingJSON]
    if titles.contains(where: isAsked) { try fill() }
    return try rows() + [listed(listing, []), listed(listingJSON, ["--json"]), answered(), undone(), fitting()]
  }

  private let statistics = "figures of 100,000 cards and 300,000 answers against reading their rows"
  private let queue = "the queue of a session of 100,000 cards and its first card against reading its rows"
  private let counts = "counts of every deck of 100,000 cards against reading its rows"
  private let opening = "opening the collection of 100,000 cards and counting what is due against reading its rows"
  private let word = "finding a part of a word in 100,000 cards against reading their texts"
  private let state = "finding a state in 100,000 cards against reading their states"
  private let answering = "answering 200 cards durably against the same statements"
  private let undoing = "undoing 200 answers of a session against the same statements"
  private let listing = "card list of 100,000 cards to a pipe against reading their rows"
  private let listingJSON = "card list --json of 100,000 cards to a pipe against reading their rows"
  private let fittingTitle =
    "fitting the memory model to 100,000 answers against the package fsrs (FSRS_PYTHON, FSRS_LOG)"

  private func rows() throws -> [Figure?] {
    let waiting = "SELECT id, state, due FROM cards WHERE deck = 1 AND state > 0 AND due < 1750017600 AND suspended = 0"
    return [
      try compared(
        statistics,
        [
          "SELECT id, deck, created, suspended, state, due, stability, difficulty, last_review FROM cards",
          "SELECT card, at, rating, state, interval, stability, seconds FROM reviews",
        ]
      ) { _ = try DeckStatistics($0, at: moment) },
      try compared(queue, [waiting]) { db in
        _ = try ReviewSession(db, StudySelection([DeckID(rawValue: 1)]), at: moment).card(db, at: moment)
      },
      try compared(counts, [waiting]) { _ = try StudyCounts.all($0, at: moment) },
      try opened(waiting),
      try compared(word, ["SELECT cards.id, fields FROM cards JOIN notes ON notes.id = note"]) {
        try find("omething", $0)
      },
      try compared(state, ["SELECT id, state FROM cards"]) { try find("is:review", $0) },
    ]
  }

  /// Searches like the first search of a process: the index is on disk, the cache is empty.
  private func find(_ query: String, _ db: Database) throws {
    let cache = SearchCache(path: folder + "/.search")
    _ = try CardTable.found(
      db, in: DeckID(rawValue: 1), matching: CardQuery(query, isInterrupted: { false }), at: moment, cache)
  }

  private func opened(_ waiting: String) throws -> Figure? {
    try compare(opening, wanted: nil, rounds: 9, scale: 1e3, unit: "ms") {
      let start = now()
      let store = Store(path: path, schema: Workspace.schema, isInterrupted: { false })
      _ = try store.read { try StudyCounts.all($0, at: moment) }
      defer { try? store.close() }
      return now() - start
    } reference: {
      reference([waiting])
    }
  }

  private func compared(_ title: String, _ statements: [String], _ body: (Database) throws -> Void) throws -> Figure? {
    let store = Store(path: path, schema: Workspace.schema, isInterrupted: { false })
    return try compare(title, wanted: nil, rounds: 7, scale: 1e3, unit: "ms") {
      let start = now()
      try store.read(body)
      return now() - start
    } reference: {
      reference(statements)
    }
  }

  private func reference(_ statements: [String]) -> Double {
    let texts = statements.map { UnsafePointer(strdup($0)) }
    defer { for text in texts { free(UnsafeMutableRawPointer(mutating: text)) } }
    return reference_scan_rows(path, texts, Int32(texts.count))
  }

  /// Runs the built program and discards its output.
  private func listed(_ title: String, _ more: [String]) throws -> Figure? {
    compare(title, wanted: nil, rounds: 3, scale: 1e3, unit: "ms") {
      seconds(ofRunning: Asked.program, ["--data", folder, "card", "list"] + more)
    } reference: {
      reference([
        "SELECT cards.id, fields, tags, state, guid FROM cards CROSS JOIN notes ON notes.id = note ORDER BY deck, rank"
      ])
    }
  }

  // MARK: Answers

  private static let answersAtOnce = sized(200)

  private func answered() throws -> Figure? {
    let store = Store(path: path, schema: Workspace.schema, isInterrupted: { false })
    return try compare(answering, wanted: nil, rounds: 5, scale: 5e3, unit: "µs an answer") {
      let session = try store.read { try ReviewSession($0, StudySelection([DeckID(rawValue: 1)]), at: moment) }
      let start = now()
      for _ in 0..<Self.answersAtOnce {
        _ = try store.operation("answer") { try session.answer($0, .good, at: moment, seconds: 3) }
      }
      return now() - start
    } reference: {
      reference(
        (0..<Self.answersAtOnce).flatMap { number in
          [
            "BEGIN IMMEDIATE",
            "INSERT INTO reviews (card, at, rating, state, elapsed, interval, stability, difficulty, seconds) "
              + "VALUES (\(Self.firstCard + number), 1749000000, 3, 2, 1, 1, 1, 1, 1)",
            "UPDATE cards SET state = 2, step = 0, due = 1760000000, stability = 2, difficulty = 3, reps = 4, lapses = 0, "
              + "last_review = 1749000000 WHERE id = \(Self.firstCard + number)",
            "UPDATE decks SET studied = 1749000000 WHERE id = 1",
            "COMMIT",
          ]
        })
    }
  }

  private func undone() throws -> Figure? {
    let store = Store(path: path, schema: Workspace.schema, isInterrupted: { false }, undoClock: { 0 })
    return try compare(undoing, wanted: nil, rounds: 5, scale: 5e3, unit: "µs an answer") {
      let session = try store.read { try ReviewSession($0, StudySelection([DeckID(rawValue: 1)]), at: moment) }
      for _ in 0..<Self.answersAtOnce {
        _ = try store.operation("answer") { try session.answer($0, .good, at: moment, seconds: 3) }
      }
      let start = now()
      for _ in 0..<Self.answersAtOnce {
        try session.stepBack()
        try store.undo()
      }
      return now() - start
    } reference: {
      reference(
        (0..<Self.answersAtOnce).flatMap { number in
          [
            "BEGIN IMMEDIATE", "DELETE FROM reviews WHERE id = (SELECT max(id) FROM reviews)",
            "UPDATE cards SET state = 2, due = 1750000000, reps = 3 WHERE id = \(Self.firstCard + number)", "COMMIT",
          ]
        })
    }
  }

  /// Adds learnt cards with some answers each, whose texts are words.
  private func fill() throws {
    for name in [folder, folder + "/local"] { mkdir(name, 0o700) }
    unlink(path)
    var seed: UInt64 = 1
    let store = Store(path: path, schema: Workspace.schema, isInterrupted: { false })
    try store.operation("filling") { db in
      // The deck's id is 1.
      let deck = try DeckTable.create(db, name: "Bench", now: 0.001)
      var options = DeckOptions()
      try options.set(.reviewsPerDay, to: 9999)
      try DeckTable.setOptions(db, deck.id, to: options)
      let batch = try CardBatch(db, deck: deck.id, onDuplicate: .skip, now: 1_700_000_000) {
        seed &+= 0x9E37_79B9_7F4A_7C15
        return seed
      }
      for card in 0..<Self.cards {
        try batch.add(NewCard(prompt: "prompt \(card) of something", answer: "an answer with words \(card &* 7919)"))
      }
      _ = try batch.finish()
      try db.execute(
        sql: """
          UPDATE cards SET state = 2, stability = 5 + id % 90, difficulty = 1 + id % 9, reps = 3,
            last_review = 1740000000 + (id % 100) * 86400, due = 1740000000 + (id % 100 + 10 + id % 60) * 86400
          WHERE id % 10 > 0
          """)
      let insert = try Statement(
        db,
        """
        INSERT INTO reviews (card, at, rating, state, elapsed, interval, stability, difficulty, seconds)
        VALUES (?, ?, ?, ?, ?, ?, ?, 5, 7)
        """)
      for answer in 0..<Self.cards * Self.answers {
        let (card, round) = (Self.firstCard + answer % Self.cards, answer / Self.cards)
        let at = 1_700_000_000 + Double(answer) * 150
        try insert.execute(arguments: [
          card, at, 1 + (answer &* 31) % 4, round == 0 ? 0 : 2, 864_000.0, 864_000.0 * Double(round + 1),
          Double(card % 90 + 1),
        ])
      }
    }
    try store.close()
  }

  /// Runs only if the package is installed: `FSRS_PYTHON` names a Python that has it, `FSRS_LOG` a log in the format
  /// that
  /// `Tests/Peers/fsrs_optimizer.py` reads; without one a log is simulated.
  private func fitting() throws -> Figure? {
    guard isAsked(fittingTitle), getenv("FSRS_PYTHON") != nil else { return nil }
    guard let log = log() else {
      failed(fittingTitle)
      return nil
    }
    var history = ReviewHistory()
    var last = 0
    guard let file = fopen(log, "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 100)
    while fgets(&line, 100, file) != nil {
      let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      let numbers = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }.compactMap { Int($0) }
      guard numbers.count == 3 else { continue }
      history.add(
        card: Int64(numbers[0]), day: numbers[1] / 86_400, moment: Int64(numbers[1]) * 1000, rating: Int64(numbers[2]),
        isFirst: numbers[0] != last, isLearning: numbers[0] != last)
      last = numbers[0]
    }
    history.close()
    return try compare(fittingTitle, wanted: 1, rounds: 1, scale: 1, unit: "s") {
      let start = now()
      var optimizer = try Optimizer(history)
      let result = try optimizer.run()
      let seconds = now() - start
      print("loss \(try optimizer.loss(of: result.parameters)) of \(result.reviewCount), better: \(result.isBetter)")
      return seconds
    } reference: {
      guard let python = getenv("FSRS_PYTHON") else { return 1 }
      return seconds(ofRunning: String(cString: python), ["Tests/Peers/fsrs_optimizer.py", log])
    }
  }

  private func log() -> String? {
    if let given = getenv("FSRS_LOG") { return String(cString: given) }
    let path = folder + ".log"
    let made = seconds(
      ofRunning: "/bin/sh", ["-c", "python3 Tests/Peers/simulated_log.py 16000 1 | head -n 100000 > '\(path)'"])
    return made < 0 ? nil : path
  }
}
