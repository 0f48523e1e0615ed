// Decompresses and compresses zstd frames in pieces.
// Invariant: memory is bounded by the piece size, whatever a frame claims; a truncated frame is an error.

import CZstd

public enum FrameFault: Error, Equatable {
  case damaged(reason: String)
  case tooLarge, outOfMemory
}

public struct UnpackedLimit: Sendable {
  let bytes: Int
  /// Above this size, the limit is `ratio` times the compressed size.
  static let free = 64 << 20
  static let ratio = 200

  public init(bytes: Int) { self.bytes = bytes }

  public func allows(_ unpacked: Int, of packed: Int) -> Bool {
    unpacked <= bytes && (unpacked <= UnpackedLimit.free || unpacked / UnpackedLimit.ratio <= packed)
  }
}

/// Decompresses one frame after another.
///
///     let frames = try FrameReader(limit: UnpackedLimit(bytes: 1 << 30))
///     try frames.feed(packed) { text.append(contentsOf: $0) }
///     try frames.finish()
public final class FrameReader {
  private let context: OpaquePointer
  private let limit: UnpackedLimit?
  private var (packed, unpacked) = (0, 0)
  /// Whether a frame has begun and not ended.
  private var isInFrame = false
  private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: FrameReader.piece, alignment: 16)
  static let piece = 1 << 17
  /// The first bytes of zstd's frames and of those to be skipped (RFC 8878, 3.1).
  private static let firstBytes: Set<UInt8> = Set(0x50...0x5F).union([0x28])

  /// - Parameter limit: nil if the caller limits what it reads.
  public init(limit: UnpackedLimit? = nil) throws(FrameFault) {
    guard let context = ZSTD_createDCtx() else { throw .outOfMemory }
    self.context = context
    self.limit = limit
    // A frame must not decide how much memory is used: 128 MiB at most.
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 27)
  }

  deinit {
    ZSTD_freeDCtx(context)
    output.deallocate()
  }

  /// Decompresses as long as there are input and room, at most to the end of a frame.
  /// - Parameter bytes: the consumed bytes are removed from its front.
  /// - Returns: the number of bytes written to `room`.
  func unpack(
    _ bytes: inout UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
  ) throws(FrameFault) -> Int {
    // libzstd also reads the formats of before 2016, whose frames begin with another byte. Its decoders for them give
    // another result when the input comes in pieces.
    if !isInFrame, let first = bytes.first, !FrameReader.firstBytes.contains(first) {
      throw damage("Unknown frame descriptor")
    }
    var from = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
    var to = ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: 0)
    let left = ZSTD_decompressStream(context, &to, &from)
    if ZSTD_isError(left) != 0 { throw damage(String(cString: ZSTD_getErrorName(left))) }
    // When called again after the end of a frame, zstd returns the size of the next header, though there may be none.
    if from.pos > 0 || to.pos > 0 { isInFrame = left != 0 }
    packed += from.pos
    unpacked += to.pos
    bytes = UnsafeRawBufferPointer(rebasing: bytes[from.pos...])
    return to.pos
  }

  /// - Parameter name: zstd's name for the error, which for a file of another format says little.
  private func damage(_ name: String) -> FrameFault {
    let isOther = packed == 0 && !isInFrame
    return .damaged(reason: isOther ? "it is not a zstd file, or it was changed" : name)
  }

  /// Decompresses the next bytes and passes the output to `piece`.
  public func feed(_ bytes: UnsafeRawBufferPointer, _ piece: (UnsafeRawBufferPointer) throws -> Void) throws {
    var rest = bytes
    while true {
      let count = try unpack(&rest, into: output)
      if let limit, !limit.allows(unpacked, of: packed + rest.count) { throw FrameFault.tooLarge }
      if count > 0 { try piece(UnsafeRawBufferPointer(rebasing: output[..<count])) }
      if rest.isEmpty, count < output.count { return }
    }
  }

  /// Called after all bytes were fed.
  /// - Throws: `damaged` inside a frame, or if there was none.
  public func finish() throws(FrameFault) {
    if isInFrame || packed == 0 { throw .damaged(reason: "it ends too early") }
  }
}

public final class FrameWriter {
  private let context: OpaquePointer
  private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)

  /// - Parameters:
  ///   - level: the zstd level, from 1 (fast) to 19 (small).
  ///   - hasCheckSum: adds a checksum, so that bit errors on the disk are detected.
  public init(level: Int32, hasCheckSum: Bool = false) throws(FrameFault) {
    guard let context = ZSTD_createCCtx() else { throw .outOfMemory }
    self.context = context
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, hasCheckSum ? 1 : 0)
  }

  deinit {
    ZSTD_freeCCtx(context)
    output.deallocate()
  }

  public func feed(
    _ bytes: UnsafeRawBufferPointer, isLast: Bool, _ piece: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var from = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
    while true {
      var to = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
      let left = ZSTD_compressStream2(context, &to, &from, isLast ? ZSTD_e_end : ZSTD_e_continue)
      if ZSTD_isError(left) != 0 { throw FrameFault.outOfMemory }
      if to.pos > 0 { try piece(UnsafeRawBufferPointer(rebasing: output[..<to.pos])) }
      if isLast ? left == 0 : from.pos == from.size { return }
    }
  }
}

public var zstdVersion: String { String(cString: ZSTD_versionString()) }
