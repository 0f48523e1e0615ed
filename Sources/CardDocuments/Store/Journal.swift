// A batch of changes to the folder that is done as a whole or not at all, also when the process is killed half-way.
// Invariant: all new files are written and synced in the batch's own folder before its journal gets its final name;
// until then nothing of the batch is seen, from then on only renames are left, which whoever opens the folder next
// finishes. Doing them again changes nothing.

import Files
import Glibc
import Text
import Wire

/// One change of the folder, by the names of files in it.
enum FolderChange: Equatable {
  /// A file of the batch's own folder takes its final name.
  case put(staged: String, name: String)
  case remove(name: String)
}

struct Journal {
  /// The folder of the batch, within the folder of documents.
  let place: String
  static let alive = "alive"
  private static let unfinished = "journal"
  private static let finished = "commit"
  private static let maximum = 256 << 20

  /// Makes the batch certain: after this it will be done, whatever happens to the process; where it is decided
  /// elsewhere,
  /// once it is.
  func commit(
    _ changes: [FolderChange], isDecidedElsewhere: Bool, in folder: DocumentFolder
  ) throws(DocumentError) {
    let bytes = Journal.encode(changes, isDecidedElsewhere: isDecidedElsewhere)
    try folder.write(bytes, to: place + "/" + Journal.unfinished)
    try folder.move(place + "/" + Journal.unfinished, to: place + "/" + Journal.finished)
    folder.syncNames(around: place + "/" + Journal.finished)
  }

  /// Does what was committed, then clears the batch's folder away.
  func apply(_ changes: [FolderChange], in folder: DocumentFolder) throws(DocumentError) {
    var last: [String: String] = [:]
    for change in changes {
      switch change {
      case .put(let staged, let name):
        last[parentFolder(of: name)] = name
        if folder.has(place + "/" + staged) { try folder.move(place + "/" + staged, to: name) }
      case .remove(let name):
        last[parentFolder(of: name)] = name
        try folder.remove(name)
      }
    }
    for name in last.values.sorted() { folder.syncNames(around: name) }
    try clear(in: folder)
  }

  /// The journal goes first, so that a batch that is half cleared away is never begun again.
  func clear(in folder: DocumentFolder) throws(DocumentError) {
    try folder.remove(place + "/" + Journal.finished)
    try folder.removeFolder(place)
  }

  /// Finishes or clears what a process that is gone has left. The caller holds the folder's lock.
  /// - Parameter isDecided: whether the batch of an id was decided elsewhere; nil where nobody knows.
  static func recover(
    in folder: DocumentFolder, isDecided: (String) throws(DocumentError) -> Bool? = { _ in nil }
  ) throws(DocumentError) {
    for place in ["", DocumentFolder.images + "/", DocumentFolder.thumbnails + "/"] {
      for name in try folder.names(in: String(place.dropLast())) where name.hasPrefix(DocumentFolder.temporaryPrefix) {
        try folder.remove(place + name)
      }
    }
    for name in try folder.names() {
      guard name.hasPrefix(DocumentFolder.unitPrefix) else { continue }
      guard let alive = Journal.lock(name, in: folder) else { continue }
      defer { alive.release() }
      try Journal(place: name).recover(in: folder, isDecided)
    }
  }

  private func recover(
    in folder: DocumentFolder, _ isDecided: (String) throws(DocumentError) -> Bool?
  ) throws(DocumentError) {
    switch try state(in: folder) {
    case .unfinished: try clear(in: folder)
    case .finished(let changes, isDecidedElsewhere: false): try apply(changes, in: folder)
    case .finished(let changes, isDecidedElsewhere: true):
      switch try isDecided(place) {
      case true?: try apply(changes, in: folder)
      case false?: try clear(in: folder)
      // It waits for somebody who can tell.
      case nil: return
      }
    case .damaged:
      // It keeps nobody from the documents; `check()` tells of it.
      if try isDecided(place) == false { return try clear(in: folder) }
      try folder.move(place, to: DocumentFolder.damagedPrefix + place.dropFirst(DocumentFolder.unitPrefix.count))
    }
  }

  /// Whoever gathers a batch holds this lock while it lives. Nil while somebody does, and where no batch can be.
  private static func lock(_ name: String, in folder: DocumentFolder) -> FileLock? {
    // Without the lock there is no batch to gather.
    do { return try FileLock(ifFree: folder.full(name + "/" + Journal.alive)) } catch { return nil }
  }

  private enum State {
    /// It never came so far.
    case unfinished
    /// Perhaps not done yet.
    case finished([FolderChange], isDecidedElsewhere: Bool)
    case damaged
  }

  private func state(in folder: DocumentFolder) throws(DocumentError) -> State {
    let name = place + "/" + Journal.finished
    guard folder.has(name) else { return .unfinished }
    let bytes = try folder.read(name, limit: Journal.maximum).bytes
    do {
      guard bytes.starts(with: Journal.mark) else {
        // Of a version before the check sum.
        return .finished(try Journal.decode(bytes), isDecidedElsewhere: false)
      }
      let head = Journal.mark.count + 1
      let body = Array(bytes.dropFirst(head + 32))
      guard bytes.count >= head + 32, Array(bytes[head..<head + 32]) == sha256(body) else {
        return .damaged
      }
      return .finished(try Journal.decode(body), isDecidedElsewhere: bytes[head - 1] == 1)
    } catch {
      // Bytes that do not decode are the damage that is reported.
      return .damaged
    }
  }

  /// What a journal begins with; then a byte that says who decides, the SHA-256 of the rest, and the rest.
  private static let mark = Array("rwj2".utf8)

  private static func encode(_ changes: [FolderChange], isDecidedElsewhere: Bool) -> [UInt8] {
    let body = encode(changes)
    return mark + [isDecidedElsewhere ? 1 : 0] + sha256(body) + body
  }

  private static func encode(_ changes: [FolderChange]) -> [UInt8] {
    var writer = WireWriter()
    writer.list(changes) { writer, change in
      switch change {
      case .put(let staged, let name):
        writer.byte(1)
        writer.text(staged)
        writer.text(name)
      case .remove(let name):
        writer.byte(2)
        writer.text(name)
      }
    }
    return writer.bytes
  }

  private static func decode(_ bytes: [UInt8]) throws(WireError) -> [FolderChange] {
    var reader = WireReader(bytes)
    return try reader.list { reader throws(WireError) in
      switch try reader.byte() {
      case 1: .put(staged: try reader.text(), name: try reader.text())
      case 2: .remove(name: try reader.text())
      default: throw WireError()
      }
    }
  }
}
