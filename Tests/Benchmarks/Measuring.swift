// Measuring two ways of doing the same thing side by side. Invariant: the two are run in turn, many times, and what is
// compared is the middle of each, so that a busy machine slows both. A smoke run does each once, with small numbers:
// it shows that every figure can be measured, not what it is.

import Glibc
import Synchronization

/// What was asked for: `Benchmarks [--smoke] PROGRAM FOLDER [TEXT]`.
enum Asked {
  static let isSmoke = CommandLine.arguments.contains("--smoke")
  private static let words = CommandLine.arguments.filter { $0 != "--smoke" }
  static let program = words.count > 1 ? words[1] : "deckhand"
  static let folder = words.count > 2 ? words[2] : "/tmp/deckhand-bench"
  /// What a title must have to be measured.
  static let text = words.count > 3 ? words[3] : nil
  /// Whether figures that take minutes are measured: where one is asked for by name, or all are made small.
  static var wantsLong: Bool { isSmoke || text != nil }
}

/// A count of cards, rows or calls that a figure is measured with.
func sized(_ count: Int) -> Int { Asked.isSmoke ? max(1, count / 100) : count }

private let failures = Mutex<[String]>([])

/// Remembers that a figure could not be measured: the program ends with 1.
func failed(_ title: String) {
  print("\(title): could not be measured")
  failures.withLock { $0.append(title) }
}

/// Ends the program when a figure failed.
func exitIfFailed() {
  let titles = failures.withLock { $0 }
  guard !titles.isEmpty else { return }
  print("bench: \(titles.count) figures could not be measured:\n  " + titles.joined(separator: "\n  "))
  exit(1)
}

/// A figure: how many times longer ours takes than the reference.
struct Figure {
  let title: String
  /// The ratio that is wanted, at most.
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

/// Whether a figure is to be measured: all are, or those whose title has the text that was given.
func isAsked(_ title: String) -> Bool { Asked.text.map { title.contains($0) } ?? true }

/// Runs both in turn. Each answers its seconds, negative when it failed.
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

func show(_ figures: [Figure]) {
  for figure in figures {
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

/// Runs a program with nothing on its input and its output thrown away; its seconds, or -1.
func seconds(ofRunning path: String, _ arguments: [String]) -> Double {
  resources(ofRunning: path, arguments).seconds
}

/// The same, with the seconds of processor time and the most memory that it had resident.
func resources(ofRunning path: String, _ arguments: [String]) -> (seconds: Double, processor: Double, bytes: Int) {
  var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
  words.append(nil)
  defer { for word in words { free(word) } }
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
  let start = now()
  var child: pid_t = 0
  guard posix_spawnp(&child, path, &actions, nil, words, environ) == 0 else { return (-1, 0, 0) }
  var status: Int32 = 0
  var usage = rusage()
  while wait4(child, &status, 0, &usage) < 0 && errno == EINTR {}
  let processor = [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
  return (status == 0 ? now() - start : -1, processor, usage.ru_maxrss * 1024)
}
