// Files as the lexicon needs them: their whole content, and their size and time.
// Invariant: only regular files are read, and no more of them than the limit.

import Files
import Glibc
import Text

/// A file's content in memory, freed with the object.
final class ListFile {
  let path: String
  let bytes: UnsafeBufferPointer<UInt8>
  let stamp: ListStamp

  /// Reads a regular file of at most `limits.bytes` bytes.
  init(path: String, limits: ListLimits) throws(LexiconError) {
    let limit = limits.bytes
    self.path = path
    let file: ByteFile
    do { file = try ByteFile(path, isInterrupted: limits.isInterrupted) } catch { throw ListFile.unreadable(error) }
    let size = file.facts.size
    guard size <= limit else {
      throw .badList(path: path, reason: "it has \(size >> 20) MiB; the limit for lists is \(limit >> 20) MiB")
    }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(size, 1), alignment: 1)
    let filled: Int
    do throws(FileError) { filled = try file.fill(UnsafeMutableRawBufferPointer(rebasing: memory[..<size])) } catch {
      memory.deallocate()
      throw ListFile.unreadable(error)
    }
    bytes = UnsafeBufferPointer(memory[..<filled].bindMemory(to: UInt8.self))
    stamp = ListStamp(
      bytes: UInt64(filled), time: nanoseconds(file.facts.modified),
      hash: damageDigest(UnsafeRawBufferPointer(bytes), seed: 0))
  }

  deinit { bytes.deallocate() }

  private static func unreadable(_ error: FileError) -> LexiconError {
    switch error.reason {
    case .interrupted: .interrupted
    case .system(EISDIR): .unreadable(path: error.path, reason: "it is a folder")
    case .notAFile: .unreadable(path: error.path, reason: "it is not a file")
    default: .unreadable(path: error.path, reason: systemWords(error.number))
    }
  }
}

func nanoseconds(_ time: FileFacts.Moment) -> Int64 { Int64(time.seconds) &* 1_000_000_000 &+ Int64(time.nanoseconds) }

/// Returns the size and time of a regular file; nil if there is none.
func sourceStamp(of path: String) -> (bytes: UInt64, time: Int64)? {
  do {
    guard let facts = try FileFacts.at(path), facts.kind == .file else { return nil }
    return (UInt64(facts.size), nanoseconds(facts.modified))
  } catch {
    // The list has no stamp. `LexiconLibrary.load` then reads it, which throws the reason.
    return nil
  }
}
