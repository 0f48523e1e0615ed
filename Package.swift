// swift-tools-version: 6.1
// The rooms of the house as targets. A target names only what it may import; `Scripts/check` holds the sources to it.
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let sqlite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")

/// A room: a Swift target with the settings that all share.
func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The tests of a room.
func tests(_ room: String, _ more: [Target.Dependency] = [], resources: [Resource]? = nil) -> Target {
  .testTarget(
    name: room + "Tests", dependencies: [.byName(name: room)] + more, resources: resources, swiftSettings: strict)
}

let package = Package(
  name: "deckhand",
  products: [.executable(name: "deckhand", targets: ["deckhand"])],
  dependencies: [.package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0")],
  targets: [
    // C where only C will do.
    .target(name: "CLua", linkerSettings: [.linkedLibrary(":liblua5.4.a"), .linkedLibrary("m"), .linkedLibrary("dl")]),
    .target(name: "CReadline", linkerSettings: [.linkedLibrary("readline")]),
    .target(name: "CSodium", linkerSettings: [.linkedLibrary(":libsodium.a")]),
    .target(name: "CUtf8proc", linkerSettings: [.linkedLibrary(":libutf8proc.a")]),
    .target(name: "CTerminal"),
    // What every room says the same way.
    room("Wording"),
    room("JSON", ["Wording"]),
    // The domain: one room a noun, none knows Lua or a terminal.
    room("Storage", ["Wording", grdb, sqlite]),
    room("Decks", ["Wording", "Storage", grdb, sqlite]),
    room("Lexicon", ["Wording"]),
    room("WordGames", ["Wording", "Lexicon"]),
    room("ToggleSettings", ["Wording", "JSON", "Storage", grdb]),
    room("Authentication", ["Wording", "CSodium", "CUtf8proc"]),
    room(
      "Workspace",
      ["Wording", "Storage", "Decks", "Lexicon", "WordGames", "ToggleSettings", "Authentication", grdb]),
    // Lua made safe, and what it sees.
    room("LuaRuntime", ["Wording", "CLua"]),
    room("Commands", ["Wording"]),
    room(
      "Bindings",
      [
        "Wording", "LuaRuntime", "Commands", "Workspace", "Storage", "Decks", "Lexicon", "WordGames", "ToggleSettings",
      ]),
    room("PluginHost", ["Wording", "JSON", "Storage", "LuaRuntime", "Commands", "Bindings", "WordGames"]),
    room(
      "Shell",
      [
        "Wording", "Commands", "PluginHost", "Bindings", "LuaRuntime", "Workspace", "Storage", "Decks", "Lexicon",
        "WordGames", "ToggleSettings", "Authentication", "CReadline", "CTerminal",
      ]),
    .executableTarget(
      name: "deckhand",
      dependencies: ["Shell", "LuaRuntime", "Commands", "Workspace", "ToggleSettings", "Authentication", "Wording"],
      swiftSettings: strict),
    .target(
      name: "BenchmarkReferences", path: "Tests/BenchmarkReferences",
      cSettings: [.unsafeFlags(["-O2"])],
      linkerSettings: [
        .linkedLibrary(":liblua5.4.a"), .linkedLibrary("sqlite3"), .linkedLibrary("m"), .linkedLibrary("dl"),
      ]),
    .executableTarget(
      name: "Benchmarks", dependencies: ["BenchmarkReferences", "LuaRuntime"], path: "Tests/Benchmarks",
      swiftSettings: strict),
    // A program that the tests of Authentication start to end it at every step.
    .executableTarget(
      name: "AuthenticationProbe", dependencies: ["Authentication", "CTerminal"], path: "Tests/AuthenticationProbe",
      swiftSettings: strict),
    tests("Wording"),
    tests("Storage", ["Wording", grdb]),
    tests("Decks", ["Wording", "Storage", grdb, sqlite], resources: [.copy("Fixtures")]),
    tests("Lexicon"),
    tests("WordGames", ["Lexicon"]),
    tests("ToggleSettings", ["Wording", "Storage", grdb]),
    tests("Workspace", ["Authentication", "ToggleSettings", "Lexicon", "WordGames"]),
    tests("Authentication", ["AuthenticationProbe", "CTerminal"]),
    tests("LuaRuntime", ["Wording"]),
    tests("Commands"),
    // A small program that the tests of the prompt drive through a pseudo-terminal.
    .executableTarget(
      name: "PromptProbe", dependencies: ["Shell", "Commands"], path: "Tests/PromptProbe", swiftSettings: strict),
    tests("Shell", ["Commands", "PromptProbe"]),
    // The built program, run as somebody runs it.
    .testTarget(name: "ProgramTests", dependencies: ["deckhand"], swiftSettings: strict),
  ]
)
