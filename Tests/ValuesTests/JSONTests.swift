// Tests of parsing and writing JSON: nothing is lost, everything is limited, every error has its position.

import TestSupport

@testable import Values

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

private let limits = JSONLimits(bytes: 1 << 20, depth: 64, values: 10_000, string: 10_000)

private func parse(_ source: String) throws(JSONFailure) -> Value {
  try JSONParser.parse(Array(source.utf8), limits: limits)
}

private func failure(_ source: String) -> JSONFailure? {
  do {
    _ = try parse(source)
    return nil
  } catch { return error }
}

@Suite struct JSONTests {
  @Test(arguments: [
    "-6.0000000000000009", "1e308", "1E+2", "0.50", "-0", "-0.0", "123456789012345678901234567890", "1e999", "2.50",
  ])
  func `a number keeps its text`(number: String) throws {
    #expect(try text(JSONWriter.bytes(of: parse("[\(number)]"))) == "[\(number)]\n")
  }

  @Test(arguments: [
    (4.0, "4"), (-0.25, "-0.25"), (1e300, "1e+300"), (-6.0000000000000009, "-6.000000000000001"),
    (9_007_199_254_740_994, "9.007199254740994e+15"),
  ])
  func `a new number has its shortest text`(value: Double, expected: String) throws {
    let number = Value.measure(value).json
    #expect(number == expected)
    #expect(try parse(number).double == value)
  }

  @Test func `a number that JSON cannot express is refused`() {
    #expect(Value.measure(.nan) == .null)
    #expect(Value.number(.infinity) == .null)
  }

  @Test func `keys are sorted by code point and compared by their bytes`() throws {
    let composed = "\u{e9}"
    let decomposed = "e\u{301}"
    let source = "{\"z\":1,\"\(composed)\":2,\"a\":3,\"\(decomposed)\":4,\"B\":5}"
    let object = try #require(try parse(source).record)
    #expect(object.fields.map { Array($0.name.utf8) } == ["B", "a", decomposed, "z", composed].map { Array($0.utf8) })
    #expect(object[composed] == .integer(2))
    #expect(object[decomposed] == .integer(4))
    #expect(text(JSONWriter.bytes(of: .record(object))).utf8.count > source.utf8.count)
  }

  @Test func `members are inserted, replaced and removed in order`() {
    var object = Value.Record()
    for key in ["m", "c", "x", "a"] { object[key] = .text(key) }
    object["c"] = .null
    object["x"] = nil
    object["nothing"] = nil
    #expect(object.names == ["a", "c", "m"])
    #expect(object.remove("m") == .text("m"))
    #expect(object["m"] == nil)
  }

  @Test(arguments: [
    (#""\u0041\n\/\"""#, "A\n/\""), (#""\ud83d\ude00""#, "😀"), (#""é日""#, "é日"), (#""\u0000""#, "\0"),
    ("\"\u{7f}\"", "\u{7f}"),
  ])
  func `a string reads back as the same`(source: String, expected: String) throws {
    let value = try parse(source)
    #expect(value.text == expected)
    #expect(try JSONParser.parse(JSONWriter.bytes(of: value), limits: limits) == value)
  }

  @Test(arguments: [
    ("", "a value", 1, 1), ("[1,\n 2", "\"]\"", 2, 3), ("{\"a\" 1}", "\":\"", 1, 6),
    ("{\"é\":tru}", "\"true\"", 1, 9), ("[1] x", "the end of the file", 1, 5),
    ("{\"a\":1,}", "the name of a value in quotes", 1, 8),
    ("[01]", "\",\" or \"]\"", 1, 3), ("[-]", "a digit", 1, 3), ("[1.]", "a digit", 1, 4), ("[NaN]", "a value", 1, 2),
    ("\"abc", "the closing quote of a text", 1, 5), ("[+1]", "a value", 1, 2), ("[Infinity]", "a value", 1, 2),
  ])
  func `an error says what was expected, with line and column`(source: String, expected: String, line: Int, column: Int)
  {
    guard case .expected(let what, _)? = failure(source)?.reason else {
      Issue.record("no failure for \(source)")
      return
    }
    #expect(what == expected)
    #expect(failure(source)?.line == line)
    #expect(failure(source)?.column == column)
  }

  @Test func `other failures are distinguished`() {
    #expect(failure("\"\\ud800\"")?.reason == .loneSurrogate)
    #expect(failure("\"\\ud800\\u0041\"")?.reason == .loneSurrogate)
    #expect(failure("\"\\udc00\"")?.reason == .loneSurrogate)
    #expect(failure("\"\\x\"")?.reason == .badEscape)
    #expect(failure("\"\\u00g0\"")?.reason == .badEscape)
    #expect(failure("\"a\nb\"")?.reason == .controlCharacter)
    #expect(failure("{\"a\":1,\"b\":2,\"a\":3}")?.reason == .keyTwice("a"))
    #expect(failure(String(repeating: "[", count: 10_000))?.reason == .tooDeep(limit: 64))
    #expect(failure("[" + String(repeating: "1,", count: 10_000) + "1]")?.reason == .tooMany(limit: 10_000))
    #expect(failure("\"" + String(repeating: "a", count: 10_001) + "\"")?.reason == .stringTooLong(limit: 10_000))
    #expect(failure("\"\\n" + String(repeating: "a", count: 20_000) + "\"")?.reason == .stringTooLong(limit: 10_000))
    #expect(failure(String(repeating: "1", count: 1_001))?.reason == .stringTooLong(limit: 1000))
    #expect(failure(String(repeating: " ", count: 2 << 20))?.reason == .tooLong(limit: 1 << 20))
    #expect(throws: JSONFailure(reason: .notUTF8, line: 1, column: 2)) {
      try JSONParser.parse([0x22, 0xFF, 0x22], limits: limits)
    }
  }

  @Test func `of several fields with one name the last can be kept`() throws {
    let source = #"{"b":{"x":1,"x":2},"a":1,"b":3,"a":{"y":1,"y":2}}"#
    #expect(failure(source)?.reason == .keyTwice("x"))
    let value = try JSONParser.parse(Array(source.utf8), limits: limits, keepsLast: true)
    #expect(value.json == #"{"a": {"y": 2}, "b": 3}"#)
  }

  @Test(arguments: [(4096, "4 KiB"), (256 << 10, "256 KiB"), (1 << 20, "1 MiB"), (96 << 20, "96 MiB")])
  func `the limit of a text is named in a unit that is not larger than it`(limit: Int, named: String) {
    let tooLong = JSONFailure(reason: .tooLong(limit: limit), line: 1, column: 1)
    #expect(tooLong.words == "the file is larger than \(named)")
  }

  @Test func `a random value reads back as the same`() throws {
    var random = TestGenerator(3)
    for _ in 0..<200 {
      let value = randomValue(&random, depth: 0)
      #expect(try JSONParser.parse(JSONWriter.bytes(of: value), limits: limits) == value)
    }
  }

  private func randomValue(_ random: inout TestGenerator, depth: Int) -> Value {
    switch Int.random(in: 0..<(depth > 3 ? 4 : 6), using: &random) {
    case 0: return .null
    case 1: return .boolean(.random(using: &random))
    case 2: return .measure(Double(bitPattern: random.next()))
    case 3: return .text(randomText(&random))
    case 4:
      return .list((0..<Int.random(in: 0...4, using: &random)).map { _ in randomValue(&random, depth: depth + 1) })
    default:
      var object = Value.Record()
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        object[randomText(&random)] = randomValue(&random, depth: depth + 1)
      }
      return .record(object)
    }
  }

  private func randomText(_ random: inout TestGenerator) -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      if let scalar = Unicode.Scalar(UInt32.random(in: 0...0x11FF, using: &random)) {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  @Test func `a pointer finds its key or its element in the text`() throws {
    let text = "\u{FEFF}{\"a/b\": [1, {\"é\": {\"x\": 1}}],\n  \"c\": [true, \"]\", null]}"
    func place(_ steps: Any...) -> String {
      let pointer = steps.reduce(JSONPointer.whole) { pointer, step in
        (step as? Int).map { pointer.appending($0) } ?? pointer.appending(step as? String ?? "")
      }
      let place = pointer.place(in: Array(text.utf8))
      return "\(place.line):\(place.column)"
    }
    #expect(place() == "1:2" && place("a/b") == "1:3" && place("a/b", 1) == "1:14")
    #expect(place("a/b", 1, "é", "x") == "1:21" && place("c") == "2:3" && place("c", 2) == "2:20")
    // A missing element is at the position where it would be looked for.
    #expect(place("d") == "1:2" && place("c", 7) == "2:3" && place("c", "x", "y") == "2:3")
  }

  @Test func `a pointer escapes special characters`() {
    #expect(JSONPointer.whole.description.isEmpty)
    #expect(JSONPointer.whole.appending("a/b~c").appending(3).description == "/a~1b~0c/3")
  }
}
