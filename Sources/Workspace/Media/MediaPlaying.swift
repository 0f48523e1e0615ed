// Plays the sounds and decodes the pictures of cards. Invariant: only the account's own media files are played, with
// the program that the user chose.

public import CardDocuments
public import Decks
import Files
import Glibc
import Templates
import Text

extension CardHandle {
  public func media() throws -> CardMedia {
    let record = try record()
    return try workspace.read { try CardMedia($0, of: record) }
  }
}

extension MediaOperations {
  /// Plays sounds one after the other with the program of `media.player`, which is not waited for; stops the current
  /// playback. Skips names without a file. The program gets each sound under its own name, which shows the kind of
  /// sound.
  /// - Throws: `WorkspaceError.noPlayer`, `.playerMissing`, or `.playerFailed` if the last playback failed, while this
  ///   one goes on; `NoteError.mediaNotFound` when no name has a file; `FileError`.
  public func play(_ sounds: [String]) throws {
    _ = try workspace.store(for: "media")
    let words = try workspace.preferences().session.mediaPlayer
    guard let program = words.first else { throw WorkspaceError.noPlayer }
    var files: [(path: String, name: String)] = []
    for name in sounds {
      guard let file = try workspace.read({ try MediaTable.named($0, name) }) else { continue }
      files.append((folder + "/" + file.hash, String(name.split(separator: "/").last ?? "sound")))
    }
    if files.isEmpty {
      if let first = sounds.first { _ = try path(first) }
      return
    }
    guard let path = executable(program) else { throw WorkspaceError.playerMissing(program) }
    let failure = workspace.opened.player?.failure
    workspace.opened.player = nil
    let links = try NamedLinks(files, in: workspace.environment.folders.temporary)
    guard
      let player = SoundPlayer([path] + words.dropFirst(), links, environment: workspace.environment.variables.entries)
    else { throw WorkspaceError.playerMissing(program) }
    workspace.opened.player = player
    if let failure { throw failure }
  }

  /// Returns the path of a program given by its path, or by its name in one of the folders of PATH.
  func executable(_ program: String) -> String? {
    let expanded = workspace.environment.folders.expanded(program)
    if expanded.contains("/") { return isProgram(expanded) ? expanded : nil }
    let folders = (workspace.environment.variables.value("PATH") ?? "/usr/local/bin:/usr/bin:/bin").split(
      separator: ":")
    return folders.map { "\($0)/\(expanded)" }.first(where: isProgram)
  }

  private func isProgram(_ path: String) -> Bool { path.hasPrefix("/") && Glibc.access(path, X_OK) == 0 }

  /// Returns a media file as a picture, at most 1,000 pixels wide and high.
  /// - Throws: `NoteError.mediaNotFound`, `PictureFailure`, `FileError`.
  public func picture(_ name: String) throws -> Picture {
    let bytes = try FileText.bytes(
      path(name), limit: MediaOperations.limit, isInterrupted: workspace.isInterrupted)
    return try workspace.drawing.picture(from: bytes, longSide: 1000)
  }

  /// Returns those names that are names of media, in the same order.
  public func known(media names: [String]) throws -> [String] {
    try workspace.read { db in try names.filter { try MediaTable.named(db, $0) != nil } }
  }

  /// Scales a picture to fit into the given size in pixels.
  public func pixels(of picture: Picture, width: Int, height: Int) throws -> PixelDrawing {
    try workspace.drawing.pixels(of: picture, width: width, height: height)
  }

  /// Returns the notes and note types that refer to a media file, as handles.
  public func users(of references: MediaReferences) throws -> (notes: [NoteHandle], types: [NoteTypeHandle]) {
    (references.notes.map { workspace.handle(of: $0) }, references.types.map { workspace.handle(of: $0) })
  }

  /// Returns what refers to a media file in words: notes by their guids, note types by their names.
  func userNames(_ references: MediaReferences) throws -> String {
    let users = try users(of: references)
    let names =
      try users.notes.prefix(3).map { "note \(try $0.record().guid)" }
      + users.types.prefix(3).map { "note type \(try $0.record().name)" }
    let count = references.notes.count + references.types.count
    return names.joined(separator: ", ") + (count > names.count ? ", … \(grouped(count - names.count)) more" : "")
  }

  /// Returns the first of some media files that notes or note types use, with its users in words.
  public func firstUsed(of names: [String]) throws -> (name: String, users: String)? {
    let references = try workspace.read { try MediaTable.references($0) }
    return try names.lazy.compactMap { name in references[name].map { (name, $0) } }.first.map { name, found in
      (name, try userNames(found))
    }
  }
}
