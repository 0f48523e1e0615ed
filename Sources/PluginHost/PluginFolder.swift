// The files of one plugin. Invariant: only files within the plugin's own folder are read as its code; a link that
// leads out of the folder is refused, whatever the environment says.

import Files
import Glibc
import LuaRuntime

struct PluginFolder {
  let path: String

  func manifest() throws -> [UInt8] { try file("plugin.json", limit: 256 << 10) }

  func file(_ name: String, limit: Int = 4 << 20) throws -> [UInt8] {
    let wanted = path + "/" + name
    guard let facts = try FileFacts.at(wanted, followingLinks: false) else { throw PluginFileError.missing(file: name) }
    // The common case: a plain file directly in the folder, with no link on the way.
    if facts.kind == .file, !name.contains("/") { return try Self.bytes(wanted, limit: limit) }
    guard let real = try resolvedPath(of: name) else { throw PluginFileError.outside(file: name) }
    return try Self.bytes(real, limit: limit)
  }

  /// Resolves a name in the folder, following links; nil if it leads out of the folder, or nowhere.
  func resolvedPath(of name: String) throws(FileError) -> String? {
    guard let real = realPath(path + "/" + name), let own = realPath(path) else {
      if isMissing(errno) || errno == ELOOP { return nil }
      throw FileError(path + "/" + name, .inspect)
    }
    return real.hasPrefix(own + "/") ? real : nil
  }

  private static func bytes(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    try FileText.bytes(path, limit: limit) { Interrupts.areRequested }
  }

  /// Finds the module that `require` asks for: `parts.verbs` is `parts/verbs.lua`, or `parts/verbs/init.lua`.
  func module(_ name: String) throws -> (source: [UInt8], chunkName: String) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let isName = !parts.isEmpty && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(Self.isNameByte) }
    guard isName, name.utf8.count <= 200 else { throw PluginFileError.badModule(name) }
    let stem = parts.joined(separator: "/")
    for file in [stem + ".lua", stem + "/init.lua"] where fileExists(path + "/" + file) {
      return (Array(luaCode(ofFile: try self.file(file))), file)
    }
    throw PluginFileError.noModule(stem: stem)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
      || byte == 0x2D
  }
}
