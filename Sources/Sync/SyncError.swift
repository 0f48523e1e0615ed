// The errors between an account and its sync server, and their messages.
// Invariant: each message says whether anything was changed and what to do; none contains a key or a password.

public import Problems
import Text
public import Wire

/// The reason why a sync, or another operation of an account's sync, failed.
public enum SyncError: Problem, Equatable {
  /// `expected` completes "... expected".
  case badAddress(given: String, expected: String)
  /// AnkiWeb's terms allow only Anki's own programs.
  case ankiWeb(host: String)
  case notLinked
  case linked(user: String, address: String)
  case noProgram(path: String)
  /// deckhand-net exited prematurely, or does not answer.
  case programFailed(reason: String)
  case interrupted
  /// A call failed. `step` is the name of the call.
  case call(SyncFault, step: String, address: String)
  /// How many seconds this machine's clock is ahead of the server's.
  case clock(seconds: Int)
  /// The server asks clients not to sync; `message` says why.
  case stopped(message: String)
  /// The server counts a different number of rows than it sent.
  case counts(what: String, given: Int, counted: Int)
  /// Another device changed the server's collection while it was being fetched.
  case moved
  /// A download would replace local cards.
  case cardsHere(cards: Int)
  case unsent(changes: Int)
  /// The server no longer has local cards that were not created or changed here since the last sync.
  case wouldRemove(cards: Int)
  /// A note type has different fields or cards than on the server.
  case shape(type: String)
  /// The local collection cannot be made into a collection for a server. `reason` completes "the file ...".
  case unsound(reason: String)
  /// An upload is refused because a normal sync can send the local changes.
  case uploadNotNeeded
  /// The number of cards on the server that an upload would replace, and of the local ones.
  case replacesServer(there: Int, here: Int)
  /// Nothing was synced yet, and the user has to see first what the server has.
  case firstSync
  /// The operation would leave too little free space on the disk.
  case noSpace(free: Int)
  /// The server's data is larger than `limit` bytes, a tenth of the free disk space.
  case overShare(limit: Int, isMedia: Bool)
  /// A sync was requested within a script, which is a single unit of work.
  case inScript

  public var report: ProblemReport {
    switch self {
    case .badAddress(let given, let expected):
      ProblemReport(
        .badValue, "Not a server address",
        "\(quoted(given)) is not the address of a sync server: \(expected), as in http://192.168.1.5:8080",
        ["value": given])
    case .ankiWeb(let host):
      ProblemReport(
        .serverRefused, "AnkiWeb is not for other programs",
        "\(quoted(host)) is AnkiWeb, whose terms allow only Anki's own programs; sync with a server of your own, "
          + "which Anki's programs can use too", ["host": host])
    case .notLinked:
      ProblemReport(
        .notLinked, "Not linked with a server", "no sync server is linked with this account; `sync login URL` links one"
      )
    case .linked(let user, let address):
      ProblemReport(
        .exists, "Already linked",
        "this account is linked with \(quoted(address)) as \(quoted(user)); `sync logout` ends the link",
        ["path": address])
    case .noProgram(let path):
      ProblemReport(
        .notHere, "Cannot sync here",
        "syncing needs the program deckhand-net, which is not at \(quoted(path)); put it beside deckhand",
        ["path": path])
    case .programFailed(let reason):
      ProblemReport(
        .syncFailed, "The sync stopped", "deckhand-net \(printable(reason)); nothing was changed, try again")
    case .interrupted: ProblemReport(.interrupted, "Interrupted", "interrupted; nothing was changed")
    case .call(let fault, let step, let address): fault.report(step: step, address: address)
    case .clock(let seconds): SyncError.clockReport(seconds)
    case .stopped(let message):
      ProblemReport(
        .serverRefused, "The server asks not to sync",
        "the server says: \(printable(message, limit: 500)). Nothing was changed")
    case .counts(let what, let given, let counted):
      ProblemReport(
        .badSyncAnswer, "The server's counts differ",
        "the server sent \(grouped(given)) \(what) but counts \(grouped(counted)); nothing was changed. Check the "
          + "database in Anki, sync there, then try again", ["given": given, "counted": counted])
    case .moved:
      ProblemReport(
        .busy, "Changed in the meantime",
        "another device changed the server's collection while it was fetched; nothing was changed here, try again")
    case .cardsHere(let cards):
      ProblemReport(
        .losesCards, "There are cards here",
        "\(counted(cards, "card")) here would be replaced by the server's collection; "
          + "`sync --full download --replace \(cards)` does that, and backs up the collection here first",
        ["cards": cards])
    case .unsent(let changes):
      ProblemReport(
        .losesCards, "Changed in the meantime",
        "\(counted(changes, "change")) made here during the sync would be lost; nothing was changed, try "
          + "again", ["changes": changes])
    case .wouldRemove(let cards):
      ProblemReport(
        .losesCards, "Some of your cards are no longer on the server",
        "the server has another collection than at the last sync, without \(counted(cards, "card")) that you have "
          + "here; `sync` at the terminal asks whether to remove them, `sync --full download` replaces the "
          + "collection here",
        ["cards": cards])
    case .shape(let type):
      ProblemReport(
        .serverRefused, "Fields or cards of a note type differ",
        "the note type \(quoted(type)) has other fields or cards here than on the server; sending them would make "
          + "every device download everything again. Nothing was changed; `undo` the change, or make it in Anki too",
        ["name": type])
    case .unsound(let reason):
      ProblemReport(
        .syncFailed, "The collection cannot be uploaded",
        "the file \(printable(reason, limit: 300)); nothing was changed, `doctor` checks the collection")
    case .uploadNotNeeded:
      ProblemReport(
        .losesCards, "Nothing has to be replaced",
        "`sync` sends your changes without replacing anything; an upload is for what it cannot send: other fields or "
          + "cards of a note type, or another collection on the server")
    case .replacesServer(let there, let here):
      ProblemReport(
        .losesCards, "There are cards on the server",
        "\(counted(there, "card")) on the server would be replaced by the \(grouped(here)) here, and every other "
          + "device would have to download all of them; `sync --full upload --replace \(there)` does that, and saves "
          + "the server's collection as a package", ["there": there, "here": here])
    case .firstSync:
      ProblemReport(
        .notLinked, "Nothing was synced yet",
        "run `sync` yourself the first time: it shows what the server has, and asks")
    case .noSpace(let free):
      ProblemReport(
        .storageFull, "Not enough space on the disk",
        "only \(grouped(free >> 20)) MiB are free, which a change or a backup may need; the media received so far "
          + "are kept, free some space and sync again", ["bytes": free])
    case .overShare(let limit, let isMedia):
      ProblemReport(
        .storageFull, "Too large for this disk",
        "the server has more than \(grouped(limit >> 20)) MiB, a tenth of the free disk space, which is the limit of "
          + "one sync; "
          + (isMedia
            ? "the media received so far are kept, sync again for more" : "nothing was changed, free some space"),
        ["bytes": limit])
    case .inScript:
      ProblemReport(
        .inScript, "Not within a script", "a sync cannot run within a script: it is an undo step of its own")
    }
  }

  private static func clockReport(_ seconds: Int) -> ProblemReport {
    let minutes = max(1, (abs(seconds) + 30) / 60)
    let way = seconds > 0 ? "ahead of" : "behind"
    return ProblemReport(
      .clockDiffers, "The clocks differ",
      "this machine's clock is \(counted(minutes, "minute")) \(way) the server's; set the one that is wrong, or cards "
        + "become due on wrong days. Nothing was changed", ["seconds": seconds])
  }
}

extension SyncFault {
  fileprivate func report(step: String, address: String) -> ProblemReport {
    let server = quoted(address)
    func made(_ code: ProblemCode.Failure, _ title: String, _ message: String) -> ProblemReport {
      ProblemReport(code, title, message, ["path": address, "step": step])
    }
    switch self {
    case .status(let status, let reason): return statusReport(status, reason, server, made)
    case .offline(let reason):
      return made(
        .offline, "No connection",
        "\(server) cannot be reached: \(printable(reason, limit: 300)). Nothing was changed and nothing is lost; "
          + "check the address and the network, then try again")
    case .silent(let seconds):
      return made(
        .offline, "The server does not answer",
        "nothing came from \(server) for \(counted(seconds, "second")); nothing was changed and nothing is lost, "
          + "try later"
      )
    case .certificate(let reason):
      return made(
        .badCertificate, "The server cannot be trusted",
        "\(server) cannot be verified: \(printable(reason, limit: 300)). Nothing was sent; its certificate must "
          + "be one that this machine trusts (Debian's ca-certificates)")
    case .badAnswer(let reason):
      return made(
        .badSyncAnswer, "The server's answer cannot be used",
        "\(server): the answer to \(step) \(printable(reason, limit: 300)). Nothing was changed; check that it is an "
          + "Anki sync server")
    case .badRedirect(let reason):
      return made(
        .badSyncAnswer, "The server redirects elsewhere",
        "\(server) redirects to an address that is not allowed: \(printable(reason, limit: 300)). Nothing was changed")
    case .elsewhere(let address):
      return made(
        .badSyncAnswer, "The server redirects elsewhere",
        "\(server) redirects to \(quoted(address)); neither the password nor the key was sent there. Nothing was "
          + "changed; if that is your server, too, `sync login \(printable(address))` (after `sync logout` in a "
          + "linked account)")
    case .ankiWeb(let host): return SyncError.ankiWeb(host: host).report
    case .key(let reason):
      return made(
        .keyFailed, "The key cannot be stored",
        "the key of the server cannot be read or written: \(printable(reason, limit: 300)). Nothing was changed")
    case .noKey:
      return made(
        .notSignedIn, "Not signed in to the server",
        "the key of \(server) is missing, for example because a backup was restored; use `sync login` again")
    }
  }

  private func statusReport(
    _ status: Int, _ reason: String, _ server: String, _ made: (ProblemCode.Failure, String, String) -> ProblemReport
  ) -> ProblemReport {
    switch status {
    case 403:
      return made(
        .notSignedIn, "The server does not know you",
        "\(server) refused the name, the password or the key; use `sync login` with the right ones")
    case 409:
      return made(
        .busy, "Another device is syncing", "another device is syncing with \(server); wait a minute, then try again")
    case 400:
      return made(
        .serverRefused, "The server refused the request",
        "\(server) refused the request (\(printable(reason, limit: 200))); nothing was changed. `doctor` checks "
          + "the collection")
    case 404, 405, 301, 302, 303:
      return made(
        .noServer, "Not a sync server",
        "\(server) is not a sync server (status \(status)); check the address, its path and its port")
    case 413:
      return made(
        .tooLarge, "Too large for the server",
        "\(server) does not accept a request of this size (status 413); a proxy in front of it limits the size")
    case 501:
      return made(
        .newer, "The server requires a newer program",
        "\(server) no longer supports this version of the protocol; update this program")
    default:
      return made(
        .serverFailed, "The server failed",
        "\(server) has an internal error (status \(status)); nothing was changed and nothing is lost, try later")
    }
  }
}
