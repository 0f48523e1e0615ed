// swift-tools-version: 6.1
// The rooms of the house as targets. A target names only what it may import; `Scripts/check` holds the sources to it.
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// What the programs are made of. Swift's library of regular expressions is not imported by itself: its functions of texts,
/// of which few are used, would bring in all of it, 1.3 MB.
let lean = strict + [.unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"])]

/// A room: a Swift target with the settings that all share.
/// - Parameter isHot: whether Lua calls it in loops, or it runs for each of many rows. The released program does not check
///   exclusive access to memory there, which costs a tenth of a call; the tests do.
/// - Parameter isLow: whether every room uses it and few edits change it. Optimised in debug builds too, as a whole, which takes
///   a quarter less time: the tests run twice as fast, and compiling a list of a million words would take them a minute.
/// - Parameter isLarge: much code of which none runs often: a release makes it small rather than fast.
/// - Parameter isApart: whether the rooms above it are as fast without its code in them. A release compiles it beside
///   those rooms, not before them, which takes about a fifth less time, and inlines nothing of it into them.
/// - Parameter resources: texts that are compiled into it.
func room(
  _ name: String, _ dependencies: [Target.Dependency] = [], isHot: Bool = false, isLow: Bool = false,
  isLarge: Bool = false, isApart: Bool = false, resources: [Resource]? = nil
) -> Target {
  let unchecked = SwiftSetting.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))
  let small = SwiftSetting.unsafeFlags(["-Osize"], .when(configuration: .release))
  let apart = SwiftSetting.unsafeFlags(["-emit-module-separately-wmo", "-disable-cmo"], .when(configuration: .release))
  let optimised = SwiftSetting.unsafeFlags(
    ["-O", "-wmo", "-disable-batch-mode", "-num-threads", "2"], .when(configuration: .debug))
  return .target(
    name: name, dependencies: dependencies, resources: resources,
    swiftSettings: lean + (isHot ? [unchecked] : []) + (isLow ? [optimised] : [])
      + (isLarge ? [small] : []) + (isApart ? [apart] : []))
}

func tests(
  _ room: String, _ more: [Target.Dependency] = [], exclude: [String] = [], resources: [Resource]? = nil
) -> Target {
  .testTarget(
    name: room + "Tests", dependencies: [.byName(name: room), "TestSupport"] + more, exclude: exclude,
    resources: resources,
    swiftSettings: strict)
}

/// Where Debian keeps the headers of cairo, pango and gdk-pixbuf, on either processor; a folder that is not there is
/// passed over. (`pkgConfig` would warn of `-pthread` at each build.)
let drawingHeaders = [
  "/usr/include/cairo", "/usr/include/pango-1.0", "/usr/include/gdk-pixbuf-2.0", "/usr/include/harfbuzz",
  "/usr/include/glib-2.0", "/usr/lib/x86_64-linux-gnu/glib-2.0/include", "/usr/lib/aarch64-linux-gnu/glib-2.0/include",
].map { "-I" + $0 }
let drawingLibraries = [
  "cairo", "pangocairo-1.0", "pango-1.0", "gdk_pixbuf-2.0", "harfbuzz", "fontconfig", "gobject-2.0", "glib-2.0",
]

let package = Package(
  name: "deckhand",
  products: [
    .executable(name: "deckhand", targets: ["deckhand"]),
    .executable(name: "deckhand-draw", targets: ["deckhand-draw"]),
    .executable(name: "deckhand-net", targets: ["deckhand-net"]),
    .executable(name: "deckhand-plugin", targets: ["deckhand-plugin"]),
  ],
  targets: [
    // C where only C will do.
    .target(
      name: "CLua", cSettings: [.unsafeFlags(["-O2"])],
      linkerSettings: [.linkedLibrary(":liblua5.4.a"), .linkedLibrary("m"), .linkedLibrary("dl")]),
    // Headers of libraries that need no code of ours, a module each: CMarkdown, CPCRE2, CSearch (of the C library),
    // CSodium, CUtf8proc, CZstd.
    .target(
      name: "CLibraries",
      linkerSettings: [
        ":libcmark-gfm-extensions.a", ":libcmark-gfm.a", ":libpcre2-8.a", ":libsodium.a", ":libutf8proc.a",
        ":libzstd.a",
      ]
      .map {
        .linkedLibrary($0)
      }),
    .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "CMapping"),
    .target(name: "CZlib", linkerSettings: [.linkedLibrary(":libz.a")]),
    // Found at run time: see its header.
    .target(name: "CZip", linkerSettings: [.linkedLibrary("dl")]),
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
    .target(name: "CMicrohttpd", linkerSettings: [.linkedLibrary("microhttpd")]),
    .target(name: "CTerminal", linkerSettings: [.linkedLibrary("readline")]),
    // How the programs that see what strangers made give their rights away.
    .target(name: "CConfinement"),
    .target(
      name: "CDrawing", dependencies: ["CConfinement"], cSettings: [.unsafeFlags(drawingHeaders)],
      linkerSettings: drawingLibraries.map { .linkedLibrary($0) }),
    // What every room says the same way.
    room("Problems"),
    room("Text", ["Problems", "CLibraries"], isLow: true),
    room("Values", ["Text", "Problems"], isLow: true),
    // What deckhand and the programs that it starts say to each other: frames, pictures, calls to a sync server.
    room("Wire", ["Text", "Values"]),
    room("Files", ["Problems", "Text", "Values", "Wire", "CMapping"]),
    // The domain: one room a noun, none knows Lua or a terminal.
    // Tar archives: compressed with zstd as backups are, with gzip as packages of plugins are. Apart, so that Storage and
    // Decks, for which most rooms wait, begin early.
    room("Archives", ["Problems", "Text", "Files", "CLibraries", "CZlib"], isApart: true),
    room("Storage", ["Archives", "Problems", "Text", "Values", "Files", "Wire", "CSQLite"], isHot: true),
    // How well a card is remembered: formulas, fitting, forecasts. Pure; it knows no database.
    room("Memory", ["Problems", "Text", "Values"], isHot: true, isLow: true),
    // How a note becomes the sides of its cards: note types, fields in HTML, templates. Pure; it knows no database.
    room("Templates", ["Problems", "Text", "Values", "Files", "Wire"], isHot: true),
    room(
      "Decks", ["Memory", "Templates", "Problems", "Text", "Values", "Files", "Wire", "Storage", "CLibraries"],
      isHot: true),
    // Files of others in and out: tables of cards, Anki packages, web pages.
    room(
      "Exchange",
      [
        "Archives", "Memory", "Templates", "Problems", "Text", "Values", "Files", "Storage", "Decks", "CLibraries",
        "CZip",
      ],
      isHot: true, isApart: true,
      resources: ["scheduler.js", "study.js", "page.js", "fsrs7.js", "page.css", "gallery.css"].map {
        .embedInCode("Page/" + $0)
      } + [.embedInCode("Lists/names.txt")]),
    // An account and the server that it syncs with.
    room(
      "Sync",
      ["Templates", "Problems", "Text", "Values", "Files", "Wire", "Storage", "Decks", "Exchange"], isApart: true),
    room(
      "Lexicon", ["Problems", "Text", "Values", "Files", "CZlib"], isHot: true, isLow: true,
      resources: [.embedInCode("Languages/mecab-conllu")]),
    // Words in texts: tokens, sentences, lemmas, what a learner knows of them.
    room("Language", ["Problems", "Text", "Files", "Wire", "Lexicon"], isHot: true, isLow: true),
    room("WordGames", ["Problems", "Text", "Values", "Files", "Lexicon", "Storage"], isHot: true),
    room("ToggleSettings", ["Problems", "Text", "Values", "Storage"]),
    room("Authentication", ["Problems", "Text", "Files", "CLibraries"]),
    room("CardDocuments", ["Problems", "Text", "Values", "Files", "Wire", "Storage"]),
    room(
      "Workspace",
      [
        "Archives", "Memory", "Templates", "Problems", "Text", "Values", "Files", "Storage", "Decks", "Exchange",
        "Sync",
        "CardDocuments", "Language", "Lexicon", "WordGames", "ToggleSettings", "Authentication",
      ], isHot: true, isApart: true),
    // AnkiConnect's interface, for other programs of this machine.
    room(
      "AnkiConnect",
      [
        "Memory", "Templates", "Problems", "Text", "Values", "Files", "Wire", "Authentication", "Decks", "Exchange",
        "Workspace",
      ], isApart: true),
    // The Model Context Protocol, for agents.
    room(
      "AgentDoor",
      [
        "Problems", "Text", "Values", "Files", "LanguageServer", "Storage", "Decks", "Templates", "Exchange",
        "Language", "Lexicon", "Workspace",
      ], isApart: true, resources: [.embedInCode("tools.json")]),
    // What editors and language servers say to each other. Pure; it knows no sources and no database.
    room("LanguageServer", ["Problems", "Text", "Values"], isLarge: true),
    // Lua made safe, and what it sees.
    room("LuaRuntime", ["Problems", "Text", "Values", "Wire", "CLua"], isLow: true),
    room("Commands", ["Problems", "Text", "Values"]),
    room(
      "Bindings",
      [
        "Memory", "Templates", "Problems", "Text", "Values", "Files", "LuaRuntime", "Commands", "Workspace",
        "Storage", "Decks",
        "Exchange",
        "CardDocuments",
        "Language", "Lexicon", "WordGames", "ToggleSettings",
      ], isHot: true, isApart: true, resources: ["loops", "output", "problem"].map { .embedInCode("Lua/\($0).lua") }),
    room(
      "PluginHost",
      [
        "Problems", "Text", "Values", "Files", "Archives", "LuaRuntime", "Commands", "Bindings",
        "Exchange", "WordGames", "Workspace", "Wire", "CConfinement",
      ], isLarge: true, isApart: true,
      resources: [
        "exercise.lua", "exercise_test.lua", "expect.lua", "format.lua", "format_test.lua", "init.lua", "mode.lua",
        "mode_test.lua", "plugin.json",
        "test.lua",
      ].map { .embedInCode("Lua/" + $0) }),
    room(
      "Shell",
      [
        "Memory", "Templates", "Problems", "Text", "Values", "Files", "Commands", "PluginHost", "Bindings",
        "LuaRuntime",
        "Workspace", "Wire",
        "AgentDoor", "AnkiConnect", "LanguageServer",
        "Storage", "Decks", "Exchange", "Sync",
        "Language", "Lexicon",
        "CardDocuments", "WordGames", "ToggleSettings", "Authentication", "CTerminal",
      ], isLarge: true),
    .executableTarget(
      name: "deckhand",
      dependencies: [
        "Shell", "LuaRuntime", "Commands", "Workspace", "ToggleSettings", "Problems", "Values", "Text", "Files",
        "CTerminal",
      ],
      swiftSettings: lean),
    .target(
      name: "BenchmarkReferences", path: "Tests/BenchmarkReferences",
      cSettings: [.unsafeFlags(["-O2"])],
      linkerSettings: [
        .linkedLibrary(":liblua5.4.a"), .linkedLibrary("sqlite3"), .linkedLibrary("m"), .linkedLibrary("dl"),
      ]),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "Memory", "BenchmarkReferences", "LuaBenchReference", "LuaRuntime", "Lexicon", "WordGames", "Workspace",
        "AnkiConnect", "Wire",
        "Commands",
        "Bindings", "CardDocuments", "Authentication", "ToggleSettings", "Problems", "Text", "Values", "Files", "Decks",
        "Storage",
      ], path: "Tests/Benchmarks",
      swiftSettings: strict),
    // A program that the tests of Authentication start to end it at every step.
    .executableTarget(
      name: "AuthenticationProbe", dependencies: ["Problems", "Authentication", "CTerminal", "Files"],
      path: "Tests/AuthenticationProbe",
      swiftSettings: strict),
    // A program of its own: pictures are decoded and drawn outside the shell's process.
    .executableTarget(
      name: "deckhand-draw", dependencies: ["Text", "Wire", "CConfinement", "CDrawing"],
      swiftSettings: lean + [.unsafeFlags(drawingHeaders.flatMap { ["-Xcc", $0] })]),
    // A program of its own, and the only one that opens a socket of the network.
    .executableTarget(
      name: "deckhand-net",
      dependencies: ["Archives", "Wire", "Problems", "Files", "Values", "CCurl", "CMicrohttpd"],
      swiftSettings: lean),
    // A program of its own: the code of a plugin that did not come with deckhand runs outside the shell's process.
    .executableTarget(
      name: "deckhand-plugin", dependencies: ["LuaRuntime", "Wire", "CConfinement"], swiftSettings: lean),
    // A program that the tests start in place of deckhand-draw: with the same rights, it tries what they forbid.
    .target(name: "ConfinementTries", path: "Tests/ConfinementTries"),
    .executableTarget(
      name: "ConfinementProbe", dependencies: ["ConfinementTries", "CConfinement", "CDrawing", "Files"],
      path: "Tests/ConfinementProbe",
      swiftSettings: strict + [.unsafeFlags(drawingHeaders.flatMap { ["-Xcc", $0] })]),
    // What the tests of several rooms share: folders, programs at pipes and terminals, numbers, clocks.
    .target(
      name: "TestSupport", dependencies: ["Files", "Storage", "Values"], path: "Tests/TestSupport",
      swiftSettings: strict),
    // The tables of decks in memory.
    .target(
      name: "TestDecks", dependencies: ["TestSupport", "Decks", "Problems", "Storage", "Templates"],
      path: "Tests/TestDecks",
      swiftSettings: strict),
    // A user's data, for tests at the doors of Workspace and of the rooms above it.
    .target(
      name: "TestWorkspace",
      dependencies: [
        "TestSupport", "Authentication", "CardDocuments", "Files", "Lexicon", "ToggleSettings", "WordGames",
        "Workspace",
      ], path: "Tests/TestWorkspace", swiftSettings: strict),
    // Sweeps the problems of all rooms.
    tests(
      "Problems",
      [
        "Memory", "Templates",
        "Archives", "Text", "Values", "Files", "Storage", "Decks", "Exchange", "Sync", "Wire", "CardDocuments",
        "Language", "Lexicon",
        "WordGames", "ToggleSettings", "Authentication", "Workspace", "AgentDoor", "AnkiConnect", "Commands",
        "LuaRuntime", "Bindings",
        "PluginHost", "Shell",
      ]),
    tests("Archives", ["Files"]),
    tests("Memory", ["Problems", "Values"], exclude: ["Fixtures"]),
    tests("Templates", ["Files", "Problems", "Text", "Values"], resources: [.copy("Fixtures")]),
    tests("Wire", ["Values"]),
    tests("Text", ["Problems"]),
    tests("Files", ["Problems", "Text", "Values", "Wire"]),
    tests("Storage", ["Problems", "Text", "Values", "Files"]),
    tests(
      "Decks", ["Memory", "Problems", "Text", "Values", "Files", "Storage", "TestDecks"],
      resources: [.copy("Fixtures")]),
    tests(
      "Exchange",
      ["Archives", "Memory", "Templates", "Decks", "Problems", "Text", "Values", "Files", "Storage", "TestDecks"],
      resources: [.copy("Fixtures")]),
    tests(
      "Sync",
      [
        "Templates", "Problems", "Text", "Values", "Files", "Storage", "Decks", "Exchange", "Wire", "deckhand-net",
        "TestDecks",
      ], exclude: ["StandIn"]),
    tests("Values", ["Problems", "Text"]),
    tests(
      "CardDocuments",
      [
        "Problems", "Text", "Values", "Files", "Wire", "Storage", "CLibraries", "CZlib", "deckhand-draw",
        "ConfinementProbe",
      ],
      resources: [.copy("Fixtures")]),
    tests("Lexicon", ["Problems", "Text"]),
    tests("Language", ["Files", "Lexicon", "Problems"], exclude: ["Fixtures"]),
    tests("WordGames", ["Lexicon", "Files", "Storage", "Problems", "Text", "Values"]),
    tests("ToggleSettings", ["Problems", "Text", "Values", "Storage"]),
    tests(
      "Workspace",
      [
        "Memory", "Templates",
        "Authentication", "CardDocuments", "Decks", "Exchange", "ToggleSettings", "Lexicon", "WordGames", "Storage",
        "Problems", "Text", "Values", "Files", "TestDecks", "TestWorkspace",
      ]),
    tests(
      "Bindings",
      [
        "CardDocuments", "Commands", "Decks", "Files", "LuaRuntime", "Templates", "Problems", "Text", "Values",
        "Workspace", "TestWorkspace",
        "deckhand-draw",
      ]),
    tests(
      "AnkiConnect",
      ["Problems", "Text", "Values", "Files", "Wire", "Decks", "Storage", "Templates", "Workspace", "TestWorkspace"]),
    tests("Authentication", ["Problems", "Files", "AuthenticationProbe", "CTerminal"]),
    tests("LuaRuntime", ["Problems", "Text", "Values", "Wire", "CLua"], exclude: ["Scripts"]),
    tests("Commands", ["Problems", "Values"]),
    tests("LanguageServer", ["Problems", "Values"]),
    tests("PluginHost", ["Problems", "Bindings", "Archives", "CZlib", "Files", "Text", "Values"]),
    // Runs the shell on a machine whose disk and clock a plan moves: see Scripts/simulate.
    .target(
      name: "SimulatedDisk", dependencies: ["CLua"], path: "Tests/Simulation/Disk",
      linkerSettings: [.linkedLibrary("dl"), .linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "Simulation",
      dependencies: [
        "SimulatedDisk", "CSQLite", "Authentication", "Commands", "Decks", "Exchange", "Files", "LuaRuntime",
        "Problems", "Shell", "Storage", "Templates", "Values", "Wire",
      ],
      path: "Tests/Simulation", exclude: ["Disk", "run", "seeds"], swiftSettings: strict,
      linkerSettings: [.unsafeFlags(["-Xlinker", "--wrap=dh_allocate"])]),
    // Plain C that calls between Lua and Swift are measured against.
    .target(name: "LuaBenchReference", path: "Tests/LuaBenchReference"),
    // A small program that the tests of the prompt drive through a pseudo-terminal.
    .executableTarget(
      name: "PromptProbe", dependencies: ["Shell", "Commands", "LuaRuntime"], path: "Tests/PromptProbe",
      swiftSettings: strict),
    tests("Shell", ["Problems", "Commands", "LuaRuntime", "PromptProbe", "Text", "deckhand"]),
    // The built program, run as somebody runs it.
    .testTarget(
      name: "ProgramTests",
      dependencies: ["deckhand", "deckhand-draw", "deckhand-net", "deckhand-plugin", "TestSupport"],
      exclude: ["Clock", "Fixtures", "Neovim", "Worst"],
      swiftSettings: strict),
  ]
)

// What is hostile, tried by libFuzzer: `Scripts/fuzz` builds it, in a folder of its own, and nobody else.
if Context.environment["DECKHAND_FUZZERS"] != nil {
  package.targets += [
    .target(name: "FuzzDriver", path: "Tests/Fuzz/Driver", swiftSettings: strict),
    .executableTarget(
      name: "FuzzFormats",
      dependencies: [
        "FuzzDriver", "Archives", "CardDocuments", "Decks", "Exchange", "Files", "Lexicon", "Storage", "Templates",
        "Values", "Wire",
      ], path: "Tests/Fuzz/Formats", swiftSettings: strict),
    .executableTarget(
      name: "FuzzDoors",
      dependencies: [
        "FuzzDriver", "AnkiConnect", "Authentication", "CLua", "CardDocuments", "Decks", "Exchange", "Files", "Lexicon",
        "LuaRuntime", "PluginHost", "Storage", "Sync", "ToggleSettings", "Values", "Wire", "WordGames", "Workspace",
      ], path: "Tests/Fuzz/Doors", swiftSettings: strict),
  ]
}

// A release is the programs alone: what tests and measures them is left out.
if Context.environment["DECKHAND_RELEASE"] != nil {
  package.targets.removeAll { $0.isTest || $0.path?.hasPrefix("Tests/") == true }
}
