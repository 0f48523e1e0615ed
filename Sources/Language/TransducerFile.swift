// Reads Apertium's compiled dictionaries (lttoolbox's `LTTB` files), analysers and bilingual ones, and runs words
// through them. Invariant: the file is not trusted: a count never reserves more than its remaining bytes, and every
// state and symbol pair is checked. A walk terminates whatever the file contains: it has at most 20,000 live states, a
// word at most 100 letters, an output at most 400 symbols.

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
    try (0..<count()).map { _ throws(LanguageError) in UInt32(try number()) }
  }

  /// Checks a header: four letters, then eight bytes of feature flags; a file with any of them is not supported.
  mutating func head(_ name: String) throws(LanguageError) {
    for letter in name.utf8 where try byte() != Int(letter) { throw damage("\(name) expected") }
    for _ in 0..<8 where try byte() != 0 { throw damage("it has unsupported features, such as weights") }
  }
}

/// The symbols that all transducers of a file share: 0 is the empty one, a positive number a code point, -k the tag k.
struct TransducerAlphabet {
  /// The tags without their brackets, from index 1.
  private(set) var tags: [String] = [""]
  private(set) var pairs: [(input: Int32, output: Int32)] = []

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
      pairs.append((Int32(input), Int32(output)))
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

/// The parallel walks of one word: the state of each, and its output so far.
private struct Walk {
  static let mostStates = 20_000
  private static let longestOutput = 400

  private struct Node {
    let parent: Int32
    let symbol: Int32
    let depth: Int32
  }
  struct Place {
    var state: UInt32
    var node: Int32
  }

  let transducer: Transducer
  private(set) var places: [Place]
  private var nodes: [Node] = []

  init(_ transducer: Transducer) {
    self.transducer = transducer
    places = [Place(state: transducer.initial, node: -1)]
    followSilent()
  }

  private mutating func follow(_ arc: Transducer.Arc, from node: Int32, into next: inout [Place]) {
    guard next.count < Self.mostStates else { return }
    guard arc.output != 0 else { return next.append(Place(state: arc.target, node: node)) }
    let depth = node < 0 ? 1 : nodes[Int(node)].depth + 1
    guard depth < Self.longestOutput, nodes.count < Self.mostStates * 10 else { return }
    nodes.append(Node(parent: node, symbol: arc.output, depth: depth))
    next.append(Place(state: arc.target, node: Int32(nodes.count - 1)))
  }

  /// Adds the states that are reached without input.
  private mutating func followSilent() {
    var reached = places
    var index = 0
    while index < reached.count {
      let place = reached[index]
      for arc in transducer.arcs(from: place.state, reading: 0) { follow(arc, from: place.node, into: &reached) }
      index += 1
    }
    places = reached
  }

  mutating func read(_ symbol: Int32) { step { $0.arcs(from: $1, reading: symbol) } }

  mutating func readTag() { step { $0.arcs(from: $1).prefix { $0.input < 0 } } }

  private mutating func step(_ arcs: (Transducer, UInt32) -> ArraySlice<Transducer.Arc>) {
    var next: [Place] = []
    for place in places {
      for arc in arcs(transducer, place.state) { follow(arc, from: place.node, into: &next) }
    }
    places = next
    followSilent()
  }

  var finals: [Place] { places.filter { transducer.isFinal($0.state) } }

  func output(_ place: Place) -> [Int32] {
    var symbols: [Int32] = []
    var node = place.node
    while node >= 0 {
      symbols.append(nodes[Int(node)].symbol)
      node = nodes[Int(node)].parent
    }
    return symbols.reversed()
  }
}

extension TransducerFile {
  static let longestWord = 100

  /// Returns an analyser's distinct readings of a word in Apertium's notation: `dar<vblex><imp>+me<prn>`.
  func readings(of word: String) -> [String] {
    walks(of: word).flatMap { walk in walk.finals.map { text(of: walk.output($0)) } }.distinct(by: \.self)
  }

  private func walks(of word: String) -> [Walk] {
    let scalars = Array(word.unicodeScalars)
    guard (1...Self.longestWord).contains(scalars.count) else { return [] }
    return transducers.map { transducer in
      var walk = Walk(transducer)
      for scalar in scalars where !walk.places.isEmpty { walk.read(Int32(scalar.value)) }
      return walk
    }
  }

  /// Returns the translations of a lemma in a bilingual dictionary, in its order, each with its part of speech.
  func translations(of lemma: String) -> [(part: String, text: String)] {
    var found: [(part: String, text: String)] = []
    for var walk in walks(of: lemma) {
      // A lemma has only a few tags there.
      for _ in 0..<6 where !walk.places.isEmpty {
        walk.readTag()
        for place in walk.finals {
          let output = text(of: walk.output(place))
          let word = lemmaText(output.prefix { $0 != "<" })
          let part = output.drop { $0 != "<" }.dropFirst().prefix { $0 != ">" }
          if !word.isEmpty, !found.contains(where: { $0.text == word && $0.part == part }) {
            found.append((String(part), word))
          }
        }
      }
    }
    return found
  }

  /// Returns the forms that a generator makes of a lemma, each with the tags that ask for it: at most 2,000, of at most
  /// 200,000 steps.
  func forms(of lemma: String) -> [(tags: [String], form: String)] {
    let letters = lemma.unicodeScalars.map { Int32($0.value) }
    var (found, steps): ([(tags: [String], form: String)], Int) = ([], 0)
    for transducer in transducers {
      var open = [(state: transducer.initial, read: [Int32](), written: [Int32]())]
      while let place = open.popLast(), steps < 200_000, found.count < 2_000 {
        steps += 1
        let tags = place.read.dropFirst(letters.count)
        if !tags.isEmpty, transducer.isFinal(place.state) {
          // A ~ marks a form that changes with its neighbours, as `beau` before `homme`.
          let form = lemmaText(text(of: place.written).filter { $0 != "~" })
          found.append((tags.map { String(text(of: [$0]).dropFirst().dropLast()) }, form))
        }
        for arc in transducer.arcs(from: place.state).prefix(Walk.mostStates) where open.count < Walk.mostStates {
          let isNext = place.read.count < letters.count ? arc.input == letters[place.read.count] : arc.input < 0
          guard arc.input == 0 || isNext && tags.count < 12, place.written.count < Self.longestWord else { continue }
          let read = arc.input == 0 ? place.read : place.read + [arc.input]
          open.append((arc.target, read, arc.output > 0 ? place.written + [arc.output] : place.written))
        }
      }
    }
    return found
  }

  private func text(of symbols: [Int32]) -> String {
    var text = ""
    for symbol in symbols {
      if symbol < 0 {
        text += "<" + (alphabet.tags.indices.contains(Int(-symbol)) ? alphabet.tags[Int(-symbol)] : "?") + ">"
      } else if let scalar = Unicode.Scalar(UInt32(symbol)) {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

/// Converts a lemma to its written form: `echar de menos` for `echar# de menos`.
func lemmaText(_ lemma: some StringProtocol) -> String {
  String(lemma.filter { $0 != "#" }.map { $0 == "_" ? " " : $0 })
}
