// What a member needs to have been granted to the state that calls it. Invariant: it is looked up when the member is
// registered, since what a state was granted never changes: a member that may be called costs nothing more for it.

/// The right that a member needs; of several, any one is enough.
///
///     type.method("remove", [], returns: .nothing, grant: LuaGrant(["decks.write"]), "Removes it.") { deck, _ in ... }
public struct LuaGrant {
  public let rights: [String]
  /// When it is not needed, in words; empty for never.
  public let exception: String
  let isExempt: ((AnyObject, borrowing LuaStack) throws -> Bool)?

  public init(_ rights: [String]) { (self.rights, exception, isExempt) = (rights, "", nil) }

  private init(
    _ rights: [String], _ exception: String, _ isExempt: @escaping (AnyObject, borrowing LuaStack) throws -> Bool
  ) {
    (self.rights, self.exception, self.isExempt) = (rights, exception, isExempt)
  }

  /// The same right, not needed for some calls: by the object that is called, and its arguments.
  public func unless<T: AnyObject>(
    _ exception: String, _ isExempt: @escaping (T, borrowing LuaStack) throws -> Bool
  ) -> LuaGrant {
    LuaGrant(rights, exception) { object, stack in
      guard let object = object as? T else { return false }
      return try isExempt(object, stack)
    }
  }

  /// `decks.read or decks.write`, `decks.write (unless the session changes no schedule)`.
  public var words: String { rights.joined(separator: " or ") + (exception.isEmpty ? "" : " (unless \(exception))") }
}

/// What a state was granted.
public struct LuaRights {
  /// The error of a call without the grant; nil where the state has it.
  let refusal: (LuaGrant) -> (any Error)?

  public init(refusal: @escaping (LuaGrant) -> (any Error)?) { self.refusal = refusal }

  /// The user's own states.
  public static var all: LuaRights { LuaRights { _ in nil } }
}

/// What stands before every member of a type: a grant, and a look at the object.
public struct LuaEntrance<T> {
  let rights: LuaRights
  let grant: LuaGrant?
  let check: ((T) throws -> Void)?

  public init(_ rights: LuaRights = .all, _ grant: LuaGrant? = nil, check: ((T) throws -> Void)? = nil) {
    (self.rights, self.grant) = (rights, grant)
    guard let grant, let refusal = rights.refusal(grant) else {
      self.check = check
      return
    }
    self.check = { _ in throw refusal }
  }
}

/// The grant of a member that its state lacks.
@usableFromInline struct MissingGrant {
  let error: any Error
  let isExempt: ((AnyObject, borrowing LuaStack) throws -> Bool)?

  /// Nil where the state has all that the member needs.
  init?(_ grant: LuaGrant?, of rights: LuaRights) {
    guard let grant, let error = rights.refusal(grant) else { return nil }
    (self.error, isExempt) = (error, grant.isExempt)
  }

  @usableFromInline func refuse(_ object: AnyObject?, _ stack: borrowing LuaStack) throws {
    if let object, let isExempt, try isExempt(object, stack) { return }
    throw error
  }
}
