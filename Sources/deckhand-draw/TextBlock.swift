// A text of one or more lines, by pango: measured at its full size, and scaled down when drawn so that it fits its box.
// Invariant: the same text has the same shape on every output, without hinting, and sized by cairo's scale.

import CDrawing
import Wire

final class TextBlock {
  private let layout: OpaquePointer
  private let cairo: OpaquePointer
  let width: Double
  let height: Double
  private let top: Double
  private let left: Double
  private let align: TextAlignment

  /// - Parameters:
  ///   - size: in units of the current coordinates.
  ///   - wrapWidth: the width at which lines are broken between words; nil breaks only at line feeds.
  init(
    _ text: String, font: String, size: Double, wrapWidth: Double? = nil, align: TextAlignment = .center,
    on cairo: OpaquePointer
  ) {
    (self.cairo, self.align) = (cairo, align)
    layout = TextBlock.layout(text, font: font, size: size, on: cairo)
    switch align {
    case .center: break
    case .left: pango_layout_set_alignment(layout, PANGO_ALIGN_LEFT)
    case .right: pango_layout_set_alignment(layout, PANGO_ALIGN_RIGHT)
    }
    if let wrapWidth {
      pango_layout_set_width(layout, Int32(clamping: Int(wrapWidth * Double(PANGO_SCALE))))
      pango_layout_set_wrap(layout, PANGO_WRAP_WORD)
    }
    var ink = PangoRectangle()
    var logical = PangoRectangle()
    pango_layout_get_extents(layout, &ink, &logical)
    let scale = Double(PANGO_SCALE)
    (width, height) = (Double(logical.width) / scale, Double(logical.height) / scale)
    (left, top) = (Double(logical.x) / scale, Double(logical.y) / scale)
  }

  /// Wraps the text at the width of a box, at the largest size up to `size` at which all of it fits.
  convenience init(
    wrapping text: String, font: String, size: Double, align: TextAlignment, width: Double, height: Double,
    on cairo: OpaquePointer
  ) {
    // To a hundredth of the size: the difference is not visible.
    var (small, large) = (0, 100)
    while small < large {
      let middle = (small + large + 1) / 2
      let block = TextBlock(text, font: font, size: size * Double(middle) / 100, wrapWidth: width, on: cairo)
      if block.width <= width, block.height <= height { small = middle } else { large = middle - 1 }
    }
    let fitting = size * Double(max(1, small)) / 100
    self.init(text, font: font, size: fitting, wrapWidth: width, align: align, on: cairo)
  }

  deinit { g_object_unref(UnsafeMutableRawPointer(layout)) }

  private static func layout(_ text: String, font: String, size: Double, on cairo: OpaquePointer) -> OpaquePointer {
    let layout: OpaquePointer = pango_cairo_create_layout(cairo)
    let context = pango_layout_get_context(layout)
    let options = cairo_font_options_create()
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
    pango_cairo_context_set_font_options(context, options)
    cairo_font_options_destroy(options)
    pango_context_set_round_glyph_positions(context, 0)
    let description = pango_font_description_new()
    pango_font_description_set_family(description, font.isEmpty ? "Sans" : font + ", Sans")
    pango_font_description_set_absolute_size(description, size * Double(PANGO_SCALE))
    pango_layout_set_font_description(layout, description)
    pango_font_description_free(description)
    pango_layout_set_alignment(layout, PANGO_ALIGN_CENTER)
    pango_layout_set_auto_dir(layout, 1)
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        pango_layout_set_text(layout, $0.baseAddress, Int32(clamping: $0.count))
      }
    }
    return layout
  }

  /// Draws in a box whose centre is at 0, 0: in its middle, or at the side that the text is aligned to.
  /// - Parameter isVector: whether the output contains outlines, which colour glyphs do not have.
  func draw(inWidth boxWidth: Double, height boxHeight: Double, isVector: Bool) {
    guard width > 0, height > 0, boxWidth > 0, boxHeight > 0 else { return }
    let scale = min(1, boxWidth / width, boxHeight / height)
    cairo_save(cairo)
    cairo_scale(cairo, scale, scale)
    let across =
      switch align {
      case .center: -width / 2
      case .left: -boxWidth / 2 / scale
      case .right: boxWidth / 2 / scale - width
      }
    cairo_translate(cairo, across - left, -height / 2 - top)
    if isVector {
      drawRuns()
    } else {
      cairo_move_to(cairo, 0, 0)
      pango_cairo_show_layout(cairo, layout)
    }
    cairo_restore(cairo)
  }

  /// Draws run by run: outlines for plain fonts, pictures for colour fonts. Each line ends with a null run.
  private func drawRuns() {
    guard let place = pango_layout_get_iter(layout) else { return }
    defer { pango_layout_iter_free(place) }
    repeat {
      guard let run = pango_layout_iter_get_run_readonly(place), let item = run.pointee.item else { continue }
      var logical = PangoRectangle()
      var line = PangoRectangle()
      pango_layout_iter_get_run_extents(place, nil, &logical)
      pango_layout_iter_get_line_extents(place, nil, &line)
      (logical.y, logical.height) = (line.y, line.height)
      let x = Double(logical.x) / Double(PANGO_SCALE)
      let baseline = Double(pango_layout_iter_get_baseline(place)) / Double(PANGO_SCALE)
      guard let font = item.pointee.analysis.font else { continue }
      if TextBlock.isColored(font) {
        drawAsPicture(font, run.pointee.glyphs, x: x, baseline: baseline, logical)
      } else {
        cairo_move_to(cairo, x, baseline)
        pango_cairo_show_glyph_string(cairo, font, run.pointee.glyphs)
      }
    } while pango_layout_iter_next_run(place) != 0
  }

  private static func isColored(_ font: UnsafeMutablePointer<PangoFont>) -> Bool {
    guard let face = hb_font_get_face(pango_font_get_hb_font(font)) else { return false }
    return hb_ot_color_has_png(face) != 0 || hb_ot_color_has_layers(face) != 0 || hb_ot_color_has_svg(face) != 0
  }

  private func drawAsPicture(
    _ font: UnsafeMutablePointer<PangoFont>, _ glyphs: UnsafeMutablePointer<PangoGlyphString>?, x: Double,
    baseline: Double, _ logical: PangoRectangle
  ) {
    let runWidth = Double(logical.width) / Double(PANGO_SCALE)
    let lineHeight = Double(logical.height) / Double(PANGO_SCALE)
    let top = Double(logical.y) / Double(PANGO_SCALE)
    guard runWidth > 0, runWidth < 1e6, lineHeight < 1e4 else { return }
    // A long run has to be scaled down to fit, so it needs no more pixels than this.
    let scale = min(1, 8000 / runWidth)
    let surface = cairo_image_surface_create(
      CAIRO_FORMAT_ARGB32, Int32((runWidth * scale).rounded(.up)), Int32((lineHeight * scale).rounded(.up)))
    let picture = cairo_create(surface)
    cairo_scale(picture, scale, scale)
    cairo_translate(picture, 0, baseline - top)
    pango_cairo_show_glyph_string(picture, font, glyphs)
    cairo_destroy(picture)
    cairo_save(cairo)
    cairo_translate(cairo, x, top)
    cairo_scale(cairo, 1 / scale, 1 / scale)
    cairo_set_source_surface(cairo, surface, 0, 0)
    cairo_paint(cairo)
    cairo_restore(cairo)
    cairo_surface_destroy(surface)
  }

  /// Measures a text without drawing it.
  static func room(of query: MeasureQuery) throws(Refused) -> TextExtents {
    guard (1...10_000).contains(query.size), (0...200_000).contains(query.width), query.text.utf8.count <= 20_000 else {
      throw Refused(.badRequest, "a text that can be drawn expected")
    }
    let surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1)
    defer { cairo_surface_destroy(surface) }
    guard let cairo = cairo_create(surface) else { throw Refused.outOfMemory }
    defer { cairo_destroy(cairo) }
    let block = TextBlock(
      query.text, font: query.font, size: query.size, wrapWidth: query.width > 0 ? query.width : nil, on: cairo)
    return TextExtents(width: block.width, height: block.height)
  }

  /// Returns the characters that no installed font can draw, without duplicates, in text order.
  static func missing(in text: String, font: String) -> String {
    let surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1)
    defer { cairo_surface_destroy(surface) }
    guard let cairo = cairo_create(surface) else { return "" }
    defer { cairo_destroy(cairo) }
    let whole = layout(text, font: font, size: 20, on: cairo)
    defer { g_object_unref(UnsafeMutableRawPointer(whole)) }
    guard pango_layout_get_unknown_glyphs_count(whole) > 0 else { return "" }
    var seen: Set<Character> = []
    var missing = ""
    for character in text where !character.isWhitespace && seen.insert(character).inserted && seen.count < 2000 {
      let single = layout(String(character), font: font, size: 20, on: cairo)
      if pango_layout_get_unknown_glyphs_count(single) > 0 { missing.append(character) }
      g_object_unref(UnsafeMutableRawPointer(single))
    }
    return missing
  }
}
