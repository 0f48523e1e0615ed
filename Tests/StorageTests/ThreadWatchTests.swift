// Bulk adds, packages and a first pull under a library that ends the process when two threads use one SQLite
// connection: runs the suites `SecondThreadTests` of three rooms once more in this program.

import Glibc
import TestSupport
import Testing

@Suite struct ThreadWatchTests {
  @Test(arguments: ["DecksTests", "ExchangeTests", "SyncTests"])
  func `no two SQLite calls on one connection overlap`(room: String) throws {
    let folder = TemporaryFolder()
    let source = sourceRoot() + "/Tests/Faults/threads.c"
    let compiler = try Child(
      ["/usr/bin/cc", "-shared", "-fPIC", "-O1", "-o", folder.file("threads.so"), source, "-ldl"],
      environment: ["PATH=/usr/bin:/bin"])
    let made = try compiler.finish(input: "")
    #expect(made.status == 0, "\(made.errors)")
    let environment = [
      "LD_PRELOAD=\(folder.file("threads.so"))", "THREADS_LOG=\(folder.file("log"))", "TMPDIR=\(folder.path)",
      "PATH=/usr/bin:/bin",
    ]
    let tests = try Child(
      ["/proc/self/exe", "--testing-library", "swift-testing", "--filter", "^\(room)\\.SecondThreadTests"],
      environment: environment)
    let run = try tests.finish(input: "")
    #expect(run.status == 0, "\(run.output) \(run.errors)")
    let log = String(decoding: try #require(folder.read("log")), as: UTF8.self).split(separator: " ")
    // The calls, and the connections used by more than one thread: if there are none, nothing was tested.
    #expect(log.count == 2 && Int(log[0]) ?? 0 > 1000 && Int(log[1]) ?? 0 > 0, "\(log)")
  }
}
