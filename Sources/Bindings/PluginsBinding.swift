// What Lua sees of plugins: the module `plugins`. Invariant: a plugin itself never gets it.

import LuaRuntime

func pluginsModule(_ context: BindingContext) -> BoundModule {
  let name = LuaParameter("name", .string)
  return BoundModule("plugins", "Plugins: list, enable, disable and reload them.", check: context.requireSignIn) {
    module in
    module.function("list", [], returns: .list(.table), "All plugins that were found.") { _ in context.plugins.list() }
    module.function("info", [name], returns: .table, fails: true, "What is known of a plugin.") { stack in
      try context.plugins.info(try stack.text(1))
    }
    let actions: [(String, String, (PluginServices) -> (String) throws -> Void)] = [
      ("enable", "Enables a plugin with what it asks for.", { $0.enable }),
      ("disable", "Ends a plugin and takes back what it added.", { $0.disable }),
      ("reload", "Loads a plugin anew.", { $0.reload }),
    ]
    for (action, help, service) in actions {
      module.function(action, [name], returns: .boolean, fails: true, help) { stack in
        try service(context.plugins)(try stack.text(1))
        return true
      }
    }
  }
}
