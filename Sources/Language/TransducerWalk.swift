// Runs a word through the automata of a file. Invariant: a walk terminates whatever the file contains: it has at most
// 20,000 live states, a word at most 100 letters, an output at most 400 symbols.

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
    var found: [String] = []
    for walk in walks(of: word) {
      for place in walk.finals {
        let text = text(of: walk.output(place))
        if !found.contains(text) { found.append(text) }
      }
    }
    return found
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
