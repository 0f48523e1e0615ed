// Locks shared between processes, removing folder trees, refusing special files, replacing files with a failure at any
// step.

import Glibc
import Problems
import TestSupport

@testable import Files

@Suite struct FileLockTests {
  private let folder = TemporaryFolder()

  /// A clock that moves only while somebody waits.
  private final class Clock {
    var now = 0.0
    var pauses = 0
    func wait(seconds: Double, isInterrupted: @escaping () -> Bool = { false }) -> LockWait {
      LockWait(
        seconds: seconds, isInterrupted: isInterrupted,
        pause: {
          self.now += $0
          self.pauses += 1
        })
    }
  }

  @Test func `a held lock is waited for until the deadline`() throws {
    let path = TemporaryFolder().file("lock")
    let held = folder.file("lock")
    let first = try FileLock(held, Clock().wait(seconds: 1))
    let clock = Clock()
    #expect(throws: FileError(held, .lock, .busy)) { _ = try FileLock(held, clock.wait(seconds: 3)) }
    #expect(clock.now >= 3 && clock.now < 3.1)
    #expect(try FileLock(ifFree: held) == nil)
    first.release()
    #expect(try FileLock(ifFree: held) != nil)
    #expect(mode(of: held) == 0o600)
    #expect(throws: FileError(path, .open, number: ENOENT)) { _ = try FileLock(path, clock.wait(seconds: 1)) }
  }

  @Test func `a released lock is free at once, also while a program being started has its descriptor`() throws {
    let path = folder.file("lock")
    let lock = try FileLock(path, Clock().wait(seconds: 1))
    // As between the fork and the exec of a program, which shares the open descriptors.
    let copy = dup(lock.descriptor)
    defer { close(copy) }
    lock.release()
    #expect(try FileLock(ifFree: path) != nil)
  }

  @Test func `the user ends the wait, and so does a released lock`() throws {
    let path = folder.file("lock")
    var first: FileLock? = try FileLock(path, Clock().wait(seconds: 1))
    let clock = Clock()
    #expect(throws: FileError(path, .lock, .interrupted)) {
      _ = try FileLock(path, clock.wait(seconds: 1e9) { clock.pauses >= 2 })
    }
    var wait = clock.wait(seconds: 100)
    let pause = wait.pause
    wait.pause = {
      pause($0)
      first = nil
    }
    try FileLock(path, wait).release()
    #expect(first == nil)
  }

  @Test func `a killed process leaves nothing locked`() async throws {
    let path = folder.file("lock")
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let lock = try FileLock(path, LockWait(seconds: 0))
      try #require(lock.descriptor >= 0)
      kill(getpid(), SIGKILL)
    }
    #expect(try FileLock(ifFree: path) != nil)
  }
}

@Suite struct FolderTests {
  private let folder = TemporaryFolder()

  @Test func `a tree is removed with its content, links are removed and never followed`() throws {
    try makePrivateFolder(folder.file("tree/a/b/c"))
    try AtomicFile.write(folder.file("outside"), "kept".utf8)
    try makePrivateFolder(folder.file("elsewhere"))
    try AtomicFile.write(folder.file("elsewhere/x"), "kept".utf8)
    for name in ["tree/one", "tree/a/.hidden", "tree/a/b/two\u{301}"] {
      try AtomicFile.write(folder.file(name), "x".utf8)
    }
    symlink(folder.file("outside"), folder.file("tree/link"))
    symlink(folder.file("elsewhere"), folder.file("tree/a/folder-link"))
    mkfifo(folder.file("tree/pipe"), 0o600)
    let odd = folder.file("tree/").utf8.map { CChar(bitPattern: $0) } + [CChar(bitPattern: 0xFF), 0]
    close(open(odd, O_CREAT | O_WRONLY, 0o600))
    #expect(mode(of: folder.file("tree/a/b")) == 0o700)
    #expect(try Folder.names(in: folder.file("tree")) == ["a", "link", "one", "pipe"])
    #expect(try Folder.subfolders(of: folder.file("tree/a")) == ["b", "folder-link"])
    try Folder.removeTree(folder.file("tree"))
    #expect(folder.names == ["elsewhere", "outside"])
    #expect(try Folder.names(in: folder.file("elsewhere")) == ["x"])
    #expect(throws: FileError(folder.file("tree"), .remove, number: ENOENT)) {
      try Folder.removeTree(folder.file("tree"))
    }
    symlink(folder.file("elsewhere"), folder.file("link"))
    #expect(throws: FileError.self) { try Folder.removeTree(folder.file("link")) }
    #expect(try Folder.names(in: folder.file("elsewhere")) == ["x"])
  }

  @Test func `a folder that cannot be read to its end is an error, not an empty folder`() throws {
    try AtomicFile.write(folder.file("a"), "x".utf8)
    let stream = try #require(opendir(folder.path))
    defer { closedir(stream) }
    let other = open("/dev/null", O_RDONLY)
    defer { close(other) }
    dup2(other, dirfd(stream))
    #expect(throws: FileError(folder.path, .list, number: ENOTDIR)) { try Folder.entries(of: stream, folder.path) }
  }

  @Test func `what nobody can look at is not taken for missing`() throws {
    symlink(folder.file("loop"), folder.file("loop"))
    #expect(fileExists(folder.file("loop")) && fileExists(folder.file("loop/a")))
    #expect(try Folder.subfolders(of: folder.path) == ["loop"])
    #expect(throws: FileError(folder.file("loop"), .list, number: ELOOP)) {
      try Folder.subfolders(of: folder.file("loop"))
    }
    try AtomicFile.write(folder.file("file"), "x".utf8)
    #expect(!fileExists(folder.file("missing")) && !fileExists(folder.file("file/a")))
    #expect(!fileExists(folder.file(String(repeating: "a", count: 300))))
  }

  @Test func `a pattern names what matches it, and a folder that cannot be read is an error`() throws {
    for name in ["a", "b"] { try folder.makeFolder(name) }
    for name in ["a/2.srt", "a/1.srt", "b/1.srt", "b/x.txt", "b/.1.srt", "1.srt"] { try folder.write("x", to: name) }
    func matches(_ pattern: String) throws -> [String] {
      try FilePattern.matches(folder.file(pattern)).map { String($0.dropFirst(folder.path.utf8.count + 1)) }
    }
    #expect(try matches("*/*.srt") == ["a/1.srt", "a/2.srt", "b/1.srt"])
    #expect(try matches("?/x.txt") == ["b/x.txt"])
    #expect(try matches("c/*.srt") == ["c/*.srt"] && matches("1.srt/*") == ["1.srt/*"])
    symlink(folder.file("nowhere"), folder.file("b/2.srt"))
    #expect(try matches("b/*.srt") == ["b/1.srt", "b/2.srt"])
    symlink(folder.file("loop"), folder.file("loop"))
    #expect(throws: FileError(folder.file("loop/*.srt"), .inspect, number: ELOOP)) { try matches("loop/*.srt") }
    #expect(throws: FileError(folder.file("loop/"), .inspect, number: ELOOP)) { try matches("*/1.srt") }
  }

  @Test func `a temporary folder is new, accessible only to its owner, and created only where possible`() throws {
    let made = try (0..<2).map { _ in try Folder.makeTemporary(in: folder.path, prefix: "try") }
    #expect(made[0] != made[1])
    for path in made {
      #expect(path.hasPrefix(folder.path + "/try-") && mode(of: path) == 0o700)
      try Folder.removeTree(path)
    }
    #expect(folder.names.isEmpty)
    #expect(throws: FileError(folder.file("none/try"), .make, number: ENOENT)) {
      try Folder.makeTemporary(in: folder.file("none"), prefix: "try")
    }
  }

  @Test func `the command that closes a folder to others can be typed as it is shown`() throws {
    try folder.makeFolder("ana's data")
    #expect(insecureFolderProblem(folder.file("ana's data")) == nil)
    chmod(folder.file("ana's data"), 0o770)
    let words = try #require(insecureFolderProblem(folder.file("ana's data")))
    #expect(words.contains("`chmod go-w '\(folder.file("ana"))'\\''s data'`"), "\(words)")
  }

  @Test func `a missing folder has no names, and anything but a folder is reported`() throws {
    #expect(try Folder.names(in: folder.file("none")) == [])
    try AtomicFile.write(folder.file("file"), "x".utf8)
    #expect(throws: FileError(folder.file("file"), .list, number: ENOTDIR)) {
      try Folder.names(in: folder.file("file"))
    }
    #expect(throws: FileError.self) { try makePrivateFolder(folder.file("file/below")) }
    try Folder.removeFile(folder.file("none"))
  }

  @Test(arguments: [("/a/b", "/a"), ("/a", "/"), ("a", "."), ("a/b/", "a/b"), ("", ".")])
  func `the folder of a path`(path: String, folder: String) { #expect(parentFolder(of: path) == folder) }

  @Test(arguments: [
    ("/a/b", "b"), ("a/b/", "b"), ("a", "a"), ("/", "/"), ("", ""), ("a/\u{301}b", "\u{301}b"),
  ])
  func `the last part of a path`(path: String, part: String) { #expect(lastPart(of: path) == part) }

  @Test(.enabled(if: geteuid() == 0 && access("/proc/kmsg", R_OK) == 0, "only root may read /proc/kmsg"))
  func `a file that claims to be regular and never ends is refused or stopped`() throws {
    // The kernel's message log ends only while no more messages are waiting.
    let error = #expect(throws: FileError.self) { try FileText.bytes("/proc/kmsg", limit: 1 << 30) }
    #expect(error?.reason == .notAFile || error?.number == EPERM)
    let stopped = #expect(throws: FileError.self) {
      try FileText.bytes("/proc/kmsg", limit: 1 << 30, isInterrupted: { true })
    }
    #expect(stopped?.reason == .interrupted || stopped?.number == EPERM)
  }

  @Test func `pipes, devices and links are refused where a file is expected, at once`() throws {
    mkfifo(folder.file("pipe"), 0o600)
    try AtomicFile.write(folder.file("file"), "x".utf8)
    symlink("file", folder.file("link"))
    #expect(throws: FileError(folder.file("pipe"), .read, .notAFile)) {
      try ByteFile(folder.file("pipe"))
    }
    #expect(throws: FileError("/dev/zero", .read, .notAFile)) { try ByteFile("/dev/zero") }
    #expect(throws: FileError("/tmp", .read, number: EISDIR)) { try ByteFile("/tmp") }
    #expect(throws: FileError(folder.file("link"), .open, number: ELOOP)) {
      try ByteFile(folder.file("link"), followingLinks: false)
    }
    #expect(try ByteFile(folder.file("link")).rest(limit: 1) == Array("x".utf8))
    #expect(try FileFacts.at(folder.file("link"), followingLinks: false)?.kind == .symbolicLink)
    #expect(try FileFacts.at(folder.file("pipe"))?.kind == .other)
    #expect(try FileFacts.at(folder.file("none")) == nil)
  }

  @Test func `a path with a NUL is refused, not truncated`() throws {
    try AtomicFile.write(folder.file("a"), "x".utf8)
    #expect(throws: FileError(folder.file("a\0b"), .open, number: EINVAL)) {
      try FileText.bytes(folder.file("a\0b"), limit: 10)
    }
  }

  @Test(arguments: WritingStep.allCases, [ENOSPC, EIO])
  func `a failing step leaves the old content or the new and nothing beside it`(step: WritingStep, number: Int32) throws
  {
    try AtomicFile.write(folder.file("a"), "old".utf8)
    var options = Replacement.internalFile(temporaryName: "a.new")
    options.step = { $0 == step ? number : 0 }
    let isInPlace = step == .renamed || step == .done
    let error: FileError?
    do throws(FileError) {
      try AtomicFile.write(folder.file("a"), "new".utf8, options)
      error = nil
    } catch let caught { error = caught }
    #expect(error == (isInPlace ? nil : FileError(folder.file("a"), .write, number: number)))
    #expect(error?.code ?? "" == (isInPlace ? "" : number == ENOSPC ? "storage_full" : "file_failed"))
    #expect(try FileText.read(folder.file("a"), limit: 10) == (isInPlace ? "new" : "old"))
    #expect(folder.names == ["a"])
  }

  @Test func `our file replaces a killed process's leftovers, gets mode 0600 and replaces a link`() throws {
    try AtomicFile.write(folder.file("left"), "left".utf8, mode: 0o644)
    try AtomicFile.write(folder.file("target"), "target".utf8)
    symlink("target", folder.file("a"))
    symlink("target", folder.file("a.new"))
    try AtomicFile.write(folder.file("a"), "mine".utf8, .internalFile(temporaryName: "a.new"))
    #expect(try FileText.read(folder.file("target"), limit: 10) == "target")
    #expect(try FileFacts.at(folder.file("a"), followingLinks: false)?.kind == .file)
    try AtomicFile.write(folder.file("left"), "new".utf8, .internalFile(temporaryName: "x"))
    #expect(mode(of: folder.file("left")) == 0o600)
    #expect(folder.names == ["a", "left", "target"])
  }

  @Test func `an error names the path, the operation and the reason`() {
    #expect(FileError("p", .make, number: EACCES).message.hasPrefix("\"p\" could not be created: the system does not"))
    #expect(FileError("p/q", .make, number: ENOENT).message.hasSuffix("its folder does not exist; create it first"))
    #expect(FileError("p", .sync, number: EIO).message == "\"p\" could not be written to the disk: input/output error")
    #expect(FileError("p", .read, .notAFile).message == "\"p\" could not be read: it is not a regular file")
    #expect(FileError("p", .lock, .busy).code == "storage_busy" && FileError("p", .lock, .busy).number == EBUSY)
    #expect(FileError("p", .lock, .interrupted).code == "interrupted")
    #expect(systemWords(ENOENT) == "no such file or directory")
  }
}
