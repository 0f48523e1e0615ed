// Tables that become notes of a type, first rows that may be headers, words of other languages: through the built
// program.

import Glibc
import TestSupport

@Suite struct TableNoteTests {
  private let home = Home()

  init() throws {
    try home.noteType("Word", ["Word", "Meaning", "Example"], back: "{{FrontSide}}<hr id=answer>{{Meaning}}")
  }

  private func deck(_ file: String, _ words: String...) throws -> Run {
    try home.run(["deck", "import", "D", home.path + "/" + file] + words)
  }

  @Test func `the columns of a table become the fields of a type, by number, by header and by order`() throws {
    try home.write("perro;dog <b>;El perro ladra.\nsol;sun;\n;nothing;\n", to: "plain.csv")
    let numbered = try deck("plain.csv", "--notetype", "Word", "--columns", "Word=1,Meaning=2").succeeds()
    #expect(
      numbered.output.hasPrefix("Imported 2 cards into \"D\"; 1 refused:\n  line 3   the field \"Word\""), "\(numbered)"
    )
    #expect(
      numbered.output.contains("Not imported: the content of column3, because the note type has no such field."),
      "\(numbered)")
    let fields = try home.lua(
      "local n = decks.open('D'):card(1).note print(n.type.name, n.fields.Meaning, n.fields.Example)")
    #expect(fields.output == "Word\tdog &lt;b&gt;\t\n", "\(fields)")
    try home.write("Meaning\tword\tTags\nmoon\tluna\tsky night\n", to: "header.tsv")
    try deck("header.tsv", "--notetype", "word").succeeds("the first row names the columns: Meaning, Word, tags.")
    #expect(try home.run("card", "show", "D:1", "--json").output.contains("[\"sky\", \"night\"]"))
    try home.write("mar,sea,El mar.\n", to: "order.csv")
    #expect(try deck("order.csv", "--notetype", "Word").output.hasPrefix("Imported 1 card into \"D\".\n"))
    #expect(try home.run("card", "show", "D:1").output.contains("Example   El mar.\n"))
    #expect(try home.run("undo").output.hasPrefix("Undone: importing 1 card into D"))
    try home.write("Palabra,Significado,Nivel\nojo,eye,1\n", to: "capitals.csv")
    try deck("capitals.csv", "--notetype", "Word", "--columns", "Word=1,Meaning=2")
      .succeeds("`undo` and use --columns Word=Palabra,Meaning=Significado; if not, --no-header.")
    #expect(try home.run("undo").output.hasPrefix("Undone: importing 2 cards into D"))
    let again = try deck("header.tsv", "--notetype", "Word")
    #expect(again.output.contains("1 skipped (already there)"), "\(again)")
  }

  @Test func `unknown fields and types are refused before a row is read`() throws {
    try home.write("perro;dog\n", to: "plain.csv")
    for (words, message) in [
      (["--notetype", "Wrd"], "no note type is called \"Wrd\" (did you mean \"Word\"?)"),
      (
        ["--notetype", "Word", "--columns", "Word=1,Meening=2"],
        "no field called \"Meening\" (did you mean \"Meaning\"?)"
      ),
      (["--notetype", "Word", "--columns", "prompt=1,answer=2"], "no field called \"prompt\""),
    ] {
      try home.run(["deck", "import", "D", home.path + "/plain.csv"] + words).fails(message)
    }
    #expect(try home.run("deck", "list").output.contains("No decks yet"))
    let lua = try home.lua(
      "print(decks.create('L'):import('\(home.path)/plain.csv', {notetype = 'Word', columns = {Word = 1, Meaning = 2}}).added)"
    )
    #expect(lua.output == "1\n", "\(lua)")
  }

  @Test(arguments: [
    ("el niño;the child\nla mesa;the table\n", false), ("¿Qué?;What?\nno;no\n", false), ("1;one\n2;two\n", false),
    ("uno;uno\ndos;two\n", false), ("Infinitivo;Significado\nir;to go\n", true),
    ("part of speech word;Meaning\na;b\n", true),
  ])
  func `only a first row that could name columns is asked about`(table: String, isAsked: Bool) throws {
    try home.write(table, to: "t.csv")
    let imported = try deck("t.csv")
    #expect(imported.status == 0 && imported.output.contains("if it names the columns") == isAsked, "\(imported)")
    #expect(imported.output.contains("no header, the columns are prompt, answer."), "\(imported)")
  }

  @Test func `a word that no dictionary of its language has is looked up in the others, and this is reported`() throws {
    try home.write("gato\ttomcat\n", to: "data/dictionaries/spa-mine.tsv")
    let none = try home.run("word", "define", "gato")
    #expect(none.status == 0 && none.output == "spa-mine:\n  tomcat\n", "\(none)")
    #expect(none.errors.contains("no English dictionary is installed; this is Spanish (--language spanish)"), "\(none)")
    try home.write("dog\tan animal\n", to: "data/dictionaries/eng-mine.tsv")
    let found = try home.run("word", "define", "gato")
    #expect(found.errors.contains("no English dictionary has \"gato\"; this is Spanish"), "\(found)")
    try home.run("word", "define", "zzzz").fails("no dictionary of English, Spanish has the word")
    #expect(try home.run("word", "define", "gato", "--language", "english").status == 1)
  }

  @Test(
    .enabled(
      if: access("/usr/share/apertium/apertium-eng-spa/spa-eng.autobil.bin", F_OK) == 0,
      "apertium-eng-spa is not installed"))
  func `a form that only Apertium explains is found, and its language is named`() throws {
    let environment = home.environment(with: ["XDG_DATA_DIRS=/usr/share"])
    func define(_ words: String...) throws -> Run {
      try Child([builtProgram("deckhand"), "word", "define"] + words, environment: environment).finish(input: "")
    }
    let run = try define("gatos").succeeds("  cat\n")
    #expect(run.errors.contains("this is Spanish (--language spanish)"), "\(run)")
    // It is listed like every other dictionary, and can be chosen by its name.
    let list = try Child([builtProgram("deckhand"), "word", "dictionaries"], environment: environment).finish(input: "")
    #expect(list.output.contains("/usr/share/apertium/apertium-eng-spa/spa-eng.autobil.bin"), "\(list)")
    #expect(list.lines.contains { $0.hasPrefix("apertium-es-en") && $0.contains(" es ") && $0.contains(" en ") })
    #expect(try define("gato", "--dictionary", "apertium-es-en").output.contains("  cat\n"))
    #expect(try define("gato", "--dictionary", "apertium-en-es").status == 1)
    // A language that only Apertium explains is not reported as lacking a dictionary.
    try define("zzzz", "--language", "spanish").fails("no dictionary of Spanish has the word")
  }
}
