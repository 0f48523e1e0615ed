// Tests of the spinning before a sleep: what it catches, and how seldom it is tried when it does not help.

import Glibc
import Testing

@testable import Wire

@Suite struct SpinWaitTests {
  /// Spins for the time of five looks.
  private func spinWait() -> SpinWait {
    var time: Int64 = 0
    return SpinWait {
      time += 10_000
      return time
    }
  }

  private func nothing() -> Int {
    errno = EAGAIN
    return -1
  }

  @Test func `data that arrives while spinning is found without a sleep`() {
    var spinWait = spinWait()
    var looks = 0
    let got = spinWait.find {
      looks += 1
      return looks < 3 ? nothing() : 7
    }
    #expect(got == 7)
    #expect(spinWait.skipped == 0)
  }

  @Test(arguments: [(0, 0), (-1, ECONNRESET), (-1, EINTR)])
  func `an end, an error and a signal are reported at once`(_ answer: Int, _ error: Int32) {
    var spinWait = spinWait()
    var looks = 0
    let got = spinWait.find {
      looks += 1
      errno = error
      return answer
    }
    #expect(got == answer && looks == 1)
  }

  @Test func `if nothing arrives few waits spin, and all again once something does`() {
    var spinWait = spinWait()
    var looked: [Int] = []
    for wait in 0..<200 {
      var isFirst = true
      _ = spinWait.find {
        if isFirst { looked.append(wait) }
        isFirst = false
        return nothing()
      }
    }
    #expect(looked == [0, 4, 20, 84, 148])
    var found = 0
    for _ in 0..<200 {
      var looks = 0
      let got = spinWait.find {
        looks += 1
        return looks < 2 ? nothing() : 1
      }
      if got != nil { found += 1 }
    }
    #expect(spinWait.skipped == 0 && found > 40)
    #expect(spinWait.find { 5 } == 5)
  }
}
