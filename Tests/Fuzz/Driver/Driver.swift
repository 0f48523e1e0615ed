// Runs libFuzzer over one of several targets: `NAME-OF-THE-PROGRAM TARGET [OPTION OF LIBFUZZER]... [CORPUS]...`.
// Invariant: what a target throws is an answer like any other; only what ends the process, an invariant that a target
// checks among it, is a finding.

import Glibc

/// What is tried with hostile bytes.
public struct FuzzTarget {
  public let name: String
  /// Is given each input.
  let body: ([UInt8]) throws -> Void

  public init(_ name: String, _ body: @escaping ([UInt8]) throws -> Void) { (self.name, self.body) = (name, body) }
}

/// What must hold for every input.
public func hold(_ condition: Bool, _ what: @autoclosure () -> String) {
  if condition { return }
  let line = Array("fuzz: \(what())\n".utf8)
  _ = write(STDERR_FILENO, line, line.count)
  abort()
}

/// Of libFuzzer, which the script links.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The one that runs, for the function of C that libFuzzer calls; it is set once, before the first call.
nonisolated(unsafe) private var running: (([UInt8]) throws -> Void)?

/// The target by name, for the processes that libFuzzer starts while it merges: it does not know of the first word.
private let targetVariable = "DECKHAND_FUZZ_TARGET"

/// The words of the program, the target's name first.
public var fuzzWords: [String] {
  let words = Array(CommandLine.arguments.dropFirst())
  guard words.first?.hasPrefix("-") == true, let name = getenv(targetVariable) else { return words }
  return [String(cString: name)] + words
}

/// Runs the target that the first word names; without one the names are listed.
public func fuzz(_ targets: [FuzzTarget]) -> Int32 {
  let words = fuzzWords
  guard let name = words.first, let target = targets.first(where: { $0.name == name }) else {
    for target in targets { print(target.name) }
    return words.isEmpty ? 0 : 2
  }
  setenv(targetVariable, name, 1)
  running = target.body
  let kept = ([CommandLine.arguments[0]] + words.dropFirst()).map { strdup($0) } + [nil]
  return kept.withUnsafeBufferPointer { _ in
    let list = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: kept.count)
    list.initialize(from: kept, count: kept.count)
    var (count, given) = (CInt(kept.count - 1), list)
    return runDriver(&count, &given) { bytes, count in
      do { try running?(Array(UnsafeBufferPointer(start: bytes, count: count))) } catch {}
      return 0
    }
  }
}
