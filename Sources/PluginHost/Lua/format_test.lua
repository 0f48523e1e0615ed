-- `plugin test NAME` runs this, with data of its own that is deleted afterwards.

test("each line becomes a card, or is left and named", function()
  local report = assert(import("NAME", "perro = dog\n\nno card\n"))
  expect(report.added):equals(1)
  expect(report.preview[1].prompt):equals("perro")
  expect(report.left[1].reason):equals("no equals sign")
end)
