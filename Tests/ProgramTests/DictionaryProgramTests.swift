// Definitions and pronunciation of words, through the built program.

import Glibc
import TestSupport

@Suite struct DictionaryProgramTests {
  private let home = Home()

  private func run(_ words: String...) throws -> Run {
    let speaker = try home.write(
      "#!/bin/sh\n[ \"$2\" = es ] || exit 1\nprintf '%0100d' 7 > \"$4\"\ncat \"$6\" >> \"$4\"\n", to: "bin/espeak-ng")
    chmod(speaker, 0o755)
    return try run(words, path: home.path + "/bin:/usr/bin:/bin")
  }

  private func run(_ words: [String], path: String) throws -> Run {
    let environment = home.environment(with: ["PATH=" + path])
    return try Child(home.words(words), environment: environment).finish(input: "")
  }

  @Test func `a word is defined from the user's own table, as lines, as JSON and in Lua`() throws {
    try home.write("gato\ttomcat\nperro\tdog\n", to: "data/dictionaries/spa-mine.tsv")
    let shown = try run("word", "define", "GATO", "--language", "spanish", "--dictionary", "spa-mine")
    #expect(shown.output == "spa-mine:\n  tomcat\n", "\(shown)")
    let json = try run("--json", "word", "define", "gato", "--language", "spanish", "--dictionary", "spa-mine")
    #expect(json.output == "{\"dictionary\": \"spa-mine\", \"word\": \"gato\", \"text\": \"tomcat\"}\n", "\(json)")
    #expect(try run("-e", "words.lexicon('spanish'):define('perro')[1]").output.contains("dog"))
    try run("word", "define", "zzzz", "--language", "spanish").fails("has the word \"zzzz\"")
    #expect(try run("word", "dictionaries").output.contains("spa-mine"))
  }

  @Test func `the words of a dictionary that is named are in its language`() throws {
    try home.write("gato\ttomcat\n", to: "data/dictionaries/spa-mine.tsv")
    let none = try home.run("word", "define", "zzzz", "--dictionary", "spa-mine")
    #expect(none.errors.contains("no dictionary of Spanish has the word \"zzzz\""), "\(none)")
  }

  @Test func `a dictionary of a language that is not known is searched when it is named, and says so`() throws {
    let table = try home.write("猫\tcat\n", to: "fin-eng.tsv")
    let added = try home.run("word", "dictionaries", "add", table)
    #expect(added.errors.contains("\"fi\" is not in `word languages`; only `--dictionary fin-eng` finds"), "\(added)")
    #expect(try home.run("word", "define", "猫", "--dictionary", "fin-eng").output == "fin-eng:\n  cat\n")
  }

  @Test func `a table of forms is added once, and gives German words their lemmas`() throws {
    let table = try home.write("Häuser\tHaus\nHaus\tHaus\nruft\trufen\nanrufen\tanrufen\n", to: "mine.tsv")
    let added = try home.run("word", "dictionaries", "add", table, "--forms", "--language", "german")
    #expect(added.output == "Added de-mine.forms: 0 meanings, 4 forms, 0 frequencies.\n", "\(added)")
    #expect(
      try home.run("word", "lemma", "Häuser", "haus", "--language", "german").output == "Häuser  Haus\nhaus    Haus\n")
    let words = try home.run(
      ["text", "words", "-", "--language", "german", "--json"], input: "Er ruft seine zwei Häuser an.")
    #expect(words.output.contains("\"lemma\": \"anrufen\"") && words.output.contains("\"lemma\": \"Haus\""), "\(words)")
    #expect(!words.output.contains("\"lemma\": \"an\""), "\(words)")
    try home.write(String(repeating: "a\tb\n", count: (1 << 18) + 1), to: "data/lemmas/de.tsv")
    let noted = try home.run("word", "lemma", "ruft", "--language", "german")
    #expect(
      noted.errors.contains("is large") && noted.errors.contains("add FILE --forms --language german"), "\(noted)")
  }

  @Test func `a word's forms are shown, or the package that has them is named`() throws {
    try home.run("word", "forms", "ev", "--language", "turkish").fails("Spanish, Italian, French")
    guard access("/usr/share/apertium/apertium-cat-ita/cat-ita.autogen.bin", F_OK) == 0 else { return }
    let environment = home.environment(with: ["XDG_DATA_DIRS=/usr/share"])
    func run(_ words: String...) throws -> Run {
      try Child([builtProgram("deckhand")] + words, environment: environment).finish(input: "")
    }
    try run("word", "forms", "parlare", "--language", "italian").succeeds("present              singular  parlo ")
    let json = try run("word", "forms", "amici", "--part", "noun", "--language", "italian", "--json")
    #expect(
      json.output.hasPrefix(
        "{\"form\": \"amico\", \"part\": \"noun\", \"features\": {\"number\": \"singular\", \"gender\": "
          + "\"masculine\"}}\n"), "\(json)")
    let code =
      "for _, f in ipairs(words.forms('parlo', {language='italian', part='verb'})) do if f.features.person == 3 "
      + "and f.features.mood == 'subjunctive' then print(f.form) end end"
    #expect(try run("-e", code).output.hasPrefix("parli\nparlino\n"))
    try run("word", "forms", "xyzzy", "--language", "italian").fails("no forms of \"xyzzy\"")
  }

  @Test func `a language whose word list is in no package is listed without one`() throws {
    let lines = try home.run("word", "languages").output.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("turkish ") && $0.hasSuffix(" not in Debian") }, "\(lines)")
  }

  @Test func `a table that is not text is reported, and the other tables still answer`() throws {
    try home.write("gato\ttomcat\n", to: "data/dictionaries/spa-mine.tsv")
    try home.write([0x67, 0x09, 0xFF, 0x0A], to: "data/dictionaries/spa-bad.tsv")
    let shown = try run("word", "define", "gato", "--language", "spanish").succeeds("tomcat")
    #expect(shown.errors.contains("spa-bad.tsv") && shown.errors.contains("not UTF-8"), "\(shown)")
  }

  @Test func `dictionaries are removed all or none, and a dry run removes none`() throws {
    let table = try home.write("gato\tcat\n", to: "spa-eng.tsv")
    #expect(try home.run("word", "dictionaries", "add", table).status == 0)
    #expect(try home.lua("print((shell.run('word dictionaries')))").status == 0)
    for words in [["spa-eng", "nosuch"], ["nosuch"]] {
      try home.run(["word", "dictionaries", "remove"] + words).fails("no dictionary is called \"nosuch\"")
    }
    let rehearsed = try home.run("--dry-run", "word", "dictionaries", "remove", "spa-eng")
    #expect(rehearsed.output.isEmpty && rehearsed.errors == "dry run: would remove the dictionary spa-eng\n")
    #expect(try home.run("word", "dictionaries", "remove", "spa-eng").output == "Removed spa-eng.\n")
  }

  @Test func `cards get their audio once, as one undo step`() throws {
    _ = try run("deck", "create", "S")
    _ = try run("card", "add", "S", "el gato", "the cat")
    _ = try run("card", "add", "S", "el perro", "the dog", "--reversed")
    let spoken = try run("card", "speak", "deck:S", "--language", "spanish")
    // The two cards of the note speak the same field.
    #expect(
      spoken.output == "Added a sound to 2 cards; 1 skipped (already with a sound, or without text).\n", "\(spoken)")
    #expect(try run("media", "list").output.contains("speech-"))
    #expect(try run("card", "list", "el gato").output.contains("speech-"))
    let again = try run("card", "speak", "deck:S", "--language", "spanish")
    #expect(again.output.hasPrefix("Added a sound to 0 cards"), "\(again)")
    #expect(try run("undo").output.contains("adding speech to 2 cards"))
    #expect(try run("media", "list").lines.count == 1)
    try run("--dry-run", "card", "speak", "deck:S", "--language", "spanish").succeeds()
    #expect(try run("media", "list").lines.count == 1)
  }

  @Test func `cards that cannot be spoken change nothing, and the reason is given`() throws {
    _ = try run("deck", "create", "S")
    _ = try run("card", "add", "S", "the cat", "el gato")
    try run("card", "speak", "S:1", "--language", "english").fails("made no sound for \"the cat\" in English")
    try run("card", "speak", "S:1", "--field", "Middle", "--language", "spanish").fails("\"Middle\"")
    try run(["media", "speak", "x", "--language", "spanish"], path: "/nonexistent").fails("install Debian's espeak-ng")
  }

  @Test func `any program that reads the text and writes the file can speak, and is started without a shell`() throws {
    let program = try home.write(
      "#!/bin/sh\n[ \"$1\" = ';x' ] && [ \"$2\" = es ] || exit 1\nprintf '%0100d' 7 > \"$3\"\ncat >> \"$3\"\n",
      to: "bin/voice")
    chmod(program, 0o755)
    #expect(try run("set", "media.speech", "voice ;x {language} {file}").status == 0)
    let made = try run("media", "speak", "el $(gato)", "--language", "spanish", "--json").succeeds()
    let name = made.output.trimmingLineEnd.filter { $0 != "\"" }
    let file = try run("-e", "print(media.path and media.path('\(name)') or '')")
    #expect(name.hasPrefix("speech-") && name.hasSuffix(".wav"), "\(made) \(file)")
    // Another voice makes another file; the same voice is used once.
    #expect(try run("media", "speak", "el $(gato)", "--language", "spanish", "--json").output == made.output)
    #expect(try run("set", "--reset", "media.speech").status == 0)
    let other = try run("media", "speak", "el $(gato)", "--language", "spanish", "--json")
    #expect(other.status == 0 && other.output != made.output, "\(other)")
    #expect(try run("media", "list").lines.count == 3)
  }

  @Test func `a voice inherits no file, even if the output of the command goes to one`() throws {
    let listing = home.path + "/listing"
    let voice = try home.write("#!/bin/sh\nls /proc/$$/fd >> \(listing)\nprintf '%0100d' 7 > \"$1\"\n", to: "bin/voice")
    chmod(voice, 0o755)
    let lines = try home.write("media speak uno\nmedia speak dos > \(home.path)/out\n", to: "speak.dh")
    try home.run("--set", "media.speech=\(voice) {file}", "run", lines).succeeds()
    let descriptors = text(of: listing).split(separator: "\n")
    let (first, second) = (descriptors.prefix(descriptors.count / 2), descriptors.suffix(descriptors.count / 2))
    #expect(first.contains("2") && first.elementsEqual(second), "\(descriptors)")
  }

  @Test func `a voice that does not name its output file, fails, or is missing is reported`() throws {
    for (setting, words) in [
      ("voice -o out.wav", "it must contain {file}"),
      ("/nonexistent/voice {file}", "\"/nonexistent/voice\" cannot be run"),
      ("/bin/false {file}", "false made no sound for"), ("/bin/true {file}", "true made no sound for"),
      ("/bin/cat {file}", "No such file or directory)"),
    ] {
      try run("--set", "media.speech=" + setting, "media", "speak", "gato", "--language", "spanish").fails(words)
    }
    #expect(try run("media", "list").lines.count == 1)
  }
}
