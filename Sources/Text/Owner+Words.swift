// How messages name an owner. Invariant: a name from a script is shown without its control characters.

public import Problems

extension Owner: CustomStringConvertible {
  /// The name in messages: `the program`, `you`, `init.lua`, `script deck.lua`, `plugin quiz`.
  public var description: String {
    switch self {
    case .program: "the program"
    case .user: "you"
    case .startScript: "init.lua"
    case .script(let name): "script \(printable(name))"
    case .plugin(let name): "plugin \(name)"
    }
  }
}
