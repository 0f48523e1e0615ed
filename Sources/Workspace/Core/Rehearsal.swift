// What a rehearsal (`--dry-run`) may do. Invariant: the unit of work rolls back all changes of the user's data; any
// effect outside it (files elsewhere, plugins) asks here first, and is only announced in a rehearsal.

/// Whether the run is a rehearsal. In a rehearsal only a unit of work, which is rolled back, may change anything.
///
///     let rehearsal = Rehearsal(isOn: true) { print("would have been done: \($0)") }
///     guard rehearsal.mayActOutside("export to cards.csv") else { return }
public struct Rehearsal {
  public let isOn: Bool
  /// Prints what would be done, as a line for the user.
  private let announce: (String) -> Void
  private let announced = Announced()

  /// Shared by the copies of a rehearsal.
  private final class Announced { var count = 0 }

  public init(isOn: Bool, announce: @escaping (String) -> Void) { (self.isOn, self.announce) = (isOn, announce) }

  /// Not a rehearsal: everything is done.
  public static var off: Rehearsal { Rehearsal(isOn: false) { _ in } }

  /// How many effects were announced until now.
  public var announcedCount: Int { announced.count }

  /// Whether an effect that no unit of work can roll back is allowed. In a rehearsal it is not, and the user is shown
  /// what would be done.
  /// - Parameter action: the effect, as it reads after "would": `write /tmp/words.csv`.
  public func mayActOutside(_ action: @autoclosure () -> String) -> Bool {
    guard isOn else { return true }
    announced.count += 1
    announce("dry run: would " + action())
    return false
  }
}
