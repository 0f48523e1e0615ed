// What is wrong with a plugin that others are to install, reported to its author before they see it. Invariant: no code
// of the plugin runs here; what packing or installing would refuse is reported in the same words.

import Commands
import Files
import Problems
import Text

/// A plugin's folder, checked before it is given to others.
///
///     PluginCheck(folder: "verbs", host).faults   // ["plugin.json: \"licence\": ... is expected"]
public struct PluginCheck {
  /// Nil if the folder cannot be packed at all.
  public let package: PluginPackage?
  public private(set) var faults: [String] = []
  /// The size of its package in bytes; 0 if there is none.
  public let packedSize: Int

  public init(folder: String, _ host: PluginHost) throws {
    var (read, size): (PluginPackage?, Int) = (nil, 0)
    do {
      let package = try PluginPackage(folder: folder, isInterrupted: host.environment.isInterrupted)
      size = try package.packed(as: package.path).count
      read = package
    } catch let problem as any Problem {
      guard problem.report.code != .interrupted else { throw problem }
      faults.append(problem.message)
    }
    (package, packedSize) = (read, size)
    if let read { look(at: read, host) }
  }

  private mutating func look(at package: PluginPackage, _ host: PluginHost) {
    let manifest = package.manifest
    let expected = [
      ("version", manifest.hasVersion, "a version such as \"1.0.0\""), ("summary", !manifest.summary.isEmpty, "a text"),
      ("author", manifest.author?.isEmpty == false, "a text"),
      ("licence", manifest.licence?.isEmpty == false, "a text such as \"MIT\""),
    ]
    for (key, isThere, what) in expected where !isThere {
      faults.append("plugin.json: \"\(key)\": \(what) is expected, it is missing")
    }
    if !package.hasTests { faults.append("test.lua is missing, so nothing would be tested when it is installed") }
    if host.plugins.contains(where: { $0.name == package.name && $0.isBundled && realPath($0.folder) != package.path })
    {
      faults.append(PluginPackageError.bundled(plugin: package.name).message)
    }
    for name in manifest.commands
    where host.registry.commands.contains(where: { $0.path.first == name && $0.owner == .program }) {
      faults.append("plugin.json: \"commands\": \(quoted(name)) is a command of Deckhand")
    }
  }
}
