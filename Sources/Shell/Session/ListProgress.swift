// Shows progress while a word list is compiled, which happens at its first use. Invariant: a terminal without redrawing
// gets one line; a pipe gets nothing.

import Bindings
import Lexicon
import Text

/// Shows on a console that a word list is being compiled, from the start.
func showCompiling(of lexicons: LexiconLibrary, on console: Console) {
  var line: (any ProgressReporting)?
  lexicons.didReach = { stage in
    switch stage {
    case .begun(let list):
      let label = "Preparing the \(printable(list)) word list (once)"
      if console.errors.hasScreen, !console.drawsProgress { console.note(label) }
      line = console.progress(label, total: 100, atOnce: true)
      line?.update(0, of: 100)
    case .read(let share): line?.update(Int(share * 50), of: 100)
    case .ended:
      line?.finish()
      line = nil
    }
  }
}
