// What a rehearsal (`--dry-run`) may do. Invariant: a unit of work takes back what happens to the user's data;
// everything beyond it (files elsewhere, plugins) asks here first, and in a rehearsal it is only announced.

/// Whether the run is a rehearsal: only a unit of work, which is taken back, may change anything then.
///
///     let rehearsal = Rehearsal(isOn: true) { print("would have been done: \($0)") }
///     guard rehearsal.mayActOutside("export to cards.csv") else { return }
public struct Rehearsal {
  public let isOn: Bool
  /// Prints a line for the user: what would be done.
  private let announce: (String) -> Void

  public init(isOn: Bool, announce: @escaping (String) -> Void) { (self.isOn, self.announce) = (isOn, announce) }

  /// Everything is done.
  public static var off: Rehearsal { Rehearsal(isOn: false) { _ in } }

  /// Whether something that no unit of work takes back may be done. In a rehearsal it may not: the user is shown what
  /// would be done.
  /// - Parameter action: what it is, after "would": `write /tmp/words.csv`.
  public func mayActOutside(_ action: @autoclosure () -> String) -> Bool {
    guard isOn else { return true }
    announce("dry run: would " + action())
    return false
  }
}
