// A process with pipes on its three standard streams.

public import Glibc
public import Testing

/// The result of running a program.
public struct Run: Sendable {
  public let arguments: [String]
  public let status: Int32
  public let output: String
  public let errors: String
  /// The processor time that it used, in seconds.
  public let processorSeconds: Double

  public var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// Expects that the program succeeded and wrote these texts to standard output.
  @discardableResult
  public func succeeds(_ texts: String..., at place: SourceLocation = #_sourceLocation) -> Run {
    #expect(status == 0 && texts.allSatisfy { output.contains($0) }, "\(self)", sourceLocation: place)
    return self
  }

  /// Expects that the program succeeded and wrote exactly this to standard output.
  @discardableResult
  public func prints(_ text: String, at place: SourceLocation = #_sourceLocation) -> Run {
    #expect(status == 0 && output == text, "\(self)", sourceLocation: place)
    return self
  }

  /// Expects that the program ended with the status and wrote these texts to standard error.
  @discardableResult
  public func fails(_ texts: String..., status: Int32 = 1, at place: SourceLocation = #_sourceLocation) -> Run {
    #expect(self.status == status && texts.allSatisfy { errors.contains($0) }, "\(self)", sourceLocation: place)
    return self
  }
}

/// A process with pipes on its three standard streams.
public final class Child {
  public let process: pid_t
  private let arguments: [String]
  private let input: Int32
  private let output: Int32
  private let errors: Int32

  public init(_ arguments: [String], environment: [String]) throws {
    let (input, output, errors) = try (makePipe(), makePipe(), makePipe())
    process = try spawn(arguments, environment: environment) { actions in
      posix_spawn_file_actions_adddup2(&actions, input.reading, 0)
      posix_spawn_file_actions_adddup2(&actions, output.writing, 1)
      posix_spawn_file_actions_adddup2(&actions, errors.writing, 2)
    }
    (self.input, self.output, self.errors) = (input.writing, output.reading, errors.reading)
    self.arguments = arguments
    for given in [input.reading, output.writing, errors.writing] { close(given) }
  }

  /// Writes the input and waits for the end. The streams must fit into the pipes until the program reads or ends.
  public func finish(input text: String) throws -> Run { try finish(input: Array(text.utf8)) }

  /// The same with any bytes.
  public func finish(input bytes: [UInt8]) throws -> Run {
    feed(bytes)
    close(input)
    let (out, err) = drainBoth()
    close(output)
    close(errors)
    let (status, used) = statusAndUsage(of: process)
    return Run(
      arguments: arguments, status: shellStatus(status), output: out, errors: err, processorSeconds: used)
  }

  public func feed(_ text: String) { feed(Array(text.utf8)) }

  private func feed(_ bytes: [UInt8]) {
    // The program may end before it has read everything.
    Glibc.signal(SIGPIPE, SIG_IGN)
    writeAll(bytes, to: input)
  }

  /// Returns the next bytes of standard output; empty at the end, or if nothing comes for `milliseconds`.
  public func next(milliseconds: Int32) -> [UInt8] {
    readable([output], milliseconds: milliseconds).isEmpty ? [] : readSome(output)
  }

  public func closeInput() { close(input) }

  public func kill(_ signal: Int32) { Glibc.kill(process, signal) }

  /// Returns the exit status; a signal counts as 128 plus its number.
  public func wait() -> Int32 { waitForEnd(process) }

  private func drainBoth() -> (String, String) {
    var bytes: [Int32: [UInt8]] = [output: [], errors: []]
    var open = [output, errors]
    var usedBefore = -1.0
    while !open.isEmpty {
      let ready = readable(open, milliseconds: 240_000)
      // Keep waiting for a program that uses the processor, however slowly; give up one that does nothing.
      let used = processorSeconds(of: process)
      if ready.isEmpty && used == usedBefore { break }
      usedBefore = used
      for descriptor in ready {
        let some = readSome(descriptor)
        if some.isEmpty { open.removeAll { $0 == descriptor } }
        bytes[descriptor, default: []] += some
      }
    }
    return (String(decoding: bytes[output] ?? [], as: UTF8.self), String(decoding: bytes[errors] ?? [], as: UTF8.self))
  }
}
