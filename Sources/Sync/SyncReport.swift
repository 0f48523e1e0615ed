// What a sync did, in figures and sentences.
// Invariant: `findings` names whatever a conflict took back, dropped or moved.

public import Values

/// What a sync did.
///
///     let report = try workspace.sync.run(consent: { _ in false }) { _ in }
///     print(report.received, report.sent)
public struct SyncReport: Equatable, Sendable {
  /// Remote rows that changed something here.
  public var received = 0
  /// Rows that were sent.
  public var sent = 0
  /// Cards that are gone here because they were deleted there.
  public var removedHere = 0
  /// Cards and notes that were deleted here and now are there too.
  public var removedThere = 0
  /// How conflicts were settled, one sentence each.
  public var findings: [String] = []
  /// Notes of ours, or texts of them, that the note types of the server have no place for.
  public var setAside: [Value.Record] = []
  /// The file that these are in.
  public var setAsidePath: String?
  /// The backup of what was here, where one was made.
  public var backup: String?
  /// The link as it is after it.
  public var link: SyncLink?

  public init() {}

  mutating func note(_ finding: String) {
    if findings.count < 100, !findings.contains(finding) { findings.append(finding) }
  }
}

/// Where a sync is.
public enum SyncStage: Equatable, Sendable {
  /// Rows that came so far.
  case fetching(Int)
  /// Rows that were taken in, of all that came.
  case taking(Int, of: Int)
  /// Rows that were sent so far.
  case sending(Int)
}
