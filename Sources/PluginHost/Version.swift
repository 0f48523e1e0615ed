// Versions of plugins. Invariant: versions are ordered number by number; a missing number counts as 0, and a version
// with a suffix (1.0.0-beta) comes before the same one without.

/// `1.2.3`, `1.2`, `2.0.0-beta`.
public struct Version: Comparable, Sendable {
  private let numbers: [Int]
  private let suffix: String

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

  private func number(_ index: Int) -> Int { index < numbers.count ? numbers[index] : 0 }

  public static func < (a: Version, b: Version) -> Bool {
    for index in 0..<max(a.numbers.count, b.numbers.count) where a.number(index) != b.number(index) {
      return a.number(index) < b.number(index)
    }
    if a.suffix.isEmpty || b.suffix.isEmpty { return !a.suffix.isEmpty && b.suffix.isEmpty }
    return a.suffix < b.suffix
  }

  public static func == (a: Version, b: Version) -> Bool { !(a < b) && !(b < a) }
}
