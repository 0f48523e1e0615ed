// Scans all readable and writable memory of this process for copies of a password. The searched bytes are never in
// memory themselves: they are stored with each byte's lowest bit flipped.

import Glibc

enum MemoryScan {
  /// Returns how often the bytes occur in memory.
  static func copies(ofMasked wanted: [UInt8]) -> Int {
    let memory = open("/proc/self/mem", O_RDONLY)
    defer { close(memory) }
    var count = 0
    for (start, end) in regions() {
      var place = start
      while place < end {
        count += copies(ofMasked: wanted, at: place, upTo: min(end, place + 1 << 20), in: memory)
        place += 1 << 20
      }
    }
    return count
  }

  /// Returns the readable and writable ranges of memory, from /proc/self/maps.
  private static func regions() -> [(Int, Int)] {
    guard let maps = fopen("/proc/self/maps", "r") else { return [] }
    defer { fclose(maps) }
    var regions: [(Int, Int)] = []
    var line = [CChar](repeating: 0, count: 1024)
    while fgets(&line, 1024, maps) != nil {
      let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
        separator: " ")
      let ends = words[0].split(separator: "-").compactMap { Int($0, radix: 16) }
      if ends.count == 2, words[1].hasPrefix("rw") { regions.append((ends[0], ends[1])) }
    }
    return regions
  }

  /// Reads a piece, flips the lowest bits so that the piece itself is no copy, and searches it.
  private static func copies(ofMasked wanted: [UInt8], at start: Int, upTo end: Int, in memory: Int32) -> Int {
    // Read straight from the kernel into a separate page, which is wiped afterwards.
    let size = end - start
    guard let piece = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), piece != MAP_FAILED
    else { return 0 }
    defer { munmap(piece, size) }
    let got = pread(memory, piece, size, off_t(start))
    guard got >= wanted.count else { return 0 }
    let bytes = piece.bindMemory(to: UInt8.self, capacity: got)
    var count = 0
    for place in 0...(got - wanted.count) where bytes[place] ^ 1 == wanted[0] {
      count += wanted.indices.allSatisfy { bytes[place + $0] ^ 1 == wanted[$0] } ? 1 : 0
    }
    return count
  }
}
