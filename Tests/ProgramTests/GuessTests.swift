// Guesses and word lists from Lua: the fast path gives the same answers as the slow one.

import TestSupport
import Testing

@Suite struct GuessTests {
  private func printed(_ code: String) throws -> [String] {
    let run = try Home().run("-e", code)
    #expect(run.errors.isEmpty)
    return run.lines
  }

  @Test func `a refusal contains the code, title, message and the guess as it was judged`() throws {
    let lines = try printed(
      """
      local g = games.new{base = 'cambering'}
      print(g:guess('CAB'))
      for _, guess in ipairs{'cab', ' Cab ', 'x', 'zebra', 'geng', 'rimbecang'} do
        local points, problem = g:guess(guess)
        print(points, problem.code, problem.title, problem.message, problem.word, tostring(problem) == problem.message)
      end
      """)
    let used = "nil\talready_used\tYou already used this word\tKeep looking!\tcab\ttrue"
    #expect(lines.count == 7 && lines[0] == "3" && lines[1] == used && lines[2] == used)
    #expect(lines[3] == "nil\ttoo_short\tThis word is too short\tWords need at least two letters\tx\ttrue")
    #expect(lines[4].hasPrefix("nil\tnot_possible\t") && lines[4].hasSuffix("\tzebra\ttrue"))
    #expect(lines[6] == "nil\tnot_a_word\tThis is not a valid word\tUse only real words\trimbecang\ttrue")
  }

  @Test func `two games with different rules are each answered by their own rules`() throws {
    let lines = try printed(
      """
      games.mode{name = 'longer', rules = {'in_dictionary', 'min_length:7'}}
      local a, b = games.new{base = 'cambering'}, games.new{base = 'cambering', mode = 'longer'}
      for _ = 1, 2 do
        print(select(2, a:guess('zebra')).code, select(2, b:guess('zebra')).message, select(2, b:guess('zqx')).code)
      end
      """)
    #expect(lines == Array(repeating: "not_possible\tWords need at least 7 letters\tnot_a_word", count: 2))
  }

  @Test func `guess_all answers each guess in order, and names one that is not text`() throws {
    let lines = try printed(
      """
      local g = games.new{base = 'cambering'}
      local a = g:guess_all{'grace', 'cab', 'cab', 'zebra', 'x', 'rimbecang'}
      print(table.concat(a, ' '), #a)
      print(#g:guess_all{}, g.count, g.score)
      print(pcall(g.guess_all, g, {'ice', {}}))
      print(pcall(g.guess_all, g, {'ice', nil, 'cab'}))
      print(table.concat(g:guess_all(setmetatable({}, {__index = function(_, i) return i < 3 and 'ream' or nil end,
        __len = function() return 5 end})), ' '))
      print(pcall(g.guess_all, g, {word = 'ice'}))
      """)
    #expect(lines[0] == "5 3 already_used not_possible too_short not_a_word\t6")
    #expect(lines[1] == "0\t2\t8")
    #expect(lines[2].hasPrefix("false\t") && lines[2].contains("element 2: string expected, got table"))
    #expect(lines[3].contains("without element "))
    #expect(lines[4] == "4 already_used")
    #expect(lines[5].contains("list expected, got a table with the field 'word'"))
  }

  @Test func `a mode that declines a word in a batch gives its own code`() throws {
    let lines = try printed(
      """
      games.mode{name = 'picky', accept = function(game, word)
        if word == 'cab' then return nil, {code = 'too_plain', title = 'Plain', message = 'Too plain'} end
        return true
      end}
      local g = games.new{base = 'cambering', mode = 'picky'}
      print(table.concat(g:guess_all{'cab', 'grace'}, ' '), select(2, g:guess('cab')).message)
      """)
    #expect(lines == ["too_plain 5\tToo plain"])
  }

  @Test func `word lists are sorted longest first`() throws {
    let lines = try printed(
      """
      local list = words.lexicon('english')
      print(table.concat(list:formable('cab', {min = 3}), ' '), table.concat(list:anagrams('silent'), ' '))
      print(#list:match('zebr?'), list:match('zebr?')[1], #list:formable('q'))
      """)
    #expect(lines[0].hasPrefix("cab\t") && lines[0].contains("listen"))
    #expect(lines[1].hasSuffix("\tzebra\t0"))
  }
}
