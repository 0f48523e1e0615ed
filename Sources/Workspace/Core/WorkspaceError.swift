// The errors of a workspace itself, such as the use of a handle after a sign-out.
// Invariant: every handle that outlives its workspace fails with the same code.

import Files
public import Lexicon
public import Problems
import Text

public enum WorkspaceError: Problem, Equatable {
  case authenticationRequired
  case signedOut(what: String)
  case collectionGone(path: String, backup: String?)
  case interrupted
  case noPlayer
  case playerMissing(String)
  /// The program of `media.player` ended with an error; the reason is what it reported.
  case playerFailed(program: String, reason: String?)
  /// The program of `media.speech` (espeak-ng if nil) does not exist, or cannot be run.
  case noSpeech(program: String?)
  case speechWithoutFile(String)
  /// The program produced no sound for a text; the reason is what it reported.
  case unspoken(text: String, language: String, program: String, reason: String?)
  case speechTimedOut(text: String, program: String, seconds: Int)
  case noCutting
  /// ffmpeg produced neither a sound nor a picture from a film; the reason is what it reported.
  case notCut(path: String, reason: String?)
  case tooMuchWaits
  case badExercise(name: String, reason: String)
  /// Not an answer to a question with that many choices, or words to put in order.
  case notGiven(String, count: Int, isOrder: Bool)
  /// A deck has not enough words for a game; `found` counts those that the game would be about.
  case tooFewWords(deck: String, words: Int, found: Int, needed: Int)
  /// A text is in another language than the one that texts are set to; `found` is its code.
  case otherLanguage(path: String, found: String, read: Language)
  case rehearsal(String)
  case lookingBack(String)

  public var report: ProblemReport {
    switch self {
    case .authenticationRequired:
      ProblemReport(.signIn(.authRequired), "Sign in first", "nobody is signed in; `login` first")
    case .signedOut(let what):
      ProblemReport(
        .signIn(.authRequired), "Signed out", "this \(what) was opened before a sign-out; sign in and open it again")
    case .collectionGone(let path, let backup):
      ProblemReport(
        .storageDamaged, "The collection is missing",
        "\(quoted(path)) is empty or missing, but other data exists; "
          + (backup.map { "`restore \(printable(shellQuoted($0), limit: 4096))` restores the newest backup; " }
            ?? "there is no backup; ") + "`doctor --mend` creates an empty collection", ["path": path])
    case .interrupted: ProblemReport(.interrupted, "Interrupted", "interrupted; nothing was changed")
    case .otherLanguage(let path, let found, let read):
      ProblemReport(
        .unknownLanguage, "Another language",
        "\(quoted(path)) looks \(Language.base(found)?.title ?? found), and would be read as \(read.title); "
          + (Language.base(found).map { "`--language \($0.name)` reads it so, " } ?? "which is not known yet; ")
          + "`--language \(read.name)` as \(read.title) all the same", ["path": path, "language": found])
    case .noPlayer:
      ProblemReport(.noPlayer, "No sound player", "no player is set; `set media.player mpv` plays sounds with mpv")
    case .playerMissing(let program):
      ProblemReport(
        .noPlayer, "The player cannot be run",
        "\(quoted(program)) cannot be run; `set media.player PROGRAM` chooses another", ["name": program])
    case .playerFailed(let program, let reason):
      ProblemReport(
        .noPlayer, "The player failed",
        "\(printable(program)) ended with an error\(inParentheses(reason)); `set media.player PROGRAM` chooses another",
        ["name": program])
    case .noSpeech(let program):
      ProblemReport(
        .noPlayer, "No speech program",
        program.map { "\(quoted($0)) cannot be run; `set media.speech` chooses another, an empty value espeak-ng" }
          ?? "espeak-ng cannot be run; install Debian's espeak-ng, or `set media.speech PROGRAM`",
        ["name": program ?? "espeak-ng"])
    case .speechWithoutFile(let setting):
      ProblemReport(
        .badValue, "No file for the sound",
        "media.speech is \(quoted(setting)): it must contain {file}, where the program writes its sound",
        ["value": setting])
    case .unspoken(let text, let language, let program, let reason):
      ProblemReport(
        .badText, "No sound was made",
        "\(printable(program)) made no sound for \(quoted(text)) in \(language)\(inParentheses(reason)); "
          + "check the text, or give another --language", ["text": text, "language": language])
    case .speechTimedOut(let text, let program, let seconds):
      ProblemReport(
        .timedOut, "It took too long",
        "\(printable(program)) was stopped: it made no sound for \(quoted(text)) within \(seconds) s", ["text": text])
    case .noCutting:
      ProblemReport(.noPlayer, "ffmpeg is missing", "ffmpeg cannot be run; install Debian's ffmpeg", ["name": "ffmpeg"])
    case .notCut(let path, let reason):
      ProblemReport(
        .badFile, "No sound or picture",
        "ffmpeg made neither a sound nor a picture from \(printable(path))\(inParentheses(reason)); "
          + "check whether it plays", ["path": path])
    case .tooMuchWaits:
      ProblemReport(
        .tooMany, "Too many changes in one script",
        "the plugin's changes in this script take as many bytes as the memory that it may use; "
          + "change less in one script, or raise the limit with `plugin limit`")
    case .badExercise(let name, let reason):
      ProblemReport(.badExercise, "Malformed exercise", "exercise \(quoted(name)): \(printable(reason, limit: 400))")
    case .notGiven(let line, let count, let isOrder):
      ProblemReport(
        .badAnswer, "Not an answer",
        "\(quoted(line)) is not an answer; "
          + (isOrder ? "numbers from 1 to \(count), each once, expected" : "a number from 1 to \(count) expected"))
    case .tooFewWords(let deck, let words, let found, let needed):
      ProblemReport(
        .tooFewWords, "Too few words",
        "\(quoted(deck)) has \(counted(words, "prompt")) of one word, \(grouped(found)) of them for this game; "
          + "it needs at least \(grouped(needed)); another mode or --query may find more",
        ["found": found, "needed": needed])
    case .rehearsal(let operation):
      ProblemReport(.rehearsal, "Not in a dry run", "\(operation) cannot be done with --dry-run; nothing was changed")
    case .lookingBack(let operation):
      ProblemReport(
        .cannotUndo, "Only for reading",
        "\(operation) cannot be done at a step of the past, which is read-only; nothing was changed")
    }
  }
}

private func inParentheses(_ reason: String?) -> String { reason.map { " (\(printable($0)))" } ?? "" }
