// Anki packages compared with the programs that people use to write and read them: genanki and Anki's own package.
// Invariant: both sides are whole processes on the same cards; without the peers nothing is measured, and this is
// printed.

import Glibc

struct PackageFigures {
  private let folder = Asked.folder + "/packages"
  private let python: String
  /// The folder of the scripts that run the peers.
  private let scripts = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Peers"

  static func all() -> [Figure?] {
    guard let python = getenv("ANKI_PYTHON"), python.pointee != 0 else {
      print("packages: not measured, Scripts/peers found neither Anki nor genanki")
      return []
    }
    let figures = PackageFigures(python: String(cString: python))
    mkdir(figures.folder, 0o700)
    return [figures.written(100_000, rounds: 5), figures.written(1_000_000, rounds: 1), figures.read()]
  }

  /// Two-field cards created in a Lua loop and exported.
  private func written(_ count: Int, rounds: Int) -> Figure? {
    let code = """
      local deck, i = assert(decks.create("Bench")), 0
      assert(deck:add_all(function()
        i = i + 1
        if i <= \(sized(count)) then return {prompt = "prompt " .. i, answer = "answer " .. i} end
      end))
      assert(deck:export("\(folder)/ours.apkg"))
      """
    let title = "\(count) cards from a Lua loop into a package against genanki"
    var memory = 0
    let figure = compare(title, wanted: 0.25, rounds: rounds, scale: 1, unit: "s") {
      removeData()
      let done = resources(ofRunning: deckhand, ["--data", folder + "/data", "--no-plugins", "-e", code])
      memory = max(memory, done.bytes / 1_048_576)
      return done.seconds
    } reference: {
      seconds(ofRunning: python, [scripts + "/genanki_cards.py", "\(sized(count))", folder + "/theirs.apkg"])
    }
    if figure != nil, !Asked.isSmoke {
      print("\(title)\n    \(memory) MB of memory, \(count == 100_000 ? 40 : 64) wanted")
    }
    return figure
  }

  /// Imports a package of 100,000 cards that genanki made.
  private func read() -> Figure? {
    let title = "a package of 100000 cards in against Anki"
    let package = folder + "/in.apkg"
    guard isAsked(title) else { return nil }
    guard seconds(ofRunning: python, [scripts + "/genanki_cards.py", "\(sized(100_000))", package]) >= 0 else {
      failed(title)
      return nil
    }
    return compare(title, wanted: 0.5, rounds: 5, scale: 1, unit: "s") {
      removeData()
      return seconds(
        ofRunning: deckhand, ["--data", folder + "/data", "--no-plugins", "deck", "import", "Bench", package])
    } reference: {
      seconds(ofRunning: python, [scripts + "/anki_import.py", package])
    }
  }

  private func removeData() {
    for ending in ["", "-wal", "-shm"] { unlink("\(folder)/data/local/collection.sqlite\(ending)") }
  }
}
