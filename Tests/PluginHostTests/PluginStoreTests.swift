// The folder of installed plugins after a kill: at whatever moment, the next start finds a plugin as it was before the
// change or after it.

import Archives
import Files
import Glibc
import TestSupport
import Values

@testable import PluginHost

@Suite struct PluginStoreTests {
  private let folder = TemporaryFolder()

  private var store: PluginStore {
    PluginStore(data: folder.path, folder: folder.file("plugins"), wait: LockWait(seconds: 0.1))
  }

  private func write(_ version: String, _ name: String) throws {
    try folder.write(version, to: "plugins/\(name)/version")
  }

  private func journal(isInstalled: Bool = true, account: String = "local") throws {
    try folder.write(
      #"{"plugin": "mine", "installed": \#(isInstalled), "account": "\#(account)", "#
        + #""grant": \#(isInstalled ? #"{"enabled": true, "granted": ["shell"]}"# : "null")}"#, to: "plugins/.journal")
  }

  /// The installed version, and the files beside it.
  private var found: String {
    let version = folder.read("plugins/mine/version").map { String(decoding: $0, as: UTF8.self) } ?? "none"
    return ([version] + folder.names("plugins").filter { $0 != "mine" && $0 != ".lock" }.sorted()).joined(
      separator: " ")
  }

  @Test(arguments: [
    ["mine": "1", ".new-mine": "2"], [".old-mine": "1", ".new-mine": "2"], ["mine": "2", ".old-mine": "1"],
    [".new-mine": "2"], ["mine": "2"], ["mine": "1", ".new-mine": "2", ".old-mine": "0"],
  ])
  func `a committed change is finished by the next start, from any point`(there: [String: String]) throws {
    for (name, version) in there { try write(version, name) }
    try journal()
    try store.recover()
    #expect(found == "2")
    let grants = try GrantFile(folder: folder.file("local"))
    #expect(grants.entry(of: "mine", isBundled: false)?.granted == ["shell"])
    try store.recover()
    #expect(found == "2")
  }

  @Test func `a new plugin is added whole, and what a kill left of one does not take its name`() throws {
    try write("half", ".new-mine")
    try store.recover()
    #expect(found == "none")
    try write("half", ".new-mine")
    try store.add("mine", [PackedFile("version", Array("1".utf8)), PackedFile("a/b.lua", [])])
    #expect(found == "1" && folder.names("plugins/mine").sorted() == ["a", "version"])
    #expect(throws: PluginError.exists(name: "mine", what: "the file \(store.installed("mine"))")) {
      try store.add("mine", [])
    }
    #expect(found == "1")
  }

  @Test(arguments: [["mine": "1"], [".old-mine": "1"], [:]])
  func `a committed removal is finished by the next start`(there: [String: String]) throws {
    for (name, version) in there { try write(version, name) }
    try folder.write(#"{"mine": {"enabled": true}, "other": {"enabled": true}}"#, to: "local/grants.json")
    try journal(isInstalled: false)
    try store.recover()
    #expect(found == "none")
    let grants = try GrantFile(folder: folder.file("local"))
    #expect(grants.record(of: "mine") == nil && grants.record(of: "other") != nil)
  }

  @Test(arguments: [
    ["mine": "1", ".new-mine": "2"], ["mine": "1", ".old-mine": "0"], ["mine": "1", ".new-other": "2"],
  ])
  func `an uncommitted change is removed, unless another process is working on it`(there: [String: String]) throws {
    for (name, version) in there { try write(version, name) }
    try folder.write("{}", to: "plugins/.journal.tmp")
    let lock = try FileLock(folder.file("plugins/.lock"), LockWait(seconds: 0.1))
    try store.recover()
    #expect(folder.names("plugins").count > 3)
    lock.release()
    try store.recover()
    #expect(found == "1")
  }

  @Test func `an unreadable journal is reported, and nothing is touched`() throws {
    try write("1", "mine")
    try write("2", ".new-mine")
    for text in ["", "{", "[]", #"{"plugin": "../x", "installed": true, "account": "local"}"#] {
      try folder.write(text, to: "plugins/.journal")
      #expect(throws: PluginFileError.self, "\(text)") { try store.recover() }
      #expect(found == "1 .journal .new-mine")
    }
    for account in ["", "..", "accounts", "accounts/..", "accounts/a/b", "/etc", "accounts/.removed", "backup"] {
      try journal(account: account)
      #expect(throws: PluginFileError.self, "\(account)") { try store.recover() }
    }
    // A removed account has no grants; the plugin is installed all the same.
    try journal(account: "accounts/gone")
    try store.recover()
    #expect(found == "2" && folder.names("").contains("accounts") == false)
  }
}
