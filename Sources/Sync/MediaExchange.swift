// A sync of media: first receives what changed on the server, then sends what changed locally. Source: SyncRules.md,
// "Media". Invariant: a file's content is stored only when its digest is the one that the server listed. Where both
// sides changed a file, the server's content wins. The caller reads `known` and stores it, also after a failure.

import Decks
import Exchange
import Problems
import Templates
import Text

/// How the caller reads and stores contents.
public struct MediaContents {
  /// Returns the bytes of a hash; nil if they are gone.
  let read: (_ hash: String) throws -> [UInt8]?
  /// Stores bytes and returns their hash.
  let keep: (_ bytes: [UInt8]) throws -> String
  /// The most bytes that one sync may store.
  let limit: Int

  public init(
    limit: Int, read: @escaping (_ hash: String) throws -> [UInt8]?, keep: @escaping (_ bytes: [UInt8]) throws -> String
  ) { (self.limit, self.read, self.keep) = (limit, read, keep) }
}

public enum MediaStage: Equatable, Sendable {
  case fetching(Int, of: Int)
  case sending(Int, of: Int)
}

public final class MediaExchange {
  private let server: MediaServer
  private let contents: MediaContents
  private let folder: String
  private let isInterrupted: () -> Bool
  /// The current state of each file, by name.
  public private(set) var known: KnownMedia
  public private(set) var report = SyncReport()

  private static let mostChanges = 1_000_000
  private static let largestFile = 100 << 20

  public init(
    _ server: MediaServer, _ contents: MediaContents, folder: String, _ known: KnownMedia,
    isInterrupted: @escaping () -> Bool
  ) {
    (self.server, self.contents, self.folder, self.isInterrupted) = (server, contents, folder, isInterrupted)
    self.known = known
    if known.usn == 0 { self.known.forgetServer() }
  }

  /// Runs the whole sync; throws `SyncError`, and what `contents` throws; `known` then holds what was done so far.
  public func run(progress: (MediaStage) -> Void) throws {
    let isNew = try server.begin() != known.usn
    guard isNew || known.states.contains(where: { $0.value.isPending }) else { return }
    if isNew { try fetch(progress) }
    try send(progress)
    if try isSane() { return }
    // One side missed something: compare everything once.
    known.forgetServer()
    try fetch(progress)
    try send(progress)
    if try !isSane() {
      report.note("The server counts a different number of media files; Anki's \"Check Media\" may help.")
    }
  }

  private func isSane() throws -> Bool {
    let count = known.states.values.count { $0.digest != nil && !($0.hash == nil && $0.isPending) }
    return try server.hasCount(count)
  }

  private func checkInterrupted() throws(SyncError) { if isInterrupted() { throw .interrupted } }

  private func fetch(_ progress: (MediaStage) -> Void) throws {
    var wanted: [String: String] = [:]
    var (last, count) = (known.usn, 0)
    while true {
      try checkInterrupted()
      let changes = try server.changes(after: last)
      guard let next = changes.last?.usn else { break }
      count += changes.count
      guard next > last, count <= Self.mostChanges else { throw server.fault("mediaChanges", "never ends") }
      last = next
      for change in changes { try classify(change, &wanted) }
    }
    try download(wanted, progress)
    known.usn = last
  }

  private func classify(_ change: MediaChange, _ wanted: inout [String: String]) throws {
    wanted[change.name] = nil
    guard MediaExchange.isUsable(change.name) else {
      // The server counts the file, so it is recorded as known there.
      known.states[change.name] =
        change.digest.isEmpty ? nil : MediaState(hash: nil, digest: change.digest, isPending: false)
      if !change.digest.isEmpty {
        report.note("\(quoted(change.name)) on the server has a name that is not allowed here; it was not fetched.")
      }
      return
    }
    let here = known.states[change.name]
    if change.digest.isEmpty {
      // The deletion was sent from here and the file was restored since, or the file was changed here.
      let isBack = known.deletions[change.name] == change.usn
      if here?.hash != nil, isBack || here?.isPending == true {
        known.states[change.name]?.isPending = true
        return
      }
      if here?.hash != nil { report.removedHere += 1 }
      known.states[change.name] = nil
    } else if let here, let hash = here.hash, try here.digest ?? digest(of: hash) == change.digest {
      known.states[change.name] = MediaState(hash: hash, size: here.size, digest: change.digest, isPending: false)
    } else if let here, here.hash == nil, here.isPending, here.digest == change.digest {
      // Deleted locally since.
    } else {
      wanted[change.name] = change.digest
    }
  }

  /// Whether the name is a single path component in the form used here.
  private static func isUsable(_ name: String) -> Bool {
    do throws(NoteError) {
      return try MediaNames.checked(name).utf8.elementsEqual(name.utf8) && !name.hasPrefix(".")
    } catch { return false }
  }

  /// Returns the digest of a content; nil if the content is gone.
  private func digest(of hash: String) throws -> String? {
    try checkInterrupted()
    return try contents.read(hash).map(MediaArchive.digest)
  }

  private func download(_ wanted: [String: String], _ progress: (MediaStage) -> Void) throws {
    var stored = 0
    var left = wanted.keys.sorted()[...]
    while !left.isEmpty {
      try checkInterrupted()
      let batch = left.prefix(MediaServer.filesAtOnce)
      left.removeFirst(batch.count)
      let files = try archived(server.archive(of: Array(batch)))
      let names = Set(files.map(\.name))
      guard !names.isEmpty, names.isSubset(of: batch) else {
        throw server.fault("downloadFiles", "contains files that were not requested, or none")
      }
      for file in files {
        let bytes = file.bytes ?? []
        let digest = MediaArchive.digest(bytes)
        guard digest == wanted[file.name] else {
          throw server.fault("downloadFiles", "contains another \(quoted(file.name)) than was listed; sync again")
        }
        stored += bytes.count
        if stored > contents.limit { throw SyncError.overShare(limit: contents.limit, isMedia: true) }
        known.states[file.name] = MediaState(
          hash: try contents.keep(bytes), size: bytes.count, digest: digest, isPending: false)
        report.received += 1
      }
      let rest = batch.filter { !names.contains($0) }
      if !rest.isEmpty { left = rest + left }
      progress(.fetching(wanted.count - left.count, of: wanted.count))
    }
  }

  private func archived(_ bytes: [UInt8]) throws -> [ArchivedMedia] {
    do { return try MediaArchive.read(bytes, in: folder) } catch let error as PackageError {
      if case .noLibrary = error { throw error }
      throw server.fault("downloadFiles", "is not an archive of files: \(error.message)")
    }
  }

  private func send(_ progress: (MediaStage) -> Void) throws {
    var left = known.states.filter { isToBeSent($0.key, $0.value) }.keys.sorted()[...]
    let all = left.count
    var isAlone = true
    while !left.isEmpty {
      try checkInterrupted()
      let files = try batch(&left)
      if files.isEmpty { continue }
      let (taken, now) = try server.upload(MediaArchive.bytes(of: files.map(\.file), in: folder))
      guard taken > 0 else { throw server.fault("uploadChanges", "says that none of the files was accepted") }
      for (number, (file, state)) in files.prefix(taken).enumerated() {
        if file.bytes == nil {
          report.removedThere += 1
          known.deletions[file.name] = now - taken + number + 1
        } else {
          report.sent += 1
        }
        known.states[file.name] = state
      }
      if taken < files.count { left = (files.dropFirst(taken).map(\.file.name) + left)[...] }
      // Another device may have sent something at the same time: the next sync lists it.
      isAlone = isAlone && known.usn + taken == now
      if isAlone { known.usn = now }
      progress(.sending(all - left.count, of: all))
    }
  }

  /// Whether a file can be sent; a file that the server would refuse is noted in the report.
  private func isToBeSent(_ name: String, _ state: MediaState) -> Bool {
    guard state.isPending else { return false }
    guard let reason = MediaExchange.refusal(of: name, state) else { return true }
    report.note("\(quoted(name)) \(reason) and was not sent.")
    return false
  }

  /// Returns why a server refuses the file, or nil; a removal is never refused.
  static func refusal(of name: String, _ state: MediaState) -> String? {
    if state.hash == nil { return nil }
    if state.size == 0 { return "is empty" }
    if state.size > largestFile { return "is larger than \(largestFile >> 20) MiB" }
    return isUsable(name) ? nil : "has a name that other devices cannot use"
  }

  /// Returns the next files to send, each with its state after the server has taken it.
  private func batch(_ left: inout ArraySlice<String>) throws -> [(file: ArchivedMedia, after: MediaState?)] {
    var (files, bytes): ([(file: ArchivedMedia, after: MediaState?)], Int) = ([], 0)
    while let name = left.first, files.count < MediaServer.filesAtOnce {
      guard var state = known.states[name], let hash = state.hash else {
        files.append(((name, nil), nil))
        left.removeFirst()
        continue
      }
      if bytes > 0, bytes + state.size > MediaServer.bytesAtOnce { break }
      left.removeFirst()
      guard let content = try contents.read(hash) else {
        report.note("The file of \(quoted(name)) is missing and was not sent.")
        continue
      }
      bytes += content.count
      (state.digest, state.isPending) = (MediaArchive.digest(content), false)
      files.append(((name, content), state))
    }
    return files
  }
}
