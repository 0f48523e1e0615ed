// Host types in the process that runs code, and tables of that process as the host refers to them. Invariant: such a
// type has the same name, members and messages for unknown names as the host's own.

import CLua

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
      case .method:
        methods.append(FunctionDescription(name: member.name, parameters: [], returns: .any, help: ""))
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
  /// Makes a table with the value's fields. The code of this state can change the table, whichever process it runs
  /// in.
  public func makeTable(_ value: LuaValue) throws -> LuaReference {
    if let distant { return try distant.makeTable(value) }
    return try withStack { stack in
      if case .none = value { stack.pushTable(array: 0, fields: 4) } else { _ = try value.push(on: stack) }
      return stack.reference(-1)
    }
  }
}
