// Installs the core in a Lua state: every bound type, and the granted modules. Invariant: what was not granted is not
// in the environment at all.

public import LuaRuntime
import Problems
import Text

/// The interface version that a plugin states in its manifest.
public let apiVersion = 1

/// Installs types and modules; the module table `deckhand` holds all modules.
public func install(_ context: BindingContext, in state: LuaState) throws {
  registerTypes(context, in: state)
  var modules = [
    decksModule(context), presetsModule(context), noteTypesModule(context), mediaModule(context),
    documentsModule(context), wordsModule(context), textsModule(context), gamesModule(context), settingsModule(context),
    shellModule(context), filesModule(context),
  ]
  for module in modules where !module.isGranted {
    let grant = module.description.grant
    context.withheld[module.description.name] = grant.map { "plugin.json needs the permission \($0)" }
  }
  modules.removeAll { !$0.isGranted }
  if context.owner.plugin == nil {
    modules.append(pluginsModule(context))
  } else {
    context.withheld.merge(withheldFromPlugins) { words, _ in words }
  }
  if context.auth != nil { modules.append(authModule(context)) }
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

private func registerTypes(_ context: BindingContext, in state: LuaState) {
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
}
