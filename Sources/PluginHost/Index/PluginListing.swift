// The listing of one plugin in an index: `NAME.json`. Invariant: a listing that was read has only names, paths,
// versions and hashes that are safe to use, and texts that are printable; an author's plugin and an index's listings
// are checked by the same rules.

import Archives
public import Authentication
import Bindings
import Problems
import Text
import Values

/// A plugin in an index.
///
///     {"name": "verbs", "summary": "...", "author": "M. Ray", "key": "RW...", "versions": [{"version": "1.0.0", ...}]}
public struct PluginListing: Sendable {
  /// One version of the plugin.
  public struct Release: Sendable {
    public let version: Version
    /// The path of its package, or of its folder, below the index's folder.
    public let file: String
    /// The address from which the package can be downloaded if it is not in the folder.
    public let address: String?
    /// The hash of the package, 64 hexadecimal digits, and its size in bytes.
    public let sha256: String
    public let size: Int
    public let api: Int
    /// The permissions as the manifest writes them, sorted.
    public let permissions: [String]
    public let needs: Needs
    public let licence: String
    /// Why its author yanked it; nil for a usable version.
    public let yanked: String?
  }

  public let name: String
  public let summary: String
  public let author: String?
  /// The key that signs its packages; nil if only the index vouches for them.
  public let key: MinisignKey?
  /// The highest version first.
  public let releases: [Release]

  static let limits = JSONLimits(bytes: 256 << 10, depth: 16, values: 20_000, string: 64 << 10)
  /// The maximum number of versions of one plugin.
  private static let mostReleases = 1_000

  /// Reads the text of `NAME.json`.
  /// - Throws: `PluginIndexError.badListing`, with what is wrong, and where.
  init(_ bytes: [UInt8], name: String) throws(PluginIndexError) {
    let rules = ListingRules(plugin: name)
    let value: Value
    do throws(JSONFailure) { value = try JSONParser.parse(bytes, limits: Self.limits) } catch {
      throw rules.failure(error.placedWords)
    }
    guard let record = value.record else { throw rules.failure("an object is expected") }
    guard record["name"]?.text == name else {
      throw rules.failure("\"name\": \(quoted(name)), the name of its file, is expected")
    }
    self.name = name
    summary = try rules.text(record["summary"], "summary", limit: 300)
    author = try record["author"].map { (value) throws(PluginIndexError) in
      try rules.text(value, "author", limit: 80)
    }
    key = try record["key"].map { (value) throws(PluginIndexError) in try rules.key(value) }
    guard let versions = record["versions"]?.list, !versions.isEmpty, versions.count <= Self.mostReleases else {
      throw rules.failure("\"versions\": a list of 1 to \(grouped(Self.mostReleases)) versions is expected")
    }
    var releases: [Release] = []
    for (place, version) in versions.enumerated() {
      releases.append(try Release(version, ListingRules(plugin: name, place: "/versions/\(place)")))
    }
    releases.sort { $0.version > $1.version }
    for (high, low) in zip(releases, releases.dropFirst()) where high.version == low.version {
      throw rules.failure("version \(high.version) is in it twice")
    }
    self.releases = releases
  }
}

extension PluginListing.Release {
  fileprivate init(_ value: Value, _ rules: ListingRules) throws(PluginIndexError) {
    guard let record = value.record else { throw rules.failure("an object is expected") }
    guard let text = record["version"]?.text, let version = Version(text) else {
      throw rules.failure("\"version\": a version such as \"1.0.0\" is expected")
    }
    self.version = version
    file = try rules.path(record["file"])
    address = try record["url"].map { (value) throws(PluginIndexError) in try rules.address(value) }
    sha256 = try rules.hash(record["sha256"], "sha256")
    guard let size = record["size"]?.integer, (1...PluginPackage.limits.unpacked).contains(size) else {
      throw rules.failure("\"size\": bytes from 1 to \(grouped(PluginPackage.limits.unpacked)) are expected")
    }
    self.size = size
    licence = try rules.text(record["licence"], "licence", limit: 80)
    yanked = try record["yanked"].map { (value) throws(PluginIndexError) in
      try rules.text(value, "yanked", limit: 300)
    }
    let reader = ManifestReader(object: record, folder: rules.plugin)
    do throws(PluginError) {
      api = try reader.api()
      // The permissions of a newer interface are unknown here, and none of them is accepted.
      let isNewer = api > apiVersion
      permissions = isNewer ? [] : try reader.permissions().map(\.description).sorted()
      needs = isNewer ? Needs() : try reader.needs()
    } catch {
      guard case .badManifest(_, let reason) = error else { throw rules.failure(error.message) }
      throw rules.failure(reason)
    }
  }
}

/// The rules for the parts of a listing.
struct ListingRules {
  let plugin: String
  var place = ""

  func failure(_ reason: String) -> PluginIndexError {
    .badListing(plugin: plugin, reason: place.isEmpty ? reason : "\(place): \(reason)")
  }

  /// Reads a printable text of one line, which is shown unchanged.
  func text(_ value: Value?, _ key: String, limit: Int) throws(PluginIndexError) -> String {
    guard let text = value?.text, !text.trimmed.isEmpty, printable(text, limit: limit) == text else {
      throw failure("\"\(key)\": a printable text of at most \(limit) characters is expected")
    }
    return text
  }

  func key(_ value: Value) throws(PluginIndexError) -> MinisignKey {
    guard let key = value.text.flatMap(MinisignKey.init) else {
      throw failure("\"key\": a minisign public key is expected")
    }
    return key
  }

  func hash(_ value: Value?, _ key: String) throws(PluginIndexError) -> String {
    let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }
    guard let text = value?.text, text.utf8.count == 64, text.utf8.allSatisfy(isDigit) else {
      throw failure("\"\(key)\": 64 lowercase hexadecimal digits are expected")
    }
    return text
  }

  /// Reads a path of plain names below the index's folder.
  func path(_ value: Value?) throws(PluginIndexError) -> String {
    let parts = (value?.text ?? "").split(separator: "/", omittingEmptySubsequences: false)
    let arePlain = parts.allSatisfy { part in
      !part.isEmpty && !part.hasPrefix(".") && printable(String(part)) == part && !part.contains("\\")
    }
    guard let text = value?.text, arePlain, parts.count <= 8, text.utf8.count <= 400 else {
      throw failure("\"file\": a path of plain names below the index's folder is expected")
    }
    return text
  }

  func address(_ value: Value) throws(PluginIndexError) -> String {
    guard let text = value.text, text.hasPrefix("https://") || text.hasPrefix("http://"),
      text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }), text.utf8.count <= 1_000
    else { throw failure("\"url\": an address such as https://example.org/verbs-1.0.0.tar.gz is expected") }
    return text
  }
}
