// File URIs, as editors use them: `file:///es/el%20gato.md` (RFC 8089, RFC 3986).
// Invariant: converting a path to a URI and back gives the same path.

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
    return String(validating: decoded(Array(rest[slash...])), as: UTF8.self)
  }

  private static func decoded(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, bytes[index + 1] != UInt8(ascii: "+"),
        let byte = UInt8(String(decoding: bytes[index + 1...index + 2], as: UTF8.self), radix: 16)
      {
        result.append(byte)
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result
  }

  /// Returns the URI of a path.
  public static func uri(of path: String) -> String {
    var uri = scheme
    for byte in path.utf8 {
      let scalar = Unicode.Scalar(byte)
      if scalar.properties.isAlphabetic && byte < 0x80 || (0x30...0x39).contains(byte) || "-._~/".utf8.contains(byte) {
        uri.unicodeScalars.append(scalar)
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        uri += "%" + (digits.count == 1 ? "0" : "") + digits
      }
    }
    return uri
  }
}
