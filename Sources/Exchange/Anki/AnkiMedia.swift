// Imports the media of a package into an account: the files that notes and note types name, each once.
// Invariant: if the account has a file of the same name with other content, the imported file gets a new name, and
// the texts that name it are rewritten.

import Decks
import Templates
import Text

/// Adds a file to the account and returns the name that it got there.
public typealias MediaReceiver = (_ content: [UInt8], _ name: String) throws -> String

/// The media of a package, each imported when a text first names it.
final class PackageMedia {
  private let package: PackageFile
  private let receive: MediaReceiver
  /// The new names of the files that were requested so far; nil where the package has no such file.
  private var names: [String: String?] = [:]
  /// Called before each file is imported.
  var flush: () throws -> Void = {}

  init(_ package: PackageFile, _ receive: @escaping MediaReceiver) {
    (self.package, self.receive) = (package, receive)
  }

  /// Returns the name that a file gets in the account; nil when the package has no file of that name.
  private func name(of given: String) throws -> String? {
    if let known = names[given] { return known }
    guard let file = package.media[given] else {
      names[given] = .some(nil)
      return nil
    }
    try flush()
    let name = try receive(package.content(of: file), PackageMedia.allowed(given))
    names[given] = name
    return name
  }

  /// Imports the files that no text names but that templates may use in ways that cannot be detected.
  func receiveHidden() throws {
    for given in package.media.keys.sorted() where given.hasPrefix("_") || given.hasPrefix("latex-") {
      _ = try name(of: given)
    }
  }

  /// Returns a field with its file names replaced by those in the account.
  func renaming(in html: String) throws -> String {
    if package.media.isEmpty || !html.utf8.contains(where: { "<[".utf8.contains($0) }) { return html }
    var html = html
    let files = package.media
    for given in MediaNames.inHTML(html, isThere: { files[$0] != nil }).sorted() {
      guard let name = try name(of: given), name != given else { continue }
      html = MediaNames.renaming(given, to: name, in: html)
    }
    return html
  }

  /// Returns a template or a style sheet with its file names replaced by those in the account.
  func renaming(inTemplate text: String) throws -> String {
    var text = text
    let files = package.media
    let named = MediaNames.inHTML(text, isThere: { files[$0] != nil })
    let hidden = files.keys.filter { $0.hasPrefix("_") && text.contains(text: $0) }
    for given in named.union(hidden).sorted() {
      guard let name = try name(of: given), name != given else { continue }
      text = MediaNames.renaming(given, to: name, inTemplate: text)
    }
    return text
  }

  /// Returns a valid name: forbidden characters become underscores, and a name that is too long loses the characters
  /// before its extension.
  private static func allowed(_ given: String) -> String {
    let name = String(
      String.UnicodeScalarView(given.unicodeScalars.map { ":*?\"<>|[]".unicodeScalars.contains($0) ? "_" : $0 })
    )
    return MediaNames.usable(name)
  }
}
