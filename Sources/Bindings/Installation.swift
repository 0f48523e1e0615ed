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
  for module in modules where !module.isGranted { context.withheld[module.description.name] = module.description.grant }
  modules.removeAll { !$0.isGranted }
  if context.owner.plugin == nil { modules.append(pluginsModule(context)) }
  if context.auth != nil { modules.append(authModule(context)) }
  for module in modules { try state.register(module) }
  try state.register(
    BoundModule("deckhand", "Deckhand itself: its version and its modules.") { module in
      module.field("version", .string, "The program's version.") { context.shell.version }
      module.field("api", .integer, "The number of this interface.") { apiVersion }
    }, members: modules.map(\.description.name))
}

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
