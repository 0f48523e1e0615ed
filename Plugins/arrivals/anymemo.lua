-- AnyMemo: a database of cards, each with a category and what is known of its last answer.

local common = require("common")

common.format {
  name = "anymemo", title = "a database of AnyMemo", ending = "db", kind = "sqlite",
  sniff = function(head) return head:find("learning_data", 1, true) and 1 or 0 end,
  read = function(file, add)
    for _, card in ipairs(file:query [[
      select 'card ' || c.id as part, question, answer, note, name, lastLearnDate, nextLearnDate, easiness, grade,
        acqReps + retReps as reps, lapses
      from cards as c left join categories as k on k.id = category_id left join learning_data as l on l.id = learningData_id
      order by ordinal, c.id]]) do
      local row, last = { part = card.part }, common.time(card.lastLearnDate)
      local note = (card.note or ""):find("%S") and "\n" .. card.note or ""
      common.sides(row, common.html(row, card.question), common.html(row, (card.answer or "") .. note))
      row.deck = (card.name or ""):find("%S") and card.name or nil
      -- A card that was never asked was asked when 2010 began, in some zone.
      if last and last > os.time { year = 2010, month = 1, day = 3 } then
        local due = common.time(card.nextLearnDate) or last
        row.schedule = common.plan(last, due, card.easiness, (card.grade or 0) >= 2, card)
      end
      add(row)
    end
  end,
}
