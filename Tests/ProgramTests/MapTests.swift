// `map` and `map --reduce` through the built program: lines in, records out, the same however the input is split.

import TestSupport

@Suite struct MapTests {
  private let home = Home()

  init() throws {
    try home.write(
      """
      function map(line) for word in line:gmatch("%S+") do emit(word, 1) end end
      function combine(key, a, b) return a + b end
      function reduce(key, values)
        local sum = 0
        for value in values do sum = sum + value end
        emit{prompt = key, answer = tostring(sum), luck = math.random(1000)}
      end
      """, to: "count.lua")
  }

  /// Runs `map` without a home, an account or a writable folder.
  private func map(_ words: [String], _ input: [UInt8]) throws -> Run {
    try Child([builtProgram("deckhand"), "map"] + words, environment: []).finish(input: input)
  }

  private func map(_ words: String..., input: String) throws -> Run { try map(words, Array(input.utf8)) }

  private var count: String { home.path + "/count.lua" }

  private func sorted(_ text: String) -> String {
    let lines = text.split(separator: "\n").map { Array($0.utf8) }
    return lines.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) + "\n" }.joined()
  }

  @Test func `lines become records and records cards, with the same bytes however the lines are split`() throws {
    let lines = (0..<500).map { "w\($0 % 7) w\($0 % 11) x\u{E9}\($0)" }
    let whole = try map(count, input: lines.joined(separator: "\n"))
    #expect(
      whole.status == 0 && whole.errors.hasSuffix("deckhand: map: {\"lines\":500,\"records\":511,\"bad_text\":0}\n"))
    let halves = try [lines[..<211], lines[211...]].map {
      try map(count, input: $0.joined(separator: "\n") + "\n").output
    }
    let once = try map("--reduce", count, input: sorted(whole.output))
    let twice = try map("--reduce", count, input: sorted(halves.joined()))
    #expect(once.status == 0 && once.output == twice.output)
    #expect(once.output.contains(#"{"answer":"118","luck":"#) && once.lines.count == 511, "\(once.output.prefix(300))")
    // The reduce step combines keys that were flushed early.
    let few = try map("--keep", "3", count, input: lines.joined(separator: "\n"))
    #expect(few.lines.count > whole.lines.count)
    #expect(try map("--reduce", count, input: sorted(few.output)).output == once.output)
  }

  @Test func `the program's seed counts as the command's`() throws {
    let words = [builtProgram("deckhand"), "--seed", "5", "map", "--reduce", count]
    let whole = try Child(words, environment: []).finish(input: "a\t1\n")
    #expect(try map("--reduce", "--seed", "5", count, input: "a\t1\n").output == whole.output)
    #expect(try map("--reduce", count, input: "a\t1\n").output != whole.output)
  }

  @Test func `a key with tabs and line feeds comes back unchanged`() throws {
    try home.write(
      #"function map(l) emit("a\tb\nc\\d\r" .. l, l) end function reduce(k, v) emit{k = k, v = v()} end"#, to: "k.lua")
    let record = try map(home.path + "/k.lua", input: "x")
    #expect(record.output == "a\\tb\\nc\\\\d\\rx\t\"x\"\n")
    #expect(
      try map("--reduce", home.path + "/k.lua", input: record.output).output
        == #"{"k":"a\tb\nc\\d\rx","v":"x"}"# + "\n")
  }

  @Test func `lines end only at line feeds, and input that is not text is counted`() throws {
    try home.write("function map(l) emit{n = #l} end", to: "n.lua")
    let run = try map(
      [home.path + "/n.lua"], Array("a\rb\n".utf8) + [0xFF, 0x0A, 0x00, 0x61, 0x0A, 0x0A] + Array("end".utf8))
    #expect(run.output == "{\"n\":3}\n{\"n\":2}\n{\"n\":0}\n{\"n\":3}\n", "\(run)")
    #expect(run.errors.contains("{\"lines\":5,\"records\":4,\"bad_text\":1}"))
  }

  @Test func `a wrong line is reported, and is a failure`() throws {
    try map("--reduce", count, input: "b\t1\na\t1\n").fails("line 2 of standard input is not sorted")
    // Lines are ordered as a whole: a key that continues with a byte below a tab comes before the shorter one.
    #expect(try map("--reduce", count, input: "a\u{1}\t1\na\t1\n").status == 0)
    #expect(try map("--reduce", count, input: "a\n").errors.contains("line 1 of standard input is not a record"))
    #expect(try map("--reduce", count, input: "a\t{\n").errors.contains("its value is not JSON"))
    try home.write("function map(l) if l == 'c' then error('no c') end end", to: "e.lua")
    try map(home.path + "/e.lua", input: "a\nb\nc\nd\n").fails("line 3 of standard input: \(home.path)/e.lua:1: no c")
    try home.write("function map(l) emit(l, print) end", to: "f.lua")
    #expect(
      try map(home.path + "/f.lua", input: "a").errors.contains("line 1 of standard input: emit: a value that JSON")
        && map(home.path + "/f.lua", input: "a").errors.contains("got function"))
    try home.write("function combine() end", to: "g.lua")
    let nothing = try map("--reduce", home.path + "/g.lua", input: "a\t1\na\t2\n")
    #expect(nothing.status == 1 && nothing.output.isEmpty, "\(nothing)")
    #expect(nothing.errors.contains("combine returned nil for the key \"a\""), "\(nothing)")
    try home.write("-- nothing", to: "none.lua")
    #expect(try map(home.path + "/none.lua", input: "").errors.contains("has no function map"))
    #expect(try map("--reduce", home.path + "/none.lua", input: "").errors.contains("no function reduce or combine"))
    #expect(try map("--keep", "0", count, input: "").status == 2)
    #expect(try map("--json", "--kep", count, input: "").errors.hasPrefix("{\"code\": \"unknown_option\""))
    #expect(try map("--json", home.path + "/e.lua", input: "c\n").errors.hasPrefix("{\"code\": \"lua_error\""))
    #expect(try map(input: "").status == 2)
    #expect(
      try map(count, input: "a\n" + String(repeating: "x", count: 17 << 20)).errors
        .contains("line 2 of standard input has more than 16,777,216 bytes"))
  }

  @Test(arguments: ["", "function combine(key, a, b) return a + b end"])
  func `os.exit ends the run with its status, and what was emitted is written`(combine: String) throws {
    try home.write("function map(l) emit(l, 1) if l == 'b' then os.exit(3) end end " + combine, to: "x.lua")
    let run = try map(home.path + "/x.lua", input: "a\nb\nc\n")
    #expect(run.status == 3 && run.output == "a\t1\nb\t1\n" && run.errors.isEmpty, "\(run)")
  }

  @Test func `a script has words and no user data, and its printed output is a message`() throws {
    try home.write("crab\ngrace\n", to: "list.txt")
    try home.write(
      """
      \u{FEFF}#!/usr/bin/env deckhand
      local path = ...
      assert(path == arg[1])
      local list = words.load(path, {language = "english"})
      assert(not decks and not auth and not documents and not settings)
      function map(line)
        print("seen", line)
        count(list:contains(line) and "known" or "unknown")
        if words.can_form("cambering", line) then emit{word = words.normalize(line, "english")} end
      end
      """, to: "w.lua")
    let run = try map(home.path + "/w.lua", home.path + "/list.txt", input: "crab\nzebra\n")
    #expect(run.output == "{\"word\":\"crab\"}\n", "\(run)")
    #expect(run.errors.contains("map: seen") && run.errors.contains("\"known\":1,\"unknown\":1}"))
  }

  @Test func `processing a line has a time limit, and waiting for a line does not count`() throws {
    let script = try home.write("function map(line) while line == 'loop' do end emit(line, 1) end", to: "limited.lua")
    try map("--seconds", "1", script, input: "a\nloop\nb\n").fails("line 2 of standard input", "time limit")
    let slow = "(echo a; sleep 1.3; echo b) | \(builtProgram("deckhand")) map --seconds 1 \(script)"
    try Child(["/bin/sh", "-c", slow], environment: []).finish(input: "").prints("a\t1\nb\t1\n")
  }
}
