// The normal form of a password, in guarded memory.
// Invariant: anything made of a secret's bytes on the way is in a secret, and is wiped with it.

import Text

enum UnicodeForm {
  /// The text of the bytes in normal form C.
  static func composed(_ bytes: UnsafeRawBufferPointer) throws(AuthenticationError) -> Secret {
    if bytes.contains(0) { throw .badText }
    return try Secret(capacity: bytes.count * 16 + 68) { (buffer) throws(AuthenticationError) in
      guard let size = composeUTF8(bytes, in: buffer.bindMemory(to: Int32.self)) else { throw .badText }
      return size
    }
  }
}
