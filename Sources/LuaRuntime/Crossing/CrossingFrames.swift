// What deckhand and a process that runs a plugin's code say to each other: one frame a time, answers in the order of a
// stack. Invariant: a side that has asked serves what the other asks meanwhile, until its own answer comes; only frames
// without an answer come in between.

/// Whatever carries the frames.
///
///     try channel.send(frame)
///     let answer = try channel.receive {}
public protocol LuaChannel: AnyObject {
  func send(_ frame: [UInt8]) throws
  /// Waits for a frame.
  /// - Parameter waiting: called now and then while there is none; what it throws ends the waiting.
  func receive(_ waiting: () throws -> Void) throws -> [UInt8]
}

/// What a frame begins with.
enum FrameKind: UInt8 {
  // Asked of the side that runs the code; each begins with a serial number.
  /// A text is compiled: its name, the text. Answered by the function.
  case load = 1
  /// A global is set: its name, the value.
  case setGlobal
  /// A table is made of a value, and stays where it is.
  case makeTable
  /// A table that was made so is copied.
  case copyTable
  /// A plugin's `require` is made: the number of the function that finds modules.
  case require
  /// `print` is made: the number of the function that prints.
  case print
  // Asked of the side of the host.
  /// A function of the host is run: its number, the arguments.
  case invoke
  // Asked of either side.
  /// A function that was handed over is called: its id, the arguments.
  case call
  // Without an answer.
  /// A bound type: its number, its name, its members.
  case type
  /// A module: its name, the functions and fields, the names of the modules that are its fields.
  case module
  /// Things that were handed over are needed no more: their ids, and how often each had been handed over.
  case release
  // Answers.
  case values
  /// The host's function failed: a `dh_failure`, the value.
  case failure
  /// The code failed: the position, the value.
  case error
  /// The code does not compile: whether it is only unfinished, the message.
  case syntaxError
  /// What was asked was stopped: the reason, the position.
  case stopped

  /// Whether it is a question or an answer: a byte follows that is 1 where some of its tables come again.
  var holdsValues: Bool {
    switch self {
    case .type, .module, .release: false
    default: true
    }
  }
}

/// How a value begins in a frame.
enum ValueTag: UInt8 {
  case null, no, yes, integer, number, bytes
  /// A table: how many elements it has in order, how many other pairs, its kind.
  case table
  /// A table that came before in this frame, by its place.
  case seenTable
  /// A function, an object or a table that the sender keeps, by its id.
  case ownFunction, ownObject, ownTable
  /// One that the receiver has handed over.
  case yourFunction, yourObject, yourTable
  case coroutine
  /// What has no form: a table that is too deep, an object that is closed.
  case nothing
}

/// What kind of table it is.
enum TableKind: UInt8 {
  case plain
  /// The advice follows.
  case frozen
  case problem
  /// The metatable follows the pairs.
  case withMetatable
}

/// How a member is reached.
enum MemberRole: UInt8 {
  case method, getter, setter, operation
}
