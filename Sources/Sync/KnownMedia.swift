// The state of each media file beside the server. Invariant: what waits to be sent is what a sync would send.

public import Decks

/// What an account knows of the media here and of those of its server.
public struct KnownMedia: Equatable, Sendable {
  /// The state of each name.
  public var states: [String: MediaState]
  /// The last change of the server that is here; 0 compares all.
  public var usn: Int
  /// What was sent as deleted, each with the number of that change there.
  public var deletions: [String: Int] = [:]

  public init(states: [String: MediaState] = [:], usn: Int = 0) { (self.states, self.usn) = (states, usn) }

  /// What a server has is not known: all that is here may have to go.
  mutating func forgetServer() {
    usn = 0
    states = states.compactMapValues { state in
      if state.hash == nil, !state.isPending { return nil }
      var state = state
      state.isPending = true
      return state
    }
  }

  /// How many files and removals are to be sent.
  public var unsent: Int {
    var known = self
    if usn == 0 { known.forgetServer() }
    return known.states.count { $0.value.isPending && MediaExchange.refusal(of: $0.key, $0.value) == nil }
  }
}
