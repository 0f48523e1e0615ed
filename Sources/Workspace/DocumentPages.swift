// Card documents as a web page. Invariant: writing a page changes nothing but its file.

import CardDocuments
public import Exchange
public import Files

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
      let document = try documents[place].document()
      let drawing = try document.rendered(as: .png, width: width)
      return GalleryPicture(
        title: document.content.title, description: document.content.summary, png: drawing.bytes,
        broken: drawing.brokenElements.count)
    }
    return try gallery.write(to: path, kinds, isInterrupted: environment.isInterrupted) { done in
      if environment.isInterrupted() { throw WorkspaceError.interrupted }
      try progress(done)
    }
  }
}
