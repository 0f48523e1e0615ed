// Versions of plugins, and ranges of versions that another plugin accepts. Invariant: versions are ordered number by
// number; a missing number counts as 0, and a version with a suffix (1.0.0-beta) comes before the same one without.

/// `1.2.3`, `1.2`, `2.0.0-beta`.
public struct Version: Comparable, Sendable, CustomStringConvertible {
  let numbers: [Int]
  let suffix: String

  public init?(_ text: String) {
    let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let numbers = parts[0].split(separator: ".", omittingEmptySubsequences: false).map { part in
      part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) : nil
    }
    guard (1...4).contains(numbers.count), !numbers.contains(nil), text.utf8.count <= 64 else { return nil }
    guard parts.count == 1 || !parts[1].isEmpty else { return nil }
    self.numbers = numbers.compactMap { $0 }
    suffix = parts.count == 2 ? parts[1] : ""
  }

  init(_ numbers: [Int]) {
    self.numbers = numbers
    suffix = ""
  }

  func number(_ index: Int) -> Int { index < numbers.count ? numbers[index] : 0 }

  public static func < (a: Version, b: Version) -> Bool {
    for index in 0..<max(a.numbers.count, b.numbers.count) where a.number(index) != b.number(index) {
      return a.number(index) < b.number(index)
    }
    if a.suffix.isEmpty || b.suffix.isEmpty { return !a.suffix.isEmpty && b.suffix.isEmpty }
    return a.suffix < b.suffix
  }

  public static func == (a: Version, b: Version) -> Bool { !(a < b) && !(b < a) }

  public var description: String {
    numbers.map(String.init).joined(separator: ".") + (suffix.isEmpty ? "" : "-" + suffix)
  }
}

/// Conditions that must all hold, separated by spaces or commas: `>=1.2 <2`. `^1.2` is up to the next 2, `~1.2` up to
/// the next 1.3; a plain version is that one and those that only extend it (`1.2` is `~1.2`, `1.2.3` is exactly
/// that); `*` is any.
public struct VersionRange: Sendable, CustomStringConvertible {
  private enum Sign { case less, atMost, more, atLeast, same }
  private let conditions: [(sign: Sign, version: Version)]
  public let description: String

  public init?(_ text: String) {
    let words = text.split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init)
    guard !words.isEmpty, words.count <= 8 else { return nil }
    var read: [(Sign, Version)] = []
    for word in words where word != "*" {
      guard let conditions = Self.conditions(word) else { return nil }
      read += conditions
    }
    conditions = read
    description = text
  }

  private static func conditions(_ word: String) -> [(Sign, Version)]? {
    let signs: [(String, Sign)] = [("<=", .atMost), (">=", .atLeast), ("<", .less), (">", .more), ("=", .same)]
    for (text, sign) in signs where word.hasPrefix(text) {
      return Version(String(word.dropFirst(text.count))).map { [(sign, $0)] }
    }
    if word.hasPrefix("^") { return Version(String(word.dropFirst())).flatMap { upTo($0, position: 0) } }
    if word.hasPrefix("~") { return Version(String(word.dropFirst())).flatMap { upTo($0, position: 1) } }
    guard let version = Version(word) else { return nil }
    return version.numbers.count < 3 ? upTo(version, position: version.numbers.count - 1) : [(.same, version)]
  }

  /// From the version to the next one that differs in the number at the position.
  private static func upTo(_ version: Version, position: Int) -> [(Sign, Version)]? {
    let (next, overflows) = version.number(position).addingReportingOverflow(1)
    guard !overflows else { return nil }
    let end = (0..<position).map { version.number($0) } + [next]
    return [(.atLeast, version), (.less, Version(end))]
  }

  public func contains(_ version: Version) -> Bool {
    conditions.allSatisfy { sign, bound in
      switch sign {
      case .less: version < bound
      case .atMost: version <= bound
      case .more: version > bound
      case .atLeast: version >= bound
      case .same: version == bound
      }
    }
  }
}
