// The simulated machine: a folder on a disk that can fail, a clock that only the plan advances, and the shell, which
// runs on it in this process. Invariant: the shell gets nothing of the real machine except processor and memory, so
// the same steps give the same bytes.

import Authentication
import Commands
import Files
import Glibc
import LuaRuntime
import SimulatedDisk
import Values

@testable import Shell

/// The result of a command.
struct Outcome {
  let status: Int32
  /// Standard output and error, in the order they were written.
  let text: String
}

final class Machine {
  /// The machine's root folder, which contains `data` and `files`.
  let folder: String
  private let work: String
  private var session: Session?
  private(set) var now = 1_750_000_000.0
  private var entropy = SeededNumbers(seed: 1)

  /// - Parameter work: an existing empty folder.
  init(in work: String) throws {
    self.work = work
    folder = work + "/machine"
    try clear()
  }

  /// The folder of the current device: `data`, or another one that a command named.
  private(set) var device = "data"
  /// The current account; nil while there is none.
  private(set) var user: String?
  var data: String { folder + "/" + device }
  /// The folder where commands are typed; every account has its own.
  var files: String { folder + "/files" + (user.map { "-" + $0 } ?? "") }
  /// The folder with one user's data.
  var owned: String { Machine.owned(user, in: data) }
  var collection: String { owned + "/collection.sqlite" }

  static func owned(_ user: String?, in data: String) -> String {
    data + (user.map { "/accounts/" + $0 } ?? "/local")
  }

  /// Writes a file, creating the folders above it.
  func write(_ content: String, to name: String) throws {
    let path = files + "/" + name
    if name.contains("/") { try makePrivateFolder(parentFolder(of: path)) }
    try AtomicFile.write(path, Array(content.utf8))
  }

  /// The path of the file with an account's password.
  func password(of user: String) -> String { folder + "/password-" + user }

  /// Resets the machine to its initial state.
  func clear() throws {
    leave()
    disk_watch(nil)
    try remove(folder)
    (now, device, user) = (1_750_000_000, "data", nil)
    for path in [folder, files, words] { mkdir(path, 0o700) }
    try AtomicFile.write(words + "/american-english", Array((OddWords.list.joined(separator: "\n") + "\n").utf8))
    chdir(files)
    disk_watch(folder)
  }

  /// The folder of the word lists; there is one list.
  private var words: String { folder + "/words" }

  func pass(_ seconds: Int) { now += Double(seconds) }
  func setTime(_ time: Double) { now = time }

  /// Restarts the random numbers from a step's seed, so that repeating the step gives the same result.
  func begin(_ seed: UInt64) { entropy = SeededNumbers(seed: seed) }

  // MARK: The shell

  private var environment: Environment {
    var environment = Environment(
      clocks: Clocks(
        now: { [unowned self] in now }, elapsed: { [unowned self] in now }, zoneOffset: Zone.of(device).offset,
        reading: { [unowned self] in ClockReading(wall: Int64(now * 1000), boot: Int64(now * 1000), bootID: "one")
        },
        pause: { [unowned self] in now += Double($0) / 1000 }),
      random: RandomSources(choices: RandomChoices(seed: 7), seed: 7, entropy: { [unowned self] in entropy.next() }),
      // One press of Ctrl-C, which also interrupts Lua code.
      isInterrupted: {
        if disk_polls_interrupted() { Interrupts.request() }
        return Interrupts.areRequested
      })
    environment.variables.value = { [unowned self] in $0 == "XDG_DATA_DIRS" ? folder + "/share" : nil }
    environment.folders = ProgramFolders(data: data, cache: folder + "/cache", config: folder + "/config", home: folder)
    environment.folders.temporary = folder
    (environment.folders.lists, environment.folders.dictionaries) = ([words], [])
    environment.folders.netProgram = "simulated-net"
    return environment
  }

  private func started() throws -> Session {
    if let session { return session }
    let environment = environment
    let console = Console(
      terminal: Terminal(hasKeyboard: false, hasScreen: false, color: .never),
      messages: Terminal(hasKeyboard: false, hasScreen: false, color: .never), isQuiet: true,
      elapsed: environment.clocks.elapsed)
    var options = ShellOptions(
      ProgramIdentity(
        version: "0",
        command: Command(
          path: ["deckhand"], CommandText(theme: "", summary: "The program."), access: .open, effect: .reads,
          action: .builtIn)))
    options.usesStartScript = false
    if let user {
      (options.signIn.user, options.signIn.passwordFile) = (user, password(of: user))
    }
    let made = try Session(options, console: console, environment: environment)
    if user != nil { _ = SignIn(made).open(for: "deck") }
    try made.applyPending()
    session = made
    return made
  }

  /// Returns the commands that the shell knows.
  func commands() throws -> [Command] { try started().registry.commands }

  /// Switches to another device of the same user.
  func take(_ name: String) {
    if name == device { return }
    leave()
    device = name
  }

  /// Creates the account of a user, if needed, and signs in.
  func begin(as name: String) {
    user = name
    mkdir(files, 0o700)
    chdir(files)
  }

  /// Signs in another user, in the open shell if there is one.
  private func seat(_ name: String) throws {
    if name != user {
      begin(as: name)
      if session?.auth.user != nil { _ = try typed(["logout"]) }
    }
    if let session, session.auth.user == nil {
      _ = try typed(["login", name, "--password-file", password(of: name)])
    }
  }

  private func typed(_ words: [String]) throws -> Int32 {
    let session = try started()
    try session.applyPending(before: words)
    return Runner(session).runCommand(words)
  }

  /// Runs a command in the open shell, or in a new one. A leading `--data ../NAME` names the device, `--user NAME` the
  /// account.
  func run(_ given: [String], input: String = "") throws -> Outcome {
    var words = given
    if words.count > 2, words[0] == "--data" {
      take(String(words[1].dropFirst(3)))
      words.removeFirst(2)
    }
    if words.count > 2, words[0] == "--user" {
      try seat(words[1])
      words.removeFirst(2)
    }
    if !input.isEmpty { leave() }
    let bytes = Array(input.utf8)
    bytes.withUnsafeBytes { disk_set_input($0.bindMemory(to: CChar.self).baseAddress, $0.count) }
    let status: Int32
    do {
      status = try typed(words)
      if let session, session.state.leaving != nil { leave() }
    } catch {
      return Outcome(status: 1, text: "\(error)" + takenOutput())
    }
    Interrupts.clear()
    return Outcome(status: status, text: takenOutput())
  }

  /// Exits the shell.
  @discardableResult
  func leave() -> Int32 {
    guard let left = session else { return 0 }
    session = nil
    return left.close()
  }

  func takenOutput() -> String {
    var count = 0
    guard let bytes = disk_taken_output(&count) else { return "" }
    defer { free(bytes) }
    return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  // MARK: The disk

  var image: String { work + "/image" }

  /// Saves the disk's content for `putBack`.
  func saveDisk(as name: String = "kept") throws {
    try remove(work + "/" + name)
    try copyTree(folder, to: work + "/" + name)
  }

  func putBack(from name: String = "kept") throws {
    leave()
    try replace(by: work + "/" + name, copying: true)
  }

  /// Restarts the machine with what a power cut or a kill has left on its disk.
  func reboot() throws {
    leave()
    _ = takenOutput()
    try replace(by: image, copying: false)
  }

  private func remove(_ path: String) throws {
    if try FileFacts.at(path) != nil { try Folder.removeTree(path) }
  }

  private func replace(by other: String, copying: Bool) throws {
    disk_watch(nil)
    try remove(folder)
    if copying { try copyTree(other, to: folder) } else { rename(other, folder) }
    mkdir(files, 0o700)
    chdir(files)
    disk_watch(folder)
  }

  private func copyTree(_ from: String, to target: String) throws {
    mkdir(target, 0o700)
    for name in try Folder.names(in: from) {
      let (source, copy) = (from + "/" + name, target + "/" + name)
      if try FileFacts.at(source)?.kind == .folder {
        try copyTree(source, to: copy)
      } else {
        try AtomicFile.copy(source, to: copy, isInterrupted: { false })
      }
    }
  }
}
