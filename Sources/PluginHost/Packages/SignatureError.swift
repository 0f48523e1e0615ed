// Why a signature, a key, or a missing signature prevents a package from being installed, as messages. Invariant:
// each message says which key is meant, and what the user can do.

public import Problems
import Text

/// Why a package's signature is not accepted.
public enum SignatureError: Problem, Equatable {
  case badSignature(path: String, reason: String)
  /// It is not signed, and the user was not asked.
  case unsigned(path: String)
  /// It is signed with a key that the user does not trust; only the key's id is known.
  case untrusted(plugin: String, keyID: String)
  /// It is signed with another key than the one that the plugin of this name is pinned to; nil for no signature.
  case otherKey(plugin: String, pinnedID: String, givenID: String?)
  case noSuchKey(String, suggestion: String?)
  case notPinned(plugin: String, keyID: String)
  case damagedKeys(path: String, reason: String)

  public var report: ProblemReport {
    switch self {
    case .unsigned(let path):
      ProblemReport(
        .unsigned, "Nobody signed it",
        "\(quoted(path)) is not signed, so nobody vouches for what is in it; "
          + "--unsigned installs it anyway", ["path": path])
    case .untrusted(let plugin, let id):
      ProblemReport(
        .untrustedKey, "A key that you do not trust",
        "\(plugin) is signed with the key \(id), which you do not trust. Get that key from its author, separately "
          + "from the package, then use `plugin key trust KEY`", ["plugin": plugin, "key": id])
    case .otherKey(let plugin, let pinned, let id):
      ProblemReport(
        .otherKey, "A different key",
        "\(plugin) was signed with the key \(pinned) before, and this one "
          + (id.map { "with \($0)" } ?? "is not signed") + "; it is refused. "
          + "If its author explains why, use `plugin key trust KEY --plugin \(plugin)`",
        ["plugin": plugin, "pinned": pinned, "key": id])
    case .noSuchKey(let text, let near):
      ProblemReport(
        .notFound, "No such key",
        "\(quoted(text)) is not a minisign public key: expected RW and 54 letters, or a .pub file\(didYouMean(near))",
        ["suggestion": near])
    case .notPinned(let plugin, let key):
      .of(plugin, .notFound, "Not that key's", "\(printable(plugin)) is not a plugin of the key \(key)")
    case .damagedKeys(let path, let reason):
      ProblemReport(
        .badFile, "A damaged file",
        "\(printable(path)): \(reason); no package is installed until the file is repaired or removed", ["path": path])
    case .badSignature(let path, let reason):
      ProblemReport(
        .badSignature, "A wrong signature", "\(quoted(path)) is refused: its signature is not valid: \(reason)",
        ["path": path])
    }
  }
}
