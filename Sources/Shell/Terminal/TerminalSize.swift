// How large the system says a terminal is now.
// Invariant: asked only by whoever was handed this function; nothing keeps the answer.

import CTerminal

/// Columns and rows of the terminal behind a descriptor; nil when it is none, or does not know.
package func terminalSize(of descriptor: Int32) -> (columns: Int, rows: Int)? {
  var columns: Int32 = 0
  var rows: Int32 = 0
  guard terminal_size(descriptor, &columns, &rows) else { return nil }
  return (Int(columns), Int(rows))
}
