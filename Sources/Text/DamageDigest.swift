// A digest in the program's own files that detects damage. Invariant: the algorithm is fixed, because files contain its
// values; it detects damage, not forgery.

/// A 64-bit digest of bytes, in four independent lanes, so that the processor works on them at the same time.
public func damageDigest(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
  let prime: UInt64 = 0x9E37_79B9_7F4A_7C15
  var lanes: (UInt64, UInt64, UInt64, UInt64) = (seed &+ 1, seed ^ prime, ~seed, seed &+ prime)
  var offset = 0
  while offset + 32 <= bytes.count {
    lanes.0 = mix(lanes.0, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    lanes.1 = mix(lanes.1, bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
    lanes.2 = mix(lanes.2, bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self))
    lanes.3 = mix(lanes.3, bytes.loadUnaligned(fromByteOffset: offset + 24, as: UInt64.self))
    offset += 32
  }
  while offset < bytes.count {
    lanes.0 = mix(lanes.0, UInt64(bytes[offset]) | 0x100)
    offset += 1
  }
  return [lanes.1, lanes.2, lanes.3].reduce(mix(UInt64(truncatingIfNeeded: bytes.count), lanes.0), mix)
}

/// One step of `damageDigest`: a bijection in each argument, so that no change of a single byte is lost.
@inline(__always) private func mix(_ state: UInt64, _ value: UInt64) -> UInt64 {
  let sum = (state ^ value) &* 0x9FB2_1C65_1E98_DF25
  return sum ^ sum >> 29
}
