// Two users with an account each on one machine and one server: neither ever sees what the other does. Invariant:
// while one is signed in, no row, file or output of the other is read or written, and what a script does after it
// signs out takes effect nowhere.

import Commands
import Files

final class UsersWorld: SharedWorld {
  let machine: Machine
  private let world: World
  static let users = ["ana", "ben"]
  private(set) var steps = 0

  init(_ machine: Machine, _ world: World) { (self.machine, self.world) = (machine, world) }

  // MARK: The beginning

  private(set) var output = ""
  private var seeds = CommandSeeds()
  /// The data of each user, as it was when that user last used the machine.
  private var stored: [String: StoredData] = [:]
  /// The user who is signed in.
  private var seated = UsersWorld.users[0]

  /// A word that occurs in all of the user's data, and nowhere else.
  private static func secret(of user: String) -> String { "zqx" + user }

  func begin() throws {
    try world.begin()
    Network.shared.clear()
    (output, seeds, stored, seated) = ("", CommandSeeds(), [:], UsersWorld.users[0])
    for user in UsersWorld.users { try write("password of \(user)\n", machine.password(of: user)) }
    for user in UsersWorld.users {
      try require(["account", "add", user, "--new-password-file", machine.password(of: user)])
      if machine.user == nil { machine.begin(as: user) }
      try fill(user)
    }
  }

  private func write(_ text: String, _ path: String) throws { try AtomicFile.write(path, Array(text.utf8)) }

  /// Gives a user one object of every kind, each containing the owner's secret.
  private func fill(_ user: String) throws {
    let secret = UsersWorld.secret(of: user)
    let script = """
      local deck = decks.create("\(secret)")
      deck:add{prompt = "\(secret) word", answer = "\(secret) answer", tags = {"\(secret)"}}
      documents.create{}:add_text{text = "\(secret) text"}
      media.add("\(secret).txt")
      shell.alias("\(secret)", "deck list")
      notetypes.create{name = "\(secret)", fields = {"F"}, cards = {{name = "C", front = "{{F}}", back = "x"}}}
      """
    try seat(user)
    try machine.write("\(secret) content", to: "\(secret).txt")
    try machine.write(script, to: "fill.lua")
    try machine.write("p\n", to: "password")
    let server = ["sync", "login", "http://127.0.0.1:8080/", "--user", user, "--server-password-file", "password"]
    for words in [["run", "fill.lua"], server, ["sync"]] { try require(UsersWorld.of(user) + words) }
    stored[user] = try readData(user)
  }

  private func seat(_ user: String) throws { try require(UsersWorld.of(user) + ["whoami"]) }

  private static func of(_ user: String) -> [String] { ["--user", user] }

  private func readData(_ user: String) throws -> StoredData {
    let owned = Machine.owned(user, in: machine.data)
    return try StoredData(owned + "/collection.sqlite", data: owned)
  }

  // MARK: Steps

  func next(_ draw: inout Draw) throws -> [Step] {
    if draw.chance.happens(onceIn: 4) { seated = draw.chance.pick(UsersWorld.users) }
    let name = UsersWorld.of(seated)
    if draw.chance.happens(onceIn: 8) { return [.command(name + ["sync"])] }
    if draw.chance.happens(onceIn: 12) { return [.command(name + ["logout"])] }
    draw.now = machine.now
    let owned = Machine.owned(seated, in: machine.data)
    return draw.next(try MachineState(owned + "/collection.sqlite")).map { step in
      switch step {
      case .command(let words, let input, _): .command(name + words, input: input)
      case .file(let file, let content): .file("../files-\(seated)/\(file)", content)
      case .pass, .restart: step
      }
    }
  }

  func perform(_ step: Step) throws -> String? {
    steps += 1
    switch step {
    case .file(let name, let content): try machine.write(content, to: name)
    case .pass(let seconds): machine.pass(max(0, seconds))
    case .restart: machine.leave()
    case .command(let words, let input, _): return try perform(words, input)
    }
    return nil
  }

  private func perform(_ words: [String], _ input: String) throws -> String? {
    machine.begin(seeds.next(words))
    world.figures.commands += 1
    let outcome = try machine.run(words, input: input)
    output = outcome.text
    if outcome.status != 0 { world.figures.refused += 1 }
    if ![0, 1, 2, 77, 130].contains(outcome.status) { return "the status is \(outcome.status)" }
    guard words.count > 2, words[0] == "--user" else { return nil }
    return try trespass(of: words[1])
  }

  /// Returns any trace of another user that this user has read or written, and anything done while nobody was signed
  /// in.
  private func trespass(of user: String) throws -> String? {
    for other in UsersWorld.users where other != user {
      if output.contains(UsersWorld.secret(of: other)) { return "\(user) sees what is \(other)'s" }
      let now = try readData(other)
      guard let before = stored[other] else { continue }
      if now != before || now.files != before.files {
        return "\(user) changed what is \(other)'s:\n  " + now.differences(from: before).joined(separator: "\n  ")
          + "\(now.files.symmetricDifference(before.files).sorted())"
      }
    }
    stored[user] = try readData(user)
    if try FileFacts.at(Machine.owned(nil, in: machine.data) + "/collection.sqlite") != nil {
      return "there is a collection that is nobody's"
    }
    let names = try MachineState(Machine.owned(user, in: machine.data) + "/collection.sqlite").decks
    return names.contains(LuaDraw.afterSignOut) ? "the script went on after it signed out" : nil
  }

  // MARK: The end

  func end() throws -> String? {
    for user in UsersWorld.users {
      let outcome = try machine.run(UsersWorld.of(user) + ["sync"])
      output = outcome.text
      if let wrong = try trespass(of: user) { return wrong }
      if let wrong = try world.doctor() { return "\(user): \(wrong)" }
      machine.leave()
      for other in UsersWorld.users where other != user {
        let secret = UsersWorld.secret(of: other)
        let stored = Network.shared.stored(of: user)
        if "\(stored.rows)\(stored.objects)".contains(secret) { return "the server has of \(user) what is \(other)'s" }
        if let name = try file(of: user, with: secret) { return "\(name) of \(user) has what is \(other)'s" }
      }
    }
    return nil
  }

  /// Returns a file of the user that contains the word.
  private func file(of user: String, with word: String) throws -> String? {
    let folder = "\(machine.folder)/files-\(user)"
    return try Folder.names(in: folder).first { name in
      guard try FileFacts.at(folder + "/" + name)?.kind == .file else { return false }
      let bytes = try FileText.bytes(folder + "/" + name, limit: 64 << 20, isInterrupted: { false })
      return String(decoding: bytes, as: UTF8.self).contains(word)
    }
  }
}
