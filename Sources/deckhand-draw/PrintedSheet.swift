// The pages of one PDF: cards on A4, nine per page, with lines to cut along, or scenes as separate pages.
// Invariant: cards and pages are in the order of arrival; a page is started only when something is drawn on it.

import CDrawing
import Wire

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
