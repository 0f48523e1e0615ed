// Detects whether a file has changed without reading it.
// Invariant: a file with the same stamp is not read; a file with another stamp is unchanged if its content hash is.

import Files
import Text
import Values

/// Metadata of a file; if it differs, the content may differ.
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

/// A file at the time of a build.
struct StampedFile: Equatable {
  /// The path within the folder.
  let path: String
  let stamp: SourceStamp
  /// A hash of the content; 0 for a file that is gone.
  let content: Int64
}

/// The files that a generator read.
struct BuildInputs {
  private(set) var files: [StampedFile] = []
  private static let limits = JSONLimits(bytes: 64 << 20, depth: 3, values: 1_000_000, string: 1 << 16)

  /// Reads the present stamps and hashes of files.
  init(_ paths: [String], in folder: String, isInterrupted: @escaping () -> Bool) throws {
    files = try paths.map { try Self.look(at: $0, in: folder, isInterrupted) }
  }

  /// - Parameter text: a text that `text` returned; any other text yields an empty list.
  init(_ text: String) {
    do throws(JSONFailure) {
      guard !text.isEmpty, let list = try JSONParser.parse(Array(text.utf8), limits: Self.limits).list else { return }
      files = list.compactMap { StampedFile($0) }
    } catch { return }
  }

  /// The text for the column `inputs`.
  var text: String { files.isEmpty ? "" : Value.list(files.map(\.value)).json }

  /// Returns the files in their present state; a file whose stamp is the same is not read.
  func now(in folder: String, isInterrupted: @escaping () -> Bool) throws -> BuildInputs {
    var now = self
    now.files = try files.map { file in
      let facts = try FileFacts.at(folder + "/" + file.path)
      return try facts.map { SourceStamp($0) } == file.stamp
        ? file : Self.look(at: file.path, in: folder, isInterrupted)
    }
    return now
  }

  /// Whether the files have the same paths and content.
  func isSame(as other: BuildInputs) -> Bool {
    files.elementsEqual(other.files) { $0.path == $1.path && $0.content == $1.content }
  }

  private static func look(
    at path: String, in folder: String, _ isInterrupted: @escaping () -> Bool
  ) throws -> StampedFile {
    guard let facts = try FileFacts.at(folder + "/" + path), facts.kind == .file else {
      return StampedFile(path: path, stamp: SourceStamp(), content: 0)
    }
    // The stamp is from before the file is read, so a write in the meantime gives another stamp.
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
