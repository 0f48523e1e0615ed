// Starts the tests. Invariant: all tests are of Swift Testing; without this file SwiftPM looks for others in an index,
// whose writing is a sixth of the time of a build.

import Testing

@main struct Runner {
  static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
