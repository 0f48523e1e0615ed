// The address of a sync server, as the user types it or as a redirect gives it.
// Invariant: it is http or https, names a host, ends in `/`, and is not a server whose terms forbid other programs; no
// part of it can contain a user name, a password or a line end.

import Text

/// Why a text is not a valid address of a sync server.
public enum SyncAddressFault: Error, Equatable, Sendable {
  /// `expected` completes "... expected".
  case malformed(expected: String)
  /// An AnkiWeb server, whose terms allow only Anki's own programs.
  case ankiWeb(host: String)
  /// A redirect to another host, port or scheme.
  case elsewhere(address: String)
}

/// The address of a server.
///
///     let address = try SyncAddress("http://192.168.1.5:8080")
///     print(address.text)        // http://192.168.1.5:8080/
///     print(address.isExposed)   // false: the host is of the local network
public struct SyncAddress: Equatable, Sendable {
  /// With a final `/`.
  public let text: String
  /// Lower case, without a port.
  public let host: String
  /// Scheme, host and port: `https://sync.example.org:443`.
  public let origin: String
  public let isEncrypted: Bool
  private static let longest = 1000

  /// - Throws: `SyncAddressFault`.
  public init(_ given: String) throws(SyncAddressFault) {
    guard given.utf8.count <= SyncAddress.longest else {
      throw .malformed(expected: "at most \(grouped(SyncAddress.longest)) bytes")
    }
    guard given.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }) else {
      throw .malformed(expected: "an address without spaces or non-ASCII characters")
    }
    let (scheme, rest) = SyncAddress.splitOnce(given, at: "://")
    guard let rest, ["http", "https"].contains(scheme.lowercased()) else {
      throw .malformed(expected: "http://HOST or https://HOST")
    }
    isEncrypted = scheme.lowercased() == "https"
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    let authority = String(rest[..<slash])
    var path = String(rest[slash...])
    if authority.contains("@") { throw .malformed(expected: "an address without a name or a password in it") }
    if (authority + path).contains(where: { "?#".contains($0) }) {
      throw .malformed(expected: "an address without ? or #")
    }
    let port: UInt16?
    (host, port) = try SyncAddress.host(of: authority)
    if host == "ankiweb.net" || host.hasSuffix(".ankiweb.net") { throw .ankiWeb(host: host) }
    if !path.hasSuffix("/") { path += "/" }
    text = scheme.lowercased() + "://" + authority.lowercased() + path
    origin = "\(scheme.lowercased())://\(host):\(port ?? (isEncrypted ? 443 : 80))"
  }

  private static func splitOnce(_ text: String, at mark: String) -> (String, String?) {
    let parts = text.split(at: mark, maxSplits: 1)
    return (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
  }

  private static func host(of authority: String) throws(SyncAddressFault) -> (String, port: UInt16?) {
    var name = authority.lowercased()
    var port: Substring?
    if name.hasPrefix("["), let end = name.firstIndex(of: "]") {
      let rest = name[name.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { throw .malformed(expected: "[HOST] or [HOST]:PORT") }
      port = rest.isEmpty ? nil : rest.dropFirst()
      name = String(name[name.index(after: name.startIndex)..<end])
      guard name.contains(":"), name.allSatisfy({ $0.isHexDigit || ":.".contains($0) }) else {
        throw .malformed(expected: "an IPv6 address in the brackets")
      }
    } else {
      let (before, after) = splitOnce(name, at: ":")
      (name, port) = (before, after.map { $0[...] })
      while name.hasSuffix(".") { name.removeLast() }
      guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || "-._".contains($0) }) else {
        throw .malformed(expected: "a host name")
      }
    }
    guard let port else { return (name, nil) }
    guard let number = UInt16(port), number > 0 else { throw .malformed(expected: "a port from 1 to 65535") }
    return (name, number)
  }

  /// Whether what is sent could be read in transit: it is not encrypted, and the host is not in the local network.
  public var isExposed: Bool { !isEncrypted && !isLocal }

  /// Whether the host is this machine or in the local network, judged by its name or address.
  public var isLocal: Bool {
    if host.contains(":") {
      // fc00::/7 and fe80::/10.
      let first = UInt16(host.prefix { $0 != ":" }, radix: 16) ?? 0
      return host == "::1" || first & 0xFE00 == 0xFC00 || first & 0xFFC0 == 0xFE80
    }
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    if numbers.count == 4, let first = numbers[0], let second = numbers[1], numbers[2] != nil, numbers[3] != nil {
      return first == 127 || first == 10 || (first == 192 && second == 168) || (first == 172 && (16...31) ~= second)
        || (first == 169 && second == 254)
    }
    return !host.contains(".") || [".local", ".localhost", ".lan", ".home.arpa"].contains(where: host.hasSuffix)
  }

  /// Returns the address that a redirect of a call leads to. The redirect may name the new location of the server, or
  /// of the call. Each call carries the password or the key, which only the host that the user named may receive.
  /// - Parameters:
  ///   - location: an absolute URL.
  ///   - call: `sync/meta`.
  /// - Throws: `SyncAddressFault`, including for a different scheme, host or port.
  public func moved(to location: String, of call: String) throws(SyncAddressFault) -> SyncAddress {
    let base = location.hasSuffix("/" + call) ? String(location.dropLast(call.utf8.count)) : location
    let address = try SyncAddress(base)
    if address.origin != origin { throw .elsewhere(address: address.text) }
    return address
  }
}
