// A process that the tests start in order to kill, stop or race it: it does one thing with accounts or the terminal
// and prints the result on standard output. Its arguments contain passwords, which no real program may do.

import Authentication
import CTerminal
import Files
import Glibc
import Problems

@main struct Probe {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do throws(AuthenticationError) {
      print(try run(arguments))
    } catch {
      print(error.code)
    }
  }

  private static func run(_ arguments: [String]) throws(AuthenticationError) -> String {
    switch (arguments.first, arguments.count) {
    case ("read", 2): return try readLine(Int(arguments[1]) ?? 0)
    case ("hide", 1): return hide()
    case ("verify", 4):
      _ = try store(arguments[1], endAt: "").verify(arguments[2], try secret(arguments[3]))
      return "ok"
    case ("change", 6):
      let store = try store(arguments[1], endAt: arguments[5])
      try store.changePassword(of: arguments[2], from: try secret(arguments[3]), to: try secret(arguments[4]))
      return "ok"
    case ("add", 5):
      let store = try store(arguments[1], endAt: arguments[4])
      return try store.add(arguments[2], try secret(arguments[3]), adoptingLocal: true)
    case ("scan", 5):
      // The password comes from a file, and the searched bytes are masked, so that only the program's own copies are
      // found.
      let wanted = Array(arguments[4].utf8)
      let store = try store(arguments[1], endAt: "")
      let living = try signIn(store, arguments[2], file: arguments[3], wanted)
      return "\(living) \(MemoryScan.copies(ofMasked: wanted))"
    default: return "usage"
    }
  }

  /// Signs in with a password from a file, and counts its copies while it is in use.
  private static func signIn(
    _ store: AccountStore, _ name: String, file: String, _ wanted: [UInt8]
  ) throws(AuthenticationError) -> Int {
    let secret = try PasswordFile.read(file)
    _ = try store.verify(name, secret)
    let copies = MemoryScan.copies(ofMasked: wanted)
    return secret.isEmpty ? -1 : copies
  }

  private static func secret(_ text: String) throws(AuthenticationError) -> Secret {
    try Secret(bytes: Array(text.utf8))
  }

  private static func store(_ data: String, endAt step: String) throws(AuthenticationError) -> AccountStore {
    let store = try AccountStore(
      data: data, environment: .ofSystem(bootID: "probe", isInterrupted: { false }),
      cost: HashCost(memory: 8, passes: 1))
    store.reach = {
      if $0.rawValue == step { kill(getpid(), SIGKILL) }
      return 0
    }
    return store
  }

  /// Reads a line without echo, and prints its length and the sum of its bytes, which identify it.
  private static func readLine(_ capacity: Int) throws(AuthenticationError) -> String {
    var code = 0
    let secret = try Secret(capacity: max(1, capacity)) { buffer in
      code = secret_line_read("Password: ", buffer.bindMemory(to: UInt8.self).baseAddress, buffer.count)
      return code
    }
    return code < 0 ? "code \(code)" : "\(secret.count) \(secret.withBytes { $0.reduce(0) { $0 + Int($1) } })"
  }

  /// Forbids core dumps, and prints the resulting system setting.
  private static func hide() -> String {
    let result = process_forbid_core_dumps()
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    return "\(result) \(limit.rlim_cur)"
  }
}

enum MemoryScan {
  /// Returns how often the bytes occur in memory.
  static func copies(ofMasked wanted: [UInt8]) -> Int {
    let memory = open("/proc/self/mem", O_RDONLY)
    defer { close(memory) }
    var count = 0
    for (start, end) in regions() {
      var place = start
      while place < end {
        count += copies(ofMasked: wanted, at: place, upTo: min(end, place + 1 << 20), in: memory)
        place += 1 << 20
      }
    }
    return count
  }

  /// Returns the readable and writable ranges of memory, from /proc/self/maps.
  private static func regions() -> [(Int, Int)] {
    guard let maps = fopen("/proc/self/maps", "r") else { return [] }
    defer { fclose(maps) }
    var regions: [(Int, Int)] = []
    var line = [CChar](repeating: 0, count: 1024)
    while fgets(&line, 1024, maps) != nil {
      let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
        separator: " ")
      let ends = words[0].split(separator: "-").compactMap { Int($0, radix: 16) }
      if ends.count == 2, words[1].hasPrefix("rw") { regions.append((ends[0], ends[1])) }
    }
    return regions
  }

  /// Reads a piece, flips the lowest bits so that the piece itself is no copy, and searches it.
  private static func copies(ofMasked wanted: [UInt8], at start: Int, upTo end: Int, in memory: Int32) -> Int {
    // Read straight from the kernel into a separate page, which is wiped afterwards.
    let size = end - start
    guard let piece = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), piece != MAP_FAILED
    else { return 0 }
    defer { munmap(piece, size) }
    let got = pread(memory, piece, size, off_t(start))
    guard got >= wanted.count else { return 0 }
    let bytes = piece.bindMemory(to: UInt8.self, capacity: got)
    var count = 0
    for place in 0...(got - wanted.count) where bytes[place] ^ 1 == wanted[0] {
      count += wanted.indices.allSatisfy { bytes[place + $0] ^ 1 == wanted[$0] } ? 1 : 0
    }
    return count
  }
}
