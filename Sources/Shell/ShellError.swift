// The errors that the shell's own commands find; errors of the rooms below have their own messages.

import Commands
import Files
import Problems
import Text

/// A name in a command that matches nothing, or several objects.
enum LookupError: Problem, Equatable {
  case noCardAt(position: Int, deck: String, count: Int)
  case noCard(guid: String)
  /// A query in place of cards found none.
  case nothingFound(query: String)
  /// `places` are the positions of the first few, as `DECK:POSITION`.
  case severalCards(guid: String, places: [String])
  case severalNotes(guid: String, guids: [String])
  /// A name that matches no element of the document.
  case noElement(String)
  case severalElements(String)
  case noWord(length: Int)
  case noMeaning(word: String, language: String)
  case noForms(word: String, language: String)
  case noAlias(String)
  case noGame
  /// A command without a deck when there is none, or several; `usage` shows how to name it.
  case whichDeck(isAny: Bool, usage: String)

  var report: ProblemReport {
    switch self {
    case .noCardAt(let position, let deck, let count):
      ProblemReport(
        .notFound, "No such card",
        "\(quoted(deck)) has no card at position \(position); it has \(counted(count, "card"))")
    case .noCard(let guid):
      ProblemReport(
        .notFound, "No such card",
        "no card has a guid that begins with \(quoted(guid)); `card list` shows the guids, and DECK:POSITION works too")
    case .nothingFound(let query):
      ProblemReport(
        .notFound, "Nothing found",
        "no card was found for \(quoted(query)); a guid, DECK:POSITION or a query (`help queries`) expected")
    case .severalCards(let guid, let places):
      ProblemReport(
        .ambiguous, "Several cards",
        "\(quoted(guid)) could be several cards: \(places.map { printable($0) }.joined(separator: ", ")); "
          + "name one of these")
    case .severalNotes(let guid, let guids):
      ProblemReport(
        .ambiguous, "Several notes",
        "\(quoted(guid)) could be several notes: \(guids.prefix(4).map { printable($0) }.joined(separator: ", "))")
    case .noElement(let name):
      ProblemReport(.notFound, "No such element", "no element is called \(quoted(name)); `doc show` lists them")
    case .severalElements(let name):
      ProblemReport(.ambiguous, "Several elements", "\(quoted(name)) could be several elements")
    case .noWord(let length): ProblemReport(.notFound, "No such word", "no word has \(counted(length, "letter"))")
    case .noMeaning(let word, let language):
      ProblemReport(
        .notFound, "No meaning",
        "no dictionary of \(language) has the word \(quoted(word)); `word dictionaries` lists them", ["word": word])
    case .noForms(let word, let language):
      ProblemReport(
        .notFound, "No forms",
        "the data of \(language) has no forms of \(quoted(word)); a dictionary form expected", ["word": word])
    case .noAlias(let name): ProblemReport(.notFound, "No such alias", "no alias is called \(quoted(name))")
    case .noGame: ProblemReport(.notFound, "No game", "there is no game to resume; `play` starts one")
    case .whichDeck(isAny: false, _):
      ProblemReport(.missingArgument, "Which deck?", "there is no deck yet; `deck create NAME` creates one")
    case .whichDeck(isAny: true, let usage):
      ProblemReport(.usage(.missingArgument), "Which deck?", "say which deck: `\(usage)`")
    }
  }
}

/// A sign-in or a change of accounts that cannot begin.
enum SignInError: Problem, Equatable {
  case noAccount
  /// There are several accounts and nobody to ask.
  case noName
  /// There is no terminal to ask for a password; the option names a file with one.
  case noPassword(option: String)
  /// The two inputs of a new password differ.
  case notTheSame
  case notSignedIn(as: String)
  case inScript
  /// A sign-out that a script requested while a change of its own was running.
  case withinChange

  var report: ProblemReport {
    switch self {
    case .noAccount: ProblemReport(.noAccount, "No account", "there is no account; `account add NAME` creates one")
    case .noName: ProblemReport(.signIn(.empty), "No name", "there are several accounts; choose one with --user NAME")
    case .noPassword(let option):
      ProblemReport(
        .signIn(.empty), "No password", "no password was given; use \(option) FILE when there is no terminal")
    case .notTheSame:
      ProblemReport(.badPassword, "Not the same", "the two passwords are not the same; nothing was changed")
    case .notSignedIn(let name):
      ProblemReport(
        .notSignedIn, "Not yours",
        "only the account that is signed in can be removed; sign in as \(quoted(name)) first")
    case .inScript:
      ProblemReport(.inScript, "Not in a script", "accounts cannot be changed from within a script")
    case .withinChange:
      ProblemReport(
        .inScript, "Not within a change",
        "nobody can sign out while a change is being made, as in an iterator of add_all; sign out after it")
    }
  }
}

/// A text that could not be edited.
enum EditorError: Problem, Equatable {
  /// `instead` says what to do without an editor.
  case noTerminal(instead: String)
  case failed(editor: String)
  case notUTF8
  /// An invalid line in a table of cards.
  case badLine(Int, expected: String)
  /// A line in a table of cards or notes whose change breaks a rule; `prompt` is the card's.
  case refused(line: Int, prompt: String, ProblemReport)
  /// A text of several parts in which no heading is left.
  case notSheet
  case unknownPart(String)

  var report: ProblemReport {
    switch self {
    case .noTerminal(let instead):
      ProblemReport(.noTerminal, "Nothing to edit with", "\(instead); an editor needs a terminal")
    case .failed(let editor):
      ProblemReport(.editorFailed, "The editor failed", "\(printable(editor)) ended with an error; nothing was changed")
    case .notUTF8: ProblemReport(.badText, "Not UTF-8", "the edited text is not UTF-8; nothing was changed")
    case .badLine(let line, let expected):
      ProblemReport(
        .badText, "Not understood", "line \(line) of the table: \(expected) expected; nothing was changed",
        ["line": line])
    case .refused(let line, let prompt, let report):
      ProblemReport(
        code: report.code, title: report.title,
        message: "line \(line) of the table, \(quoted(prompt)): \(report.message); nothing was changed",
        details: report.details + [("line", line.problemDetail)])
    case .notSheet: ProblemReport(.badText, "Not understood", "no line ==== NAME ==== was found; nothing was changed")
    case .unknownPart(let name):
      ProblemReport(
        .badText, "Not understood",
        "no part is called \(quoted(name)); name:, fields:, front: CARD, back: CARD and css: are expected")
    }
  }
}

/// Output of a command that cannot be redirected.
enum RedirectionError: Problem, Equatable {
  case nothingBehind(sign: String)
  case severalFiles(sign: String)
  case cannotWrite(path: String, errno: Int32)
  case cannotStart(program: String, errno: Int32)

  var report: ProblemReport {
    switch self {
    case .nothingBehind(let sign):
      ProblemReport(
        .usage(.missingArgument), "Something is missing",
        "\(sign == "|" ? "a program" : "a file") is expected after \(sign); in quotes it is an ordinary word")
    case .severalFiles(let sign):
      ProblemReport(
        .usage(.extraArgument), "Too many arguments", "one file is expected after \(sign), and nothing after it")
    case .cannotWrite(let path, let number):
      ProblemReport(
        .fileFailed, "The file cannot be written", "\(printable(path)) cannot be written: \(systemWords(number))")
    case .cannotStart(let program, let number):
      ProblemReport(
        .fileFailed, "The program cannot be started", "\(printable(program)) cannot be started: \(systemWords(number))")
    }
  }
}

enum ShellError: Problem, Equatable {
  case notColor(String)
  case notField(String, suggestion: String?, fields: [String])
  case testsFailed(plugin: String, failed: Int, of: Int)
  /// A plugin asks for permissions, and nobody is there to answer.
  case notGranted(plugin: String, rights: [String], command: String)
  case scriptFailed(String, status: Int32)
  /// Problems that the doctor found and did not repair.
  case unwell(Int, mendable: Int)
  /// Every row of an import was refused; `first` is the reason for the first one.
  case allRefused(file: String, first: String, isTable: Bool)
  /// Standard input as a file, while the prompt reads from it.
  case promptIsStandardInput
  /// A command after `--at` that does not only read.
  case onlyReading(command: String)
  /// A command that `shell.run` must not run.
  case notFromLua(command: String)
  /// A column or a sort field that cards do not have.
  case notColumn(String, suggestion: String?, columns: [String])
  /// A word that sets no option of a deck.
  case notOption(String, suggestion: String?)
  /// A change of a note or its type removes cards, and nobody can be asked.
  case losesCards(String)
  /// Ctrl-C while answers or guesses come from a pipe.
  case interruptedAmidAnswers

  var report: ProblemReport {
    switch self {
    case .notColor(let text):
      ProblemReport(
        .usage(.badValue), "No colour",
        "\(quoted(text)) is not a colour; R,G,B or R,G,B,A, each from 0 to 1, or #rrggbb expected")
    case .notField(let word, let near, let fields):
      ProblemReport(
        .usage(.badValue), "No field",
        "\(quoted(word)): FIELD=VALUE expected\(didYouMean(near)); fields are \(fields.joined(separator: ", "))",
        ["suggestion": near])
    case .testsFailed(let plugin, let failed, let count):
      ProblemReport(.testFailed, "A test failed", "\(plugin): \(failed) of \(counted(count, "test")) failed")
    case .notGranted(let plugin, let rights, let command):
      ProblemReport(
        .notGranted, "Not granted",
        "\(plugin) asks for \(rights.joined(separator: ", ")); `\(printable(command)) --grant` grants it")
    case .scriptFailed(let name, let status):
      ProblemReport(.scriptFailed, "The script failed", "\(printable(name)) ended with status \(status)")
    case .unwell(let count, let mendable):
      ProblemReport(
        .damaged, "Something is wrong",
        "\(counted(count, "finding"))"
          + (mendable == 0 ? "" : "; `doctor --mend` makes a backup and repairs \(grouped(mendable)) of them"),
        ["findings": count, "mendable": mendable])
    case .allRefused(let file, let first, let isTable):
      ProblemReport(
        .allRefused, "Nothing was imported",
        "no row of \(printable(file)) could be imported; the first: \(first)"
          + (isTable
            ? ". `--dry-run` before the command shows what the first cards would be; --separator, --columns and "
              + "--no-header set how a table is read" : ""))
    case .promptIsStandardInput:
      ProblemReport(
        .failed, "Standard input is the prompt's",
        "the prompt reads its lines from standard input; name a file, or give the whole command to deckhand")
    case .onlyReading(let command):
      ProblemReport(
        .usage(.badValue), "Only for reading",
        "--at reads the past, but \(quoted(command)) does not only read; use `undo N` to undo a step")
    case .notColumn(let word, let near, let columns):
      ProblemReport(
        .usage(.badValue), "No column",
        "cards have no column \(quoted(word))\(didYouMean(near)); the columns are \(columns.joined(separator: ", "))",
        ["suggestion": near])
    case .notOption(let word, let near):
      ProblemReport(
        .usage(.badValue), "No option",
        "\(quoted(word)): NAME=VALUE expected\(didYouMean(near)); `deck options DECK` lists the names",
        ["suggestion": near])
    case .losesCards(let what):
      ProblemReport(
        .usage(.losesCards), "Cards would be removed",
        "this would remove \(what); use --yes to agree; nothing was changed")
    case .interruptedAmidAnswers:
      ProblemReport(.interrupted, "Interrupted", "interrupted; your answers so far are saved")
    case .notFromLua(let command):
      ProblemReport(
        .notHere, "Not from Lua",
        "\(command) is for the command line"
          + (["login", "logout"].contains(command) ? "; in Lua use `auth.login` and `auth.logout`" : ""))
    }
  }
}
