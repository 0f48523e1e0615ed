// `build` together with a deck and git: Markdown with its pictures, edits written back, sources that are watched.

import Glibc
import TestSupport

@Suite struct BuildLoopTests {
  private let home = Home()

  private func source(_ path: String) -> String { text(of: home.path + "/" + path) }

  @Test func `Markdown gets its pictures from beside the file, and missing ones are reported`() throws {
    try home.write("P", to: "md/img/sol.png")
    try home.write("P", to: "md/katze.png")
    try home.write("x", to: "secret.png")
    try home.write(
      "## ![](katze.png) the **sun**\n\n![](img/sol.png) `x`, $a_1$\n\nQ: ![](../secret.png)\nA: {{c1::x}}\n",
      to: "md/a.md")
    #expect(symlink("a.md", home.path + "/md/b.md") == 0)
    let run = try home.run("build", home.path + "/md").succeeds("1 name skipped;", "  b.md\n")
    #expect(run.output.hasPrefix("Built \"md\": 2 added, 2 media imported; 1 source read"), "\(run)")
    #expect(run.output.contains("1 picture or sound not found:\n  a.md:5   ../secret.png"), "\(run)")
    #expect(run.output.contains("A cloze in an answer is plain text") && run.output.contains("  a.md:6"), "\(run)")
    let fields = try home.lua("for c in decks.open('md'):cards() do print(c.fields.Front, c.fields.Back) end")
      .output
    #expect(
      fields.hasPrefix("<img src=\"katze.png\"> the <b>sun</b>\t<img src=\"sol.png\"> <code>x</code>, \\(a_1\\)\n"),
      "\(fields)")
    #expect(try home.run("media", "list").output.contains("sol.png"))
    #expect(try home.run("deck", "conflicts", "md").status == 0)
    // A changed picture is imported again although its source is not read.
    try home.write("PP", to: "md/img/sol.png")
    unlink(home.path + "/md/b.md")
    #expect(try home.run("build", home.path + "/md").output.contains("1 media imported; 0 sources read"))
    #expect(try home.run("build", home.path + "/md").output.contains("nothing changed; 0 sources read"))
  }

  @discardableResult private func git(_ words: String...) throws -> String {
    let line = ["/usr/bin/git", "-C", home.path + "/g"] + words
    let run = try Child(line, environment: ["PATH=/usr/bin"]).finish(input: "").succeeds()
    return run.output
  }

  @Test func `with --git nothing uncommitted is overwritten`() throws {
    try home.write("## a <!-- id: a -->\n\none\n", to: "g/a.md")
    try home.run("build", home.path + "/g")
    try home.lua("decks.open('g'):find('a')[1].answer = 'two'")
    try home.run("build", home.path + "/g", "--write-back", "--git").fails("git accepts no repository there")
    try git("init", "-q")
    try home.run("build", home.path + "/g", "--write-back", "--git").fails("a.md has uncommitted changes")
    #expect(source("g/a.md").contains("one"))
    try git("add", ".")
    try git("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "x")
    #expect(try home.run("build", home.path + "/g", "--write-back", "--git").output.contains("1 written back"))
    #expect(source("g/a.md").contains("two"))
    try home.lua("decks.open('g'):find('a')[1].answer = 'three'")
    #expect(try home.run("build", home.path + "/g", "--write-back", "--git").status == 1)
    #expect(source("g/a.md").contains("two"))
  }

  @Test func `with --git no program runs that the folder's own git settings name`() throws {
    mkdir(home.path + "/ran", 0o700)
    func program(_ name: String) -> String { "touch \(home.path)/ran/\(name); cat" }
    try home.write("id,prompt,answer\na,one,two\n", to: "g/a.csv")
    try home.write("*.csv filter=x diff=x merge=x\n", to: "g/.gitattributes")
    #expect(try home.run("build", home.path + "/g").status == 0)
    try git("init", "-q")
    try git("add", ".")
    try git("-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "x")
    let tree = try git("rev-parse", "HEAD^{tree}")
    let settings = [
      "filter.x.clean", "filter.x.process", "filter.x.smudge", "core.fsmonitor", "core.pager", "core.editor",
      "core.sshCommand", "core.gitProxy", "core.askPass", "core.alternateRefsCommand", "diff.external",
      "diff.x.textconv", "diff.x.command", "merge.x.driver", "pager.ls-tree", "pager.rev-parse", "pager.hash-object",
      "pager.status", "gpg.program", "remote.origin.uploadpack",
    ]
    for name in settings { try git("config", name, program(name)) }
    for name in ["ls-tree", "hash-object", "rev-parse", "status"] {
      try git("config", "alias." + name, "!" + program(name))
    }
    try git("config", "credential.helper", "!" + program("credential"))
    for hook in ["post-index-change", "reference-transaction", "pre-auto-gc"] {
      try home.write("#!/bin/sh\n\(program(hook))\n", to: "hooks/" + hook)
      chmod(home.path + "/hooks/" + hook, 0o700)
    }
    try git("config", "core.hooksPath", home.path + "/hooks")
    // A changed time makes git look at the bytes.
    var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, home.path + "/g/a.csv", &times, 0) == 0)
    try home.lua("decks.open('g'):find('one')[1].answer = 'three'")
    try home.run("build", home.path + "/g", "--write-back", "--git").succeeds("1 written back")
    #expect(names(in: home.path + "/ran").isEmpty)
    #expect(source("g/a.csv").contains("three"))
    // What was written back is not committed, although its filters would say so.
    try home.lua("decks.open('g'):find('one')[1].answer = 'four'")
    try home.run("build", home.path + "/g", "--write-back", "--git").fails("a.csv has uncommitted changes")
    // A missing object is not fetched, since that starts the programs of the remote.
    for (name, value) in [
      ("core.repositoryformatversion", "1"), ("extensions.partialClone", "origin"), ("remote.origin.promisor", "true"),
      ("remote.origin.url", "ext::sh -c '\(program("ext"))'"), ("protocol.ext.allow", "always"),
    ] {
      try git("config", name, value)
    }
    unlink(home.path + "/g/.git/objects/" + tree.prefix(2) + "/" + tree.dropFirst(2).prefix(38))
    try home.run("build", home.path + "/g", "--write-back", "--git").fails("git")
    #expect(names(in: home.path + "/ran").isEmpty)
  }

  @Test func `a failure of git is noticed even if the parent ignores SIGCHLD`() throws {
    try home.write("## a <!-- id: a -->\n\none\n", to: "g/a.md")
    try home.run("build", home.path + "/g")
    try home.lua("decks.open('g'):find('a')[1].answer = 'two'")
    let words =
      ["/usr/bin/perl", "-e", "$SIG{CHLD} = 'IGNORE'; exec @ARGV"]
      + home.words(["build", home.path + "/g", "--write-back", "--git"])
    try Child(words, environment: home.environment).finish(input: "").fails("git accepts no repository there")
  }

  @Test func `--watch builds when files change, reports what changed, and ends on Ctrl-C`() throws {
    try home.write("## el gato\n\nthe cat\n", to: "es/animals.md")
    let shell = try home.terminal("build", home.path + "/es", "--watch")
    #expect(shell.shows("1 added") && shell.shows("Ctrl-C ends it."), "\(shell.output)")
    try home.write("## el gato\n\nthe tomcat\n", to: "es/animals.md")
    #expect(shell.shows("1 card changed:") && shell.shows("animals.md:1   el gato"), "\(shell.output)")
    // A new folder is watched too; an error is reported and does not end the watch.
    try home.write("prompt,answer\n\"never closed", to: "es/new/a.csv")
    #expect(shell.shows("a.csv:"), "\(shell.output)")
    try home.write("prompt,answer\nnuevo,new\n", to: "es/new/a.csv")
    #expect(shell.shows("1 card new:"), "\(shell.output)")
    shell.type("\u{3}")
    #expect(shell.shows("No longer watching.") && shell.ended() == 0, "\(shell.output)")
    try home.run("build", home.path + "/es").prints("Built \"es\": nothing changed; 0 sources read, 2 unchanged.\n")
    #expect(try home.run("card", "list", "tomcat").output.contains("el gato"))
  }
}
