// The program's environment: clocks, random numbers, environment variables, folders, and the interrupt check.
// Invariant: it is created once, in `deckhand`, and passed to every room; nothing else reads the clock, random numbers,
// environment variables or a standard folder itself, so every test and every `--seed` run is repeatable.

import Glibc
import Values

/// Everything that the rooms take from outside the program.
public struct Environment {
  public var clocks: Clocks
  public var random: RandomSources
  public var variables: Variables
  public var folders: ProgramFolders
  /// Whether the user asked to stop: polled by long operations and by everything that waits.
  public var isInterrupted: @Sendable () -> Bool

  public init(
    clocks: Clocks = Clocks(), random: RandomSources = RandomSources(), variables: Variables = Variables(),
    folders: ProgramFolders = ProgramFolders(), isInterrupted: @escaping @Sendable () -> Bool
  ) {
    (self.clocks, self.random, self.variables, self.folders) = (clocks, random, variables, folders)
    self.isInterrupted = isInterrupted
  }
}

public struct ClockReading: Equatable, Sendable {
  /// Milliseconds since 1970, by the wall clock.
  public var wall: Int64
  /// Milliseconds since the machine booted, including sleep.
  public var boot: Int64
  /// Identifies that boot of the machine.
  public var bootID: String

  public init(wall: Int64, boot: Int64, bootID: String) { (self.wall, self.boot, self.bootID) = (wall, boot, bootID) }
}

/// The clocks. Without arguments they all return 0.
public struct Clocks {
  /// Seconds since 1970.
  public var now: () -> Double
  /// Monotonic seconds while the machine runs: for countdowns.
  public var elapsed: () -> Double
  /// The offset of local time from UTC at a moment, in seconds east; it decides which day a study session belongs to.
  public var zoneOffset: @Sendable (Double) -> Double
  /// Reads the system's time zone again, which may have changed since the last call.
  public var rereadZone: () -> Void
  /// The reading of both clocks that a lockout and the idle lock count by.
  public var reading: () -> ClockReading
  /// Waits for some milliseconds.
  public var pause: (Int) -> Void

  public init(
    now: @escaping () -> Double = { 0 }, elapsed: @escaping () -> Double = { 0 },
    zoneOffset: @escaping @Sendable (Double) -> Double = { _ in 0 }, rereadZone: @escaping () -> Void = {},
    reading: @escaping () -> ClockReading = { ClockReading(wall: 0, boot: 0, bootID: "") },
    pause: @escaping (Int) -> Void = { _ in }
  ) {
    (self.now, self.elapsed, self.zoneOffset, self.rereadZone) = (now, elapsed, zoneOffset, rereadZone)
    (self.reading, self.pause) = (reading, pause)
  }

  /// The date of a moment in local time, in days since 1970. It is limited because a moment may be any number.
  public func day(of moment: Double) -> Int {
    Int(min(1e12, max(-1e12, ((moment + zoneOffset(moment)) / 86_400).rounded(.down))))
  }
}

/// Where random numbers come from.
public struct RandomSources {
  /// Random choices in games and sessions: seeded if a seed was given.
  public var choices: RandomChoices
  /// The value of `--seed`, which makes random choices repeatable.
  public var seed: UInt64?
  /// 64 random bits that never come from the seed: for ids.
  public var entropy: () -> UInt64

  public init(
    choices: RandomChoices = RandomChoices(seed: 0), seed: UInt64? = nil, entropy: @escaping () -> UInt64 = { 0 }
  ) { (self.choices, self.seed, self.entropy) = (choices, seed, entropy) }

  /// Returns the given number of unpredictable random bytes.
  public func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count { withUnsafeBytes(of: entropy()) { bytes += $0 } }
    return Array(bytes.prefix(max(0, count)))
  }
}

/// The environment variables that the program was started with.
public struct Variables {
  /// Returns the value of a variable; nil if it is unset or not UTF-8.
  public var value: (String) -> String?
  /// Returns all variables whose names begin with the given prefix.
  public var beginning: (String) -> [String: String]

  public init(
    value: @escaping (String) -> String? = { _ in nil },
    beginning: @escaping (String) -> [String: String] = { _ in [:] }
  ) { (self.value, self.beginning) = (value, beginning) }

  /// All variables as `NAME=value`, for a program that is started.
  public var entries: [String] { beginning("").map { "\($0.key)=\($0.value)" } }

  /// Returns the variables of these names that are set, as `NAME=value`.
  public func entries(of names: [String]) -> [String] {
    names.compactMap { name in value(name).map { "\(name)=\($0)" } }
  }
}

public struct ProgramFolders {
  public var data: String
  public var cache: String
  public var config: String
  public var home: String?
  /// Where temporary folders are created.
  public var temporary: String = "/tmp"
  /// The plugins that come with the program, if they were found.
  public var bundledPlugins: String?
  /// The user's plugins, if they are not in the data folder (`plugin test` uses its own data).
  public var userPlugins: String?
  public var lists: [String] = ["/usr/share/dict"]
  public var dictionaries: [String] = ["/usr/share/hunspell"]
  public var program = "/proc/self/exe"
  public var drawingProgram = "deckhand-draw"
  public var netProgram = "deckhand-net"
  /// The path of `deckhand-plugin`, next to the program; nil where third-party plugins run in this process too.
  public var pluginProgram: String?

  public init(data: String = "", cache: String = "", config: String = "", home: String? = nil) {
    (self.data, self.cache, self.config, self.home) = (data, cache, config, home)
  }

  public var plugins: String { userPlugins ?? data + "/plugins" }

  /// Expands `~/` at the start to the user's home: a quoted word did not go through a shell.
  public func expanded(_ path: String) -> String {
    guard path == "~" || path.hasPrefix("~/"), let home else { return path }
    return home + path.dropFirst()
  }
}

/// A random number generator that repeats for the same seed. All users share it, so a run repeats.
public final class RandomChoices: RandomNumberGenerator {
  private var numbers: SeededNumbers

  public init(seed: UInt64) { numbers = SeededNumbers(seed: seed) }

  public func next() -> UInt64 { numbers.next() }
}

extension Environment {
  /// Returns an environment with the system's clocks and random numbers. The program sets variables and folders itself.
  /// - Parameters:
  ///   - seed: the seed of every random choice; nil for a different one at each start.
  ///   - bootID: the text of /proc/sys/kernel/random/boot_id, or empty if there is none; evaluated at each reading.
  public static func ofSystem(
    seed: UInt64? = nil, bootID: @escaping @autoclosure () -> String = "", isInterrupted: @escaping @Sendable () -> Bool
  ) -> Environment {
    let entropy = { UInt64.random(in: 0...UInt64.max) }
    return Environment(
      clocks: .ofSystem(bootID: bootID),
      random: RandomSources(choices: RandomChoices(seed: seed ?? entropy()), seed: seed, entropy: entropy),
      isInterrupted: isInterrupted)
  }

  /// The data folders that all users share: XDG_DATA_DIRS (XDG Base Directory Specification), or its two defaults.
  public var sharedFolders: [String] {
    let shared = variables.value("XDG_DATA_DIRS").flatMap { $0.isEmpty ? nil : $0 }
    return (shared ?? "/usr/local/share:/usr/share").split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
  }
}

extension Clocks {
  fileprivate static func ofSystem(bootID: @escaping () -> String) -> Clocks {
    Clocks(
      now: { seconds(of: CLOCK_REALTIME) }, elapsed: { seconds(of: CLOCK_MONOTONIC) },
      zoneOffset: { moment in
        // A damaged row may hold an absurd time: the C library knows only years of 32 bits.
        guard moment.magnitude < 1e16 else { return 0 }
        var time = time_t(moment)
        var parts = tm()
        localtime_r(&time, &parts)
        return Double(parts.tm_gmtoff)
      },
      // localtime_r reads the zone only once.
      rereadZone: { tzset() },
      reading: {
        ClockReading(
          wall: Int64(seconds(of: CLOCK_REALTIME) * 1000), boot: Int64(seconds(of: CLOCK_BOOTTIME) * 1000),
          bootID: bootID())
      }, pause: { usleep(UInt32(clamping: $0 * 1000)) })
  }

  private static func seconds(of clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
