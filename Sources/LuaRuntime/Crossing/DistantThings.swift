// Local stand-ins for functions, objects, tables and types of the other side. Invariants: when the last local use of
// one is gone, the other side is notified; a host type has its name, members and messages.

import CLua
import Wire

/// Something that stays on the other side.
class DistantThing {
  let id: Int
  /// How often it was handed over; only an object is more than once.
  var times = 1
  private let kind: ReferenceKind
  private(set) weak var crossing: LuaCrossing?

  init(_ kind: ReferenceKind, _ id: Int, _ crossing: LuaCrossing) {
    (self.kind, self.id, self.crossing) = (kind, id, crossing)
  }

  deinit { crossing?.release(kind, id, times: times) }
}

/// An object of the host, in the process that runs the code.
final class DistantObject: DistantThing, BoundObject {}

/// A table that lives in the process that runs the code.
final class DistantTable: DistantThing, BoundObject {
  static var type: BoundType<DistantTable> {
    BoundType<DistantTable>("table", "A table of a plugin's.", summary: { _ in "table" }) { _ in }
  }
}

/// A member of a bound type or module, as it is sent to the side that runs the code.
struct SentMember {
  let role: BoundMember.Role
  let name: String
  /// The number of the function in the host's state.
  let number: Int

  func write(to writer: inout WireWriter) {
    writer.byte(role.rawValue)
    writer.text(name)
    writer.word(number)
  }
}

extension SentMember {
  init(from reader: inout WireReader) throws(WireError) {
    guard let role = BoundMember.Role(rawValue: try reader.byte()) else { throw WireError() }
    self.init(role: role, name: try reader.text(), number: try reader.word())
  }
}

struct SentModule {
  let name: String
  let members: [SentMember]
  let modules: [String]

  var frame: [UInt8] {
    var writer = WireWriter(.module)
    writer.text(name)
    writer.list(members) { $1.write(to: &$0) }
    writer.list(modules) { $0.text($1) }
    return writer.bytes
  }
}

extension SentModule {
  init(from reader: inout WireReader) throws(WireError) {
    name = try reader.text()
    members = try reader.list { reader throws(WireError) in try SentMember(from: &reader) }
    modules = try reader.list { reader throws(WireError) in try reader.text() }
  }
}

extension LuaState.Slot {
  /// Adds a host type to a state.
  /// - Parameter function: makes the function that runs a member.
  static func add(
    _ name: String, _ members: [SentMember], to state: LuaState, _ function: (SentMember) -> HostFunction
  ) throws -> LuaState.Slot {
    try state.withStack { stack in
      guard let type = dh_type_new(stack.L, state.entries.store(name)) else { throw state.memoryError }
      for member in members {
        LuaState.PendingType.add(state.store(function(member), type: type), as: member.role, to: type, on: stack.L)
      }
      let slot = LuaState.Slot(type, TypeDescription(name, members), order: state.slots.count)
      state.slots.append(slot)
      return slot
    }
  }
}

extension TypeDescription {
  /// Makes the description of a host type, with what the messages for unknown names need.
  fileprivate init(_ name: String, _ members: [SentMember]) {
    self.init(name: name, help: "", grant: nil, summary: { _ in name }, identity: { _ in .text(name) })
    for member in members {
      switch member.role {
      case .method: methods.append(FunctionDescription(name: member.name, returns: .any, help: ""))
      case .getter, .setter:
        fields.append(
          FieldDescription(
            name: member.name, type: .any, isWritable: false, grant: nil, example: nil, help: "", read: { _ in .none }))
      case .operation: break
      }
    }
  }
}

extension LuaState {
  /// Makes a table with the value's fields, which the code of this state can change, whichever process it runs in.
  public func makeTable(_ value: LuaValue) throws -> LuaReference {
    if let distant { return try distant.makeTable(value) }
    return try withStack { stack in
      if case .none = value { stack.pushTable(array: 0, fields: 4) } else { _ = try value.push(on: stack) }
      return stack.reference(-1)
    }
  }
}
