// Tests of parsing a command line: options, arguments, what is refused and with which message.

import Problems
import TestSupport
import Text

@testable import Commands

@Suite struct ParsingTests {
  @Test(arguments: [
    ("study --seed 3 A", "--seed 3", "A"), ("study A --seed=3 -n 5 --quiet", "--seed=3 --quiet", "A -n 5"),
    ("study =--seed --seed=3", "--seed=3", "=--seed"), ("study -- --seed 3", "", "-- --seed 3"),
    ("study --seed", "--seed", ""),
    // The command's own options, option values, and words that it takes verbatim stay with the command.
    ("run --quiet a.lua --seed 3", "", "--quiet a.lua --seed 3"), ("card list --deck --seed 3", "", "--deck --seed 3"),
    ("card list uno --seed 3 -dos", "--seed 3", "uno -dos"), ("study --sede 3 --quiet", "", "--sede 3 --quiet"),
  ])
  func `the program's options are accepted after a command`(line: String, taken: String, rest: String) throws {
    let words = try ShellWords.split(line)
    let command = try #require(sampleRegistry().command(of: words))
    let options = [Option("--seed", "N", help: "repeats"), Option("--quiet", help: "says less")]
    let found = command.withdrawing(options, from: words.dropFirst(command.path.count))
    #expect(found.taken.joined(separator: " ") == taken && found.rest.joined(separator: " ") == rest, "\(found)")
  }

  @Test(arguments: [
    ("deck list", "deck list"),
    ("deck create 'A B'", "deck create DECK=A B"),
    ("deck import --format csv D f.txt", "deck import DECK=D FILE=f.txt --format=csv"),
    ("deck import D --format=csv f.txt --strict", "deck import DECK=D FILE=f.txt --format=csv --strict"),
    ("deck import D f --format=a=b", "deck import DECK=D FILE=f --format=a=b"),
    ("deck import D f --format=", "deck import DECK=D FILE=f --format="),
    ("deck import D f --format=\u{93E}", "deck import DECK=D FILE=f --format=\u{93E}"),
    ("deck import D f -s --json", "deck import DECK=D FILE=f --strict --json"),
    ("deck create -- --json", "deck create DECK=--json"),
    ("deck create -", "deck create DECK=-"),
    ("study", "study"),
    ("study -n5", "study --limit=5"),
    ("study -n 5 A::B", "study DECK=A::B --limit=5"),
    ("word shift -5", "word shift BY=-5"),
    ("card tag a b --add x c --add y -a z", "card tag CARD=a,b,c --add=x,y,z"),
    ("doc sheet a b c out.pdf", "doc sheet DOC=a,b,c FILE=out.pdf"),
    ("card list uno -dos 'a b' --deck S -x", "card list QUERY=uno,-dos,a b,-x --deck=S"),
    ("card list -h --json", "card list QUERY=-h --json"),
    ("run --quiet a.lua --quiet -x -- --json", "run FILE=a.lua ARG=--quiet,-x,--,--json --quiet"),
    ("study --help", "help NAME=study"),
    ("deck import --help", "help NAME=deck,import"),
    ("deck --help", "help NAME=deck"),
    ("run a.lua --help", "run FILE=a.lua ARG=--help"),
  ])
  func `a line is parsed by the command's description`(line: String, expected: String) throws {
    #expect(outcome(line, try sampleRegistry()) == expected)
  }

  @Test(arguments: [
    ("", "missing_command: a command is expected; `help` lists them"),
    ("dekc list", #"unknown_command: no command is called "dekc" (did you mean "deck"?)"#),
    ("zzzzzz", #"unknown_command: no command is called "zzzzzz"; `help` lists them"#),
    ("deck lsit", #"unknown_command: deck: no command is called "lsit" (did you mean "list"?)"#),
    ("deck add S", #"unknown_command: deck: no command is called "add" (did you mean "create"?)"#),
    ("deck zzzzzz", #"unknown_command: deck: no command is called "zzzzzz"; `help deck` lists them"#),
    ("deck", "missing_command: deck: one of these commands is expected: create, import, list"),
    ("deck create", "missing_argument: deck create: DECK is missing; usage: deck create DECK"),
    (
      "deck import D",
      "missing_argument: deck import: FILE is missing; usage: deck import DECK FILE [--format F] "
        + "[--on-duplicate skip|update|error] [--strict]"
    ),
    ("doc sheet a", "missing_argument: doc sheet: FILE is missing; usage: doc sheet DOC... FILE"),
    ("deck list x", #"extra_argument: deck list: "x" is one argument too many; usage: deck list"#),
    ("deck list --jsno", #"unknown_option: deck list: no option is called "--jsno" (did you mean "--json"?)"#),
    (
      "deck list -q",
      #"unknown_option: deck list: no option is called "-q"; put -- before a value that begins with a dash"#
    ),
    ("card list --dekc S", #"unknown_option: card list: no option is called "--dekc" (did you mean "--deck"?)"#),
    ("study --limit", "missing_argument: study: --limit needs a value: --limit N"),
    ("study --limit --sprint", "missing_argument: study: --limit needs a value: --limit N"),
    ("study --sprint=1", "bad_value: study: --sprint takes no value"),
    ("study --limit 1 -n2", "bad_value: study: --limit is given twice"),
    ("study --limit x", #"bad_value: study: --limit must be a whole number, at least 1, not "x""#),
    ("study --seconds 0", #"bad_value: study: --seconds must be a whole number from 1 to 3,600, not "0""#),
    (
      "study --seconds 99999999999999999999",
      "bad_value: study: --seconds must be a whole number from 1 to 3,600, not \"99999999999999999999\""
    ),
    (
      "deck import D f --on-duplicate skpi",
      #"bad_value: deck import: --on-duplicate must be skip, update or error (did you mean "skip"?), not "skpi""#
    ),
    ("deck create 'a b", "unterminated_quote: the quote ' that opens at column 13 is not closed"),
    ("deck create \u{1B}[2J x", #"extra_argument: deck create: "x" is one argument too many; usage: deck create DECK"#),
  ])
  func `an error says what is wrong, where, and what was expected`(line: String, expected: String) throws {
    #expect(outcome(line, try sampleRegistry()) == expected)
  }

  @Test func `every error of a line is wrong usage, an error of a description is not`() {
    #expect(CommandError.noCommand.report.code.exitStatus == ExitStatus.usage)
    #expect(CommandError.unterminatedQuote("'", column: 1).report.code.exitStatus == ExitStatus.usage)
    let taken = CommandError.duplicate("x", owner: .user, other: .program)
    #expect(taken.report.code.exitStatus == ExitStatus.failed)
  }

  @Test func `values are parsed by their type`() throws {
    let (_, invocation) = try sampleRegistry().parse(words: ["study", "--limit", "7", "D", "--sprint"])
    #expect(invocation.text("DECK") == "D")
    #expect(invocation.optionalInteger("--limit") == 7)
    #expect(invocation.optionalInteger("--seconds") == nil)
    #expect(invocation.flag("--sprint"))
    #expect(!invocation.wantsJSON)
  }

  @Test(arguments: [
    (["load", "x", "--note=ax"], 1, []), (["load", "x", "--note=ax"], 2, ["x"]),
    (["load", "--from=x", "y"], 2, ["y", "x"]),
    (["load", "y", "--from", "x"], 1, ["x"]), (["load", "--note", "-x", "x"], 2, ["x"]),
    (["load", "x", "--note", "x"], 2, []), (["load", "x", "-ox", "--note=b"], 1, []), (["load", "y", "-ox"], 1, ["x"]),
  ])
  func `files that an alias inserts are not those that the user typed`(
    words: [String], typed: Int, files: [String]
  ) throws {
    let registry = CommandRegistry()
    try registry.add(
      Command(
        "load", theme: "T", access: .open, effect: .reads, summary: "S.",
        arguments: [Argument("FILE", .file, access: .read)],
        options: [Option("--note", "TEXT"), Option("--from", "FILE", .file, short: "o", access: .read)],
        run: { _ in CommandResult() }))
    #expect(try registry.parse(words: words, typed: typed).1.files(for: .read) == files)
  }

  @Test func `the words of a query are joined, and one quoted argument is the query`() throws {
    let (_, invocation) = try sampleRegistry().parse(words: ["card", "list", "uno", "el perro", "-tag:x", #"a "b" c"#])
    #expect(invocation.query("QUERY") == #"uno el perro -tag:x a "b" c"#)
    let (_, empty) = try sampleRegistry().parse(words: ["card", "list"])
    #expect(empty.query("QUERY") == nil)
  }

  @Test func `no words make the parser trap`() throws {
    let registry = try sampleRegistry()
    var random = TestGenerator(7)
    let pieces = [
      "deck", "import", "list", "card", "study", "--", "-", "--json", "--limit", "-n", "-5", "", "=", "--=", "--limit=",
      "-ns", "--help", "é", "\u{0}", "run", "x y", "help", "doc", "sheet", "-.", "--on-duplicate=skip",
    ]
    var parsed = 0
    for _ in 0..<20_000 {
      let words = (0..<Int.random(in: 0...7, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
      do throws(CommandError) { _ = try registry.parse(words: words); parsed += 1 } catch {
        #expect(error.report.code.exitStatus == ExitStatus.usage)
      }
    }
    #expect(parsed > 100)
  }
}

@Suite struct LineReadingTests {
  @Test(arguments: [
    ("deck  list", ["0-4 deck", "6-10 list"]), ("show 'My deck'", ["0-4 show", "5-14 My deck*"]),
    ("a\\ b c", ["0-4 a b*", "5-6 c"]), ("x \"open", ["0-1 x", "2-7 open*"]), ("", []),
    ("ñ | wc", ["0-2 ñ", "3-4 |", "5-7 wc"]), ("a '|' b", ["0-1 a", "2-5 |*", "6-7 b"]),
  ])
  func `words are found with their positions`(line: String, expected: [String]) {
    let found = ShellWords.placed(line).map {
      "\($0.range.lowerBound)-\($0.range.upperBound) \($0.text)\($0.isQuoted ? "*" : "")"
    }
    #expect(found == expected)
  }

  @Test(arguments: [
    "crd list", "studdy", "studdy --sprint", "foo \"x\"", "crd show Spanish:1", "doc-edit x", "deck2 -x", "ls /tmp",
    "cd ~/x",
  ])
  func `a line that looks like a command is one`(line: String) { #expect(CommandShape(line) != nil) }

  @Test(arguments: [
    "x = 5", "x, y = 1, 2", "foo()", "foo.bar", "foo:bar()", "x + 1", "x - 1", "x -- remark", "local x", "return x",
    "1 + 1", "#x", "x and y", "x or y", "\"text\"", "foo{1}", "goto x", "x ~= 2", "x / 2", "x .. y", "lua x", "",
  ])
  func `a line of Lua is not a command`(line: String) { #expect(CommandShape(line) == nil) }
}
