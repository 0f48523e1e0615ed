// Cuts the lines of mined words out of films with ffmpeg: a sound, and a picture from its middle. Invariant: ffmpeg
// gets an argument list, never a shell command line, reads only the film, in a format that names no other file, and
// writes only its output (deckhand-draw sees to it). Its output goes to a temporary folder,
// which is removed with this object; its run time and the size of its output are bounded.

import Decks
import Files
import Language
import Text

public final class FilmClips {
  /// The seconds added before and after a line.
  private static let margin = 0.25
  private static let longest = 30.0
  /// The timeout in seconds for cutting one line.
  private static let timeout = 60.0
  private static let largest = 20 << 20
  /// ffmpeg's names of the formats of films and sounds; playlists, which name other files, are not among them.
  private static let formats =
    "matroska,webm,mov,mp4,m4a,3gp,3g2,mj2,avi,mpeg,mpegts,ogg,flv,asf,rm,mp3,wav,flac,aac,ac3,eac3,dts,amr,aiff"

  private let workspace: Workspace
  private let scratch: Scratch
  /// The file names by word; nil if the word has no time to cut at.
  private var names: [String?] = []
  /// The number of words without a sound, and without a picture.
  public private(set) var missing = (sounds: 0, pictures: 0)
  /// What ffmpeg reported when it last failed.
  public private(set) var reason: String?

  /// Cuts the lines.
  /// - Parameter films: one for each file of the text, in the same order.
  /// - Parameter progress: called with the number of words done; an error that it throws ends the cutting.
  /// - Throws: `WorkspaceError.noCutting`, `.notCut`, `.interrupted`; `FileError` for a film that cannot be read.
  public init(
    of words: [MinedWord], titles: [String], films: [String], in workspace: Workspace,
    progress: (Int) throws -> Void = { _ in }
  ) throws {
    guard let program = workspace.media.executable("ffmpeg") else { throw WorkspaceError.noCutting }
    self.workspace = workspace
    scratch = try Scratch(.package, in: workspace.environment.folders.temporary)
    for (number, place) in words.map(\.place).enumerated() {
      try progress(number)
      guard let time = place.time, films.indices.contains(place.file), titles.indices.contains(place.file) else {
        names.append(nil)
        missing = (missing.sounds + 1, missing.pictures + 1)
        continue
      }
      let name = Self.name(titles[place.file], time.lowerBound)
      names.append(name)
      try cut(program, films[place.file], time, number)
      let (hasSound, hasPicture) = (Self.isThere(sound(number)), Self.isThere(picture(number)))
      if !hasSound { missing.sounds += 1 }
      if !hasPicture { missing.pictures += 1 }
      // A failure for the first line will repeat for all lines.
      if number == 0, !hasSound, !hasPicture { throw WorkspaceError.notCut(path: films[place.file], reason: reason) }
    }
  }

  private func sound(_ number: Int) -> String { scratch.path("\(number).mp3") }
  private func picture(_ number: Int) -> String { scratch.path("\(number).jpg") }

  private static func isThere(_ path: String) -> Bool {
    do { return try (FileFacts.at(path)?.size ?? 0) > 0 } catch {
      // A file that cannot be examined was not created.
      return false
    }
  }

  /// Returns a name such as `ep03_00-12-31.4`, in characters that every system accepts in file names.
  private static func name(_ title: String, _ start: Double) -> String {
    let tenths = Int(min(max(0, start), 360_000) * 10)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    var plain = String(title.composed.prefix(60).map { $0.isLetter || $0.isNumber || "-_".contains($0) ? $0 : "_" })
    // A character may take several bytes, and the name of a media file has at most 120 bytes including the suffix.
    while plain.utf8.count > 90 { plain.removeLast() }
    return "\(plain)_\(two(tenths / 36_000))-\(two(tenths / 600 % 60))-\(two(tenths / 10 % 60)).\(tenths % 10)"
  }

  private func cut(_ program: String, _ film: String, _ time: ClosedRange<Double>, _ number: Int) throws {
    let start = max(0, time.lowerBound - Self.margin)
    let length = min(Self.longest, time.upperBound + Self.margin - start)
    let common = [
      workspace.environment.folders.drawingProgram, "convert", film, scratch.folder, program, "-nostdin",
      "-hide_banner", "-loglevel", "error", "-protocol_whitelist", "file", "-format_whitelist", Self.formats,
    ]
    let input = ["-i", "file:" + film, "-map_metadata", "-1", "-sn", "-dn", "-fs", "\(Self.largest)"]
    // Without headers, nothing is written beyond the end of a film, instead of a sound of no length.
    try run(
      common + ["-ss", Self.seconds(start), "-t", Self.seconds(length)] + input + [
        "-map", "0:a:0?", "-vn", "-ac", "1", "-c:a", "libmp3lame", "-b:a", "64k", "-write_xing", "0", "-id3v2_version",
        "0", "-f", "mp3",
      ], to: sound(number))
    try run(
      common + ["-ss", Self.seconds(start + length / 2)] + input + [
        "-map", "0:v:0?", "-an", "-frames:v", "1", "-vf", "scale=min(640\\,iw):-2", "-q:v", "5", "-f", "image2",
        "-update", "1",
      ], to: picture(number))
  }

  /// Formats seconds with three decimals, never in exponential notation.
  private static func seconds(_ seconds: Double) -> String {
    let thousandths = Int((min(max(0, seconds), 360_000) * 1000).rounded())
    let rest = String(thousandths % 1000)
    return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }

  /// Runs ffmpeg, which fails for a film that lacks a sound or picture track. What a failure leaves is removed: it may
  /// be cut short, by a full disk for example.
  private func run(_ words: [String], to output: String) throws {
    guard let end = try runProgram(words + ["file:" + output], seconds: Self.timeout, workspace.environment) else {
      throw WorkspaceError.noCutting
    }
    if end.isDone == true { return }
    reason = end.reason ?? reason
    try Folder.removeFile(output)
  }

  /// Adds the media of a word and returns the values for the fields of its note.
  func media(_ number: Int) throws -> [String: String] {
    guard names.indices.contains(number), let name = names[number] else { return [:] }
    var fields: [String: String] = [:]
    for (field, path, ending) in [("Audio", sound(number), "mp3"), ("Picture", picture(number), "jpg")] {
      guard Self.isThere(path) else { continue }
      let bytes = try FileText.bytes(path, limit: Self.largest * 2, isInterrupted: workspace.isInterrupted)
      let added = try workspace.media.add(bytes, named: "\(name).\(ending)")
      fields[field] = ending == "mp3" ? "[sound:\(added)]" : "<img src=\"\(added)\">"
    }
    return fields
  }
}
