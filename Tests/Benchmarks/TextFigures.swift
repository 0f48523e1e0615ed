// Texts: a million words analysed, and five times as many, which take five times as long; a season of subtitles mined;
// a large dictionary indexed and queried. Invariant: the input is generated here, the same each time, from words that
// need no language data.

import Files
import Glibc

enum TextFigures {
  private static let folder = Asked.folder + "/texts"
  private static let data = ["--data", folder + "/data", "--no-plugins"]

  static func all() -> [Figure?] {
    mkdir(folder, 0o700)
    let (path, large) = (folder + "/words.txt", folder + "/many.txt")
    let count = sized(1_000_000)
    let code = """
      local n = {} for line in io.lines(arg[1]) do for w in line:gmatch('%a+') do w = w:lower() n[w] = (n[w] or 0) + 1 end end
      """
    guard write(text(count), to: path), write(text(5 * count), to: large), write(code, to: folder + "/count.lua") else {
      failed("texts")
      return []
    }
    func shown(_ file: String) -> Double { seconds(ofRunning: deckhand, data + ["text", "show", file]) }
    return [
      compare(
        "text show of 1,000,000 words against counting them in lua5.4", wanted: 4, rounds: 3, scale: 1e3, unit: "ms",
        ours: { shown(path) }, reference: { seconds(ofRunning: "lua5.4", [folder + "/count.lua", path]) }),
      compare("memory of text show of 1,000,000 words against 96 MB", wanted: 1, rounds: 1, scale: 1, unit: "MB") {
        let used = resources(ofRunning: deckhand, data + ["text", "show", path])
        return used.seconds < 0 ? -1 : Double(used.bytes) / 1e6
      } reference: {
        96
      },
      compare(
        "text show of five times the words against five times the time", wanted: 1.3, rounds: 3, scale: 1e3, unit: "ms",
        ours: { shown(large) }, reference: { 5 * shown(path) }),
      compare(
        "12 episodes with translations mined to 500 cards against the same texts shown", wanted: 6, rounds: 3,
        scale: 1e3, unit: "ms", ours: mined,
        reference: {
          seconds(ofRunning: deckhand, data + ["text", "show", "--language", "turkish"] + season().texts)
        }),
      compare(
        "a Yomitan dictionary of 1,000,000 entries indexed against python3 that reads it", wanted: 1.5, rounds: 1,
        scale: 1, unit: "s",
        ours: { seconds(ofRunning: deckhand, data + ["word", "dictionaries", "add", dictionary()]) },
        reference: { seconds(ofRunning: "python3", ["-c", readInPython, dictionary()]) }),
      compare(
        "a thousand words looked up in it against a thousand milliseconds", wanted: 1, rounds: 3, scale: 1e3,
        unit: "ms", ours: { seconds(ofRunning: deckhand, data + ["-e", lookUps]) }, reference: { 1 }),
    ]
  }

  // MARK: A season of subtitles

  /// Writes twelve files of 420 lines, and their translations, which start 2.3 s later.
  private static func season() -> (texts: [String], translations: [String]) {
    let count = max(10, sized(420))
    return (0..<12).reduce(into: ([], [])) { files, episode in
      let (text, translation) = ("\(folder)/ep\(episode).srt", "\(folder)/ep\(episode).en.srt")
      var (lines, others, time) = ("", "", 10_000)
      let words = Self.text(count * 22).split(whereSeparator: \.isWhitespace)
      for line in 0..<count {
        let said = words[((line * 22 + episode * 31) % (words.count - 22))...].prefix(22).joined(separator: " ")
        lines += "\(line + 1)\n\(stamp(time)) --> \(stamp(time + 3_000))\n\(said).\n\n"
        others += "\(line + 1)\n\(stamp(time + 2_300)) --> \(stamp(time + 5_300))\nLine \(line) of it.\n\n"
        time += 3_500 + line * 7_919 % 4_000
      }
      guard write(lines, to: text), write(others, to: translation) else { return }
      files.0.append(text)
      files.1.append(translation)
    }
  }

  private static func stamp(_ time: Int) -> String {
    func filled(_ number: Int, _ count: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
    return "\(filled(time / 3_600_000, 2)):\(filled(time / 60_000 % 60, 2)):\(filled(time / 1_000 % 60, 2)),"
      + filled(time % 1_000, 3)
  }

  /// Mines into an empty collection each time.
  private static func mined() -> Double {
    let (files, data) = (season(), folder + "/mined")
    guard seconds(ofRunning: "rm", ["-rf", data]) >= 0 else { return -1 }
    return seconds(
      ofRunning: deckhand,
      ["--data", data, "--no-plugins", "mine", "--deck", "Season", "--language", "turkish", "--count", "500"]
        + files.texts + files.translations.flatMap { ["--translation", $0] })
  }

  // MARK: A dictionary

  /// Made once, by python3, which can write zip files.
  private static func dictionary() -> String {
    let path = folder + "/big.zip"
    if !fileExists(path) { _ = seconds(ofRunning: "python3", ["-c", makeInPython, path, "\(sized(1_000_000))"]) }
    return path
  }

  private static let makeInPython = """
    import json, sys, zipfile
    with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as z:
        z.writestr('index.json', json.dumps({'title': 'Big', 'format': 3, 'revision': '1', 'sourceLanguage': 'es',
            'targetLanguage': 'en'}))
        count = int(sys.argv[2])
        for bank in range(0, count, 10000):
            z.writestr(f'term_bank_{bank // 10000 + 1}.json', json.dumps([[f'palabra{n}', '', 'n', '', 0,
                [f'the meaning of word {n}, and another one'], n, ''] for n in range(bank, min(count, bank + 10000))]))
    """

  private static let readInPython = """
    import json, sys, zipfile
    words = {}
    with zipfile.ZipFile(sys.argv[1]) as z:
        for name in z.namelist():
            if name.startswith('term_bank'):
                for entry in json.loads(z.read(name)): words.setdefault(entry[0], []).append(entry[5])
    """

  private static let lookUps = """
    local lexicon = words.lexicon("spanish")
    for n = 1, 1000 do lexicon:define("palabra" .. n * 9) end
    """

  private static func write(_ text: String, to path: String) -> Bool {
    do {
      try AtomicFile.write(path, Array(text.utf8))
      return true
    } catch {
      // The figure then reports that it failed.
      return false
    }
  }

  /// Returns words of two to four syllables, frequent ones more often, in sentences of ten.
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
