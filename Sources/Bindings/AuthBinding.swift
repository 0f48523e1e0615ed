// What Lua sees of authentication: the module `auth`, the only one that answers before a sign-in. Invariant: a
// password is never a Lua string: the user types it at the terminal, or the shell reads it from a file.

import LuaRuntime

func authModule(_ context: BindingContext) -> BoundModule {
  BoundModule("auth", "Who is signed in; sign in and out. Not in a plugin.") { module in
    module.field("needs_authentication", .boolean, "Whether you must sign in before you can use anything else.") {
      context.auth?.needsAuthentication ?? true
    }
    module.field("is_authenticating", .boolean, "Whether a sign-in is in progress.") {
      context.auth?.isAuthenticating ?? false
    }
    module.field("user", .optional(.string), "Who is signed in; nil if nobody is, or if there are no accounts.") {
      context.auth?.user
    }
    module.action(
      "login", ["options": .optional(.table)], example: "{user = \"ana\", password_file = \"password.txt\"}",
      "Signs in: {user=, password_file=}; without a file it asks at the terminal. "
        + "Codes: denied, locked (retry_after), empty, busy."
    ) { stack in
      let options = try stack.optionalTable(1, allowing: ["user", "password_file"])
      try context.auth?.login(
        try options?.optionalText("user"), passwordFile: try options?.optionalText("password_file"))
    }
    module.function(
      "logout", [:],
      "Signs out: from then on, objects that were opened before fail with the problem auth_required. In a script, "
        + "the changes made before it are saved whatever happens after it."
    ) { _ in try context.auth?.logout() }
  }
}
