// Reads Apertium's compiled dictionaries (lttoolbox's `LTTB` files), analysers and bilingual ones. Invariant: the file
// is not trusted: a count never reserves more than its remaining bytes, and every state and symbol pair is checked.

import Text

/// The bytes of a file, read from start to end.
struct TransducerBytes {
  private let bytes: [UInt8]
  private let path: String
  private var position = 0

  init(_ bytes: [UInt8], path: String) { (self.bytes, self.path) = (bytes, path) }

  func damage(_ reason: String) -> LanguageError { .damaged(path: path, reason: "byte \(position): \(reason)") }

  mutating func byte() throws(LanguageError) -> Int {
    guard position < bytes.count else { throw damage("it is truncated") }
    defer { position += 1 }
    return Int(bytes[position])
  }

  /// Reads a number: the top two bits of its first byte say how many bytes follow, most significant first.
  mutating func number() throws(LanguageError) -> Int {
    let first = try byte()
    var value = first & 0x3F
    for _ in 0..<(first >> 6) { value = value << 8 | (try byte()) }
    return value
  }

  /// Reads a count of entries that take at least one byte each.
  mutating func count() throws(LanguageError) -> Int {
    let count = try number()
    guard count <= bytes.count - position else {
      throw damage("it claims to have \(count) entries, more than there are")
    }
    return count
  }

  /// Reads a text as code points.
  mutating func text() throws(LanguageError) -> [UInt32] {
    var scalars: [UInt32] = []
    for _ in 0..<(try count()) { scalars.append(UInt32(try number())) }
    return scalars
  }

  /// Checks a header: four letters, then eight bytes of feature flags; a file with any of them is not supported.
  mutating func head(_ name: String) throws(LanguageError) {
    for letter in name.utf8 where try byte() != Int(letter) { throw damage("\(name) expected") }
    for _ in 0..<8 where try byte() != 0 { throw damage("it has unsupported features, such as weights") }
  }
}

/// A pair of symbols: input and output. 0 is the empty symbol, a positive number a code point, -k the tag k.
struct SymbolPair {
  var input: Int32
  var output: Int32
}

/// The symbols that all transducers of a file share.
struct TransducerAlphabet {
  /// The tags without their brackets, from index 1.
  private(set) var tags: [String] = [""]
  private(set) var pairs: [SymbolPair] = []

  init(_ bytes: inout TransducerBytes) throws(LanguageError) {
    let count = try bytes.count()
    for _ in 0..<count {
      var tag = ""
      for scalar in try bytes.text() { tag.unicodeScalars.append(Unicode.Scalar(scalar) ?? "\u{FFFD}") }
      tags.append(tag)
    }
    for _ in 0..<(try bytes.count()) {
      let (input, output) = (try bytes.number() - count, try bytes.number() - count)
      for symbol in [input, output] where symbol > 0 && Unicode.Scalar(UInt32(symbol)) == nil {
        throw bytes.damage("no character has the number \(symbol)")
      }
      pairs.append(SymbolPair(input: Int32(input), output: Int32(output)))
    }
  }
}

/// One automaton of a file.
struct Transducer {
  struct Arc {
    var input: Int32
    var output: Int32
    var target: UInt32
  }

  let initial: UInt32
  private let isFinal: [Bool]
  private let starts: [UInt32]
  private let arcs: [Arc]

  init(_ bytes: inout TransducerBytes, _ alphabet: TransducerAlphabet) throws(LanguageError) {
    try bytes.head("LTTD")
    let first = try bytes.number()
    var finals: [Int] = []
    for _ in 0..<(try bytes.count()) { finals.append((finals.last ?? 0) + (try bytes.number())) }
    let count = try bytes.count()
    guard first < count, finals.allSatisfy({ $0 < count }) else { throw bytes.damage("a state is missing") }
    var (isFinal, starts, arcs): ([Bool], [UInt32], [Arc]) = (Array(repeating: false, count: count), [0], [])
    for final in finals { isFinal[final] = true }
    starts.reserveCapacity(count + 1)
    for state in 0..<count {
      var (pair, own): (Int, [Arc]) = (0, [])
      for _ in 0..<(try bytes.count()) {
        pair += try bytes.number()
        guard pair < alphabet.pairs.count else { throw bytes.damage("a pair of symbols is missing") }
        let symbols = alphabet.pairs[pair]
        let target = (state + (try bytes.number())) % count
        own.append(Arc(input: symbols.input, output: symbols.output, target: UInt32(target)))
      }
      own.sort { $0.input < $1.input }
      arcs += own
      starts.append(UInt32(arcs.count))
    }
    (initial, self.isFinal, self.starts, self.arcs) = (UInt32(first), isFinal, starts, arcs)
  }

  func isFinal(_ state: UInt32) -> Bool { isFinal[Int(state)] }

  /// All arcs from a state, sorted by input symbol.
  func arcs(from state: UInt32) -> ArraySlice<Arc> { arcs[Int(starts[Int(state)])..<Int(starts[Int(state) + 1])] }

  func arcs(from state: UInt32, reading symbol: Int32) -> ArraySlice<Arc> {
    let (start, end) = (Int(starts[Int(state)]), Int(starts[Int(state) + 1]))
    let low = (start..<end).bisected { arcs[$0].input < symbol }
    var last = low
    while last < end, arcs[last].input == symbol { last += 1 }
    return arcs[low..<last]
  }
}

/// The automata of a file that read words; those that match numbers and addresses by patterns are left out.
struct TransducerFile {
  private static let limit = 16 << 20
  let alphabet: TransducerAlphabet
  let transducers: [Transducer]

  init(_ path: String, isInterrupted: @escaping () -> Bool) throws(LanguageError) {
    try self.init(dataBytes(path, limit: Self.limit, isInterrupted: isInterrupted), path: path)
  }

  init(_ content: [UInt8], path: String) throws(LanguageError) {
    var bytes = TransducerBytes(content, path: path)
    try bytes.head("LTTB")
    // The set of letters, which is not used: tokens are found by our own rules.
    for _ in 0..<(try bytes.count()) { _ = try bytes.number() }
    alphabet = try TransducerAlphabet(&bytes)
    var transducers: [Transducer] = []
    for _ in 0..<(try bytes.count()) {
      let name = try bytes.text()
      let transducer = try Transducer(&bytes, alphabet)
      if !name.starts(with: "regexp@".unicodeScalars.map(\.value)) { transducers.append(transducer) }
    }
    self.transducers = transducers
  }
}
