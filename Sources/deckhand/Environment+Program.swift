// The system's clocks, random numbers, folders and terminal: read here, passed to everything else.

import CTerminal
import Files
import Glibc
import LuaRuntime
import Problems
import Shell
import Text

/// The program's arguments without its own name. Swift's `CommandLine` reads /proc, and has no arguments without it.
/// - Throws: `PlainProblem` for an argument that is not UTF-8.
func programArguments() throws(PlainProblem) -> [String] {
  var count: Int32 = 0
  guard let words = process_arguments(&count) else { return [] }
  var arguments: [String] = []
  for index in 1..<max(1, Int(count)) {
    guard let word = words[index] else { continue }
    guard let argument = String(validatingCString: word) else {
      let bytes = UnsafeRawBufferPointer(start: word, count: strlen(word)).bindMemory(to: UInt8.self)
      let place = (firstInvalidByte(bytes) ?? 0) + 1
      let shown = quoted(String(decoding: bytes, as: UTF8.self))
      throw ProgramOptions.wrong("argument \(index), \(shown), is not UTF-8 at byte \(place)")
    }
    arguments.append(argument)
  }
  return arguments
}

/// The value of an environment variable; nil when it is not set or not UTF-8.
func environmentValue(_ name: String) -> String? { getenv(name).flatMap { String(validatingCString: $0) } }

func environmentValues(beginning prefix: String) -> [String: String] {
  var found: [String: String] = [:]
  var next = environ
  while let entry = next.pointee {
    next += 1
    guard let text = String(validatingCString: entry), text.hasPrefix(prefix), let equals = text.firstRange(ofText: "=")
    else { continue }
    found[String(text[..<equals.lowerBound])] = String(text[equals.upperBound...])
  }
  return found
}

/// The id of the machine's current boot; empty when the system does not provide it.
func bootID() -> String {
  let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return "" }
  defer { close(file) }
  var bytes = [UInt8](repeating: 0, count: 64)
  let count = read(file, &bytes, bytes.count)
  return count > 0 ? String(decoding: bytes[..<count].filter { $0 > 0x20 }, as: UTF8.self) : ""
}

extension Environment {
  /// The system's clocks, random numbers, variables and folders.
  /// - Parameters:
  ///   - data: the data folder given on the command line.
  ///   - seed: the seed of every random choice; nil for different ones at each start.
  static func ofProgram(data: String?, seed: UInt64?) -> Environment {
    let home = environmentValue("HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? accountHome() ?? "/"
    var environment = Environment.ofSystem(seed: seed, bootID: bootID()) { Interrupts.areRequested }
    environment.variables = Variables(value: environmentValue, beginning: environmentValues(beginning:))
    func given(_ variable: String) -> String? { environmentValue(variable).flatMap { $0.isEmpty ? nil : $0 } }
    var folders = ProgramFolders(
      data: data ?? given("DECKHAND_DATA") ?? xdgFolder("XDG_DATA_HOME", home: home, "/.local/share"),
      cache: xdgFolder("XDG_CACHE_HOME", home: home, "/.cache"),
      config: xdgFolder("XDG_CONFIG_HOME", home: home, "/.config"), home: home)
    folders.temporary = given("TMPDIR") ?? folders.temporary
    // The folder of the running program, with links resolved; nil when the system does not provide it.
    let path = realPath("/proc/self/exe") ?? process_path().flatMap { realPath(String(cString: $0)) }
    let own = path.flatMap { path in path.lastIndex(of: "/").map { String(path[..<$0]) } }
    folders.bundledPlugins = own.flatMap(bundledPlugins(near:))
    folders.drawingProgram = ownProgram("deckhand-draw", in: own)
    folders.netProgram = ownProgram("deckhand-net", in: own)
    folders.pluginProgram = ownProgram("deckhand-plugin", in: own)
    environment.folders = folders
    return environment
  }
}

extension Terminal {
  /// The terminal at standard output (1) or standard error (2).
  static func ofSystem(_ descriptor: Int32, color: ColorChoice) -> Terminal {
    Terminal(
      hasKeyboard: isatty(0) == 1, hasScreen: isatty(descriptor) == 1, color: color, environment: environmentValue,
      size: {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
      })
  }
}

func isReadable(_ path: String) -> Bool { access(path, R_OK) == 0 }

/// Opens /dev/null in place of each standard stream that is closed, so that its use fails as before. Otherwise the next
/// file that is opened would be that stream, and messages would be written into it.
func replaceClosedStreams() {
  for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) < 0 {
    _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
  }
}

/// Redirects all further output to /dev/null; returns a descriptor of the original standard output.
func withholdOutput() -> Int32 {
  let output = fcntl(1, F_DUPFD_CLOEXEC, 0)
  let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
  if nowhere >= 0 {
    dup2(nowhere, 1)
    dup2(nowhere, 2)
  }
  return output
}

/// The home of the user's account on this machine; nil when there is no such account, as in some containers.
private func accountHome() -> String? {
  guard let account = getpwuid(getuid()), let home = account.pointee.pw_dir else { return nil }
  return String(validatingCString: home)
}

/// A folder of the XDG base directory specification.
func xdgFolder(_ variable: String, home: String, _ fallback: String) -> String {
  // The specification says to ignore relative paths.
  if let folder = environmentValue(variable), folder.hasPrefix("/") { return folder + "/deckhand" }
  return home + fallback + "/deckhand"
}

/// The path of a program that this one starts: beside it, as in a build folder, or in `libexec`, as in a package.
private func ownProgram(_ name: String, in folder: String?) -> String {
  guard let folder else { return name }
  let (beside, installed) = (folder + "/" + name, folder + "/../libexec/deckhand/" + name)
  if access(beside, X_OK) == 0 || isShared(parentFolder(of: folder)) { return beside }
  return access(installed, X_OK) == 0 ? installed : beside
}

/// Whether everybody may create files in a folder, as in /tmp: what is found there may be anybody's.
private func isShared(_ folder: String) -> Bool {
  var facts = stat()
  return stat(folder, &facts) == 0 && facts.st_mode & 0o1002 == 0o1002
}

/// The bundled plugins: beside the program, in its `share`, or in the source tree that it was built in.
private func bundledPlugins(near program: String) -> String? {
  var folder = program
  for _ in 0..<5 {
    if isShared(folder) { return nil }
    for place in ["/share/deckhand/Plugins", "/Plugins"] where access(folder + place, R_OK) == 0 {
      return folder + place
    }
    guard let slash = folder.lastIndex(of: "/") else { return nil }
    folder = String(folder[..<slash])
  }
  return nil
}
