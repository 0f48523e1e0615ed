// Imports the pictures and sounds of a folder that is built.
// Invariant: a file is not read if its stamp is unchanged and the account still has its content under its name; one
// name belongs to one file; a file that is not from the folder is not replaced while anything else shows it.

import Decks
import Files
import Storage
import Templates
import Text

/// Adds a file to the account under its name.
/// - Parameter hash: the SHA-256 of the content as hexadecimal digits.
public typealias BuildMediaReceiver = (_ content: [UInt8], _ hash: String, _ name: String) throws -> Void

struct BuildMedia {
  let db: Database
  let settings: BuildSettings

  /// Returns the files in `media`, those that sources name, and those that unread sources named earlier.
  /// - Parameters:
  ///   - named: the paths within the folder that the sources that were read name, by file name.
  ///   - unread: the other sources.
  func files(
    of folder: BuildFolder, named: [String: String], unread: some Sequence<BuildSource>, of build: Int64
  ) throws -> [BuildMediaFile] {
    var files: [String: BuildMediaFile] = [:]
    for file in folder.media { files[file.name] = file }
    let known = try BuildTable.media(db, of: build).mapValues(\.path).filter { !$0.value.isEmpty }
    for (paths, isEarlier) in [(named, false), (known, true)] {
      for (name, path) in paths.sorted(by: { $0.key < $1.key }) {
        let whole = folder.path + "/" + path
        if files[name]?.path == whole { continue }
        guard try MarkdownMedia.file(path, from: "", in: folder.path) != nil,
          let facts = try FileFacts.at(whole, followingLinks: false)
        else { continue }
        if let other = files[name] {
          // The source that named the earlier file may name the other one now.
          if try isEarlier && !isNamed(path, in: unread, of: folder) { continue }
          throw BuildError.sameMedia(path: whole, other: other.path)
        }
        files[name] = BuildMediaFile(name: name, path: whole, stamp: SourceStamp(facts), place: path)
      }
    }
    return files.values.sorted { $0.name < $1.name }
  }

  private func isNamed(_ path: String, in sources: some Sequence<BuildSource>, of folder: BuildFolder) throws -> Bool {
    for source in sources {
      let read = try BuildRows(source, in: folder, settings)
      for (_, named) in read.rows.flatMap(\.media)
      where try MarkdownMedia.file(named, from: source.folder, in: folder.path) == path { return true }
    }
    return false
  }

  /// Imports the media of the folder. A file with new content replaces the one that the folder provided before, and one
  /// that nothing outside the build shows.
  /// - Returns: the number of files imported.
  /// - Throws: `BuildError.mediaTaken`.
  func run(_ files: [BuildMediaFile], of build: Int64) throws -> Int {
    var known = try BuildTable.media(db, of: build)
    var count = 0
    var others: [String: MediaReferences]?
    for file in files {
      let name = try MediaNames.checked(file.name)
      let before = known.removeValue(forKey: file.name)
      let there = try MediaTable.named(db, name)?.hash
      if let before, before.stamp == file.stamp, before.hash == there { continue }
      let content = try FileText.bytes(file.path, limit: settings.mediaLimit, isInterrupted: settings.isInterrupted)
      let hash = hexadecimal(sha256(content))
      if hash != there {
        for other in try MediaTable.alike(db, name) where other.hash != hash {
          if other.name != name, let twin = files.first(where: { $0.name == other.name }) {
            throw BuildError.sameMedia(path: file.path, other: twin.path)
          }
          let isOurs = before?.hash == other.hash
          if !isOurs, others == nil { others = try references(outside: build) }
          if !isOurs, others?[other.name] != nil {
            throw BuildError.mediaTaken(path: file.path, name: other.name)
          }
          try MediaTable.remove(db, other.name)
        }
        try settings.receiveMedia(content, hash, name)
        count += 1
      }
      // A name in another Unicode normal form has a row of its own.
      if let before, !before.name.utf8.elementsEqual(file.name.utf8) {
        try BuildTable.forget(db, media: before.name, of: build)
      }
      try BuildTable.save(db, file, of: build, hash: hash)
    }
    for name in known.keys.sorted() { try BuildTable.forget(db, media: name, of: build) }
    return count
  }

  private func references(outside build: Int64) throws -> [String: MediaReferences] {
    let own = try BuildTable.notes(db, of: build)
    return try MediaTable.references(db).filter { _, uses in
      !uses.types.isEmpty || uses.notes.contains { !own.contains($0) }
    }
  }
}
