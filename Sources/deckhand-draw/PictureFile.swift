// An untrusted picture file: identified by its first bytes, checked for its size before decoding, then decoded by
// gdk-pixbuf. Invariant: nothing above `maximumPixels` is decoded, and only the supported kinds.

import CDrawing
import Text
import Wire

struct PictureFile {
  /// In pixels; decoded, they take 256 MB. Phones take pictures of 50 million pixels.
  static let maximumPixels = 64_000_000
  static let maximumSide = 30_000

  private let bytes: [UInt8]
  private let kind: PictureKind

  init(_ bytes: [UInt8]) throws(Refused) {
    guard let kind = PictureKind(of: bytes) else { throw Refused(.unknownKind, "") }
    (self.bytes, self.kind) = (bytes, kind)
  }

  /// Returns the picture as PNG or JPEG: upright, with its long side at most that many pixels, without metadata.
  func converted(_ longSide: Int, asJPEG: Bool = false) throws(Refused) -> DrawAnswer {
    guard (1...4096).contains(longSide) else { throw Refused(.badRequest, "a long side from 1 to 4096 expected") }
    let decoded = try decode(longSide: longSide)
    defer { g_object_unref(UnsafeMutableRawPointer(decoded)) }
    guard let upright = gdk_pixbuf_apply_embedded_orientation(decoded) else { throw Refused.outOfMemory }
    defer { g_object_unref(UnsafeMutableRawPointer(upright)) }
    let scaled = try scale(upright, longSide: longSide)
    defer { g_object_unref(UnsafeMutableRawPointer(scaled)) }
    let png = try encode(scaled, as: asJPEG ? "jpeg" : "png")
    return .picture(png: png, width: Int(gdk_pixbuf_get_width(scaled)), height: Int(gdk_pixbuf_get_height(scaled)))
  }

  /// The size that the file declares, and the size to decode it at.
  private final class Declared {
    let longSide: Int
    let scalesFreely: Bool
    var width = 0
    var height = 0
    /// Whether nothing is decoded: the picture is too large, or it has no pixels.
    var isRefused = false

    init(longSide: Int, scalesFreely: Bool) { (self.longSide, self.scalesFreely) = (longSide, scalesFreely) }

    func look(_ loader: UnsafeMutablePointer<GdkPixbufLoader>, _ width: Int, _ height: Int) {
      (self.width, self.height) = (width, height)
      let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
      isRefused =
        overflow || width < 1 || height < 1 || max(width, height) > PictureFile.maximumSide
        || pixels > PictureFile.maximumPixels
      // 0 × 0 stops the loaders that ask again; closing stops the others.
      if isRefused { return gdk_pixbuf_loader_set_size(loader, 0, 0) }
      guard scalesFreely, max(width, height) > longSide else { return }
      let (w, h) = fitted(width, height, longSide)
      gdk_pixbuf_loader_set_size(loader, Int32(w), Int32(h))
    }
  }

  private func decode(longSide: Int) throws(Refused) -> OpaquePointer {
    var error: UnsafeMutablePointer<GError>?
    if kind.declaresTooMuch(bytes) { throw Refused(.tooLarge, "it declares more than 64 million pixels") }
    guard let loader = gdk_pixbuf_loader_new_with_type(kind.rawValue, &error) else {
      g_clear_error(&error)
      throw Refused(.noLoader, "\(kind)")
    }
    defer { g_object_unref(loader) }
    // An SVG is drawn at the wanted size; a JPEG is decoded at it.
    let declared = Declared(longSide: longSide, scalesFreely: kind == .svg || kind == .jpeg)
    let watch: @convention(c) (UnsafeMutablePointer<GdkPixbufLoader>?, Int32, Int32, UnsafeMutableRawPointer?) -> Void =
      { loader, width, height, context in
        guard let loader, let context else { return }
        Unmanaged<Declared>.fromOpaque(context).takeUnretainedValue().look(loader, Int(width), Int(height))
      }
    g_signal_connect_data(
      loader, "size-prepared", unsafeBitCast(watch, to: GCallback.self), Unmanaged.passUnretained(declared).toOpaque(),
      nil, GConnectFlags(rawValue: 0))
    try feed(loader, declared)
    guard let pixbuf = gdk_pixbuf_loader_get_pixbuf(loader) else { throw Refused(.damaged, "it contains no picture") }
    g_object_ref(UnsafeMutableRawPointer(pixbuf))
    return pixbuf
  }

  /// Feeds the file in small steps, so that a size that is too large is noticed before the pixels arrive.
  private func feed(_ loader: UnsafeMutablePointer<GdkPixbufLoader>, _ declared: Declared) throws(Refused) {
    var error: UnsafeMutablePointer<GError>?
    var isFine = true
    var position = 0
    while isFine, position < bytes.count, !declared.isRefused {
      let count = min(position < 65_536 ? 1024 : 65_536, bytes.count - position)
      isFine = bytes.withUnsafeBufferPointer {
        gdk_pixbuf_loader_write(loader, $0.baseAddress.map { $0 + position }, gsize(count), &error) != 0
      }
      position += count
    }
    if isFine, !declared.isRefused {
      isFine = gdk_pixbuf_loader_close(loader, &error) != 0
    } else {
      gdk_pixbuf_loader_close(loader, nil)
    }
    let reason = error.flatMap { $0.pointee.message }.map { String(cString: $0).trimmed } ?? ""
    g_clear_error(&error)
    if declared.isRefused {
      let size = "it declares \(declared.width) × \(declared.height) pixels"
      guard min(declared.width, declared.height) > 0 else { throw Refused(.damaged, size) }
      throw Refused(.tooLarge, size + ", more than 64 million or 30,000 on a side")
    }
    guard isFine else { throw Refused(.damaged, reason) }
    // The loaders accept a truncated file, and leave the rest of the picture empty.
    guard kind.isWhole(bytes) else { throw Refused(.damaged, "the file is truncated") }
  }

  /// Returns a new reference, scaled down if necessary.
  private func scale(_ pixbuf: OpaquePointer, longSide: Int) throws(Refused) -> OpaquePointer {
    let width = Int(gdk_pixbuf_get_width(pixbuf))
    let height = Int(gdk_pixbuf_get_height(pixbuf))
    guard max(width, height) > longSide else {
      g_object_ref(UnsafeMutableRawPointer(pixbuf))
      return pixbuf
    }
    let (w, h) = fitted(width, height, longSide)
    guard let scaled = gdk_pixbuf_scale_simple(pixbuf, Int32(w), Int32(h), GDK_INTERP_BILINEAR) else {
      throw Refused.outOfMemory
    }
    return scaled
  }

  private func encode(_ pixbuf: OpaquePointer, as kind: String) throws(Refused) -> [UInt8] {
    var buffer: UnsafeMutablePointer<gchar>?
    var size: gsize = 0
    guard gdk_pixbuf_save_to_bufferv(pixbuf, &buffer, &size, kind, nil, nil, nil) != 0, let buffer else {
      throw Refused.outOfMemory
    }
    defer { g_free(buffer) }
    return Array(UnsafeRawBufferPointer(start: buffer, count: Int(size)))
  }
}

/// Returns the size whose longer side has that many pixels, with the same aspect ratio; no side is less than one pixel.
func fitted(_ width: Int, _ height: Int, _ longSide: Int) -> (width: Int, height: Int) {
  let scale = Double(longSide) / Double(max(width, height))
  func side(_ value: Int) -> Int { max(1, min(longSide, Int((Double(value) * scale).rounded()))) }
  return (side(width), side(height))
}

/// The raw value is gdk-pixbuf's name for the kind.
enum PictureKind: String {
  case png, jpeg, gif, webp, svg, bmp, tiff, avif
  case heic = "heif/avif"

  init?(of bytes: [UInt8]) {
    let starts: [(kind: PictureKind, offset: Int, start: [UInt8])] = [
      (.png, 0, PictureKind.pngSignature), (.jpeg, 0, [0xFF, 0xD8, 0xFF]), (.gif, 0, Array("GIF87a".utf8)),
      (.gif, 0, Array("GIF89a".utf8)), (.webp, 8, Array("WEBP".utf8)), (.bmp, 0, Array("BM".utf8)),
      (.tiff, 0, [0x49, 0x49, 0x2A, 0]), (.tiff, 0, [0x4D, 0x4D, 0, 0x2A]), (.avif, 4, Array("ftypavi".utf8)),
      (.heic, 4, Array("ftyp".utf8)),
    ]
    let found = starts.first { bytes.dropFirst($0.offset).starts(with: $0.start) }?.kind
    if let found { self = found } else if PictureKind.isSVG(bytes) { self = .svg } else { return nil }
  }

  /// Whether a HEIC or AVIF file declares too many pixels (ISO/IEC 23008-12, `ispe`): its loader decodes them first.
  func declaresTooMuch(_ bytes: [UInt8]) -> Bool {
    guard self == .heic || self == .avif else { return false }
    let head = Array(bytes.prefix(1 << 16))
    return head.indices.dropLast(15).contains { place in
      let sides = [8, 12].map { Double(PictureKind.number(head[place + $0..<place + $0 + 4])) }
      return head[place...].starts(with: Array("ispe".utf8)) && sides[0] * sides[1] > Double(PictureFile.maximumPixels)
    }
  }

  static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Whether it is markup with an svg element in the first kilobytes.
  private static func isSVG(_ bytes: [UInt8]) -> Bool {
    let head = String(decoding: bytes.prefix(4096), as: UTF8.self)
    let text = head.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    return text.hasPrefix("<") && text.contains(text: "<svg")
  }

  /// Whether the file reaches the end that its format requires; for the kinds whose loaders do not check.
  func isWhole(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .png: PictureKind.hasLastChunk(bytes)
    case .jpeg: PictureKind.hasEndOfImage(bytes)
    case .webp: PictureKind.number(bytes[4..<8].reversed()) <= bytes.count - 8
    case .bmp: PictureKind.number(bytes[2..<6].reversed()) <= bytes.count
    case .gif, .svg, .tiff, .avif, .heic: true
    }
  }

  /// Whether the chunks continue up to IEND.
  private static func hasLastChunk(_ bytes: [UInt8]) -> Bool {
    var position = pngSignature.count
    while position + 12 <= bytes.count {
      if bytes[(position + 4)...].starts(with: Array("IEND".utf8)) { return true }
      position += number(bytes[position..<position + 4]) + 12
    }
    return false
  }

  /// Whether the segments continue up to the end of image (FF D9). A preview in the metadata is inside a segment, and
  /// what a phone appends (the film of a motion photo) comes after the end.
  private static func hasEndOfImage(_ bytes: [UInt8]) -> Bool {
    var position = 2
    while position + 1 < bytes.count {
      // Data of a scan, in which FF 00 is a byte FF and FF D0 to FF D7 are restarts.
      if bytes[position] != 0xFF {
        position += 1
        continue
      }
      switch bytes[position + 1] {
      case 0xD9: return true
      case 0xFF: position += 1
      case 0x00, 0x01, 0xD0...0xD8: position += 2
      default:
        guard position + 4 <= bytes.count else { return false }
        position += 2 + number(bytes[(position + 2)..<(position + 4)])
      }
    }
    return false
  }

  /// Decodes a number, most significant byte first.
  private static func number(_ bytes: some Sequence<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
