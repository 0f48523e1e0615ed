// Editor features for the sources of `build`: finds the folder of each document, and reads the document as a source.
// Invariant: a document that is not a source of a folder is left alone; messages are those of `build`.

import Decks
import Exchange
import Files
import LanguageServer
import Templates
import Text
import Workspace

/// The features of source files, for the language server of an editor.
final class SourceFeatures: LanguageFeatures {
  /// A document that is a source, or the description file, of a folder.
  struct Source {
    let folder: SourceFolder
    /// The path within the folder.
    let name: String

    var reading: SourceReading? { folder.source(name) }
  }

  let name = "deckhand"
  let completionTriggers = [" ", ":", "\"", ",", ";", "{"]
  let watchedFiles = ["**/*.{md,csv,tsv,jsonl}", "**/" + BuildDescription.fileName]

  let session: Session
  private let workspace: Workspace
  private var encoding = PositionEncoding.utf16
  private var folders: [String: SourceFolder] = [:]
  /// The open documents, each with its source; nil when it belongs to no folder.
  private var documents: [String: (document: TextDocument, source: Source?)] = [:]
  private var published: [String: [Diagnostic]] = [:]

  /// - Throws: the error of a required sign-in.
  init(_ session: Session) throws {
    self.session = session
    workspace = try session.workspace()
  }

  func begin(_ encoding: PositionEncoding) { self.encoding = encoding }

  func update(_ document: TextDocument) throws {
    let source = try documents[document.uri]?.source ?? self.source(of: document.uri)
    documents[document.uri] = (document, source)
    if let source { try source.folder.edit(source.name, to: document.bytes) }
  }

  func close(_ uri: String) throws {
    if let source = documents.removeValue(forKey: uri)?.source { try source.folder.close(source.name) }
  }

  func refresh() throws {
    for folder in folders.values { try folder.refresh() }
    // Meanwhile the folder may have gained a description file, or been built.
    for (document, source) in documents.values where source == nil { try update(document) }
  }

  /// The source of an open document; nil when it belongs to no folder.
  func source(_ document: TextDocument) -> Source? { documents[document.uri]?.source }

  private func source(of uri: String) throws -> Source? {
    guard let path = FileURI.path(of: uri), let root = try folder(of: path) else { return nil }
    let name = String(path.dropFirst(root == "/" ? 1 : root.count + 1))
    guard SourceFolder.isSourceName(name) else { return nil }
    if let known = folders[root] { return Source(folder: known, name: name) }
    let folder = SourceFolder(root, in: workspace)
    try folder.refresh()
    folders[root] = folder
    return Source(folder: folder, name: name)
  }

  /// The `build` folder that contains a file: the nearest with a description file, else the nearest that was built.
  private func folder(of path: String) throws -> String? {
    let all = Array(sequence(first: path) { $0 == "/" ? nil : parentFolder(of: $0) }.dropFirst())
    if let described = all.first(where: { fileExists(($0 == "/" ? "" : $0) + "/" + BuildDescription.fileName) }) {
      return described
    }
    return try all.first { try workspace.exchange.isBuilt($0) }
  }

  private static func uri(of name: String, in folder: String) -> String {
    FileURI.uri(of: (folder == "/" ? "" : folder) + "/" + name)
  }

  func changedDiagnostics() throws -> [DocumentDiagnostics] {
    var changed: [DocumentDiagnostics] = []
    for (path, folder) in folders.sorted(by: { $0.key < $1.key }) {
      for name in try folder.takeChangedFiles() {
        let uri = Self.uri(of: name, in: path)
        let open = documents.values.first { $0.source?.folder === folder && $0.source?.name == name }?.document
        let problems = try folder.problems(of: name)
        let document = open ?? text(of: name, in: folder, uri, isNeeded: !problems.isEmpty)
        let lines = SourceText(problems.isEmpty ? [] : document.bytes)
        let list = problems.map { Diagnostic(document.range(of: $0, in: lines), code: $0.code, $0.message) }
        let before = published[open?.uri ?? uri]
        // An edited document always gets an answer; a file only when its diagnostics changed.
        if open == nil, list == before ?? [] { continue }
        published[open?.uri ?? uri] = list
        changed.append(DocumentDiagnostics(open?.uri ?? uri, version: open?.version, list))
      }
    }
    return changed
  }

  /// The text of a file that is not open in the editor.
  private func text(of name: String, in folder: SourceFolder, _ uri: String, isNeeded: Bool) -> TextDocument {
    let bytes = isNeeded ? folder.text(of: name) : []
    return TextDocument(uri, version: 0, text: bytes, encoding: encoding)
  }

  func actions(_ document: TextDocument, in range: Range<Int>) throws -> [CodeAction] {
    guard let source = source(document), let reading = source.reading else { return [] }
    let lacking = reading.entries.indices.filter { reading.canHaveID($0) || reading.needsColumn }
    if lacking.isEmpty { return [] }
    func action(_ title: String, _ indices: [Int]) -> CodeAction {
      CodeAction(title, kind: "refactor.rewrite") {
        let ids = try source.folder.newIDs(of: indices, reading)
        return try reading.edits(writing: ids).map { TextEdit(document.range(of: $0.range), $0.text) }
      }
    }
    var actions: [CodeAction] = []
    if let first = reading.entry(at: range.lowerBound), !reading.needsColumn, reading.canHaveID(first) {
      actions.append(action("Write an id for this card", [first]))
    }
    let cards = session.counted(lacking.count, "card")
    actions.append(action("Write ids for the \(cards) of this file without one", lacking))
    return actions
  }

  /// The most names that are offered at once; typing on narrows them down.
  private static let mostOffered = 1000

  func completions(_ document: TextDocument, at offset: Int) throws -> [CompletionItem] {
    guard let source = source(document) else { return [] }
    let context =
      source.name == BuildDescription.fileName
      ? SourceContext.ofDescription(document.bytes, at: offset)
      : source.reading.flatMap { SourceContext.of($0, at: offset) }
    guard let context else { return [] }
    let begun = String(decoding: document.bytes[context.range], as: UTF8.self).lowercased()
    let range = document.range(of: context.range)
    return try names(for: context.slot, source.folder).filter { $0.name.lowercased().hasPrefix(begun) }
      .prefix(Self.mostOffered).map { name, kind, detail in
        CompletionItem(name.trimmed, kind, detail: detail, TextEdit(range, context.before + name + context.after))
      }
  }

  private typealias Name = (name: String, kind: CompletionItem.Kind, detail: String)

  private func names(for slot: SourceSlot, _ folder: SourceFolder) throws -> [Name] {
    switch slot {
    case .tag: try folder.tags().map { ($0, .text, "tag") }
    case .deck: try folder.decks().map { ($0, .folder, "deck") }
    case .noteType: try types(folder).map { ($0.name, .type, "note type") }
    case .field(let type):
      try types(folder).first { $0.name.lowercased() == type.trimmed.lowercased() }?.fields
        .map { ($0, .field, "field of \(type)") } ?? []
    case .words(let words): words.map { ($0, .property, "") }
    case .option: DeckOptions.Name.allCases.map { ($0.rawValue, .property, "option") }
    }
  }

  /// The existing note types, and the stock types that a build creates when a source names them.
  private func types(_ folder: SourceFolder) throws -> [NoteTypeDraft] {
    let known = try folder.noteTypes().map(\.draft)
    let names = Set(known.map { $0.name.lowercased() })
    return known + StockNoteType.allCases.map(\.draft).filter { !names.contains($0.name.lowercased()) }
  }
}

extension TextDocument {
  /// The range from the problem's position to the end of its line.
  fileprivate func range(of problem: SourceProblem, in text: SourceText) -> TextRange {
    let place = text.offset(line: problem.line, column: problem.column ?? 1)
    let line = content(ofLine: line(at: place))
    let start = place < line.upperBound ? place : line.lowerBound
    return range(of: start..<line.upperBound)
  }
}
