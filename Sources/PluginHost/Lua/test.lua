-- `plugin test NAME` runs this, with data of its own that is deleted afterwards.

test("letters are counted, not bytes", function()
  local rows = assert(run("NAME año pez"))
  expect(rows[1].letters):equals(3)
  expect(rows):equals { { word = "año", letters = 3 }, { word = "pez", letters = 3 } }
end)

test("a word is needed", function()
  local rows, problem = run("NAME")
  expect(rows):is_nil()
  expect(problem.code):equals("missing_argument")
end)
