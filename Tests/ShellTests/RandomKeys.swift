// Random keys typed at a program in a pseudo-terminal, the same for the same seed: they find crashes and hangs.
// Invariant: no key by itself ends the program (Ctrl-D, Ctrl-\), stops it (Ctrl-Z), or stops its output (Ctrl-S);
// Ctrl-C, which discards typed-ahead keys, is sent only after all earlier keys were read.

import Glibc
import TestSupport

struct RandomKeys {
  /// The number of runs, and of keys in each: `DECKHAND_FUZZ=500x1500` asks for more than the default,
  /// `DECKHAND_FUZZ=500x1500@250` for runs from seed 250 on.
  static func plan(runs: Int, keys: Int) -> (seeds: Range<UInt64>, keys: Int) {
    let asked = getenv("DECKHAND_FUZZ").map { String(cString: $0) } ?? ""
    let numbers = asked.split { !$0.isNumber }.compactMap { Int($0) }
    guard numbers.count >= 2 else { return (1..<UInt64(runs + 1), keys) }
    let first = UInt64(numbers.count > 2 ? numbers[2] : 1)
    return (first..<first + UInt64(numbers[0]), numbers[1])
  }

  /// Single keys, and some sequences that only have a meaning together.
  private static let keys: [String] =
    [
      "\u{1B}[A", "\u{1B}[B", "\u{1B}[C", "\u{1B}[D", "\u{1B}OA", "\u{1B}[H", "\u{1B}[F", "\u{1B}[3~", "\u{1B}[5~",
      "\u{1B}[6~", "\u{1B}[1;5C", "\u{1B}[1;3D", "\u{1B}[15~", "\u{1B}[", "\u{1B}O", "\u{1B}", "\u{1B}\u{1B}",
      "\t\t", "Sp\t", "many", "deck ", "card ", "it\t", "\"S\t", "decks.", "for x in ", "(", ")", "[[", "end\r",
      "\u{12}\u{1B}5", "\u{12}ab\u{12}", "\u{11}", "\u{18}(", "\u{18})", "\u{18}e", "\u{18}\u{15}",
      "\u{18}\u{18}", "\u{18}\u{05}", "\u{18}\u{7F}", "\u{18}*", "\u{18}?", "\u{1B}5", "\u{1B}-", "\u{1B}9\u{1B}9",
      "\u{15}", "\u{1B}\u{0A}", "\u{1B}?", "\u{1B}*", "\u{1B}h", "\u{1B}n", "\u{1B}p", "\u{1B}y", "\u{1B}.",
      "\u{1B}t", "\u{1B}u", "\u{1B}\\", "\u{1B}#", "\u{1B}~", "\u{1B}&", "\u{1B}<", "\u{1B}>", "\u{1B}\u{1D}",
      "\u{1B}\u{19}", "\u{1B}\u{12}", "\u{1B}\u{09}", "\u{1B}\u{08}", "ñ", "🐕", "e\u{301}", "漢字", "\u{200B}",
      "\u{1B}[200~paste\n\tx\n\u{1B}[201~", "\u{1B}[200~", "\u{1B}[201~", "abc def ", "\r", "\r", "\r", "\n",
    ] + (0..<128).filter { ![0x03, 0x04, 0x13, 0x1A, 0x1C].contains($0) }.map { String(UnicodeScalar(UInt8($0))) }

  /// Keys that leave any mode: searches, numeric arguments, vi's command mode.
  private static let wayOut = ["\u{11}", "\u{03}", "i", "\u{03}", "\u{03}"]

  private var random: TestGenerator
  private let count: Int

  init(seed: UInt64, count: Int) { (random, self.count) = (TestGenerator(seed), count) }

  /// Types the keys, with pauses and terminal resizes in between, and returns to an empty line.
  mutating func type(at terminal: PseudoTerminal) {
    var left = count
    while left > 0 {
      let burst = Int.random(in: 1...min(left, 40), using: &random)
      terminal.type((0..<burst).map { _ in Self.keys[Int.random(in: 0..<Self.keys.count, using: &random)] }.joined())
      left -= burst
      switch Int.random(in: 0..<12, using: &random) {
      case 0: terminal.resize(columns: .random(in: 5...200, using: &random))
      case 1: terminal.type([UInt8.random(in: 128...255, using: &random)])
      case 2:
        terminal.waitUntilRead(milliseconds: 10)
        terminal.type("\u{03}")
      default: terminal.waitUntilQuiet(milliseconds: .random(in: 1...5, using: &random))
      }
    }
    for key in Self.wayOut {
      terminal.waitUntilRead(milliseconds: 100)
      terminal.type(key)
    }
    terminal.waitUntilRead(milliseconds: 100)
  }
}

extension PseudoTerminal {
  /// Reads the output until there is none for `milliseconds`, a second at most.
  fileprivate func waitUntilQuiet(milliseconds: Int32) {
    let end = monotonicSeconds() + 1
    while !takeOutput(milliseconds: milliseconds).isEmpty, monotonicSeconds() < end {}
  }

  /// Reads the output until there is none for `milliseconds` and the program waits for keys, because it has read all; a
  /// minute at most.
  fileprivate func waitUntilRead(milliseconds: Int32) {
    let end = monotonicSeconds() + 60
    while !takeOutput(milliseconds: milliseconds).isEmpty || !isResting, monotonicSeconds() < end {}
  }
}
