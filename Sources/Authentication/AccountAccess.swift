// What a sign-in returns: the only object that can open an account's files.
// Invariant: only this module can create one, and it opens nothing any more once the user has signed out.

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
    self.name = name
    self.notice = notice
    path = folder
  }

  /// The folder with all of the user's data. Throws `required` after the sign-out.
  public func folder() throws(AuthenticationError) -> String {
    guard isOpen else { throw .required }
    return path
  }

  func close() { isStillOpen = false }
}
