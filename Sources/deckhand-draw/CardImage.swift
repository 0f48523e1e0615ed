// What a scene is drawn on: a picture as a cairo surface, or the pages of one PDF. Invariant: a PNG is passed directly
// to cairo after its declared size was checked; a page is started only when something is drawn on it.

import CDrawing
import Wire

final class CardImage {
  let surface: OpaquePointer
  let width: Double
  let height: Double

  /// Nil if the picture cannot be decoded.
  init?(_ bytes: [UInt8]) {
    guard let surface = CardImage.decode(bytes) else { return nil }
    (self.surface, width) = (surface, Double(cairo_image_surface_get_width(surface)))
    height = Double(cairo_image_surface_get_height(surface))
  }

  deinit { cairo_surface_destroy(surface) }

  private static func decode(_ bytes: [UInt8]) -> OpaquePointer? {
    if let size = pngSize(bytes) {
      guard max(size.width, size.height) <= PictureFile.maximumSide,
        size.width * size.height <= PictureFile.maximumPixels
      else { return nil }
      return readPNG(bytes)
    }
    do {
      guard case .picture(let png, _, _) = try PictureFile(bytes).converted(1000) else { return nil }
      return readPNG(png)
    } catch {
      // A picture that cannot be decoded is handled like a missing one.
      return nil
    }
  }

  /// Reads the size from the header of a PNG file; nil for another format.
  private static func pngSize(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
    guard bytes.count > 24, bytes.starts(with: PictureKind.pngSignature) else { return nil }
    func number(_ at: Int) -> Int { bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
    return (number(16), number(20))
  }

  private struct Source {
    let bytes: [UInt8]
    var position = 0
  }

  private static func readPNG(_ bytes: [UInt8]) -> OpaquePointer? {
    var source = Source(bytes: bytes)
    let surface = withUnsafeMutablePointer(to: &source) { source in
      cairo_image_surface_create_from_png_stream(
        { context, target, count in
          guard let source = context?.assumingMemoryBound(to: Source.self), let target,
            Int(count) <= source.pointee.bytes.count - source.pointee.position
          else { return CAIRO_STATUS_READ_ERROR }
          source.pointee.bytes.withUnsafeBufferPointer {
            if let start = $0.baseAddress { target.update(from: start + source.pointee.position, count: Int(count)) }
          }
          source.pointee.position += Int(count)
          return CAIRO_STATUS_SUCCESS
        }, source)
    }
    guard let surface, cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS else {
      cairo_surface_destroy(surface)
      return nil
    }
    keep(bytes, with: surface)
    return surface
  }

  /// Attaches the PNG file, so that an SVG embeds it unchanged instead of compressing the pixels again.
  private static func keep(_ bytes: [UInt8], with surface: OpaquePointer) {
    let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
    copy.initialize(from: bytes, count: bytes.count)
    let status = cairo_surface_set_mime_data(
      surface, CAIRO_MIME_TYPE_PNG, copy, UInt(bytes.count), { $0?.deallocate() }, copy)
    if status != CAIRO_STATUS_SUCCESS { copy.deallocate() }
  }
}

final class PrintedSheet {
  // In points: an A4 page, with three by three cards in the ratio 13 to 20 in its middle.
  private static let pageWidth = 595.28
  private static let pageHeight = 841.89
  private static let cardWidth = 169.0
  private static let cardHeight = 260.0
  private static let across = 3
  private static let perPage = 9
  private static let mostPages = 4000
  private static let pageSides = 36.0...14_400

  private let output = Output()
  private let surface: OpaquePointer?
  private let cairo: OpaquePointer
  private var cards = 0
  private var pages = 0
  private var title: String?

  init() throws(Refused) {
    surface = cairo_pdf_surface_create_for_stream(
      Output.write, output.context, PrintedSheet.pageWidth, PrintedSheet.pageHeight)
    guard let cairo = cairo_create(surface) else {
      cairo_surface_destroy(surface)
      throw Refused.outOfMemory
    }
    self.cairo = cairo
  }

  deinit {
    cairo_destroy(cairo)
    cairo_surface_destroy(surface)
  }

  /// Adds a card. Returns the indices of the pictures that could not be decoded.
  func add(_ scene: Scene) throws(Refused) -> [Int] {
    guard cards < mostCardsOnSheet else { throw Refused(.badRequest, "a sheet has at most \(mostCardsOnSheet) cards") }
    if cards > 0, cards % PrintedSheet.perPage == 0 { cairo_show_page(cairo) }
    let place = cards % PrintedSheet.perPage
    let left = (PrintedSheet.pageWidth - PrintedSheet.cardWidth * Double(PrintedSheet.across)) / 2
    let top = (PrintedSheet.pageHeight - PrintedSheet.cardHeight * Double(PrintedSheet.across)) / 2
    let drawing = try Rendering(scene)
    cairo_save(cairo)
    cairo_translate(
      cairo, left + Double(place % PrintedSheet.across) * PrintedSheet.cardWidth,
      top + Double(place / PrintedSheet.across) * PrintedSheet.cardHeight)
    drawing.draw(on: cairo, width: PrintedSheet.cardWidth, height: PrintedSheet.cardHeight, isVector: true)
    drawCuts()
    cairo_restore(cairo)
    cards += 1
    try check(cairo_surface_status(surface))
    return drawing.broken
  }

  /// Adds a page of the scene's size, in points. Returns the indices of the pictures that could not be decoded.
  func add(page scene: Scene) throws(Refused) -> [Int] {
    guard cards == 0, pages < PrintedSheet.mostPages else {
      throw Refused(.badRequest, "a sheet has either cards, or at most \(PrintedSheet.mostPages) pages")
    }
    guard PrintedSheet.pageSides.contains(scene.width), PrintedSheet.pageSides.contains(scene.height) else {
      throw Refused(.badRequest, "a page must have sides from 36 to 14,400 points")
    }
    let drawing = try Rendering(scene)
    if pages > 0 { cairo_show_page(cairo) }
    cairo_pdf_surface_set_size(surface, scene.width, scene.height)
    drawing.draw(on: cairo, width: scene.width, height: scene.height, isVector: true)
    title = title ?? scene.title
    pages += 1
    try check(cairo_surface_status(surface))
    return drawing.broken
  }

  private func drawCuts() {
    cairo_rectangle(cairo, 0, 0, PrintedSheet.cardWidth, PrintedSheet.cardHeight)
    cairo_set_source_rgb(cairo, 0.6, 0.6, 0.6)
    cairo_set_line_width(cairo, 0.3)
    cairo_stroke(cairo)
  }

  func finish() throws(Refused) -> [UInt8] {
    PDF.describe(surface, title: title ?? (cards == 1 ? "1 card" : "\(cards) cards"), subject: "Cards for printing")
    cairo_surface_finish(surface)
    try check(cairo_surface_status(surface))
    return output.bytes
  }
}
