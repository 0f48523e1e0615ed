// An index of plugins: a folder with `index.json`, its signature, and a listing of each plugin. Invariant: an index
// is used only if its signature is valid and it is neither older than one that was seen nor expired; a listing is
// used only if it has the hash in the signed file; no path leads out of the folder.

import Authentication
import Decks
import Files
import Problems
import Text
import Values

/// An index that was read.
///
///     {"format": 1, "name": "words", "number": 7, "date": "2026-11-23", "expires": "2027-11-23",
///      "plugins": {"verbs": "SHA-256 of verbs.json"}}
public struct PluginIndex: Sendable {
  /// The folder, as it was given.
  public let folder: String
  public let name: String
  /// Increases with each change.
  public let number: Int
  /// A day such as `2026-11-23`.
  public let date: String
  public let expires: String?
  /// The SHA-256 of each listing by the plugin's name.
  let listings: [String: String]
  /// The SHA-256 of `index.json`.
  let sha256: String

  static let fileName = "index.json"
  private static let limits = JSONLimits(bytes: 4 << 20, depth: 8, values: 100_000, string: 4096)
  private static let mostPlugins = 10_000

  /// The names of the plugins in it.
  public var plugins: [String] { listings.keys.sorted() }

  /// Reads the index of a folder, and checks the signature if a key is given.
  /// - Parameter key: the key that must have signed it; nil for the index that comes with the program.
  init(_ folder: String, key: MinisignKey?) throws {
    let source = try Self.bytes(Self.fileName, in: folder)
    if let key { try Self.check(source, in: folder, by: key) }
    try self.init(source, folder: folder)
  }

  private init(_ source: [UInt8], folder: String) throws(PluginIndexError) {
    let path = folder + "/" + Self.fileName
    func failure(_ reason: String) -> PluginIndexError { .badIndex(path: path, reason: reason) }
    let value: Value
    do throws(JSONFailure) { value = try JSONParser.parse(source, limits: Self.limits) } catch {
      throw failure(error.placedWords)
    }
    guard let format = value.record?["format"]?.integer else { throw failure("\"format\": 1 is expected") }
    if format != 1 { throw failure("it is of format \(format), and this program reads format 1; update Deckhand") }
    self.folder = folder
    let title = value.record?["name"]?.text ?? ""
    guard Manifest.isName(title) else {
      throw failure("\"name\": a name of lowercase letters, digits, _ and - is expected")
    }
    name = title
    guard let number = value.record?["number"]?.integer, number >= 1 else {
      throw failure("\"number\": a whole number from 1 is expected")
    }
    self.number = number
    func day(_ key: String) throws(PluginIndexError) -> String? {
      guard let value = value.record?[key] else { return nil }
      guard let date = value.text.flatMap({ CivilDate($0) }) else {
        throw failure("\"\(key)\": a date such as \"2026-11-23\" is expected")
      }
      return date.text
    }
    guard let date = try day("date") else { throw failure("\"date\": a date such as \"2026-11-23\" is expected") }
    self.date = date
    expires = try day("expires")
    listings = try Self.listings(value.record?["plugins"]?.record, failure)
    sha256 = hexadecimal(Text.sha256(source))
  }

  private static func listings(
    _ record: Value.Record?, _ failure: (String) -> PluginIndexError
  ) throws(PluginIndexError) -> [String: String] {
    guard let fields = record?.fields, fields.count <= mostPlugins else {
      throw failure("\"plugins\": an object of at most \(grouped(mostPlugins)) names and hashes is expected")
    }
    var listings: [String: String] = [:]
    for field in fields {
      guard Manifest.isName(field.name) else {
        throw failure("\"plugins\": \(quoted(field.name)) is not a plugin name")
      }
      do throws(PluginIndexError) {
        listings[field.name] = try ListingRules(plugin: field.name).hash(field.value, field.name)
      } catch {
        throw failure("\"plugins\": \(quoted(field.name)): 64 lowercase hexadecimal digits are expected")
      }
    }
    return listings
  }

  // MARK: Its signature, number and date

  private static func check(_ source: [UInt8], in folder: String, by key: MinisignKey) throws {
    guard let signature = try signature(in: folder) else { throw PluginIndexError.unsigned(path: folder) }
    if signature.keyID != key.id {
      throw PluginIndexError.otherKey(path: folder, knownID: key.id, givenID: signature.keyID)
    }
    guard signature.isMade(by: key, over: source) else { throw PluginIndexError.badSignature(path: folder) }
  }

  /// Returns the signature next to `index.json`; nil if there is none.
  static func signature(in folder: String) throws -> MinisignSignature? {
    let name = fileName + PluginPackage.signatureEnding
    guard fileExists(folder + "/" + name) else { return nil }
    guard let read = MinisignSignature(try bytes(name, in: folder, limit: 8192)) else {
      throw PluginIndexError.badSignature(path: folder)
    }
    return read
  }

  /// - Parameters:
  ///   - seen: the number and hash of the index that was last seen in this folder.
  ///   - now: seconds since 1970.
  func checkAge(seen: (number: Int, sha256: String)?, now: Double) throws(PluginIndexError) {
    if let seen {
      if number < seen.number { throw .older(path: folder, number: number, seen: seen.number) }
      if number == seen.number, sha256 != seen.sha256 { throw .changed(path: folder, number: number) }
    }
    let today = CivilDate(day: Int((now / 86_400).rounded(.down))).text
    if let expires, expires < today { throw .expired(path: folder, date: expires) }
  }

  // MARK: Its files

  /// Returns the listing of a plugin; nil if the plugin is not in the index.
  func listing(of plugin: String) throws -> PluginListing? {
    guard let hash = listings[plugin] else { return nil }
    let bytes = try Self.bytes(plugin + ".json", in: folder)
    guard hexadecimal(Text.sha256(bytes)) == hash else {
      throw PluginIndexError.changedListing(path: folder, plugin: plugin)
    }
    return try PluginListing(bytes, name: plugin)
  }

  /// Reads a file directly in the folder; a link that leads out of it is refused.
  private static func bytes(_ name: String, in folder: String, limit: Int = limits.bytes) throws -> [UInt8] {
    do {
      return try PluginFolder(plugin: lastPart(of: folder), path: folder).file(name, limit: limit)
    } catch let error as PluginFileError {
      switch error {
      case .missing: throw PluginIndexError.notAnIndex(path: folder, missing: name)
      case .outside: throw PluginIndexError.leadsOut(path: folder, file: name)
      default: throw error
      }
    }
  }

  /// Returns the package of a version, from the folder of the index.
  /// - Throws: `PluginIndexError` if it leads out of the folder, `PluginReleaseError` if it is missing or differs
  ///   from its listing.
  func package(
    of listing: PluginListing, _ release: PluginListing.Release, isInterrupted: @escaping () -> Bool
  ) throws -> PluginPackage {
    let path = folder + "/" + release.file
    guard fileExists(path) else {
      throw PluginReleaseError.notThere(
        plugin: listing.name, version: release.version.description, path: path, address: release.address,
        size: release.size)
    }
    let real = try PluginFolder(plugin: listing.name, path: folder).resolvedPath(of: release.file)
    guard let real else { throw PluginIndexError.leadsOut(path: folder, file: release.file) }
    let package =
      Folder.isFolder(real)
      ? try PluginPackage(folder: real, isInterrupted: isInterrupted)
      : try PluginPackage(file: real, isInterrupted: isInterrupted)
    func changed(_ reason: String) -> PluginReleaseError {
      .changed(plugin: listing.name, version: release.version.description, path: path, reason: reason)
    }
    let bytes = try package.packed(from: path)
    if bytes.count != release.size {
      throw changed("it has \(grouped(bytes.count)) bytes, not \(grouped(release.size))")
    }
    if hexadecimal(Text.sha256(bytes)) != release.sha256 { throw changed("its SHA-256 is different") }
    if package.name != listing.name { throw changed("it is the plugin \(package.name)") }
    if Version(package.manifest.version) != release.version {
      throw changed("it is version \(package.manifest.version)")
    }
    if package.manifest.permissions.map(\.description).sorted() != release.permissions {
      throw changed("it asks for other permissions")
    }
    return package
  }
}
