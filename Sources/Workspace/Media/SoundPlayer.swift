// Plays the sounds and decodes the pictures of cards; runs the programs that make and play sounds and pictures.
// Invariant: only the account's own media files are played. A program is started from an argument list, never by a
// shell; it has no access to the terminal, and is terminated with the object that started it; the links made for it are
// removed with them. A program that was given up leaves no process behind.

public import CardDocuments
public import Decks
import Files
import Glibc
import Templates
import Text

extension MediaOperations {
  /// Plays sounds one after the other with the program of `media.player`, which is not waited for; stops the current
  /// playback. Skips names without a file. The program gets each sound under its own name, which shows the kind of
  /// sound.
  /// - Throws: `WorkspaceError.noPlayer`, `.playerMissing`, or `.playerFailed` if the last playback failed, while this
  ///   one goes on; `NoteError.mediaNotFound` when no name has a file; `FileError`.
  public func play(_ sounds: [String]) throws {
    _ = try workspace.store(for: "media")
    var files: [(path: String, name: String)] = []
    for name in sounds {
      guard let file = try workspace.read({ try MediaTable.named($0, name) }) else { continue }
      files.append((folder + "/" + file.hash, String(name.split(separator: "/").last ?? "sound")))
    }
    if files.isEmpty {
      if let first = sounds.first { _ = try path(first) }
      return
    }
    try play(files: files)
  }

  /// Plays files, each under the name that the program gets.
  func play(files: [(path: String, name: String)]) throws {
    let words = try workspace.preferences().session.mediaPlayer
    guard let program = words.first else { throw WorkspaceError.noPlayer }
    guard let path = executable(program) else { throw WorkspaceError.playerMissing(program) }
    let failure = workspace.opened.player?.failure
    workspace.opened.player = nil
    let scratch = try Scratch(.package, in: workspace.environment.folders.temporary)
    let call = [path] + words.dropFirst() + (try scratch.links(to: files))
    guard let player = SoundPlayer(call, scratch, environment: workspace.environment.variables.entries) else {
      throw WorkspaceError.playerMissing(program)
    }
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
    let bytes = try FileText.bytes(path(name), limit: MediaOperations.limit, isInterrupted: workspace.isInterrupted)
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

final class SoundPlayer {
  private let process: pid_t
  private let program: String
  /// The links to the sounds.
  private let scratch: Scratch
  private let errors: ErrorOutput?
  /// The status from waitpid(2); nil while the program runs.
  private var status: Int32?

  /// - Parameter words: the program's path and its arguments, with the sounds.
  /// - Parameter environment: `NAME=value`.
  /// - Returns: nil if it cannot be started.
  init?(_ words: [String], _ scratch: Scratch, environment: [String]) {
    errors = ErrorOutput()
    let started = startProgram(words, environment: environment, errors: errors)
    guard started.failure == 0 else { return nil }
    (process, program) = (started.process, lastPart(of: words[0]))
    self.scratch = scratch
  }

  var isPlaying: Bool {
    var ended: Int32 = 0
    if status == nil, waitpid(process, &ended, WNOHANG) == process { status = ended }
    return status == nil
  }

  /// The error if the program has failed.
  var failure: WorkspaceError? {
    isPlaying || status == 0 ? nil : .playerFailed(program: program, reason: errors?.lastLine())
  }

  deinit {
    guard isPlaying else { return }
    // The processes that it started are in its process group.
    kill(-process, SIGTERM)
    endProgram(process)
  }
}

extension Scratch {
  /// Makes a link to each file under the name that it gets, since a player recognises the type of a file by its name.
  /// Every link has a folder of its own, so that names may repeat.
  fileprivate func links(to files: [(path: String, name: String)]) throws -> [String] {
    try files.enumerated().map { number, file in
      let place = path("\(number + 1)")
      let link = place + "/" + file.name
      // The data folder may be given as a relative path.
      guard mkdir(place, 0o700) == 0, symlink(realPath(file.path) ?? file.path, link) == 0 else {
        throw FileError(link, .make)
      }
      return link
    }
  }
}

/// Runs a program to its end, with the limits of `wait`.
/// - Parameter words: the program's path and its arguments.
/// - Parameter input: the file for its standard input; nil for `/dev/null`.
/// - Returns: whether it ended by itself with status 0, nil if it timed out; and the last line of its errors. Nil if it
///   cannot be started.
/// - Throws: `WorkspaceError.interrupted`.
func runProgram(
  _ words: [String], input: String? = nil, seconds: Double, _ environment: Environment
) throws -> (isDone: Bool?, reason: String?)? {
  let errors = ErrorOutput()
  let started = startProgram(words, environment: environment.variables.entries, input: input, errors: errors)
  if started.failure != 0 { return nil }
  let isDone = try wait(for: started.process, seconds: seconds, environment, errors)
  return (isDone, errors?.lastLine())
}

/// Waits for a program to end. If it exceeds the timeout or the user interrupts, kills it with all processes that it
/// started.
/// - Returns: whether it ended by itself with status 0; nil if it timed out.
/// - Throws: `WorkspaceError.interrupted`.
func wait(for process: pid_t, seconds: Double, _ environment: Environment, _ errors: ErrorOutput?) throws -> Bool? {
  let start = environment.clocks.elapsed()
  var status: Int32 = 0
  while waitpid(process, &status, WNOHANG) == 0 {
    let isInterrupted = environment.isInterrupted()
    if isInterrupted || environment.clocks.elapsed() - start > seconds {
      kill(-process, SIGKILL)
      kill(process, SIGKILL)
      waitpid(process, &status, 0)
      if isInterrupted { throw WorkspaceError.interrupted }
      return nil
    }
    errors?.drain()
    environment.clocks.pause(2)
  }
  return status == 0
}
