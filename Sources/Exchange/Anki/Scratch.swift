// A folder of its own for what is unpacked or put together, in the account's folder.
// Invariant: it is open to the user alone and is removed whatever happens; what an ended process left is removed by the
// next one.

import Files
import Glibc

/// A temporary folder that goes with the value.
final class Scratch {
  let folder: String
  private static let prefix = ".package-"

  /// - Parameter parent: the account's folder.
  init(in parent: String) throws {
    Scratch.removeLeftovers(in: parent)
    folder = try Folder.makeTemporary(in: parent, prefix: "\(Scratch.prefix)\(getpid())")
  }

  deinit {
    // What cannot be removed is tried again by the next one.
    do { try Folder.removeTree(folder) } catch { return }
  }

  func path(_ name: String) -> String { folder + "/" + name }

  private static func removeLeftovers(in parent: String) {
    do {
      for name in try Folder.names(in: parent) where name.hasPrefix(prefix) {
        let number = name.dropFirst(prefix.count).prefix { $0 != "-" }
        guard let process = Int32(number), process > 0, kill(process, 0) != 0, errno == ESRCH else { continue }
        try Folder.removeTree(parent + "/" + name)
      }
    } catch {
      // Leftovers of another run take room and nothing else.
      return
    }
  }
}
