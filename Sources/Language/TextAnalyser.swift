// Runs the program that finds the words of a language: it reads text on its standard input and writes CoNLL-U.
// Invariant: what it writes is bounded, and it is killed when it writes nothing for a minute.

public import Files
import Glibc
import Text

/// A program that finds the words of a language.
public struct TextAnalyser {
  /// The name of the program.
  public let name: String
  public let words: [String]
  private let environment: Environment

  /// - Parameter words: the program's path and its arguments.
  public init(_ words: [String], name: String, _ environment: Environment) {
    (self.words, self.name, self.environment) = (words, name, environment)
  }

  /// Calls `body` with the analysis of the paragraphs of a text.
  /// - Parameter watch: called while the program runs; what it throws ends the program.
  /// - Throws: `LanguageError.badAnalysis`, `FileError`, and what the functions throw.
  func withAnalysis(
    of text: [UInt8], _ paragraphs: [Range<Int>], watch: () throws -> Void,
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Void
  ) throws {
    let (sent, scratch) = (Self.sent(text, paragraphs), try Scratch(.package, in: environment.folders.temporary))
    let (input, output) = (scratch.path("text"), scratch.path("analysis"))
    try AtomicFile.write(input, sent, .internalFile(temporaryName: "text.new"))
    try run(input, output, limit: 64 * sent.count + 1 << 20, watch)
    let descriptor = open(output, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    defer { close(descriptor) }
    guard let file = MappedFile(descriptor, path: output, atLeast: 1) else { throw failure("it wrote nothing") }
    try withExtendedLifetime(file) { try file.bytes.withMemoryRebound(to: UInt8.self, body) }
  }

  /// Returns the text as it is sent: a paragraph a line, an empty line between two; a paragraph is cut at 8 KiB, after
  /// 。or a blank, so that a piece has fewer words than an analysed sentence may have.
  static func sent(_ text: [UInt8], _ paragraphs: [Range<Int>]) -> [UInt8] {
    var sent: [UInt8] = []
    for paragraph in paragraphs {
      if !sent.isEmpty { sent += [0x0A, 0x0A] }
      var (start, cut) = (sent.count, 0)
      for byte in text[paragraph] {
        if sent.count - start >= 1 << 13, byte & 0xC0 != 0x80 {
          cut = cut > start ? cut : sent.count
          sent.insert(contentsOf: [0x0A, 0x0A], at: cut)
          start = cut + 2
        }
        sent.append(byte == 0x0A || byte == 0x0D ? 0x20 : byte)
        if byte == 0x20 || byte == 0x82 && sent.suffix(3).elementsEqual("。".utf8) { cut = sent.count }
      }
    }
    return sent
  }

  private func failure(_ reason: String) -> LanguageError { .badAnalysis(source: name, reason: reason) }

  private func run(_ input: String, _ output: String, limit: Int, _ watch: () throws -> Void) throws {
    let (errors, clocks) = (ErrorOutput(), environment.clocks)
    let started = startProgram(
      words, environment: environment.variables.entries, input: input, output: output, errors: errors)
    guard started.failure == 0 else { throw failure("it cannot be started") }
    var (status, size, heard): (CInt, Int, Double) = (0, 0, clocks.elapsed())
    func look() throws {
      let now = try FileFacts.at(output)?.size ?? 0
      if now > size { (size, heard) = (now, clocks.elapsed()) }
      if size > limit { throw failure("it wrote more than \(grouped(limit)) bytes") }
      if clocks.elapsed() - heard > 60 { throw failure("it wrote nothing for 60 seconds") }
    }
    do {
      while waitpid(started.process, &status, WNOHANG) == 0 {
        try watch()
        try look()
        errors?.drain()
        clocks.pause(2)
      }
    } catch {
      kill(-started.process, SIGKILL)
      endProgram(started.process)
      throw error
    }
    try look()
    let end = status & 0x7F == 0 ? status >> 8 : 128 + status & 0x7F
    guard end == 0, size > 0 else { throw failure(errors?.lastLine() ?? "it ended with status \(end)") }
  }
}
