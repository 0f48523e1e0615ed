// `build` through the built program: folders of sources become decks, and the decks follow later changes.

import Glibc
import TestSupport

@Suite struct BuildTests {
  private let home = Home()

  init() throws {
    try home.write(
      #"{"name": "Spanish", "namespace": "example.org", "options": {"new_per_day": 7}}"#, to: "es/deck.json")
    try home.write("## el gato\n\nthe cat\n\n## el perro\n\nthe dog\n\n## el sol\n\nthe sun\n", to: "es/animals.md")
    try home.write("prompt,answer,guid,tags\nser,to be,ser,verb\nir,to go,ir,verb\n", to: "es/verbs/list.csv")
    try home.write(
      "for i = 1, 3 do card{id = 'x' .. i, prompt = i .. ' · 7', answer = tostring(i * 7)} end", to: "es/times.lua")
  }

  @discardableResult private func build(_ more: String...) throws -> Run {
    try home.run(["build", home.path + "/es"] + more)
  }

  private func cards() throws -> [String] {
    try home.lua("for c in decks.open('Spanish'):cards() do print(c.prompt .. '=' .. c.answer) end").lines
  }

  private func guid(_ prompt: String) throws -> String {
    try home.lua("for _, c in ipairs(decks.open('Spanish'):find('\"\(prompt)\"')) do print(c.guid) end").output
  }

  @Test func `sources of all kinds become one deck, and a second build changes nothing`() throws {
    let first = try build()
    #expect(
      first.status == 0 && first.output.hasPrefix("Built \"Spanish\": 8 added; 3 sources read, 0 unchanged."),
      "\(first)")
    #expect(
      try Set(cards()) == ["el gato=the cat", "el perro=the dog", "el sol=the sun", "1 · 7=7", "2 · 7=14", "3 · 7=21"])
    #expect(try home.lua("#decks.open('Spanish::verbs')").output == "2\n")
    #expect(try home.run("deck", "options", "Spanish").output.contains("7"))
    try build().prints("Built \"Spanish\": nothing changed; 0 sources read, 3 unchanged.\n")
    #expect(try home.run("undo").output.contains("building Spanish"))
    #expect(try home.run("deck", "list").output.contains("Spanish") == false)
  }

  @Test func `a package that cannot be written rolls the build back`() throws {
    try build("--apkg", home.path + "/none/es.apkg").fails("es.apkg")
    #expect(try home.run("deck", "list").output.contains("Spanish") == false)
    try build("--apkg", home.path + "/es.apkg").succeeds("8 added", "Wrote 8 cards to")
    #expect(try home.run("undo").output.contains("building Spanish"))
  }

  @Test func `an edited text keeps its card, with an id and without`() throws {
    try build()
    let (cat, verb) = (try guid("el gato"), try home.lua("decks.open('Spanish::verbs'):find('ser')[1].guid").output)
    #expect(!cat.isEmpty && !verb.isEmpty)
    try home.write("## el gatito\n\nthe cat\n\n## el perro\n\nthe dog\n\n## el sol\n\nthe sun\n", to: "es/animals.md")
    try home.write("prompt,answer,guid,tags\nestar,to be there,ser,verb\nir,to go,ir,verb\n", to: "es/verbs/list.csv")
    let run = try build()
    #expect(run.output.hasPrefix("Built \"Spanish\": 2 updated; 2 sources read, 1 unchanged."), "\(run)")
    #expect(try guid("el gatito") == cat)
    #expect(try home.lua("decks.open('Spanish::verbs'):find('estar')[1].guid").output == verb)
    // A renamed file holds the same cards.
    rename(home.path + "/es/animals.md", home.path + "/es/beasts.md")
    #expect(try build().output.hasPrefix("Built \"Spanish\": nothing changed; 1 source read"))
    #expect(try guid("el gatito") == cat)
  }

  @Test func `cards that left the sources leave the deck only with --prune`() throws {
    try build()
    try home.write("## el gato\n\nthe cat\n", to: "es/animals.md")
    let told = try build()
    #expect(
      told.output.contains("2 cards no longer in the sources; use --prune to remove them:\n  animals.md:"), "\(told)")
    #expect(try cards().count == 6)
    try home.run("--dry-run", "build", home.path + "/es", "--prune").succeeds()
    #expect(try cards().count == 6)
    // The next build reports the cards again, although its sources did not change.
    #expect(try build().output.contains("2 cards no longer in the sources"))
    try build("--prune")
      .succeeds("2 removed; 0 sources read, 3 unchanged", "2 cards removed, no longer in the sources:\n  animals.md:")
    #expect(try cards().count == 4)
    #expect(try build("--prune").output == "Built \"Spanish\": nothing changed; 0 sources read, 3 unchanged.\n")
  }

  @Test func `an edit made while studying is kept, reported and written back`() throws {
    try build()
    try home.lua("local c = decks.open('Spanish'):find('\"el gato\"')[1] c.answer = 'the tomcat' c:tag('pet')")
    try home.lua("decks.open('Spanish::verbs'):find('ir')[1].answer = 'to go, to leave'")
    let told = try build()
    #expect(told.output.contains("2 cards edited in the deck but not in the sources"), "\(told)")
    #expect(told.output.contains("animals.md:1   el gato"))
    let written = try build("--write-back")
    #expect(written.output.contains("2 written back to their sources"), "\(written)")
    let source = text(of: home.path + "/es/animals.md")
    #expect(
      source.contains("the tomcat") && source.contains("tags: pet") && source.contains("## el perro\n\nthe dog"),
      "\(source)")
    let table = text(of: home.path + "/es/verbs/list.csv")
    #expect(table == "prompt,answer,guid,tags\nser,to be,ser,verb\nir,\"to go, to leave\",ir,verb\n", "\(table)")
    try build().prints("Built \"Spanish\": nothing changed; 0 sources read, 3 unchanged.\n")
    #expect(try cards().contains("el gato=the tomcat"))
  }

  @Test func `edits on both sides are a conflict, and the deck's text stays until both agree`() throws {
    try build()
    try home.lua("decks.open('Spanish'):find('\"el gato\"')[1].answer = 'mine'")
    try home.write("## el gato\n\ntheirs\n\n## el perro\n\nthe dog\n\n## el sol\n\nthe sun\n", to: "es/animals.md")
    let told = try build()
    #expect(told.output.contains("1 card edited in the deck and in the sources"), "\(told)")
    #expect(told.output.contains("animals.md:1   el gato (Back)"), "\(told)")
    #expect(try cards().contains("el gato=mine"))
    #expect(try home.run("deck", "conflicts", "Spanish").output.contains("theirs"))
    // The conflict is reported once, in one line, while it lasts.
    #expect(try build().output.split(separator: "el gato", omittingEmptySubsequences: false).count == 2)
    #expect(try build("--write-back").output.contains("written back") == false)
    try home.write("## el gato\n\nmine\n\n## el perro\n\nthe dog\n\n## el sol\n\nthe sun\n", to: "es/animals.md")
    try build().prints("Built \"Spanish\": nothing changed; 1 source read, 2 unchanged.\n")
    #expect(try home.run("deck", "conflicts", "Spanish").output.contains("theirs") == false)
  }

  @Test func `a conflict resolved by the source or by the deck is gone in the next build`() throws {
    for (side, answer, isWritten) in [("theirs", "theirs", false), ("ours", "mine", true)] {
      try home.write("## el gato\n\nthe cat\n", to: "es/animals.md")
      try build("--restore")
      try home.lua("decks.open('Spanish'):find('\"el gato\"')[1].answer = 'mine'")
      try home.write("## el gato\n\ntheirs\n", to: "es/animals.md")
      #expect(try build().output.contains("1 card edited in the deck and in the sources"))
      #expect(try home.run("deck", "conflicts", "Spanish", "--take", side).status == 0)
      #expect(try build("--write-back").output.contains("1 written back") == isWritten, "\(side)")
      #expect(try cards().contains("el gato=" + answer), "\(side)")
      #expect(try build("--prune").output.contains("edited in the deck") == false, "\(side)")
      try home.run("deck", "remove", "Spanish")
    }
  }

  @Test(arguments: ["ours", "theirs"])
  func `conflicts of a merge that were settled in the deck are no more in the sources`(side: String) throws {
    func merge(_ name: String, _ source: (String) -> String) throws {
      let paths = try ["base", "ours", "theirs"].map { try home.write(source("the cat of \($0)"), to: "\($0)-\(name)") }
      let file = home.path + "/es/" + name
      _ = try home.run(["deck", "merge"] + paths + ["--output", file])
      #expect(text(of: file).contains("conflicts"), "\(name)")
    }
    try merge("animals.md") { "## el gato <!-- id: gato -->\n\n\($0)\n" }
    try merge("more.csv") { "guid,prompt,answer,tags\nperro,el perro,\($0),\n" }
    try build()
    #expect(try home.run("deck", "conflicts", "Spanish", "--take", side).output.contains("2 conflicts"))
    try build("--write-back")
    for name in ["animals.md", "more.csv"] {
      let source = text(of: home.path + "/es/" + name)
      #expect(source.contains("the cat of \(side)") && !source.contains("base"), "\(source)")
    }
    #expect(try build("--write-back").output.contains("nothing changed"))
  }

  @Test func `edits of different fields on both sides are merged into the card`() throws {
    try build()
    try home.lua("local c = decks.open('Spanish'):find('\"el gato\"')[1] c.prompt = 'el gato!' c:tag('mine')")
    try home.write(
      "## el gato <!-- tags: theirs -->\n\nthe tomcat\n\n## el perro\n\nthe dog\n\n## el sol\n\nthe sun\n",
      to: "es/animals.md")
    let run = try build()
    #expect(run.output.hasPrefix("Built \"Spanish\": 1 updated; 1 source read, 2 unchanged."), "\(run)")
    #expect(run.output.contains("conflict") == false, "\(run)")
    #expect(try cards().contains("el gato!=the tomcat"))
    let tags = try home.lua("for _, t in ipairs(decks.open('Spanish'):find('gato')[1].tags) do print(t) end")
    #expect(Set(tags.lines) == ["mine", "theirs"])
    // The edit that only the deck has is still to be written back.
    #expect(try build().output.contains("1 card edited in the deck but not in the sources"))
    #expect(try build("--write-back").output.contains("1 written back"))
    #expect(try build().output == "Built \"Spanish\": nothing changed; 0 sources read, 3 unchanged.\n")
  }

  @Test func `a removed deck is built again, and a renamed one still belongs to its folder`() throws {
    try build()
    let old = try guid("el gato")
    try home.run("deck", "remove", "Spanish")
    #expect(try build().output.hasPrefix("Built \"Spanish\": 8 added; 3 sources read, 0 unchanged.\n"))
    #expect(try guid("el gato") == old)
    try home.run("deck", "rename", "Spanish", "Castellano")
    #expect(try build().output == "Built \"Castellano\": nothing changed; 0 sources read, 3 unchanged.\n")
    #expect(try home.run("deck", "list").output.contains("Spanish") == false)
  }

  @Test func `a folder without deck json builds a deck named after the folder`() throws {
    unlink(home.path + "/es/deck.json")
    let run = try build()
    #expect(run.output.hasPrefix("Built \"es\": 8 added; 3 sources read, 0 unchanged.\n"), "\(run)")
    #expect(try build().output.hasPrefix("Built \"es\": nothing changed"))
  }

  @Test func `a dry run reports cards and does not mention tables`() throws {
    let run = try home.run("--dry-run", "build", home.path + "/es")
    #expect(run.status == 0 && run.output.contains("Would add 8 cards") && run.errors.contains("8 added"), "\(run)")
    #expect((run.output + run.errors).contains("row of") == false, "\(run)")
    #expect((run.output + run.errors).contains("build_") == false, "\(run)")
    #expect(try home.run("deck", "list").output.contains("Spanish") == false)
  }

  @Test func `a dry run says what would be written back, and writes no file`() throws {
    try build()
    try home.lua("decks.open('Spanish'):find('\"el gato\"')[1].answer = 'the tomcat'")
    let (source, package) = (home.path + "/es/animals.md", home.path + "/es.apkg")
    let before = contents(of: source)
    let run = try home.run("--dry-run", "build", home.path + "/es", "--write-back", "--apkg", package)
    #expect(run.status == 0 && run.output == "Nothing was changed (--dry-run).\n", "\(run)")
    #expect(run.errors.contains("dry run: would write edits back to 1 source\n"), "\(run)")
    #expect(run.errors.contains("dry run: would write \(package)\n"), "\(run)")
    #expect(run.errors.contains("1 written back to their sources"), "\(run)")
    #expect(run.errors.contains("not written back") == false, "\(run)")
    #expect(contents(of: source) == before && contents(of: package) == nil)
  }

  @Test func `a card removed in the deck stays away until its row changes`() throws {
    try build()
    try home.lua("decks.open('Spanish'):find('\"el sol\"')[1]:remove()")
    let told = try build()
    #expect(
      told.output.contains(
        "1 card removed from the deck but still in the sources; use --restore to restore them:\n  animals.md:9   el sol\n"
      ),
      "\(told)")
    #expect(try cards().count == 5)
    let old = try guid("el gato")
    let restored = try build("--restore")
    #expect(restored.output.contains("1 card restored:\n  animals.md:9   el sol\n"), "\(restored)")
    #expect(try cards().count == 6 && guid("el gato") == old)
    #expect(try build("--restore").output == "Built \"Spanish\": nothing changed; 0 sources read, 3 unchanged.\n")
    try home.lua("decks.open('Spanish'):find('\"el sol\"')[1]:remove()")
    try home.write("## el gato\n\nthe cat\n\n## el perro\n\nthe dog\n\n## el sol\n\nthe star\n", to: "es/animals.md")
    #expect(try build().output.contains("1 added"))
    #expect(try cards().contains("el sol=the star"))
  }

  @Test func `an edit that cannot be written back yet is reported, and the next build writes it`() throws {
    try build()
    try home.run("card", "edit", String(guid("el gato").prefix { $0 != "\n" }), "--answer", "the tomcat")
    rename(home.path + "/es/animals.md", home.path + "/es/beasts.md")
    try build("--write-back").succeeds("1 card edited in the deck and not written back")
    #expect(try build("--write-back").output.contains("1 written back"))
  }

  @Test func `a generator reads only its folder, and runs again when its input has changed`() throws {
    try home.write("uno\ndos\n", to: "es/_words.txt")
    try home.write(
      "\u{FEFF}#!/usr/bin/lua\nfor word in read('_words.txt'):gmatch('%a+') do card{prompt = word, answer = word:upper()} end",
      to: "es/times.lua")
    #expect(try build().output.contains("7 added"))
    try home.write("uno\ntres\n", to: "es/_words.txt")
    #expect(try build().output.contains("1 source read"))
    #expect(try cards().contains("tres=TRES"))
    for (code, reason) in [
      ("read('../deck.lua')", "a file within the folder expected"), ("io.open('x')", "io"),
      ("words.load('/etc/hostname')", "a file within the folder expected"),
      ("read('.git/config')", "a file within the folder expected"), ("card{prmpt = 'x'}", "prompt"),
      ("card{type = 'Basic', fields = {'a', 'b'}}", "texts by the names of the type's fields expected"),
      ("error('no')", "build: \(home.path)/es/times.lua:1: no"), ("decks.list()", "decks"),
    ] {
      try home.write("assert(" + code + ")", to: "es/times.lua")
      try build().fails(reason)
    }
  }

  @Test func `a folder that cannot be built and a broken source change nothing`() throws {
    mkdir(home.path + "/empty", 0o700)
    try home.run("build", home.path + "/empty").fails("has no sources")
    try home.run("build", home.path + "/nosuch").fails("there is no folder")
    try home.write("a,b\n\"open", to: "es/verbs/list.csv")
    try build().fails("list.csv:2:1")
    #expect(try home.run("deck", "list").output.contains("Spanish") == false)
    try home.write(#"{"nmae": "x"}"#, to: "es/deck.json")
    #expect(try build().errors.contains("did you mean \"name\""))
    try home.write(#"{"name": "x", "options": {"new_per_dy": 1}}"#, to: "es/deck.json")
    #expect(try build().errors.contains("new_per_day"))
    try home.write(#"{"name": "#, to: "es/deck.json")
    #expect(try build().status == 1)
  }

  @Test func `media files in the folder belong to the cards`() throws {
    try home.write("one", to: "es/media/a.mp3")
    try home.write("## [sound:a.mp3]\n\nmeow\n", to: "es/animals.md")
    #expect(try build().output.contains("1 media imported"))
    try home.write("another", to: "es/media/a.mp3")
    #expect(try build().output.contains("1 media imported"))
    #expect(try home.run("media", "list").lines.count == 2)
    #expect(try home.run("doctor", "media").output.contains("does not exist") == false)
    try build().prints("Built \"Spanish\": nothing changed; 0 sources read, 3 unchanged.\n")
    // A name removed in the account comes back, because its file is still in the folder.
    #expect(try home.run("media", "remove", "a.mp3").errors.contains("is used by note "))
    try home.run("media", "remove", "a.mp3", "--force")
    #expect(try build().output.contains("1 media imported"))
  }

  /// Overwrites a file in place with other content of the same length, and restores its modification time.
  private func overwrite(_ name: String, with content: String) throws {
    let path = home.path + "/" + name
    var facts = stat()
    #expect(stat(path, &facts) == 0 && facts.st_size == content.utf8.count)
    let file = try #require(fopen(path, "r+"))
    fputs(content, file)
    fclose(file)
    var times = [facts.st_atim, facts.st_mtim]
    #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
  }

  @Test func `a source, picture or generator input with unchanged size, time and inode is not read again`() throws {
    try home.write("one", to: "es/media/a.mp3")
    try home.write("uno", to: "es/_words.txt")
    try home.write("card{prompt = read('_words.txt'), answer = 'x'}", to: "es/times.lua")
    try build()
    try overwrite("es/media/a.mp3", with: "two")
    try overwrite("es/_words.txt", with: "dos")
    try overwrite("es/verbs/list.csv", with: "prompt,answer,guid,tags\nSER,to be,ser,verb\nIR,to go,ir,verb\n")
    try build().prints("Built \"Spanish\": nothing changed; 0 sources read, 3 unchanged.\n")
    // Replace them by other files with the same size and time.
    for name in ["media/a.mp3", "_words.txt", "verbs/list.csv"] {
      let path = home.path + "/es/" + name
      var facts = stat()
      #expect(stat(path, &facts) == 0)
      let content = try #require(contents(of: path))
      #expect(rename(path, home.path + "/old") == 0)
      try home.write(String(decoding: content, as: UTF8.self), to: "es/" + name)
      var times = [facts.st_atim, facts.st_mtim]
      #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
    }
    try build().succeeds("1 added, 2 updated, 1 media imported; 2 sources read, 1 unchanged")
  }
}
