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
    // The domain: one room a noun, none knows Lua or a terminal.
    room("Storage", ["Wording", grdb]),
    room("Decks", ["Wording", "Storage", grdb]),
    room("Lexicon", ["Wording"]),
    room("WordGames", ["Wording", "Lexicon"]),
    room("ToggleSettings", ["Wording", grdb]),
    room("Authentication", ["Wording", "CSodium", "CUtf8proc"]),
    room("Workspace", ["Wording", "Storage", "Decks", "Lexicon", "WordGames", grdb]),
    // Lua made safe, and what it sees.
    room("LuaRuntime", ["Wording", "CLua"]),
    room("Commands", ["Wording"]),
    room("Bindings", ["Wording", "LuaRuntime", "Commands", "Workspace", "Decks", "Lexicon", "WordGames"]),
    room("PluginHost", ["Wording", "LuaRuntime", "Commands", "Bindings"]),
    room("Shell", ["Wording", "Commands", "PluginHost", "Bindings", "LuaRuntime", "Workspace", "CReadline"]),
    .executableTarget(
      name: "deckhand", dependencies: ["Shell", "PluginHost", "Bindings", "Commands", "Workspace"],
      swiftSettings: strict),
    // A program that the tests of Authentication start to end it at every step.
    .executableTarget(
      name: "AuthenticationProbe", dependencies: ["Authentication", "CTerminal"], path: "Tests/AuthenticationProbe",
      swiftSettings: strict),
    tests("Wording"),
    tests("Storage", [grdb]),
    tests("Decks", ["Storage", grdb]),
    tests("Lexicon"),
    tests("WordGames", ["Lexicon"]),
    tests("ToggleSettings", [grdb]),
    tests("Authentication", ["AuthenticationProbe", "CTerminal"]),
    tests("LuaRuntime"),
    tests("Commands"),
  ]
)
