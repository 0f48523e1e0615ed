// Subtitles as they are written: time lines, numbers, markup, remarks, speakers, scripts. What is not understood is
// named.

import Files
import TestSupport

@testable import Exchange

@Suite struct SubtitleTests {
  private let folder = TemporaryFolder()

  private func read(_ text: String, as name: String = "a.srt") throws -> TextFile {
    try TextFile(folder.write(text, to: name), encoding: nil) { false }
  }

  private func said(_ text: String, as name: String = "a.srt") throws -> [String] {
    try read(text, as: name).paragraphs.map(\.text)
  }

  /// A cue of 2 seconds, and one long after it.
  private func speech(_ cue: String, as name: String = "a.srt") throws -> [String] {
    let texts = try said(
      "1\n00:00:01,000 --> 00:00:03,000\n\(cue)\n\n2\n00:01:00,000 --> 00:01:01,000\nEnd.\n", as: name)
    #expect(texts.last == "End.")
    return texts.dropLast()
  }

  @Test(
    arguments: [
      ("00:00:01, 500 --> 00:00:02, 500", 1.5, 2.5), ("00:00:01;500 --> 00:00:02;500", 1.5, 2.5),
      ("00:00:01:500 --> 00:00:02:500", 1.5, 2.5), ("00:00:-2,500 --> 00:00:01,000", 0, 1),
      ("-2,500 --> 1,000", 0, 1), ("00:00:01,500 -> 00:00:02,500", 1.5, 2.5),
      ("00:00:01,500 —> 00:00:02,500", 1.5, 2.5), ("00:00:01,500 --＞ 00:00:02,500", 1.5, 2.5),
      ("00：00：01，500 --> 00：00：02，500", 1.5, 2.5), ("00:00:01,5 → 00:00:02,5", 1.5, 2.5),
      ("00: 00: 01,500 -- > 00: 00: 02,500 X1:3", 1.5, 2.5), ("01:500 --> 02:500", 560, 620),
      ("\u{200E}0:01.5 --> 0:02.5 line:0", 1.5, 2.5), ("00:00:05,000 --> 00:00:04,000", 5, 5),
    ] as [(String, Double, Double)])
  func `times are understood however they are written`(line: String, start: Double, end: Double) throws {
    let file = try read("1\n\(line)\nHola.\n")
    #expect(file.paragraphs == [TextParagraph("Hola.", start: start, end: end)] && file.losses.isEmpty)
  }

  @Test func `a cue without understood times and a line of no cue are named`() throws {
    let file = try read("¿Y esto?\n1\n00:0x:01 --> 2\nno\n\n2\n00:00:03,000 --> 00:00:04,000\nSí.\n")
    #expect(file.paragraphs.map(\.text) == ["Sí."])
    #expect(
      file.losses.named == [
        "line 1: \"¿Y esto?\" belongs to no cue",
        "line 3: no time is understood in \"00:0x:01 --> 2\"; the cue is left out",
      ])
    let web = try read("WEBVTT\n\nloose\n\nid\n0:01.0 --> 0:02.0\nSí.\n\nNOTE no\nnot\n", as: "a.vtt")
    #expect(web.paragraphs.map(\.text) == ["Sí."] && web.losses.named == ["line 3: \"loose\" belongs to no cue"])
    let many = try read(String(repeating: "00:0x --> 2\nno\n", count: 9) + "0:01,0 --> 0:02,0\nSí.\n")
    #expect(many.losses.named.count == 5 && many.losses.messages.last == "4 more places like these")
  }

  @Test(arguments: ["\n", "\r\n", "\r", "\r\r\n", "\n\n"])
  func `line ends of any kind, and blank lines between all lines, put no number into a sentence`(end: String) throws {
    let lines = [
      "1", "0:01,0 --> 0:02,0", "Uno", "dos", "", "2", "0:12,0 --> 0:13,0", "Tres.", "", "3", "0:14,0 --> 0:15,0", "4",
    ]
    #expect(try said(lines.joined(separator: end)) == ["Uno dos", "Tres.", "4"])
  }

  @Test func `a number that is there twice is no speech, and a number that is said is`() throws {
    #expect(try said("1\n1\n0:01,0 --> 0:02,0\nUno.\n\n2\n2\n0:11,0 --> 0:12,0\nDos.\n") == ["Uno.", "Dos."])
    #expect(try said("0:01,0 --> 0:02,0\n7\n\n0:11,0 --> 0:12,0\n8\n") == ["7", "8"])
  }

  @Test(arguments: [
    ("I <3 you", ["I <3 you"]), ("a < b, and {sic} stays", ["a < b, and {sic} stays"]),
    ("Uno\\Nel dos\\nel tres", ["Uno el dos el tres"]), ("Uno<br>dos<BR/>tres", ["Uno dos tres"]),
    ("<ruby>漢<rt>かん</rt>字<rp>(</rp><rt>じ</rt></ruby>だ", ["漢字だ"]), ("{y:i}{\\an8}<font color=\"#fff\">A</font>", ["A"]),
    ("<(Ana) Wait!>", ["Wait!"]), ("<00:00:01.500><c.x>Sí</c> &amp; <v Ana>no", ["Sí & no"]), ("<foo>A", ["<foo>A"]),
    ("《行くよ》", ["行くよ"]), ("&lrm;[sighs]\n\u{202B}- Hola\u{200E}", ["Hola"]), ("ca\u{200B}sa&nbsp;roja", ["casa roja"]),
  ])
  func `only known markup is removed`(cue: String, texts: [String]) throws {
    #expect(try speech(cue) == texts)
    #expect(try speech(cue, as: "a.vtt") == texts)
  }

  @Test(arguments: [
    ("MAN 2: Hi.", ["Hi."]), ("[Ana] Ven. [ruido] Ya.", ["Ven.  Ya."]), ("- [sighs]\n- Yes.", ["Yes."]),
    ("（ドアの音）", []), ("（花子）どこ？（太郎）ここ。", ["どこ？", "ここ。"]), ("MAN [OVER RADIO]: Come in.", ["Come in."]),
    (">> WOMAN: Good evening.", ["Good evening."]), ("ANA： Ven.", ["Ven."]), ("It is 12:30 now.", ["It is 12:30 now."]),
    ("We will meet at\nNOON: nobody knows.", ["We will meet at NOON: nobody knows."]), ("＃歌声＃", []), ("♪ la ♪", []),
    ("ANA: I think\nLUIS: Me too", ["I think", "Me too"]), ("AT 12:30 WE GO", ["AT 12:30 WE GO"]),
    ("\u{202B}[sighs]\u{202C}", []), ("\u{200F}ANA: Ven.", ["Ven."]),
  ])
  func `remarks and names of speakers are no speech`(cue: String, texts: [String]) throws {
    #expect(try speech(cue) == texts)
  }

  @Test func `what is left out is counted by kind`() throws {
    let text = "0:01 --> 0:02\n[door]\n(sighs)\nYes.\n\n0:03 --> 0:04\n♪ la ♪\n\n0:05 --> 0:06\nA\n\n0:06 --> 0:07\nA\n"
    #expect(try read(text).losses.messages == ["left out: 2 remarks, 1 song, 1 repeated caption"])
  }

  @Test func `in WebVTT only an empty line ends a cue`() throws {
    #expect(
      try said("WEBVTT\n\n0:01.0 --> 0:02.0\n \nhoy sí\n\n0:12.0 --> 0:13.0\nno\n", as: "a.vtt") == ["hoy sí", "no"])
  }

  @Test func `a script is read without a format line, with blanks, and after a drawing`() throws {
    let script = """
      [Events]
        Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,Uno, {\\i1}dos{\\i0}.
        Dialogue: 0,0:00:11.00,0:00:12.00,Default,,0,0,0,,{\\p1}m 0 0{\\p0} Tres.
        Dialogue: 0,0:00:21.00,0:00:22.00,Default,,0,0,0,,{\\p1}m 0 0 l 1
        Dialogue: 0,x,0:00:22.00,Default,,0,0,0,,Cuatro.
        Dialogue: 1,0:00:01.02,0:00:02.00,Default,,0,0,0,,UNO,\\Ndos.
      """
    let file = try read(script, as: "a.ass")
    #expect(file.paragraphs.map(\.text) == ["Uno, dos.", "Tres."])
    #expect(file.losses.named.count == 1 && file.losses.messages.last == "left out: 1 drawing")
    #expect(file.losses.named[0].hasPrefix("line 5: no cue is understood in \"Dialogue: 0,x,"))
  }

  @Test func `subtitles with the wrong ending are read as what they are`() throws {
    #expect(try said("WEBVTT\n\nNOTE x\n\n0:01.0 --> 0:02.0\nSí\n") == ["Sí"])
    #expect(try said("[Script Info]\n[Events]\nDialogue: 0,0:01,0:02,D,,0,0,0,,Sí\n") == ["Sí"])
  }

  @Test(arguments: ["srt", "vtt", "ass"])
  func `reading subtitles can be interrupted within a fraction of them`(ending: String) throws {
    let line = ending == "ass" ? "Dialogue: 0,0:01,0:02,D,,0,0,0,," : "0:01,0 --> 0:02,0\n"
    for cue in ["cat\n\n", String(repeating: "(cat <b {y\n", count: 3) + "\n"] {
      let path = try folder.write(String(repeating: line + cue, count: 6_000), to: "a." + ending)
      var (polls, longest, last) = (0, 0.0, processorSeconds())
      _ = try TextFile(path, encoding: nil) {
        longest = max(longest, processorSeconds() - last)
        (polls, last) = (polls + 1, processorSeconds())
        return false
      }
      #expect(polls > 20 && longest < 1, "\(polls) polls, \(longest) s")
    }
  }

  @Test func `one cue of many lines, or of one long line, takes time in proportion to its length`() throws {
    let start = processorSeconds()
    for text in [String(repeating: "[a <\n", count: 20_000), String(repeating: "(a [<{", count: 20_000)] {
      let file = try read("0:01 --> 0:02\n" + text + "\nEnd.\n")
      #expect(file.paragraphs.allSatisfy { $0.text.utf8.count <= TextFile.longest + 1 << 17 })
    }
    #expect(processorSeconds() - start < 30)
  }
}
