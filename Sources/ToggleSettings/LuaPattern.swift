// Patterns for the texts of settings: those of Lua 5.4 (manual §6.4.1) without captures of positions and back
// references.
// Invariant: matching takes a bounded number of steps; a pattern that would take more counts as not matched.

/// A pattern that was checked once. It works on bytes, as Lua's do. Parentheses are allowed and mean nothing here.
struct LuaPattern {
  private enum Atom {
    case any
    case byte(UInt8)
    case set([ClosedRange<UInt8>], classes: [UInt8], negated: Bool)
  }

  private enum Count { case one, optional, many, someMore, fewest }

  private let items: [(atom: Atom, count: Count)]
  private static let longest = 512
  private static let mostSteps = 200_000

  /// Nil when the text is not a pattern: an open set, a `%` at the end, `%b`, `%f` or a back reference.
  init?(_ pattern: String) {
    var bytes = Array(pattern.utf8)
    guard bytes.count <= LuaPattern.longest else { return nil }
    if bytes.first == UInt8(ascii: "^") { bytes.removeFirst() }
    if bytes.last == UInt8(ascii: "$"), LuaPattern.percents(before: bytes) % 2 == 0 { bytes.removeLast() }
    var rest = bytes[...]
    var items: [(atom: Atom, count: Count)] = []
    var open = 0
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "(") {
        open += 1
      } else if byte == UInt8(ascii: ")") {
        open -= 1
        if open < 0 { return nil }
      } else {
        guard let atom = LuaPattern.atom(byte, &rest) else { return nil }
        items.append((atom, LuaPattern.count(&rest)))
      }
    }
    guard open == 0 else { return nil }
    self.items = items
  }

  /// How many `%` stand in a row before the last byte: an odd number makes it a letter of the text.
  private static func percents(before bytes: [UInt8]) -> Int {
    bytes.dropLast().reversed().prefix { $0 == UInt8(ascii: "%") }.count
  }

  private static func atom(_ byte: UInt8, _ rest: inout ArraySlice<UInt8>) -> Atom? {
    switch byte {
    case UInt8(ascii: "."): return .any
    case UInt8(ascii: "["): return set(&rest)
    case UInt8(ascii: "%"):
      guard let next = rest.popFirst(), !isDigit(next), next != UInt8(ascii: "b"), next != UInt8(ascii: "f") else {
        return nil
      }
      return isLetter(next) ? .set([], classes: [next], negated: false) : .byte(next)
    default: return .byte(byte)
    }
  }

  private static func set(_ rest: inout ArraySlice<UInt8>) -> Atom? {
    var ranges: [ClosedRange<UInt8>] = []
    var classes: [UInt8] = []
    let negated = rest.first == UInt8(ascii: "^")
    if negated { rest.removeFirst() }
    var isFirst = true
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "]"), !isFirst { return .set(ranges, classes: classes, negated: negated) }
      isFirst = false
      if byte == UInt8(ascii: "%") {
        guard let next = rest.popFirst() else { return nil }
        if isLetter(next) { classes.append(next) } else { ranges.append(next...next) }
      } else if rest.first == UInt8(ascii: "-"), let end = rest.dropFirst().first, end != UInt8(ascii: "]") {
        rest.removeFirst(2)
        if byte <= end { ranges.append(byte...end) }
      } else {
        ranges.append(byte...byte)
      }
    }
    return nil
  }

  private static func count(_ rest: inout ArraySlice<UInt8>) -> Count {
    let count: Count =
      switch rest.first {
      case UInt8(ascii: "*"): .many
      case UInt8(ascii: "+"): .someMore
      case UInt8(ascii: "-"): .fewest
      case UInt8(ascii: "?"): .optional
      default: .one
      }
    if count != .one { rest.removeFirst() }
    return count
  }

  /// Whether the whole text matches, first byte to last. `fewest` needs no order of its own: only whether there is a
  /// way counts.
  func matches(whole text: String) -> Bool {
    let bytes = Array(text.utf8)
    // Each set of places reached is one step of all ways at once, so there is no backtracking to blow up.
    var places = Set([0])
    var steps = 0
    for (atom, count) in items {
      var reached: Set<Int> = count == .one || count == .someMore ? [] : places
      for place in places {
        var next = place
        while next < bytes.count, LuaPattern.admits(atom, bytes[next]) {
          next += 1
          steps += 1
          if steps > LuaPattern.mostSteps { return false }
          if !reached.insert(next).inserted, count == .many || count == .someMore || count == .fewest { break }
          if count == .one || count == .optional { break }
        }
      }
      if reached.isEmpty { return false }
      places = reached
    }
    return places.contains(bytes.count)
  }

  private static func admits(_ atom: Atom, _ byte: UInt8) -> Bool {
    switch atom {
    case .any: true
    case .byte(let wanted): byte == wanted
    case .set(let ranges, let classes, let negated):
      (ranges.contains { $0.contains(byte) } || classes.contains { isIn($0, byte) }) != negated
    }
  }

  /// The classes of Lua in the C locale; a capital letter is the complement.
  private static func isIn(_ name: UInt8, _ byte: UInt8) -> Bool {
    let graphic = (0x21...0x7E).contains(byte)
    let alphanumeric = isLetter(byte) || isDigit(byte)
    let member: Bool? =
      switch name | 0x20 {
      case UInt8(ascii: "a"): isLetter(byte)
      case UInt8(ascii: "d"): isDigit(byte)
      case UInt8(ascii: "w"): alphanumeric
      case UInt8(ascii: "l"): (0x61...0x7A).contains(byte)
      case UInt8(ascii: "u"): (0x41...0x5A).contains(byte)
      case UInt8(ascii: "s"): byte == 0x20 || (0x09...0x0D).contains(byte)
      case UInt8(ascii: "c"): byte < 0x20 || byte == 0x7F
      case UInt8(ascii: "g"): graphic
      case UInt8(ascii: "p"): graphic && !alphanumeric
      case UInt8(ascii: "x"): isDigit(byte) || (0x61...0x66).contains(byte | 0x20)
      default: nil
      }
    guard let member else { return name == byte }
    return member != (0x41...0x5A).contains(name)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
