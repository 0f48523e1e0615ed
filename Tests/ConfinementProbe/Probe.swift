// A stand-in for deckhand, and for deckhand-draw or deckhand-plugin, at a terminal: it starts itself as the shell
// starts these, gives up the same rights, makes the attempts of code that broke out, and prints how each ended.
//
// ConfinementProbe shell confined|computing|free FILE     prints `NAME: ERRNO` for each attempt
// Invariant: "free" differs from "confined" only by the new session and the rights that are given up.

import CConfinement
import CDrawing
import ConfinementTries
import Files
import Glibc

@main struct Probe {
  static func main() {
    let words = CommandLine.arguments
    switch words.count {
    case 4 where words[1] == "shell": startTries(words)
    case 7: makeTries(words)
    default: exit(2)
    }
  }

  /// As the shell: with an open file that a started program inherits, and a number in its memory.
  private static func startTries(_ words: [String]) {
    allow_tracing()
    let number = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    number.initialize(to: 7)
    let inherited = open(words[3], O_RDONLY)
    let terminal = ttyname(0).map { String(cString: $0) } ?? ""
    let arguments = [
      words[0], words[2], words[3], terminal, "\(getpid())", "\(UInt(bitPattern: number))", "\(inherited)",
    ]
    let process = words[2] == "free" ? startFree(arguments) : startConfined(arguments)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    say("ended: \(number.pointee) \(status)")
  }

  private static func startConfined(_ arguments: [String]) -> pid_t {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      exit(1)
    }
    let started = startProgram(arguments, environment: [], channel: ends[1])
    close(ends[1])
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = read(ends[0], &buffer, buffer.count), count > 0 { _ = write(1, buffer, count) }
    return started.process
  }

  private static func startFree(_ arguments: [String]) -> pid_t {
    var process: pid_t = 0
    var words = arguments.map { strdup($0) } + [nil]
    var none: [UnsafeMutablePointer<CChar>?] = [nil]
    posix_spawn(&process, arguments[0], nil, nil, &words, &none)
    return process
  }

  /// As the drawing program.
  private static func makeTries(_ words: [String]) {
    if words[1] == "confined" { _ = cdrawing_confine() }
    if words[1] == "computing" { _ = confine_code() }
    var victim = victim()
    (victim.process, victim.descriptor) = (Int32(words[4]) ?? 0, Int32(words[6]) ?? -1)
    victim.address = UInt(words[5]) ?? 0
    words[2].withCString { file in
      words[3].withCString { terminal in
        (victim.file, victim.terminal) = (file, terminal)
        for index in 0..<try_count() {
          let result = try_make(index, &victim)
          say(String(cString: try_name(index)) + ": \(result)")
        }
      }
    }
  }

  /// Writes unbuffered, as the next attempt may replace the process image.
  private static func say(_ text: String) { _ = (text + "\n").withCString { write(1, $0, strlen($0)) } }
}
