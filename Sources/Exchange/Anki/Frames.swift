// zstd frames, unpacked and packed piece by piece.
// Invariant: memory is bounded by the pieces, whatever a frame says of itself; a frame that ends early is an error.

import CZstd

/// Damage in a frame, or more in it than is read.
enum FrameFault: Error {
  case damaged
  case tooLarge
}

/// What may come of packed bytes.
struct UnpackedLimit {
  let bytes: Int
  /// Beyond this much of it, at most `ratio` times the packed bytes.
  static let free = 64 << 20
  static let ratio = 200

  func allows(_ unpacked: Int, of packed: Int) -> Bool {
    unpacked <= bytes && (unpacked <= UnpackedLimit.free || unpacked / UnpackedLimit.ratio <= packed)
  }
}

/// Unpacks one frame after the other.
final class FrameReader {
  private let context: OpaquePointer
  private let limit: UnpackedLimit
  private var (packed, unpacked) = (0, 0)
  private var isInFrame = false
  private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)

  init(limit: UnpackedLimit) throws(FrameFault) {
    guard let context = ZSTD_createDCtx() else { throw .tooLarge }
    self.context = context
    self.limit = limit
    // A file from elsewhere does not say how much memory is taken: 128 MiB at most.
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 27)
  }

  deinit {
    ZSTD_freeDCtx(context)
    output.deallocate()
  }

  /// Gives what comes of the next packed bytes.
  func feed(_ bytes: UnsafeRawBufferPointer, _ piece: (UnsafeRawBufferPointer) throws -> Void) throws {
    var from = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
    packed += bytes.count
    while true {
      var to = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
      let result = ZSTD_decompressStream(context, &to, &from)
      if ZSTD_isError(result) != 0 { throw FrameFault.damaged }
      isInFrame = result != 0
      unpacked += to.pos
      if !limit.allows(unpacked, of: packed) { throw FrameFault.tooLarge }
      if to.pos > 0 { try piece(UnsafeRawBufferPointer(rebasing: output[..<to.pos])) }
      if from.pos == from.size, to.pos < to.size { return }
    }
  }

  /// All bytes were fed.
  func finish() throws(FrameFault) {
    if isInFrame || packed == 0 { throw .damaged }
  }
}

/// Packs into one frame at a time.
final class FrameWriter {
  private let context: OpaquePointer
  private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)

  init(level: Int32) throws(FrameFault) {
    guard let context = ZSTD_createCCtx() else { throw .tooLarge }
    self.context = context
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)
  }

  deinit {
    ZSTD_freeCCtx(context)
    output.deallocate()
  }

  /// - Parameter isLast: ends the frame.
  func feed(
    _ bytes: UnsafeRawBufferPointer, isLast: Bool, _ piece: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var from = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
    while true {
      var to = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
      let left = ZSTD_compressStream2(context, &to, &from, isLast ? ZSTD_e_end : ZSTD_e_continue)
      if ZSTD_isError(left) != 0 { throw FrameFault.tooLarge }
      if to.pos > 0 { try piece(UnsafeRawBufferPointer(rebasing: output[..<to.pos])) }
      if isLast ? left == 0 : from.pos == from.size { return }
    }
  }
}
