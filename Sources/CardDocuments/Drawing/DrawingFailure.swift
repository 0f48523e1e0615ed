// Why a picture cannot be used, and why a drawing was not made.

public import Files
import Problems
import Values

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
