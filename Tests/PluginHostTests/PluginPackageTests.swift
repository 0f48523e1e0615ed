// Plugin packages: the same bytes each time, and refused if anything is wrong with them.

import CZlib
import Files
import Glibc
import Problems
import TestSupport
import Text

@testable import Archives
@testable import PluginHost

/// A tar archive as anybody could make it.
private struct Tar {
  var bytes: [UInt8] = []

  /// - Parameter changing: changes the header before its checksum is computed.
  mutating func add(
    _ name: String, _ text: String = "x", kind: Character = "0", size: Int? = nil,
    changing: (inout [UInt8]) -> Void = { _ in }
  ) {
    var head = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, _ place: Int) {
      for (index, byte) in text.utf8.enumerated() { head[place + index] = byte }
    }
    let octal = { (value: Int) in
      String(repeating: "0", count: 11 - String(value, radix: 8).count) + String(value, radix: 8)
    }
    put(name, 0)
    put("0000644", 100)
    put(octal(size ?? text.utf8.count), 124)
    put(octal(0), 136)
    put(String(kind), 156)
    put("ustar\u{0}00", 257)
    changing(&head)
    for place in 148..<156 { head[place] = 0x20 }
    let sum = String(head.reduce(0) { $0 + Int($1) }, radix: 8)
    put(String(repeating: "0", count: 6 - sum.count) + sum + "\u{0} ", 148)
    bytes += head + Array(text.utf8)
    bytes += [UInt8](repeating: 0, count: (512 - text.utf8.count % 512) % 512)
  }

  var ended: [UInt8] { bytes + [UInt8](repeating: 0, count: 1024) }

  static func zipped(_ bytes: [UInt8]) -> [UInt8] {
    var packed = [UInt8](repeating: 0, count: deckhand_gzip_bound(bytes.count))
    let count = deckhand_gzip(bytes, bytes.count, &packed, packed.count)
    return Array(packed.prefix(max(0, count)))
  }

  /// Returns a valid plugin, with what the closure adds.
  static func plugin(_ more: (inout Tar) -> Void = { _ in }) -> [UInt8] {
    var tar = Tar()
    tar.add("mine/plugin.json", #"{"name": "mine", "version": "1.0.0", "api": 1}"#)
    tar.add("mine/init.lua", "return")
    more(&tar)
    return tar.ended
  }
}

@Suite struct PluginPackageTests {
  private let folder = TemporaryFolder()

  private func package(_ bytes: [UInt8]) throws -> PluginPackage {
    try PluginPackage(file: folder.write(bytes, to: "p.tar.gz"), isInterrupted: { false })
  }

  private func refusal(_ bytes: [UInt8]) throws -> String {
    do {
      _ = try package(bytes)
    } catch let error as any Problem { return error.message }
    Issue.record("it was taken")
    return ""
  }

  @Test func `a GNU tar archive is read, with folders and padding blocks`() throws {
    var tar = Tar()
    tar.add("mine/", "", kind: "5")
    tar.add("mine/plugin.json", #"{"name": "mine", "version": "1.0.0", "api": 1}"#)
    tar.add("mine/parts/", "", kind: "5")
    tar.add("mine/parts/verbs.lua", String(repeating: "-", count: 1000))
    tar.add("mine/init.lua", "return")
    let read = try package(Tar.zipped(tar.ended + [UInt8](repeating: 0, count: 8192)))
    #expect(read.files.map(\.path) == ["init.lua", "parts/verbs.lua", "plugin.json"])
    #expect(read.files[1].bytes.count == 1000 && read.name == "mine")
  }

  @Test(arguments: [
    ("/mine/x", "an absolute path"), ("mine/../x", "leads out"), ("../x", "leads out"), ("mine//x", "leads out"),
    ("mine/./x", "leads out"), ("mine/a\u{7}b", "invisible"), ("mine/a\u{202E}b", "invisible"),
    ("mine/a\nb", "invisible"), ("mine/.git", "a hidden file"), ("other/x.lua", "is not in the folder \"mine\""),
    ("mine/init.lua", "is in it twice"), ("mine/INIT.lua", "only in case"), ("mine/ｉnit.lua", "only in case"),
    ("mine/init.lua/x", "a file and a folder"), ("mine", "a file and a folder"), ("mine/x/", "an empty part"),
  ])
  func `a name that leads outside, is invisible or is a duplicate is refused`(name: String, words: String) throws {
    let reason = try refusal(Tar.zipped(Tar.plugin { $0.add(name) }))
    #expect(reason.contains("is refused: ") && reason.contains(words), "\(reason)")
  }

  @Test(
    arguments: [
      ("1", "a hard link"), ("2", "a symbolic link"), ("3", "a device"), ("4", "a device"), ("6", "a pipe"),
      ("S", "a sparse file"), ("x", "an extended header"), ("g", "an extended header"), ("L", "more than 100 bytes"),
      ("7", "not a regular file"),
    ] as [(Character, String)])
  func `anything but a regular file is refused`(kind: Character, words: String) throws {
    let reason = try refusal(Tar.zipped(Tar.plugin { $0.add("mine/x", "", kind: kind) }))
    #expect(reason.contains(words), "\(reason)")
  }

  @Test func `a misleading header is refused`() throws {
    for (words, change) in [
      ("a prefix", { $0[11] = 0x78 }), ("a prefix", { $0[345] = 0x78 }), ("a prefix", { $0[6] = 0xFF }),
      ("too early", { for place in 124..<135 { $0[place] = 0x37 } }), ("too early", { $0[124] = 0x80 }),
      (
        "too early",
        {
          $0[124] = 0x80; for place in 125..<136 { $0[place] = 0xFF }
        }
      ),
    ] as [(String, (inout [UInt8]) -> Void)] {
      let reason = try refusal(Tar.zipped(Tar.plugin { $0.add("mine/x.lua", changing: change) }))
      #expect(reason.contains(words), "\(reason)")
    }
    var wrong = Tar.plugin()
    wrong[0] ^= 1
    #expect(try refusal(Tar.zipped(wrong)).contains("checksum"))
  }

  @Test func `a package that is truncated, changed, followed by data or compressed twice is refused`() throws {
    let sound = Tar.zipped(Tar.plugin())
    for cut in [0, 1, 10, sound.count / 2, sound.count - 1] { _ = try refusal(Array(sound.prefix(cut))) }
    for place in stride(from: 0, to: sound.count, by: 7) where !(4..<10).contains(place) {
      var changed = sound
      changed[place] ^= 0x10
      // A change that decompresses to the same bytes does not count.
      guard let read = try? package(changed) else { continue }
      #expect(read.files == (try package(sound)).files, "\(place)")
    }
    #expect(try refusal(sound + [0]).contains("data after its end"))
    #expect(try refusal(sound + sound).contains("data after its end"))
    #expect(try refusal(Tar.zipped(Tar.plugin() + [1])).contains("data after its end"))
    #expect(try refusal(Tar.zipped(Tar.plugin().dropLast(1024) + [])).contains("ends too early"))
    #expect(try refusal(Tar.plugin()).contains("not a gzip file"))
  }

  @Test func `a zip bomb, a large file and many files are refused within the limits`() throws {
    let zeros = [UInt8](repeating: 0, count: PluginPackage.limits.unpacked + 1)
    #expect(try refusal(Tar.zipped(zeros)).contains("unpacks to more than"))
    let noise = (0..<(PluginPackage.limits.packed + 1)).map { _ in UInt8.random(in: 0...255) }
    #expect(try refusal(noise).contains("it has more than 8,388,608 bytes"))
    let many = Tar.plugin { tar in for number in 0..<1000 { tar.add("mine/\(number).lua", "") } }
    #expect(try refusal(Tar.zipped(many)).contains("more than 1,000 files"))
  }

  @Test func `a package that is not a plugin is reported with what is missing`() throws {
    var tar = Tar()
    tar.add("mine/init.lua")
    #expect(try refusal(Tar.zipped(tar.ended)).contains("has no plugin.json"))
    tar = Tar()
    tar.add("mine/plugin.json", #"{"name": "mine", "api": 1}"#)
    #expect(try refusal(Tar.zipped(tar.ended)).contains("has no init.lua"))
    tar = Tar()
    tar.add("plugin.json", "{}")
    #expect(try refusal(Tar.zipped(tar.ended)).contains("not in a folder"))
    #expect(try refusal(Tar.zipped(Tar().ended)).contains("is empty"))
    tar = Tar()
    tar.add("other/plugin.json", #"{"name": "mine", "api": 1}"#)
    tar.add("other/init.lua")
    #expect(try refusal(Tar.zipped(tar.ended)).contains("the name of its folder"))
  }

  private func plugin(_ name: String = "mine") throws -> String {
    try folder.write(#"{"name": "\#(name)", "version": "1.0.0", "api": 1}"#, to: name + "/plugin.json")
    try folder.write("return 1", to: name + "/init.lua")
    try folder.write("return 2", to: name + "/parts/b.lua")
    try folder.write("hidden", to: name + "/.swp")
    return folder.file(name)
  }

  @Test func `a folder gives the same bytes whatever its times, modes and order`() throws {
    let first = try PluginPackage(folder: plugin(), isInterrupted: { false }).packed(as: "p")
    chmod(folder.file("mine/init.lua"), 0o755)
    var times = [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 2, tv_usec: 0)]
    utimes(folder.file("mine/init.lua"), &times)
    unlink(folder.file("mine/parts/b.lua"))
    try folder.write("return 2", to: "mine/parts/b.lua")
    let second = try PluginPackage(folder: folder.file("mine") + "/", isInterrupted: { false }).packed(as: "p")
    #expect(first == second)
    #expect(Array(first.prefix(10)) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3])
    #expect(try package(first).files.map(\.path) == ["init.lua", "parts/b.lua", "plugin.json"])
  }

  @Test func `links, pipes and deep folders in a folder are refused`() throws {
    let path = try plugin()
    symlink("/etc/passwd", path + "/x.lua")
    #expect(throws: ArchiveError.self) { try PluginPackage(folder: path, isInterrupted: { false }) }
    unlink(path + "/x.lua")
    mkfifo(path + "/x.lua", 0o600)
    #expect(throws: ArchiveError.self) { try PluginPackage(folder: path, isInterrupted: { false }) }
    unlink(path + "/x.lua")
    try folder.makeFolder("mine/" + String(repeating: "d/", count: 20))
    #expect(throws: ArchiveError.self) { try PluginPackage(folder: path, isInterrupted: { false }) }
  }
}
