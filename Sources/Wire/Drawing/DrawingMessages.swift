// The shell's requests to deckhand-draw, and its answers.
// Invariant: each request gets exactly one answer, in order; `decode(encode(x)) == x`.

public enum DrawingFormat: UInt8, CaseIterable, Sendable {
  case svg, png, pdf
}

public enum DrawRequest: WireMessage, Equatable, Sendable {
  /// Converts a picture file of any supported kind to PNG or JPEG, with its long side at most `longSide`.
  case convert(picture: [UInt8], longSide: Int, asJPEG: Bool = false)
  /// Renders a scene as one file with the given width in pixels (svg, png) or points (pdf).
  case render(Scene, DrawingFormat, width: Int)
  /// Renders a scene as rows of red, green, blue, alpha.
  case pixels(Scene, width: Int, height: Int)
  /// Adds a scene to the sheet; the first one starts the sheet.
  case addToSheet(Scene)
  /// Adds a scene to the sheet as a separate page, with its size in points; the first one starts the sheet.
  case addPage(Scene)
  /// Returns the sheet as PDF, and starts a new one.
  case finishSheet
  /// Returns, for each text in its font, the characters that no installed font can draw.
  case coverage([CoverageQuery])
  /// Returns how much space each text takes at its size.
  case measure([MeasureQuery])

  public var encoded: [UInt8] {
    var writer = WireWriter()
    switch self {
    case .convert(let picture, let longSide, let asJPEG):
      writer.byte(asJPEG ? 9 : 1)
      writer.data(picture)
      writer.integer(longSide)
    case .render(let scene, let format, let width):
      writer.byte(2)
      writer.scene(scene)
      writer.byte(format.rawValue)
      writer.integer(width)
    case .pixels(let scene, let width, let height):
      writer.byte(3)
      writer.scene(scene)
      writer.integer(width)
      writer.integer(height)
    case .addToSheet(let scene):
      writer.byte(4)
      writer.scene(scene)
    case .finishSheet: writer.byte(5)
    case .coverage(let queries):
      writer.byte(6)
      writer.list(queries) { writer, query in
        writer.text(query.text)
        writer.text(query.font)
      }
    case .measure(let queries):
      writer.byte(7)
      writer.list(queries) { writer, query in
        writer.text(query.text)
        writer.text(query.font)
        writer.number(query.size)
        writer.number(query.width)
      }
    case .addPage(let scene):
      writer.byte(8)
      writer.scene(scene)
    }
    return writer.bytes
  }

  public init(from reader: inout WireReader) throws(WireError) {
    switch try reader.byte() {
    case let kind where kind == 1 || kind == 9:
      self = .convert(picture: Array(try reader.data()), longSide: try reader.integer(), asJPEG: kind == 9)
    case 2:
      let scene = try reader.scene()
      guard let format = DrawingFormat(rawValue: try reader.byte()) else { throw WireError() }
      self = .render(scene, format, width: try reader.integer())
    case 3: self = .pixels(try reader.scene(), width: try reader.integer(), height: try reader.integer())
    case 4: self = .addToSheet(try reader.scene())
    case 5: self = .finishSheet
    case 6:
      self = .coverage(
        try reader.list { reader throws(WireError) in CoverageQuery(text: try reader.text(), font: try reader.text()) })
    case 7:
      self = .measure(
        try reader.list { reader throws(WireError) in
          MeasureQuery(
            text: try reader.text(), font: try reader.text(), size: try reader.finite(), width: try reader.finite())
        })
    case 8: self = .addPage(try reader.scene())
    default: throw WireError()
    }
  }
}

public let mostCardsOnSheet = 10_000

public struct MeasureQuery: Equatable, Sendable {
  public var text: String
  public var font: String
  /// The height of a line, in units.
  public var size: Double
  /// The width at which lines are broken between words; 0 breaks only at line feeds.
  public var width: Double
  public init(text: String, font: String, size: Double, width: Double) {
    (self.text, self.font, self.size, self.width) = (text, font, size, width)
  }
}

/// The size of a text, in units.
public struct TextExtents: Equatable, Sendable {
  public var width: Double
  public var height: Double
  public init(width: Double, height: Double) { (self.width, self.height) = (width, height) }
}

public struct CoverageQuery: Equatable, Sendable {
  public var text: String
  public var font: String
  public init(text: String, font: String) { (self.text, self.font) = (text, font) }
}

/// Why a request was refused. The program continues after a refusal.
public enum DrawRefusal: UInt8, CaseIterable, Sendable {
  /// Not of a kind that `PictureFile` reads.
  case unknownKind
  /// It claims to be of a kind, but is damaged.
  case damaged
  /// More pixels than are ever decoded; detected before decoding.
  case tooLarge
  /// The library that reads this kind is not installed.
  case noLoader
  /// The drawing itself failed: out of memory, or too large for the format.
  case drawing
  case badRequest
}

public enum DrawAnswer: WireMessage, Equatable, Sendable {
  case picture(png: [UInt8], width: Int, height: Int)
  /// A finished file or rows of pixels; `broken` contains the indices of pictures that could not be decoded.
  case drawing([UInt8], broken: [Int])
  case coverage([String])
  case measured([TextExtents])
  case refused(DrawRefusal, String)

  public var encoded: [UInt8] {
    var writer = WireWriter()
    switch self {
    case .picture(let png, let width, let height):
      writer.byte(1)
      writer.data(png)
      writer.integer(width)
      writer.integer(height)
    case .drawing(let bytes, let broken):
      writer.byte(2)
      writer.data(bytes)
      writer.list(broken) { $0.integer($1) }
    case .coverage(let missing):
      writer.byte(3)
      writer.list(missing) { $0.text($1) }
    case .measured(let rooms):
      writer.byte(5)
      writer.list(rooms) { writer, room in
        writer.number(room.width)
        writer.number(room.height)
      }
    case .refused(let refusal, let reason):
      writer.byte(4)
      writer.byte(refusal.rawValue)
      writer.text(reason)
    }
    return writer.bytes
  }

  public init(from reader: inout WireReader) throws(WireError) {
    switch try reader.byte() {
    case 1: self = .picture(png: Array(try reader.data()), width: try reader.integer(), height: try reader.integer())
    case 2:
      self = .drawing(
        Array(try reader.data()), broken: try reader.list { reader throws(WireError) in try reader.integer() })
    case 3: self = .coverage(try reader.list { reader throws(WireError) in try reader.text() })
    case 5:
      self = .measured(
        try reader.list { reader throws(WireError) in
          TextExtents(width: try reader.finite(), height: try reader.finite())
        })
    case 4:
      guard let refusal = DrawRefusal(rawValue: try reader.byte()) else { throw WireError() }
      self = .refused(refusal, try reader.text())
    default: throw WireError()
    }
  }
}
