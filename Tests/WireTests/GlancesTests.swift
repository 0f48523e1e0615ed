// Tests of the moment before a sleep: what is found in it, and how seldom it is tried where it brings nothing.

import Glibc
import Testing

@testable import Wire

@Suite struct GlancesTests {
  private func nothing() -> Int {
    errno = EAGAIN
    return -1
  }

  @Test func `what comes within the moment is found without a sleep`() {
    var glances = Glances()
    var looks = 0
    let got = glances.find {
      looks += 1
      return looks < 3 ? nothing() : 7
    }
    #expect(got == 7)
    #expect(glances.skipped == 0)
  }

  @Test(arguments: [(0, 0), (-1, ECONNRESET), (-1, EINTR)])
  func `an end, an error and a signal are told at once`(_ answer: Int, _ error: Int32) {
    var glances = Glances()
    var looks = 0
    let got = glances.find {
      looks += 1
      errno = error
      return answer
    }
    #expect(got == answer && looks == 1)
  }

  @Test func `where nothing comes few waits are looked at, and all again once something does`() {
    var glances = Glances()
    var looked: [Int] = []
    for wait in 0..<200 {
      var isFirst = true
      _ = glances.find {
        if isFirst { looked.append(wait) }
        isFirst = false
        return nothing()
      }
    }
    #expect(looked == [0, 2, 6, 14, 30, 62, 126, 190])
    var looks = 0
    for _ in 0..<64
    where glances.find({
      looks += 1; return looks < 2 ? nothing() : 1
    }) != nil { break }
    #expect(glances.skipped == 0)
    #expect(glances.find { 5 } == 5)
  }
}
