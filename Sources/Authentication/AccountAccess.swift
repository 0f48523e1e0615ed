// What a sign-in hands out, and the only thing with which an account's files are opened.
// Invariant: nobody but this room can make one, and it opens nothing any more once the user has signed out.

/// The right to one user's folder, until it is closed.
///
///     let access = try store.verify("ana", password)
///     try access.folder()   // ".../accounts/ana", until the access is closed
public final class AccountAccess {
  /// The account's name; nil for the local data of somebody without an account.
  public let name: String?
  /// What went wrong beside the sign-in and does not hinder it: the password's hash could not be made stronger.
  public let notice: AuthenticationError?
  @inlinable public var isOpen: Bool { isStillOpen }
  /// Read at every call from Lua; nothing holds an access to it across another.
  @usableFromInline @exclusivity(unchecked) private(set) var isStillOpen = true
  private let path: String

  // Room for later: the key of an encrypted account would be a `Secret` here, made from the password at the sign-in.

  init(name: String?, folder: String, notice: AuthenticationError? = nil) {
    self.name = name
    self.notice = notice
    path = folder
  }

  /// The folder with all that is the user's. Throws `required` after the sign-out.
  public func folder() throws(AuthenticationError) -> String {
    guard isOpen else { throw .required }
    return path
  }

  func close() { isStillOpen = false }
}
