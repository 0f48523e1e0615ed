// Results on the screen and as JSON. Invariant: a thing answers in JSON with the names of its Lua fields, made from the
// one description of its type.

import Bindings
import Commands
import LuaRuntime
import Values

extension Session {
  /// Shows what a command answered.
  func show(_ result: CommandResult, asJSON: Bool) {
    // What a script shows has nobody who turns pages.
    guard asJSON else { return console.show(result.display, isPaged: !state.isInScript) }
    console.show(result.answer.jsonLines { scripting.record(of: $0) })
  }
}

extension UserScripting {
  /// A bound object as a record of its fields; objects in it stand for themselves by name.
  func record(of object: AnyObject) -> Value {
    if let answer = object as? LuaAnswer { return answer.plain { record(of: $0) } }
    guard let bound = object as? any BoundObject, let type = lua.description(of: bound) else { return .null }
    do {
      return .record(try type.fields.map { ($0.name, value(of: try $0.read(bound))) })
    } catch {
      return .record([("error", .text(String(describing: error)))])
    }
  }

  func value(of value: LuaValue) -> Value { value.value { identity(of: $0) } }

  private func identity(of object: any BoundObject) -> Value {
    guard let type = lua.description(of: object) else { return .null }
    do {
      return value(of: try type.identity(object))
    } catch {
      // It went between the two reads: nothing is left to name.
      return .null
    }
  }
}

extension CommandResult {
  /// A change that came to nothing: the editor left all as it was, or somebody said no.
  static func unchanged(_ answer: CommandAnswer = .value(.null)) -> CommandResult {
    CommandResult(answer, line: "Nothing was changed.")
  }
}
