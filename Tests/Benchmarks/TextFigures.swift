// Texts: a million words analysed, and five times as many, which take five times as long. Invariant: the text is made
// here, the same each time, of words that no language data is needed for.

import Files
import Glibc

enum TextFigures {
  /// - Parameter deckhand: the program.
  static func all(_ deckhand: String, _ folder: String) -> [Figure] {
    mkdir(folder, 0o700)
    let (path, large) = (folder + "/words.txt", folder + "/many.txt")
    let count = sized(1_000_000)
    guard write(text(count), to: path), write(text(5 * count), to: large) else { return [] }
    let code = """
      local n = {} for line in io.lines(arg[1]) do for w in line:gmatch('%a+') do w = w:lower() n[w] = (n[w] or 0) + 1 end end
      """
    func shown(_ file: String) -> Double {
      seconds(ofRunning: deckhand, ["--data", folder + "/data", "--no-plugins", "text", "show", file])
    }
    return [
      compare(
        "text show of 1,000,000 words against counting them in lua5.4", wanted: 4, rounds: 3, scale: 1e3, unit: "ms"
      ) {
        shown(path)
      } reference: {
        guard write(code, to: folder + "/count.lua") else { return -1 }
        return seconds(ofRunning: "lua5.4", [folder + "/count.lua", path])
      },
      compare(
        "text show of five times the words against five times the time", wanted: 1.3, rounds: 3, scale: 1e3, unit: "ms"
      ) {
        shown(large)
      } reference: {
        5 * shown(path)
      },
    ].compactMap(\.self)
  }

  private static func write(_ text: String, to path: String) -> Bool {
    do {
      try AtomicFile.write(path, Array(text.utf8))
      return true
    } catch {
      // The figure says that it failed.
      return false
    }
  }

  /// Words of two to four syllables, frequent ones more often, in sentences of ten.
  private static func text(_ count: Int) -> String {
    var (text, state) = ("", UInt64(42))
    let syllables = [
      "ka", "lo", "mi", "tu", "ser", "an", "do", "pe", "rri", "go", "ña", "qui", "ble", "ten", "sa", "vo",
    ]
    for word in 0..<count {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let rank = Int(state >> 40) % (1 + Int(state >> 20) % 20_000)
      var rest = rank
      repeat {
        text += syllables[rest % 16]
        rest /= 16
      } while rest > 0
      text += word % 10 == 9 ? ". Y\n" : " "
    }
    return text
  }
}
