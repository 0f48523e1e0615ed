// The session gate: its states and events, sign-outs at awkward moments, and the idle clock.

import Files
import Problems
import TestSupport
import Testing

@testable import Authentication

@Suite struct GateTests {
  private final class Ear {
    var heard: [GateEvent] = []
  }

  private func gate(_ data: DataFolder) throws -> (Gate, Ear) {
    let gate = try Gate(try data.storeWithAna())
    let ear = Ear()
    gate.observe { ear.heard.append($0) }
    return (gate, ear)
  }

  @Test func `without an account the gate is open, with one it is closed`() throws {
    let data = DataFolder()
    let open = try Gate(try data.store())
    #expect(!open.needsAuthentication && open.user == nil && !open.isAuthenticating)
    #expect(try open.requireAccess().folder() == data.path + "/local")
    let (shut, _) = try gate(data)
    #expect(shut.needsAuthentication && shut.user == nil)
    #expect(refusal { _ = try shut.requireAccess() } == .required)
  }

  @Test func `only a right password opens it, and every observer is notified`() throws {
    let data = DataFolder()
    let (gate, ear) = try gate(data)
    #expect(refusal { try gate.login("ana", try Secret("wrong horse")) } == .denied)
    #expect(gate.needsAuthentication && !gate.isAuthenticating)
    #expect(refusal { try gate.login("ana", try Secret("correct horse")) } == .locked(retryAfter: 1))
    data.hand.pass(1)
    let access = try gate.login("Ana", try Secret("correct horse"))
    #expect(!gate.needsAuthentication && gate.user == "ana")
    #expect(gate.access === access && access.isOpen)
    gate.logout()
    #expect(gate.needsAuthentication && gate.user == nil && !access.isOpen)
    #expect(refusal { _ = try access.folder() } == .required)
    gate.logout()
    #expect(
      ear.heard == [
        .began("ana"), .failed("denied"), .began("ana"), .failed("locked"), .began("Ana"), .signedIn("ana"),
        .signedOut("ana"),
      ])
  }

  @Test func `an empty name or password is refused before any attempt`() throws {
    let data = DataFolder()
    let (gate, ear) = try gate(data)
    #expect(refusal { try gate.login("", try Secret("x")) } == .empty)
    #expect(refusal { try gate.login(" ", try Secret("x")) } == .empty)
    #expect(refusal { try gate.login("ana", try Secret("")) } == .empty)
    #expect(ear.heard.isEmpty)
    #expect(
      String(decoding: try data.read(data.path + "/accounts/ana/attempts"), as: UTF8.self).hasPrefix("failures 0 "))
  }

  @Test func `only one sign-in runs at a time, and none while somebody is signed in`() throws {
    let data = DataFolder()
    let (gate, _) = try gate(data)
    let pending = try gate.begin("ana")
    #expect(gate.isAuthenticating && gate.needsAuthentication)
    #expect(refusal { _ = try gate.begin("ana") } == .busy)
    #expect(refusal { try gate.login("ana", try Secret("correct horse")) } == .busy)
    #expect(refusal { _ = try gate.addAccount("ben", try Secret("battery staple")) } == .busy)
    try gate.finish(pending, try Secret("correct horse"))
    #expect(refusal { try gate.login("ana", try Secret("correct horse")) } == .signedIn("ana"))
    #expect(refusal { try gate.finish(pending, try Secret("correct horse")) } == .cancelled)
  }

  @Test func `a sign-out cancels a sign-in that is pending`() throws {
    let data = DataFolder()
    let (gate, ear) = try gate(data)
    let pending = try gate.begin("ana")
    gate.logout()
    #expect(!gate.isAuthenticating)
    #expect(refusal { try gate.finish(pending, try Secret("correct horse")) } == .cancelled)
    #expect(gate.needsAuthentication)
    let second = try gate.begin("ana")
    #expect(refusal { try gate.finish(pending, try Secret("correct horse")) } == .cancelled)
    gate.cancel(pending)
    #expect(gate.isAuthenticating)
    gate.cancel(second)
    #expect(ear.heard == [.began("ana"), .cancelled, .began("ana"), .cancelled])
  }

  @Test func `a sign-out during the check itself leaves nobody signed in`() throws {
    let data = DataFolder()
    _ = try data.storeWithAna()
    var gate: Gate?
    var calls = 0
    var environment = data.hand.environment
    environment.clocks.reading = {
      calls += 1
      gate?.logout()
      return data.hand.reading
    }
    let made = try Gate(try AccountStore(data: data.path, environment: environment, cost: DataFolder.cheap))
    gate = made
    defer { gate = nil }
    #expect(refusal { try made.login("ana", try Secret("correct horse")) } == .cancelled)
    #expect(calls > 0 && made.needsAuthentication && !made.isAuthenticating && made.access == nil)
  }

  @Test func `the first account takes over the local data and signs its owner in; removing the last opens the gate`()
    throws
  {
    let data = DataFolder()
    let gate = try Gate(try data.store())
    let ear = Ear()
    gate.observe { ear.heard.append($0) }
    let local = try gate.requireAccess()
    try gate.addAccount("ana", try Secret("correct horse"))
    #expect(!local.isOpen && gate.user == "ana")
    #expect(try gate.addAccount("ben", try Secret("battery staple")) == "ben")
    #expect(gate.user == "ana")
    try gate.removeAccount()
    #expect(gate.needsAuthentication)
    #expect(refusal { try gate.removeAccount() } == .required)
    #expect(refusal { _ = try gate.addAccount("eva", try Secret("battery staple")) } == .required)
    try gate.login("ben", try Secret("battery staple"))
    try gate.removeAccount()
    #expect(!gate.needsAuthentication && gate.user == nil)
    #expect(refusal { try gate.removeAccount() }?.code == "not_found")
    #expect(
      ear.heard == [
        .accountsChanged, .began("ana"), .signedIn("ana"), .signedOut("ana"), .began("ben"), .signedIn("ben"),
        .signedOut("ben"),
        .accountsChanged,
      ])
  }

  @Test func `an account whose files cannot all be removed is removed all the same, and nobody is signed in`() throws {
    let data = DataFolder()
    let (gate, ear) = try gate(data)
    let access = try gate.login("ana", try Secret("correct horse"))
    var deep = try access.folder()
    // Deeper than any folder of an account; it cannot be removed, like another user's file.
    for _ in 0..<70 {
      deep += "/d"
      try makePrivateFolder(deep)
    }
    #expect(refusal { try gate.removeAccount() }?.code == "failed")
    #expect(!access.isOpen && gate.user == nil && !gate.needsAuthentication)
    #expect(try gate.store.names().isEmpty)
    #expect(ear.heard.suffix(2) == [.signedOut("ana"), .accountsChanged])
  }

  @Test func `the first account created by another process closes the gate here too`() throws {
    let data = DataFolder()
    let gate = try Gate(try data.store())
    let local = try gate.requireAccess()
    try gate.refresh()
    #expect(local.isOpen)
    _ = try data.store().add("ana", try Secret("correct horse"), adoptingLocal: true)
    #expect(refusal { _ = try gate.addAccount("ben", try Secret("battery staple")) } == .required)
    #expect(!local.isOpen && gate.needsAuthentication)
    try gate.login("ana", try Secret("correct horse"))
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
