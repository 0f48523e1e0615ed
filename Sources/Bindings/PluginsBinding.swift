// Lua's view of plugins: the module `plugins`. Invariant: a plugin itself never gets this module.

import LuaRuntime

func pluginsModule(_ context: BindingContext) -> BoundModule {
  context.module("plugins", "Plugins: list, enable, disable and reload them. Not in a plugin.") { module in
    module.function("list", returns: .list(.table), "All plugins that were found.") { _ in context.plugins.pluginList()
    }
    module.function(
      "info", ["name": .string], returns: .table.orProblem, example: "(\"hangman\")", "Details of a plugin."
    ) { stack in try context.plugins.pluginInfo(stack.text(1)) }
    let actions: [(String, String, (any PluginDirectory, String) throws -> Void)] = [
      (
        "enable",
        "Enables a plugin; at a prompt it asks for the permissions that are not granted yet, elsewhere it fails with "
          + "not_granted.", { try $0.enablePlugin($1) }
      ), ("disable", "Disables a plugin and removes what it added.", { try $0.disablePlugin($1) }),
      ("reload", "Loads a plugin again.", { try $0.reloadPlugin($1) }),
    ]
    for (action, help, perform) in actions {
      module.action(action, ["name": .string], example: "(\"hangman\")", help) { stack in
        try perform(context.plugins, try stack.text(1))
      }
    }
  }
}
