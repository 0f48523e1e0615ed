// A few files in one: a tar archive compressed with gzip, in memory, the format of plugin packages; `tar -xzf` reads
// it.
// Invariant: the same files give the same bytes; unpacking gives only plain files with distinct names below one folder,
// never more or larger ones than the limits allow, whatever the archive claims.

import CZlib
import Files
import Text

/// A file in an archive: its path below the archive's folder, and its content.
public struct PackedFile: Equatable, Sendable {
  public let path: String
  public let bytes: [UInt8]

  public init(_ path: String, _ bytes: [UInt8]) { (self.path, self.bytes) = (path, bytes) }
}

public struct PackedLimits: Sendable {
  /// The compressed size in bytes.
  public var packed = 8 << 20
  /// The size of all files with their headers in bytes.
  public var unpacked = 32 << 20
  public var files = 1_000

  public init() {}
}

/// Files below one folder, which is the first component of their names in the archive.
///
///     let path = "verbs.tar.gz"
///     let bytes = try PackedFiles(folder: "verbs", [PackedFile("init.lua", code)], path: path).packed(as: path)
///     try PackedFiles(unpacking: bytes, path: path).files[0].path   // "init.lua"
public struct PackedFiles: Equatable, Sendable {
  public let folder: String
  /// Sorted by the bytes of their paths.
  public let files: [PackedFile]

  /// - Throws: `ArchiveError.refused` for names that an archive must not contain.
  public init(
    folder: String, _ files: [PackedFile], path: String, limits: PackedLimits = PackedLimits()
  ) throws(ArchiveError) {
    let check = NameCheck(path: path)
    try check.check(files.map { folder + "/" + $0.path })
    if files.count > limits.files { throw check.refused("it has more than \(grouped(limits.files)) files") }
    self.folder = folder
    self.files = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  // MARK: Packing

  /// Returns the archive's bytes: sorted names, no times, no owners, mode 0600, and nothing specific to the machine in
  /// the gzip header.
  /// - Parameter path: the archive's name for error messages.
  public func packed(as path: String, limits: PackedLimits = PackedLimits()) throws(ArchiveError) -> [UInt8] {
    let end = [UInt8](repeating: 0, count: TarHeader.length * 2)
    var tar: [UInt8] = []
    for file in files {
      tar += TarHeader(name: folder + "/" + file.path, size: file.bytes.count).block + file.bytes
      tar += [UInt8](repeating: 0, count: TarHeader.padding(of: file.bytes.count))
      if tar.count + end.count > limits.unpacked { throw tooLarge(path, limits.unpacked) }
    }
    tar += end
    var bytes = [UInt8](repeating: 0, count: deckhand_gzip_bound(tar.count))
    let count = deckhand_gzip(tar, tar.count, &bytes, bytes.count)
    guard count >= 0 else { throw .outOfMemory }
    if count > limits.packed { throw tooLarge(path, limits.packed) }
    return Array(bytes.prefix(count))
  }

  private func tooLarge(_ path: String, _ limit: Int) -> ArchiveError {
    .refused(path: path, reason: "it would have more than \(grouped(limit)) bytes")
  }

  // MARK: Unpacking

  /// Unpacks an untrusted archive.
  /// - Throws: `ArchiveError`: `damaged` if it is truncated or changed, `refused` for what a package must not contain.
  public init(unpacking bytes: [UInt8], path: String, limits: PackedLimits = PackedLimits()) throws(ArchiveError) {
    let check = NameCheck(path: path)
    let tar = try PackedFiles.unzipped(bytes, check, limits)
    let members = try PackedFiles.members(of: tar, check, limits)
    guard let first = members.first?.path.split(separator: "/").map(String.init) else {
      throw check.refused("it is empty")
    }
    guard first.count > 1 else { throw check.refused("its files are not in a folder") }
    let folder = first[0]
    let files = try members.map { (member) throws(ArchiveError) in
      guard member.path.hasPrefix(folder + "/") else {
        throw check.refused("\(quoted(member.path)) is not in the folder \(quoted(folder)), where its first file is")
      }
      return PackedFile(String(member.path.dropFirst(folder.count + 1)), member.bytes)
    }
    try self.init(folder: folder, files, path: path, limits: limits)
  }

  private static func unzipped(
    _ bytes: [UInt8], _ check: NameCheck, _ limits: PackedLimits
  ) throws(ArchiveError) -> [UInt8] {
    if bytes.count > limits.packed { throw check.refused("it has more than \(grouped(limits.packed)) bytes") }
    // One extra byte, to tell an archive of exactly the maximum size from a larger one.
    var tar = [UInt8](repeating: 0, count: limits.unpacked + 1)
    var used = 0
    let count = deckhand_gunzip(bytes, bytes.count, &tar, tar.count, &used)
    if count == DECKHAND_GUNZIP_TOO_LARGE || count > limits.unpacked {
      throw check.refused("it unpacks to more than \(grouped(limits.unpacked)) bytes")
    }
    guard count >= 0 else { throw check.damaged("it is not a gzip file, or it was truncated or changed") }
    guard used == bytes.count else { throw check.refused("there is data after its end") }
    tar.removeLast(tar.count - count)
    return tar
  }

  private static func members(
    of tar: [UInt8], _ check: NameCheck, _ limits: PackedLimits
  ) throws(ArchiveError) -> [PackedFile] {
    var members: [PackedFile] = []
    var place = 0
    while true {
      guard place + TarHeader.length <= tar.count else { throw check.damaged("it ends too early") }
      let block = Array(tar[place..<place + TarHeader.length])
      place += TarHeader.length
      if TarHeader.isEnd(block) { break }
      let head = try TarHeader(block, path: check.path)
      try check.check(head)
      guard head.size <= tar.count - place else { throw check.damaged("it ends too early") }
      if head.kind == check.folder { continue }
      if members.count == limits.files { throw check.refused("it has more than \(grouped(limits.files)) files") }
      members.append(PackedFile(head.name, Array(tar[place..<place + head.size])))
      place = min(tar.count, place + head.size + head.padding)
    }
    if tar[place...].contains(where: { $0 != 0 }) { throw check.refused("there is data after its end") }
    try check.check(members.map(\.path))
    return members
  }
}

private struct NameCheck {
  let path: String
  let folder = UInt8(ascii: "5")

  func refused(_ reason: String) -> ArchiveError { .refused(path: path, reason: reason) }
  func damaged(_ reason: String) -> ArchiveError { .damaged(path: path, reason: reason) }

  func check(_ head: TarHeader) throws(ArchiveError) {
    guard head.kind == TarHeader.file || head.kind == 0 || head.kind == folder else {
      throw refused("\(quoted(head.name)) in it is \(words(head.kind)); a package must contain only regular files")
    }
    if head.hasStrangeName { throw refused("a file in it has a name that is truncated, has a prefix, or is not UTF-8") }
    if head.kind == folder, head.size != 0 { throw refused("the folder \(quoted(head.name)) in it has a size") }
    let isFolder = head.kind == folder && head.name.hasSuffix("/")
    try check(name: isFolder ? String(head.name.dropLast()) : head.name)
  }

  private func words(_ kind: UInt8) -> String {
    switch kind {
    case UInt8(ascii: "1"): "a hard link"
    case UInt8(ascii: "2"): "a symbolic link"
    case UInt8(ascii: "3"), UInt8(ascii: "4"): "a device"
    case UInt8(ascii: "6"): "a pipe"
    case UInt8(ascii: "S"): "a sparse file"
    case UInt8(ascii: "L"), UInt8(ascii: "K"): "a name of more than 100 bytes"
    case UInt8(ascii: "x"), UInt8(ascii: "g"): "an extended header"
    default: "not a regular file"
    }
  }

  private func check(name: String) throws(ArchiveError) {
    if name.hasPrefix("/") { throw refused("\(quoted(name)) in it is an absolute path") }
    guard TarHeader.isPlain(name) else {
      throw refused("\(quoted(name)) in it leads out of the folder, or has an empty part")
    }
    if name.utf8.count > 100 { throw refused("\(quoted(name)) in it has more than 100 bytes") }
    if printable(name, limit: .max) != name || name.unicodeScalars.contains(where: isFormat) {
      throw refused("\(quoted(name)) in it has an invisible character")
    }
    if name.split(separator: "/").contains(where: { $0.hasPrefix(".") }) {
      throw refused("\(quoted(name)) in it is a hidden file")
    }
  }

  /// Checks all names together: each must be a distinct file, on case-insensitive disks too.
  func check(_ names: [String]) throws(ArchiveError) {
    var seen: [String: String] = [:]
    for name in names {
      try check(name: name)
      let key = name.compatiblyFolded
      if let other = seen[key] {
        throw refused(
          other == name
            ? "\(quoted(name)) is in it twice"
            : "\(quoted(other)) and \(quoted(name)) in it differ only in case or form")
      }
      seen[key] = name
    }
    for name in names {
      var parent = parentFolder(of: name.compatiblyFolded)
      while parent != "." {
        if let other = seen[parent] { throw refused("\(quoted(other)) in it is a file and a folder") }
        parent = parentFolder(of: parent)
      }
    }
  }
}

/// Joiners and bidirectional control characters, which file names do not need.
private func isFormat(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .format }
