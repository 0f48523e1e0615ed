// The media files of a package or a folder, imported as notes and templates name them.
// Invariant: each file is imported once; texts name it as the account does.

import Files
import Templates
import Text

/// Adds a file to the account and returns the name that it got there.
public typealias MediaReceiver = (_ content: [UInt8], _ name: String) throws -> String

final class PackageMedia {
  private let package: PackageFile
  private let receive: MediaReceiver
  /// The new names of the files that were requested so far; nil where the package has no such file.
  private var names: [String: String?] = [:]
  /// The files that notes, or the list of a deck, name and that are not in the folder.
  private(set) var missing: Set<String> = []
  var flush: () throws -> Void = {}

  init(_ package: PackageFile, _ receive: @escaping MediaReceiver) {
    (self.package, self.receive) = (package, receive)
  }

  /// How many files a CrowdAnki deck has that it neither lists nor names.
  var unusedCount: Int { package.listed == nil ? 0 : package.media.keys.count { names[$0] == nil } }

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

  /// Imports the files that no text names: those that a CrowdAnki deck lists, and those that templates may use in ways
  /// that cannot be detected.
  func receiveHidden() throws {
    let hidden = package.media.keys.filter { $0.hasPrefix("_") || $0.hasPrefix("latex-") }
    for given in (package.listed ?? []).union(hidden).sorted() {
      if try name(of: given) == nil { missing.insert(given) }
    }
  }

  /// Returns a field with its file names replaced by those in the account.
  func renaming(in html: String) throws -> String {
    let hasNone = package.media.isEmpty && !package.isFolder
    if hasNone || !html.utf8.contains(where: { "<[".utf8.contains($0) }) { return html }
    var html = html
    let files = package.media
    for given in MediaNames.inHTML(html, isThere: { files[$0] != nil }).sorted() {
      let name = try name(of: given)
      if name == nil, package.isFolder { missing.insert(given) }
      guard let name, name != given else { continue }
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
    let isAllowed = { (scalar: Unicode.Scalar) in
      scalar.properties.generalCategory != .control && !":*?\"<>|[]\\".unicodeScalars.contains(scalar)
    }
    let name = String(String.UnicodeScalarView(given.unicodeScalars.map { isAllowed($0) ? $0 : "_" }))
    return MediaNames.usable(name)
  }
}
