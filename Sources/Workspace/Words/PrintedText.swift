// The pages of a PDF, read by poppler's pdftotext. Invariant: pdftotext reads only that file and writes only its output
// (deckhand-draw sees to it), into a temporary folder that is removed; its time and the size of its output are bounded.

import Exchange
import Files

extension MediaOperations {
  /// Returns the pages of a file whose name ends in .pdf, as `TextFile` reads them; nil for another file or a pipe.
  /// - Throws: `TextFileError`, `FileError`, `WorkspaceError.interrupted`.
  func pages(of path: String) throws -> [UInt8]? {
    let environment = workspace.environment
    guard TextFormat(path: path) == .pdf, try FileFacts.at(path)?.kind == .file else { return nil }
    let scratch = try Scratch(.package, in: environment.folders.temporary)
    let (source, output) = (realPath(path) ?? path, scratch.path("pages"))
    let words = ["-enc", "UTF-8", "-bbox-layout", source, output]
    guard let program = executable("pdftotext"),
      let end = try runProgram(
        [environment.folders.drawingProgram, "convert", source, scratch.folder, program] + words,
        seconds: 60, environment)
    else { throw TextFileError.missing(path: path, needed: "pdftotext", package: "poppler-utils") }
    guard end.isDone == true else {
      throw TextFileError.damaged(path: path, reason: "pdftotext cannot read it: \(end.reason ?? "it was stopped")")
    }
    return try FileText.bytes(output, limit: 64 << 20, isInterrupted: environment.isInterrupted)
  }
}
