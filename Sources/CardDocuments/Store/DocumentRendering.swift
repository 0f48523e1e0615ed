// Rendering of documents: files, pixels for a terminal, thumbnails, sheets for printing.
// Invariant: a missing or broken picture is drawn as the error picture, and the rest of the document is still drawn; an
// existing file is replaced only by a complete one.

import Files
public import Wire

/// A drawing, and the elements that it could not show: those whose image is missing or cannot be decoded.
public typealias RenderedDocument = (bytes: [UInt8], brokenElements: [String])

/// Pixels for drawing in a terminal.
///
///     let pixels = try document.pixels(width: 80, height: 123)
///     pixels.rgba.count   // 4 bytes for each pixel
public struct PixelDrawing: Equatable, Sendable {
  public let width: Int
  public let height: Int
  /// Rows from the top, four bytes a pixel: red, green, blue, opacity; not premultiplied.
  public let rgba: [UInt8]
}

extension StoredDocument {
  /// How wide a drawing may be, in pixels (svg, png) or points (pdf).
  public static let widths = 1...6500

  /// The limit for all images of one drawing together.
  private static let mostImageBytes = 256 << 20

  /// Renders the document to the bytes of a file. The height follows from the width, at 1300 by 2000.
  public func rendered(as format: DrawingFormat, width: Int = 1300) throws -> RenderedDocument {
    guard StoredDocument.widths.contains(width) else { throw DocumentError.badWidth(width, StoredDocument.widths) }
    try refresh()
    return try draw(content) { .render($0, format, width: width) }
  }

  /// Writes the drawing to a file that ends in .svg, .png or .pdf.
  /// - Returns: the elements whose image is missing or cannot be decoded.
  @discardableResult public func render(to path: String, width: Int = 1300) throws -> [String] {
    guard let format = DrawingFormat(path: path) else { throw DocumentError.unknownEnding(path: path) }
    let drawing = try rendered(as: format, width: width)
    try writeWhole(drawing.bytes, to: path)
    return drawing.brokenElements
  }

  /// Renders the document scaled to the given size in pixels, for half blocks or a terminal's own graphics.
  public func pixels(of draft: CardDocument? = nil, width: Int, height: Int) throws -> PixelDrawing {
    try refresh()
    let width = min(max(width, 1), 4000)
    let height = min(max(height, 1), 4000)
    let drawing = try draw(draft ?? content) { .pixels($0, width: width, height: height) }
    guard drawing.bytes.count == width * height * 4 else { throw DocumentError.drawing(.crashed) }
    return PixelDrawing(width: width, height: height, rgba: drawing.bytes)
  }

  /// Renders the document to a PNG, by default a thumbnail of 260 × 400 pixels.
  public func png(width: Int = 260) throws -> RenderedDocument { try rendered(as: .png, width: width) }

  private func draw(_ content: CardDocument, _ request: (Scene) -> DrawRequest) throws -> RenderedDocument {
    let (scene, images) = try scene(of: content)
    do throws(ProgramFailure) {
      let drawn = try store.drawing.draw(scene, request)
      let broken = images.filter { $0.picture.map(drawn.broken.contains) ?? true }
      return (drawn.bytes, broken.map(\.element))
    } catch { throw DocumentError.drawing(error) }
  }

  /// Reads the pictures and builds the scene.
  fileprivate func scene(
    of content: CardDocument
  ) throws -> (scene: Scene, images: [(element: String, picture: Int?)]) {
    var pictures: [Int: [UInt8]] = [:]
    var size = 0
    for (place, element) in content.elements.enumerated() where element.namesImage {
      pictures[place] = try picture(of: element)
      size += pictures[place]?.count ?? 0
      guard size <= StoredDocument.mostImageBytes else {
        throw DocumentError.drawing(.refused("its images are too large together"))
      }
    }
    return content.scene(pictures: pictures)
  }
}

extension DocumentStore {
  /// Writes many documents to a PDF of A4 pages, nine on each page.
  public func sheet(_ documents: [StoredDocument], to path: String, drawn: (Int) -> Void = { _ in }) throws {
    guard DrawingFormat(path: path) == .pdf else { throw DocumentError.unknownEnding(path: path, expected: ".pdf") }
    guard documents.count <= mostCardsOnSheet else { throw DocumentError.tooManyToPrint(limit: mostCardsOnSheet) }
    var without: [ObjectIdentifier: Set<Int>] = [:]
    // Each pass succeeds, or finds a document whose pictures stop the drawing program; the next one omits those.
    for _ in 0...documents.count {
      let (bytes, stopped) = try sheet(documents, without: without, drawn: drawn)
      guard let stopped else { return try writeWhole(bytes, to: path) }
      without[ObjectIdentifier(stopped.document), default: []].formUnion(stopped.pictures)
    }
    throw DocumentError.drawing(.crashed)
  }

  private func sheet(
    _ documents: [StoredDocument], without: [ObjectIdentifier: Set<Int>], drawn: (Int) -> Void
  ) throws -> ([UInt8], stopped: (document: StoredDocument, pictures: Set<Int>)?) {
    do throws(ProgramFailure) { try drawing.discardSheet() } catch { throw DocumentError.drawing(error) }
    for (index, document) in documents.enumerated() {
      if isInterrupted() { throw DocumentError.drawing(.interrupted) }
      try document.refresh()
      let scene = try document.scene(of: document.content).scene.without(without[ObjectIdentifier(document)] ?? [])
      do throws(ProgramFailure) {
        if let fatal = try drawing.addToSheet(scene) { return ([], (document, fatal)) }
      } catch { throw DocumentError.drawing(error) }
      drawn(index + 1)
    }
    do throws(ProgramFailure) { return (try drawing.finishSheet(), nil) } catch { throw DocumentError.drawing(error) }
  }
}
