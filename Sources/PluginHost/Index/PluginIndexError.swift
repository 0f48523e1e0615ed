// Why an index of plugins is refused, as messages. Invariant: each message names the index and the reason, and a
// remedy if there is one.

public import Problems
import Text

/// Why an index is not accepted.
public enum PluginIndexError: Problem, Equatable {
  case notAnIndex(path: String, missing: String)
  case badIndex(path: String, reason: String)
  /// The listing of a plugin; `reason` says where the error is, and what.
  case badListing(plugin: String, reason: String)
  case unsigned(path: String)
  /// It was added without a key, and it is signed with a key that is not trusted.
  case unknownKey(path: String, keyID: String)
  case otherKey(path: String, knownID: String, givenID: String)
  case badSignature(path: String)
  /// An index with a higher number was seen here before.
  case older(path: String, number: Int, seen: Int)
  /// The content differs from the one seen with the same number.
  case changed(path: String, number: Int)
  case expired(path: String, date: String)
  case changedListing(path: String, plugin: String)
  case leadsOut(path: String, file: String)
  /// It was added before.
  case known(path: String)
  case unknown(String, suggestion: String?)

  public var report: ProblemReport {
    switch self {
    case .notAnIndex(let path, let missing):
      .index(path, .notFound, "Not an index", "has no \(printable(missing)), so it is not an index of plugins")
    case .badIndex(let path, let reason):
      ProblemReport(.badFile, "An index that cannot be read", "\(printable(path)): \(reason)", ["path": path])
    case .badListing(let plugin, let reason):
      .of(plugin, .badFile, "A listing that cannot be read", "\(printable(plugin)).json: \(reason)")
    case .unsigned(let path):
      .index(
        path, .unsigned, "Nobody signed it",
        "has no index.json.minisig, so nobody vouches for it; it is refused")
    case .unknownKey(let path, let id):
      .index(
        path, .untrustedKey, "A key that you do not trust",
        "is signed with the key \(id), which you do not trust. Get that key separately from the index, then add it "
          + "with --key KEY")
    case .otherKey(let path, let known, let id):
      .index(
        path, .otherKey, "A different key",
        "was added with the key \(known), and is signed with \(id); it is refused. If its maker explains "
          + "why, use `plugin index remove`, then add it with --key")
    case .badSignature(let path):
      .index(
        path, .badSignature, "A wrong signature",
        "is refused: its signature is not valid, so it was changed after it was signed")
    case .older(let path, let number, let seen):
      .index(
        path, .notNewer, "An older index",
        "has number \(number), and number \(seen) was seen before; an older one is refused, as it may lack later "
          + "fixes and withdrawals")
    case .changed(let path, let number):
      .index(
        path, .badSignature, "A changed index",
        "has number \(number), like the one that was seen before, but different content; it is refused")
    case .expired(let path, let date):
      .index(path, .expired, "An expired index", "was valid until \(date); get a newer one (`git pull` in it)")
    case .changedListing(let path, let plugin):
      .index(
        path, .badSignature, "A changed listing",
        "was signed with a different \(printable(plugin)).json; that plugin is refused")
    case .leadsOut(let path, let file):
      .index(path, .badPath, "A file outside the index", "names \(quoted(file)), which is outside it; it is refused")
    case .known(let path):
      .index(path, .exists, "Already added", "was already added; `plugin index list` shows it")
    case .unknown(let text, let near):
      ProblemReport(
        .notFound, "No such index",
        "no index is called \(quoted(text))\(didYouMean(near)); `plugin index list` shows them", ["suggestion": near])
    }
  }
}

extension ProblemReport {
  /// Makes a problem of the index in a folder.
  fileprivate static func index(
    _ path: String, _ code: ProblemCode.Failure, _ title: String, _ message: String
  ) -> ProblemReport {
    ProblemReport(code, title, "the index \(quoted(path)) \(message)", ["path": path])
  }
}
