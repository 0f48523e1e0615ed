// The history on disk: one line an entry, `\n` for a line end and `\\` for a backslash in it, `\!` before one that
// failed, oldest first. Invariant:
// whatever stands in the file, loading takes bounded time and memory, and what two shells add at once is all kept.

import Files
import Glibc
import Text

struct HistoryFile {
  /// Bytes. A longer line is remembered for the session only if at all; readline's own paste limit is far above.
  static let longestEntry = 64 << 10
  /// Of a longer file only the end is read.
  private static let mostRead = 4 << 20
  /// Before an entry that failed; none begins with it, as a backslash is doubled.
  private static let failureMark = Array("\\!".utf8)

  let path: String
  let limit: Int

  /// The newest entries, each once, oldest first. `trouble` says in one line what is wrong with the file.
  func load() -> (entries: [String], failed: Set<String>, trouble: String?) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return ([], [], errno == ENOENT ? nil : trouble("cannot be read", errno)) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return ([], [], "the history \(quoted(path)) is not a file; this session's lines will not be kept")
    }
    guard let end = readEnd(descriptor, size: Int(status.st_size)) else {
      return ([], [], trouble("cannot be read", errno))
    }
    let parsed = parse(end)
    let isWasteful = Int(status.st_size) > Self.mostRead || parsed.lineCount > parsed.entries.count + limit / 2
    return (parsed.entries, parsed.failed, isWasteful ? compact() : nil)
  }

  /// Adds an entry. - Returns: what went wrong, in one line.
  func append(_ entry: String, hasFailed: Bool = false) -> String? {
    let descriptor = openLocked()
    guard descriptor >= 0 else { return trouble("cannot be written", errno) }
    defer { close(descriptor) }
    var bytes = (hasFailed ? Self.failureMark : []) + escaped(entry)
    if !endsWithLine(descriptor) { bytes.insert(UInt8(ascii: "\n"), at: 0) }
    return write(bytes, to: descriptor) ? nil : trouble("cannot be written", errno)
  }

  private func trouble(_ what: String, _ number: Int32) -> String {
    "the history \(quoted(path)) \(what) (\(systemWords(number))); this session's lines will not be kept"
  }
}

// Reading.
extension HistoryFile {
  /// The last bytes of the file, from the beginning of a line.
  private func readEnd(_ descriptor: Int32, size: Int) -> [UInt8]? {
    let skipped = max(0, size - Self.mostRead)
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: max(1, size - skipped)) { buffer, count in
      while count < size - skipped {
        let room = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
        let got = retrying { pread(descriptor, room.baseAddress, room.count, off_t(skipped + count)) }
        failed = got < 0
        if got <= 0 { break }
        count += got
      }
    }
    guard !failed else { return nil }
    guard skipped > 0 else { return bytes }
    return bytes.firstIndex(of: UInt8(ascii: "\n")).map { Array(bytes[($0 + 1)...]) } ?? []
  }

  /// From the newest to the oldest, until there are enough; a line that is not UTF-8, empty or holds a NUL is passed
  /// over.
  private func parse(_ bytes: [UInt8]) -> (entries: [String], failed: Set<String>, lineCount: Int) {
    var newest = DistinctLines(limit: limit)
    var (lineCount, failed) = (0, Set<String>())
    bytes.withUnsafeBytes { all in
      for line in Self.lines(all).reversed() {
        if newest.lines.count == limit { break }
        lineCount += 1
        let bytes = UnsafeRawBufferPointer(rebasing: all[line])
        let hasFailed = bytes.starts(with: Self.failureMark)
        guard let entry = entry(hasFailed ? UnsafeRawBufferPointer(rebasing: bytes.dropFirst(2)) : bytes) else {
          continue
        }
        // What stands below is newer.
        if newest.add(entry), hasFailed { failed.insert(entry) }
      }
    }
    return (newest.lines.reversed(), failed, lineCount)
  }

  /// Where the lines are, without their ends.
  private static func lines(_ bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
    guard let base = bytes.baseAddress else { return [] }
    var lines: [Range<Int>] = []
    var start = 0
    while start < bytes.count {
      let found = memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
      let end = found.map { base.distance(to: UnsafeRawPointer($0)) } ?? bytes.count
      lines.append(start..<end)
      start = end + 1
    }
    return lines
  }

  private func entry(_ line: UnsafeRawBufferPointer) -> String? {
    guard let base = line.baseAddress, !line.isEmpty, line.count <= 2 * Self.longestEntry,
      memchr(base, 0, line.count) == nil
    else { return nil }
    if memchr(base, Int32(UInt8(ascii: "\\")), line.count) == nil { return String(validating: line, as: UTF8.self) }
    var plain: [UInt8] = []
    var isEscaped = false
    for byte in line {
      if isEscaped {
        plain.append(byte == UInt8(ascii: "n") ? UInt8(ascii: "\n") : byte)
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else {
        plain.append(byte)
      }
    }
    return String(validating: plain, as: UTF8.self)
  }
}

// Writing.
extension HistoryFile {
  private func escaped(_ entry: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for byte in entry.utf8 {
      switch byte {
      case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
      case UInt8(ascii: "\\"): bytes += [byte, byte]
      default: bytes.append(byte)
      }
    }
    return bytes + [UInt8(ascii: "\n")]
  }

  /// The file open for adding, locked against a compaction. A lock that cannot be had soon is done without: one write
  /// with O_APPEND is whole all the same. -1 with errno when it cannot be opened.
  private func openLocked() -> Int32 {
    for _ in 0..<8 {
      let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o600)
      guard descriptor >= 0 else { return -1 }
      lock(descriptor)
      if isStillThere(descriptor) { return descriptor }
      close(descriptor)
    }
    errno = EAGAIN
    return -1
  }

  private func lock(_ descriptor: Int32) {
    // Some network disks have no locks; a history without one is better than none.
    do { try FileLock.lock(descriptor, path, .byPauses(seconds: 0.1, isInterrupted: { false })) } catch { return }
  }

  /// Whether the path still leads to the open file: a compaction puts a new one in its place.
  private func isStillThere(_ descriptor: Int32) -> Bool {
    var opened = stat()
    var named = stat()
    guard fstat(descriptor, &opened) == 0, stat(path, &named) == 0 else { return false }
    return opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
  }

  private func endsWithLine(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return true }
    var last: UInt8 = 0
    return pread(descriptor, &last, 1, status.st_size - 1) != 1 || last == UInt8(ascii: "\n")
  }

  private func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes { rest in
        retrying { Glibc.write(descriptor, rest.baseAddress, rest.count) }
      }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  /// Puts a file with only the newest entries in the place of this one: what others added meanwhile is in it.
  private func compact() -> String? {
    let descriptor = openLocked()
    guard descriptor >= 0 else { return trouble("cannot be written", errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, let end = readEnd(descriptor, size: Int(status.st_size)) else {
      return trouble("cannot be read", errno)
    }
    var options = Replacement(isInterrupted: isNeverInterrupted)
    options.keepsMode = false
    let parsed = parse(end)
    let lines = parsed.entries.flatMap { (parsed.failed.contains($0) ? Self.failureMark : []) + escaped($0) }
    do { try AtomicFile.write(path, lines, options) } catch {
      return trouble("cannot be written", error.number)
    }
    return nil
  }
}

/// Lines, each once, in the order in which they came. A table of places that is probed from a quick hash: a set of
/// strings would take most of the time that a start has for the history.
private struct DistinctLines {
  private(set) var lines: [String] = []
  /// The place of a line plus 1; 0 is free. Twice as many as lines, so that a free one is near.
  private var slots: [Int32]

  init(limit: Int) {
    var size = 64
    while size < 2 * limit, size < 1 << 24 { size *= 2 }
    slots = [Int32](repeating: 0, count: size)
  }

  /// - Returns: false for a line that was there.
  mutating func add(_ line: String) -> Bool {
    guard 2 * lines.count < slots.count else { return false }
    var text = line
    var slot = Int(text.withUTF8(contentHash)) & (slots.count - 1)
    while slots[slot] != 0 {
      if lines[Int(slots[slot]) - 1] == line { return false }
      slot = (slot + 1) & (slots.count - 1)
    }
    lines.append(line)
    slots[slot] = Int32(lines.count)
    return true
  }
}

/// Calls until it is not interrupted by a signal.
func retrying<Number: SignedInteger>(_ call: () -> Number) -> Number {
  while true {
    let answer = call()
    if answer != -1 || errno != EINTR { return answer }
  }
}
