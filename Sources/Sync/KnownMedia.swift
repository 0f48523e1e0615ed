// The sync state of each media file. Invariant: the files counted as unsent are exactly those that a sync would send.

public import Decks

/// What an account knows about its local media files and about those of its server.
public struct KnownMedia: Equatable, Sendable {
  public var states: [String: MediaState]
  /// The last change of the server that was received; 0 makes the next sync compare everything.
  public var usn: Int
  /// The deletions that were sent, each with the number that the server gave to the change.
  public var deletions: [String: Int] = [:]

  public init(states: [String: MediaState] = [:], usn: Int = 0) { (self.states, self.usn) = (states, usn) }

  /// Forgets what the server has: every local file may have to be sent.
  mutating func forgetServer() {
    usn = 0
    states = states.compactMapValues { state in
      if state.hash == nil, !state.isPending { return nil }
      var state = state
      state.isPending = true
      return state
    }
  }

  /// How many files and removals are waiting to be sent.
  public var unsent: Int {
    var known = self
    if usn == 0 { known.forgetServer() }
    return known.states.count { $0.value.isPending && MediaExchange.refusal(of: $0.key, $0.value) == nil }
  }
}
