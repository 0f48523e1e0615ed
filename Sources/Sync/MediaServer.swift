// The calls of the media protocol, one function each. Source: SyncRules.md, "Media". Invariant: as in `SyncServer`, an
// answer either matches the protocol or is refused with an error that names the call.

import Exchange
import Values
import Wire

/// A file name that changed on the server, with its SHA-1 in hexadecimal, which is empty if the file was deleted.
typealias MediaChange = (name: String, usn: Int, digest: String)

public final class MediaServer: SyncCalls {
  override class var path: String { "msync/" }
  /// The most files that one call requests or sends.
  static let filesAtOnce = 25
  /// The most bytes of files that one call sends, unless a single file is larger.
  static let bytesAtOnce = 2_500_000
  private static let numbers = 0...1 << 60
  private static let limits = JSONLimits(bytes: 16 << 20, depth: 8, values: 1_000_000, string: 1 << 20)

  private func bytes(_ name: String, _ body: [UInt8]) throws(SyncError) -> [UInt8] {
    var request = request(name)
    request.answerLimit = MediaArchive.mostBytes + (1 << 20)
    return try exchange(request, body)
  }

  /// `{"data": ..., "err": ""}`
  private func data(_ name: String, _ body: [UInt8]) throws(SyncError) -> Value {
    let answer = try bytes(name, body)
    let parsed: Value
    do throws(JSONFailure) { parsed = try JSONParser.parse(answer, limits: Self.limits) } catch {
      throw fault(name, "is not JSON")
    }
    guard let record = parsed.record, let data = record["data"] else { throw fault(name, "has no data") }
    if let reason = record["err"]?.text, !reason.isEmpty { throw fault(name, "says: \(reason.prefix(300))") }
    return data
  }

  private func data(_ name: String, _ arguments: Value.Record) throws(SyncError) -> Value {
    try data(name, JSONWriter.bytes(of: .record(arguments)))
  }

  /// Returns the number of the last change on the server.
  func begin() throws(SyncError) -> Int {
    guard let usn = try data("begin", ["v": .text(SyncClient.name)]).record?["usn"]?.integer, Self.numbers ~= usn else {
      throw fault("begin", "does not say what the last change was")
    }
    return usn
  }

  /// Returns some of the changes after a number; an empty list after the last one.
  func changes(after usn: Int) throws(SyncError) -> [MediaChange] {
    guard let list = try data("mediaChanges", ["lastUsn": .integer(usn)]).list else {
      throw fault("mediaChanges", "is not a list")
    }
    let changes = list.compactMap { change -> MediaChange? in
      guard let parts = change.list, parts.count == 3, let name = parts[0].text, let usn = parts[1].integer,
        Self.numbers ~= usn, let digest = parts[2].text, !name.isEmpty, name.utf8.count <= 1000,
        digest.isEmpty || digest.utf8.count == 40
      else { return nil }
      return (name, usn, digest.lowercased())
    }
    guard changes.count == list.count else { throw fault("mediaChanges", "contains invalid entries") }
    return changes
  }

  func archive(of names: [String]) throws(SyncError) -> [UInt8] {
    try bytes("downloadFiles", JSONWriter.bytes(of: .record(["files": names])))
  }

  /// Sends an archive; returns how many of its files the server took, and the number of its last change now.
  func upload(_ archive: [UInt8]) throws(SyncError) -> (taken: Int, usn: Int) {
    guard let parts = try data("uploadChanges", archive).list, parts.count == 2, let taken = parts[0].integer,
      let usn = parts[1].integer, (0...Self.filesAtOnce) ~= taken, Self.numbers ~= usn
    else { throw fault("uploadChanges", "does not say how many files were accepted") }
    return (taken, usn)
  }

  /// Whether the server has this many files.
  func hasCount(_ count: Int) throws(SyncError) -> Bool {
    try data("mediaSanity", ["local": .integer(count)]).text == "OK"
  }
}
