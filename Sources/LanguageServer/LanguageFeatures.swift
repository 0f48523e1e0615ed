// What a language server needs to know of a language.
// Invariant: offsets are bytes of the document that is given; what is answered has places in its document's encoding.

/// What is known of documents of a language. The server keeps the documents, and hands out each as it is now.
public protocol LanguageFeatures: AnyObject {
  /// What diagnostics are said to be from.
  var name: String { get }
  /// Characters after which an editor asks for completions.
  var completionTriggers: [String] { get }
  /// Patterns of the files that an editor is to watch.
  var watchedFiles: [String] { get }

  /// What the places of all documents count.
  func begin(_ encoding: PositionEncoding)
  /// A document was opened or edited.
  func update(_ document: TextDocument) throws
  /// A document was closed: its file counts again.
  func close(_ uri: String) throws
  /// Files may have changed.
  func refresh() throws
  /// The diagnostics of documents that have others than at the last call.
  func changedDiagnostics() throws -> [DocumentDiagnostics]

  func hover(_ document: TextDocument, at offset: Int) throws -> Hover?
  func completions(_ document: TextDocument, at offset: Int) throws -> [CompletionItem]
  func definitions(_ document: TextDocument, at offset: Int) throws -> [Location]
  func actions(_ document: TextDocument, in range: Range<Int>) throws -> [CodeAction]
}
