// Tests of the history and its file, including hostile ones.

import Glibc
import TestSupport

@testable import Shell

@Suite struct HistoryTests {
  @Test func `lines are kept across sessions, each once, the newest last`() throws {
    try withFolder { folder in
      let path = folder + "/history"
      let first = History(path: path)
      for line in ["a", "b\n\n\tc\\n", "a", "ñ 🐕", "a"] { first.add(line) }
      #expect(first.entries == ["b\n\n\tc\\n", "ñ 🐕", "a"])
      #expect(History(path: path).entries == first.entries)
      #expect(mode(of: path) == 0o600)
    }
  }

  @Test func `blank lines, lines that start with a space, and secrets are never stored`() throws {
    try withFolder { folder in
      let path = folder + "/history"
      let history = History(path: path)
      for line in ["", "   ", " secret", "\tsecret", "a\u{0}b"] { #expect(history.add(line) == nil) }
      #expect(history.add("login ana", isSecret: true) == nil)
      #expect(history.add(String(repeating: "x", count: 1 << 20)) == nil)
      #expect(history.entries.isEmpty)
      #expect(access(path, F_OK) != 0)
    }
  }

  @Test func `failed lines are remembered across sessions, until one is typed again and succeeds`() throws {
    try withFolder { folder in
      let path = folder + "/history"
      let history = History(path: path)
      for line in ["a", "\\!b", "c"] {
        history.add(line)
        history.note(line, hasFailed: line != "a")
      }
      history.note("never added", hasFailed: true)
      func failed(_ history: History) -> [String] { ["a", "\\!b", "b", "c", "never added"].filter(history.hasFailed) }
      #expect(failed(history) == ["\\!b", "c"] && failed(History(path: path)) == ["\\!b", "c"])
      #expect(History(path: path).entries == ["a", "\\!b", "c"])
      history.add("\\!b")
      #expect(failed(history) == ["c"] && failed(History(path: path)) == ["c"])
      history.note("\\!b", hasFailed: true)
      history.note("c", hasFailed: false)
      #expect(failed(History(path: path)) == ["\\!b"])
      #expect(History(path: path).entries == ["a", "\\!b", "c"] || History(path: path).entries.last == "c")
    }
  }

  @Test func `adding reports which equal line was removed`() {
    let history = History(path: nil, limit: 3)
    #expect(history.add("a") == History.Change(removed: nil))
    history.add("b")
    #expect(history.add("a") == History.Change(removed: 0))
    history.add("c")
    history.add("d")
    #expect(history.entries == ["a", "c", "d"])
    #expect(history.lines(containing: "C") == ["c"])
    #expect(history.lines() == history.entries)
  }

  @Test func `a damaged file gives the readable lines`() throws {
    try withFolder { folder in
      let path = folder + "/history"
      try writeFile([UInt8]("one\n\n".utf8) + [0xFF, 0xFE, 10] + [UInt8]("a\u{0}b\ntwo\\\nthree".utf8), to: path)
      var warnings: [String] = []
      let history = History(path: path) { warnings.append($0) }
      #expect(history.entries == ["one", "two", "three"])
      // The last line had no line feed: the next one is not appended to it.
      history.add("four")
      #expect(History(path: path).entries == ["one", "two", "three", "four"])
      #expect(warnings.isEmpty)
    }
  }

  @Test func `an empty file is an empty history`() throws {
    try withFolder { folder in
      try writeFile([], to: folder + "/history")
      #expect(History(path: folder + "/history").entries.isEmpty)
    }
  }

  @Test(arguments: ["", "/missing/history", "/fifo", "/loop"])
  func `a file that is not a history is reported once, and the session goes on`(name: String) throws {
    try withFolder { folder in
      mkfifo(folder + "/fifo", 0o600)
      symlink("loop", folder + "/loop")
      var warnings: [String] = []
      let history = History(path: folder + name) { warnings.append($0) }
      for line in ["a", "b", "c"] { history.add(line) }
      #expect(history.entries == ["a", "b", "c"])
      #expect(warnings.count == 1)
      #expect(warnings.first?.contains("will not be saved") == true)
    }
  }

  @Test func `a read-only file is read`() {
    var warnings: [String] = []
    let history = History(path: "/sys/devices/system/cpu/online") { warnings.append($0) }
    #expect(history.entries.count == 1)
    history.add("a")
    history.add("b")
    #expect(history.entries.count == 3)
    #expect(warnings.count == 1)
  }

  @Test func `only the end of a huge file is read, and the file is shortened`() throws {
    try withFolder { folder in
      let path = folder + "/history"
      let line = [UInt8](("x" + String(repeating: "y", count: 98) + "\n").utf8)
      let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
      try #require(descriptor >= 0)
      // 100 MB, most of it a hole: one line of a hundred million NULs.
      #expect(pwrite(descriptor, line, line.count, 100_000_000) == line.count)
      #expect(pwrite(descriptor, Array("last\n".utf8), 5, 100_000_100) == 5)
      close(descriptor)
      #expect(History(path: path).entries == ["last"] || History(path: path).entries.count == 2)
      #expect(size(of: path) < 1000)
      #expect(History(path: path).entries.last == "last")
    }
  }

  @Test func `only the newest lines are kept`() throws {
    try withFolder { folder in
      let path = folder + "/history"
      let history = History(path: path, limit: 10)
      for number in 0..<100 { history.add("line \(number)") }
      #expect(History(path: path, limit: 10).entries == (90..<100).map { "line \($0)" })
      #expect(size(of: path) < 1000)
    }
  }

  @Test func `a file that another shell has locked is not rewritten, and lines are still added`() throws {
    try withFolder { folder in
      let path = folder + "/history"
      try writeFile(String(repeating: "a\nb\n", count: 20), to: path)
      let other = open(path, O_RDONLY)
      try #require(other >= 0 && flock(other, LOCK_EX) == 0)
      defer { close(other) }
      let history = History(path: path, limit: 10)
      history.add("c")
      #expect(history.entries == ["a", "b", "c"] && size(of: path) == 82)
    }
  }

  @Test func `lines that two shells add at once are all kept`() throws {
    try withFolder { folder in
      let path = folder + "/history"
      let one = History(path: path)
      let two = History(path: path)
      for number in 0..<50 {
        one.add("one \(number)")
        two.add("two \(number)")
        // Meanwhile a third one starts and rewrites the file that both are using.
        if number % 10 == 9 { _ = History(path: path, limit: 20_000) }
      }
      #expect(Set(History(path: path).entries).count == 100)
    }
  }

  @Test func `a link to the file stays a link when the file is rewritten`() throws {
    try withFolder { folder in
      try writeFile([UInt8](String(repeating: "same\n", count: 9000).utf8), to: folder + "/real")
      symlink("real", folder + "/history")
      #expect(History(path: folder + "/history").entries == ["same"])
      var status = stat()
      #expect(lstat(folder + "/history", &status) == 0)
      #expect(status.st_mode & S_IFMT == S_IFLNK)
      #expect(size(of: folder + "/real") == 5)
    }
  }

  @Test func `any bytes are read without harm and the kept lines come back`() throws {
    try withFolder { folder in
      let path = folder + "/history"
      var random = TestGenerator(11)
      let alphabet = [UInt8]("ab\\n\n\n ".utf8) + [0, 0xC3, 0xA9, 0xFF]
      for _ in 0..<300 {
        let count = Int.random(in: 0...60, using: &random)
        try writeFile((0..<count).compactMap { _ in alphabet.randomElement(using: &random) }, to: path)
        let history = History(path: path)
        let before = history.entries
        history.add("z\\\n\n\\")
        #expect(History(path: path).entries == before + ["z\\\n\n\\"])
      }
    }
  }
}
