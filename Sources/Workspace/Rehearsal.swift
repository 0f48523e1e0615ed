// What a rehearsal (`--dry-run`) may do. Invariant: a unit of work takes back what happens to the user's data; everything beyond
// it (files elsewhere, plugins) asks here first, and in a rehearsal is only told.

extension Surroundings {
  /// Whether something that no unit of work takes back may be done. In a rehearsal it may not: the user is told what would be.
  /// - Parameter action: what it is, after "would": `write /tmp/words.csv`.
  public func mayActOutside(_ action: @autoclosure () -> String) -> Bool {
    guard isRehearsal else { return true }
    announce("dry run: would " + action())
    return false
  }
}
