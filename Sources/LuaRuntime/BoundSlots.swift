// What a state holds besides its stack: the bound classes, how their objects pass into and out of Lua, memory that C
// reads, and error values that Swift may throw back into Lua. Invariants: the userdata of an object retains it exactly
// once, and an object comes out only as the class that went in; memory that C points to lives until the state is freed.

import CLua

extension LuaState {
  /// The registration of a bound class in this state.
  final class Slot {
    let key: ObjectIdentifier
    let type: UnsafeMutablePointer<dh_type>
    let description: TypeDescription
    /// Bytes that each object is charged; the minimum where each object is measured.
    private let cost: Int
    private let weigh: ((any BoundObject) -> Int)?
    let bring: (UnsafeMutableRawPointer) -> any BoundObject
    /// How many classes were registered before this one.
    let order: Int
    /// The members as they are sent to a process that runs code.
    let members: [SentMember]

    init<T: BoundObject>(
      _ bound: BoundType<T>, _ type: UnsafeMutablePointer<dh_type>, _ members: [SentMember], order: Int
    ) {
      self.members = members
      key = ObjectIdentifier(T.self)
      self.order = order
      (self.type, description) = (type, bound.description)
      switch bound.weight {
      case .bytes(let bytes): (cost, weigh) = (bytes, nil)
      case .measured(let measure): (cost, weigh) = (128, { ($0 as? T).map(measure) ?? 0 })
      }
      bring = { Unmanaged<T>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Makes the slot of a host type, in the process that runs code.
    init(_ type: UnsafeMutablePointer<dh_type>, _ description: TypeDescription, order: Int) {
      key = ObjectIdentifier(DistantObject.self)
      (self.type, self.description, self.order) = (type, description, order)
      (members, cost, weigh) = ([], 128, nil)
      bring = { Unmanaged<DistantObject>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The bytes that an object is charged.
    func cost(of object: any BoundObject) -> Int { weigh.map { max(cost, $0(object)) } ?? cost }

    /// Pushes an object, which its userdata then retains.
    func push(_ object: any BoundObject, cost: Int, on L: OpaquePointer) {
      let reference = Unmanaged<AnyObject>.passUnretained(object)
      if dh_push_object(L, type, reference.toOpaque(), cost) != 0 { _ = reference.retain() }
    }
  }

  /// A class that was registered, and the closure that describes it to a state when the class is first used.
  struct PendingType {
    let key: ObjectIdentifier
    /// Returns nil if the state has no usable stack at the moment.
    let describe: (LuaState) -> Slot?

    init<T: BoundObject>(_ bound: @escaping () -> BoundType<T>, order: Int) {
      key = ObjectIdentifier(T.self)
      describe = { state in
        // While a coroutine runs, the main stack must not be used.
        guard !state.isFreed, let L = dh_running(state.main), lua_checkstack(L, Int32(DH_ROOM)) != 0 else { return nil }
        let bound = bound()
        guard let type = dh_type_new(L, state.entries.store(bound.description.name)) else { return nil }
        var sent: [SentMember] = []
        for member in bound.members {
          sent.append(SentMember(role: member.role, name: member.function.name, number: state.entries.functions.count))
          PendingType.add(
            state.store(member.function, type: type, context: bound.context), as: member.role, to: type, on: L)
        }
        return Slot(bound, type, sent, order: order)
      }
    }

    static func add(
      _ entry: UnsafeMutablePointer<dh_function>, as role: BoundMember.Role, to type: UnsafeMutablePointer<dh_type>,
      on L: OpaquePointer
    ) {
      switch role {
      case .method: dh_type_method(L, type, entry)
      case .getter: dh_type_getter(L, type, entry)
      case .setter: dh_type_setter(L, type, entry)
      case .operation: dh_type_operator(L, type, entry)
      }
    }
  }

  func slot(of type: any BoundObject.Type) -> Slot? {
    let key = ObjectIdentifier(type)
    for slot in slots where slot.key == key { return slot }
    return pendingTypes.first { $0.key == key }.flatMap { slot(of: $0) }
  }

  private func slot(of type: UnsafePointer<dh_type>) -> Slot? {
    for slot in slots where UnsafePointer(slot.type) == type { return slot }
    return nil
  }

  /// Returns the Lua name of a bound class.
  func name(of type: any BoundObject.Type) -> String { slot(of: type)?.description.name ?? "object" }

  public func description(of object: any BoundObject) -> TypeDescription? {
    slot(of: Swift.type(of: object))?.description
  }

  func push(object: any BoundObject, on L: OpaquePointer) {
    guard let slot = slot(of: Swift.type(of: object)) else {
      lua_pushnil(L)
      return
    }
    slot.push(object, cost: slot.cost(of: object), on: L)
  }

  func object(on L: OpaquePointer, at index: Int32) -> (any BoundObject)? {
    guard let type = dh_type_of(L, index), let slot = slot(of: type), let raw = dh_to_object(L, index, type) else {
      return nil
    }
    return slot.bring(raw)
  }

  func slot(on L: OpaquePointer, at index: Int32) -> Slot? { dh_type_of(L, index).flatMap { slot(of: $0) } }

  func description(named name: String) -> TypeDescription? { types.first { $0.name == name } }
}

/// The functions and C strings that were passed to a state, which points to them as long as it lives.
struct HostEntries {
  var functions: [(object: HostFunction, context: AnyObject?, entry: UnsafeMutablePointer<dh_function>)] = []
  private var names: [UnsafeMutablePointer<CChar>] = []

  /// Returns a C string that lives as long as the state.
  mutating func store(_ text: String) -> UnsafeMutablePointer<CChar> {
    let bytes = text.utf8
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
    for (index, byte) in bytes.enumerated() { copy[index] = CChar(bitPattern: byte) }
    copy[bytes.count] = 0
    names.append(copy)
    return copy
  }

  /// Frees the memory; call it only after the state has been freed.
  mutating func deallocate() {
    for function in functions { function.entry.deallocate() }
    for name in names { name.deallocate() }
    self = HostEntries()
  }
}
