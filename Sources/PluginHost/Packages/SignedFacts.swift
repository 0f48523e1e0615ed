// What a signature of a package is over: a list of its files and their hashes. Invariant: the list is made of the files
// that are there, never read from the signature, so nothing that is not in the package can be signed for it, and
// nothing in it can be unsigned.

import Archives
import Authentication
import Text

/// The text that is signed, a fact a line; the signature's file is this text and a last line:
///
///     deckhand plugin package 1
///     plugin: verbs
///     version: 1.0.0
///     key: 64 hexadecimal digits
///     file: SHA256 SIZE PATH        one for each file, by path
///     signature: 128 hexadecimal digits
struct SignedFacts {
  let plugin: String
  let version: String
  let files: [PackedFile]

  private static let head = "deckhand plugin package 1"
  private static let largest = 1 << 20

  private func lines(of key: SignerKey) -> [String] {
    [Self.head, "plugin: \(plugin)", "version: \(version)", "key: \(key.text)"]
      + files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }.map(line)
  }

  private func line(of file: PackedFile) -> String {
    "file: \(hexadecimal(sha256(file.bytes))) \(file.bytes.count) \(file.path)"
  }

  private func message(of key: SignerKey) -> [UInt8] {
    Array((lines(of: key).joined(separator: "\n") + "\n").utf8)
  }

  /// The signature's file.
  func signed(by key: SignerKey, _ sign: ([UInt8]) throws -> [UInt8]) rethrows -> [UInt8] {
    let message = message(of: key)
    return message + Array("signature: \(hexadecimal(try sign(message)))\n".utf8)
  }

  /// Who has signed exactly these files.
  /// - Throws: `SignatureError`: nobody has; the message names the first file that differs.
  func signer(of signature: [UInt8], path: String) throws(SignatureError) -> SignerKey {
    guard signature.count <= Self.largest, let text = String(validating: signature, as: UTF8.self) else {
      throw .badSignature(path: path, reason: "it is not text, or too long")
    }
    let given = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard given.first == Self.head, given.count >= 6, given.last == "",
      let key = Self.fact(given[3], "key").flatMap(SignerKey.init(hexadecimal:)),
      let bytes = Self.fact(given[given.count - 2], "signature").flatMap({ Text.bytes(ofHexadecimal: $0) })
    else { throw .badSignature(path: path, reason: "it is not in the form of this Deckhand") }
    // What was signed is looked at first: whether it is what is here comes after.
    let signed = Array((given.dropLast(2).joined(separator: "\n") + "\n").utf8)
    guard key.verifies(bytes, over: signed) else {
      throw .badSignature(path: path, reason: "it was not made with the key that it names")
    }
    if signed == message(of: key) { return key }
    throw .changed(path: path, what: difference(Array(given.dropLast(2)), lines(of: key)))
  }

  private static func fact(_ line: String, _ name: String) -> String? {
    line.hasPrefix(name + ": ") ? String(line.dropFirst(name.utf8.count + 2)) : nil
  }

  /// The first thing that is not as it was signed, in words.
  private func difference(_ signed: [String], _ here: [String]) -> String {
    let (signedSet, hereSet) = (Set(signed), Set(here))
    let place = { (line: String) in line.split(separator: " ", maxSplits: 3).last.map(String.init) ?? line }
    let gone = signed.filter { !hereSet.contains($0) }
    let new = here.filter { !signedSet.contains($0) }
    guard let first = (new + gone).first(where: { $0.hasPrefix("file: ") }) else {
      return "its name or its version is not the one that was signed"
    }
    let name = place(first)
    if !gone.contains(where: { place($0) == name }) { return "\(quoted(name)) was added after it was signed" }
    if !new.contains(where: { place($0) == name }) { return "\(quoted(name)), which was signed, is missing" }
    return "\(quoted(name)) was changed after it was signed"
  }
}
