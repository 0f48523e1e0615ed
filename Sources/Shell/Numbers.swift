// Numbers in results: with their thousands set apart for people at a terminal, as digits alone where a program may read
// them. Invariant: within the shell `grouped` and `counted` are these; what goes into a pipe can be read as a number.

import Files
import Text

extension Terminal {
  /// `1,204` on a screen, `1204` in a pipe.
  func grouped(_ number: Int) -> String { hasScreen ? Text.grouped(number) : String(number) }

  /// `1,204 cards` on a screen, `1204 cards` in a pipe.
  func counted(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
  }
}

extension Session {
  func grouped(_ number: Int) -> String { console.terminal.grouped(number) }

  func counted(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
    console.terminal.counted(number, singular, plural)
  }

  /// How long ago a moment was, as people say it.
  func ago(_ moment: Double) -> String {
    let days = Int((environment.clocks.now() - moment) / 86_400)
    switch days {
    case ..<1: return "today"
    case 1: return "yesterday"
    default: return "\(grouped(days)) days ago"
    }
  }
}
