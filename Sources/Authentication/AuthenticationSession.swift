// The sign-in session of a shell: who is signed in, whether a sign-in is running, and who observes it.
// Invariant: only a right password opens it; one sign-in at a time; a sign-out closes the access before any observer is
// notified of it, and a sign-in that was running then never succeeds.

import Problems

/// A sign-in that has begun: between the name and the check of the password. `finish` or `cancel` ends it.
///
///     let begun = try session.begin("ana")
///     try session.finish(begun, password)   // or session.cancel(begun)
public struct PendingSignIn: Sendable {
  public let name: String
  let number: Int
}

/// The one sign-in session of a shell.
///
///     let session = try AuthenticationSession(store)
///     try session.login("ana", password)
///     try session.requireAccess().folder()
public final class AuthenticationSession {
  public let store: AccountStore
  private var pending: PendingSignIn?
  private var count = 0
  private var hasAccounts: Bool
  /// Called when who is signed in, whether a sign-in is running, or whether one is needed has changed.
  public var didChange: () -> Void = {}

  /// What the user has access to; nil before the sign-in. Without accounts, it is the local data from the start.
  public private(set) var access: AccountAccess?

  /// The local data is accessible at once if there is no account.
  public init(_ store: AccountStore) throws(AuthenticationError) {
    self.store = store
    hasAccounts = try !store.names().isEmpty
    if !hasAccounts { access = try store.openLocal() }
  }

  /// Whether nothing is accessible now.
  public var needsAuthentication: Bool { access == nil }
  public var isAuthenticating: Bool { pending != nil }
  /// The signed-in account; nil if nobody is signed in, or if there are no accounts.
  public var user: String? { access?.name }

  /// Returns the access, or throws `required`.
  public func requireAccess() throws(AuthenticationError) -> AccountAccess {
    guard let access else { throw .required }
    return access
  }

  // MARK: Signing in

  /// Begins a sign-in. Throws `busy` while another one is running, `empty` without a name, `signedIn` if somebody is.
  public func begin(_ name: String) throws(AuthenticationError) -> PendingSignIn {
    if pending != nil { throw .busy }
    if let user { throw .signedIn(user) }
    if name.allSatisfy(\.isWhitespace) { throw .empty }
    count += 1
    let begun = PendingSignIn(name: name, number: count)
    pending = begun
    didChange()
    return begun
  }

  /// Checks the password of a sign-in that has begun. Throws `cancelled` if it was cancelled before or meanwhile.
  @discardableResult
  public func finish(_ begun: PendingSignIn, _ password: borrowing Secret) throws(AuthenticationError) -> AccountAccess
  {
    guard isPending(begun) else { throw .cancelled }
    do throws(AuthenticationError) {
      let opened = try store.verify(begun.name, password)
      guard isPending(begun) else {
        opened.close()
        throw .cancelled
      }
      pending = nil
      hasAccounts = true
      setAccess(opened)
      return opened
    } catch {
      if isPending(begun) {
        pending = nil
        didChange()
      }
      throw error
    }
  }

  /// Cancels a sign-in that has begun, for example when the user leaves the password prompt.
  public func cancel(_ begun: PendingSignIn) {
    guard isPending(begun) else { return }
    pending = nil
    didChange()
  }

  /// Begins and finishes a sign-in with a password that was read before; an empty one is rejected first.
  @discardableResult
  public func login(_ name: String, _ password: borrowing Secret) throws(AuthenticationError) -> AccountAccess {
    if pending != nil { throw .busy }
    if password.isEmpty { throw .empty }
    return try finish(try begin(name), password)
  }

  private func isPending(_ begun: PendingSignIn) -> Bool { pending?.number == begun.number }

  /// Checks the password of the signed-in account again, for a screen that was locked. The attempt counts.
  public func confirm(_ password: borrowing Secret) throws(AuthenticationError) {
    guard let user else { throw .required }
    if password.isEmpty { throw .empty }
    try store.verify(user, password).close()
  }

  /// Signs out, and cancels a running sign-in; changes must be saved before. Without an account there is nothing to do.
  public func logout() {
    if pending != nil {
      pending = nil
      didChange()
    }
    if user != nil { setAccess(nil) }
  }

  private func setAccess(_ new: AccountAccess?) {
    access?.close()
    access = new
    didChange()
  }

  /// Adds an account. The first one takes over the local data, which the caller must have closed before, and its owner
  /// is signed in. A user who was already signed in stays so.
  @discardableResult
  public func addAccount(_ name: String, _ password: borrowing Secret) throws(AuthenticationError) -> String {
    if pending != nil { throw .busy }
    try refresh()
    if access == nil { throw .required }
    let isFirst = !hasAccounts
    let account = try store.add(name, password, adoptingLocal: isFirst)
    guard isFirst else { return account }
    hasAccounts = true
    setAccess(nil)
    try login(account, password)
    return account
  }

  /// Checks whether another process has added the first account meanwhile, to which the local data then belongs, or has
  /// removed the signed-in account. The access to what is no longer there is closed.
  public func refresh() throws(AuthenticationError) {
    if let user, !store.has(user) { return try end() }
    guard !hasAccounts, try !store.names().isEmpty else { return }
    hasAccounts = true
    setAccess(nil)
  }

  /// Removes the signed-in account with all its data, and signs out; after the last one, the local data is open.
  public func removeAccount() throws(AuthenticationError) {
    let removed = try requireAccess()
    var failure: AuthenticationError?
    do throws(AuthenticationError) { try store.remove(removed) } catch {
      // The account is gone once its access is closed, even if some of its files are not.
      if removed.isOpen { throw error }
      failure = error
    }
    try end()
    if let failure { throw failure }
  }

  /// Ends the session of an account that was removed.
  private func end() throws(AuthenticationError) {
    setAccess(nil)
    guard try store.names().isEmpty else { return }
    hasAccounts = false
    setAccess(try store.openLocal())
  }
}

/// The access to one user's folder, until it is closed.
///
///     let access = try store.verify("ana", password)
///     try access.folder()   // ".../accounts/ana", until the access is closed
public final class AccountAccess {
  /// The account's name; nil for the local data of a user without an account.
  public let name: String?
  /// A problem that does not prevent the sign-in: the password's hash could not be made stronger.
  public let notice: AuthenticationError?
  @inlinable public var isOpen: Bool { isStillOpen }
  /// Read at every call from Lua. Exclusivity is not checked, because no access to it lasts across another one.
  @usableFromInline @exclusivity(unchecked) private(set) var isStillOpen = true
  private let path: String

  // Possible extension: the key of an encrypted account as a `Secret` here, derived from the password at the sign-in.

  init(name: String?, folder: String, notice: AuthenticationError? = nil) {
    (self.name, self.notice, path) = (name, notice, folder)
  }

  /// The folder with all of the user's data. Throws `required` after the sign-out.
  public func folder() throws(AuthenticationError) -> String {
    guard isOpen else { throw .required }
    return path
  }

  func close() { isStillOpen = false }
}
