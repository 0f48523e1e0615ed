// The protocol between deckhand and a process that runs a plugin's code: one frame at a time, with answers in stack
// order. Invariant: a side that waits for an answer serves the requests of the other side until the answer comes;
// only frames that need no answer come in between.

import Wire

/// The transport of the frames.
public protocol LuaChannel: AnyObject {
  func send(_ frame: [UInt8]) throws
  /// Waits for a frame.
  /// - Parameter waiting: called periodically while there is none; what it throws ends the wait.
  func receive(_ waiting: () throws -> Void) throws -> [UInt8]
}

enum FrameKind: UInt8 {
  // Requests to the side that runs the code; each begins with a serial number.
  /// Compiles a text: its name, the text. Answered with the function.
  case load = 1
  /// Sets a global: its name, the value.
  case setGlobal
  /// Makes a table from a value; the table stays on that side.
  case makeTable
  /// Copies a table made by `makeTable`.
  case copyTable
  /// Makes a plugin's `require`: the number of the function that finds modules.
  case require
  /// Makes `print`: the number of the function that prints.
  case print
  // Requests to the host.
  /// Runs a host function: its number, the arguments.
  case invoke
  // Requests to either side.
  /// Calls a function that was handed over: its id, the arguments.
  case call
  // Frames without an answer.
  /// A bound type: its number, its name, its members.
  case type
  /// A module: its name, its functions and fields, the names of the modules that it holds as fields.
  case module
  /// Releases functions, objects or tables that were handed over: their ids, and how often each had been handed over.
  case release
  // Answers.
  case values
  /// The host's function failed: a `dh_failure`, the value.
  case failure
  /// The code failed: the position, the traceback (empty unless the terms ask for it), the value.
  case error
  /// The code does not compile: whether it is only incomplete, the message.
  case syntaxError
  /// The request was stopped: the reason, the position.
  case stopped
}

/// The first byte of a value in a frame.
enum ValueTag: UInt8 {
  case null, no, yes, integer, number, bytes
  /// A table: its number of elements in sequence, its number of other pairs, its kind.
  case table
  /// A table that occurred earlier in this frame, by its number.
  case seenTable
  /// A function, an object or a table that stays with the sender, by its id.
  case ownFunction, ownObject, ownTable
  /// A function, an object or a table that the receiver handed over before.
  case yourFunction, yourObject, yourTable
  case coroutine
  /// A value that cannot be transferred: a table nested too deeply, a closed object.
  case nothing
}

enum TableKind: UInt8 {
  case plain
  /// A frozen table; its advice follows.
  case frozen
  case problem
  /// A table whose metatable follows the pairs.
  case withMetatable
}

extension WireWriter {
  init(_ kind: FrameKind) {
    self.init()
    // In a request or an answer a byte follows that is 1 if some of its tables occur more than once.
    let isBare = kind == .type || kind == .module || kind == .release
    bytes = isBare ? [kind.rawValue] : [kind.rawValue, 0]
  }

  /// Writes one value: a text.
  mutating func message(_ text: String) {
    word(1)
    byte(ValueTag.bytes.rawValue)
    self.text(text)
  }

  /// Marks in a frame of values that some of its tables occur more than once.
  mutating func markSeenTables() { bytes[1] = 1 }
}
