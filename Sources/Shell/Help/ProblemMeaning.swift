// The meanings of problem codes, for `help CODE`.

import Problems
import Text

/// The meaning of a code.
struct ProblemMeaning {
  let code: String
  /// One sentence.
  let text: String

  func lines(width: Int) -> [String] {
    let statuses = Set(ProblemCode.known.filter { $0.rawValue == code }.map(\.exitStatus)).sorted()
    let status = statuses.map { "\($0)" }.joined(separator: " or ")
    return ["\(code): a problem code", ""]
      + wrapped(text + (status.isEmpty ? "" : " A command that fails with it has exit status \(status)."), width: width)
  }

  /// A line of Lua that checks for the code.
  var example: String {
    "deck, problem = decks.open(\"Spanish\"); if problem and problem.code == \"\(code)\" then print(problem) end"
  }

  /// Each code once: a code that is both a failure and a usage error has one meaning.
  static let all: [ProblemMeaning] = {
    var known: Set<String> = []
    return ProblemCode.known.filter { known.insert($0.rawValue).inserted }
      .map { ProblemMeaning(code: $0.rawValue, text: $0.meaning) }.sorted { $0.code < $1.code }
  }()
}
