// How cost grows with the number of cards: ten times as many cards take ten times as long if all are touched, and no
// longer if one is. Invariant: both sides do the same, on collections that differ only in size.

import Decks
import Files
import Glibc
import Storage
import Workspace

struct GrowthFigures {
  private let folder = Asked.folder + "/growth"

  func all() throws -> [Figure?] {
    mkdir(folder, 0o700)
    // A million cards take minutes, so they are measured only when asked for by name.
    let million = try Asked.wantsLong ? growth(from: sized(100_000), to: sized(1_000_000), "1,000,000") : []
    return try growth(from: sized(10_000), to: sized(100_000), "100,000") + million + [startUp()] + firstOfAMillion()
  }

  private func data(_ count: Int) -> String { "\(folder)/\(count)" }

  /// - Parameter named: the larger number, as written in titles.
  private func growth(from small: Int, to large: Int, _ named: String) throws -> [Figure?] {
    let titles = [
      "importing \(named) cards against ten times a tenth of them",
      "removing a deck of \(named) cards against ten times a tenth of them",
      "moving a card in a deck of \(named) against one of a tenth", "a study's first card of \(named) against a tenth",
      "a script that edits \(named) cards and removes half of them against ten times a tenth",
    ]
    guard titles.contains(where: isAsked) else { return [] }
    for count in [small, large] { try writeTable(count) }
    let imported = compare(
      titles[0], wanted: 1.5, rounds: 3, scale: 1, unit: "s", ours: { importing(large) },
      reference: { 10 * importing(small) })
    for count in [small, large] where imported == nil { _ = importing(count) }
    let moved = compare(
      titles[2], wanted: 2, rounds: 5, scale: 1e6 / 200, unit: "µs", ours: { running(large, moves(small)) },
      reference: { running(small, moves(small)) })
    let studied = try compared(titles[3], small, large)
    let changed = compare(
      titles[4], wanted: 1.5, rounds: 1, scale: 1, unit: "s", ours: { changing(large) },
      reference: { 10 * changing(small) })
    let removed = compare(
      titles[1], wanted: 1.5, rounds: 1, scale: 1, unit: "s", ours: { removing(large) },
      reference: { 10 * removing(small) })
    return [imported, moved, studied, changed, removed]
  }

  /// Writes a table of cards to import.
  private func writeTable(_ count: Int) throws {
    mkdir(data(count), 0o700)
    guard let file = fopen(data(count) + "/Growth.csv", "w") else { return }
    defer { fclose(file) }
    fputs("prompt,answer\n", file)
    for card in 0..<count { fputs("word \(card) of a language,its meaning \(card &* 7919)\n", file) }
  }

  private func importing(_ count: Int) -> Double {
    let local = data(count) + "/local"
    if fileExists(local) { do { try Folder.removeTree(local) } catch { return -1 } }
    guard seconds(ofRunning: deckhand, ["--data", data(count), "deck", "create", "Growth"]) >= 0 else { return -1 }
    return seconds(
      ofRunning: deckhand, ["--data", data(count), "deck", "import", "Growth", data(count) + "/Growth.csv"])
  }

  /// Changes all cards with single statements, after another change in the same unit; the unit is rolled back.
  private func changing(_ count: Int) -> Double {
    let code = """
      decks.create('Other')
      assert(shell.run('card edit deck:Growth --answer other'))
      local d, half = decks.open('Growth'), {}
      for i = 1, #d, 2 do half[#half + 1] = i end
      d:remove(half)
      """
    return seconds(ofRunning: deckhand, ["--data", data(count), "--dry-run", "-e", code])
  }

  private func removing(_ count: Int) -> Double {
    seconds(ofRunning: deckhand, ["--data", data(count), "deck", "remove", "Growth"])
  }

  /// Two hundred moves of one card to a position far from both ends, in one unit, minus the same run without moves.
  private func moves(_ count: Int) -> String {
    "local d = decks.open('Growth') local c = d:card(\(count / 2)) for i = 1, 200 do c:move(\(count * 2 / 5) + i % 200) end"
  }

  private func running(_ count: Int, _ code: String) -> Double {
    let start = "local d = decks.open('Growth') local c = d:card(1)"
    let without = seconds(ofRunning: deckhand, ["--data", data(count), "-e", start])
    let with = seconds(ofRunning: deckhand, ["--data", data(count), "-e", code])
    return without < 0 || with < 0 ? -1 : max(1e-6, with - without)
  }

  /// A tenth of the cards are new, the others learnt and due over a year, two hundred of them today.
  private func compared(_ title: String, _ small: Int, _ large: Int) throws -> Figure? {
    guard isAsked(title) else { return nil }
    let stores = try [small, large].map { try learnt($0) }
    defer { for store in stores { try? store.close() } }
    return try compare(
      title, wanted: 2, rounds: 9, scale: 1e3, unit: "ms", ours: { try firstCard(stores[1]) },
      reference: { try firstCard(stores[0]) })
  }

  private static let moment = StudyMoment(now: 1_750_000_000)

  private func firstCard(_ store: Store) throws -> Double {
    let start = now()
    try store.read { db in
      let deck = try DeckTable.find(db, named: "Growth").id
      _ = try ReviewSession(db, StudySelection([deck]), at: Self.moment).card(db, at: Self.moment)
    }
    return now() - start
  }

  private func learnt(_ count: Int) throws -> Store {
    let store = Store(
      path: data(count) + "/local/collection.sqlite", schema: Workspace.schema, isInterrupted: { false })
    try store.operation("learning") { db in
      try db.execute(
        sql: """
          UPDATE cards SET state = 2, stability = 5, difficulty = 5, reps = 3, last_review = 1740000000,
            due = CASE WHEN id % \(max(2, count / 200)) = 1 THEN 1749990000 ELSE 1750086400 + (id % 365) * 86400 END
          WHERE id % 10 > 0
          """)
    }
    return store
  }

  // MARK: Start-up

  /// Plugins that load at start-up, for a command that needs none of them.
  private func startUp() throws -> Figure? {
    let title = "`version` with 1,000 plugins that load at the start against none"
    guard isAsked(title) else { return nil }
    let count = sized(1000)
    let (many, none) = (folder + "/many", folder + "/none")
    for path in [many, many + "/plugins", none] { mkdir(path, 0o700) }
    for number in 0..<count {
      let plugin = many + "/plugins/p\(number)"
      mkdir(plugin, 0o700)
      for (name, text) in [
        (
          "plugin.json",
          "{\"name\": \"p\(number)\", \"version\": \"1.0.0\", \"api\": 1, \"summary\": \"x\", \"load\": \"startup\"}"
        ), ("init.lua", "local t = {} for i = 1, 1000 do t[i] = i end"),
      ] {
        guard let file = fopen(plugin + "/" + name, "w") else { return nil }
        fputs(text, file)
        fclose(file)
      }
    }
    let enable = "for i = 0, \(count - 1) do assert(plugins.enable('p' .. i)) end"
    guard seconds(ofRunning: deckhand, ["--data", many, "-e", enable]) >= 0 else {
      failed(title)
      return nil
    }
    return compare(
      title, wanted: nil, rounds: 21, scale: 1e3, unit: "ms",
      ours: { seconds(ofRunning: deckhand, ["--data", many, "version"]) },
      reference: { seconds(ofRunning: deckhand, ["--data", none, "version"]) })
  }

  // MARK: A million

  /// The first card of a million through the built program: the targets are 100 ms and 80 MB.
  private func firstOfAMillion() throws -> [Figure?] {
    let title = "the first card of a million cards within 100 ms and 80 MB"
    guard Asked.wantsLong, isAsked(title) else { return [] }
    let count = sized(1_000_000)
    try writeTable(count)
    guard importing(count) >= 0 else {
      failed(title)
      return []
    }
    try learnt(count).close()
    let study = ["--data", data(count), "-e", "assert(decks.open('Growth'):study{}.card)"]
    let memory = resources(ofRunning: deckhand, study)
    print("\(title)\n    \(rounded(Double(memory.bytes) / 1e6)) MB")
    return [
      compare(
        title, wanted: 1, rounds: 7, scale: 1e3, unit: "ms", ours: { seconds(ofRunning: deckhand, study) },
        reference: { 0.1 })
    ]
  }
}
