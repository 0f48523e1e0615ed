// Fast paths, which answer the most common calls of a hot function directly, without a closure. Invariants: a fast
// path can use its stack only while its gate is open; a fast path that declines has changed nothing.

public import CLua

/// Answers a call directly and returns the count of results that it pushed, or declines; the general path of the
/// function then runs. A fast path neither throws nor charges for memory, and pushes only a few values. `object` is
/// self, `context` is what the type or module was made with; both are borrowed.
///
///     fastPath: { L, object, _ in
///       guard let call = FastCall(L, openedBy: object, as: LexiconHandle.self),
///         let word = call.stack.bytesInPlace(2, limit: 100)
///       else { return FastCall.declined }
///       return call.answer(borrowed(object, as: LexiconHandle.self) { $0.lexicon.contains(word) })
///     }
public typealias LuaFastPath =
  @convention(c) (_ L: OpaquePointer?, _ object: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?) -> Int32

/// Decides whether fast paths may be taken now: closed once the user has signed out.
public protocol LuaGate: AnyObject {
  var isOpen: Bool { get }
}

extension LuaStack {
  /// Returns the bytes of a string argument, in place; nil for any other value and for more than `limit` bytes.
  @inlinable @inline(__always) public func bytesInPlace(_ index: Int, limit: Int) -> UnsafeBufferPointer<UInt8>? {
    var length = 0
    guard let start = lua_tolstring(L, Int32(truncatingIfNeeded: index), &length), length <= limit else { return nil }
    return UnsafeBufferPointer(start: UnsafeRawPointer(start).assumingMemoryBound(to: UInt8.self), count: length)
  }
}

public struct FastCall: ~Copyable {
  public let stack: LuaStack

  /// Returned by a fast path that leaves the call to the general path.
  @inlinable @inline(__always) public static var declined: Int32 { DH_DECLINED }

  /// Fails while the gate, which is the object or the context of the fast path, is closed.
  @inlinable @inline(__always)
  public init?<Gate: LuaGate>(_ L: OpaquePointer?, openedBy gate: UnsafeMutableRawPointer?, as type: Gate.Type) {
    guard let L, let gate, Unmanaged<Gate>.fromOpaque(gate)._withUnsafeGuaranteedRef({ $0.isOpen }) else { return nil }
    stack = LuaStack(L)
  }

  /// Pushes the only result of a fast path.
  @inlinable public func answer(_ value: Bool) -> Int32 {
    stack.push(value)
    return 1
  }

  @inlinable public func answer(_ value: Int) -> Int32 {
    stack.push(value)
    return 1
  }

  @inlinable public func answer(argument index: Int) -> Int32 {
    lua_pushvalue(stack.L, Int32(truncatingIfNeeded: index))
    return 1
  }
}

/// Passes `body` the object or context of a fast path, whose gate has been checked.
@inlinable @inline(__always)
public func borrowed<T: AnyObject, R>(_ object: UnsafeMutableRawPointer, as type: T.Type, _ body: (T) -> R) -> R {
  Unmanaged<T>.fromOpaque(object)._withUnsafeGuaranteedRef(body)
}
