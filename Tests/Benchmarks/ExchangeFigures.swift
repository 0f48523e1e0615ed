// The cost of importing and exporting card files, whole process. References: Anki's own import of the same table (its
// package from PyPI, in the Python that ANKI_PYTHON names), and adding all cards at once.

import Files
import Glibc

struct ExchangeFigures {
  private let folder = Asked.folder + "/exchange"
  private static let count = sized(100_000)

  private let table = "deck import of a TSV of 100,000 rows, whole process, against Anki's import alone (ANKI_PYTHON)"
  private let adding = "100,000 cards added one at a time in a script against the same by add_all"
  private let appending = "100,000 cards appended one at a time in a script against the same by add_all"

  private let building = "a build of 10,000 unchanged sources, whole process, within 50 ms"
  private let rebuilding = "a build of 10,000 sources of which one changed, whole process, within 100 ms"

  func all() throws -> [Figure?] {
    guard [table, adding, appending, building, rebuilding].contains(where: isAsked) else { return [] }
    try makePrivateFolder(folder)
    return try [
      imported(), inLoop(adding, "deck:add{prompt = 'prompt ' .. i, answer = 'answer ' .. i}"),
      inLoop(appending, "deck:append{prompt = 'prompt ' .. i, answer = 'answer ' .. i}"),
    ] + built()
  }

  /// Builds a hundred folders of a hundred Markdown files with one card each. The reference is the target time.
  private func built() throws -> [Figure?] {
    guard isAsked(building) || isAsked(rebuilding) else { return [] }
    let sources = folder + "/sources"
    try makePrivateFolder(sources)
    try AtomicFile.write(sources + "/deck.json", Array(#"{"name": "Bench", "namespace": "bench"}"#.utf8))
    for number in 0..<sized(10_000) {
      let inner = "\(sources)/\(number / 100)"
      try makePrivateFolder(inner)
      try AtomicFile.write("\(inner)/\(number).md", Array("## prompt \(number)\n\nanswer \(number)\n".utf8))
    }
    guard run(["build", sources]) >= 0 else {
      failed(building)
      return []
    }
    func build() -> Double {
      seconds(ofRunning: deckhand, ["--data", folder + "/data", "--no-plugins", "build", sources])
    }
    var edits = 0
    return try [
      compare(
        building, wanted: 1, rounds: 7, scale: 1e3, unit: "ms", ours: build, reference: { 0.05 }),
      compare(rebuilding, wanted: 1, rounds: 7, scale: 1e3, unit: "ms") {
        edits += 1
        try AtomicFile.write(sources + "/0/7.md", Array("## prompt 7\n\nanswer **\(edits)**\n".utf8))
        return build()
      } reference: {
        0.1
      },
    ]
  }

  private func imported() throws -> Figure? {
    guard isAsked(table) else { return nil }
    guard let python = getenv("ANKI_PYTHON").map({ String(cString: $0) }) else {
      print("\(table): skipped, ANKI_PYTHON names no Python with the package anki")
      return nil
    }
    let path = folder + "/table.tsv"
    try AtomicFile.write(path, Replacement(isInterrupted: { false })) { sink in
      for index in 0..<Self.count { try sink.append("prompt number \(index)\tanswer number \(index)\n") }
    }
    return compare(table, wanted: 0.25, rounds: 5, scale: 1e3, unit: "ms") {
      run(["deck", "import", "Table", path])
    } reference: {
      let result = folder + "/seconds"
      guard seconds(ofRunning: python, ["Tests/Peers/anki_table.py", path, result]) >= 0 else { return -1 }
      return written(result)
    }
  }

  /// Returns the seconds that the peer wrote, if it read all rows.
  private func written(_ path: String) -> Double {
    do {
      let words =
        try FileText.read(path, limit: 1000, isInterrupted: { false })?.split { $0 == " " || $0 == "\n" } ?? []
      return words.count == 2 && Int(words[1]) == Self.count ? Double(words[0]) ?? -1 : -1
    } catch {
      return -1
    }
  }

  private func inLoop(_ title: String, _ statement: String) -> Figure? {
    compare(title, wanted: 1.5, rounds: 3, scale: 1e3, unit: "ms") {
      run(["-e", "local deck = decks.create('Bench') for i = 1, \(Self.count) do assert(\(statement)) end"])
    } reference: {
      run([
        "-e",
        """
        local i = 0
        assert(decks.create("Bench")):add_all(function()
          i = i + 1
          if i <= \(Self.count) then return {prompt = "prompt " .. i, answer = "answer " .. i} end
        end)
        """,
      ])
    }
  }

  /// Returns the seconds of a run of the program with an empty data folder.
  private func run(_ arguments: [String]) -> Double {
    let data = folder + "/data"
    for ending in ["", "-wal", "-shm"] { unlink("\(data)/local/collection.sqlite\(ending)") }
    return seconds(ofRunning: deckhand, ["--data", data, "--no-plugins"] + arguments)
  }
}
