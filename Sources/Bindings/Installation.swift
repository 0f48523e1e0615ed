// Installs the core in a Lua state: every bound type, the granted modules, and the modules `auth` and `plugins`, which
// no plugin has. Invariants: what was not granted is not in the environment at all; a password is never a Lua string:
// the user types it at the terminal, or the shell reads it from a file.

public import LuaRuntime
import Problems
import Text

/// The interface version that a plugin states in its manifest.
public let apiVersion = 1

/// Installs types and modules; the module table `deckhand` holds all modules.
public func install(_ context: BindingContext, in state: LuaState) throws {
  state.register(deckType(context))
  state.register(deckOptionsType(context))
  state.register(presetType(context))
  state.register(cardType(context))
  state.register(cardSequenceType())
  state.register(noteType(context))
  state.register(noteFieldsType(context))
  state.register(noteTypeType(context))
  state.register(sessionType(context))
  state.register(lexiconType())
  state.register(textType(context))
  state.register(documentType(context))
  state.register(elementType(context))
  state.register(gameType(context))
  state.register(modeType())
  state.register(settingGroupType(context))
  state.register(settingChoiceType(context))
  state.register(settingValueType(context))
  state.register(progressType())
  state.register(subscriptionType())
  state.register(commandType())
  state.register(linesType())
  var modules = [
    decksModule(context), presetsModule(context), noteTypesModule(context), mediaModule(context),
    documentsModule(context), wordsModule(context), textsModule(context), gamesModule(context), studyModule(context),
    settingsModule(context), shellModule(context), filesModule(context),
  ]
  for module in modules where !module.isGranted {
    let grant = module.description.grant
    context.withheld[module.description.name] = grant.map { "plugin.json needs the permission \($0)" }
  }
  modules.removeAll { !$0.isGranted }
  if context.owner.plugin == nil {
    modules += [pluginsModule(context), authModule(context)]
  } else {
    context.withheld.merge(withheldFromPlugins) { words, _ in words }
  }
  for module in modules { try state.register(module) }
  try state.register(
    BoundModule("deckhand", "Deckhand itself: its version and its modules.") { module in
      module.field("version", .string, "The program's version.") { context.shell.version }
      module.field("api", .integer, "The number of this interface.") { apiVersion }
    }, members: modules.map(\.description.name))
}

/// The globals of a script that no plugin has, and what it has instead.
private let withheldFromPlugins = [
  "auth": "a plugin has no auth; it can listen to the event authentication_changed",
  "plugins": "a plugin has no plugins",
  "io": "a plugin has no io; files reads and writes the paths that it was granted", "debug": "a plugin has no debug",
  "package": "a plugin has no package; require loads the files of its folder",
  "dofile": "a plugin has no dofile; require loads the files of its folder",
  "loadfile": "a plugin has no loadfile; require loads the files of its folder",
]

func authModule(_ context: BindingContext) -> BoundModule {
  BoundModule("auth", "Who is signed in; sign in and out. Not in a plugin.") { module in
    module.field("needs_authentication", .boolean, "Whether you must sign in before you can use anything else.") {
      context.shell.needsAuthentication
    }
    module.field("is_authenticating", .boolean, "Whether a sign-in is in progress.") {
      context.shell.isAuthenticating
    }
    module.field("user", .optional(.string), "Who is signed in; nil if nobody is, or if there are no accounts.") {
      context.shell.user
    }
    module.action(
      "login", ["options": .optional(.table)], example: "{user = \"ana\", password_file = \"password.txt\"}",
      "Signs in: {user=, password_file=}; without a file it asks at the terminal. "
        + "Codes: denied, locked (retry_after), empty, busy."
    ) { stack in
      let options = try stack.optionalTable(1, allowing: ["user", "password_file"])
      try context.shell.login(
        try options?.optionalText("user"), passwordFile: try options?.optionalText("password_file"))
    }
    module.function(
      "logout", [:],
      "Signs out: from then on, objects that were opened before fail with the problem auth_required. In a script, "
        + "the changes made before it are saved whatever happens after it."
    ) { _ in try context.shell.logout() }
  }
}

func pluginsModule(_ context: BindingContext) -> BoundModule {
  context.module("plugins", "Plugins: list, enable, disable and reload them. Not in a plugin.") { module in
    module.function("list", returns: .list(.table), "All plugins that were found.") { _ in context.shell.pluginList() }
    module.function(
      "info", ["name": .string], returns: .table.orProblem, example: "(\"hangman\")", "Details of a plugin."
    ) { stack in try context.shell.pluginInfo(stack.text(1)) }
    let actions: [(String, String, (any ShellHost, String) throws -> Void)] = [
      (
        "enable",
        "Enables a plugin; at a prompt it asks for the permissions that are not granted yet, elsewhere it fails with "
          + "not_granted.", { try $0.enablePlugin($1) }
      ), ("disable", "Disables a plugin and removes what it added.", { try $0.disablePlugin($1) }),
      ("reload", "Loads a plugin again.", { try $0.reloadPlugin($1) }),
    ]
    for (action, help, perform) in actions {
      module.action(action, ["name": .string], example: "(\"hangman\")", help) { stack in
        try perform(context.shell, try stack.text(1))
      }
    }
  }
}
