// What the program takes from the world around it: clocks, random numbers, variables, folders, and whether to stop.
// Invariant: it is made once, in `deckhand`, and handed down to every room; nothing else reads the clock, random
// numbers, the environment's variables or a standard folder by itself, so every test and every `--seed` run repeats.

import Glibc
import Values

/// All that the rooms take from the world around the program.
///
///     let environment = Environment.ofSystem(seed: 7)
///     let started = environment.clocks.now()
public struct Environment {
  public var clocks: Clocks
  public var random: RandomSources
  public var variables: Variables
  public var folders: ProgramFolders
  /// Whether the user asks to stop: polled by long work and by whatever waits.
  public var isInterrupted: @Sendable () -> Bool

  public init(
    clocks: Clocks = Clocks(), random: RandomSources = RandomSources(), variables: Variables = Variables(),
    folders: ProgramFolders = ProgramFolders(), isInterrupted: @escaping @Sendable () -> Bool
  ) {
    (self.clocks, self.random, self.variables, self.folders) = (clocks, random, variables, folders)
    self.isInterrupted = isInterrupted
  }
}

/// One look at the wall clock and at the clock that starts with the machine.
public struct ClockReading: Equatable, Sendable {
  /// Milliseconds since 1970, as the wall clock has it.
  public var wall: Int64
  /// Milliseconds since the machine started, sleep included.
  public var boot: Int64
  /// Which start of the machine that was.
  public var bootID: String

  public init(wall: Int64, boot: Int64, bootID: String) {
    (self.wall, self.boot, self.bootID) = (wall, boot, bootID)
  }
}

/// The clocks. Without arguments they stand at 0.
public struct Clocks {
  /// Seconds since 1970.
  public var now: () -> Double
  /// Seconds that only grow, while the machine runs: for clocks that count down.
  public var elapsed: () -> Double
  /// Seconds east of Greenwich that local time is at a moment, for the day that a study session belongs to.
  public var zoneOffset: (Double) -> Double
  /// Both clocks that a lockout and the idle lock count by.
  public var reading: () -> ClockReading
  /// Waits for some milliseconds.
  public var pause: (Int) -> Void

  public init(
    now: @escaping () -> Double = { 0 }, elapsed: @escaping () -> Double = { 0 },
    zoneOffset: @escaping (Double) -> Double = { _ in 0 },
    reading: @escaping () -> ClockReading = { ClockReading(wall: 0, boot: 0, bootID: "") },
    pause: @escaping (Int) -> Void = { _ in }
  ) {
    (self.now, self.elapsed, self.zoneOffset, self.reading, self.pause) = (now, elapsed, zoneOffset, reading, pause)
  }
}

/// Where random numbers come from.
public struct RandomSources {
  /// Random choices in games and sessions: of the seed where one was given.
  public var choices: RandomChoices
  /// What `--seed` gave: random choices repeat then.
  public var seed: UInt64?
  /// 64 random bits, never of a seed: for ids.
  public var entropy: () -> UInt64

  public init(
    choices: RandomChoices = RandomChoices(seed: 0), seed: UInt64? = nil, entropy: @escaping () -> UInt64 = { 0 }
  ) {
    (self.choices, self.seed, self.entropy) = (choices, seed, entropy)
  }

  /// As many random bytes as asked for, unpredictable.
  public func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      withUnsafeBytes(of: entropy()) { bytes += $0 }
    }
    return Array(bytes.prefix(max(0, count)))
  }
}

/// The variables that the program was started with.
public struct Variables {
  /// The value of a variable; nil when it is not set, or not UTF-8.
  public var value: (String) -> String?
  /// All variables whose names begin so.
  public var beginning: (String) -> [String: String]

  public init(
    value: @escaping (String) -> String? = { _ in nil },
    beginning: @escaping (String) -> [String: String] = { _ in [:] }
  ) {
    (self.value, self.beginning) = (value, beginning)
  }
}

/// The folders and programs that the program works with.
public struct ProgramFolders {
  public var data: String
  public var cache: String
  public var config: String
  public var home: String?
  /// Where throwaway folders are made.
  public var temporary: String = "/tmp"
  /// The plugins that come with the program, when they were found.
  public var bundledPlugins: String?
  /// The user's plugins, when they are not in the data folder (`plugin test` has data of its own).
  public var userPlugins: String?
  public var lists: [String] = ["/usr/share/dict"]
  public var dictionaries: [String] = ["/usr/share/hunspell"]
  /// `deckhand-draw`, beside the program.
  public var drawingProgram = "deckhand-draw"
  /// `deckhand-net`, likewise.
  public var netProgram = "deckhand-net"
  /// `deckhand-plugin`, likewise; nil where plugins of others run in this process too.
  public var pluginProgram: String?

  public init(data: String = "", cache: String = "", config: String = "", home: String? = nil) {
    (self.data, self.cache, self.config, self.home) = (data, cache, config, home)
  }

  /// Where the user's plugins are installed.
  public var plugins: String { userPlugins ?? data + "/plugins" }

  /// `~/` at the start is the user's home: a word in quotes, or from a program, did not pass a shell.
  public func expanded(_ path: String) -> String {
    guard path == "~" || path.hasPrefix("~/"), let home else { return path }
    return home + path.dropFirst()
  }
}

/// A stream of random numbers that repeats for the same seed. Shared by all that draw from it, so that a whole run
/// repeats.
public final class RandomChoices: RandomNumberGenerator {
  private var numbers: SeededNumbers

  public init(seed: UInt64) { numbers = SeededNumbers(seed: seed) }

  public func next() -> UInt64 { numbers.next() }
}

// MARK: Those of the system

extension Environment {
  /// The system's clocks and random numbers. Variables and folders are left to the program, which knows which it wants.
  /// - Parameters:
  ///   - seed: of every random choice; nil for other ones at each start.
  ///   - bootID: the text of /proc/sys/kernel/random/boot_id, or empty where there is none; asked for at each look.
  public static func ofSystem(
    seed: UInt64? = nil, bootID: @escaping @autoclosure () -> String = "",
    isInterrupted: @escaping @Sendable () -> Bool
  ) -> Environment {
    let entropy = { UInt64.random(in: 0...UInt64.max) }
    return Environment(
      clocks: .ofSystem(bootID: bootID),
      random: RandomSources(choices: RandomChoices(seed: seed ?? entropy()), seed: seed, entropy: entropy),
      isInterrupted: isInterrupted)
  }
}

extension Clocks {
  fileprivate static func ofSystem(bootID: @escaping () -> String) -> Clocks {
    Clocks(
      now: { seconds(of: CLOCK_REALTIME) }, elapsed: { seconds(of: CLOCK_MONOTONIC) },
      zoneOffset: { moment in
        // What a damaged row has for a moment is none: the C library knows years of 32 bits.
        guard moment.magnitude < 1e16 else { return 0 }
        var time = time_t(moment)
        var parts = tm()
        localtime_r(&time, &parts)
        return Double(parts.tm_gmtoff)
      },
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
