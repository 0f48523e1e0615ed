// A picture from a scene as a cairo surface. Invariant: a PNG is passed directly to cairo after its declared size was
// checked; everything else goes through gdk-pixbuf first.

import CDrawing
import Wire

final class CardImage {
  let surface: OpaquePointer
  let width: Double
  let height: Double

  /// Nil if the picture cannot be decoded.
  init?(_ bytes: [UInt8]) {
    guard let surface = CardImage.decode(bytes) else { return nil }
    self.surface = surface
    width = Double(cairo_image_surface_get_width(surface))
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
      guard case .picture(let png, _, _) = try PictureFile(bytes).png(longSide: 1000) else { return nil }
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
