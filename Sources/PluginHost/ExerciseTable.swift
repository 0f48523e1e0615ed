// The exercises that plugins and the user have added. Invariant: a name has one owner; a plugin is loaded when one of
// its exercises is first used.

public import Problems
public import Workspace

public final class ExerciseTable {
  private unowned let host: PluginHost
  private var known: [String: Exercise] = [:]

  init(_ host: PluginHost) { self.host = host }

  func owner(of name: String) -> Owner? { known[name]?.owner }

  /// Adds an exercise; the user's own replace each other.
  /// - Throws: `WorkspaceError.exerciseTaken`.
  public func add(_ exercise: Exercise) throws(WorkspaceError) {
    if let owner = owner(of: exercise.name), owner != .user || exercise.owner != .user {
      throw .exerciseTaken(name: exercise.name, owner: owner)
    }
    known[exercise.name] = exercise
  }

  public func remove(of owner: Owner) { known = known.filter { $0.value.owner != owner } }

  /// - Throws: `PluginError`, `WorkspaceError.unknownExercise`.
  public func exercise(named name: String) throws -> Exercise {
    let plugins = host.plugins.filter(\.isUsable)
    if known[name] == nil, let plugin = plugins.first(where: { $0.exercises.contains(name) }) { try host.load(plugin) }
    if let exercise = known[name] { return exercise }
    let names = Set(plugins.flatMap(\.exercises)).union(known.keys).sorted()
    throw WorkspaceError.unknownExercise(name: name, names: names, reason: host.reason(forMissing: name, \.exercises))
  }
}
