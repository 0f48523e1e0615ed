// Backups from somebody else: their content is treated as data and never grants anything.

import Archives
import CardDocuments
import Decks
import Files
import Glibc
import Problems
import Storage
import Sync
import TestWorkspace
import ToggleSettings

@testable import Workspace

/// A backup of one card and one document that is unpacked, changed and packed again.
private final class Forgery {
  let person = Person()
  let workspace: Workspace
  let path: String
  private var files: [(name: String, bytes: [UInt8])] = []

  init() throws {
    workspace = try person.workspace()
    let deck = try workspace.decks.create("Spanish")
    _ = try deck.add(NewCard(prompt: "el gato", answer: "the cat"))
    _ = try workspace.documents.create(background: .black)
    try workspace.preferences().tree.set("study.limit", to: .number(7), by: .user)
    path = person.data + "/forged.deckhand-backup"
    try workspace.care.backup(to: path)
    let archive = try ArchiveReader(path, isInterrupted: { false })
    while let entry = try archive.next() { files.append((entry.name, try archive.rest(limit: 1 << 24))) }
  }

  /// Changes the database with SQL.
  func change(_ sql: String) throws {
    let database = person.data + "/forged.sqlite"
    let index = try #require(files.firstIndex { $0.name == "collection.sqlite" })
    try AtomicFile.write(database, files[index].bytes)
    let file = try ExclusiveDatabase(database, schema: DecksSchema.schema)
    try file.use { try $0.execute(sql: sql) }
    try file.close()
    files[index].bytes = try FileText.bytes(database, limit: 1 << 24)
  }

  func add(_ name: String, _ text: String = "x") { files.append((name, Array(text.utf8))) }

  func remove(_ name: String) { files.removeAll { $0.name == name } }

  /// Packs the backup again, with a matching manifest unless another one is given.
  func pack(account: String? = nil, manifest: String? = nil) throws -> String {
    let bytes = files.dropFirst().reduce(0) { $0 + $1.bytes.count }
    let account = account.map { "\"\($0)\"" } ?? "null"
    let fitting = """
      {"format": "deckhand-backup", "version": 1, "created": 1, "account": \(account), "bytes": \(bytes)}
      """
    if files[0].name == "manifest.json" { files[0].bytes = Array((manifest ?? fitting).utf8) }
    try AtomicFile.write(path, Replacement(isInterrupted: { false })) { sink in
      let archive = try ArchiveWriter(sink)
      for file in files { try archive.add(file.name, file.bytes) }
      try archive.finish()
    }
    return path
  }

  /// The names of all files in the account's folder.
  func folder() throws -> [String] {
    try Folder.names(in: workspace.folder).filter { !$0.hasPrefix("collection.sqlite-") }
  }
}

@Suite struct HostileBackupTests {
  private let forgery: Forgery

  init() throws { forgery = try Forgery() }

  @Test(arguments: [
    ("CREATE TRIGGER evil AFTER INSERT ON cards BEGIN DELETE FROM decks; END", "trigger \"evil\""),
    ("CREATE TRIGGER evil AFTER INSERT ON settings BEGIN DELETE FROM decks; END", "trigger \"evil\""),
    ("CREATE VIEW evil AS SELECT * FROM cards", "view \"evil\""),
    ("ALTER TABLE settings RENAME TO other; CREATE VIEW settings AS SELECT * FROM other", "view \"settings\""),
    ("CREATE TABLE evil (a)", "table \"evil\""),
    ("CREATE VIRTUAL TABLE evil USING fts5(a)", "table \"evil\""),
    ("CREATE INDEX evil ON cards (length(id))", "index \"evil\""),
    ("ALTER TABLE decks ADD COLUMN evil INTEGER GENERATED ALWAYS AS (id) VIRTUAL", "table \"decks\""),
    ("DROP TABLE settings", "table \"settings\""),
  ])
  func `a schema that differs from this version's is refused by the name of the difference`(sql: String, name: String)
    throws
  {
    try forgery.change(sql)
    let path = try forgery.pack()
    let before = try forgery.folder()
    let error = #expect(throws: BackupError.self) { try forgery.workspace.care.stage(path) }
    #expect(error?.message.contains(name) == true, "\(String(describing: error?.message))")
    #expect(try forgery.folder() == before)
  }

  @Test(arguments: [
    ("{", "its manifest cannot be read"), ("[]", "its manifest cannot be read"), ("{}", "its manifest cannot be read"),
    (#"{"format": "deckhand-backup", "version": 2}"#, "which this program does not know"),
    (#"{"format": "deckhand-backup"}"#, "another size than its manifest says"),
    (#"{"format": "deckhand-backup", "bytes": 7}"#, "another size than its manifest says"),
  ])
  func `an invalid manifest, or one of other files, is refused`(manifest: String, reason: String) throws {
    let path = try forgery.pack(manifest: manifest)
    let error = #expect(throws: BackupError.self) { try forgery.workspace.care.stage(path) }
    #expect(error?.message.contains(reason) == true, "\(String(describing: error?.message))")
  }

  @Test(arguments: [
    ("manifest.json", "does not begin with manifest.json"), ("collection.sqlite", "no collection.sqlite"),
  ])
  func `a backup without a required file is refused`(name: String, reason: String) throws {
    forgery.remove(name)
    let path = try forgery.pack()
    let error = #expect(throws: BackupError.self) { try forgery.workspace.care.stage(path) }
    #expect(error?.message.contains(reason) == true, "\(String(describing: error?.message))")
  }

  @Test(arguments: [
    "plugins/evil/init.lua", "init.lua", "anything.txt", "credentials", "signing_key", "attempts", "backups/a",
    "media/evil.sh", "media/a/b", "documents/evil.lua", "documents/a.rwcard", ".sync-key",
    Array(repeating: "a", count: 40).joined(separator: "/") + "/a.rwcard", "collection.sqlite-wal", "grants.json/a",
    "collection.sqlite",
  ])
  func `a file that does not belong in a backup is refused`(name: String) throws {
    forgery.add(name)
    let path = try forgery.pack()
    let before = try forgery.folder()
    #expect(throws: (any Error).self) { try forgery.workspace.care.stage(path) }
    #expect(try forgery.folder() == before)
  }

  @Test func `content that does not match its hash replaces nothing, and good content repairs a damaged file`() throws {
    let media = forgery.workspace.folder + "/media/"
    let name = { (text: String) in ContentHash(of: Array(text.utf8)).description }
    try makePrivateFolder(media)
    try AtomicFile.write(media + name("mine"), Array("mine".utf8))
    try AtomicFile.write(media + name("good"), Array("damaged".utf8))
    forgery.add("media/" + name("mine"), "evil")
    forgery.add("media/" + name("good"), "good")
    _ = try forgery.workspace.care.restore(forgery.workspace.care.stage(forgery.pack()))
    #expect(try FileText.read(media + name("mine"), limit: 99) == "mine")
    #expect(try FileText.read(media + name("good"), limit: 99) == "good")
  }

  @Test func `a document of a backup that cannot be opened is listed, and prevents nothing`() throws {
    try forgery.change("INSERT INTO documents VALUES ('../evil', '{', 0)")
    _ = try forgery.workspace.care.restore(forgery.workspace.care.stage(forgery.pack()))
    let (documents, problems) = try forgery.workspace.documents.all()
    #expect(documents.count == 1 && problems.map(\.code) == ["unreadable"])
    #expect(try forgery.workspace.care.diagnose([.documents]).map(\.place) == ["documents ../evil"])
  }

  @Test func `sensitive settings keep their current values, are shown, and are restored on request`() throws {
    try forgery.change(
      """
      INSERT INTO settings VALUES ('media.player', 'text', 'sh -c id', 'user'),
        ('media.speech', 'text', 'sh {file}', 'user'), ('mine.program', 'text', 'sh', 'user'),
        ('serve.origins', 'text', 'http://evil.com', 'user'), ('serve.key', 'text', 'known', 'user'),
        ('auth.idle_minutes', 'number', 0, 'user'), ('sync.at_end', 'flag', 1, 'user')
      """)
    let path = try forgery.pack()
    let tree = try forgery.workspace.preferences().tree
    let own = SettingDeclaration("mine.program", .text(default: ""), secret: true, guarded: true)
    _ = try forgery.workspace.settings.declare(own, by: .startScript)
    try tree.set("mine.program", to: .text("own"), by: .user)
    try tree.set("media.player", to: .text("mpv"), by: .user)
    try tree.set("study.limit", to: .number(9), by: .user)
    let staged = try forgery.workspace.care.stage(path)
    #expect(
      staged.settings.map(\.name) == [
        "auth.idle_minutes", "media.player", "media.speech", "mine.program", "serve.key", "serve.origins",
        "sync.at_end",
      ])
    #expect(!staged.settings.contains { ["known", "sh"].contains($0.value) })
    _ = try forgery.workspace.care.restore(staged)
    let preferences = try forgery.workspace.preferences()
    #expect(
      preferences.session.mediaPlayer == ["mpv"] && preferences.serving.origins == [] && preferences.serving.key.isEmpty
    )
    #expect(!preferences.serving.syncsAtEnd && preferences.study.most == 7)
    #expect(try tree.get("mine.program") == .text("own"))
    _ = try forgery.workspace.care.restore(forgery.workspace.care.stage(path, taking: [.settings]))
    #expect(
      preferences.session.mediaPlayer == ["sh", "-c", "id"] && preferences.serving.origins == ["http://evil.com"])
  }

  @Test func `a link to another server is shown, and the current one stays`() throws {
    try forgery.change("INSERT INTO sync_link (id, address, user) VALUES (1, 'https://evil.com/', 'ana')")
    let path = try forgery.pack()
    var staged = try forgery.workspace.care.stage(path)
    #expect(staged.settings.contains { $0.name == "link" && $0.value == "ana at https://evil.com/" })
    _ = try forgery.workspace.care.restore(staged)
    #expect(try forgery.workspace.sync.link() == nil)
    try forgery.workspace.perform(.link) {
      try SyncTables.setLink($0, SyncLink(address: "https://mine.org/", user: "me"))
    }
    staged = try forgery.workspace.care.stage(path)
    _ = try forgery.workspace.care.restore(staged)
    #expect(try forgery.workspace.sync.link()?.address == "https://mine.org/")
  }

  @Test func `grants and history stay as they are unless requested`() throws {
    forgery.add("grants.json", #"{"evil":{"enabled":true,"granted":["shell.run"]}}"#)
    forgery.add("history", "rm -r ~")
    let path = try forgery.pack()
    let folder = forgery.workspace.folder
    try AtomicFile.write(folder + "/grants.json", Array("{}".utf8))
    var staged = try forgery.workspace.care.stage(path)
    #expect(staged.grants != nil && staged.hasHistory)
    _ = try forgery.workspace.care.restore(staged)
    #expect(try FileText.read(folder + "/grants.json", limit: 1000) == "{}" && !fileExists(folder + "/history"))
    staged = try forgery.workspace.care.stage(path, taking: [.grants, .history])
    _ = try forgery.workspace.care.restore(staged)
    #expect(try FileText.read(folder + "/grants.json", limit: 1000)?.contains("evil") == true)
    #expect(try FileText.read(folder + "/history", limit: 1000) == "rm -r ~")
  }

  @Test func `a backup of another account is refused`() throws {
    let path = try forgery.pack(account: "ana")
    #expect(throws: BackupError.ofAnother(path: path, account: "ana")) {
      try forgery.workspace.care.stage(path, taking: [.account])
    }
  }

  @Test func `rows that violate constraints are refused`() throws {
    try forgery.change(
      "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master "
        + "WHERE name = 'settings') WHERE name = 'cards'")
    let path = try forgery.pack()
    #expect(throws: (any Error).self) { try forgery.workspace.care.stage(path) }
    #expect(try forgery.workspace.decks.open("Spanish").count() == 1)
  }
}
