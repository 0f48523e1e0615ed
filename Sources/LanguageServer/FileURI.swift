// File URIs, as editors use them: `file:///es/el%20gato.md` (RFC 8089, RFC 3986).
// Invariant: converting a path to a URI and back gives the same path.

import Text

/// Converts between file URIs and paths.
///
///     FileURI.path(of: "file:///es/el%20gato.md")   // "/es/el gato.md"
public enum FileURI {
  private static let scheme = "file://"

  /// Returns the path of a URI; nil if it is not a file on this machine.
  public static func path(of uri: String) -> String? {
    guard uri.hasPrefix(scheme) else { return nil }
    let rest = uri.utf8.dropFirst(scheme.utf8.count)
    guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return nil }
    let host = String(decoding: rest[..<slash], as: UTF8.self)
    guard host.isEmpty || host.lowercased() == "localhost" else { return nil }
    return String(validating: percentDecoded(rest[slash...]), as: UTF8.self)
  }

  public static func uri(of path: String) -> String { scheme + percentEncoded(path: path) }
}
