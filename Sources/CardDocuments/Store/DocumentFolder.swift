// The files of the store: the only code of the room that touches the disk inside the folder of documents.
// Invariant: a name of a file never leads out of the folder or through a symbolic link, and a file that is written holds
// its old content or its new one at every moment.

import Glibc

/// How a file was told apart when it was last read or written.
struct FileStamp: Equatable {
  let inode: UInt
  let size: Int
  let seconds: Int
  let nanoseconds: Int

  init(_ status: stat) {
    inode = UInt(status.st_ino)
    size = Int(status.st_size)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }

  /// Seconds since 1970.
  var modified: Double { Double(seconds) + Double(nanoseconds) / 1e9 }
}

/// A file found in the folder, unread.
struct FolderEntry {
  let name: String
  let stamp: FileStamp
  let isSymbolicLink: Bool
}

struct DocumentFolder {
  static let images = "images"
  static let thumbnails = "thumbnails"
  static let lock = ".lock"
  static let temporaryPrefix = ".writing-"
  static let unitPrefix = ".unit-"
  static let maximumImage = 64 << 20

  let path: String
  /// Told before each step that changes something on disk; the tests end the process there, or make the step fail by
  /// answering an error number.
  let step: (String) -> Int32

  func full(_ name: String) -> String { path + "/" + name }

  // MARK: - Reading

  /// A file's whole content. Symbolic links, pipes, devices and files above the limit are refused.
  func read(_ name: String, limit: Int) throws(DocumentError) -> (bytes: [UInt8], stamp: FileStamp) {
    try readPlainFile(full(name), limit: limit, followingLinks: false)
  }

  /// Nil when there is no such file.
  func stamp(of name: String) throws(DocumentError) -> FileStamp? {
    var status = stat()
    guard lstat(full(name), &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw .cannotRead(path: full(name), errno: errno)
    }
    if status.st_mode & S_IFMT == S_IFLNK { throw .symbolicLink(path: full(name)) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: full(name)) }
    return FileStamp(status)
  }

  func has(_ name: String) -> Bool {
    var status = stat()
    return lstat(full(name), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// The names in a folder of it, sorted; empty when there is none.
  func names(in folder: String = "") throws(DocumentError) -> [String] {
    let place = folder.isEmpty ? path : full(folder)
    var status = stat()
    if lstat(place, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, !folder.isEmpty {
      throw .symbolicLink(path: place)
    }
    guard let stream = opendir(place) else {
      if errno == ENOENT { return [] }
      throw .cannotRead(path: place, errno: errno)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
      }
      if let name, name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// All `.rwcard` files here and below, by name; the store's own folders and hidden ones are passed over.
  func documents(in folder: String = "", depth: Int = 0) throws(DocumentError) -> [FolderEntry] {
    var found: [FolderEntry] = []
    for name in try names(in: folder) where !name.hasPrefix(".") {
      let relative = folder.isEmpty ? name : folder + "/" + name
      if relative == DocumentFolder.images || relative == DocumentFolder.thumbnails { continue }
      var status = stat()
      guard lstat(full(relative), &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFDIR where depth < 8: found += try documents(in: relative, depth: depth + 1)
      case S_IFREG where name.hasSuffix(".rwcard"), S_IFLNK where name.hasSuffix(".rwcard"):
        let isLink = status.st_mode & S_IFMT == S_IFLNK
        found.append(FolderEntry(name: relative, stamp: FileStamp(status), isSymbolicLink: isLink))
      default: break
      }
    }
    return found
  }

  /// Whether the image is there and its content is what its name says; a damaged one is written again.
  func hasIntact(_ image: ContentHash) throws(DocumentError) -> Bool {
    let name = DocumentStore.imageName(image)
    guard has(name) else { return false }
    return ContentHash(of: try read(name, limit: DocumentFolder.maximumImage).bytes) == image
  }

  // MARK: - Writing

  /// Puts bytes under a name, whole or not at all. The caller holds the lock.
  /// - Parameter isSynced: false for what can be made again, and may be lost with the power.
  func write(_ bytes: [UInt8], to name: String, isSynced: Bool = true) throws(DocumentError) {
    // In the same folder: a file system may take long over a name that moves to another one.
    let temporary = full(folderPart(of: name) + DocumentFolder.temporaryPrefix + "\(getpid())")
    try fill(temporary, with: bytes, for: name, isSynced: isSynced)
    try check("rename", name) { rename(temporary, full(name)) }
  }

  /// Writes a new file under its name at once, synced: for folders that nobody looks into before they are whole.
  func writeNew(_ bytes: [UInt8], to name: String) throws(DocumentError) {
    try fill(full(name), with: bytes, for: name, isSynced: true)
  }

  /// Syncs the names in the folder that a file stands in. Some network disks cannot; the file itself is whole there too.
  func syncNames(around name: String) {
    let descriptor = open(full(folderPart(of: name)), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = step("sync the names around " + name)
    fsync(descriptor)
    close(descriptor)
  }

  /// The folder of a name, with a slash at its end; empty for the store's own.
  func folderPart(of name: String) -> String { name.lastIndex(of: "/").map { String(name[...$0]) } ?? "" }

  func move(_ name: String, to other: String) throws(DocumentError) {
    try check("rename", other) { rename(full(name), full(other)) }
  }

  /// Takes a file away; one that is not there is no error.
  func remove(_ name: String) throws(DocumentError) {
    try check("remove", name) { unlink(full(name)) == 0 || errno == ENOENT ? 0 : -1 }
  }

  func makeFolder(_ name: String = "") throws(DocumentError) {
    let place = name.isEmpty ? path : full(name)
    var status = stat()
    if lstat(place, &status) == 0 {
      if status.st_mode & S_IFMT == S_IFDIR || (name.isEmpty && stat(place, &status) == 0) { return }
      throw .notAFile(path: place)
    }
    try check("make folder", name) { mkdir(place, 0o700) }
  }

  func removeFolder(_ name: String) throws(DocumentError) {
    for file in try names(in: name) { try remove(name + "/" + file) }
    try check("remove folder", name) { rmdir(full(name)) }
  }

  private func fill(
    _ temporary: String, with bytes: [UInt8], for name: String, isSynced: Bool
  ) throws(DocumentError) {
    var descriptor: Int32 = -1
    try check("create", name) {
      descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
      return descriptor
    }
    do {
      try check("write", name) { writeAll(bytes, to: descriptor) }
      if isSynced { try check("sync", name) { fsync(descriptor) } }
    } catch {
      close(descriptor)
      unlink(temporary)
      throw error
    }
    try check("close", name) { close(descriptor) }
  }

  /// Tells of the step, does it, and turns its -1 into an error.
  private func check(_ what: String, _ name: String, _ body: () -> Int32) throws(DocumentError) {
    let refusal = step(name.isEmpty ? what : what + " " + name)
    if refusal != 0 { throw .cannotWrite(path: full(name), errno: refusal) }
    guard body() >= 0 else { throw .cannotWrite(path: name.isEmpty ? path : full(name), errno: errno) }
  }
}

/// The content of a plain file below a size; anything else is refused.
func readPlainFile(
  _ path: String, limit: Int, followingLinks: Bool
) throws(DocumentError) -> (bytes: [UInt8], stamp: FileStamp) {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followingLinks ? 0 : O_NOFOLLOW))
  guard descriptor >= 0 else {
    if errno == ELOOP, !followingLinks { throw .symbolicLink(path: path) }
    throw .cannotRead(path: path, errno: errno)
  }
  defer { close(descriptor) }
  var status = stat()
  guard fstat(descriptor, &status) == 0 else { throw .cannotRead(path: path, errno: errno) }
  guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
  guard status.st_size <= limit else { throw .tooLargeFile(path: path, limit: limit) }
  let bytes = try readAll(descriptor, path: path, size: Int(status.st_size), limit: limit)
  return (bytes, FileStamp(status))
}

private func readAll(
  _ descriptor: Int32, path: String, size: Int, limit: Int
) throws(DocumentError) -> [UInt8] {
  var failure: Int32 = 0
  // One byte more than the size shows whether the file grew while it was read.
  let bytes = [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, count in
    while count < buffer.count {
      let got = Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
      if got > 0 { count += got; continue }
      if got < 0, errno == EINTR { continue }
      if got < 0 { failure = errno }
      return
    }
  }
  guard failure == 0 else { throw .cannotRead(path: path, errno: failure) }
  guard bytes.count <= size else { throw .cannotRead(path: path, errno: EAGAIN) }
  return bytes
}

/// 0, or -1 with errno set.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
  bytes.withUnsafeBytes { buffer in
    var done = 0
    while done < buffer.count {
      let count = Glibc.write(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done)
      if count < 0, errno == EINTR { continue }
      if count < 0 { return -1 }
      done += count
    }
    return 0
  }
}
