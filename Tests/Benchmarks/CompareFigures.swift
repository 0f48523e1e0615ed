// Comparing and merging packages, compared with importing one of them. Invariant: the packages differ, and each time
// is that of a whole process.

import Glibc

struct CompareFigures {
  private let folder = Asked.folder + "/compare"
  private static let titles = [
    "deck diff of two packages of 100000 notes against importing one", "deck merge of three against importing one",
  ]

  func all() -> [Figure?] {
    guard Self.titles.contains(where: isAsked) else { return [] }
    mkdir(folder, 0o700)
    guard written() else {
      failed(Self.titles[0])
      return []
    }
    // The targets are 2 s and 3 s; importing one takes 0.7 s on two quiet cores.
    return [
      figure(0, wanted: 1.5, megabytes: 200, "deck diff base.apkg ours.apkg; test $? -eq 1"),
      figure(1, wanted: 4.2, megabytes: 300, "deck merge base.apkg ours.apkg theirs.apkg --output out.apkg"),
    ]
  }

  /// - Parameter command: the arguments after the program on a shell command line.
  private func figure(_ number: Int, wanted: Double, megabytes: Int, _ command: String) -> Figure? {
    var memory = 0
    let start = "cd '\(folder)' && '\(deckhand)' --data data --no-plugins "
    let figure = compare(Self.titles[number], wanted: wanted, rounds: 3, scale: 1, unit: "s") {
      let done = resources(ofRunning: "/bin/sh", ["-c", start + command])
      memory = max(memory, done.bytes / 1_048_576)
      return done.seconds
    } reference: {
      seconds(
        ofRunning: "/bin/sh", ["-c", "cd '\(folder)' && rm -rf in && '\(deckhand)' --data in deck import B base.apkg"])
    }
    if figure != nil, !Asked.isSmoke {
      print("\(Self.titles[number])\n    \(memory) MB of memory, \(megabytes) wanted")
    }
    return figure
  }

  /// Writes a deck as three packages: the original, and one for each side with 1,000 different notes changed.
  private func written() -> Bool {
    let code = """
      local deck, i, count = assert(decks.create("Bench")), 0, \(sized(100_000))
      assert(deck:add_all(function()
        i = i + 1
        if i <= count then return {prompt = "prompt " .. i, answer = "answer " .. i, tags = {"t" .. i % 7}} end
      end))
      assert(deck:export("\(folder)/base.apkg"))
      for n = 1, count // 100 do deck:card(n).answer = "ours " .. n end
      assert(deck:export("\(folder)/ours.apkg"))
      for n = 1, count // 100 do deck:card(n).answer = "answer " .. n end
      for n = 1, count // 100 do deck:card(count + 1 - n).answer = "theirs " .. n end
      assert(deck:export("\(folder)/theirs.apkg"))
      """
    return seconds(ofRunning: deckhand, ["--data", folder + "/made", "--no-plugins", "-e", code]) >= 0
  }
}
