// Notes, note types and media through the workspace.

import Decks
import Files
import Glibc
import Lexicon
import Problems
import Storage
import Templates
import TestDecks
import TestWorkspace
import ToggleSettings

@testable import Workspace

@Suite struct NoteHandleTests {
  private let person = Person()
  private let workspace: Workspace
  private let deck: DeckHandle

  init() throws {
    workspace = try person.workspace()
    deck = try workspace.decks.create("Spanish")
  }

  @Test func `a note's fields, tags and cards are live, and its cards lead to it`() throws {
    let note = try deck.addNote(.plain(["Front": "a < b", "Back": "c"], tags: ["t"]), type: .reversed)
    #expect(try note.fields().map(\.name) == ["Front", "Back"] && note.field("Front") == "a &lt; b")
    #expect(try note.cards().map { try $0.record().prompt } == ["a < b", "c"])
    let card = try #require(try note.cards().first)
    #expect(try card.note() === note && card.note().type() === note.type())
    #expect(try note.cards().map { try $0.position() } == [1, 2])
    try note.update(fields: ["Back": "d"], tags: ["u"])
    #expect(try card.record().answer == "d" && card.record().tags == ["u"])
    #expect(problemCode { try card.update(prompt: "x") } == "made_from_note")
    #expect(problemCode { _ = try note.field("Bck") } == "not_found")
    #expect(try workspace.notes.find(guidBeginning: note.record().guid).first === note)
    #expect(try note.remove() == 2 && problemCode { _ = try note.record() } == "not_found")
    #expect(try deck.add(NewCard(prompt: "plain", answer: "x")).note().field("Front") == "plain")
    try workspace.close()
    #expect(problemCode { _ = try note.record() } == "auth_required")
  }

  @Test func `removing the last card removes the note; an edit that recreates cards moves the others`() throws {
    let note = try deck.addNote(.plain(["Front": "a", "Back": "b"]), typeNamed: "basic")
    let other = try deck.addNote(.plain(["Front": "c", "Back": "d"]), type: .reversed)
    #expect(try note.cards()[0].position() == 3)
    try workspace.cards.remove([try other.cards()[0]])
    #expect(try note.cards()[0].position() == 2)
    try other.cards()[0].update(tags: ["x"])
    #expect(try other.cards().count == 2 && note.cards()[0].position() == 3)
    try workspace.cards.remove(try other.cards())
    #expect(problemCode { _ = try other.record() } == "not_found")
    try workspace.close()
  }

  @Test func `the count of a note type follows each change of its notes, and its undo`() throws {
    let (basic, cloze) = (try workspace.noteTypes.open("Basic"), try workspace.noteTypes.open("Cloze"))
    #expect(try basic.noteCount() == 0 && cloze.noteCount() == 0)
    try deck.add(NewCard(prompt: "a", answer: "b"))
    #expect(try basic.noteCount() == 1 && cloze.noteCount() == 0)
    let note = try deck.addNote(.plain(["Text": "{{c1::a}}"]), typeNamed: "Cloze")
    #expect(try basic.noteCount() == 1 && cloze.noteCount() == 1)
    try note.remove()
    #expect(try cloze.noteCount() == 0)
    _ = try workspace.care.undo()
    #expect(try cloze.noteCount() == 1)
    try workspace.close()
  }

  @Test func `note types are created, opened by name, and edited after confirmation`() throws {
    #expect(try workspace.noteTypes.all().count == 5)
    let cloze = try workspace.noteTypes.open("cloze")
    #expect(try cloze.record().isCloze && workspace.noteTypes.open("Cloze") === cloze)
    #expect(problemCode { _ = try workspace.noteTypes.open("Clozze") } == "not_found")
    let draft = NoteTypeDraft(
      name: "Word", fields: ["Word", "Meaning"],
      cards: [
        CardTemplate("One", front: "{{Word}}", back: "{{Meaning}}"),
        CardTemplate("Two", front: "{{Meaning}}", back: "{{Word}}"),
      ])
    let type = try workspace.noteTypes.create(draft)
    try deck.addNote(.plain(["Word": "gato", "Meaning": "cat"]), type: type)
    var edit = NoteTypeEdit(try type.record())
    edit.cards.removeLast()
    #expect(try type.loss(of: edit) == NoteTypeLoss(cards: 1))
    #expect(problemCode { try type.edit(edit) } == "loses_cards")
    #expect(try type.edit(edit, agreed: true).cards == 1 && deck.count() == 1)
    #expect(problemCode { try type.remove() } == "in_use")
    try workspace.close()
  }

  @Test func `a unit that is rolled back removes its notes and types`() throws {
    try workspace.beginUnit()
    let note = try deck.addNote(.plain(["Front": "a", "Back": "b"]), type: .basic)
    #expect(workspace.unitSummary == "adding a note")
    try workspace.rollbackUnit()
    #expect(problemCode { _ = try note.record() } == "not_found")
    #expect(try workspace.noteTypes.all().count == 5 && deck.count() == 0)
    try workspace.close()
  }

  @Test func `media files are identified by content; missing and unused ones are found`() throws {
    let (picture, again) = (Array("picture".utf8), Array("another".utf8))
    #expect(try workspace.media.add(picture, named: "gato.jpg") == "gato.jpg")
    #expect(try workspace.media.add(picture, named: "gato.jpg") == "gato.jpg")
    let other = try workspace.media.add(again, named: "gato.jpg")
    #expect(other.hasPrefix("gato-") && other.hasSuffix(".jpg"))
    #expect(try workspace.media.add(from: person.data + "/words/spanish") == "spanish")
    let path = try workspace.media.path("gato.jpg")
    #expect(try FileText.bytes(path, limit: 100) == picture && FileFacts.at(path)?.mode == 0o600)
    let note = try deck.addNote(
      NewNote(fields: ["Front": "<img src=gato.jpg> [sound:no.mp3]", "Back": "x"]), type: .basic)
    #expect(try note.cards()[0].record().prompt == "[picture gato.jpg] [sound no.mp3]")
    var check = try workspace.media.check()
    #expect(check.missing.map(\.name) == ["no.mp3"] && check.missing[0].references.notes == [note.id])
    #expect(check.unused.map(\.name) == [other, "spanish"] && check.damaged.isEmpty && check.leftover == (0, 0))
    #expect(problemCode { try workspace.media.remove(["spanish", "nope"]) } == "not_found")
    try workspace.media.remove(["spanish", other])
    check = try workspace.media.check()
    #expect(check.unused.isEmpty && check.leftover.files == 2)
    #expect(try workspace.media.clean() == 2 && workspace.media.check().leftover.files == 0)
    try Folder.removeFile(path)
    #expect(try workspace.media.check().damaged == ["gato.jpg"])
    #expect(problemCode { _ = try workspace.media.add(from: person.data + "/nothing") } != nil)
    #expect(problemCode { _ = try workspace.media.add(picture, named: "a/b") } == "bad_name")
    try Folder.removeTree(person.data + "/local/media")
    try workspace.close()
  }

  @Test
  func `a program that takes too long is killed with all its children, and a failing one is reported differently`()
    throws
  {
    let clock = person.clock
    var environment = clock.environment
    environment.clocks.pause = { _ in clock.pass(1) }
    let slow = startProgram(["/bin/sh", "-c", "sleep 100000 & wait"], environment: ["PATH=/usr/bin:/bin"])
    #expect(slow.failure == 0)
    #expect(try wait(for: slow.process, seconds: 120, environment, nil) == nil)
    // A killed process exists until the system has reaped it, which may be late on a busy machine.
    #expect(waits { kill(-slow.process, 0) != 0 && errno == ESRCH })
    environment.clocks.pause = { _ in sched_yield() }
    let input = try person.folder.write("a", to: "input")
    for (words, isDone) in [("read line; exit 0", true), ("exit 3", false), ("kill -9 $$", false)] {
      let program = startProgram(["/bin/sh", "-c", words], environment: [], input: input)
      #expect(try wait(for: program.process, seconds: 600, environment, nil) == isDone, "\(words)")
    }
  }

  @Test func `a sound is added to the field's current text, and not to a field that changed meanwhile`() throws {
    let speaker = try person.folder.write("#!/bin/sh\nprintf '%0100d' 7 > \"$1\"\n", to: "speaker")
    #expect(chmod(speaker, 0o755) == 0)
    try workspace.preferences().tree.set("media.speech", text: "\(speaker) {file}", by: .user)
    let notes = try ["gato", "gato", "perro", "pez", "pato"].enumerated().map { number, word in
      try deck.addNote(NewNote(fields: ["Front": word, "Back": "\(number)"]), type: .basic)
    }
    let other = try person.workspace()
    func otherNote(_ number: Int) throws -> NoteHandle {
      let found = try other.notes.numbered(notes[number].id.rawValue)
      return try #require(found)
    }
    let report = try workspace.speech.add(
      to: notes.compactMap { try $0.cards().first }, field: nil, in: try #require(Language.named("spanish"))
    ) { done, _ in
      if done < 4 { return }
      // Another shell changes them while the sounds are made.
      try otherNote(0).update(fields: ["Front": "la gata"])
      try otherNote(2).update(fields: ["Front": "<b>perro</b>"])
      try otherNote(3).remove()
    }
    #expect((report.spoken, report.skipped) == (3, 2))
    let fronts = try [0, 1, 2, 4].map { try notes[$0].field("Front").prefix { $0 != "-" } }
    #expect(fronts == ["la gata", "gato [sound:speech", "<b>perro</b> [sound:speech", "pato [sound:speech"])
    #expect(try workspace.media.check().missing.isEmpty && workspace.media.all().count == 3)
    #expect(try workspace.care.steps(limit: 1).first?.name == "adding speech to 3 cards")
  }

  @Test func `sounds are played by the configured program, without a shell and without waiting`() throws {
    let said = person.data + "/said"
    let player = try person.folder.write(
      "#!/bin/sh\nfor word; do echo \"$word\"; done > \(said).new\nmv \(said).new \(said)\nexec sleep 100000\n",
      to: "player")
    #expect(chmod(player, 0o755) == 0)
    let sound = try workspace.media.add(Array("sound".utf8), named: "a $(b).mp3")
    let note = try deck.addNote(
      NewNote(fields: ["Front": "[sound:\(sound)] [sound:no.mp3]", "Back": "x"]), type: .basic)
    let names = try #require(try note.cards().first).media().promptSounds
    #expect(names == ["a $(b).mp3", "no.mp3"])
    #expect(problemCode { try workspace.media.play(names) } == "no_player")
    try workspace.preferences().tree.set("media.player", text: "/nonexistent/player", by: .user)
    #expect(problemCode { try workspace.media.play(names) } == "no_player")
    try workspace.preferences().tree.set("media.player", text: "/bin/cat --no-option", by: .user)
    try workspace.media.play(names)
    #expect(waits { workspace.opened.player?.isPlaying == false })
    try workspace.preferences().tree.set("media.player", text: "\(player) --quiet ;x", by: .user)
    #expect(problemCode { try workspace.media.play(["no.mp3"]) } == "not_found")
    try workspace.media.play([])
    // What went wrong is said when the next playback starts.
    let failure = #expect(throws: WorkspaceError.self) { try workspace.media.play(names) }
    #expect(failure?.message.hasPrefix("cat ended with an error (Try '/bin/cat --help'") == true)
    var facts = stat()
    #expect(waits { stat(said, &facts) == 0 })
    let words = try FileText.read(said, limit: 1000)?.split(separator: "\n").map(String.init) ?? []
    #expect(words.count == 3 && words[0] == "--quiet" && words[1] == ";x", "\(words)")
    // A player detects the format by the file name.
    let link = try #require(words.last)
    #expect(link.hasSuffix("/a $(b).mp3"))
    #expect(try FileText.bytes(link, limit: 100) == Array("sound".utf8))
    // Closing stops playback and removes the link.
    try workspace.close()
    #expect(stat(link, &facts) != 0)
  }
}
