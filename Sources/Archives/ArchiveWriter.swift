// A tar archive compressed with zstd, written piece by piece: `tar --zstd -xf` reads it.
// Invariant: memory is bounded by the pieces; an entry's bytes are exactly as many as its header says.

import CZstd
public import Files

/// Writes one archive; `finish` ends it.
///
///     try AtomicFile.write(path) { sink in
///       let archive = try ArchiveWriter(sink)
///       try archive.add("manifest.json", bytes)
///       try archive.finish()
///     }
public final class ArchiveWriter {
  private let sink: FileSink
  private let context: OpaquePointer
  private var output = [UInt8](repeating: 0, count: 1 << 17)

  public init(_ sink: FileSink) throws {
    guard let context = ZSTD_createCCtx() else { throw ArchiveError.outOfMemory }
    self.sink = sink
    self.context = context
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 3)
    // With a check sum of the content: a bit that turns on the disk is noticed.
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
  }

  deinit { ZSTD_freeCCtx(context) }

  /// Adds a file that is in memory.
  public func add(_ name: String, _ bytes: [UInt8], modified: Int = 0) throws {
    try header(name, size: bytes.count, modified: modified)
    try write(bytes)
    try pad(bytes.count)
  }

  /// Adds a file from the disk.
  /// - Parameter piece: is given the size of each piece before it is added; what it throws ends the adding.
  public func add(_ name: String, from file: ByteFile, piece: (Int) throws -> Void = { _ in }) throws {
    let size = file.size ?? 0
    try header(name, size: size, modified: file.facts.modified.seconds)
    var chunk = [UInt8](repeating: 0, count: 1 << 17)
    var count = 0
    while true {
      let read = try file.read(into: &chunk)
      if read == 0 { break }
      count += read
      if count > size { throw ArchiveError.changedMeanwhile(path: file.path) }
      try piece(read)
      try write(chunk[..<read])
    }
    guard count == size else { throw ArchiveError.changedMeanwhile(path: file.path) }
    try pad(size)
  }

  /// The end of the archive.
  public func finish() throws {
    try write([UInt8](repeating: 0, count: TarHeader.length * 2))
    try compress([], ZSTD_e_end)
  }

  // MARK: Entries; long names as GNU tar writes them

  private func header(_ name: String, size: Int, modified: Int) throws {
    let bytes = Array(name.utf8)
    if bytes.count > 100 {
      try write(TarHeader(name: "././@LongLink", size: bytes.count + 1, kind: UInt8(ascii: "L")).block)
      try write(bytes + [0])
      try pad(bytes.count + 1)
    }
    let short = String(decoding: bytes.prefix(100), as: UTF8.self)
    try write(TarHeader(name: short, size: size, modified: modified).block)
  }

  private func pad(_ size: Int) throws {
    try write([UInt8](repeating: 0, count: TarHeader.padding(of: size)))
  }

  // MARK: Compressing

  private func write(_ bytes: some RandomAccessCollection<UInt8>) throws { try compress(Array(bytes), ZSTD_e_continue) }

  private func compress(_ bytes: [UInt8], _ directive: ZSTD_EndDirective) throws {
    var input = 0
    while true {
      var written = 0
      let left = bytes.withUnsafeBytes { source in
        output.withUnsafeMutableBytes { target in
          var from = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: input)
          var to = ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
          let left = ZSTD_compressStream2(context, &to, &from, directive)
          (input, written) = (from.pos, to.pos)
          return left
        }
      }
      if ZSTD_isError(left) != 0 { throw ArchiveError.outOfMemory }
      try sink.append(output[..<written])
      if directive == ZSTD_e_end ? left == 0 : input == bytes.count { return }
    }
  }
}

/// The version of libzstd.
public var zstdVersion: String { String(cString: ZSTD_versionString()) }
