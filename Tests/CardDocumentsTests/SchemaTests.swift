// Checks the JSON Schema and the documentation of the format against the code: same keys, same verdicts.

import Problems
import TestSupport
import Values

@testable import CardDocuments

private func documentation(_ name: String) -> [UInt8] {
  contents(of: fixturePath("../../../Sources/deckhand/Documentation.docc/\(name)")) ?? []
}

private func schema() throws -> Value.Record {
  try #require(try JSONParser.parse(documentation("rwcard-2.schema.json"), limits: DocumentFormat.limits).record)
}

/// Implements the part of JSON Schema 2020-12 that the schema uses. An unknown keyword fails, so nothing is ignored.
private struct Validator {
  let root: Value.Record

  func accepts(_ value: Value, _ schema: Value.Record) throws -> Bool {
    for (key, rule) in schema.fields.map({ ($0.name, $0.value) }) {
      if try !obeys(value, key, rule, schema) { return false }
    }
    return true
  }

  private func obeys(_ value: Value, _ key: String, _ rule: Value, _ schema: Value.Record) throws -> Bool {
    switch key {
    case "$schema", "title", "description", "$defs", "then": return true
    case "$ref":
      let name = String(try #require(rule.text?.split(separator: "/").last))
      return try accepts(value, try #require(root["$defs"]?.record?[name]?.record))
    case "type": return value.kind == typeNames[try #require(rule.text)]
    case "const": return value == rule || (value.double != nil && value.double == rule.double)
    case "enum": return try #require(rule.list).contains(value)
    case "required":
      guard let object = value.record else { return true }
      return try #require(rule.list).allSatisfy { object[$0.text ?? ""] != nil }
    case "properties":
      guard let object = value.record else { return true }
      return try #require(rule.record).fields.allSatisfy { member in
        try object[member.name].map { try accepts($0, try #require(member.value.record)) } ?? true
      }
    case "items": return try (value.list ?? []).allSatisfy { try accepts($0, try #require(rule.record)) }
    case "minItems": return (value.list?.count ?? .max) >= (rule.integer ?? 0)
    case "maxItems": return (value.list?.count ?? 0) <= (rule.integer ?? 0)
    case "minLength": return (value.text?.unicodeScalars.count ?? .max) >= (rule.integer ?? 0)
    case "minimum": return try number(value).map { try $0 >= #require(rule.double) } ?? true
    case "maximum": return try number(value).map { try $0 <= #require(rule.double) } ?? true
    case "exclusiveMinimum": return try number(value).map { try $0 > #require(rule.double) } ?? true
    case "pattern":
      let pattern = try Regex(try #require(rule.text))
      return try value.text.map { try pattern.wholeMatch(in: $0) != nil } ?? true
    case "if":
      guard try accepts(value, try #require(rule.record)) else { return true }
      return try accepts(value, try #require(schema["then"]?.record))
    default:
      Issue.record("the schema uses \(key), which the test does not know")
      return false
    }
  }

  /// Infinity for a number beyond Double's range, so that it exceeds any maximum.
  private func number(_ value: Value) -> Double? {
    switch value {
    case .integer(let number): Double(number)
    case .number(let number): number.value
    default: nil
    }
  }

  private let typeNames = [
    "object": "an object", "array": "a list", "string": "a text", "number": "a number", "boolean": "true or false",
  ]
}

@Suite struct SchemaTests {
  @Test func `the schema names exactly the keys that the code knows`() throws {
    let schema = try schema()
    let defs = try #require(schema["$defs"]?.record)
    #expect(schema["properties"]?.record?.names == DocumentFormat.documentKeys)
    #expect(defs["element"]?.record?["properties"]?.record?.names == DocumentFormat.elementKeys)
    #expect(defs["group"]?.record?["properties"]?.record?.names == DocumentFormat.groupKeys)
    let frames = defs["element"]?.record?["properties"]?.record?["frame"]?.record?["enum"]?.list?.compactMap(\.text)
    #expect(frames == Frame.allCases.map(\.rawValue))
  }

  @Test func `the schema contains every key that the code writes`() throws {
    var document = CardDocument(id: documentID(1), background: .black)
    let text = try document.addText("a", style: TextStyle(font: "Sans", size: 90, align: "left"), id: documentID(2))
    let image = try document.addImage(ContentHash(of: []), frame: .cone, alt: "b", id: documentID(3))
    for element in [text, image] {
      for field in ElementField.allCases {
        switch element.value(of: field) {
        case .some(.flag): try document.set(field, of: element.id, to: .flag(false))
        case .some(.none): try document.set(field, of: element.id, to: .text(field == .frame ? "lens" : "g"))
        default: continue
        }
      }
    }
    #expect(Set(document.json.names) == Set(DocumentFormat.documentKeys).subtracting(["groups"]))
    let written = Set(document.elements.flatMap(\.json.names))
    #expect(written == Set(DocumentFormat.elementKeys).subtracting(["imageFile"]))
    #expect(Set(ElementField.allCases.map(\.rawValue)).isSubset(of: written))
    #expect(document.problems().isEmpty)
  }

  @Test func `the documentation names every key, every frame and every limit`() throws {
    let page = text(documentation("CardDocumentFormat.md"))
    for key in DocumentFormat.documentKeys + DocumentFormat.elementKeys + DocumentFormat.groupKeys
      + DocumentFormat.editionKeys
    {
      #expect(page.contains("`\(key)`"), "\(key)")
    }
    for frame in Frame.allCases { #expect(page.contains("`\(frame.rawValue)`"), "\(frame)") }
    for bound in ["8 MiB", "64 levels", "300,000 values", "10,000 elements", "100,000 bytes", "1 MiB"] {
      #expect(page.contains(bound), "\(bound)")
    }
    #expect(DocumentFormat.limits == JSONLimits(bytes: 8 << 20, depth: 64, values: 300_000, string: 1 << 20))
    #expect(DocumentFormat.maximumElements == 10_000 && DocumentFormat.maximumText == 100_000)
  }

  /// A change to a valid document, and what the check finds: nothing, or the code. The schema must agree.
  @Test(
    arguments: [
      ("", "", ""), ("background", "[0,0,0]", ""), ("background", "[0,0]", "bad_color"),
      ("background", "[0,0,0,1,1]", "bad_color"), ("background", "[0,0,2]", "bad_color"),
      ("background", "[0,0,-0.1]", "bad_color"), ("background", "[0,0,1e999]", "bad_color"),
      ("background", "\"red\"", "wrong_type"), ("background", "[0,0,\"1\"]", "wrong_type"),
      ("groups", "{}", "wrong_type"), ("groups", "[{}]", "missing_key"), ("groups", "[1]", "wrong_type"),
      ("groups", "[{\"id\":\"a\",\"name\":1}]", "wrong_type"), ("groups", "[{\"id\":\"a\",\"name\":\"n\"}]", ""),
      ("anything", "[{}]", ""), ("/x", "\"1\"", "wrong_type"), ("/x", "100001", "out_of_range"),
      ("/y", "-1e308", "out_of_range"), ("/y", "null", "wrong_type"), ("/x", "1e5", ""), ("/width", "0", "bad_size"),
      ("/height", "-4", "bad_size"), ("/height", "true", "wrong_type"), ("/width", "1e6", "out_of_range"),
      ("/rotation", "\"0\"", "wrong_type"), ("/rotation", "7200.5", ""), ("/frame", "\"hart\"", "unknown_frame"),
      ("/frame", "3", "unknown_frame"), ("/frame", "\"heart\"", ""), ("/frame", "[]", "wrong_type"),
      ("/kind", "\"video\"", "unknown_kind"), ("/kind", "2", "wrong_type"), ("/image", "\"../x\"", "bad_image"),
      ("/image", "\"E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855\"", "bad_image"),
      ("/image", "7", "wrong_type"), ("/locked", "1", "wrong_type"), ("/locked", "true", ""),
      ("/alt", "false", "wrong_type"), ("/cropped", "true", ""), ("/cropped", "1", "wrong_type"),
      ("/wraps", "true", ""), ("/wraps", "\"yes\"", "wrong_type"), ("groups", "[{\"id\":\"a\",\"color\":[1,0,0]}]", ""),
      ("groups", "[{\"id\":\"a\",\"color\":[1,0]}]", "bad_color"), ("/color", "[1]", "bad_color"),
      ("/font", "[]", "wrong_type"), ("/group", "0", "wrong_type"), ("/link", "{}", "wrong_type"),
      ("/text", "1", "wrong_type"), ("/imageFile", "1", "wrong_type"),
    ] as [(String, String, String)])
  func `the schema and the check agree`(key: String, value: String, code: String) throws {
    var source = try #require(
      try JSONParser.parse(fixture("shapes/version2.rwcard"), limits: DocumentFormat.limits).record)
    source["elements"] = .list(Array(source["elements"]?.list?.prefix(2) ?? []))
    if key.hasPrefix("/") {
      let isText = ["/text", "/color", "/font", "/wraps"].contains(key)
      var list = try #require(source["elements"]?.list)
      var element = try #require(list[isText ? 0 : 1].record)
      element[String(key.dropFirst())] = try JSONParser.parse(Array(value.utf8), limits: DocumentFormat.limits)
      list[isText ? 0 : 1] = .record(element)
      source["elements"] = .list(list)
    } else if !key.isEmpty {
      source[key] = try JSONParser.parse(Array(value.utf8), limits: DocumentFormat.limits)
    }
    let document = try CardDocument(reading: JSONWriter.bytes(of: .record(source)), file: "x")
    #expect(document.problems().map(\.code) == (code.isEmpty ? [] : [code]))
    let root = try schema()
    #expect(try Validator(root: root).accepts(.record(source), root) == code.isEmpty)
  }

  @Test(arguments: ["midchapter", "edition1", "edition2"])
  func `a migrated old file fits the schema, except for known problems`(name: String) throws {
    let document = try CardDocument(reading: fixture("shapes/\(name).rwcard"), file: name)
    let root = try schema()
    #expect(try Validator(root: root).accepts(.record(document.json), root) == document.problems().isEmpty)
  }
}
