// A user's data in a temporary folder, for tests of Workspace and of the rooms above it; they have Workspace and
// TestSupport by importing it.

public import Authentication
import CardDocuments
import Files
public import Lexicon
@_exported public import TestSupport
import ToggleSettings
import WordGames
@_exported public import Workspace

/// A data folder without accounts that is removed with the test, with two short word lists.
public final class Person {
  public let folder: TemporaryFolder
  public let clock: TestClock
  private let store: AccountStore

  public var data: String { folder.path }

  /// The folder of another process's test, which removes it.
  public init(at path: String) throws {
    folder = TemporaryFolder(at: path)
    // Its ids differ from those of the process that created the folder.
    clock = TestClock(seed: 99)
    store = try AccountStore(data: path, environment: .ofSystem(bootID: "test"))
  }

  public init() {
    folder = TemporaryFolder()
    clock = TestClock()
    do {
      store = try AccountStore(data: folder.path, environment: .ofSystem(bootID: "test"))
      try folder.write("comidas\nmamá\ncosas\ncaminos\n", to: "words/spanish")
      try folder.write("cambering\ngrace\nletters\nelephant\nlevel\n", to: "words/american-english")
    } catch {
      preconditionFailure("\(error)")
    }
  }

  public func access() throws -> AccountAccess { try store.openLocal() }

  /// - Parameters:
  ///   - drawing: the path of the program that decodes pictures.
  ///   - meanings: the dictionaries; nil for none.
  ///   - isInterrupted: whether the user asks to stop.
  public func workspace(
    _ sources: SettingSources = SettingSources(), drawing: String = "/nonexistent", rehearsal: Rehearsal = .off,
    meanings: DictionaryLibrary? = nil, isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws -> Workspace {
    var environment = clock.environment
    environment.folders.cache = data + "/cache"
    environment.isInterrupted = isInterrupted
    return try Workspace(
      access(), environment: environment, settings: sources,
      lexicons: LexiconLibrary(
        listFolders: [data + "/words"], cacheFolder: nil, limits: ListLimits(isInterrupted: { false }),
        meanings: meanings),
      modes: ModeTable(),
      drawing: DrawingProgram(path: drawing, environment: [], clock: monotonicSeconds), rehearsal: rehearsal)
  }

  public func settingsFile(_ text: String) throws -> String { try folder.write(text, to: "settings.json") }
}
