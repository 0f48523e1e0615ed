-- The reasons of the lines that a report leaves, and how many cards it adds.
local function outcome(format, text)
  local report = assert(import(format, text))
  local reasons = {}
  for _, part in ipairs(report.left) do
    reasons[#reasons + 1] = part.reason
  end
  return report.added, table.concat(reasons, ", "), report
end

test("Pleco", function()
  local added, left, report = outcome("pleco", "// Ciudad/Calles\n方便面[方便麵]\tfang1//bian4\tnoodles\nx\ty\n")
  expect(added):equals(1)
  expect(left):equals("no headword")
  expect(report.preview[1].subdeck):equals("Ciudad::Calles")
  local xml = "<plecoflash><card><headword>路</headword></card><card/></plecoflash>"
  added, left = outcome("pleco.xml", xml)
  expect(left):equals("no headword")
end)

test("hashcards", function()
  local added, left = outcome("hashcards", "Q: a\nA: b\nC: [x] and [y]\nC: none\nQ: c\n")
  expect(added):equals(3)
  expect(left):equals("no_cloze, unfinished")
end)

test("Obsidian", function()
  local added, _, report = outcome("obsidian", "#flashcards/casa\n\na::b <!--SR:!2026-04-12,10,250-->\nc:::d\n")
  expect(added):equals(3)
  expect(report.history.interval):equals(1)
end)

test("Org", function()
  local added, left = outcome("org", "* A :drill:\nq\n** x\na\n* B :drill:\n:PROPERTIES:\n:DRILL_CARD_TYPE: verb\n:END:\n")
  expect(added):equals(1)
  expect(left):equals("kind verb")
end)

test("Logseq", function()
  local added, left = outcome("logseq", "- a #card\n\t- b\n- {{cloze x}} #card\n- c #card\n")
  expect(added):equals(2)
  expect(left):equals("no answer")
end)

test("Kindle", function()
  local entry = "T (A)\n- x 1-3 | 2026\n\n%s\n==========\n"
  local added, left = outcome("clippings", entry:format("the old bridge") .. entry:format("the old bridge is old"))
  expect(added):equals(1)
  expect(left):equals("superseded")
end)

test("SuperMemo", function()
  local item = "<SuperMemoElement><ID>%d</ID><Type>Item</Type><Content><Question>%s</Question><Answer>b</Answer></Content>"
    .. "<LearningData><Interval>9</Interval><Repetitions>2</Repetitions><LastRepetition>1.4.26</LastRepetition>"
    .. "<AFactor>3,1</AFactor></LearningData></SuperMemoElement>"
  local items = item:format(2, "&amp;lt;i&amp;gt;a&amp;lt;/i&amp;gt;") .. item:format(3, "")
  local added, left, report = outcome("supermemo", "<SuperMemoCollection><SuperMemoElement><ID>1</ID><Title>&amp;#77;</Title>"
    .. "<Type>Topic</Type>" .. items .. "</SuperMemoElement></SuperMemoCollection>")
  expect(added):equals(1)
  expect(left):equals("topic, the question is empty")
  expect(report.preview[1].subdeck):equals("M")
  expect(report.preview[1].prompt):equals("a")
  expect(report.history.interval):equals(1)
end)
