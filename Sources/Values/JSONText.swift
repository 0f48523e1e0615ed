// JSON as text, written piece by piece: what `--json` prints and what problems look like to programs.
// Invariant: every result is one line of valid JSON (RFC 8259); integers stay exact, doubles read back as the same double.

public import Problems

public enum JSONText {
  /// A string in quotes. Control characters and the two line separators of JavaScript are escaped, all else stands as it is.
  public static func string(_ text: String) -> String {
    var json = "\""
    json.reserveCapacity(text.utf8.count + 2)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": json += "\\\""
      case "\\": json += "\\\\"
      case "\n": json += "\\n"
      case "\r": json += "\\r"
      case "\t": json += "\\t"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
        json += escaped(scalar)
      default: json.unicodeScalars.append(scalar)
      }
    }
    return json + "\""
  }

  public static func integer(_ value: Int) -> String { String(value) }

  public static func boolean(_ value: Bool) -> String { value ? "true" : "false" }

  /// The shortest digits that read back as the same double; JSON has no infinities and no NaN, so they are `null`.
  public static func number(_ value: Double) -> String { value.isFinite ? "\(value)" : "null" }

  /// An array of values that are JSON already.
  public static func array(_ items: some Sequence<String>) -> String { "[" + items.joined(separator: ", ") + "]" }

  /// An object in the order given; the values are JSON already.
  public static func object(_ fields: some Sequence<(String, String)>) -> String {
    "{" + fields.map { string($0) + ": " + $1 }.joined(separator: ", ") + "}"
  }

  /// A problem as programs see it: code, title, message, then its details.
  public static func problem(_ problem: any Problem) -> String {
    let report = problem.report
    let words = [("code", report.code.rawValue), ("title", report.title), ("message", report.message)]
    return object(words.map { ($0, string($1)) } + report.details.map { ($0.name, detail($0.value)) })
  }

  private static func detail(_ value: ProblemDetail) -> String {
    switch value {
    case .text(let text): string(text)
    case .integer(let number): integer(number)
    case .number(let value): number(value)
    }
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    let hex = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
  }
}
