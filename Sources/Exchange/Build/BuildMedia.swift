// The pictures and sounds of a folder that is built, on their way into the account.
// Invariant: a file of the same stamp whose name has the same content in the account is not read; one name is one file.

import Decks
import Files
import Storage
import Templates
import Text

/// Takes a file into the account under its name.
/// - Parameter hash: SHA-256 of the content in hexadecimal digits.
public typealias BuildMediaReceiver = (_ content: [UInt8], _ hash: String, _ name: String) throws -> Void

struct BuildMedia {
  let db: Database
  let settings: BuildSettings

  /// The files in `media`, those that sources name, and those that sources named that were not read now.
  /// - Parameter named: the sources' files by name, from the folder.
  func files(of folder: BuildFolder, named: [String: String], of build: Int64) throws -> [BuildMediaFile] {
    var files: [String: BuildMediaFile] = [:]
    for file in folder.media { files[file.name] = file }
    let known = try BuildTable.media(db, of: build).mapValues(\.path).filter { !$0.value.isEmpty }
    for (name, path) in known.merging(named, uniquingKeysWith: { $1 }).sorted(by: { $0.key < $1.key }) {
      let whole = folder.path + "/" + path
      if let other = files[name] {
        if other.path == whole { continue }
        throw BuildError.sameMedia(path: whole, other: other.path)
      }
      guard try MarkdownMedia.file(path, from: "", in: folder.path) != nil,
        let facts = try FileFacts.at(whole, followingLinks: false)
      else { continue }
      files[name] = BuildMediaFile(name: name, path: whole, stamp: SourceStamp(facts), place: path)
    }
    return files.values.sorted { $0.name < $1.name }
  }

  /// Media of the folder; one with another content takes the place of the one that the folder gave before.
  /// - Returns: how many were brought in.
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
