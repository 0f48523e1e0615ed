// AnkiConnect actions on media files, and the media that come with a note. Invariant: nothing is fetched from the
// network; a file name is a single path component; MD5 only names files that clients do not want stored.

import Decks
import Files
import Glibc
import Problems
import Templates
import Text
import Values
import Workspace

enum MediaActions {
  static let all: [Action] = [
    .changing("storeMediaFile", store),
    .reading("retrieveMediaFile", retrieve),
    .reading("getMediaFilesNames") { call in
      let pattern = try call.params["pattern"].isGiven ? call.params["pattern"].text() : "*"
      let names = try call.workspace.media.all().map(\.name).filter { fnmatch(pattern, $0, 0) == 0 }
      return .list(names.map { .text($0) })
    },
    .changing("deleteMediaFile") { call in
      try call.removeMedia(MediaNames.cleaned(call.params["filename"].text()))
      return .null
    },
    .reading("getMediaDirPath") { call in .text(try call.workspace.media.ensureInbox()) },
  ]

  private static func store(_ call: ActionCall) throws -> Value {
    let name = try MediaSource(call.params).store(call, replaces: call.flag("deleteExisting", true))
    return name.map { .text($0) } ?? .null
  }

  /// Returns the content in base64, or false for a file that does not exist.
  private static func retrieve(_ call: ActionCall) throws -> Value {
    do {
      let path = try call.workspace.media.path(MediaNames.cleaned(call.params["filename"].text()))
      let file = try ByteFile(path, isInterrupted: call.workspace.environment.isInterrupted)
      try call.answer.charge((file.size ?? MediaSource.limit) * 4 / 3)
      return .text(base64(try file.rest(limit: MediaSource.limit)))
    } catch NoteError.mediaNotFound {
      return .boolean(false)
    }
  }
}

extension ActionCall {
  /// Removes a media file, if there is one of that name.
  fileprivate func removeMedia(_ name: String) throws {
    do { try workspace.media.remove([name]) } catch NoteError.mediaNotFound {
      // It is already gone.
    }
  }
}

/// A file that a client sends: in base64, or as the path of a file on this machine.
struct MediaSource {
  let name: String
  var given: String?
  private let source: Source
  /// The MD5 of a file that the client already has and does not want stored.
  private let skipped: String?
  /// The limit of one file in bytes.
  static let limit = 64 << 20

  private enum Source {
    case data(String)
    case path(String)
  }

  /// - Parameter isOfNote: whether any name will do, because the note gets the name that is used.
  init(_ reader: ValueReader, isOfNote: Bool = false) throws {
    let asked = try reader["filename"].text("the name of a file")
    name = try isOfNote ? MediaNames.usable(asked) : MediaNames.cleaned(asked)
    if isOfNote, name != asked.trimmed.composed { given = asked }
    skipped = try reader["skipHash"].isGiven ? reader["skipHash"].text("an MD5 in hexadecimal digits") : nil
    if reader["data"].isGiven {
      source = .data(try reader["data"].text("base64"))
    } else if reader["path"].isGiven {
      source = .path(try reader["path"].text("a path"))
    } else if reader["url"].isGiven {
      throw ActionFailure(
        "\(name): Deckhand fetches nothing from the network by itself; send the file as \"data\" in base64")
    } else {
      throw ActionFailure("You must provide a \"data\", \"path\", or \"url\" field.")
    }
  }

  private func bytes(_ isInterrupted: @escaping () -> Bool) throws -> [UInt8] {
    switch source {
    case .data(let text):
      guard let bytes = Text.bytes(ofBase64: text) else { throw ActionFailure("\(name): the data is not base64") }
      if bytes.count > Self.limit { throw ActionFailure("\(name): a file has at most 64 MiB") }
      return bytes
    case .path(let path):
      do throws(FileError) {
        return try FileText.bytes(path, limit: Self.limit, isInterrupted: isInterrupted)
      } catch {
        if error.reason == .interrupted { throw error }
        // Of several notes, only the one with this file is refused.
        throw ActionFailure(error.message)
      }
    }
  }

  /// - Parameter replaces: whether it replaces a file of the same name.
  /// - Returns: its final name; nil for a file that the client does not want stored.
  func store(_ call: ActionCall, replaces: Bool) throws -> String? {
    let bytes = try bytes(call.workspace.environment.isInterrupted)
    if let skipped, MD5.digest(of: bytes) == skipped.lowercased() { return nil }
    if replaces { try call.removeMedia(name) }
    return try call.workspace.media.add(bytes, named: name)
  }
}

/// The sounds, videos and pictures of a note, and the fields that they belong to.
struct RequestedMedia {
  private var items: [(content: MediaSource, isPicture: Bool, fields: [String], replaces: Bool)] = []
  /// The names of files that would have to be fetched from the network: the note is added without them, as in Anki when
  /// they cannot be reached.
  private var unfetched: [String] = []

  /// Parses the media of a note. Each kind is one file or a list of files.
  static func list(of note: ValueReader) throws -> RequestedMedia {
    var media = RequestedMedia()
    for kind in ["audio", "video", "picture"] {
      let given = note[kind]
      guard let value = given.value, given.isGiven else { continue }
      for item in try value.record == nil ? given.elements("a file or a list of files") : [given] {
        // As in the add-on, a file without a field is not stored.
        guard item["fields"].isGiven else { continue }
        let fields = try item["fields"].items("a list of fields").map { field throws(ShapeFailure) in
          try field.text()
        }
        if fields.isEmpty { continue }
        if item["url"].isGiven, !item["data"].isGiven, !item["path"].isGiven {
          media.unfetched.append(try item["filename"].text("the name of a file"))
          continue
        }
        let replaces = try item["deleteExisting"].isGiven && item["deleteExisting"].boolean()
        media.items.append((try MediaSource(item, isOfNote: true), kind == "picture", fields, replaces))
      }
    }
    return media
  }

  /// Stores the files.
  /// - Returns: the HTML to append to each field, in order.
  func markup(in names: [String], _ call: ActionCall) throws -> [(field: String, html: String)] {
    var markup: [(field: String, html: String)] = []
    for name in unfetched {
      call.host.log("A note came without \(printable(name, limit: 100)): Deckhand fetches nothing from the network.")
    }
    for item in items {
      guard let name = try item.content.store(call, replaces: item.replaces) else { continue }
      if let given = item.content.given { call.answer.warn("\(quoted(given)) was stored as \(quoted(name))") }
      let html = item.isPicture ? "<img src=\"\(FieldHTML.html(ofPlain: name))\">" : "[sound:\(name)]"
      for field in item.fields where names.contains(field) { markup.append((field, html)) }
    }
    return markup
  }
}

enum MD5 {
  private static let shifts: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]

  /// The integer part of 2^32 |sin i| for i from 1 to 64, in radians.
  private static let sines: [UInt32] = (1...64).map { step in
    UInt32((4_294_967_296 * sin(Double(step)).magnitude).rounded(.down))
  }

  /// Returns the digest in lowercase hexadecimal digits.
  static func digest(of bytes: [UInt8]) -> String {
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
    let whole = bytes.count / 64 * 64
    for start in stride(from: 0, to: whole, by: 64) { mix(bytes[start..<start + 64], into: &state) }
    var rest = Array(bytes[whole...]) + [0x80]
    while rest.count % 64 != 56 { rest.append(0) }
    for place in 0..<8 { rest.append(UInt8(truncatingIfNeeded: (UInt64(bytes.count) * 8) >> (8 * UInt64(place)))) }
    for start in stride(from: 0, to: rest.count, by: 64) { mix(rest[start..<start + 64], into: &state) }
    return hexadecimal(state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) } })
  }

  private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
    let words = (0..<16).map { word in
      (0..<4).reduce(UInt32(0)) { $0 | UInt32(block[block.startIndex + 4 * word + $1]) << (8 * UInt32($1)) }
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    for step in 0..<64 {
      let (function, place): (UInt32, Int) =
        switch step / 16 {
        case 0: (b & c | ~b & d, step)
        case 1: (d & b | ~d & c, (5 * step + 1) % 16)
        case 2: (b ^ c ^ d, (3 * step + 5) % 16)
        default: (c ^ (b | ~d), 7 * step % 16)
        }
      let sum = a &+ function &+ sines[step] &+ words[place]
      let shift = shifts[step / 16][step % 4]
      (a, d, c, b) = (d, c, b, b &+ (sum << shift | sum >> (32 - shift)))
    }
    for (place, word) in [a, b, c, d].enumerated() { state[place] = state[place] &+ word }
  }
}
