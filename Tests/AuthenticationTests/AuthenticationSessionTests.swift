// The sign-in session: its states and events, sign-outs at awkward moments, and the idle clock.

import Files
import Problems
import TestSupport

@testable import Authentication

@Suite struct GateTests {
  private let data = DataFolder()

  /// Notes who is signed in after each change; `asking` while a sign-in is running.
  private final class Ear {
    var heard: [String] = []

    init(_ session: AuthenticationSession) {
      session.didChange = { [unowned session, weak self] in
        let user = session.user ?? (session.needsAuthentication ? "nobody" : "local")
        self?.heard.append(session.isAuthenticating ? "asking" : user)
      }
    }
  }

  private func session(_ data: DataFolder) throws -> (AuthenticationSession, Ear) {
    let session = try AuthenticationSession(try data.storeWithAna())
    return (session, Ear(session))
  }

  @Test func `without an account the session is open, with one it is closed`() throws {
    let open = try AuthenticationSession(try data.store())
    #expect(!open.needsAuthentication && open.user == nil && !open.isAuthenticating)
    #expect(try open.requireAccess().folder() == data.path + "/local")
    let (shut, _) = try session(data)
    #expect(shut.needsAuthentication && shut.user == nil)
    #expect(refusal { _ = try shut.requireAccess() } == .required)
  }

  @Test func `only a right password opens it, and every observer is notified`() throws {
    let (session, ear) = try session(data)
    #expect(refusal { try session.login("ana", try Secret("wrong horse")) } == .denied)
    #expect(session.needsAuthentication && !session.isAuthenticating)
    #expect(refusal { try session.login("ana", try Secret("correct horse")) } == .locked(retryAfter: 1))
    data.hand.pass(1)
    let access = try session.login("Ana", try Secret("correct horse"))
    #expect(!session.needsAuthentication && session.user == "ana")
    #expect(session.access === access && access.isOpen)
    session.logout()
    #expect(session.needsAuthentication && session.user == nil && !access.isOpen)
    #expect(refusal { _ = try access.folder() } == .required)
    session.logout()
    #expect(ear.heard == ["asking", "nobody", "asking", "nobody", "asking", "ana", "nobody"])
  }

  @Test func `an empty name or password is refused before any attempt`() throws {
    let (session, ear) = try session(data)
    #expect(refusal { try session.login("", try Secret("x")) } == .empty)
    #expect(refusal { try session.login(" ", try Secret("x")) } == .empty)
    #expect(refusal { try session.login("ana", try Secret("")) } == .empty)
    #expect(ear.heard.isEmpty)
    #expect(
      String(decoding: try data.read(data.path + "/accounts/ana/attempts"), as: UTF8.self).hasPrefix("failures 0 "))
  }

  @Test func `only one sign-in runs at a time, and none while somebody is signed in`() throws {
    let (session, _) = try session(data)
    let pending = try session.begin("ana")
    #expect(session.isAuthenticating && session.needsAuthentication)
    #expect(refusal { _ = try session.begin("ana") } == .busy)
    #expect(refusal { try session.login("ana", try Secret("correct horse")) } == .busy)
    #expect(refusal { _ = try session.addAccount("ben", try Secret("battery staple")) } == .busy)
    try session.finish(pending, try Secret("correct horse"))
    #expect(refusal { try session.login("ana", try Secret("correct horse")) } == .signedIn("ana"))
    #expect(refusal { try session.finish(pending, try Secret("correct horse")) } == .cancelled)
  }

  @Test func `a sign-out cancels a sign-in that is pending`() throws {
    let (session, ear) = try session(data)
    let pending = try session.begin("ana")
    session.logout()
    #expect(!session.isAuthenticating)
    #expect(refusal { try session.finish(pending, try Secret("correct horse")) } == .cancelled)
    #expect(session.needsAuthentication)
    let second = try session.begin("ana")
    #expect(refusal { try session.finish(pending, try Secret("correct horse")) } == .cancelled)
    session.cancel(pending)
    #expect(session.isAuthenticating)
    session.cancel(second)
    #expect(ear.heard == ["asking", "nobody", "asking", "nobody"])
  }

  @Test func `a sign-out during the check itself leaves nobody signed in`() throws {
    _ = try data.storeWithAna()
    var session: AuthenticationSession?
    var calls = 0
    var environment = data.hand.environment
    environment.clocks.reading = {
      calls += 1
      session?.logout()
      return data.hand.reading
    }
    let made = try AuthenticationSession(
      AccountStore(data: data.path, environment: environment, cost: DataFolder.cheap))
    session = made
    defer { session = nil }
    #expect(refusal { try made.login("ana", try Secret("correct horse")) } == .cancelled)
    #expect(calls > 0 && made.needsAuthentication && !made.isAuthenticating && made.access == nil)
  }

  @Test func `the first account takes over the local data and signs its owner in; removing the last needs no sign-in`()
    throws
  {
    let session = try AuthenticationSession(try data.store())
    let ear = Ear(session)
    let local = try session.requireAccess()
    try session.addAccount("ana", try Secret("correct horse"))
    #expect(!local.isOpen && session.user == "ana")
    #expect(try session.addAccount("ben", try Secret("battery staple")) == "ben")
    #expect(session.user == "ana")
    try session.removeAccount()
    #expect(session.needsAuthentication)
    #expect(refusal { try session.removeAccount() } == .required)
    #expect(refusal { _ = try session.addAccount("eva", try Secret("battery staple")) } == .required)
    try session.login("ben", try Secret("battery staple"))
    try session.removeAccount()
    #expect(!session.needsAuthentication && session.user == nil)
    #expect(refusal { try session.removeAccount() }?.code == "not_found")
    #expect(ear.heard == ["nobody", "asking", "ana", "nobody", "asking", "ben", "nobody", "local"])
  }

  @Test func `an account whose files cannot all be removed is removed all the same, and nobody is signed in`() throws {
    let (session, ear) = try session(data)
    let access = try session.login("ana", try Secret("correct horse"))
    var deep = try access.folder()
    // Deeper than any folder of an account; it cannot be removed, like another user's file.
    for _ in 0..<70 {
      deep += "/d"
      try makePrivateFolder(deep)
    }
    #expect(refusal { try session.removeAccount() }?.code == "failed")
    #expect(!access.isOpen && session.user == nil && !session.needsAuthentication)
    #expect(try session.store.names().isEmpty)
    #expect(ear.heard.suffix(2) == ["nobody", "local"])
  }

  @Test func `the first account created by another process closes the session here too`() throws {
    let session = try AuthenticationSession(try data.store())
    let local = try session.requireAccess()
    try session.refresh()
    #expect(local.isOpen)
    _ = try data.store().add("ana", try Secret("correct horse"), adoptingLocal: true)
    #expect(refusal { _ = try session.addAccount("ben", try Secret("battery staple")) } == .required)
    #expect(!local.isOpen && session.needsAuthentication)
    try session.login("ana", try Secret("correct horse"))
  }

  @Test func `an account that another process removed is signed out here too`() throws {
    let (session, ear) = try session(data)
    let access = try session.login("ana", try Secret("correct horse"))
    try session.refresh()
    #expect(access.isOpen)
    let other = try AuthenticationSession(try data.store())
    try other.login("ana", try Secret("correct horse"))
    try other.removeAccount()
    try session.refresh()
    #expect(!access.isOpen && session.user == nil && !session.needsAuthentication)
    #expect(ear.heard.suffix(2) == ["nobody", "local"])
  }
}

@Suite struct IdleClockTests {
  @Test func `the lock comes after the set minutes without a key, and never at zero`() {
    var idle = IdleClock(now: 1_000)
    #expect(idle.remaining(minutes: 2, now: 1_000) == 120_000)
    #expect(!idle.isOver(minutes: 2, now: 120_999))
    #expect(idle.isOver(minutes: 2, now: 121_000))
    idle.touch(now: 121_000)
    #expect(!idle.isOver(minutes: 2, now: 121_001))
    idle.touch(now: 5)
    #expect(idle.remaining(minutes: 1, now: 5) == 60_000)
    for minutes in [0, -1, Int.min] { #expect(idle.remaining(minutes: minutes, now: .max) == nil) }
    #expect(idle.isOver(minutes: .max, now: .max))
    #expect(!IdleClock(now: .max).isOver(minutes: 1, now: .min))
  }
}
