// Reads and waits for tests, which nobody can interrupt. Invariant: the program's own code has none of these; there
// each caller passes what can interrupt it.

public import Files

extension ByteFile {
  public convenience init(_ path: String, _ kinds: FileKinds = .plain, followingLinks: Bool = true) throws(FileError) {
    try self.init(path, kinds, followingLinks: followingLinks, isInterrupted: { false })
  }
}

extension FileText {
  public static func bytes(_ path: String, limit: Int, _ kinds: FileKinds = .plain) throws(FileError) -> [UInt8] {
    try bytes(path, limit: limit, kinds, isInterrupted: { false })
  }

  public static func read(_ path: String, limit: Int) throws(FileError) -> String? {
    try read(path, limit: limit, isInterrupted: { false })
  }
}

extension LockWait {
  public init(seconds: Double = 5, pause: @escaping (Double) -> Void = pauseForSignal) {
    self.init(seconds: seconds, isInterrupted: { false }, pause: pause)
  }
}

extension Environment {
  public static func ofSystem(seed: UInt64? = nil, bootID: String) -> Environment {
    ofSystem(seed: seed, bootID: bootID, isInterrupted: { false })
  }
}
