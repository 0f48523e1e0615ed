// Data that texts import from other programs, and charts and clips made from them, through the built program.

import Glibc
import TestSupport

@Suite struct TextSourceProgramTests {
  private let home = Home()

  private func run(_ words: String..., path: String = "/usr/bin:/bin") throws -> Run {
    let environment = home.environment(with: ["PATH=" + path])
    return try Child(home.words(words + ["--language", "spanish"]), environment: environment).finish(input: "")
  }

  @Test func `charts are drawn in lines and as a picture`() throws {
    let text = try home.write("el gato zorf. el gato zarf. el perro.\n", to: "a.txt")
    _ = try run("text", "known", "el", "gato")
    let shown = try run("text", "show", text, "--plot", "--target", "90")
    #expect(shown.output.contains("Coverage along the text") && shown.output.contains("To learn for 90 %: 3 lemmas"))
    let picture = home.path + "/a.svg"
    #expect(try run("text", "show", text, "--png", picture).output == "Drew the charts to \(picture).\n")
    let drawn = TestSupport.text(of: picture)
    #expect(drawn.hasPrefix("<svg") || drawn.hasPrefix("<?xml"))
    #expect(try run("--dry-run", "text", "show", text, "--png", home.path + "/b.svg").errors.contains("would write"))
    #expect(access(home.path + "/b.svg", F_OK) != 0)
  }

  @Test func `a Lute list is imported, exported, imported again, and counts once`() throws {
    let list = try home.write("term,status,language\ngato,5,Spanish\nsol,I,Spanish\nluna,2,Spanish\n", to: "lute.csv")
    let text = try home.write("gato luna sol\n", to: "a.txt")
    #expect(try run("text", "show", text, "--known", list, "--json").output.hasPrefix("{\"coverage\": 0.3333"))
    #expect(try run("text", "known").output == "No words.\n")
    #expect(try home.run("text", "known").errors.contains("the words are English; use --language"))
    let imported = try run("text", "known", "--import", list)
    #expect(
      imported.output == "2 words now known or ignored.\n"
        && imported.errors.contains("1 word still being learned left out"))
    try run("text", "known", "--export", home.path + "/out.txt").prints("Wrote 2 words to \(home.path)/out.txt.\n")
    #expect(try home.run("undo").output.hasPrefix("Undone: "))
    #expect(
      try run("text", "known", "mar", "--import", home.path + "/out.txt").output == "3 words now known or ignored.\n")
    #expect(try run("text", "known", "--json").output.contains("\"sol\", \"state\": \"ignored\""))
    #expect(try run("--dry-run", "text", "known").output == run("text", "known").output)
    try run("text", "known", "--import", list, "--column", "word=Frond").fails("no column called \"Frond\"")
  }

  @Test func `lines are cut out of a film, once, and a program that writes no file is reported`() throws {
    let film = try home.write("1\n00:00:01,000 --> 00:00:03,000\nel gato duerme.\n", to: "ep 1.srt")
    let video = try home.write("a film", to: "-ep.mkv")
    _ = try run("text", "known", "el", "gato")
    #expect(try run("mine", film, "--deck", "D", "--audio", video, path: home.path + "/bin").errors.contains("ffmpeg"))
    // Its last argument is the output file; the arguments show what it was given.
    let cutter = try home.write(
      "#!/bin/sh\nfor word; do last=$word; done\nprintf '%s' \"$*\" > \"${last#file:}\"\n", to: "bin/ffmpeg")
    chmod(cutter, 0o755)
    let path = home.path + "/bin:/usr/bin:/bin"
    try run("--dry-run", "mine", film, "--deck", "D", "--audio", video, path: path).succeeds()
    let mined = try run("mine", film, "--deck", "D", "--audio", video, path: path)
    #expect(mined.output.hasPrefix("Added 1 card to \"D\".\n"), "\(mined)")
    let media = try home.run("media", "list", "--json").output
    #expect(media.contains("ep_1_00-00-01.0.mp3") && media.contains("ep_1_00-00-01.0.jpg"), "\(media)")
    let card = try home.run("card", "list", "--deck", "D", "--json").output
    #expect(card.contains("ep_1_00-00-01.0"), "\(card)")
    #expect(try home.run("undo").output.contains("adding 1 card to D from a text"))
    #expect(try home.run("media", "list", "--json").output == "")
    // It reads no other file of the user, writes nowhere else, and reaches no network; nor do programs that it starts.
    let secret = try home.write("secret", to: "secret.txt")
    let prying = """
      #!/bin/sh
      for word; do last=${word#file:}; done
      { cat '\(secret)' '\(video)'; echo x > '\(home.path)/new'; printf ' %s' "$*"; } > "$last"
      """
    _ = try home.write(prying, to: "bin/ffmpeg")
    _ = try run("mine", film, "--deck", "D", "--audio", video, path: path)
    let folder = home.path + "/data/local/media/"
    let cuts = names(in: folder).map { text(of: folder + $0) }.filter { $0.hasPrefix("a film ") }
    #expect(cuts.count == 2 && cuts.allSatisfy { $0.contains("-format_whitelist matroska") }, "\(cuts)")
    #expect(contents(of: home.path + "/new") == nil)
    _ = try home.run("undo")
    // A sound file's name contains as much of a long multi-byte name as fits.
    let long = try home.write(
      "1\n00:00:01,000 --> 00:00:03,000\nel gato duerme.\n", to: String(repeating: "猫", count: 80) + ".srt")
    let ofLong = try run("mine", long, "--deck", "D", "--audio", video, path: path)
    #expect(ofLong.output.hasPrefix("Added 1 card"), "\(ofLong)")
    _ = try home.run("undo")
    // A sound that was cut short, by a full disk for example, is not taken.
    let failing = "#!/bin/sh\nfor word; do last=$word; done\nprintf half > \"${last#file:}\"\necho 'No space' >&2\n"
    _ = try home.write(failing + "exit 1\n", to: "bin/ffmpeg")
    try run("mine", film, "--deck", "D", "--audio", video, path: path).fails("nor a picture from \(video) (No space); ")
    #expect(try home.run("deck", "show", "D").status == 1)
    _ = try home.write(failing + "[ \"${last%.mp3}\" = \"$last\" ]\n", to: "bin/ffmpeg")
    let half = try run("mine", film, "--deck", "D", "--audio", video, path: path)
    #expect(half.status == 0 && half.errors.contains("mine: no sound for 1 word: No space\n"), "\(half)")
    let kept = try home.run("media", "list", "--json").output
    #expect(!kept.contains(".mp3") && kept.contains(".jpg"), "\(kept)")
  }

  @Test func `a PDF is read by pdftotext, which reads and writes nothing else, or is asked for`() throws {
    let pdf = sourceRoot() + "/Tests/ExchangeTests/Fixtures/documents/es.pdf"
    let read = try run("text", "sentences", pdf, "--unknown-at-most", "99", "--json")
    for sentence in [
      "La casa vieja", "El gato duerme en la casa vieja.", "El perro ladra en la calle todas las noches.",
      "La niña lee un libro sobre la habitación azul.", "Después cierra la ventana y apaga la luz.", "Nadie dice nada.",
      "El tren de Madrid llega tarde.",
    ] { #expect(read.output.contains("\"\(sentence)\""), "\(sentence): \(read)") }
    #expect(
      read.output.split(separator: "\n").count == 7 && read.errors.contains("left out: 2 page numbers"), "\(read)")
    #expect(try run("mine", pdf, "--deck", "D").output.hasPrefix("Added "))
    try run("text", "show", pdf, path: home.path + "/bin").fails("install Debian's poppler-utils")
    let secret = try home.write("secret", to: "secret.txt")
    let prying = """
      #!/bin/sh
      for word; do last=$word; done
      { echo '<page><block><line><word>'; cat '\(secret)'; echo x > '\(home.path)/new'; echo 'casa</word></line>'
      } > "$last"
      """
    let program = try home.write(prying, to: "bin/pdftotext")
    chmod(program, 0o755)
    let path = home.path + "/bin:/usr/bin:/bin"
    #expect(
      try run("text", "sentences", pdf, "--unknown-at-most", "99", "--json", path: path).output.contains("\"casa\""))
    #expect(contents(of: home.path + "/new") == nil)
    _ = try home.write("#!/bin/sh\necho 'Incorrect password' >&2\nexit 1\n", to: "bin/pdftotext")
    try run("text", "show", pdf, path: path).fails("pdftotext cannot read it: Incorrect password")
  }

  @Test func `a dictionary is indexed, ordered, and removed`() throws {
    let table = try home.write("gato\tcat\n", to: "es-en.tsv")
    let other = try home.write("gato\ttom\n", to: "es-second.tsv")
    #expect(try run("word", "dictionaries", "add", table).output == "Added es-en: 1 meaning, 0 forms, 0 frequencies.\n")
    _ = try run("word", "dictionaries", "add", other)
    #expect(try run("word", "define", "gato").output.hasPrefix("es-en:\n  cat\n"))
    _ = try run("word", "dictionaries", "order", "es-second")
    #expect(try run("word", "define", "gato").output.hasPrefix("es-second:\n  tom\n"))
    try run("word", "dictionaries", "order", "es-secnd").fails("did you mean \"es-second\"")
    _ = try run("--dry-run", "word", "dictionaries", "remove", "es-second")
    #expect(try run("word", "dictionaries", "remove", "es-second").status == 0)
    #expect(try run("word", "dictionaries").output.contains("es-second") == false)
    let broken = try home.write("PK nothing", to: "broken.zip")
    try run("word", "dictionaries", "add", broken).fails("broken.zip")
    #expect(
      try Child(["/bin/ls", home.path + "/data/dictionaries"], environment: []).finish(input: "").output
        == "es-en.words\n")
  }

  @Test func `map has lemmas if language data is installed, and fails without it`() throws {
    let script = try home.write("function map(l) emit(words.lemma(l, {language = 'spanish'}), 1) end", to: "lemmas.lua")
    let run = try Child([builtProgram("deckhand"), "map", script], environment: []).finish(input: "casas\n")
    if access("/usr/share/apertium/apertium-eng-spa/spa-eng.automorf.bin", F_OK) == 0 {
      #expect(run.status == 0 && run.output == "casa\t1\n", "\(run)")
    } else {
      #expect(run.status == 1 && run.errors.contains("apertium-eng-spa"), "\(run)")
    }
  }
}
