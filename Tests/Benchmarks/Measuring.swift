// Measuring two ways of doing the same thing side by side. Invariant: the two run alternately, many times, and their
// medians are compared, so that a busy machine slows both. A smoke run executes each once, with small numbers: it
// shows that every figure can be measured, not its value.

import Glibc
import Synchronization

/// The command line: `Benchmarks [--smoke] PROGRAM FOLDER [TEXT]`.
enum Asked {
  static let isSmoke = CommandLine.arguments.contains("--smoke")
  private static let words = CommandLine.arguments.filter { $0 != "--smoke" }
  static let program = words.count > 1 ? words[1] : "deckhand"
  static let folder = words.count > 2 ? words[2] : "/tmp/deckhand-bench"
  /// The text that a title must contain to be measured.
  static let text = words.count > 3 ? words[3] : nil
  /// Whether figures that take minutes are measured: if one is asked for by name, or in a smoke run.
  static var wantsLong: Bool { isSmoke || text != nil }
}

/// Scales the number of cards, rows or calls of a figure for smoke runs.
func sized(_ count: Int) -> Int { Asked.isSmoke ? max(1, count / 100) : count }

private let failures = Mutex<[String]>([])

/// Records that a figure could not be measured: the program will exit with 1.
func failed(_ title: String) {
  print("\(title): could not be measured")
  failures.withLock { $0.append(title) }
}

/// Exits with 1 if a figure failed.
func exitIfFailed() {
  let titles = failures.withLock { $0 }
  guard !titles.isEmpty else { return }
  print("bench: \(titles.count) figures could not be measured:\n  " + titles.joined(separator: "\n  "))
  exit(1)
}

/// A figure: our time as a multiple of the reference's.
struct Figure {
  let title: String
  /// The target ratio, at most.
  let wanted: Double?
  let ours: Double
  let reference: Double
  let unit: String

  var ratio: Double { ours / reference }
}

func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// The program, where figures start it.
let deckhand = Asked.program

/// Returns whether a figure is to be measured: all are, or those whose title contains the given text.
func isAsked(_ title: String) -> Bool { Asked.text.map { title.contains($0) } ?? true }

/// Runs both alternately. Each returns its seconds, negative if it failed.
func compare(
  _ title: String, wanted: Double?, rounds: Int, scale: Double, unit: String, ours: () throws -> Double,
  reference: () throws -> Double
) rethrows -> Figure? {
  guard isAsked(title) else { return nil }
  var (mine, theirs): ([Double], [Double]) = ([], [])
  for _ in 0..<(Asked.isSmoke ? 1 : rounds) {
    theirs.append(try reference())
    mine.append(try ours())
  }
  guard !(mine + theirs).contains(where: { $0 < 0 }) else {
    failed(title)
    return nil
  }
  return Figure(title: title, wanted: wanted, ours: median(mine) * scale, reference: median(theirs) * scale, unit: unit)
}

func show(_ figures: [Figure?]) {
  for figure in figures.compactMap(\.self) {
    if Asked.isSmoke {
      print("ok: \(figure.title)")
      continue
    }
    let verdict = figure.wanted.map { figure.ratio <= $0 ? "ok, \($0) wanted" : "MISSED, \($0) wanted" } ?? ""
    print(
      "\(figure.title)\n    \(rounded(figure.ours)) \(figure.unit) against \(rounded(figure.reference)) \(figure.unit): "
        + "\(rounded(figure.ratio)) times   \(verdict)")
  }
  fflush(nil)
}

func rounded(_ value: Double) -> String {
  let hundredths = (value * 100).rounded() / 100
  return "\(hundredths)"
}

/// Runs a program with empty input and discarded output; returns its seconds, or -1.
func seconds(ofRunning path: String, _ arguments: [String]) -> Double {
  run(path, arguments).seconds
}

/// The resources that a program used.
struct Resources {
  var seconds: Double
  /// In processor time.
  var processor: Double
  /// Its maximum resident memory.
  var bytes: Int

  /// The descriptor to which a separate run writes them.
  fileprivate static let descriptor: Int32 = 3
  fileprivate static let word = "--resources"

  /// Runs a program and writes its resources, if this process was started for that:
  /// `Benchmarks --resources PROGRAM ARG...`.
  static func answerIfAsked() {
    let words = CommandLine.arguments
    guard words.count > 2, words[1] == word else { return }
    let used = run(words[2], Array(words.dropFirst(3)))
    let text = Array("\(used.seconds) \(used.processor) \(used.bytes)".utf8)
    exit(write(descriptor, text, text.count) == text.count ? 0 : 1)
  }
}

/// Runs a program from a small process: a process inherits the peak memory of the one that started it, and this one
/// holds word lists.
func resources(ofRunning path: String, _ arguments: [String]) -> Resources {
  var ends: [Int32] = [0, 0]
  guard pipe(&ends) == 0 else { return Resources(seconds: -1, processor: 0, bytes: 0) }
  defer { close(ends[0]) }
  let status = run("/proc/self/exe", [Resources.word, path] + arguments, output: ends[1])
  close(ends[1])
  var buffer = [UInt8](repeating: 0, count: 200)
  let count = read(ends[0], &buffer, buffer.count)
  let parts = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
  guard status.seconds >= 0, parts.count == 3, let seconds = Double(parts[0]), let processor = Double(parts[1]),
    let bytes = Int(parts[2])
  else { return Resources(seconds: -1, processor: 0, bytes: 0) }
  return Resources(seconds: seconds, processor: processor, bytes: bytes)
}

/// - Parameter output: the descriptor to which it writes its resources.
private func run(_ path: String, _ arguments: [String], output: Int32? = nil) -> Resources {
  var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
  words.append(nil)
  defer { for word in words { free(word) } }
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
  if let output { posix_spawn_file_actions_adddup2(&actions, output, Resources.descriptor) }
  let start = now()
  var child: pid_t = 0
  guard posix_spawnp(&child, path, &actions, nil, words, environ) == 0 else {
    return Resources(seconds: -1, processor: 0, bytes: 0)
  }
  var status: Int32 = 0
  var usage = rusage()
  while wait4(child, &status, 0, &usage) < 0 && errno == EINTR {}
  let processor = [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
  return Resources(seconds: status == 0 ? now() - start : -1, processor: processor, bytes: usage.ru_maxrss * 1024)
}
