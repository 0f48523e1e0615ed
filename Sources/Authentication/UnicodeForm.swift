// Unicode normal forms by utf8proc: of passwords in guarded memory, of names as text.
// Invariant: what is made of a secret's bytes on the way lies in a secret and is wiped with it.

import CUtf8proc

enum UnicodeForm {
  /// The text of the bytes in normal form C.
  static func composed(_ bytes: UnsafeRawBufferPointer) throws(AuthenticationError) -> Secret {
    if bytes.contains(0) { throw .badText }
    // A code point has at most 4 in its canonical decomposition (UAX #15, "Stream-Safe"); more is refused below.
    // Re-encoding works in place, and needs no more than the four bytes that each code point has here.
    let points = bytes.count * 4 + 16
    let text = bytes.bindMemory(to: UInt8.self)
    return try Secret(capacity: points * 4 + 4) { (buffer) throws(AuthenticationError) in
      let options = utf8proc_option_t(UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue)
      let work = buffer.bindMemory(to: utf8proc_int32_t.self)
      let length = utf8proc_decompose(text.baseAddress, text.count, work.baseAddress, points, options)
      guard length >= 0, length <= points else { throw .badText }
      let size = utf8proc_reencode(work.baseAddress, length, options)
      guard size >= 0 else { throw .badText }
      return size
    }
  }

  /// A name as it is kept: normal form C. Nil when that cannot be made.
  static func composed(_ name: String) -> String? {
    mapped(name, UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue)
  }

  /// What two names have in common that differ in capitals or in compatible forms only: case folded, normal form KC.
  static func folded(_ name: String) -> String? {
    mapped(
      name,
      UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue | UTF8PROC_COMPAT.rawValue | UTF8PROC_CASEFOLD.rawValue)
  }

  private static func mapped(_ text: String, _ flags: UInt32) -> String? {
    let bytes = Array(text.utf8)
    let options = utf8proc_option_t(flags)
    let points = bytes.count * 18 + 16
    var work = [utf8proc_int32_t](repeating: 0, count: points + 1)
    let length = utf8proc_decompose(bytes, bytes.count, &work, points, options)
    guard length >= 0, length <= points else { return nil }
    let size = utf8proc_reencode(&work, length, options)
    guard size >= 0 else { return nil }
    return work.withUnsafeBytes { String(validating: $0.prefix(size), as: UTF8.self) }
  }
}
