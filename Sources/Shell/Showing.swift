// Results on the screen and as JSON. Invariant: a thing answers in JSON with the names of its Lua fields, made from the
// one description of its type.

import Bindings
package import Commands
package import LuaRuntime
import Text
import Values

extension Session {
  /// Shows what a command answered.
  func show(_ result: CommandResult, asJSON: Bool) {
    // What a script shows has nobody who turns pages.
    guard asJSON else { return console.show(result.display, isPaged: !state.isInScript) }
    console.show(result.answer.jsonLines { record(of: $0) })
  }

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

  /// A value as the prompt shows it; a text as it is, without quotes, each of its lines a line.
  package func display(of value: LuaValue) -> Display {
    do {
      return try lua.withStack { stack in
        _ = try value.push(on: stack)
        let preview = try stack.preview(-1)
        guard case .text(let bytes, _) = preview else { return .lines(preview.lines(on: console.terminal)) }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        return .lines(lines.map { printable(String($0), limit: Int.max) })
      }
    } catch {
      report(error)
      return .none
    }
  }

  /// `shell.table`.
  func show(rows: [[String]], columns: [String]) {
    let width = max(columns.count, rows.map(\.count).max() ?? 0)
    let heads = (0..<width).map { index in
      let isNumeric = !rows.isEmpty && rows.allSatisfy { index < $0.count && Double($0[index]) != nil }
      return TableText.Column(index < columns.count ? columns[index] : "", isNumeric ? .right : .left)
    }
    console.show(.table(TableText(heads, rows: rows)))
  }
}

extension CommandResult {
  /// A change that came to nothing: the editor left all as it was, or somebody said no.
  static func unchanged(_ answer: CommandAnswer = .value(.null)) -> CommandResult {
    CommandResult(answer, line: "Nothing was changed.")
  }
}
