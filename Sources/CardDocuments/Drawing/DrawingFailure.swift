// Why a picture cannot be used, and why a drawing was not made.

import DrawingWire
import Values

/// What is wrong with a picture that somebody wants on a card.
public enum PictureFailure: Error, Equatable, Sendable {
  case unknownKind
  case damaged(String)
  /// Found by what the file declares, before anything is decoded.
  case tooLarge(String)
  /// The library that reads this kind of picture is not installed.
  case noLoader(String)
  /// deckhand-draw died or did not answer in time while it decoded the picture.
  case crashed
  case drawing(DrawingFailure)

  var code: String {
    switch self {
    case .unknownKind: "unknown_format"
    case .damaged: "damaged_picture"
    case .tooLarge: "too_large"
    case .noLoader: "no_loader"
    case .crashed: "damaged_picture"
    case .drawing(let failure): failure.code
    }
  }

  var words: String {
    switch self {
    case .unknownKind: "a PNG, JPEG, GIF, WebP or SVG picture expected"
    case .damaged(let why): "the picture is damaged\(why.isEmpty ? "" : ": " + why)"
    case .tooLarge(let why): "the picture is too large: \(why)"
    case .noLoader(let kind):
      "\(kind) cannot be read here; install Debian's \(kind == "WebP" ? "webp-pixbuf-loader" : "librsvg2-common")"
    case .crashed: "the picture could not be decoded: it stopped the program that decodes pictures"
    case .drawing(let failure): failure.words
    }
  }
}

/// What is wrong with drawing as such.
public enum DrawingFailure: Error, Equatable, Sendable {
  /// deckhand-draw is not where it is looked for.
  case missing(path: String, errno: Int32)
  case crashed
  case timedOut(seconds: Double)
  /// The person wanted it to stop.
  case interrupted
  case refused(String)

  var code: String {
    switch self {
    case .missing: "no_drawing"
    case .crashed, .refused: "drawing_failed"
    case .timedOut: "timed_out"
    case .interrupted: "interrupted"
    }
  }

  var words: String {
    switch self {
    case .missing(let path, _): "pictures are drawn by deckhand-draw, which is not at \(path); put it beside deckhand"
    case .crashed: "the program that draws pictures stopped; nothing was written"
    case .timedOut(let seconds): "drawing took longer than \(Value.measure(seconds).json) s and was stopped"
    case .interrupted: "drawing was stopped"
    case .refused(let why): "it cannot be drawn: \(why)"
    }
  }
}
