// Imports the pictures and sounds of a folder that is built.
// Invariant: a file is not read if its stamp is unchanged and the account still has its content under its name; one
// name belongs to one file.

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
  /// - Parameter named: the paths within the folder that sources name, by file name.
  func files(of folder: BuildFolder, named: [String: String], of build: Int64) throws -> [BuildMediaFile] {
    var files: [String: BuildMediaFile] = [:]
    for file in folder.media { files[file.name] = file }
    let known = try BuildTable.media(db, of: build).mapValues(\.path).filter { !$0.value.isEmpty }
    for (name, path) in known.merging(named, uniquingKeysWith: { $1 }).sorted(by: { $0.key < $1.key }) {
      let whole = folder.path + "/" + path
      if files[name]?.path == whole { continue }
      guard try MarkdownMedia.file(path, from: "", in: folder.path) != nil,
        let facts = try FileFacts.at(whole, followingLinks: false)
      else { continue }
      if let other = files[name] { throw BuildError.sameMedia(path: whole, other: other.path) }
      files[name] = BuildMediaFile(name: name, path: whole, stamp: SourceStamp(facts), place: path)
    }
    return files.values.sorted { $0.name < $1.name }
  }

  /// Imports the media of the folder. A file with new content replaces the one that the folder provided before.
  /// - Returns: the number of files imported.
  func run(_ files: [BuildMediaFile], of build: Int64) throws -> Int {
    var known = try BuildTable.media(db, of: build)
    var count = 0
    for file in files {
      let name = try MediaNames.checked(file.name)
      let before = known.removeValue(forKey: file.name)
      let there = try MediaTable.named(db, name)?.hash
      if let before, before.stamp == file.stamp, before.hash == there { continue }
      let content = try FileText.bytes(
        file.path, limit: settings.mediaLimit, isInterrupted: settings.isInterrupted)
      let hash = hexadecimal(sha256(content))
      if hash != there {
        if there != nil { try MediaTable.remove(db, name) }
        try settings.receiveMedia(content, hash, name)
        count += 1
      }
      try BuildTable.save(db, file, of: build, hash: hash)
    }
    for name in known.keys.sorted() { try BuildTable.forget(db, media: name, of: build) }
    return count
  }
}
