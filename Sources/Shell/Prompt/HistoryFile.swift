// The history file: one line per entry, oldest first; `\n` stands for a line break and `\\` for a backslash in it, `\!`
// precedes an entry that failed. Invariant: whatever the file contains, loading takes bounded time and memory, and
// entries that two shells add at the same time are all kept.

import Files
import Glibc
import Text

struct HistoryFile {
  /// In bytes. A longer line is not remembered at all; readline's own paste limit is far higher.
  static let longestEntry = 64 << 10
  /// In bytes; of a longer file, only the end is read.
  private static let mostRead = 4 << 20
  /// Marks an entry that failed; no entry itself begins with it, because a backslash is doubled.
  private static let failureMark = Array("\\!".utf8)

  let path: String
  let limit: Int

  /// Loads the newest entries without duplicates, oldest first. `trouble` says in one line what is wrong with the file.
  func load() -> (entries: [String], failed: Set<String>, trouble: String?) {
    let found = read()
    if let trouble = found.trouble { return ([], [], trouble) }
    let parsed = parse(found.end)
    let isWasteful = found.size > Self.mostRead || parsed.lineCount > parsed.entries.count + limit / 2
    return (parsed.entries, parsed.failed, isWasteful ? compact() : nil)
  }

  /// Appends an entry. - Returns: what went wrong, in one line.
  func append(_ entry: String, hasFailed: Bool = false) -> String? {
    let (descriptor, isLocked) = openLocked()
    guard descriptor >= 0 else { return trouble("cannot be written", errno) }
    defer { close(descriptor) }
    var bytes = (hasFailed ? Self.failureMark : []) + escaped(entry)
    if !endsWithLine(descriptor) { bytes.insert(UInt8(ascii: "\n"), at: 0) }
    guard writeAll(bytes, to: descriptor) else { return trouble("cannot be written", errno) }
    // A compaction has read the old file before this entry was in it.
    return isLocked || isStillThere(descriptor) ? nil : append(entry, hasFailed: hasFailed)
  }

  private func trouble(_ what: String, _ number: Int32) -> String {
    "the history \(quoted(path)) \(what) (\(systemWords(number))); this session's lines will not be saved"
  }

  /// Reads the end of the file; nothing when there is no file. `trouble` says in one line why it cannot be read.
  func read() -> (end: [UInt8], size: Int, trouble: String?) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return ([], 0, errno == ENOENT ? nil : trouble("cannot be read", errno)) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return ([], 0, "the history \(quoted(path)) is not a file; this session's lines will not be saved")
    }
    let size = Int(status.st_size)
    guard let end = readEnd(descriptor, size: size) else { return ([], 0, trouble("cannot be read", errno)) }
    return (end, size, nil)
  }

  /// Reads the last bytes of the file, from the start of a line.
  private func readEnd(_ descriptor: Int32, size: Int) -> [UInt8]? {
    let skipped = max(0, size - Self.mostRead)
    guard let end = bytes(of: descriptor, in: skipped..<size) else { return nil }
    guard skipped > 0 else { return end }
    return end.firstIndex(of: UInt8(ascii: "\n")).map { Array(end[($0 + 1)...]) } ?? []
  }

  private func bytes(of descriptor: Int32, in range: Range<Int>) -> [UInt8]? {
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: max(1, range.count)) { buffer, count in
      while count < range.count {
        let room = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
        let got = retrying { pread(descriptor, room.baseAddress, room.count, off_t(range.lowerBound + count)) }
        failed = got < 0
        if got <= 0 { break }
        count += got
      }
    }
    return failed ? nil : bytes
  }

  /// Parses entries from newest to oldest until there are enough; skips empty lines, and those not UTF-8 or with a NUL.
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
        // Lines further down in the file are newer.
        if newest.add(entry), hasFailed { failed.insert(entry) }
      }
    }
    return (newest.lines.reversed(), failed, lineCount)
  }

  /// The ranges of the lines, without their line ends.
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

  /// Opens the file for appending, locked against a compaction. When the lock is not available soon, it is skipped: one
  /// write with O_APPEND is complete even without it. Returns -1 with errno when the file cannot be opened.
  private func openLocked() -> (descriptor: Int32, isLocked: Bool) {
    for _ in 0..<8 {
      let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o600)
      guard descriptor >= 0 else { return (-1, false) }
      let isLocked = lock(descriptor)
      if isStillThere(descriptor) { return (descriptor, isLocked) }
      close(descriptor)
    }
    errno = EAGAIN
    return (-1, false)
  }

  /// - Returns: false while another shell holds the lock.
  private func lock(_ descriptor: Int32) -> Bool {
    do {
      try FileLock.lock(descriptor, path, LockWait(seconds: 0.1, isInterrupted: { false }))
      return true
    } catch {
      // Some network file systems have no locks; a history without a lock is better than none.
      return error.reason != .busy
    }
  }

  /// Whether the path still leads to the open file: a compaction replaces it with a new one.
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

  /// Replaces the file with one that has only the newest entries, including those that others added meanwhile. Does
  /// nothing while another shell does it.
  private func compact() -> String? {
    let (descriptor, isLocked) = openLocked()
    guard descriptor >= 0 else { return trouble("cannot be written", errno) }
    defer { close(descriptor) }
    guard isLocked else { return nil }
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
    return appendLate(descriptor, after: Int(status.st_size))
  }

  /// Appends to the new file what shells that did not wait for the lock have added to the old one since it was read.
  /// - Parameters:
  ///   - descriptor: the old file.
  ///   - size: its size when it was read.
  private func appendLate(_ descriptor: Int32, after size: Int) -> String? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, Int(status.st_size) > size else { return nil }
    guard let late = bytes(of: descriptor, in: size..<Int(status.st_size)) else {
      return trouble("cannot be read", errno)
    }
    let new = openLocked().descriptor
    guard new >= 0 else { return trouble("cannot be written", errno) }
    defer { close(new) }
    return writeAll(late, to: new) ? nil : trouble("cannot be written", errno)
  }
}

/// Distinct lines in order of insertion. Uses open addressing over a quick hash, because a set of strings would take
/// most of the time that startup has for the history.
private struct DistinctLines {
  private(set) var lines: [String] = []
  /// The index of a line plus 1; 0 is free. There are twice as many slots as lines, so that probes stay short.
  private var slots: [Int32]

  init(limit: Int) {
    var size = 64
    while size < 2 * limit, size < 1 << 24 { size *= 2 }
    slots = [Int32](repeating: 0, count: size)
  }

  /// - Returns: false for a line that is already present.
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

/// Repeats the call while a signal interrupts it.
func retrying<Number: SignedInteger>(_ call: () -> Number) -> Number {
  while true {
    let answer = call()
    if answer != -1 || errno != EINTR { return answer }
  }
}

/// Writes all bytes; false with errno set when that fails.
func writeAll(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Bool {
  var rest = Array(bytes)[...]
  while !rest.isEmpty {
    let count = retrying { rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }
    if count <= 0 { return false }
    rest = rest.dropFirst(count)
  }
  return true
}
