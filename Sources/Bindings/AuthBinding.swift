// What Lua sees of the gate: the module `auth`, the only one that answers before a sign-in. Invariant: a password is never a Lua
// string: it is typed at the terminal or read from a file by the shell.

import LuaRuntime

/// What Lua calls `auth`, handed in by the program.
public struct AuthServices {
  public var needsAuthentication: () -> Bool
  public var isAuthenticating: () -> Bool
  /// Nil for nobody, and without an account.
  public var user: () -> String?
  /// Signs in; without a name the only account, without a file the terminal is asked.
  public var login: (_ user: String?, _ passwordFile: String?) throws -> Void
  public var logout: () throws -> Void

  public init(
    needsAuthentication: @escaping () -> Bool, isAuthenticating: @escaping () -> Bool, user: @escaping () -> String?,
    login: @escaping (String?, String?) throws -> Void, logout: @escaping () throws -> Void
  ) {
    self.needsAuthentication = needsAuthentication
    self.isAuthenticating = isAuthenticating
    self.user = user
    self.login = login
    self.logout = logout
  }
}

func authModule(_ auth: AuthServices) -> BoundModule {
  BoundModule("auth", "The gate: who is signed in; sign in and out.") { module in
    module.field("needs_authentication", .boolean, "Whether nothing can be reached now.") { auth.needsAuthentication() }
    module.field("is_authenticating", .boolean, "Whether a sign-in runs.") { auth.isAuthenticating() }
    module.field("user", .optional(.string), "Who is signed in; nil for nobody, and without accounts.") { auth.user() }
    module.function(
      "login", [LuaParameter("options", .optional(.table))], returns: .boolean, fails: true,
      "Signs in: {user=, password_file=}; without a file the terminal asks. Codes: denied, locked (retry_after), empty, busy."
    ) { stack in
      let options = try stack.optionalTable(1)
      try options?.allowOnly(["user", "password_file"])
      try auth.login(try options?.optionalText("user"), try options?.optionalText("password_file"))
      return true
    }
    module.function("logout", [], returns: .nothing, "Signs out: everything that was opened answers \"signed out\".") {
      _ in
      try auth.logout()
      return LuaNothing()
    }
  }
}
