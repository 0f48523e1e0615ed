// Binary-to-text encodings: hexadecimal and base64 by libsodium, used only here.
// Invariant: the same bytes always give the same text.

internal import CSodium

/// Returns two lowercase hexadecimal digits for each byte.
public func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
  let bytes = Array(bytes)
  var text = [CChar](repeating: 0, count: bytes.count * 2 + 1)
  sodium_bin2hex(&text, text.count, bytes, bytes.count)
  return String(decoding: text.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Returns the bytes in base64 (RFC 4648), with or without the final `=`.
public func base64(_ bytes: [UInt8], isPadded: Bool = true) -> String {
  let variant = Int32(isPadded ? sodium_base64_VARIANT_ORIGINAL : sodium_base64_VARIANT_ORIGINAL_NO_PADDING)
  var text = [CChar](repeating: 0, count: sodium_base64_encoded_len(bytes.count, variant))
  sodium_bin2base64(&text, text.count, bytes, bytes.count, variant)
  return String(decoding: text.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Decodes padded base64; whitespace between its letters is ignored. Nil for anything else.
public func bytes(ofBase64 text: String) -> [UInt8]? {
  var bytes = [UInt8](repeating: 0, count: text.utf8.count / 4 * 3 + 3)
  var count = 0
  let result = sodium_base642bin(
    &bytes, bytes.count, text, text.utf8.count, " \t\r\n", &count, nil, Int32(sodium_base64_VARIANT_ORIGINAL))
  return result == 0 ? Array(bytes.prefix(count)) : nil
}
