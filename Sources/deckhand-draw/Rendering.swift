// Draws one scene on any cairo surface.
// Invariant: the same scene and fonts give the same bytes: no date, no random number, no counter from before.

import CDrawing
import Glibc
import Wire

final class Rendering {
  /// In pixels or points; a card of this width takes 260 MB.
  static let maximumWidth = 6500

  private let scene: Scene
  private var images: [Int: CardImage] = [:]
  private var kept = 0
  private(set) var broken: [Int] = []

  init(_ scene: Scene) throws(Refused) {
    guard (1...100_000).contains(scene.width), (1...100_000).contains(scene.height) else {
      throw Refused(.badRequest, "a scene must have a size from 1 to 100,000")
    }
    self.scene = scene
  }

  func file(_ format: DrawingFormat, width: Int) throws(Refused) -> DrawAnswer {
    let height = Int((Double(width) * scene.height / scene.width).rounded())
    guard (1...Rendering.maximumWidth).contains(width), (1...20_000).contains(height) else {
      throw Refused(.badRequest, "a width from 1 to \(Rendering.maximumWidth) expected")
    }
    let output = Output()
    switch format {
    case .png:
      let surface = try image(width: width, height: height)
      defer { cairo_surface_destroy(surface) }
      guard cairo_surface_write_to_png_stream(surface, Output.write, output.context) == CAIRO_STATUS_SUCCESS else {
        throw Refused.outOfMemory
      }
    case .svg:
      let surface = cairo_svg_surface_create_for_stream(Output.write, output.context, Double(width), Double(height))
      cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX)
      try finish(surface, width: Double(width), height: Double(height))
      return .drawing(SVGText(output.bytes).finished(title: scene.title, summary: scene.summary), broken: broken)
    case .pdf:
      let surface = cairo_pdf_surface_create_for_stream(Output.write, output.context, Double(width), Double(height))
      PDF.describe(surface, title: scene.title, subject: scene.summary)
      try finish(surface, width: Double(width), height: Double(height))
    }
    return .drawing(output.bytes, broken: broken)
  }

  /// Returns rows of red, green, blue, alpha, not premultiplied.
  func pixels(width: Int, height: Int) throws(Refused) -> DrawAnswer {
    guard (1...4000).contains(width), (1...4000).contains(height) else {
      throw Refused(.badRequest, "1 to 4,000 pixels expected")
    }
    let surface = try image(width: width, height: height, alpha: true)
    defer { cairo_surface_destroy(surface) }
    cairo_surface_flush(surface)
    guard let data = cairo_image_surface_get_data(surface) else { throw Refused.outOfMemory }
    let stride = Int(cairo_image_surface_get_stride(surface))
    let rows = [UInt8](unsafeUninitializedCapacity: width * height * 4) { buffer, count in
      count = width * height * 4
      for y in 0..<height {
        for x in 0..<width {
          // A cairo pixel is a 32-bit word, so blue comes first in memory.
          let pixel = data + y * stride + x * 4
          let at = (y * width + x) * 4
          for part in 0..<3 { buffer[at + part] = Rendering.unmultiplied(pixel[2 - part], by: pixel[3]) }
          buffer[at + 3] = pixel[3]
        }
      }
    }
    return .drawing(rows, broken: broken)
  }

  private static func unmultiplied(_ value: UInt8, by alpha: UInt8) -> UInt8 {
    switch alpha {
    case 0: 0
    case 255: value
    default: UInt8(clamping: (Int(value) * 255 + Int(alpha) / 2) / Int(alpha))
    }
  }

  private func image(width: Int, height: Int, alpha: Bool = false) throws(Refused) -> OpaquePointer {
    // A card that is fully opaque needs no alpha channel.
    let isOpaque = scene.background.alpha >= 1 && !alpha
    let format = isOpaque ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32
    guard let surface = cairo_image_surface_create(format, Int32(width), Int32(height)),
      cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS, let cairo = cairo_create(surface)
    else { throw Refused.outOfMemory }
    defer { cairo_destroy(cairo) }
    draw(on: cairo, width: Double(width), height: Double(height), isVector: false)
    try check(cairo_status(cairo))
    return surface
  }

  private func finish(_ surface: OpaquePointer?, width: Double, height: Double) throws(Refused) {
    defer { cairo_surface_destroy(surface) }
    guard let cairo = cairo_create(surface) else { throw Refused.outOfMemory }
    defer { cairo_destroy(cairo) }
    draw(on: cairo, width: width, height: height, isVector: true)
    try check(cairo_status(cairo))
    cairo_surface_finish(surface)
    try check(cairo_surface_status(surface))
  }

  /// Draws the whole card in a rectangle from 0, 0; nothing is drawn outside it.
  func draw(on cairo: OpaquePointer, width: Double, height: Double, isVector: Bool) {
    cairo_save(cairo)
    cairo_rectangle(cairo, 0, 0, width, height)
    cairo_clip(cairo)
    cairo_scale(cairo, width / scene.width, height / scene.height)
    setColor(scene.background, on: cairo)
    cairo_paint(cairo)
    for item in scene.items { draw(item, on: cairo, isVector: isVector) }
    cairo_restore(cairo)
  }

  private func setColor(_ color: SceneColor, on cairo: OpaquePointer) {
    cairo_set_source_rgba(cairo, color.red, color.green, color.blue, color.alpha)
  }

  private func draw(_ item: SceneItem, on cairo: OpaquePointer, isVector: Bool) {
    let place = item.placement
    // Values too small for cairo's number format would put the whole drawing into an error state.
    guard place.width > 0.01, place.height > 0.01 else { return }
    cairo_save(cairo)
    defer { cairo_restore(cairo) }
    cairo_translate(cairo, place.x, place.y)
    cairo_rotate(cairo, place.degrees * .pi / 180)
    switch item.content {
    case .picture(let index, let clip, let fills):
      if !clip.isEmpty {
        trace(clip, on: cairo)
        cairo_clip(cairo)
      }
      if let index, let image = image(index) {
        paint(image, on: cairo, place, fills: fills)
      } else {
        drawErrorPicture(on: cairo, place)
      }
    case .shape(let outline, let color, let line):
      setColor(color, on: cairo)
      trace(outline, on: cairo)
      guard let line else { return cairo_fill(cairo) }
      cairo_set_line_width(cairo, line)
      cairo_stroke(cairo)
    case .text(let text, let font, let color, let size, let wraps, let align):
      setColor(color, on: cairo)
      let block =
        wraps
        ? TextBlock(
          wrapping: text, font: font, size: size, align: align, width: place.width, height: place.height, on: cairo)
        : TextBlock(text, font: font, size: size, align: align, on: cairo)
      block.draw(inWidth: place.width, height: place.height, isVector: isVector)
    }
  }

  private func trace(_ steps: [PathStep], on cairo: OpaquePointer) {
    cairo_new_path(cairo)
    for step in steps {
      switch step {
      case .move(let end): cairo_move_to(cairo, end.x, end.y)
      case .line(let end): cairo_line_to(cairo, end.x, end.y)
      case .curve(let first, let second, let end):
        cairo_curve_to(cairo, first.x, first.y, second.x, second.y, end.x, end.y)
      case .arc(let centre, let radius, let from, let to): cairo_arc(cairo, centre.x, centre.y, radius, from, to)
      case .close: cairo_close_path(cairo)
      }
    }
  }

  /// Paints in the middle of the box with the aspect ratio kept: whole, or filling the box and cropped.
  private func paint(_ image: CardImage, on cairo: OpaquePointer, _ place: Placement, fills: Bool) {
    let (across, down) = (place.width / image.width, place.height / image.height)
    let scale = fills ? max(across, down) : min(across, down)
    guard scale > 1e-6 else { return }
    if fills {
      cairo_rectangle(cairo, -place.width / 2, -place.height / 2, place.width, place.height)
      cairo_clip(cairo)
    }
    cairo_scale(cairo, scale, scale)
    cairo_set_source_surface(cairo, image.surface, -image.width / 2, -image.height / 2)
    cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_GOOD)
    cairo_rectangle(cairo, -image.width / 2, -image.height / 2, image.width, image.height)
    cairo_fill(cairo)
  }

  /// Draws a grey box with a cross, for a picture that is missing or cannot be decoded.
  private func drawErrorPicture(on cairo: OpaquePointer, _ place: Placement) {
    let half = PathPoint(x: place.width / 2, y: place.height / 2)
    cairo_rectangle(cairo, -half.x, -half.y, place.width, place.height)
    setColor(SceneColor(red: 0.85, green: 0.85, blue: 0.85, alpha: 1), on: cairo)
    cairo_fill(cairo)
    let arm = min(half.x, half.y) / 2
    cairo_set_line_width(cairo, max(arm / 4, 0.01))
    cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND)
    setColor(SceneColor(red: 0.75, green: 0.2, blue: 0.2, alpha: 1), on: cairo)
    for side in [-1.0, 1] {
      cairo_move_to(cairo, -arm * side, -arm)
      cairo_line_to(cairo, arm * side, arm)
    }
    cairo_stroke(cairo)
  }

  /// Returns a picture, cached while there is room; a scene may contain thousands.
  private func image(_ index: Int) -> CardImage? {
    if let image = images[index] { return image }
    if broken.contains(index) { return nil }
    guard let image = CardImage(scene.pictures[index]) else {
      broken.append(index)
      return nil
    }
    kept += Int(image.width * image.height) * 4
    if kept > 128 << 20 { (images, kept) = ([:], 0) }
    images[index] = image
    return image
  }
}

/// Throws the words of a status that is not success.
func check(_ status: cairo_status_t) throws(Refused) {
  guard status == CAIRO_STATUS_SUCCESS else { throw Refused(.drawing, String(cString: cairo_status_to_string(status))) }
}

final class Output {
  private(set) var bytes: [UInt8] = []

  /// Valid while this object lives.
  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  static let write: cairo_write_func_t = { context, data, count in
    guard let context, let data else { return CAIRO_STATUS_WRITE_ERROR }
    let output = Unmanaged<Output>.fromOpaque(context).takeUnretainedValue()
    output.bytes.append(contentsOf: UnsafeBufferPointer(start: data, count: Int(count)))
    return CAIRO_STATUS_SUCCESS
  }
}

enum PDF {
  /// The date is fixed, so that the same drawing gives the same file.
  static func describe(_ surface: OpaquePointer?, title: String, subject: String) {
    for (field, text) in [
      (CAIRO_PDF_METADATA_TITLE, title), (CAIRO_PDF_METADATA_SUBJECT, subject),
      (CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z"), (CAIRO_PDF_METADATA_MOD_DATE, "2000-01-01T00:00:00Z"),
    ] { cairo_pdf_surface_set_metadata(surface, field, text) }
  }
}

struct SVGText {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func finished(title: String, summary: String) -> [UInt8] {
    let numbered = renumbered()
    guard let end = endOfOpeningTag(numbered) else { return numbered }
    let words = "\n<title id=\"title\">\(escaped(title))</title>\n<desc id=\"description\">\(escaped(summary))</desc>"
    let opening = numbered[..<end] + Array(" role=\"img\" aria-labelledby=\"title description\"".utf8)
    return opening + [UInt8(ascii: ">")] + Array(words.utf8) + numbered[(end + 1)...]
  }

  /// Returns the index of the `>` of the svg element.
  private func endOfOpeningTag(_ text: [UInt8]) -> Int? {
    let tag = Array("<svg".utf8)
    guard let start = text.indices.first(where: { text[$0] == tag[0] && text[$0...].starts(with: tag) }) else {
      return nil
    }
    return text[start...].firstIndex(of: UInt8(ascii: ">"))
  }

  private func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      // Characters that XML 1.0 does not allow.
      case "\0"..<"\u{9}", "\u{B}"..<" ", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Renames ids, links and url(#…) references, whose names end in numbers: the first name becomes 1, and so on.
  private func renumbered() -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var numbers: [[UInt8]: Int] = [:]
    var position = 0
    while position < bytes.count {
      guard let start = startOfName(at: position) else {
        result.append(bytes[position])
        position += 1
        continue
      }
      result += bytes[position..<start]
      let name = bytes[start...].prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: ")") }
      let number = numbers[Array(name), default: numbers.count + 1]
      numbers[Array(name)] = number
      result += Array("n\(number)".utf8)
      position = name.endIndex
    }
    return result
  }

  /// Returns where a name begins if one of its three contexts starts here. Base64 has no quotes or brackets.
  private func startOfName(at position: Int) -> Int? {
    switch bytes[position] {
    case UInt8(ascii: " "): after("id=\"", at: position + 1)
    case UInt8(ascii: "\""): after("#", at: position + 1)
    case UInt8(ascii: "("): after("#", at: position + 1)
    default: nil
    }
  }

  private func after(_ text: StaticString, at position: Int) -> Int? {
    let count = text.utf8CodeUnitCount
    guard position + count <= bytes.count else { return nil }
    for offset in 0..<count where bytes[position + offset] != text.utf8Start[offset] { return nil }
    return position + count
  }
}
