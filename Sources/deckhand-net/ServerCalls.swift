// One call to a sync server over HTTP, by libcurl, and the answer while it is being received. Invariant: an answer is
// accepted only if it is complete and matches what its server announced; memory is limited by the call; certificates
// are checked, and redirects are followed by our code, a few times, on the same host and port.

import Archives
import CCurl
import Values
import Wire

struct ServerCall {
  /// For example `sync/meta`.
  let path: String
  let address: SyncAddress
  let key: String
  let session: String
  /// Not compressed yet.
  let body: [UInt8]
  /// The number of seconds without a byte after which the call fails.
  let timeout: Int
  let answerLimit: Int
}

/// The answer to a call, decompressed.
typealias ServerAnswer = (address: String, body: [UInt8])

final class ServerCalls {
  private let handle: UnsafeMutableRawPointer
  private static let mostRedirects = 3

  init?() {
    guard let handle = curl_easy_init() else { return nil }
    self.handle = handle
  }

  deinit { curl_easy_cleanup(handle) }

  func make(_ call: ServerCall) throws(SyncFault) -> ServerAnswer {
    let packed = try packed(call.body)
    var address = call.address
    for _ in 0...ServerCalls.mostRedirects {
      let intake = try post(packed, to: address, call)
      if let location = intake.location {
        do throws(SyncAddressFault) { address = try address.moved(to: location, of: call.path) } catch {
          throw SyncFault(error)
        }
        continue
      }
      return (address.text, try intake.whole())
    }
    throw .badRedirect(reason: "more than \(ServerCalls.mostRedirects) redirects in a row")
  }

  private func packed(_ body: [UInt8]) throws(SyncFault) -> [UInt8] {
    var packed: [UInt8] = []
    do {
      // Higher zstd levels gain little.
      try body.withUnsafeBytes { try FrameWriter(level: 3).feed($0, isLast: true) { packed += $0 } }
    } catch {
      throw .badAnswer(reason: "could not be requested: there is not enough memory")
    }
    return packed
  }

  private func post(_ packed: [UInt8], to address: SyncAddress, _ call: ServerCall) throws(SyncFault) -> Intake {
    let intake = try Intake(limit: call.answerLimit)
    let headers = try headers(of: call)
    defer { curl_slist_free_all(headers) }
    // The reset keeps the connection open for the next call.
    curl_easy_reset(handle)
    deckhand_curl_set_number(handle, CURLOPT_NOSIGNAL, 1)
    deckhand_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
    deckhand_curl_set_number(handle, CURLOPT_FOLLOWLOCATION, 0)
    deckhand_curl_set_number(handle, CURLOPT_SSL_VERIFYPEER, 1)
    deckhand_curl_set_number(handle, CURLOPT_SSL_VERIFYHOST, 2)
    deckhand_curl_set_number(handle, CURLOPT_CONNECTTIMEOUT, call.timeout)
    deckhand_curl_set_number(handle, CURLOPT_LOW_SPEED_LIMIT, 1)
    deckhand_curl_set_number(handle, CURLOPT_LOW_SPEED_TIME, call.timeout)
    deckhand_curl_set_text(handle, CURLOPT_URL, address.text + call.path)
    deckhand_curl_set_list(handle, CURLOPT_HTTPHEADER, headers)
    deckhand_curl_set_body(handle, receiveBody, Unmanaged.passUnretained(intake).toOpaque())
    deckhand_curl_set_head(handle, receiveHeader, Unmanaged.passUnretained(intake).toOpaque())
    var reason = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
    let result = packed.withUnsafeBytes { bytes in
      deckhand_curl_set_number(handle, CURLOPT_POST, 1)
      deckhand_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count))
      deckhand_curl_set_bytes(handle, CURLOPT_POSTFIELDS, bytes.baseAddress)
      return reason.withUnsafeMutableBytes { reason in
        deckhand_curl_set_bytes(handle, CURLOPT_ERRORBUFFER, reason.baseAddress)
        defer { deckhand_curl_set_bytes(handle, CURLOPT_ERRORBUFFER, nil) }
        return curl_easy_perform(handle)
      }
    }
    let said = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if let fault = intake.fault { throw fault }
    if result != CURLE_OK { throw fault(of: result, said, call) }
    try take(status: intake)
    return intake
  }

  private func headers(of call: ServerCall) throws(SyncFault) -> UnsafeMutablePointer<curl_slist>? {
    let sync = Value.record([
      ("v", .integer(SyncClient.protocolVersion)), ("k", .text(call.key)), ("c", .text(SyncClient.name)),
      ("s", .text(call.session)),
    ])
    var list: UnsafeMutablePointer<curl_slist>?
    // Without the empty `Expect:`, curl waits for the server's permission to send a long body.
    for line in ["anki-sync: \(sync.json)", "Content-Type: application/octet-stream", "Expect:", "Accept:"] {
      guard let longer = curl_slist_append(list, line) else {
        curl_slist_free_all(list)
        throw .badAnswer(reason: "does not fit into the memory of this machine")
      }
      list = longer
    }
    return list
  }

  private func take(status intake: Intake) throws(SyncFault) {
    var status = 0
    deckhand_curl_number(handle, CURLINFO_RESPONSE_CODE, &status)
    if status == 200 { return }
    if status == 307 || status == 308 {
      var location: UnsafePointer<CChar>?
      deckhand_curl_text(handle, CURLINFO_REDIRECT_URL, &location)
      guard let location, let text = String(validatingCString: location) else {
        throw .badRedirect(reason: "a redirect without an address")
      }
      intake.location = text
      return
    }
    throw .status(status, reason: intake.beginning)
  }

  private func fault(of result: CURLcode, _ said: String, _ call: ServerCall) -> SyncFault {
    let reason = said.isEmpty ? String(cString: curl_easy_strerror(result)) : said
    switch result {
    case CURLE_OPERATION_TIMEDOUT: return .silent(seconds: call.timeout)
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE: return .certificate(reason: reason)
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      return .badAnswer(reason: "is not valid HTTP: \(reason)")
    default: return .offline(reason: reason)
    }
  }
}

/// libcurl passes the answer in pieces.
private func receiveBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let intake = Unmanaged<Intake>.fromOpaque(context).takeUnretainedValue()
  return intake.take(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
}

private func receiveHeader(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context else { return 0 }
  let intake = Unmanaged<Intake>.fromOpaque(context).takeUnretainedValue()
  intake.take(header: String(decoding: UnsafeRawBufferPointer(start: bytes, count: size * count), as: UTF8.self))
  return size * count
}

final class Intake {
  private let frames: FrameReader
  private var limit: Int
  /// The value of the `anki-original-size` header.
  private var announced: Int?
  private var status = 0
  private var headerBytes = 0
  private var bytes: [UInt8] = []
  private(set) var fault: SyncFault?
  var location: String?
  private static let longestReason = 300
  private static let mostHeaderBytes = 1 << 16

  init(limit: Int) throws(SyncFault) {
    self.limit = limit
    do throws(FrameFault) { frames = try FrameReader() } catch {
      throw .badAnswer(reason: "does not fit into the memory of this machine")
    }
  }

  func take(header line: String) {
    headerBytes += line.utf8.count
    if headerBytes > Intake.mostHeaderBytes { return fail("has too many headers") }
    if line.hasPrefix("HTTP/") {
      // A new status line: an interim answer (100) before it does not count.
      status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      announced = nil
      return
    }
    let parts = line.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "anki-original-size" else { return }
    let digits = parts[1].filter { !$0.isWhitespace }
    guard let size = Int(digits), size >= 0 else { return fail("has an invalid size header") }
    announced = size
    if size > limit { fail("is larger than \(limit >> 20) MiB") }
  }

  private func fail(_ reason: String) { fault = fault ?? .badAnswer(reason: reason) }

  /// - Returns: false to end the call.
  func take(_ piece: UnsafeRawBufferPointer) -> Bool {
    if fault != nil { return false }
    guard status == 200 else {
      // An error message or an HTML page: its beginning is enough.
      bytes += piece.prefix(max(0, Intake.longestReason - bytes.count))
      return true
    }
    guard let announced else {
      fail("does not give its size, so it is not from an Anki sync server")
      return false
    }
    let bound = min(limit, announced)
    do {
      try frames.feed(piece) { unpacked in
        if unpacked.count > bound - bytes.count { throw FrameFault.tooLarge }
        bytes += unpacked
      }
      return true
    } catch {
      fail(error as? FrameFault == .tooLarge ? "is larger than it says" : "cannot be unpacked")
      return false
    }
  }

  /// Returns the body of a complete answer.
  func whole() throws(SyncFault) -> [UInt8] {
    if let fault { throw fault }
    guard let announced else {
      throw .badAnswer(reason: "does not give its size, so it is not from an Anki sync server")
    }
    do throws(FrameFault) { try frames.finish() } catch {
      throw .badAnswer(reason: "is truncated")
    }
    guard bytes.count == announced else { throw .badAnswer(reason: "is smaller than it says") }
    return bytes
  }

  var beginning: String { String(decoding: bytes.prefix(Intake.longestReason), as: UTF8.self) }
}
