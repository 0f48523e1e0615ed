// Formulas in TeX as one line of Unicode, and the parts of a field's text that are not text: formulas and sounds.
// Invariant: a formula that cannot be shown whole is not shown in part; a text is searched once, whatever is left open.

import Text

/// A part of the text of a field.
package enum FieldPiece: Equatable {
  case text(String)
  /// `[sound:name]`, with the name of the file.
  case sound(String)

  private static let longest = 2_000
  /// What begins and ends a formula, as MathJax and Anki know it.
  private static let formulas: [(opening: StaticString, closing: StaticString)] = [
    ("\\(", "\\)"), ("\\[", "\\]"), ("[$$]", "[/$$]"), ("[$]", "[/$]"),
  ]

  /// Returns the parts in order, with formulas in Unicode where they can be.
  package static func pieces(of text: String) -> [FieldPiece] {
    let bytes = Bytes(text.utf8)[...]
    guard bytes.contains(where: { "[\\".utf8.contains($0) }) else { return [.text(text)] }
    // The next end of each kind; the end of the text if there is none.
    var (pieces, words, index, ends): ([FieldPiece], Bytes, Int, [Int: Int]) = ([], [], 0, [:])
    func end(_ closing: StaticString, after start: Int, _ key: Int) -> Int? {
      let known = ends[key].flatMap { $0 >= start ? $0 : nil }
      let end = known ?? bytes.position(of: closing, from: start) ?? bytes.endIndex
      ends[key] = end
      return end < bytes.endIndex && end - start < longest ? end : nil
    }
    while index < bytes.endIndex {
      if bytes.begins(with: "[sound:", at: index), let end = end("]", after: index + 7, -1) {
        if !words.isEmpty { pieces.append(.text(words.text)) }
        pieces.append(.sound(MediaNames.decoded(bytes[(index + 7)..<end], hasEscapes: false).composed))
        (words, index) = ([], end + 1)
      } else if let key = formulas.firstIndex(where: { bytes.begins(with: $0.opening, at: index) }),
        case let start = index + formulas[key].opening.utf8CodeUnitCount,
        let end = end(formulas[key].closing, after: start, key)
      {
        let next = end + formulas[key].closing.utf8CodeUnitCount
        words += MathText.line(bytes[start..<end].text).map { Bytes($0.utf8) } ?? Bytes(bytes[index..<next])
        index = next
      } else {
        words.append(bytes[index])
        index += 1
      }
    }
    return words.isEmpty ? pieces : pieces + [.text(words.text)]
  }
}

struct MathText {
  /// Returns a formula in Unicode; nil if it has something that has no sign in a line.
  static func line(_ formula: String) -> String? {
    var reader = MathText(formula)
    guard let text = reader.group(until: nil, depth: 0) else { return nil }
    return text.trimmed.isEmpty ? nil : text.trimmed
  }

  /// Returns a text raised or lowered: `x²`; with signs that have no such form, `^(a/b)`.
  static func shifted(_ text: String, up: Bool) -> String {
    let known = up ? raised : lowered
    let found = text.compactMap { known[$0] }
    if found.count == text.count { return String(found) }
    return (up ? "^" : "_") + (text.count == 1 ? text : "(\(text))")
  }

  private static let deepest = 20
  private var rest: Substring

  private init(_ formula: String) { rest = formula[...] }

  /// Reads up to a closing brace, or to the end.
  private mutating func group(until end: Character?, depth: Int) -> String? {
    var text = ""
    while let next = rest.first, next != end {
      guard let part = atom(depth) else { return nil }
      if next == "^" || next == "_" { while text.last == " " { text.removeLast() } }
      if part == " ", text.isEmpty || text.last == " " { continue }
      text += part
    }
    if end != nil, rest.popFirst() == nil { return nil }
    return text
  }

  private mutating func atom(_ depth: Int) -> String? {
    guard depth < Self.deepest, let next = rest.popFirst() else { return nil }
    switch next {
    case "{": return group(until: "}", depth: depth + 1)
    case "}", "&", "#", "%": return nil
    case "^", "_": return argument(depth).map { Self.shifted($0, up: next == "^") }
    case "\\": return command(depth)
    case "'": return "′"
    case "-": return "−"
    case "~": return " "
    default: return next.isWhitespace ? " " : String(next)
    }
  }

  private mutating func argument(_ depth: Int) -> String? {
    rest = rest.drop { $0.isWhitespace }
    return rest.first == "}" ? nil : atom(depth + 1)?.trimmed
  }

  private mutating func command(_ depth: Int) -> String? {
    let name = String(rest.prefix { $0.isASCII && $0.isLetter })
    guard !name.isEmpty else {
      guard let sign = rest.popFirst(), sign != "\\" else { return nil }
      return ",;: !".contains(sign) ? (sign == "!" ? "" : " ") : "{}%$&_#|".contains(sign) ? String(sign) : nil
    }
    rest = rest.dropFirst(name.count)
    switch name {
    case "frac", "dfrac", "tfrac":
      guard let top = argument(depth), let bottom = argument(depth) else { return nil }
      return "\(Self.closed(top))/\(Self.closed(bottom))"
    case "sqrt":
      var sign = "√"
      if rest.first == "[" {
        guard let root = ["[2]": "√", "[3]": "∛", "[4]": "∜"][String(rest.prefix(3))] else { return nil }
        (sign, rest) = (root, rest.dropFirst(3))
      }
      return argument(depth).map { sign + Self.closed($0) }
    case "text", "mathrm", "mathbf", "mathit", "textbf", "textit", "operatorname":
      guard rest.first == "{", let end = rest.firstIndex(of: "}") else { return nil }
      let words = rest[rest.index(after: rest.startIndex)..<end]
      rest = rest[rest.index(after: end)...]
      return words.contains { "\\{$".contains($0) } ? nil : String(words)
    case "mathbb": return argument(depth).flatMap { Self.doubled[$0] }
    case "left", "right":
      if rest.first == "." { rest.removeFirst() }
      return ""
    case "overline", "bar", "vec", "hat", "tilde", "dot":
      let marks = ["vec": "\u{20D7}", "hat": "\u{302}", "tilde": "\u{303}", "dot": "\u{307}"]
      return argument(depth).flatMap { $0.count == 1 ? $0 + (marks[name] ?? "\u{304}") : nil }
    case "quad", "qquad": return "  "
    default:
      if Self.functions.contains(name) { return name + (rest.first?.isLetter == true ? " " : "") }
      let sign = Self.signs[name]
      // Between the name of a letter and another letter, a space only ends the name.
      if sign?.first?.isLetter == true, rest.first == " ", rest.dropFirst().first?.isLetter == true {
        rest.removeFirst()
      }
      return sign
    }
  }

  /// A part of a fraction, in brackets if it has several terms.
  private static func closed(_ text: String) -> String {
    text.contains { " +−/·×=".contains($0) } ? "(\(text))" : text
  }

  private static func pairs(_ from: String, _ to: String) -> [Character: Character] {
    Dictionary(zip(from, to)) { first, _ in first }
  }

  private static let raised = pairs(
    "0123456789+-−=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWαβγδθ′ ",
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵅᵝᵞᵟᶿ′ ")
  private static let lowered = pairs(
    "0123456789+-−=()aehijklmnoprstuvxβγρφχ ", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ ")
  private static let doubled = ["C": "ℂ", "H": "ℍ", "N": "ℕ", "P": "ℙ", "Q": "ℚ", "R": "ℝ", "Z": "ℤ"]
  private static let functions: Set<String> = [
    "arccos", "arcsin", "arctan", "cos", "cosh", "cot", "deg", "det", "dim", "exp", "gcd", "inf", "ker", "lim", "ln",
    "log", "max", "min", "mod", "sin", "sinh", "sup", "tan", "tanh",
  ]

  /// Names and signs in turn.
  private static let signs: [String: String] = {
    let words = """
      alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ
      nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ
      Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω times × div ÷ cdot · pm ± mp ∓ ast ∗ star ⋆ circ ∘ bullet • le ≤
      leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ approx ≈ equiv ≡ sim ∼ cong ≅ propto ∝ ll ≪ gg ≫ infty ∞ partial ∂ nabla ∇ sum ∑
      prod ∏ int ∫ oint ∮ in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ cup ∪ cap ∩ setminus ∖ emptyset ∅
      varnothing ∅ forall ∀ exists ∃ neg ¬ lnot ¬ land ∧ wedge ∧ lor ∨ vee ∨ oplus ⊕ otimes ⊗ perp ⊥ parallel ∥ mid |
      angle ∠ to → rightarrow → leftarrow ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⇒ iff ⇔
      mapsto ↦ uparrow ↑ downarrow ↓ rightleftharpoons ⇌ ldots … cdots ⋯ dots … hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ prime ′
      degree ° langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lbrace { rbrace } vert | Vert ‖ therefore ∴
      because ∵ triangle △ square □ checkmark ✓ dagger † ddots ⋱ vdots ⋮ backslash \\
      """.split(whereSeparator: \.isWhitespace).map(String.init)
    return Dictionary(stride(from: 0, to: words.count - 1, by: 2).map { (words[$0], words[$0 + 1]) }) { $1 }
  }()
}
