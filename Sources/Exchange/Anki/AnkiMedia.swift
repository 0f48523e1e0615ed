// The media of a package on their way into an account: those that notes name, each once.
// Invariant: a file whose name another content has here comes in under a name of its own, and what names it is
// rewritten.

import Decks
import Templates
import Text

/// Takes a file into the account and gives the name that it has there.
public typealias MediaReceiver = (_ content: [UInt8], _ name: String) throws -> String

/// Media that are taken in when they are first named.
final class PackageMedia {
  private let package: PackageFile
  private let receive: MediaReceiver
  /// What became of the names that were asked for; nil where the package has no such file.
  private var names: [String: String?] = [:]
  /// Called before a file is taken in.
  var flush: () throws -> Void = {}

  init(_ package: PackageFile, _ receive: @escaping MediaReceiver) {
    (self.package, self.receive) = (package, receive)
  }

  /// The name that a file has here; nil when the package has none of that name.
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

  /// Files that no text names, and that templates use in ways that cannot be seen.
  func receiveHidden() throws {
    for given in package.media.keys.sorted() where given.hasPrefix("_") || given.hasPrefix("latex-") {
      _ = try name(of: given)
    }
  }

  /// A field with the names that its files have here.
  func renaming(in html: String) throws -> String {
    if package.media.isEmpty || !html.utf8.contains(where: { "<[".utf8.contains($0) }) { return html }
    var html = html
    for given in MediaNames.inHTML(html).sorted() {
      guard let name = try name(of: given), name != given else { continue }
      html = MediaNames.renaming(given, to: name, in: html)
    }
    return html
  }

  /// A name that a file can have here: what it may not hold becomes a line, what is too long loses its middle.
  private static func allowed(_ given: String) -> String {
    var name = String(
      String.UnicodeScalarView(given.unicodeScalars.map { ":*?\"<>|[]".unicodeScalars.contains($0) ? "_" : $0 })
    )
    .trimmed
    while name.utf8.count > 110, let dot = name.lastIndex(of: "."), dot > name.startIndex {
      name.remove(at: name.index(before: dot))
    }
    while name.utf8.count > 110 { name.removeLast() }
    return name
  }
}
