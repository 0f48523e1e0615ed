// Tests of the rights that the drawing program gives up: whatever a compromised decoder would try fails, and
// everything is still drawn.

import Files
import Glibc
import TestSupport
import Wire

@testable import CardDocuments

struct ConfinementTests {
  /// The errno of each attempt, by name; 0 if it succeeded.
  private func tries(_ rights: String) throws -> [String: Int32] {
    let folder = TemporaryFolder()
    try folder.write(Array("secret".utf8), to: "secret.txt")
    let shell = try PseudoTerminal([builtProgram("ConfinementProbe"), "shell", rights, folder.path + "/secret.txt"])
    let printed = shell.wait(for: "ended: ")
    var outcomes: [String: Int32] = [:]
    for line in printed.split(whereSeparator: \.isNewline) {
      guard let colon = line.lastIndex(of: ":"), let number = Int32(line[colon...].dropFirst(2)) else { continue }
      outcomes[String(line[..<colon])] = number
    }
    return outcomes
  }

  private static let tries = [
    "types into /dev/tty", "types into the terminal by its name", "reads a file of the user's",
    "writes a file of the user's", "lists a folder of the user's", "makes a file", "signals a thread of the shell",
    "signals the shell", "has the kernel signal the shell", "reads the shell's limits", "changes the shell's limits",
    "traces the shell", "reads the shell's memory", "writes the shell's memory", "opens the shell's memory",
    "opens its own memory", "makes a socket", "makes a socket to the network", "has a descriptor of the shell's",
    "forks", "forks by clone3", "starts a program",
  ]

  @Test(arguments: ["confined", "computing"])
  func `with the rights of the drawing program, and of one that runs plugins, every attempt fails`(_ rights: String)
    throws
  {
    let outcomes = try tries(rights)
    #expect(outcomes.keys.sorted() == Self.tries.sorted())
    for (name, number) in outcomes {
      let expected =
        switch name {
        case "types into /dev/tty" where rights == "confined": [ENXIO, EACCES]
        case "has a descriptor of the shell's": [EBADF, EPERM]
        case "forks by clone3" where rights == "confined": [ENOSYS]
        default: [EPERM, EACCES]
        }
      #expect(expected.contains(number), "\(name): \(number)")
    }
  }

  /// Ensures that an attempt that always fails is not mistaken for one that is denied.
  @Test func `with the rights of an ordinary program every attempt succeeds`() throws {
    let outcomes = try tries("free")
    #expect(outcomes.keys.sorted() == Self.tries.sorted())
    // A kernel may let nobody inject terminal input, or only root into another's terminal.
    for (name, number) in outcomes where !name.hasPrefix("types into") || number != EIO {
      #expect(number == 0, "\(name): \(number)")
    }
  }

  @Test func `the drawing program has these rights, no terminal, and only its channel open`() throws {
    let drawing = makeDrawing()
    _ = try drawing.coverage([])
    let process = try #require(drawing.process?.process)
    #expect(getsid(process) == process)
    let status = text(contents(of: "/proc/\(process)/status") ?? [])
    #expect(status.contains("\nSeccomp:\t2\n") && status.contains("\nNoNewPrivs:\t1\n"))
    #expect(names(in: "/proc/\(process)/fd").sorted() == ["0", "1", "2"])
  }

  @Test func `the user's fonts are used, also from a folder with another name and through a link`() throws {
    let folder = TemporaryFolder()
    for name in ["fonts", "elsewhere"] { mkdir(folder.path + "/" + name, 0o700) }
    let font = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
    try folder.write(try #require(contents(of: font)), to: "elsewhere/one.ttf")
    #expect(symlink(folder.path + "/elsewhere/one.ttf", folder.path + "/fonts/one.ttf") == 0)
    let settings = "<fontconfig><dir>\(folder.path)/fonts</dir></fontconfig>"
    try folder.write(Array(settings.utf8), to: "fonts.conf")
    let drawing = DrawingProgram(
      path: builtProgram("deckhand-draw"), environment: ["FONTCONFIG_FILE=\(folder.path)/fonts.conf"],
      clock: monotonicSeconds)
    #expect(try drawing.coverage([CoverageQuery(text: "a漢", font: "")]) == ["漢"])
    let card = try document(in: folder, background: white, drawing: drawing) { document in
      _ = try document.addText("HHH", at: ElementPlacement(width: 1000, height: 500))
    }
    let bounds = try #require(try Pixels(card).inkBounds())
    #expect(bounds.right - bounds.left > 300)
  }
}
