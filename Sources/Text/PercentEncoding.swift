// Percent-encoding of paths in addresses (RFC 3986, 2.1). Invariant: decoding an encoded path gives the same bytes.

/// Returns a path in which each byte except letters and digits of ASCII, `-._~` and slashes is encoded: `/el%20gato`.
public func percentEncoded(path: String) -> String {
  path.utf8.reduce(into: "") { encoded, byte in
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: encoded.unicodeScalars.append(Unicode.Scalar(byte))
    case _ where "-._~/".utf8.contains(byte): encoded.unicodeScalars.append(Unicode.Scalar(byte))
    default: encoded += "%" + hexadecimal([byte]).uppercased()
    }
  }
}

/// Decodes percent signs that are followed by two hexadecimal digits; others are kept.
public func percentDecoded(_ text: some Collection<UInt8>) -> [UInt8] {
  var (result, rest): ([UInt8], ArraySlice<UInt8>) = ([], Array(text)[...])
  while let byte = rest.popFirst() {
    let digits = rest.prefix(2)
    if byte == UInt8(ascii: "%"), digits.count == 2, digits.first != UInt8(ascii: "+"),
      let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    {
      result.append(value)
      rest = rest.dropFirst(2)
    } else {
      result.append(byte)
    }
  }
  return result
}
