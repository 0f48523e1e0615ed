// The idle lock and the history of whoever is signed in. Invariant: a key counts from when it is pressed, also in a line that is
// never finished; nothing typed while one person is signed in is found by another.

import Authentication
import Files
import Problems
import Text
import Workspace

/// Watches how long no key was pressed at the prompt.
struct IdleWatch {
  private var clock: IdleClock
  private var keys: Int

  /// - Parameters:
  ///   - keys: how many keys were pressed until now.
  ///   - now: milliseconds since the machine started, sleep included.
  init(keys: Int, now: Int64) {
    clock = IdleClock(now: now)
    self.keys = keys
  }

  mutating func touch(now: Int64) { clock.touch(now: now) }

  /// Whether nothing was pressed for so many minutes; 0 never is.
  mutating func isOver(keys: Int, minutes: Int, now: Int64) -> Bool {
    if keys != self.keys {
      self.keys = keys
      clock.touch(now: now)
    }
    return clock.isOver(minutes: minutes, now: now)
  }
}

extension Shell {
  /// Lets the prompt watch for the idle lock while somebody is signed in.
  func watchIdle() {
    lineReader?.tick = idleTick()
  }

  /// Asked again and again while a line is typed: whether it is time to lock. It counts from now on.
  func idleTick() -> () -> Bool {
    isIdle = false
    guard gate.user != nil else { return { false } }
    var watch = IdleWatch(keys: LineReader.keyCount, now: environment.clocks.reading().boot)
    return { [unowned self] in
      isIdle = watch.isOver(
        keys: LineReader.keyCount, minutes: preferences?.idleMinutes ?? 0, now: environment.clocks.reading().boot)
      return isIdle
    }
  }

  /// Locks the account, and asks for the password again.
  func lockIdle() {
    isIdle = false
    let minutes = preferences?.idleMinutes ?? 0
    do {
      try signOut()
      console.write("\n")
      console.note("Locked after \(counted(minutes, "minute")) without a key.")
      askAgain()
    } catch {
      report(error)
      leaving = leaving ?? ExitStatus.failed
    }
  }

  /// Milliseconds until a screen is to be locked; nil when it is not, by the setting or because nobody is signed in.
  func untilLock(_ idle: IdleClock) -> Int? {
    guard gate.user != nil, console.terminal.hasKeyboard, let minutes = preferences?.idleMinutes else { return nil }
    return idle.left(minutes: minutes, now: environment.clocks.reading().boot).map { Int($0) }
  }

  /// Asks for the password before a screen goes on. What is open stays open: nothing runs until the right one is given.
  /// - Returns: false when the person left instead; then nobody is signed in.
  func unlock() -> Bool {
    isIdle = false
    console.note("Locked after \(counted(preferences?.idleMinutes ?? 0, "minute")) without a key.")
    switch askForPassword() {
    case nil: return true
    case let status?:
      do {
        try signOut()
      } catch {
        report(error)
      }
      leaving = leaving ?? status
      return false
    }
  }

  // MARK: History

  /// Where the lines go that are typed now: the person's file, or nowhere while nobody is signed in or none are to be kept.
  private var wantedHistory: HistoryPlace {
    let size = gate.needsAuthentication || setup.isDryRun ? 0 : preferences?.historySize ?? 0
    guard size > 0, let path = historyPath else { return HistoryPlace(path: nil, size: 1_000, session: session) }
    return HistoryPlace(path: path, size: size, session: session)
  }

  func makeHistory() -> History {
    let place = wantedHistory
    historyPlace = place
    if let path = place.path {
      do {
        try makePrivateFolder(String(path.dropLast("/history".count)))
      } catch {
        report(error)
      }
    }
    return History(path: place.path, limit: place.size) { [unowned self] in console.message($0) }
  }

  /// Changes to another history when the person or a setting has changed.
  func useHistory() {
    guard let lineReader, wantedHistory != historyPlace else { return }
    let isSamePerson = wantedHistory.session == historyPlace?.session
    let lines = lineReader.history.entries
    let fresh = makeHistory()
    // Turned off, the session's own lines can still be found.
    if isSamePerson, historyPlace?.path == nil { for line in lines { fresh.add(line) } }
    lineReader.history = fresh
  }
}

/// Which history is in use.
struct HistoryPlace: Equatable {
  let path: String?
  let size: Int
  let session: Int
}
