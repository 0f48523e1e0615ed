// How a build sees that a file is as it was without reading it.
// Invariant: a file of the same stamp is not read; one of another stamp is the same when its content is.

import Files
import Text
import Values

/// What a file was when it was looked at: another stamp may be another content.
package struct SourceStamp: Equatable {
  var size = 0
  /// Nanoseconds since 1970.
  var modified = 0
  var inode = 0
}

extension SourceStamp {
  init(_ facts: FileFacts) {
    self.init(
      size: facts.size, modified: facts.modified.seconds &* 1_000_000_000 &+ facts.modified.nanoseconds,
      inode: Int(truncatingIfNeeded: facts.inode))
  }
}

/// A file as a build saw it.
struct StampedFile: Equatable {
  /// Within the folder.
  let path: String
  let stamp: SourceStamp
  /// A hash of its content; 0 for a file that is gone.
  let content: Int64
}

/// The files that a generator read.
struct BuildInputs {
  private(set) var files: [StampedFile] = []
  private static let limits = JSONLimits(bytes: 64 << 20, depth: 3, values: 1_000_000, string: 1 << 16)

  /// The files as they are now.
  init(_ paths: [String], in folder: String, isInterrupted: @escaping () -> Bool) throws {
    files = try paths.map { try Self.look(at: $0, in: folder, isInterrupted) }
  }

  /// - Parameter text: what `text` gave; nothing is known of files in any other.
  init(_ text: String) {
    do throws(JSONFailure) {
      guard !text.isEmpty, let list = try JSONParser.parse(Array(text.utf8), limits: Self.limits).list else { return }
      files = list.compactMap { StampedFile($0) }
    } catch { return }
  }

  /// For the column.
  var text: String { files.isEmpty ? "" : Value.list(files.map(\.value)).json }

  /// These files as they are now; one whose stamp is as before is not read.
  func now(in folder: String, isInterrupted: @escaping () -> Bool) throws -> BuildInputs {
    var now = self
    now.files = try files.map { file in
      let facts = try FileFacts.at(folder + "/" + file.path)
      return try facts.map { SourceStamp($0) } == file.stamp
        ? file : Self.look(at: file.path, in: folder, isInterrupted)
    }
    return now
  }

  /// Whether the files have the same content.
  func isSame(as other: BuildInputs) -> Bool {
    files.elementsEqual(other.files) { $0.path == $1.path && $0.content == $1.content }
  }

  private static func look(
    at path: String, in folder: String, _ isInterrupted: @escaping () -> Bool
  ) throws -> StampedFile {
    guard let facts = try FileFacts.at(folder + "/" + path), facts.kind == .file else {
      return StampedFile(path: path, stamp: SourceStamp(), content: 0)
    }
    // The stamp is that of before the reading: what is written meanwhile gives another one.
    return StampedFile(
      path: path, stamp: SourceStamp(facts),
      content: try BuildIDs.hash(ofFile: folder + "/" + path, isInterrupted: isInterrupted))
  }
}

extension StampedFile {
  fileprivate var value: Value {
    .list([.text(path)] + [stamp.size, stamp.modified, stamp.inode, Int(content)].map { .integer($0) })
  }

  fileprivate init?(_ value: Value) {
    guard let parts = value.list, parts.count == 5, let path = parts[0].text else { return nil }
    let numbers = parts.dropFirst().compactMap(\.integer)
    guard numbers.count == 4 else { return nil }
    self.init(
      path: path, stamp: SourceStamp(size: numbers[0], modified: numbers[1], inode: numbers[2]),
      content: Int64(numbers[3]))
  }
}
