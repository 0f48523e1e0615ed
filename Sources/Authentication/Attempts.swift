// The number of failed attempts in a row, and how long the next one has to wait: one second, doubled with each failure,
// at most an hour.
// Invariant: an attempt is counted before it is made, under a lock that is held until it ends, so that neither a killed
// process nor two processes at once get a free attempt; no setting of the clock shortens the wait.

import CSodium
import Files
import Glibc
import Text

struct Failures: Equatable {
  var count: Int
  var last: ClockReading

  static let longestWait: Int64 = 3_600_000

  /// The failures that are assumed if their number is not known.
  static func unknown(at now: ClockReading) -> Failures { Failures(count: 5, last: now) }

  /// The milliseconds that must pass between the last failure and the next attempt.
  var wait: Int64 {
    guard count > 0 else { return 0 }
    return count > 12 ? Failures.longestWait : min(Failures.longestWait, 1000 << Int64(count - 1))
  }

  func left(at now: ClockReading) -> Int64 { max(0, wait - now.elapsed(since: last)) }

  /// A record is one line of a fixed length, so that it is overwritten in place.
  static let recordLength = 128

  /// `tag` identifies the name, as several names may share a place.
  func record(tag: String) -> [UInt8] {
    let id = last.bootID.utf8.prefix(40).map { $0 == 0x20 || $0 == 0x0A ? UInt8(ascii: "_") : $0 }
    var line = Array("failures \(count) \(last.wall) \(last.boot) \(tag) ".utf8) + (id.isEmpty ? Array("-".utf8) : id)
    line += [UInt8](repeating: 0x20, count: max(0, Failures.recordLength - 1 - line.count))
    return line + [0x0A]
  }
}

extension Failures {
  /// Reads a record. An empty one, or one with another tag, has no failures; a malformed one has some, just now.
  init(record: [UInt8], tag: String, now: ClockReading) {
    self = Failures(count: 0, last: now)
    if record.allSatisfy({ $0 == 0 }) { return }
    let words = String(decoding: record, as: UTF8.self).split(whereSeparator: { $0 == " " || $0 == "\n" })
    guard record.count == Failures.recordLength, words.count == 6, words[0] == "failures", let count = Int(words[1]),
      let wall = Int64(words[2]), let boot = Int64(words[3]), (0...1_000_000_000).contains(count)
    else {
      self = .unknown(at: now)
      return
    }
    if words[4] != tag { return }
    let id = words[5] == "-" ? "" : String(words[5])
    self = Failures(count: count, last: ClockReading(wall: wall, boot: boot, bootID: id))
  }
}

/// The place where one name's failures are stored, locked while this value exists.
struct AttemptRecord: ~Copyable {
  private let lock: FileLock
  private let offset: Int
  private let tag: String
  private let path: String

  /// The open file. The lock is held at least until the last use of this property.
  var file: Int32 { lock.descriptor }

  /// The record of an account: a file in its folder, made with the account.
  static func ofAccount(in folder: String, _ environment: Environment) throws(AuthenticationError) -> AttemptRecord {
    let path = folder + "/attempts"
    return AttemptRecord(lock: try PrivateFile.lock(path, environment), offset: 0, tag: accountTag, path: path)
  }

  private static let accountTag = "account"

  /// The record of a name without an account: one of a fixed number of places in one file, found by a hash with its own
  /// key, so that such names are slowed down like any other and need no space of their own. Names in one place replace
  /// each other; to escape a wait in this way takes thousands of attempts at other names, each as slow as any.
  static func ofUnknown(_ name: String, in folder: String, _ environment: Environment) throws(AuthenticationError)
    -> AttemptRecord
  {
    let path = folder + "/.attempts"
    let lock = try PrivateFile.lock(path, environment)
    let digest = try digest(of: name, in: lock.descriptor, path, environment)
    let place = (Int(digest[0]) << 8 | Int(digest[1])) % places + 1
    let tag = hexadecimal(digest[2..<10])
    return AttemptRecord(lock: lock, offset: place * Failures.recordLength, tag: tag, path: path)
  }

  static let places = 4096

  /// A hash of the name with the file's own key, which is at the beginning of the file.
  private static func digest(of name: String, in file: Int32, _ path: String, _ environment: Environment)
    throws(AuthenticationError) -> [UInt8]
  {
    var key = [UInt8](repeating: 0, count: Failures.recordLength)
    if pread(file, &key, key.count, 0) != key.count {
      key = environment.random.bytes(Failures.recordLength)
      guard pwrite(file, key, key.count, 0) == key.count else {
        throw .failed(operation: "write", path: path, code: errno)
      }
    }
    let bytes = Array(name.utf8.prefix(4096))
    var digest = [UInt8](repeating: 0, count: 16)
    crypto_generichash(&digest, 16, bytes, UInt64(bytes.count), key, 32)
    return digest
  }

  /// The failures so far. A failure that was recorded in an earlier start of the machine, with a later time than now,
  /// is moved to now: the wait starts again, neither shortened nor extended by a wrong clock.
  func failures(at now: ClockReading) throws(AuthenticationError) -> Failures {
    var bytes = [UInt8](repeating: 0, count: Failures.recordLength)
    let count = pread(lock.descriptor, &bytes, bytes.count, off_t(offset))
    if count < 0 { throw .failed(operation: "read", path: path, code: errno) }
    if count == 0, tag == Self.accountTag {
      // The file was deleted, and the failures with it.
      try write(.unknown(at: now))
      return .unknown(at: now)
    }
    var failures = Failures(record: Array(bytes.prefix(count)), tag: tag, now: now)
    let isOfThisStart = failures.last.bootID == now.bootID
    // A later time than now in this start of the machine was never recorded here.
    if failures.count > 0, isOfThisStart ? now.boot < failures.last.boot : now.wall < failures.last.wall {
      failures.last = now
      try write(failures)
    }
    return failures
  }

  func write(_ failures: Failures) throws(AuthenticationError) {
    let bytes = failures.record(tag: tag)
    guard pwrite(lock.descriptor, bytes, bytes.count, off_t(offset)) == bytes.count else {
      throw .failed(operation: "record the attempt in", path: path, code: errno)
    }
  }
}

extension ClockReading {
  /// Milliseconds from `earlier` to now, by the wall clock only across a restart; 0 if that went back.
  func elapsed(since earlier: ClockReading) -> Int64 {
    let (then, now) = bootID == earlier.bootID ? (earlier.boot, boot) : (earlier.wall, wall)
    let (difference, isOver) = now.subtractingReportingOverflow(then)
    return isOver ? 0 : max(0, difference)
  }
}
