// Figures as pictures: drawn by the drawing program of the workspace. Invariant: a file is written whole or not at all.

public import CardDocuments
import Files

extension Workspace {
  /// Writes charts to a file, as SVG or PNG.
  /// - Throws: `DocumentError.drawing`, a `FileError`.
  public func writeCharts(_ picture: ChartPicture, to path: String, asPNG: Bool) throws {
    _ = try store(for: "charts")
    do {
      let bytes = try drawing.charts(picture, asPNG: asPNG)
      try AtomicFile.write(path, bytes)
    } catch let failure as DrawingFailure {
      throw DocumentError.drawing(failure)
    }
  }
}
