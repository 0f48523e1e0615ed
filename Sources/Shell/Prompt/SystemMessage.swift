// The system's words for an errno.
// Invariant: a text of its own each time; nothing of the C library's buffers is kept.

import Glibc

/// `No such file or directory` for ENOENT.
func systemMessage(_ number: Int32) -> String {
  guard let words = strerror(number) else { return "error \(number)" }
  return String(cString: words)
}

/// Calls until it is not interrupted by a signal.
func retrying<Number: SignedInteger>(_ call: () -> Number) -> Number {
  while true {
    let answer = call()
    if answer != -1 || errno != EINTR { return answer }
  }
}
