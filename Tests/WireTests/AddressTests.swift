// Tests of the addresses of sync servers.

import Testing
import Wire

@Suite struct AddressTests {
  @Test(arguments: [
    ("http://192.168.1.5:8080", "http://192.168.1.5:8080/", false),
    ("HTTPS://Sync.Example.org/Anki/", "https://sync.example.org/Anki/", false),
    ("http://sync.example.org", "http://sync.example.org/", true), ("http://8.8.8.8/a", "http://8.8.8.8/a/", true),
    ("http://localhost:27701/", "http://localhost:27701/", false), ("http://nas/", "http://nas/", false),
    ("http://nas.local", "http://nas.local/", false), ("http://[::1]:80/x", "http://[::1]:80/x/", false),
    ("http://[fd12::1]/", "http://[fd12::1]/", false), ("http://[fd::1]/", "http://[fd::1]/", true),
    ("http://[febf::1]/", "http://[febf::1]/", false), ("http://[fec0::1]/", "http://[fec0::1]/", true),
    ("http://[2001:db8::1]/", "http://[2001:db8::1]/", true), ("http://172.32.0.1/", "http://172.32.0.1/", true),
    ("http://172.20.0.1/", "http://172.20.0.1/", false),
    ("http://10.0.0.1.example.org/", "http://10.0.0.1.example.org/", true),
  ])
  func `an address has one form, and says who could eavesdrop`(given: String, text: String, isExposed: Bool) throws {
    let address = try SyncAddress(given)
    #expect(address.text == text)
    #expect(address.isExposed == isExposed)
  }

  @Test(arguments: [
    "", "example.org", "ftp://example.org/", "http://", "http:///x", "http://a b/", "http://a\r\nX: y/",
    "http://u:p@host/", "http://host:0/", "http://host:70000/", "http://host:x/", "http://host/?a=b", "http://host/#a",
    "http://[::1/", "http://[host]/", "http://ho\\st/", "http://hö/", "http://\(String(repeating: "a", count: 2000))/",
  ])
  func `an invalid address is refused`(given: String) {
    #expect { try SyncAddress(given) } throws: {
      if case .malformed = $0 as? SyncAddressFault { true } else { false }
    }
  }

  @Test(arguments: [
    "https://ankiweb.net/", "https://sync.ankiweb.net", "http://SYNC5.AnkiWeb.net:443/x", "https://ankiweb.net./",
  ])
  func `ankiweb is refused`(given: String) {
    #expect { try SyncAddress(given) } throws: {
      if case .ankiWeb = $0 as? SyncAddressFault { true } else { false }
    }
  }

  @Test func `a host that only resembles ankiweb is accepted`() throws {
    #expect(try SyncAddress("https://notankiweb.net/").host == "notankiweb.net")
    #expect(try SyncAddress("https://ankiweb.net.example.org/").host == "ankiweb.net.example.org")
  }

  @Test(arguments: [
    ("http://a.org/sync/meta", "http://a.org/"), ("https://b.org/x/sync/meta", "https://b.org/x/"),
    ("https://a.org:444/", "https://a.org:444/"), ("https://a.org.b.org/", "https://a.org.b.org/"),
  ])
  func `a redirect to another scheme, host or port is not followed`(location: String, named: String) throws {
    #expect(throws: SyncAddressFault.elsewhere(address: named)) {
      try SyncAddress("https://a.org/").moved(to: location, of: "sync/meta")
    }
  }

  @Test(arguments: [
    ("https://a.org", "https://a.org/x/sync/meta", "https://a.org/x/"),
    ("https://a.org:443", "https://A.org/x", "https://a.org/x/"),
    ("http://a.org.", "http://a.org:80", "http://a.org:80/"),
    ("http://[::1]:8080", "http://[::1]:8080/x/", "http://[::1]:8080/x/"),
  ])
  func `a redirect on the same host gives another path`(given: String, location: String, moved: String) throws {
    #expect(try SyncAddress(given).moved(to: location, of: "sync/meta").text == moved)
  }

  @Test func `messages survive encoding and decoding`() throws {
    var request = SyncRequest(call: "sync/meta", address: "http://a/", session: "s", keyPath: "/x/\"y")
    (request.isSignIn, request.expectedAddress, request.timeout, request.answerLimit) = (true, "http://b/", 7, 99)
    #expect(SyncRequest(request.value) == request)
    let faults: [SyncFault] = [
      .status(409, reason: "x"), .offline(reason: "a"), .silent(seconds: 3), .certificate(reason: "c"),
      .badAnswer(reason: "b"), .badRedirect(reason: "r"), .ankiWeb(host: "h"), .elsewhere(address: "http://b/"),
      .key(reason: "k"), .noKey,
    ]
    for fault in faults { #expect(SyncReply(SyncReply.failed(fault).value) == .failed(fault)) }
    #expect(SyncReply(SyncReply.done(address: "http://b/").value) == .done(address: "http://b/"))
  }
}
