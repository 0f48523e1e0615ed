// What a language server needs to know about a language.
// Invariant: offsets are bytes in the given document; positions in results use their document's encoding.

/// The features for documents of a language. The server stores the documents, and passes each in its current state.
public protocol LanguageFeatures: AnyObject {
  /// The source that diagnostics name.
  var name: String { get }
  /// Characters after which an editor requests completions.
  var completionTriggers: [String] { get }
  /// Glob patterns of the files that an editor should watch.
  var watchedFiles: [String] { get }

  /// Sets the unit of the columns in all documents.
  func begin(_ encoding: PositionEncoding)
  /// Called when a document was opened or edited.
  func update(_ document: TextDocument) throws
  /// Called when a document was closed: from then on its file on disk is used.
  func close(_ uri: String) throws
  /// Called when files may have changed.
  func refresh() throws
  /// Returns the diagnostics of the documents whose diagnostics changed since the last call.
  func changedDiagnostics() throws -> [DocumentDiagnostics]

  func completions(_ document: TextDocument, at offset: Int) throws -> [CompletionItem]
  func actions(_ document: TextDocument, in range: Range<Int>) throws -> [CodeAction]
}
