// The accounts in a data folder: `accounts/NAME/`, each with its `credentials` beside the user's data.
// Invariant: an account exists completely or not at all, and its password is the old one or the new one, at whatever
// moment the process ends. Every attempt at a password goes through `attempt`, which counts it.

import CSodium
public import Files
import Glibc
import Text

/// Adds, lists, checks, changes and removes accounts.
///
///     let store = try AccountStore(data: folder, environment: environment)
///     try store.names()   // ["ana"]
public final class AccountStore {
  private let accounts: String
  private let local: String
  private let environment: Environment
  private let cost: HashCost
  /// Called at each step of writing, for tests that end the process there.
  package var reach: StepObserver = { _ in 0 }

  /// `data` is the data folder, which must exist. A cost outside the limits is clamped to them.
  public init(data: String, environment: Environment, cost: HashCost = .interactive) throws(AuthenticationError) {
    guard sodium_init() >= 0 else { throw .outOfMemory }
    accounts = data + "/accounts"
    local = data + "/local"
    self.environment = environment
    self.cost = HashCost(
      memory: min(max(cost.memory, HashCost.least.memory), HashCost.most.memory),
      passes: min(max(cost.passes, HashCost.least.passes), HashCost.most.passes))
    removeLeftoversIfFree()
  }

  /// The names of all accounts, sorted by code point.
  public func names() throws(AuthenticationError) -> [String] {
    try PrivateFile.names(in: accounts).filter { !$0.hasPrefix(".") && has($0) }
  }

  /// Whether there is an account of exactly this name.
  func has(_ account: String) -> Bool { PrivateFile.exists(credentialsPath(account)) }

  /// The account's own spelling of a name: case and compatible forms do not matter. Nil if there is no such account.
  public func account(named name: String) throws(AuthenticationError) -> String? {
    let name = name.trimmed
    guard name.utf8.count <= AccountName.longest * 4 else { return nil }
    let key = AccountName.key(name)
    return try names().first { AccountName.key($0) == key }
  }

  /// Opens the local data of a user without an account. Throws `required` as soon as there is an account.
  public func openLocal() throws(AuthenticationError) -> AccountAccess {
    guard try names().isEmpty else { throw .required }
    return AccountAccess(name: nil, folder: local)
  }

  // MARK: Trying a password

  /// Checks a name and a password. A wrong name and a wrong password give the same answer after the same time, and the
  /// next attempt has to wait. Throws `empty`, `denied`, `locked`, `busy`, or the problem with the account's file.
  public func verify(_ name: String, _ password: borrowing Secret) throws(AuthenticationError) -> AccountAccess {
    let (account, notice) = try attempt(name, password) { (_, _) throws(AuthenticationError) in }
    return AccountAccess(name: account, folder: folder(account), notice: notice)
  }

  /// Changes the password of an account: the new one is checked by the rules, then the old one is tried as in `verify`.
  public func changePassword(
    of name: String, from old: borrowing Secret, to new: borrowing Secret
  ) throws(AuthenticationError) {
    let hash = try PasswordHash(try newPassword(new, for: name), cost: cost)
    _ = try attempt(name, old) { (account, path) throws(AuthenticationError) in
      try PrivateFile.replace(path, with: Credentials(name: account, hash: hash).bytes, reach)
    }
  }

  /// Makes one attempt, which is counted before. `then` runs after a right password, while the account is locked.
  private func attempt(
    _ name: String, _ password: borrowing Secret, then: (String, String) throws(AuthenticationError) -> Void
  ) throws(AuthenticationError) -> (account: String, notice: AuthenticationError?) {
    if name.trimmed.isEmpty || password.isEmpty { throw .empty }
    let account = try account(named: name)
    let record = try record(account, name)
    defer { withExtendedLifetime(record.file) {} }
    let now = environment.clocks.reading()
    let before = try record.failures(at: now)
    let left = before.left(at: now)
    if left > 0 { throw .locked(retryAfter: Int((left + 999) / 1000)) }
    let hash = try hash(of: account)
    try record.write(Failures(count: before.count + 1, last: now))
    let isRight: Bool
    do { isRight = try check(password, hash) } catch {
      try record.write(before)  // Nothing was tried.
      throw error
    }
    // The wait begins when the answer is given.
    guard isRight, let account else {
      try record.write(Failures(count: before.count + 1, last: environment.clocks.reading()))
      throw .denied
    }
    try record.write(Failures(count: 0, last: now))
    try then(account, credentialsPath(account))
    return (account, strengthen(account, hash, password))
  }

  private func record(_ account: String?, _ name: String) throws(AuthenticationError) -> AttemptRecord {
    if let account { return try .ofAccount(in: folder(account), environment) }
    try PrivateFile.makeFolder(accounts)
    // Trimmed like a known name: otherwise a different wait would reveal that no account has it.
    let beginning = String(decoding: name.trimmed.utf8.prefix(256), as: UTF8.self)
    return try .ofUnknown(AccountName.key(beginning), in: accounts, environment)
  }

  private func hash(of account: String?) throws(AuthenticationError) -> PasswordHash {
    guard let account else { return .unmatchable(cost: cost, random: environment.random.bytes) }
    try PrivateFile.checkFolder(folder(account))
    return try credentials(of: account).hash
  }

  private func credentials(of account: String) throws(AuthenticationError) -> Credentials {
    let path = credentialsPath(account)
    let credentials = try Credentials(bytes: PrivateFile.read(path, limit: Credentials.largest), path: path)
    guard credentials.name == account else { throw .damaged(path: path, reason: "it belongs to another account") }
    return credentials
  }

  /// Hashes any password, even one that cannot be right, so that every answer takes the same time.
  private func check(_ password: borrowing Secret, _ hash: PasswordHash) throws(AuthenticationError) -> Bool {
    do {
      let normal = try password.normalized()
      return try hash.matches(normal) && normal.count <= Secret.longest
    } catch .badText {
      _ = try hash.matches(password)
      return false
    }
  }

  /// Hashes the password again if its hash is weaker than required. A failure does not prevent the sign-in.
  private func strengthen(
    _ account: String, _ hash: PasswordHash, _ password: borrowing Secret
  ) -> AuthenticationError? {
    guard hash.cost.memory < cost.memory || hash.cost.passes < cost.passes else { return nil }
    let stronger = HashCost(memory: max(cost.memory, hash.cost.memory), passes: max(cost.passes, hash.cost.passes))
    do throws(AuthenticationError) {
      // A password that was just changed already has its hash.
      guard try credentials(of: account).hash == hash else { return nil }
      let credentials = Credentials(name: account, hash: try PasswordHash(try password.normalized(), cost: stronger))
      try PrivateFile.replace(credentialsPath(account), with: credentials.bytes, reach)
      return nil
    } catch {
      return error
    }
  }

  // MARK: Adding and removing

  /// Throws the reason why a name cannot be used for a new account, before a password is asked for.
  public func checkNew(_ name: String) throws(AuthenticationError) { _ = try newName(name) }

  /// Throws the reason why a password cannot be that of a new account, before anything is closed for it.
  public func checkNew(_ password: borrowing Secret, for name: String) throws(AuthenticationError) {
    _ = try newPassword(password, for: name)
  }

  private func newPassword(_ password: borrowing Secret, for name: String) throws(AuthenticationError) -> Secret {
    let normal = try password.normalized()
    try PasswordRules.check(normal, name: name.trimmed)
    return normal
  }

  /// Adds an account and returns its name as stored. With `adoptingLocal`, the local data, which the caller has closed,
  /// becomes that of the first account, in one step; throws `required` if another process has just added one.
  public func add(
    _ name: String, _ password: borrowing Secret, adoptingLocal: Bool
  ) throws(AuthenticationError) -> String {
    let normal = try newPassword(password, for: name)
    try PrivateFile.makeFolder(accounts)
    try PrivateFile.checkFolder(accounts)
    let lock = try PrivateFile.lock(accounts + "/.lock", environment)
    defer { lock.release() }
    let account = try newName(name)
    let credentials = Credentials(name: account, hash: try PasswordHash(normal, cost: cost))
    if adoptingLocal, try !names().isEmpty { throw .required }
    let staged = try stage(adoptingLocal)
    var isAdded = false
    defer {
      if !isAdded {
        // The local data stays.
        for name in ["/credentials", "/attempts"] { unlink(staged + name) }
        if staged != local { Glibc.remove(staged) }
      }
    }
    try PrivateFile.replace(staged + "/credentials", with: credentials.bytes, reach)
    try AttemptRecord.ofAccount(in: staged, environment).write(Failures(count: 0, last: environment.clocks.reading()))
    do { try Folder.move(staged, to: folder(account)) } catch {
      throw .failed(operation: "create", path: folder(account), code: error.number)
    }
    isAdded = true
    PrivateFile.syncFolder(of: folder(account))
    return account
  }

  /// The folder that becomes the account's: the local data, or an empty one.
  private func stage(_ adoptingLocal: Bool) throws(AuthenticationError) -> String {
    if adoptingLocal, PrivateFile.exists(local) {
      if chmod(local, 0o700) != 0 { throw .failed(operation: "set the permissions of", path: local, code: errno) }
      return local
    }
    let staged = accounts + "/.adding"
    if PrivateFile.exists(staged) { try PrivateFile.removeTree(staged) }
    try PrivateFile.makeFolder(staged)
    return staged
  }

  private func newName(_ name: String) throws(AuthenticationError) -> String {
    let new = try AccountName(name.trimmed).text
    for there in try PrivateFile.names(in: accounts) where !there.hasPrefix(".") {
      if AccountName.key(there) == AccountName.key(new) { throw .exists(there) }
      if AccountName.skeleton(there) == AccountName.skeleton(new) { throw .looksLike(new, account: there) }
    }
    return new
  }

  /// Removes the signed-in account with all its data, and closes its access. Its files must be closed before.
  public func remove(_ access: AccountAccess) throws(AuthenticationError) {
    guard let name = access.name else { throw .unknownAccount("", suggestion: nil) }
    let folder = try access.folder()
    let lock = try PrivateFile.lock(accounts + "/.lock", environment)
    defer { lock.release() }
    // The rename removes the account in one step; then its files are deleted, and those that a killed process left.
    let removed =
      accounts + "/.removed-" + environment.random.bytes(8).map { String($0, radix: 16) }.joined(separator: "-")
    do { try Folder.move(folder, to: removed) } catch {
      throw .failed(operation: "remove", path: accounts + "/" + name, code: error.number)
    }
    access.close()
    PrivateFile.syncFolder(of: folder)
    try removeLeftovers()
  }

  /// Removes what is left of accounts that a killed process was removing. The caller holds the lock.
  private func removeLeftovers() throws(AuthenticationError) {
    for left in try PrivateFile.names(in: accounts) where left.hasPrefix(".removed-") {
      try PrivateFile.removeTree(accounts + "/" + left)
    }
  }

  /// The same at start-up, unless another process holds the lock. What is left is tried again at the next start.
  private func removeLeftoversIfFree() {
    do {
      guard try PrivateFile.names(in: accounts).contains(where: { $0.hasPrefix(".removed-") }),
        let lock = try FileLock(ifFree: accounts + "/.lock")
      else { return }
      defer { lock.release() }
      try removeLeftovers()
    } catch {
      // Leftovers only take up space: the next start tries again.
      return
    }
  }

  private func folder(_ account: String) -> String { accounts + "/" + account }
  private func credentialsPath(_ account: String) -> String { folder(account) + "/credentials" }
}
