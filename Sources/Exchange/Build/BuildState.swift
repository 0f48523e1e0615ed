// What a build knows while it runs.

import Decks

/// The state of a build in progress.
struct BuildState {
  var report = BuildReport()
  /// The earlier build; nil for the first one.
  var build: Int64?
  /// How many notes it made, when gone ones are to be removed.
  var noteCount = 0
  /// The sources that were read, and those that are gone.
  var visited: [VisitedSource] = []
  /// Sources that were not read, with the rows that are gone from them.
  var unread: [(path: String, id: Int64, gone: [BuiltRow])] = []
  var gone: [Int64: [BuiltRow]] = [:]
  /// Rows that may have moved: those of changed sources by given id, and those that are gone by `whole`.
  var (movedIDs, movedRows): ([String: BuiltRow], [Int64: BuiltRow]) = ([:], [:])
  /// The notes that rows of this build belong to.
  var claimed: Set<NoteID?> = []
  /// The paths within the folder of the pictures and sounds that rows name, by name.
  var media: [String: String] = [:]
  /// The ids that this build assigned to rows.
  var ids = NewIDs()
}

/// A source whose rows are written after all sources have been read, because a row may have moved.
struct VisitedSource {
  let path: String
  let id: Int64
  var rows: [BuiltRow] = []
  /// Notes that this build made for the source, or moved to it from another source or deck.
  var new: Set<NoteID> = []
  /// The rows of the last build that the source no longer has.
  var left: [BuiltRow] = []
  var isGone = false
}
