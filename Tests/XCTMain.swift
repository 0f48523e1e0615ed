// Starts the tests. Invariant: all tests are of Swift Testing; without this file SwiftPM looks for others in an index,
// whose writing is a sixth of the time of a build.

import Glibc
import Testing

@main struct Runner {
  static func main() async {
    // Otherwise every throw unwinds the stack, also those of the standard library for each invalid byte of a text.
    setenv("SWT_SWIFT_ERROR_BACKTRACING_ENABLED", "0", 1)
    await Testing.__swiftPMEntryPoint() as Never
  }
}
