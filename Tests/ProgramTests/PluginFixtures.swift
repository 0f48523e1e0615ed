// Plugins for tests, written into a user's folder.

import Glibc
import TestSupport
import Testing

extension Home {
  /// Writes a plugin into the user's folder. `permissions` and the text of `manifest` are JSON.
  func plugin(
    _ name: String, permissions: String = "[]", manifest: String = "", version: String = "1.0.0", _ code: String
  ) throws {
    for folder in ["/data", "/data/plugins", "/data/plugins/" + name] { _ = makeFolder(path + folder) }
    let more = manifest.isEmpty ? "" : ", " + manifest
    _ = try write(
      #"{"name": "\#(name)", "version": "\#(version)", "api": 1, "permissions": \#(permissions)\#(more)}"#,
      to: "data/plugins/\(name)/plugin.json")
    _ = try write(code, to: "data/plugins/\(name)/init.lua")
  }

  func enable(_ names: String...) throws {
    for name in names { #expect(try run("plugin", "enable", name, "--grant").status == 0) }
  }
}
