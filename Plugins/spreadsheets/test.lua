test("what is no spreadsheet is refused", function()
  expect(function() assert(import("xlsx", "word,meaning\n")) end):fails("ZIP")
  expect(function() assert(import("ods", "word,meaning\n")) end):fails("ZIP")
end)
