// Handles one request after another.
// Invariant: the answer to a request shows nothing of earlier requests, except for the sheet that is being filled.

import Wire

struct RequestServer {
  private var sheet: PrintedSheet?

  mutating func answer(_ bytes: [UInt8]) -> DrawAnswer {
    do {
      return try answer(DrawRequest(decoding: bytes))
    } catch let refused as Refused {
      return .refused(refused.refusal, refused.reason)
    } catch {
      // Decoding fails only for bytes that are not a request.
      return .refused(.badRequest, "the request is invalid")
    }
  }

  private mutating func answer(_ request: DrawRequest) throws -> DrawAnswer {
    switch request {
    case .convert(let picture, let longSide):
      return try PictureFile(picture).png(longSide: longSide)
    case .render(let scene, let format, let width):
      return try Rendering(scene).file(format, width: width)
    case .pixels(let scene, let width, let height):
      return try Rendering(scene).pixels(width: width, height: height)
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
    case .coverage(let queries):
      return .coverage(queries.map { TextBlock.missing(in: $0.text, font: $0.font) })
    case .measure(let queries):
      return .measured(try queries.map { try TextBlock.room(of: $0) })
    }
  }
}

/// Why a request was refused.
struct Refused: Error {
  let refusal: DrawRefusal
  let reason: String

  init(_ refusal: DrawRefusal, _ reason: String) { (self.refusal, self.reason) = (refusal, reason) }

  static let outOfMemory = Refused(.drawing, "not enough memory")
}
