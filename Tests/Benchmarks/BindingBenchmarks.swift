// Word functions that plugins call in their loops, from Lua, compared with C functions called from Lua. Invariant:
// both sides run the same Lua code in the same state on the same texts.

import BenchmarkReferences
import Files
import Glibc
import LuaRuntime

struct BindingBenchmarks {
  private let state: LuaState
  private let texts: [String]

  /// - Parameter state: a state with the program's modules and `reference_words_open`.
  init(_ state: LuaState, _ words: inout WordBenchmarks) throws {
    self.state = state
    texts = words.questions(sized(2_000))
    try state.setGlobal("texts", texts)
    try state.setGlobal("shouted", texts.map { " " + $0.uppercased() + "\n" })
  }

  func figures() throws -> [Figure?] {
    let list = "local list = words.lexicon('english')"
    return [
      try figure(
        "words.can_form", "local f = words.can_form", "local f = reference_words.can_form", "f('cambering', t[i])"),
      try figure(
        "words.normalize of what is normal", "local f = words.normalize", "local f = reference_words.normalize",
        "f(t[i], 'english')"),
      try figure(
        "words.normalize of capitals", "local f = words.normalize", "local f = reference_words.normalize",
        "f(t[i], 'english')", texts: "shouted"),
      try figure("lexicon:contains", list, "local list = reference_list", "list:contains(t[i])"),
      try figure("lexicon.count", list, "local list = reference_list", "list.count"),
    ]
  }

  private func figure(
    _ title: String, _ ours: String, _ reference: String, _ expression: String, texts name: String = "texts"
  ) throws -> Figure? {
    let repeats = sized(50)
    func loop(_ head: String) throws -> LuaReference {
      let code = "\(head) local t = \(name) for _ = 1, \(repeats) do for i = 1, #t do local _ = \(expression) end end"
      return try state.load(code, name: "bench")
    }
    func seconds(_ run: LuaReference) throws -> Double {
      let start = now()
      try run.call([], results: 0) { _ in }
      return now() - start
    }
    let (ours, theirs) = (try loop(ours), try loop(reference))
    return try compare(
      "\(title) from Lua against the same in C", wanted: 1.2, rounds: 31, scale: 1e9 / Double(texts.count * repeats),
      unit: "ns", ours: { try seconds(ours) }, reference: { try seconds(theirs) })
  }
}

/// Every member of the Lua interface, in the program itself. Tests/Peers/members.lua has a call of each that works, or
/// the reason why it has none.
func showMembers() throws {
  let title = "all members of the Lua interface against a C function of Lua's library"
  guard isAsked(title) else { return }
  let folder = Asked.folder + "/members"
  try makePrivateFolder(folder)
  let script = "/" + #filePath.split(separator: "/").dropLast(2).joined(separator: "/") + "/Peers/members.lua"
  print(title)
  fflush(nil)
  let run = "'\(deckhand)' --data '\(folder)/data' --no-init run '\(script)' '\(folder)' \(Asked.isSmoke ? 0 : 0.002)"
  if system(run + " < /dev/null > /dev/null") != 0 { failed(title) }
}
