// Card documents as a web page. Invariant: writing a page changes nothing but its file.

import CardDocuments
public import Exchange
public import Files
import Problems

extension Workspace {
  /// Writes documents as one HTML file that shows them without a network and without scripts.
  /// - Parameters:
  ///   - width: of each picture, in pixels.
  ///   - kinds: which files are written; others than plain ones only where the user typed the path.
  ///   - progress: documents drawn.
  /// - Throws: `DocumentError`, `FileError`; the file stays as it was then.
  public func writeDocumentPage(
    _ documents: [DocumentHandle], titled title: String, width: Int, to path: String, _ kinds: FileKinds = .plain,
    progress: (Int) throws -> Void = { _ in }
  ) throws -> GalleryReport {
    let gallery = GalleryPage(title: title, count: documents.count) { place in
      try documents[place].document().picture(width: width)
    }
    return try gallery.write(to: path, kinds, isInterrupted: environment.isInterrupted) { done in
      if environment.isInterrupted() { throw WorkspaceError.interrupted }
      try progress(done)
    }
  }

  /// The picture of a document on a page; nil where it is gone or cannot be drawn.
  func picture(ofDocument id: String) throws -> GalleryPicture? {
    do {
      return try openDocument(id).document().picture(width: Self.pageWidth)
    } catch let problem as any Problem {
      guard problem.report.code != .interrupted else { throw problem }
      return nil
    }
  }

  /// Pixels of a document on the page of a deck.
  private static var pageWidth: Int { 500 }
}

extension StoredDocument {
  fileprivate func picture(width: Int) throws -> GalleryPicture {
    let drawing = try rendered(as: .png, width: width)
    return GalleryPicture(
      title: content.title, description: content.summary, png: drawing.bytes, broken: drawing.brokenElements.count)
  }
}
