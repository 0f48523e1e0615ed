// deckhand-draw: decodes pictures and draws cards for deckhand, over standard input and output. Invariant: before it
// reads the first request, the process has limits on memory, time and files, and cannot write files, reach the network
// or start programs; it ends with its input. To convert a film, it gives up its rights and becomes that program.

import CConfinement
import CDrawing
import Glibc
import Wire

@main struct Draw {
  static func main() {
    if CommandLine.arguments.count > 4, CommandLine.arguments[1] == "convert" { convert(CommandLine.arguments) }
    let stream = FrameStream.standard(
      longest: longestFrame, toUsers: "deckhand-draw is started by deckhand, and draws pictures for it.")
    ResourceLimits.apply()
    var server = RequestServer()
    do {
      while true {
        let request = try stream.receive()
        ResourceLimits.renewTime()
        try stream.send(server.answer(request).encoded)
      }
    } catch {
      // deckhand is gone.
      exit(0)
    }
  }

  /// Becomes the program that converts a file: `deckhand-draw convert SOURCE FOLDER PROGRAM [ARG]...`.
  private static func convert(_ words: [String]) -> Never {
    // On a kernel without seccomp or Landlock, the other limits still hold.
    _ = confine_converter(words[4], words[2], words[3])
    var arguments = words[4...].map { strdup($0) } + [nil]
    execv(words[4], &arguments)
    exit(127)
  }
}

struct RequestServer {
  private var sheet: PrintedSheet?

  mutating func answer(_ bytes: [UInt8]) -> DrawAnswer {
    do { return try answer(DrawRequest(decoding: bytes)) } catch let refused as Refused {
      return .refused(refused.refusal, refused.reason)
    } catch {
      // Decoding fails only for bytes that are not a request.
      return .refused(.badRequest, "the request is invalid")
    }
  }

  private mutating func answer(_ request: DrawRequest) throws -> DrawAnswer {
    switch request {
    case .convert(let picture, let side, let asJPEG): return try PictureFile(picture).converted(side, asJPEG: asJPEG)
    case .render(let scene, let format, let width): return try Rendering(scene).file(format, width: width)
    case .pixels(let scene, let width, let height): return try Rendering(scene).pixels(width: width, height: height)
    case .addToSheet(let scene):
      let open = try sheet ?? PrintedSheet()
      sheet = open
      return .drawing([], broken: try open.add(scene))
    case .addPage(let scene):
      let open = try sheet ?? PrintedSheet()
      sheet = open
      return .drawing([], broken: try open.add(page: scene))
    case .finishSheet:
      defer { sheet = nil }
      guard let sheet else { throw Refused(.badRequest, "there is nothing on the sheet") }
      return .drawing(try sheet.finish(), broken: [])
    case .coverage(let queries): return .coverage(queries.map { TextBlock.missing(in: $0.text, font: $0.font) })
    case .measure(let queries): return .measured(try queries.map { try TextBlock.room(of: $0) })
    }
  }
}

struct Refused: Error {
  let refusal: DrawRefusal
  let reason: String

  init(_ refusal: DrawRefusal, _ reason: String) { (self.refusal, self.reason) = (refusal, reason) }

  static let outOfMemory = Refused(.drawing, "not enough memory")
}

enum ResourceLimits {
  private static let memory: rlim_t = 1 << 30
  private static let secondsPerRequest: rlim_t = 20

  static func apply() {
    // A single arena: otherwise each of GLib's threads would reserve address space.
    mallopt(M_ARENA_MAX, 1)
    limit(RLIMIT_AS, memory)
    limit(RLIMIT_CORE, 0)
    limit(RLIMIT_NOFILE, 64)
    renewTime()
    // On a kernel without seccomp or Landlock, the other limits still hold.
    _ = cdrawing_confine()
    // Only now, because fontconfig caches what it learns about new fonts.
    limit(RLIMIT_FSIZE, 0)
  }

  /// Allows that many seconds of processor time from now; then the kernel ends the process.
  static func renewTime() {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    let used = rlim_t(clamping: usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
    let resource = __rlimit_resource_t(RLIMIT_CPU.rawValue)
    var bounds = rlimit()
    getrlimit(resource, &bounds)
    // The hard limit may have been lowered (`ulimit -t`), and cannot be raised again.
    bounds.rlim_cur = min(used + secondsPerRequest, bounds.rlim_max)
    setrlimit(resource, &bounds)
  }

  private static func limit(_ resource: __rlimit_resource, _ value: rlim_t) {
    var bounds = rlimit(rlim_cur: value, rlim_max: value)
    setrlimit(__rlimit_resource_t(resource.rawValue), &bounds)
  }
}
