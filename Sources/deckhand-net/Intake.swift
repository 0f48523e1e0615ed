// The answer to one call while it is being received: its headers, and its body, decompressed in pieces.
// Invariant: no more is stored than the server announced and the call allows; if the announced data does not arrive, or
// differs, it is a fault.

import Archives
import Wire

final class Intake {
  private let frames: FrameReader
  private var limit: Int
  /// The value of the `anki-original-size` header.
  private var announced: Int?
  private var status = 0
  private var headerBytes = 0
  private var bytes: [UInt8] = []
  private(set) var fault: SyncFault?
  /// The target of a redirect.
  var location: String?
  private static let longestReason = 300
  private static let mostHeaderBytes = 1 << 16

  init(limit: Int) throws(CallFailure) {
    self.limit = limit
    do throws(FrameFault) { frames = try FrameReader() } catch {
      throw CallFailure(.badAnswer(reason: "does not fit into the memory of this machine"))
    }
  }

  // MARK: Headers

  func take(header line: String) {
    headerBytes += line.utf8.count
    if headerBytes > Intake.mostHeaderBytes { return fail("has too many headers") }
    if line.hasPrefix("HTTP/") {
      // A new status line: an interim answer (100) before it does not count.
      status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      announced = nil
      return
    }
    let parts = line.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "anki-original-size" else { return }
    let digits = parts[1].filter { !$0.isWhitespace }
    guard let size = Int(digits), size >= 0 else { return fail("has an invalid size header") }
    announced = size
    if size > limit { fail("is larger than \(limit >> 20) MiB") }
  }

  private func fail(_ reason: String) { fault = fault ?? .badAnswer(reason: reason) }

  // MARK: The body

  /// - Returns: false to end the call.
  func take(_ piece: UnsafeRawBufferPointer) -> Bool {
    if fault != nil { return false }
    guard status == 200 else {
      // An error message or an HTML page: its beginning is enough.
      bytes += piece.prefix(max(0, Intake.longestReason - bytes.count))
      return true
    }
    guard let announced else {
      fail("does not give its size, so it is not from an Anki sync server")
      return false
    }
    let bound = min(limit, announced)
    do {
      try frames.feed(piece) { unpacked in
        if unpacked.count > bound - bytes.count { throw FrameFault.tooLarge }
        bytes += unpacked
      }
      return true
    } catch {
      fail(error as? FrameFault == .tooLarge ? "is larger than it says" : "cannot be unpacked")
      return false
    }
  }

  /// Returns the body of a complete answer.
  func whole() throws(CallFailure) -> [UInt8] {
    if let fault { throw CallFailure(fault) }
    guard let announced else {
      throw CallFailure(.badAnswer(reason: "does not give its size, so it is not from an Anki sync server"))
    }
    do throws(FrameFault) { try frames.finish() } catch {
      throw CallFailure(.badAnswer(reason: "is truncated"))
    }
    guard bytes.count == announced else { throw CallFailure(.badAnswer(reason: "is smaller than it says")) }
    return bytes
  }

  /// The beginning of an error answer.
  var beginning: String { String(decoding: bytes.prefix(Intake.longestReason), as: UTF8.self) }
}
