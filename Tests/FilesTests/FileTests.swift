// Files written whole or not at all, and read with a size limit.

import Files
import Glibc
import Problems
import TestSupport

@Suite struct FileTests {
  private let folder = TemporaryFolder()

  struct Failure: Error {}

  private func text(_ path: String) throws -> String? { try FileText.read(path, limit: 1 << 20) }

  @Test func `a file is written whole, with the requested mode`() throws {
    try AtomicFile.write(folder.file("a"), "one".utf8)
    #expect(try text(folder.file("a")) == "one")
    #expect(mode(of: folder.file("a")) == 0o600)
    #expect(folder.names == ["a"])
  }

  @Test func `an existing file keeps its mode, a new one gets its own`() throws {
    try AtomicFile.write(folder.file("a"), "one".utf8, mode: 0o640)
    #expect(mode(of: folder.file("a")) == 0o640)
    chmod(folder.file("a"), 0o604)
    try AtomicFile.write(folder.file("a"), "two".utf8)
    #expect(mode(of: folder.file("a")) == 0o604)
    #expect(try text(folder.file("a")) == "two")
  }

  @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
  func `a write-protected file is refused, not replaced`() throws {
    let path = folder.file("a")
    try AtomicFile.write(path, "one".utf8)
    chmod(path, 0o400)
    symlink("a", folder.file("b"))
    for name in [path, folder.file("b")] {
      #expect(throws: FileError(name, .write, number: EACCES)) { try AtomicFile.write(name, "two".utf8) }
    }
    #expect(try text(path) == "one" && folder.names == ["a", "b"])
  }

  @Test func `a file that must be new replaces none`() throws {
    let path = folder.file("a")
    var options = Replacement(isInterrupted: { false })
    options.replaces = false
    try AtomicFile.write(path, "one".utf8, options)
    #expect(throws: FileError(path, .replace, number: EEXIST)) { try AtomicFile.write(path, "two".utf8, options) }
    #expect(try text(path) == "one" && folder.names == ["a"])
  }

  @Test(.enabled(if: geteuid() == 0, "only root may give a file away"))
  func `an existing file keeps its owner and its group`() throws {
    try AtomicFile.write(folder.file("a"), "one".utf8, mode: 0o640)
    chown(folder.file("a"), 1, 2)
    try AtomicFile.write(folder.file("a"), "two".utf8)
    let facts = try #require(try FileFacts.at(folder.file("a")))
    #expect(facts.owner == 1 && facts.group == 2 && facts.mode == 0o640)
  }

  @Test func `a failure in the middle leaves the old content and nothing else`() throws {
    try AtomicFile.write(folder.file("a"), "old".utf8)
    #expect(throws: Failure.self) {
      try AtomicFile.write(folder.file("a"), Replacement(isInterrupted: { false })) { sink in
        try sink.append([UInt8](repeating: 1, count: 200_000))
        throw Failure()
      }
    }
    #expect(try text(folder.file("a")) == "old")
    #expect(folder.names == ["a"])
  }

  @Test func `a file of any size is written and read whole, also in pieces`() throws {
    let path = folder.file("a")
    for size in streamSizes(buffer: 1 << 16) {
      let bytes = StreamContent.random.bytes(size)
      try AtomicFile.write(path, Replacement(isInterrupted: { false })) { sink in
        for start in stride(from: 0, to: size, by: 1000) { try sink.append(bytes[start..<min(start + 1000, size)]) }
      }
      #expect(try FileText.bytes(path, limit: size) == bytes, "\(size)")
      #expect(try ByteFile(path).bytes(at: size / 2, count: size) == Array(bytes[(size / 2)...]), "\(size)")
      if size > 0 { #expect(throws: FileError.self) { try FileText.bytes(path, limit: size - 1) } }
    }
  }

  @Test func `a frame of any size goes to a program and comes back`() throws {
    // cat echoes its input.
    let echo = try ChannelProcess(path: "/bin/cat", environment: [], longestFrame: 1 << 20)
    for size in streamSizes(buffer: 1 << 16) {
      let bytes = StreamContent.random.bytes(size)
      let deadline = Deadline(seconds: 60, clock: monotonicSeconds) { false }
      #expect(try echo.ask(bytes, deadline: deadline) == bytes, "\(size)")
    }
  }

  @Test func `the last line of a program's standard error is kept, and a flood of it blocks nobody`() throws {
    let errors = try #require(ErrorOutput())
    func status(_ script: String) -> Int32 {
      waitForExit(of: startProgram(["/bin/sh", "-c", script], environment: [], errors: errors).process)
    }
    #expect(status("echo first >&2; printf ' why \\n\\n' >&2; exit 3") == 3)
    #expect(errors.lastLine() == "why")
    #expect(status("head -c 1000000 /dev/zero >&2; exit 4") == 4)
  }

  @Test func `a killed process's leftovers of a file are removed by the next write, and no similar files`() throws {
    let others = ["words.2024-05.tmp", "words.old.4194303-0.tmp", "words.4194303-1000.tmp", "words.+4194303-0.tmp"]
    for name in others + ["words.4194303-0.tmp"] { try folder.write("mine", to: name) }
    try folder.write("mine", to: "words.4194303-1.tmp/inner")
    try AtomicFile.write(folder.file("words"), "new".utf8)
    #expect(folder.names == (others + ["words", "words.4194303-1.tmp"]).sorted())
    #expect(folder.read("words.4194303-1.tmp/inner") != nil)
  }

  @Test func `a temporary folder in a folder of the user removes nothing there but itself`() throws {
    let others = [".backup-20240101-120000", ".restore-99999999-abcdef"]
    for name in others { try folder.write("mine", to: name + "/inner") }
    try folder.write("mine", to: "words.4194303-0.tmp")
    do {
      let scratch = try Scratch(.backup, in: folder.path)
      try AtomicFile.write(scratch.path("inner"), "ours".utf8)
      #expect(fileExists(scratch.path("inner")))
    }
    #expect(folder.names == others + ["words.4194303-0.tmp"])
    for name in others { #expect(folder.read(name + "/inner") == Array("mine".utf8)) }
  }

  @Test func `only marked temporary folders of ended processes are removed from a folder of the user`() throws {
    let others = [".backup-99999999-abcdef", ".backup-99999999-ghijkl", "backup-99999999-mnopqr"]
    let left = ".backup-99999999-stuvwx"
    for (name, mark) in zip(others + [left], ["x", others[0], others[2], left]) {
      try folder.write(mark, to: name + "/deckhand-temporary")
      try folder.write("mine", to: name + "/inner")
    }
    let scratch = try Scratch(.backup, in: folder.path)
    try scratch.mark()
    Leftovers.sweepMarked(folder.path)
    #expect(folder.names == (others + [lastPart(of: scratch.folder)]).sorted())
    for name in others { #expect(folder.read(name + "/inner") == Array("mine".utf8)) }
  }

  @Test func `a temporary folder keeps its mark as long as something is left in it`() throws {
    let left = folder.file("left")
    // Deeper than what is removed at once.
    try folder.makeFolder("left" + String(repeating: "/a", count: 70))
    let mark = try folder.write("left", to: "left/deckhand-temporary")
    #expect(throws: FileError.self) { try Folder.removeTree(left) }
    #expect(fileExists(mark))
    try Folder.removeTree(left + String(repeating: "/a", count: 10))
    try Folder.removeTree(left)
    #expect(folder.names.isEmpty)
  }

  @Test func `a symbolic link stays a link, also when it is dangling`() throws {
    symlink("b", folder.file("a"))
    try AtomicFile.write(folder.file("a"), "one".utf8)
    try AtomicFile.write(folder.file("a"), "two".utf8)
    #expect(try text(folder.file("b")) == "two")
    #expect(folder.names == ["a", "b"])
    var facts = stat()
    #expect(lstat(folder.file("a"), &facts) == 0 && facts.st_mode & S_IFMT == S_IFLNK)
  }

  @Test func `a pipe that only an open descriptor names is written directly`() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    try AtomicFile.write("/dev/fd/\(ends[1])", "one".utf8, .exported(.any))
    var bytes = [UInt8](repeating: 0, count: 8)
    #expect(read(ends[0], &bytes, bytes.count) == 3 && bytes.prefix(3).elementsEqual("one".utf8))
  }

  @Test func `an export never writes among the data of a person, by whatever path`() throws {
    try folder.makeFolder("data/accounts/ana/exports")
    try folder.makeFolder("data/local/media/deep")
    try folder.write("", to: "data/accounts/.lock")
    for name in ["data/accounts/ana/collection.sqlite", "data/local/collection.sqlite", "data/local/history"] {
      try folder.write("kept", to: name)
    }
    symlink(folder.file("data/local/history"), folder.file("link"))
    symlink(folder.file("data/local"), folder.file("door"))
    let refused = [
      "data/local/collection.sqlite", "data/local/history", "data/local/new", "data/local/media/deep/x", "data/x",
      "data/accounts/ana/collection.sqlite", "data/accounts/ana/exports/../grants.json", "link", "door/new",
    ]
    for path in refused.map(folder.file) {
      #expect(throws: FileError(path, .write, .ownFolder)) { try AtomicFile.write(path, "x".utf8, .exported()) }
    }
    #expect(folder.read("data/local/history") == Array("kept".utf8))
    for path in ["x", "data/accounts/ana/exports/x"].map(folder.file) {
      try AtomicFile.write(path, "x".utf8, .exported())
      #expect(contents(of: path) == Array("x".utf8))
    }
  }

  @Test func `link cycles, folders and missing folders are refused`() throws {
    symlink("b", folder.file("a"))
    symlink("a", folder.file("b"))
    #expect(throws: FileError.self) { try AtomicFile.write(folder.file("a"), "x".utf8) }
    #expect(throws: FileError(folder.path, .write, number: EISDIR)) {
      try AtomicFile.write(folder.path, "x".utf8)
    }
    let error = #expect(throws: FileError.self) { try AtomicFile.write(folder.file("no/a"), "x".utf8) }
    #expect(error?.code == "file_missing")
    #expect(folder.names == ["a", "b"])
  }

  @Test func `the size that a sink counts is that of the file`() throws {
    var count = 0
    try AtomicFile.write(folder.file("a"), Replacement(isInterrupted: { false })) { sink in
      for number in 0..<50_000 { try sink.append("\(number)\n") }
      count = sink.count
    }
    let bytes = try FileText.bytes(folder.file("a"), limit: 1 << 20)
    #expect(bytes.count == count)
    #expect(bytes.suffix(6) == Array("49999\n".utf8)[...])
  }

  @Test func `reading is limited, and the error names what cannot be read`() throws {
    try AtomicFile.write(folder.file("a"), [UInt8](repeating: 65, count: 100))
    #expect(try FileText.bytes(folder.file("a"), limit: 100).count == 100)
    #expect(throws: FileError(folder.file("a"), .read, .tooLarge(limit: 99))) {
      try FileText.bytes(folder.file("a"), limit: 99)
    }
    #expect(throws: FileError("/dev/zero", .read, .tooLarge(limit: 1000))) {
      try FileText.bytes("/dev/zero", limit: 1000, .any)
    }
    #expect(throws: FileError("/nowhere", .open, number: ENOENT)) {
      try FileText.bytes("/nowhere", limit: 1)
    }
    #expect(throws: FileError("/tmp", .read, number: EISDIR)) {
      try FileText.bytes("/tmp", limit: 1)
    }
    try AtomicFile.write(folder.file("b"), [0xFF, 0xFE])
    #expect(try FileText.read(folder.file("b"), limit: 10) == nil)
  }

  @Test func `a name may be as long as the system allows`() throws {
    for name in [String(repeating: "a", count: 255), String(repeating: "é", count: 127)] {
      try AtomicFile.write(folder.file(name), "one".utf8)
      #expect(try text(folder.file(name)) == "one")
    }
    #expect(folder.names.count == 2)
  }

  @Test func `a time beyond any calendar is in no zone`() {
    let clocks = Environment.ofSystem(isInterrupted: { false }).clocks
    for moment in [Double.nan, .infinity, -.infinity, 1e300, -1e300, 1e18] { #expect(clocks.zoneOffset(moment) == 0) }
    #expect(clocks.zoneOffset(1_700_000_000).magnitude <= 15 * 3600)
  }

  @Test func `a full disk is reported as such, and leaves nothing`() throws {
    var options = Replacement(isInterrupted: { false })
    options.kinds = .any
    let error = #expect(throws: FileError.self) { try AtomicFile.write("/dev/full", "x".utf8, options) }
    #expect(error == FileError("/dev/full", .write, number: ENOSPC))
    #expect(throws: FileError("/dev/full", .write, .notAFile)) { try AtomicFile.write("/dev/full", "x".utf8) }
    #expect(error?.code == "storage_full")
  }

  @Test func `the limit of watched folders is not reported as a full disk`() {
    let error = FileError("/a", .inspect, number: ENOSPC)
    #expect(error.code == "file_failed" && !error.isDiskFull && error.message.contains("fs.inotify.max_user_watches"))
  }

  @Test func `a socket is refused as a file to write, without waiting for a reader`() throws {
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: folder.file("a").utf8.prefix($0.count - 1)) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) == 0 }
    }
    try #require(isBound)
    #expect(throws: FileError(folder.file("a"), .open, number: ENXIO)) {
      try AtomicFile.write(folder.file("a"), "x".utf8, .exported(.any, isInterrupted: { true }))
    }
  }

  @Test func `a file that states the size 0 is read in chunks`() throws {
    var reads = 0
    let file = try ByteFile("/proc/self/status") {
      reads += 1
      return false
    }
    #expect(file.size == 0)
    #expect(try file.rest(limit: 1 << 20).count > 100)
    #expect(reads < 10)
  }

  @Test(arguments: [("abcd\nabcd", 2, false), ("a\nabcde\nx", 1, true), ("a\nabcde", 1, true), ("\n\n", 2, false)])
  func `a line of standard input is limited to the byte`(text: String, lines: Int, isRefused: Bool) throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    _ = text.withCString { write(ends[1], $0, text.utf8.count) }
    close(ends[1])
    defer { close(ends[0]) }
    let input = InputLines(limit: 4, descriptor: ends[0])
    var error: FileError?
    do throws(FileError) { while try input.next() != nil {} } catch let found { error = found }
    #expect(input.count == lines)
    #expect((error == FileError("standard input", .read, .tooLarge(limit: 4))) == isRefused)
  }
}
