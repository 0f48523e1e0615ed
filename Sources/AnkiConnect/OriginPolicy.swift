// Which web pages may send requests: only those from this machine, from browser extensions, and from origins that the
// user allowed.
// Invariant: an origin is compared as a whole, never by a prefix.

import Text

/// The origins that need no permission, and those that the user allowed.
///
///     OriginPolicy(allowed: ["app://obsidian.md"]).allows("app://obsidian.md")   // true
public struct OriginPolicy: Equatable, Sendable {
  /// The origins that the user allowed.
  public var allowed: Set<String>

  public init(allowed: some Sequence<String>) { self.allowed = Set(allowed) }

  private static let extensions = ["chrome-extension", "moz-extension", "safari-web-extension"]
  private static let longest = 300

  /// - Parameter origin: nil for a client that is not a browser.
  public func allows(_ origin: String?) -> Bool {
    guard let origin else { return true }
    guard Self.canBeAllowed(origin) else { return false }
    if allowed.contains(origin) { return true }
    let (scheme, rest) = Self.parts(origin)
    if Self.extensions.contains(scheme) { return !rest.isEmpty }
    return ["http", "https"].contains(scheme) && Self.isThisMachine(rest)
  }

  /// Whether it is a valid origin at all; a page without one sends `null`.
  public static func canBeAllowed(_ origin: String) -> Bool {
    let (scheme, rest) = parts(origin)
    return !scheme.isEmpty && !rest.isEmpty && origin.utf8.count <= longest
      && origin.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: ",") }
  }

  private static func parts(_ origin: String) -> (scheme: String, rest: String) {
    let parts = origin.split(at: "://", maxSplits: 1)
    return parts.count == 2 ? (String(parts[0]), String(parts[1])) : ("", "")
  }

  private static func isThisMachine(_ host: String) -> Bool {
    ["localhost", "127.0.0.1", "[::1]"].contains { name in
      guard host.hasPrefix(name) else { return false }
      let port = host.dropFirst(name.count)
      return port.isEmpty || (port.hasPrefix(":") && UInt16(port.dropFirst()) != nil)
    }
  }
}
