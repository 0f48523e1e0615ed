// Writes pictures with captions as one web page that works offline and without scripts; following the link of a
// picture enlarges it. Invariant: memory holds one picture; no text is interpreted as markup.

public import Files
import Text
public import Values

/// A picture of a gallery.
///
///     GalleryPicture(title: "el gato", description: "A card, yellow, with the text \"el gato\".", png: bytes)
public struct GalleryPicture: Sendable {
  public let title: String
  /// The alternative text.
  public let description: String
  public let png: [UInt8]
  /// The number of images within it that could not be shown.
  public let broken: Int

  public init(title: String, description: String, png: [UInt8], broken: Int = 0) {
    (self.title, self.description, self.png, self.broken) = (title, description, png, broken)
  }
}

/// The report of writing a gallery.
///
///     report.bytes   // of the file
public struct GalleryReport: Equatable, Sendable {
  public internal(set) var documents = 0
  public internal(set) var bytes = 0
  /// The number of images within documents that could not be shown.
  public internal(set) var broken = 0

  /// The report as `--json` prints it.
  public var value: Value {
    .record([("documents", .integer(documents)), ("bytes", .integer(bytes)), ("broken", .integer(broken))])
  }
}

/// Writes a gallery of pictures.
///
///     try GalleryPage(title: "Animals", count: 9) { try picture($0) }
///       .write(to: "animals.html", isInterrupted: isInterrupted)
public struct GalleryPage {
  private static let style = PageText.squeezedStyle(PackageResources.gallery_css)
  private let title: String
  private let count: Int
  private let picture: (Int) throws -> GalleryPicture

  /// - Parameter picture: returns the picture at an index, from 0; an error from it ends the writing.
  public init(title: String, count: Int, picture: @escaping (Int) throws -> GalleryPicture) {
    (self.title, self.count, self.picture) = (title, count, picture)
  }

  /// - Parameters:
  ///   - isInterrupted: called for each chunk that is written, and while waiting for a pipe.
  ///   - progress: called with the pictures done; an error from it ends the writing and leaves the file unchanged.
  public func write(
    to path: String, _ kinds: FileKinds = .plain, isInterrupted: @escaping () -> Bool,
    progress: (Int) throws -> Void = { _ in }
  ) throws -> GalleryReport {
    var report = GalleryReport()
    try AtomicFile.write(path, .exported(kinds, isInterrupted: isInterrupted)) { sink in
      try sink.append(PageText.head(title: title, style: Self.style))
      try sink.append("<ul>\n".utf8)
      for place in 0..<count {
        let picture = try picture(place)
        try write(picture, place + 1, to: sink)
        report.documents += 1
        report.broken += picture.broken
        try progress(place + 1)
      }
      try sink.append("</ul>\n</main>\n</body>\n</html>\n".utf8)
      report.bytes = sink.count
    }
    return report
  }

  private func write(_ picture: GalleryPicture, _ number: Int, to sink: FileSink) throws {
    try sink.append(
      """
      <li id="c\(number)"><figure><a href="#c\(number)"><img alt="\(PageText.escaped(picture.description))" \
      loading="lazy" src="data:image/png;base64,
      """.utf8)
    try sink.append(base64(picture.png).utf8)
    try sink.append(
      """
      "></a><figcaption dir="auto">\(PageText.escaped(picture.title)) \
      <a class="close" href="#">Close</a></figcaption></figure></li>

      """.utf8)
  }
}
