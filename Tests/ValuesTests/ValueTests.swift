// Tests of values and of their one-line JSON.

import Problems
import Testing

@testable import Values

@Suite struct ValueTests {
  @Test(arguments: [
    ("", #""""#), ("a\"b\\", #""a\"b\\""#), ("\n\r\t\u{0}\u{1F}\u{7F}", #""\n\r\t\u0000\u001f\u007f""#),
    ("ñ🐕\u{2028}", "\"ñ🐕\\u2028\""), ("</script>", #""</script>""#),
    ("\u{85}\u{A0}\u{202E}\u{2030}\u{2069}", "\"\\u0085\u{A0}\\u202e\u{2030}\\u2069\""),
  ])
  func `a string is quoted and its control characters escaped`(text: String, expected: String) {
    #expect(Value.text(text).json == expected)
  }

  @Test(arguments: [(0.1, "0.1"), (1.0, "1.0"), (-0.0, "-0.0"), (1e300, "1e+300"), (.infinity, "null"), (.nan, "null")])
  func `a number reads back as itself, values that JSON lacks become null`(value: Double, expected: String) {
    #expect(Value.number(value).json == expected)
  }

  @Test func `a problem is an object with its details`() {
    let problem = PlainProblem(code: "c", title: "T", message: "m \"x\"")
    #expect(Value(problem).json == #"{"code": "c", "title": "T", "message": "m \"x\""}"#)
    #expect(Value.list([.integer(1), .null]).json == "[1, null]")
    #expect(Value.record([:]).json == "{}")
  }

  @Test func `a record keeps its order, and of two values of a name the last`() {
    var record = Value.Record([("b", .integer(1)), ("a", .integer(2)), ("b", .integer(3))])
    #expect(record.names == ["b", "a"])
    #expect(record["b"] == .integer(3))
    record["c"] = .null
    #expect(Value.record(record).json == #"{"b": 3, "a": 2, "c": null}"#)
    #expect(record.sortedFields.map(\.name) == ["a", "b", "c"])
  }

  @Test func `names that look alike with different bytes are two names, in small records and in large ones`() {
    for count in [0, 100] {
      var record = Value.Record((0..<count).map { ("n\($0)", .null) })
      record["\u{e9}"] = .integer(1)
      record["e\u{301}"] = .integer(2)
      #expect(record["\u{e9}"] == .integer(1))
      #expect(record["e\u{301}"] == .integer(2))
      #expect(record.names.count == count + 2)
    }
  }

  @Test func `an integer is exact, and a number converts if it is whole`() {
    #expect(Value.integer(.max).json == "9223372036854775807")
    #expect(Value.number(4).integer == 4)
    #expect(Value.number(4.5).integer == nil)
    #expect(Value.measure(4) == .integer(4))
    #expect(Value.measure(4.5) == .number(4.5))
  }

  @Test func `values nested too deeply are null`() {
    let value = Value.list([.list([.list([.integer(1)])])])
    #expect(value.json(deepest: 2) == "[[null]]")
    #expect(value.json(deepest: 4) == "[[[1]]]")
  }
}

@Suite struct ValueReaderTests {
  private let value: Value = .record([
    ("name", .text("deck")), ("sizes", .list([.integer(3), .text("x")])), ("on", .boolean(true)),
    ("inner", .record([("a/b", .null)])),
  ])

  @Test func `present members are read by their type`() throws {
    let reader = ValueReader(value)
    #expect(try reader["name"].text() == "deck")
    #expect(try reader["on"].boolean())
    #expect(try reader["sizes"].elements()[0].integer(in: 1...9) == 3)
    #expect(reader["none"].value == nil)
  }

  @Test func `members that are missing, of another type or out of range are reported with their position`() throws {
    let reader = ValueReader(value)
    #expect(throws: ShapeFailure(pointer: .whole.appending("none"), name: "none", expected: "a text", found: nil)) {
      try reader["none"].text()
    }
    let sizes = try reader["sizes"].elements()
    let second = JSONPointer.whole.appending("sizes").appending(1)
    #expect(throws: ShapeFailure(pointer: second, name: nil, expected: "a number", found: "a text")) {
      try sizes[1].number()
    }
    #expect(throws: (any Error).self) { try sizes[0].integer(in: 4...9) }
    let inner = try reader["inner"].fields()
    #expect(inner.map(\.reader.pointer.description) == ["/inner/a~1b"])
  }
}

@Suite struct SeededNumbersTests {
  @Test func `a seed gives the numbers of SplitMix64, permanently`() {
    var numbers = SeededNumbers(seed: 1_234_567)
    let first = (0..<3).map { _ in numbers.next() }
    #expect(first == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
  }
}
