// Tests of JSON as text.

import Problems
import Testing
import Values

@Suite struct JSONTextTests {
  @Test(arguments: [
    ("", #""""#), ("a\"b\\", #""a\"b\\""#), ("\n\r\t\u{0}\u{1F}\u{7F}", #""\n\r\t\u0000\u001f\u007f""#),
    ("ñ🐕\u{2028}", "\"ñ🐕\\u2028\""), ("</script>", #""</script>""#),
  ])
  func `a string is quoted and its control characters escaped`(text: String, expected: String) {
    #expect(JSONText.string(text) == expected)
  }

  @Test(arguments: [(0.1, "0.1"), (1.0, "1.0"), (-0.0, "-0.0"), (1e300, "1e+300"), (.infinity, "null"), (.nan, "null")])
  func `a number reads back as itself, what JSON lacks is null`(value: Double, expected: String) {
    #expect(JSONText.number(value) == expected)
  }

  @Test func `a problem is an object with its details`() {
    let problem = PlainProblem(code: "c", title: "T", message: "m \"x\"")
    #expect(JSONText.problem(problem) == #"{"code": "c", "title": "T", "message": "m \"x\""}"#)
    #expect(JSONText.array(["1", "null"]) == "[1, null]")
    #expect(JSONText.object([(String, String)]()) == "{}")
  }
}
