// Manual pages, the reference, the version: all generated from the program's own descriptions.

import Glibc
import TestSupport

@Suite struct ManualTests {
  private let home = Home()

  @Test func `the version names the linked libraries`() throws {
    let lines = try home.run("--version").lines
    #expect(lines.first == "Deckhand 0.1.0" && lines.count == 2)
    for name in ["Lua 5.4.", "readline 8.", "SQLite 3."] { #expect(lines.last?.contains(name) == true) }
    #expect(try home.run("version").lines == lines)
    #expect(try home.run("version", "--json").output == "\"0.1.0\"\n")
  }

  @Test func `every command has a page that man shows without a warning`() throws {
    #expect(try home.run("man", home.path + "/man").status == 0)
    let pages = names(in: home.path + "/man").sorted()
    #expect(pages.count > 90 && pages.contains("deckhand.1") && pages.contains("deckhand-deck-import.1"))
    let whole = text(of: home.path + "/man/deckhand.1")
    for page in pages where page != "deckhand.1" {
      #expect(whole.contains(page.dropLast(2).split(separator: "-").joined(separator: "\\-")), "\(page)")
    }
    guard access("/usr/bin/groff", X_OK) == 0 else {
      print("groff is not installed: the pages were not formatted")
      return
    }
    // `-Wbreak`: groff 1.23 (Debian 13) warns of a line that it cannot fill, since its last word is long.
    for page in pages {
      let run = try Child(
        ["/bin/sh", "-c", "exec groff -ww -Wbreak -man -Tutf8 '\(home.path)/man/\(page)' >/dev/null"],
        environment: home.environment
      ).finish(input: "")
      #expect(run.status == 0 && run.errors == "", "\(page): \(run.errors)")
    }
    guard access("/usr/bin/man", X_OK) == 0 else {
      print("man is not installed: it showed no page")
      return
    }
    let run = try Child(
      ["/usr/bin/man", "-l", "--warnings", home.path + "/man/deckhand-deck-import.1"],
      environment: home.environment + ["MANWIDTH=80"]
    ).finish(input: "")
    #expect(run.status == 0 && run.errors == "" && run.output.contains("deck import"), "\(run.errors)")
  }

  @Test func `pages that cannot all be written leave none`() throws {
    let inWay = home.path + "/man/deckhand-deck-import.1"
    for folder in [home.path + "/man", inWay] { #expect(makeFolder(folder)) }
    #expect(try home.run("man", home.path + "/man").status != 0)
    #expect(names(in: home.path + "/man") == ["deckhand-deck-import.1"])
  }

  @Test func `a working folder that may not be searched is an error`() throws {
    let closed = home.path + "/closed"
    #expect(makeFolder(closed))
    // Root may search it as well, unless it gives up its rights.
    let limited = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--inh-caps", "-all"]
    let script = "cd '\(closed)' && chmod 000 . && exec \"$@\""
    let words = (geteuid() == 0 ? limited : []) + ["/bin/sh", "-c", script, "sh"] + home.words(["man", "out/pages"])
    let run = try Child(["/usr/bin/env"] + words, environment: home.environment).finish(input: "")
    #expect(chmod(closed, 0o700) == 0)
    #expect(run.status == 1 && run.errors.contains("\"out/pages\" could not be created"), "\(run.status) \(run.errors)")
  }

  @Test func `the reference has every command, and is written again over itself`() throws {
    let folder = home.path + "/reference"
    for _ in 1...2 { #expect(try home.run("docs", folder).status == 0) }
    let pages = ["Commands.md", "ErrorCodes.md", "Events.md", "Formats.md", "Lua.md", "Rules.md", "Settings.md"]
    #expect(names(in: folder).sorted() == pages)
    let commands = text(of: folder + "/Commands.md")
    for page in ["deck import", "study", "card add"] { #expect(commands.contains("### " + page + "\n"), "\(page)") }
  }

  @Test func `linked libraries are named with their licences, and each licence has its text`() throws {
    let lines = text(of: sourceRoot() + "/Sources/deckhand/Documentation.docc/NOTICE.md").split(separator: "\n")
    let licences = Set(
      lines.filter { $0.hasPrefix("| ") && !$0.hasPrefix("| Part") }
        .compactMap { $0.split(separator: "|").last(where: { $0 != " " }) }
        .map { String($0).split(separator: " ").joined(separator: " ") })
    #expect(licences.count > 8)
    for licence in licences { #expect(lines.contains { $0 == "## " + licence }, "\(licence)") }
    for name in [
      "Lua", "readline", "SQLite", "libsodium", "utf8proc", "PCRE2", "zstd", "zlib", "libzip", "cairo",
    ] {
      #expect(lines.contains { $0.hasPrefix("| ") && $0.contains(name) }, "\(name)")
    }
    #expect(text(of: sourceRoot() + "/LICENSE").contains("Version 3, 29 June 2007"))
  }
}
