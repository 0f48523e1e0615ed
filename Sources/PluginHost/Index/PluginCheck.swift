// What an index would refuse in a plugin, reported to its author before anyone else sees it. Invariant: no code of
// the plugin runs here; each fault is one for which reading a listing, packing or installing would be refused, in the
// same words.

import Authentication
import Bindings
import Commands
import Files
import Problems
import Text
public import Values

/// A plugin's folder, checked as an index would check it.
///
///     PluginCheck(folder: "verbs", host).faults   // ["plugin.json: \"licence\": ... is expected"]
public struct PluginCheck {
  /// Nil if the folder cannot be packed at all.
  public let package: PluginPackage?
  /// What an index would refuse.
  public private(set) var faults: [String] = []
  /// The bytes of its package; empty if there is none.
  public let bytes: [UInt8]

  public init(folder: String, _ host: PluginHost) throws {
    var (read, packed, refusal): (PluginPackage?, [UInt8], String?) = (nil, [], nil)
    do {
      let package = try PluginPackage(folder: folder, isInterrupted: host.environment.isInterrupted)
      packed = try package.packed(as: package.path)
      read = package
    } catch let problem as any Problem {
      guard problem.report.code != .interrupted else { throw problem }
      refusal = problem.message
    }
    (package, bytes) = (read, packed)
    if let refusal { faults.append(refusal) }
    if let read { try lookAt(read, host) }
  }

  private mutating func lookAt(_ package: PluginPackage, _ host: PluginHost) throws(FileError) {
    let manifest = package.manifest
    if !manifest.hasVersion {
      faults.append("plugin.json: \"version\": a version such as \"1.0.0\" is expected, it is missing")
    }
    if manifest.summary.isEmpty { faults.append("plugin.json: \"summary\": a text is expected, it is missing") }
    if manifest.author?.isEmpty != false { faults.append("plugin.json: \"author\": a text is expected, it is missing") }
    if manifest.licence?.isEmpty != false {
      faults.append("plugin.json: \"licence\": a text such as \"MIT\" is expected, it is missing")
    }
    if !package.hasTests { faults.append("test.lua is missing, so nothing would be tested when it is installed") }
    if let bundled = host.plugins.first(where: { $0.name == package.name && $0.isBundled }),
      try PluginFolder(plugin: package.name, path: parentFolder(of: bundled.folder)).resolvedPath(of: package.name)
        != package.path
    {
      faults.append(PluginPackageError.bundled(plugin: package.name).message)
    }
    for name in manifest.commands {
      let owner = host.registry.commands.first { $0.path.first == name }?.owner
      if let owner, owner == .program {
        faults.append("plugin.json: \"commands\": \(quoted(name)) is a command of Deckhand")
      }
    }
    // The listing made from its manifest must be readable.
    if faults.isEmpty {
      do throws(PluginIndexError) {
        _ = try PluginListing(JSONWriter.bytes(of: listing(of: package)), name: package.name)
      } catch {
        faults.append(error.message)
      }
    }
  }

  /// Returns its listing with this one version, as it would be in `NAME.json`.
  public func listing(of package: PluginPackage) -> Value {
    let manifest = package.manifest
    let plugins = manifest.needs.plugins.map { ($0.name, Value.text($0.range.description)) }
    var needs: [(String, Value)] = plugins.isEmpty ? [] : [("plugins", .record(plugins))]
    if let range = manifest.needs.deckhand { needs.insert(("deckhand", .text(range.description)), at: 0) }
    let release = Value.record([
      ("version", .text(manifest.version)), ("file", .text("\(package.name)-\(manifest.version).tar.gz")),
      ("sha256", .text(hexadecimal(sha256(bytes)))), ("size", .integer(bytes.count)), ("api", .integer(manifest.api)),
      ("permissions", .list(manifest.permissions.map { .text($0.description) })), ("needs", .record(needs)),
      ("licence", .text(manifest.licence ?? "")),
    ])
    return .record([
      ("name", .text(package.name)), ("summary", .text(manifest.summary)), ("author", .text(manifest.author ?? "")),
      ("versions", .list([release])),
    ])
  }
}

/// An index's folder, checked before it is signed and published.
public struct PluginIndexCheck {
  public let index: PluginIndex
  public private(set) var faults: [String] = []
  /// The number of versions whose packages are not in the folder. That is not a fault: their listings say where they
  /// are.
  public private(set) var elsewhere = 0
  /// The number of versions that were checked.
  public private(set) var versions = 0

  /// - Throws: when `index.json` itself cannot be read.
  public init(folder: String, _ host: PluginHost) throws {
    index = try PluginIndex(folder, key: nil)
    do { try index.checkAge(seen: nil, now: host.environment.clocks.now()) } catch { faults.append(error.message) }
    for name in index.plugins {
      do {
        guard let listing = try index.listing(of: name) else { continue }
        for release in listing.releases { try look(at: listing, release, host) }
      } catch let problem as any Problem {
        guard problem.report.code != .interrupted else { throw problem }
        faults.append(problem.message)
      }
    }
  }

  private mutating func look(at listing: PluginListing, _ release: PluginListing.Release, _ host: PluginHost) throws {
    versions += 1
    do {
      let package = try index.package(of: listing, release, isInterrupted: host.environment.isInterrupted)
      if let key = listing.key, package.signature != nil, !package.isSigned(by: key) {
        faults.append("\(listing.name) \(release.version): it is not signed with the key \(key.id)")
      }
    } catch let problem as PluginReleaseError {
      guard case .notThere(_, _, _, let address, _) = problem, address != nil else { throw problem }
      elsewhere += 1
    }
  }

  /// Whether a folder contains an index.
  public static func isIndex(_ folder: String) -> Bool { fileExists(folder + "/" + PluginIndex.fileName) }
}
