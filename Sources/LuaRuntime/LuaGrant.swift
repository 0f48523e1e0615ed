// The rights that a member needs from the state that calls it. Invariant: rights are checked when the member is
// registered, as the grants of a state never change; a permitted member has no extra cost per call.

/// The right that a member needs; where several are listed, any one is enough.
public struct LuaGrant {
  public let rights: [String]
  /// A description of the calls that do not need the right; empty if there are none.
  public private(set) var exception = ""
  private(set) var isExempt: ((AnyObject, borrowing LuaStack) throws -> Bool)?

  public init(_ rights: [String]) { self.rights = rights }

  /// Returns the same right with an exemption for some calls, decided by the called object and its arguments.
  public func unless<T: AnyObject>(
    _ exception: String, _ isExempt: @escaping (T, borrowing LuaStack) throws -> Bool
  ) -> LuaGrant {
    var grant = self
    grant.exception = exception
    grant.isExempt = { object, stack in
      guard let object = object as? T else { return false }
      return try isExempt(object, stack)
    }
    return grant
  }

  /// For example `decks.read or decks.write`, or `decks.write (unless the session changes no schedule)`.
  public var words: String { rights.joined(separator: " or ") + (exception.isEmpty ? "" : " (unless \(exception))") }
}

/// The rights of a state: returns the error of a call without the grant; nil if the state has it.
public typealias LuaRights = (LuaGrant) -> (any Error)?

/// The checks that run before every member of a type: a grant, and a check of the object.
public struct LuaChecks<T> {
  let rights: LuaRights
  let grant: LuaGrant?
  let check: ((T) throws -> Void)?

  public init(
    check: ((T) throws -> Void)? = nil, _ rights: @escaping LuaRights = { _ in nil }, _ grant: LuaGrant? = nil
  ) {
    (self.rights, self.grant) = (rights, grant)
    if let refusal = grant.flatMap(rights) {
      self.check = { _ in throw refusal }
    } else {
      self.check = check
    }
  }
}

/// The error of a member whose grant its state lacks.
@usableFromInline struct MissingGrant {
  let error: any Error
  let isExempt: ((AnyObject, borrowing LuaStack) throws -> Bool)?

  /// Fails if the state has all that the member needs.
  init?(_ grant: LuaGrant?, of rights: LuaRights) {
    guard let grant, let error = rights(grant) else { return nil }
    (self.error, isExempt) = (error, grant.isExempt)
  }

  @usableFromInline func refuse(_ object: AnyObject?, _ stack: borrowing LuaStack) throws {
    if let object, let isExempt, try isExempt(object, stack) { return }
    throw error
  }
}
