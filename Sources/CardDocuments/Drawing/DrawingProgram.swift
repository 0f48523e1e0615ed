// The client of deckhand-draw: starts the program when it is first needed, keeps it for the next request, and starts
// another one when it has died; and why a picture cannot be used, or a drawing was not made.
// Invariant: a picture that makes the program crash or hang fails alone; the next request gets a fresh program.

public import Files
import Problems
import Values
public import Wire

/// A picture in its stored form: PNG, upright, without metadata.
public struct Picture: Equatable, Sendable {
  public let png: [UInt8]
  /// In pixels.
  public let width: Int
  public let height: Int

  package init(png: [UInt8], width: Int, height: Int) { (self.png, self.width, self.height) = (png, width, height) }
}

extension DrawingFormat {
  /// Chooses the format by the extension of the file name, case-insensitively.
  public init?(path: String) {
    let file = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    guard let dot = file.lastIndex(of: ".") else { return nil }
    let ending = file[dot...].dropFirst().lowercased()
    guard let format = DrawingFormat.allCases.first(where: { "\($0)" == ending }) else { return nil }
    self = format
  }
}

/// The program that decodes pictures and draws documents, outside this process.
///
///     let program = DrawingProgram(path: "/usr/libexec/deckhand-draw", environment: [], clock: clock)
///     let picture = try program.picture(from: bytes, longSide: 1000)
public final class DrawingProgram {
  private let program: ReusableProgram
  var process: ChannelProcess? { program.process }
  /// Seconds that one request may take.
  public var deadline = 30.0

  /// Does not start the program yet.
  /// - Parameter environment: `NAME=value`; HOME and XDG_* if the user's own fonts are to be found.
  public init(
    path: String, environment: [String], clock: @escaping () -> Double, shouldStop: @escaping () -> Bool = { false }
  ) {
    program = ReusableProgram(
      path: path, environment: environment, longestFrame: longestFrame, clock: clock, shouldStop: shouldStop)
  }

  /// Converts a picture file of any supported kind to the stored form, or to JPEG: upright, at most `longSide` pixels.
  public func picture(from bytes: [UInt8], longSide: Int, asJPEG: Bool = false) throws(PictureFailure) -> Picture {
    let answer: DrawAnswer
    do { answer = try ask(.convert(picture: bytes, longSide: longSide, asJPEG: asJPEG)) } catch {
      switch error {
      case .crashed, .timedOut: throw .crashed
      default: throw .drawing(error)
      }
    }
    switch answer {
    case .picture(let png, let width, let height): return Picture(png: png, width: width, height: height)
    case .refused(let refusal, let reason): throw PictureFailure(refusal, reason)
    default: throw .drawing(.crashed)
    }
  }

  func ask(_ request: DrawRequest) throws(ProgramFailure) -> DrawAnswer {
    let bytes = request.encoded
    guard bytes.count <= longestFrame else { throw .refused("it is larger than \(longestFrame >> 20) MiB") }
    return try program.request(within: deadline) { running, limit throws(ProgramFailure) in
      let answer = try running.ask(bytes, deadline: limit)
      do throws(WireError) { return try DrawAnswer(decoding: answer) } catch { throw .crashed }
    }
  }

  /// Draws a scene. If that crashes the program, finds the pictures that crash it and draws the rest without them.
  func draw(
    _ scene: Scene, _ request: (Scene) -> DrawRequest
  ) throws(ProgramFailure) -> (bytes: [UInt8], broken: Set<Int>) {
    do { return try drawOnce(request(scene)) } catch {
      guard error == .crashed, !scene.pictures.isEmpty else { throw error }
    }
    let fatal = try fatalPictures(of: scene)
    guard !fatal.isEmpty else { throw .crashed }
    let drawn = try drawOnce(request(scene.without(fatal)))
    return (drawn.bytes, drawn.broken.union(fatal))
  }

  func drawOnce(_ request: DrawRequest) throws(ProgramFailure) -> (bytes: [UInt8], broken: Set<Int>) {
    switch try ask(request) {
    case .drawing(let bytes, let broken): return (bytes, Set(broken))
    case .refused(_, let reason): throw .refused(reason)
    default: throw .crashed
    }
  }

  fileprivate func fatalPictures(of scene: Scene) throws(ProgramFailure) -> Set<Int> {
    var fatal: Set<Int> = []
    for (index, picture) in scene.pictures.enumerated() {
      do { _ = try ask(.convert(picture: picture, longSide: 8)) } catch {
        guard error == .crashed else { throw error }
        fatal.insert(index)
      }
    }
    return fatal
  }

  func measure(_ queries: [MeasureQuery]) throws(ProgramFailure) -> [TextExtents] {
    switch try ask(.measure(queries)) {
    case .measured(let rooms) where rooms.count == queries.count: return rooms
    case .refused(_, let reason): throw .refused(reason)
    default: throw .crashed
    }
  }

  /// Returns the characters of each text that no font here can draw.
  func coverage(_ queries: [CoverageQuery]) throws(ProgramFailure) -> [String] {
    switch try ask(.coverage(queries)) {
    case .coverage(let missing) where missing.count == queries.count: return missing
    case .refused(_, let reason): throw .refused(reason)
    default: throw .crashed
    }
  }
}

extension Scene {
  /// Returns the same scene with the error picture in place of the given pictures.
  func without(_ indices: Set<Int>) -> Scene {
    var scene = self
    for index in indices { scene.pictures[index] = [] }
    for (place, item) in items.enumerated() {
      if case .picture(let index?, let clip, let fills) = item.content, indices.contains(index) {
        scene.items[place].content = .picture(index: nil, clip: clip, fills: fills)
      }
    }
    return scene
  }
}

extension PictureFailure {
  init(_ refusal: DrawRefusal, _ reason: String) {
    self =
      switch refusal {
      case .unknownKind: .unknownKind
      case .damaged: .damaged(reason)
      case .tooLarge: .tooLarge(reason)
      case .noLoader: .noLoader(reason)
      case .drawing, .badRequest: .drawing(.refused(reason))
      }
  }
}

extension DrawingProgram {
  func discardSheet() throws(ProgramFailure) {
    if process != nil { _ = try ask(.finishSheet) }
  }

  /// Adds a scene to the sheet; returns nil on success. If the program crashed, the sheet is lost, and the result is
  /// the pictures that crashed it.
  func addToSheet(_ scene: Scene) throws(ProgramFailure) -> Set<Int>? {
    do {
      _ = try drawOnce(.addToSheet(scene))
      return nil
    } catch {
      guard error == .crashed else { throw error }
      let fatal = try fatalPictures(of: scene)
      guard !fatal.isEmpty else { throw .crashed }
      return fatal
    }
  }

  func finishSheet() throws(ProgramFailure) -> [UInt8] { try drawOnce(.finishSheet).bytes }

  /// Draws a picture on white, as large as fits into the given size in pixels.
  public func pixels(of picture: Picture, width: Int, height: Int) throws(PictureFailure) -> PixelDrawing {
    let scale = min(
      Double(max(1, min(width, 4000))) / Double(max(1, picture.width)),
      Double(max(1, min(height, 4000))) / Double(max(1, picture.height)))
    let wide = max(1, Int(Double(picture.width) * scale))
    let high = max(1, Int(Double(picture.height) * scale))
    let box = Placement(x: Double(wide) / 2, y: Double(high) / 2, width: Double(wide), height: Double(high), degrees: 0)
    let scene = Scene(
      width: Double(wide), height: Double(high), background: SceneColor(red: 1, green: 1, blue: 1, alpha: 1), title: "",
      summary: "", pictures: [picture.png], items: [SceneItem(placement: box, content: .picture(index: 0, clip: []))])
    let answer: DrawAnswer
    do { answer = try ask(.pixels(scene, width: wide, height: high)) } catch { throw .drawing(error) }
    guard case .drawing(let rgba, let broken) = answer, broken.isEmpty, rgba.count == wide * high * 4 else {
      throw .crashed
    }
    return PixelDrawing(width: wide, height: high, rgba: rgba)
  }

  /// Draws items over a picture, in its pixels, as PNG; as SVG without the picture, to lie over it.
  public func drawing(
    of items: [SceneItem], over picture: Picture, asSVG isAlone: Bool = false
  ) throws(PictureFailure) -> [UInt8] {
    let box = SceneBox(0, 0, Double(picture.width), Double(picture.height))
    let whole = [SceneItem(placement: box.placement, content: .picture(index: 0, clip: []))]
    var scene = Scene(
      width: box.width, height: box.height, background: .gray(1), title: "", summary: "",
      pictures: [picture.png], items: (isAlone ? [] : whole) + items)
    if isAlone { scene.background.alpha = 0 }
    do {
      let drawn = try drawOnce(.render(scene, isAlone ? .svg : .png, width: picture.width))
      if drawn.broken.isEmpty { return drawn.bytes }
    } catch { throw .drawing(error) }
    throw .crashed
  }
}

/// The reason why a picture cannot be put on a card.
public enum PictureFailure: Error, Equatable, Sendable {
  case unknownKind
  case damaged(String)
  /// Detected from what the file declares, before anything is decoded.
  case tooLarge(String)
  /// The library that reads this kind of picture is not installed.
  case noLoader(String)
  /// deckhand-draw died or did not answer in time while it decoded the picture.
  case crashed
  case drawing(ProgramFailure)

  private static let loaders = ["webp": "webp-pixbuf-loader", "heic": "heif-gdk-pixbuf", "avif": "libavif-gdk-pixbuf"]

  var reason: (code: ProblemCode, words: String) {
    switch self {
    case .unknownKind: (.failure(.unknownFormat), "a PNG, JPEG, GIF, WebP, SVG, HEIC, AVIF, TIFF or BMP file expected")
    case .damaged(let why): (.failure(.damagedPicture), "the picture is damaged\(why.isEmpty ? "" : ": " + why)")
    case .tooLarge(let why): (.failure(.tooLarge), "the picture is too large: \(why)")
    case .noLoader(let kind):
      (
        .failure(.noLoader),
        "\(kind) cannot be read here; install Debian's \(Self.loaders[kind.lowercased()] ?? "librsvg2-common")"
      )
    case .crashed:
      (.failure(.damagedPicture), "the picture could not be decoded: it stopped the program that decodes pictures")
    case .drawing(let failure): failure.reason
    }
  }
}

extension ProgramFailure {
  var reason: (code: ProblemCode, words: String) {
    switch self {
    case .missing(let path, _):
      (.failure(.noDrawing), "drawing pictures needs deckhand-draw, which is not at \(path); put it beside deckhand")
    case .crashed: (.failure(.drawingFailed), "the program that draws pictures stopped; nothing was written")
    case .timedOut(let seconds):
      (.failure(.timedOut), "drawing took longer than \(Value.measure(seconds).json) s and was stopped")
    case .interrupted: (.interrupted, "drawing was stopped")
    case .refused(let why): (.failure(.drawingFailed), "it cannot be drawn: \(why)")
    }
  }
}
