// Swift heap memory used on behalf of Lua code, charged to its state before it is allocated. Invariant: charges for
// copies in a host call are released when the call ends, and charges for stored data when their `MemoryCharge` is
// freed; together with Lua's own memory they stay under the limit.

import CLua
import Text

/// A charge for memory that Swift holds for a state, in effect until this object is freed.
public final class MemoryCharge {
  private weak var state: LuaState?
  private let bytes: Int

  fileprivate init(_ state: LuaState, bytes: Int) {
    self.state = state
    self.bytes = bytes
    dh_keep(state.main, bytes)
  }

  deinit { if let state, !state.isFreed { dh_release(state.main, bytes) } }
}

/// Estimates the memory of a copy: the copy itself, and what is derived from it while it is processed.
enum CopyWeight {
  static let value = 96
  static let header = 32
  static let times = 3

  static func ofText(_ count: Int) -> Int { count < 16 ? 0 : (count + header) * times }
}

/// The memory of a state, as the running call uses it.
public struct LuaMemory: ~Copyable {
  @usableFromInline let L: OpaquePointer

  @usableFromInline init(_ state: OpaquePointer) { L = state }

  /// Charges the state for memory that the running call is about to use, until the call ends. It also polls for a stop.
  /// - Throws: `LuaFailure.memory`, which must end the call.
  public func charge(_ bytes: Int) throws(LuaFailure) { guard dh_charge(L, max(0, bytes)) != 0 else { throw .memory } }

  /// Returns a function for work that knows no Lua: called with the bytes that the work holds, it charges the call for
  /// the most so far, and polls for a stop. It must not outlive the call.
  public func growingCharge() -> (_ held: Int) throws -> Void {
    let L = L
    var charged = 0
    return { held in
      guard dh_charge(L, max(0, held - charged)) != 0 else { throw LuaFailure.memory }
      charged = max(charged, held)
    }
  }

  /// Turns everything the call has been charged so far, plus `more` bytes, into a charge that outlives the call.
  public func retainCharge(_ more: Int = 0) throws(LuaFailure) -> MemoryCharge {
    try charge(more)
    let bytes = dh_charged(L)
    dh_restore_charge(L, 0)
    return MemoryCharge(LuaState.of(L), bytes: bytes)
  }

  /// Whether a value of `bytes` bytes may still be pushed; if not, the call ends with the memory limit.
  public func hasRoom(_ bytes: Int = 0) -> Bool { dh_has_room(L, bytes) != 0 }

  /// - Throws: `LuaFailure.memory` when nothing more may be pushed.
  @usableFromInline func requireRoom() throws(LuaFailure) { guard hasRoom() else { throw .memory } }

  /// Runs a call and the reading of its results; a failure for lack of memory becomes the error of that call.
  @inlinable @inline(__always) func reporting<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch LuaFailure.memory {
      throw LuaStack(L).state.memoryError
    }
  }

  /// Bytes that the state may still use.
  public var room: Int { Int(clamping: dh_room(L)) }

  /// Sets what the bound object at an index is charged from now on.
  public func setCost(_ index: Int, _ bytes: Int) { dh_set_cost(L, Int32(index), max(0, bytes)) }

  /// Releases what `body` was charged, for a loop that stores nothing of an item.
  func releasingCharges<R>(_ body: () throws -> R) rethrows -> R {
    let charged = dh_charged(L)
    defer { dh_restore_charge(L, charged) }
    return try body()
  }

  /// Charges for the copy of a text.
  /// - Parameters:
  ///   - limit: the maximum number of bytes.
  ///   - index: the number of the argument, for the error.
  func chargeText(_ count: Int, limit: Int, at index: Int) throws(LuaFailure) {
    try charge(CopyWeight.ofText(count))
    guard count <= limit else {
      throw .argument(index, "text of at most \(inWords(bytes: limit)) expected, got \(inWords(bytes: count))")
    }
  }
}

extension LuaStack {
  @inlinable public var memory: LuaMemory { LuaMemory(L) }

  /// Returns the beginning of a text, for messages; invalid UTF-8 is replaced. Nil if the value is not a string.
  func excerpt(_ index: Int, limit: Int = 1 << 14) -> String? {
    var length = 0
    guard let start = dh_string(L, Int32(index), &length) else { return nil }
    let shown = String(decoding: UnsafeRawBufferPointer(start: start, count: min(length, limit)), as: UTF8.self)
    return length > limit ? shown + "…" : shown
  }
}

extension LuaState {
  /// The error of a call that was refused memory, or of the stop that is asked of the state.
  @usableFromInline var memoryError: LuaError {
    let reason = isFreed ? 0 : dh_stop_reason_of(main)
    return stopError(reason == 0 ? Int32(DH_STOP_MEMORY.rawValue) : reason)
  }

  /// Pushes a host function on the running stack; it lives as long as Lua holds it.
  func push(_ function: HostFunction, cost: Int, on L: OpaquePointer) {
    dh_push_owned_function(L, Unmanaged.passRetained(function).toOpaque(), function.name, cost)
  }

  /// Runs a full garbage collection of the state.
  public func collect() { if !isFreed { dh_collect(main) } }
}

/// Writes a number of bytes in words, exactly where it could be close to a limit: "28 MiB", "64 KiB", "10,001 bytes".
func inWords(bytes: Int) -> String {
  if bytes >= 10 << 20 || (bytes >= 1 << 20 && bytes & 0xFFFFF == 0) { return "\(grouped(bytes >> 20)) MiB" }
  if bytes >= 1 << 10, bytes & 0x3FF == 0 { return "\(grouped(bytes >> 10)) KiB" }
  return "\(grouped(bytes)) bytes"
}
