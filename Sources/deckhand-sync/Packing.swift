// zstd frames in memory: the body of a call and of its answer.
// Invariant: unpacking takes no more room than it was given, whatever the frame says.

import CZstd
import SyncWire

enum Packing {
  /// Little is to be gained by more.
  private static let level: Int32 = 3

  static func packed(_ bytes: [UInt8]) throws(CallFailure) -> [UInt8] {
    var isPacked = false
    let packed = [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(bytes.count)) { room, count in
      let size = bytes.withUnsafeBytes { ZSTD_compress(room.baseAddress, room.count, $0.baseAddress, $0.count, level) }
      isPacked = ZSTD_isError(size) == 0
      count = isPacked ? size : 0
    }
    guard isPacked else { throw CallFailure(.badAnswer(reason: "could not be asked for: there is too little memory")) }
    return packed
  }
}

/// Unpacks one frame.
final class Unpacking {
  enum Outcome {
    case fine, damaged, tooLarge
  }

  private let context: OpaquePointer
  private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)
  /// A frame came to its end, and nothing after it.
  private(set) var isAtEnd = false

  init?() {
    guard let context = ZSTD_createDCtx() else { return nil }
    self.context = context
    // A frame of a stranger's may not ask for more than 128 MiB.
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 27)
  }

  deinit {
    ZSTD_freeDCtx(context)
    output.deallocate()
  }

  func feed(_ piece: UnsafeRawBufferPointer, into bytes: inout [UInt8], atMost limit: Int) -> Outcome {
    var from = ZSTD_inBuffer(src: piece.baseAddress, size: piece.count, pos: 0)
    while from.pos < from.size || !isAtEnd {
      if isAtEnd { return .damaged }
      var to = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
      let left = ZSTD_decompressStream(context, &to, &from)
      if ZSTD_isError(left) != 0 { return .damaged }
      isAtEnd = left == 0
      if to.pos > limit - bytes.count { return .tooLarge }
      bytes += output[..<to.pos]
      // All was taken, and nothing waits to be given.
      if from.pos == from.size, to.pos < to.size { break }
    }
    return .fine
  }
}
