// Shows results on the screen and as JSON. Invariant: the JSON of an object has the names of its Lua fields, taken from
// the same description of its type.

import Bindings
import Commands
import LuaRuntime
import Values

extension Session {
  func show(_ result: CommandResult, asJSON: Bool) {
    // A script's output is never paged, since nobody turns the pages.
    guard asJSON else { return console.show(result.display, isPaged: !state.isInScript) }
    console.show(result.answer.jsonLines { scripting.record(of: $0) })
  }
}

extension UserScripting {
  /// A bound object as a record of its fields; objects within it are represented by their identity.
  func record(of object: AnyObject) -> Value {
    if let answer = object as? LuaCommandResult { return answer.plain { record(of: $0) } }
    guard let bound = object as? any BoundObject, let type = lua.description(of: bound) else { return .null }
    do {
      return .record(try type.fields.map { ($0.name, value(of: try $0.read(bound))) })
    } catch {
      return .record(["error": String(describing: error)])
    }
  }

  func value(of value: LuaValue) -> Value { value.value { identity(of: $0) } }

  private func identity(of object: any BoundObject) -> Value {
    guard let type = lua.description(of: object) else { return .null }
    do {
      return value(of: try type.identity(object))
    } catch {
      // The object was removed between the two reads, so there is nothing to name.
      return .null
    }
  }
}

extension CommandResult {
  /// The result of a change that did nothing: the editor left everything as it was, or the user declined.
  static func unchanged(_ answer: CommandAnswer = .value(.null)) -> CommandResult {
    CommandResult(answer, line: "Nothing was changed.")
  }
}
