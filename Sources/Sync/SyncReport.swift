// What a sync did, in figures and sentences.
// Invariant: `findings` names everything that a conflict reverted, dropped or moved.

public import Values

/// What a sync of the collection or of media did.
public struct SyncReport: Equatable, Sendable {
  /// Remote rows that changed local data, or files.
  public var received = 0
  public var sent = 0
  /// Local cards or files removed because the server had deleted them.
  public var removedHere = 0
  /// Cards and notes, or files, that were deleted locally and are now deleted on the server too.
  public var removedThere = 0
  /// How conflicts were resolved, or what was left out, one sentence each.
  public var findings: [String] = []
  /// Local notes, or texts of them, that the server's note types cannot hold.
  public var setAside: [Value.Record] = []
  /// The file that contains these notes.
  public var setAsidePath: String?
  /// The backup of the local data, if one was made.
  public var backup: String?
  public var link: SyncLink?

  public init() {}

  mutating func note(_ finding: String) {
    if findings.count < 100, !findings.contains(finding) { findings.append(finding) }
  }
}

public enum SyncStage: Equatable, Sendable {
  /// Rows received so far.
  case fetching(Int)
  /// Rows merged so far, and their total.
  case taking(Int, of: Int)
  /// Rows sent so far.
  case sending(Int)
}
