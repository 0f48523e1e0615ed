// Writes small compiled dictionaries, as lttoolbox does, for tests that need no Debian package.

/// A dictionary with one transducer: a chain of arcs for each entry.
struct TransducerSample {
  /// Input and output, symbol by symbol; `<n>` is a tag, an empty text is an empty symbol.
  var entries: [[(String, String)]]
  var name = "main@standard"
  var features: UInt8 = 0

  /// An entry of an analyser: the letters of a form, then the additional output.
  static func analysis(_ form: String, _ lemma: String, _ tags: String...) -> [(String, String)] {
    let (read, written) = (form.map(String.init), lemma.map(String.init))
    let letters = (0..<max(read.count, written.count)).map { index in
      (index < read.count ? read[index] : "", index < written.count ? written[index] : "")
    }
    return letters + tags.map { ("", "<\($0)>") }
  }

  func bytes() -> [UInt8] {
    let tags = Array(Set(entries.joined().flatMap { [$0.0, $0.1] }.filter { $0.hasPrefix("<") })).sorted()
    func symbol(_ text: String) -> Int {
      if text.isEmpty { return 0 }
      if let tag = tags.firstIndex(of: text) { return -(tag + 1) }
      return Int(text.unicodeScalars.first?.value ?? 0)
    }
    var pairs: [[Int]] = [[0, 0]]
    // State 0 is the initial one, 1 the final one.
    var states: [[(pair: Int, target: Int)]] = [[], []]
    for entry in entries {
      var state = 0
      for (index, step) in entry.enumerated() {
        let pair = [symbol(step.0), symbol(step.1)]
        if !pairs.contains(pair) { pairs.append(pair) }
        let target = index == entry.count - 1 ? 1 : states.count
        if target > 1 { states.append([]) }
        states[state].append((pairs.firstIndex(of: pair) ?? 0, target))
        state = target
      }
    }
    var out: [UInt8] = Array("LTTB".utf8) + [0, 0, 0, 0, 0, 0, 0, features]
    out += Self.number(0) + Self.number(tags.count)
    for tag in tags { out += Self.text(String(tag.dropFirst().dropLast())) }
    out += Self.number(pairs.count)
    for pair in pairs { for symbol in pair { out += Self.number(symbol + tags.count) } }
    out += Self.number(1) + Self.text(name) + Array("LTTD".utf8) + [UInt8](repeating: 0, count: 8)
    out += Self.number(0) + Self.number(1) + Self.number(1) + Self.number(states.count)
    for (state, arcs) in states.enumerated() {
      out += Self.number(arcs.count)
      var last = 0
      for arc in arcs.sorted(by: { $0.pair < $1.pair }) {
        out += Self.number(arc.pair - last) + Self.number((arc.target - state + states.count) % states.count)
        last = arc.pair
      }
    }
    return out
  }

  private static func text(_ text: String) -> [UInt8] {
    let scalars = text.unicodeScalars
    return number(scalars.count) + scalars.flatMap { number(Int($0.value)) }
  }

  private static func number(_ value: Int) -> [UInt8] {
    switch value {
    case ..<0x40: [UInt8(value)]
    case ..<0x4000: [UInt8(0x40 | value >> 8), UInt8(value & 0xFF)]
    default: [UInt8(0x80 | value >> 16), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
    }
  }
}
