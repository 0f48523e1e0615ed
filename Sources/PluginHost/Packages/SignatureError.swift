// Why a signature, a key or the lack of one keeps a package from being installed, in words. Invariant: each message
// says whose key is meant, and what the user can do about it.

public import Authentication
public import Problems
import Text

/// A package whose signature does not do.
public enum SignatureError: Problem, Equatable {
  case badSignature(path: String, reason: String)
  /// Its files are not those that were signed.
  case changed(path: String, what: String)
  /// Nobody has signed it, and nobody was asked.
  case unsigned(path: String)
  /// Signed with a key that the user does not trust.
  case untrusted(plugin: String, key: Fingerprint)
  /// Signed by another key than the one that the plugin of this name has; nil for no signature at all.
  case otherKey(plugin: String, pinned: Fingerprint, given: Fingerprint?)
  case noSuchKey(String, suggestion: String?)
  /// The plugin is not that key's.
  case notPinned(plugin: String, key: Fingerprint)
  case damagedKeys(path: String, reason: String)

  public var report: ProblemReport {
    switch self {
    case .changed(let path, let what):
      ProblemReport(.badSignature, "The package was changed", "\(quoted(path)) is refused: \(what)", ["path": path])
    case .unsigned(let path):
      ProblemReport(
        .unsigned, "Nobody signed it",
        "\(quoted(path)) is not signed, so nobody vouches for what is in it; "
          + "--unsigned takes it all the same", ["path": path])
    case .untrusted(let plugin, let key):
      ProblemReport(
        .untrustedKey, "A key that you do not trust",
        "\(plugin) is signed with the key \(key), which you do not trust. Compare it with what its author says "
          + "elsewhere, then `plugin key trust \(key)`", ["plugin": plugin, "key": key.text])
    case .otherKey(let plugin, let pinned, let given):
      ProblemReport(
        .otherKey, "Another key than before",
        "\(plugin) was signed with the key \(pinned) before, and this one "
          + (given.map { "with \($0)" } ?? "is not signed") + "; it is refused. "
          + "If its author tells you why, `plugin key trust \(given?.description ?? "FINGERPRINT") --plugin \(plugin)`",
        ["plugin": plugin, "pinned": pinned.text, "key": given?.text])
    case .noSuchKey(let text, let near):
      ProblemReport(
        .notFound, "No such key",
        "\(quoted(text)) is no fingerprint of a key: 40 hexadecimal digits expected\(didYouMean(near))",
        ["suggestion": near])
    case .notPinned(let plugin, let key):
      .of(plugin, .notFound, "Not that key's", "\(printable(plugin)) is not a plugin of the key \(key)")
    case .damagedKeys(let path, let reason):
      ProblemReport(
        .badFile, "A damaged file",
        "\(printable(path)): \(reason); no package is installed until it is mended or removed", ["path": path])
    case .badSignature(let path, let reason):
      ProblemReport(
        .badSignature, "A wrong signature", "\(quoted(path)) is refused: its signature does not hold: \(reason)",
        ["path": path])
    }
  }
}
