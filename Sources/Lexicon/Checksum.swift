// The checksum of compiled lists.
// Invariant: it never changes, because compiled files store it; it detects damage, not forgery.

import Text

/// Returns the checksum of a compiled list: over all its bytes except the checksum itself.
func imageChecksum(of compiled: UnsafeRawBufferPointer) -> UInt64 {
  let field = IndexLayout.Field.checksum.rawValue
  let head = damageDigest(UnsafeRawBufferPointer(rebasing: compiled[..<field]), seed: 0)
  return damageDigest(UnsafeRawBufferPointer(rebasing: compiled[(field + 8)...]), seed: head)
}
