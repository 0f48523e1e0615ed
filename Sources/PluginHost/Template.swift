// Creates a new plugin as a starting point for the user. Invariant: the folder that it writes passes its own test
// unchanged.

import Archives
import Commands
import Values

extension PluginHost {
  /// Writes a folder of that name into the user's plugins folder and adds the plugin, not enabled yet.
  /// - Throws: `PluginError.badName`, `.exists`.
  @discardableResult public func create(_ name: String) throws -> Plugin {
    guard Manifest.isName(name), CommandRegistry.mayName(name) else { throw PluginError.badName(name) }
    if plugins.contains(where: { $0.name == name }) { throw PluginError.exists(name: name, what: "a plugin") }
    if registry.isKnown(name) { throw PluginError.exists(name: name, what: "a command") }
    try packages.store.add(name, templateFiles(of: name))
    let plugin = read(name, packages.store.installed(name), isBundled: false)
    add(plugin)
    return plugin
  }
}

/// The files of a new plugin: a command, and tests that it passes. NAME is the plugin's name in them.
private func templateFiles(of name: String) -> [PackedFile] {
  let files = [
    ("plugin.json", PackageResources.plugin_json), ("init.lua", PackageResources.init_lua),
    ("test.lua", PackageResources.test_lua),
  ]
  return files.map { file, text in
    PackedFile(file, Array(String(decoding: text, as: UTF8.self).replacing(text: "NAME", with: name).utf8))
  }
}
