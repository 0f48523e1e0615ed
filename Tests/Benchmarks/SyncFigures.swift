// The cost of a sync, whole program. References: Anki's own client, which downloads the same rows from the same server
// (its package from PyPI, in the Python that ANKI_PYTHON names), and the target time.

import Files
import Glibc

struct SyncFigures {
  private let folder = Asked.folder + "/sync"

  private let pull = "a first pull of 100,000 rows, whole program, against Anki's own client row by row (ANKI_PYTHON)"
  private let idle = "a sync with nothing to do, 3,000 rows, whole program, within 50 ms and the network (ANKI_PYTHON)"

  func all() throws -> [Figure?] {
    guard [pull, idle].contains(where: isAsked) else { return [] }
    guard let python = getenv("ANKI_PYTHON").map({ String(cString: $0) }) else {
      print("sync: skipped, ANKI_PYTHON names no Python with the package anki")
      return []
    }
    try makePrivateFolder(folder)
    var seconds: (ours: Double, theirs: Double) = (-1, -1)
    let pulled = compare(pull, wanted: 1, rounds: 3, scale: 1e3, unit: "ms") {
      seconds.ours
    } reference: {
      let measured = measure(python, rows: sized(100_000))
      seconds = (measured[0], measured[1])
      return seconds.theirs
    }
    let waited = compare(idle, wanted: 1, rounds: 3, scale: 1e3, unit: "ms") {
      seconds.ours
    } reference: {
      let measured = measure(python, rows: sized(3000))
      seconds.ours = measured[2]
      return 0.05 + measured[3]
    }
    return [pulled, waited]
  }

  /// Returns the four times in seconds that the peer writes; -1 each if it failed.
  private func measure(_ python: String, rows: Int) -> [Double] {
    let result = folder + "/seconds"
    let failed = [Double](repeating: -1, count: 4)
    let arguments = ["Tests/Peers/anki_sync_speed.py", deckhand, "\(rows)", result]
    guard seconds(ofRunning: python, arguments) >= 0 else { return failed }
    do {
      let words =
        try FileText.read(result, limit: 1000, isInterrupted: { false })?.split { $0 == " " || $0 == "\n" } ?? []
      let numbers = words.compactMap { Double($0) }
      return numbers.count == failed.count ? numbers : failed
    } catch {
      return failed
    }
  }
}
