// Cards of a corpus: `map | sort | map --reduce` with Scripts/decks/frequency.lua, in processor time, compared with
// the same script in plain Lua, with mawk, which only counts, and with Spark SQL. Invariant: both sides read the same
// text; those that make cards make the same ones.

import Files
import Glibc

struct MapFigures {
  private let folder = Asked.folder + "/map"
  private let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

  private let beside = "map, sort and reduce of 100 MB in processor time against the same script in lua5.4"
  private let counting = "map, sort and reduce of 100 MB in processor time against mawk that counts only"
  private let spark = "map, sort and reduce of 100 MB in processor time against Spark SQL alone"
  private let growth = "map, sort and reduce of 100 MB against 10 MB"
  private let large = "map, sort and reduce of 1,000 MB against 100 MB"

  /// Measures, and prints each figure when it is ready, because they take minutes.
  func measure() throws {
    guard [beside, counting, spark, growth, large].contains(where: isAsked) else { return }
    try makePrivateFolder(folder)
    try makeText(10)
    try makeText(100)
    show([figure(beside, wanted: 1) { plainLua(100) }])
    show([figure(counting, wanted: nil) { mawk(100) }])
    show([sparkAlone()])
    show([figure(growth, wanted: 11) { ours(10) }])
    show([try largest()])
  }

  /// The figure of 100 MB.
  private func figure(_ title: String, wanted: Double?, reference: () -> Double) -> Figure? {
    compare(title, wanted: wanted, rounds: 1, scale: 1, unit: "s", ours: { ours(100) }, reference: reference)
  }

  /// Runs only when asked for by name: it takes a quarter of an hour.
  private func largest() throws -> Figure? {
    guard Asked.isSmoke || Asked.text?.contains("1,000 MB") == true else { return nil }
    try makeText(1000)
    return compare(large, wanted: 11, rounds: 1, scale: 1, unit: "s", ours: { ours(1000) }, reference: { ours(100) })
  }

  private func makeText(_ megabytes: Int) throws {
    _ = shell(
      "python3 '\(root)/Tests/Peers/sentences.py' \(Double(megabytes) / Double(Asked.isSmoke ? 100 : 1)) > '\(text(megabytes))'"
    )
  }

  private func text(_ megabytes: Int) -> String { "\(folder)/text\(megabytes)" }

  /// Runs a shell command line; returns the processor seconds of it and all its children, or -1, and the largest
  /// memory of one of them.
  private func shell(_ line: String) -> (seconds: Double, bytes: Int) {
    let used = resources(ofRunning: "bash", ["-c", "set -e -o pipefail; " + line])
    return (used.seconds < 0 ? -1 : used.processor, used.bytes)
  }

  private func ours(_ megabytes: Int) -> Double {
    let script = "'\(root)/Scripts/decks/frequency.lua'"
    let mapped = shell("'\(deckhand)' map \(script) < '\(text(megabytes))' > '\(folder)/mapped' 2> /dev/null")
    let sorted = shell("LC_ALL=C sort '\(folder)/mapped' > '\(folder)/sorted'")
    let reduced = shell("'\(deckhand)' map --reduce \(script) < '\(folder)/sorted' > '\(folder)/ours' 2> /dev/null")
    let megabyte = 1_048_576
    print(
      "map and reduce of \(megabytes) MB\n    \(mapped.bytes / megabyte) and \(reduced.bytes / megabyte) MB of memory, "
        + "120 wanted")
    return total([mapped.seconds, sorted.seconds, reduced.seconds])
  }

  private func plainLua(_ megabytes: Int) -> Double {
    let lua = "lua5.4 '\(root)/Tests/Peers/map.lua'"
    let script = "'\(root)/Scripts/decks/frequency.lua'"
    return shell(
      """
      \(lua) \(script) < '\(text(megabytes))' | LC_ALL=C sort | \(lua) --reduce \(script) > '\(folder)/theirs'
      test ! -f '\(folder)/ours' || cmp '\(folder)/ours' '\(folder)/theirs'
      """
    ).seconds
  }

  private func mawk(_ megabytes: Int) -> Double {
    let program =
      #"{ $0 = tolower($0); gsub(/[^a-z]+/, " "); for (i = 1; i <= NF; i++) n[$i]++ } "#
      + "END { for (w in n) print w, n[w] }"
    return shell("mawk '\(program)' '\(text(megabytes))' > '\(folder)/counts'").seconds
  }

  private func sparkAlone() -> Figure? {
    guard isAsked(spark) else { return nil }
    let python = root + "/.build/spark-env/bin/python3"
    guard access(python, X_OK) == 0 else {
      print("\(spark): skipped, Scripts/spark/test makes its environment")
      return nil
    }
    return figure(spark, wanted: 0.5) {
      shell("'\(python)' '\(root)/Tests/Peers/spark_words.py' '\(text(100))' '\(folder)/spark' 2> /dev/null").seconds
    }
  }

  private func total(_ parts: [Double]) -> Double { parts.contains { $0 < 0 } ? -1 : parts.reduce(0, +) }
}
