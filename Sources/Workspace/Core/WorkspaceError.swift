// The errors of a workspace itself, such as the use of a handle after a sign-out.
// Invariant: every handle that outlives its workspace fails with the same code.

public import Problems
import Text

/// The reason why a workspace operation failed.
///
///     do { try handle.record() } catch WorkspaceError.signedOut(let what) { ... }
public enum WorkspaceError: Problem, Equatable {
  /// The user signed out, or nobody has signed in yet.
  case authenticationRequired
  /// An object from before a sign-out was used.
  case signedOut(what: String)
  /// The collection is empty or missing although there are documents, media or backups.
  case collectionGone(path: String, backup: String?)
  /// The user interrupted.
  case interrupted
  /// `media.player` is empty.
  case noPlayer
  /// The program of `media.player` does not exist, or cannot be run.
  case playerMissing(String)
  /// The program of `media.speech` (espeak-ng if nil) does not exist, or cannot be run.
  case noSpeech(program: String?)
  /// `media.speech` does not say where the program is to write the sound.
  case speechWithoutFile(String)
  /// The program produced no sound for a text.
  case unspoken(text: String, language: String, program: String)
  /// The program took too long to produce a sound.
  case speechTimedOut(text: String, program: String, seconds: Int)
  /// ffmpeg does not exist, or cannot be run.
  case noCutting
  /// ffmpeg produced neither a sound nor a picture from a film.
  case notCut(path: String)
  /// The changes of a plugin in a unit of work take as much memory as the plugin may use.
  case tooMuchWaits
  /// A change was attempted outside a unit of work in a rehearsal.
  case rehearsal(String)
  /// A change was attempted while all data is read as it was at an undo step.
  case lookingBack(String)

  public var report: ProblemReport {
    switch self {
    case .authenticationRequired:
      ProblemReport(.signIn(.authRequired), "Sign in first", "nobody is signed in; `login` first")
    case .signedOut(let what):
      ProblemReport(
        .signIn(.authRequired), "Signed out",
        "this \(what) was opened before a sign-out; sign in and open it again")
    case .collectionGone(let path, let backup):
      ProblemReport(
        .storageDamaged, "The collection is gone",
        "\(quoted(path)) is empty or not there, though other data are; "
          + (backup.map { "`restore \(printable($0, limit: 4096))` puts the newest backup back; " }
            ?? "no backup is there; ")
          + "`doctor --mend` begins an empty collection", ["path": path])
    case .interrupted: ProblemReport(.interrupted, "Interrupted", "interrupted; nothing was changed")
    case .noPlayer:
      ProblemReport(
        .noPlayer, "Nothing to play sounds with", "no player is set; `set media.player mpv` plays sounds with mpv")
    case .playerMissing(let program):
      ProblemReport(
        .noPlayer, "The player cannot be run",
        "\(quoted(program)) cannot be run; `set media.player PROGRAM` chooses another", ["name": program])
    case .noSpeech(let program):
      ProblemReport(
        .noPlayer, "Nothing to speak with",
        program.map { "\(quoted($0)) cannot be run; `set media.speech` names another, or nothing for espeak-ng" }
          ?? "espeak-ng cannot be run; install Debian's espeak-ng, or `set media.speech PROGRAM`",
        ["name": program ?? "espeak-ng"])
    case .speechWithoutFile(let setting):
      ProblemReport(
        .badValue, "Nowhere to write a sound",
        "media.speech is \(quoted(setting)): {file} is expected in it, where the program writes its sound",
        ["value": setting])
    case .unspoken(let text, let language, let program):
      ProblemReport(
        .badText, "Nothing to hear",
        "\(printable(program)) makes no sound of \(quoted(text)) in \(language); look at the text, or give another "
          + "--language", ["text": text, "language": language])
    case .speechTimedOut(let text, let program, let seconds):
      ProblemReport(
        .timedOut, "It took too long",
        "\(printable(program)) was ended: it had no sound of \(quoted(text)) after \(seconds) s", ["text": text])
    case .noCutting:
      ProblemReport(
        .noPlayer, "Nothing to cut films with", "ffmpeg cannot be run; install Debian's ffmpeg", ["name": "ffmpeg"])
    case .notCut(let path):
      ProblemReport(
        .badFile, "Nothing to hear or see",
        "ffmpeg makes neither a sound nor a picture of \(printable(path)); look whether it plays", ["path": path])
    case .tooMuchWaits:
      ProblemReport(
        .tooMany, "Too much to keep",
        "what the plugin has changed in this script takes all the memory that it may have until the script ends; "
          + "change less in one script, or raise it with `plugin limit`")
    case .rehearsal(let operation):
      ProblemReport(
        .rehearsal, "Not in a rehearsal", "\(operation) is not done under --dry-run; nothing was changed")
    case .lookingBack(let operation):
      ProblemReport(
        .cannotUndo, "Only for reading",
        "\(operation) is not done at a step of the past, where everything is only read; nothing was changed")
    }
  }
}
