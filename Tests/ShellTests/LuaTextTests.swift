// Tests of Lua as text: tokens, what is open in an incomplete chunk, the type of an expression by the declared types.

import Testing

@testable import LuaRuntime
@testable import Shell

@Suite struct LuaTextTests {
  private final class Pile: BoundObject {}

  @Test(arguments: [
    ("local x <const> = 0x1p-3 -- end", ["local", "x", "<", "const", ">", "=", "0x1p-3", "-- end"]),
    ("a.b:c'x\\'y'", ["a", ".", "b", ":", "c", "'x\\'y'"]), ("[==[ ]] ]==] x", ["[==[ ]] ]==]", "x"]),
    ("x~=1//2..3", ["x", "~=", "1", "//", "2..3"]), ("\"open", ["\"open"]), ("--[[ open", ["--[[ open"]),
    ("a\u{1F600}b", ["a", "\u{1F600}", "b"]), ("", []),
  ])
  func `a text is split into its tokens`(text: String, expected: [String]) {
    #expect(luaTokens(text).map(\.text) == expected)
  }

  @Test func `the tokens of any text follow one another`() {
    var seed: UInt64 = 1
    for _ in 0..<2_000 {
      let bytes = (0..<20).map { _ -> UInt8 in
        seed = seed &* 6_364_136_223_846_793_005 &+ 1
        return Array("ab1.\"'[]=-{}() \n\\:".utf8)[Int(seed >> 33) % 18]
      }
      var end = 0
      for token in luaTokens(String(decoding: bytes, as: UTF8.self)) {
        #expect(token.range.lowerBound >= end && !token.range.isEmpty)
        end = token.range.upperBound
      }
      #expect(end <= bytes.count)
    }
  }

  @Test(arguments: [
    ("for i = 1, 2 do", ["for"]), ("for i = 1, 2 do\nif x then", ["for", "if"]), ("x = {1,", ["{"]),
    ("f(function()", ["(", "function"]), ("while x do end", []), ("repeat", ["repeat"]), ("x = [[", ["[["]),
    ("--[[ no", ["--[["]), ("do", ["do"]), ("for i = 1, 2", ["for"]), ("x = 'a' .. (", ["("]),
  ])
  func `open constructs are named`(chunk: String, expected: [String]) { #expect(openParts(of: chunk) == expected) }

  private func state() throws -> LuaState {
    let lua = try LuaState(seed: 1)
    let card = BoundType<Card>("card", "A card.", summary: { _ in "card" }) { type in
      type.field("prompt", .string, "What is asked.") { _ in "x" }
    }
    let pile = BoundType<Pile>("pile", "A pile.", summary: { _ in "pile" }) { type in
      type.method("cards", returns: .iterator(.object("card")), "Its cards.") { _, _ in 1 }
      type.method("all", returns: .list(.object("card")), "Its cards.") { _, _ in 1 }
      type.field("top", .optional(.object("card")), "The top one.") { _ in 1 }
    }
    lua.register(card)
    lua.register(pile)
    try lua.register(
      BoundModule("piles", "Piles.") { module in
        module.function("open", returns: .object("pile").orProblem, "Opens one.") { _ in 1 }
      })
    return lua
  }

  private final class Card: BoundObject {}

  @Test(arguments: [
    ("piles.open('x'):", "pile"), ("piles.open 'x':", "pile"), ("assert(piles.open('x')):", "pile"),
    ("local p = piles.open(\")\"); p.", "pile"), ("p = piles.open('x') p.top.", "card"),
    ("for c in piles.open('x'):cards() do c.", "card"),
    ("for i, c in ipairs(piles.open('x'):all()) do print(i) c.", "card"), ("(piles.open('x')).", "pile"),
    ("piles.open('x'):all()[1].", "card"), ("x = {piles.open('y').", "pile"), ("f(piles.open('x').", "pile"),
    ("unknown().", nil), ("function f(p) p.", nil), ("local p p.", nil), (")).", nil), ("'x' .. 2 .", nil),
  ])
  func `an expression has its declared type`(chunk: String, expected: String?) throws {
    let typing = LuaTyping(try state(), chunk: chunk)
    let known = typing.memberAtEnd().flatMap { $0.of }.map(typing.plain)
    guard let expected else {
      if case .type(.object(let name))? = known { Issue.record("\(name)") }
      return
    }
    guard case .type(.object(let name))? = known else {
      Issue.record("\(String(describing: known))")
      return
    }
    #expect(name == expected)
  }

  @Test func `any number of open brackets is handled`() throws {
    for open in ["(", "assert(", "((", "x = {"] {
      let deep = String(repeating: open, count: 100_000)
      _ = LuaTyping(try state(), chunk: "local p = " + deep + String(repeating: ")", count: 100_000) + " p.")
        .memberAtEnd()
      _ = LuaTyping(try state(), chunk: deep).openCall()
    }
  }

  @Test(arguments: [
    ("piles.open('Sp", "piles.open 0"), ("x = piles.open(1, \"", "piles.open 1"),
    ("piles.open{name = '", "piles.open 0 name"), ("piles.open \"S", "piles.open 0"), ("print('", nil), ("'", nil),
    ("piles.open('x', {a = 1, b = '", "piles.open 1 b"),
  ])
  func `the call around a position is found`(chunk: String, expected: String?) throws {
    let call = LuaTyping(try state(), chunk: chunk).openCall()
    #expect(call.map { "\($0.name) \($0.argument)\($0.key.map { " " + $0 } ?? "")" } == expected)
  }
}
