-- Adds the exercise `forms`: one form of the card's word is asked for, by its tense, person, number or gender.

local persons = { "1st person", "2nd person", "3rd person" }

---What a form is called: `present, 1st person singular`.
---@return string
local function label(features)
  local person = persons[tonumber(features.person) or 0]
  local whose = table.concat({ person or features.number, person and features.number }, " ")
  local parts = {}
  local function add(part)
    if part and part ~= "" and part ~= "indicative" and part ~= "both" then parts[#parts + 1] = part end
  end
  add(features.tense)
  add(features.mood)
  add(whose)
  add(features.gender)
  add(features.degree)
  return table.concat(parts, ", ")
end

assert(study.exercise {
  name = "forms",
  title = "Forms",
  summary = "Write a form of a word.",
  input = "text",
  prepare = function(card, ask)
    for _, word in ipairs(card.words) do
      local forms, labels, seen = {}, {}, {}
      for _, form in ipairs(ask.forms(word) or {}) do
        local name = label(form.features)
        -- Beside its article, a word is no answer.
        local key = name .. "\n" .. form.form
        if name ~= "" and not seen[key] and not (" " .. word .. " "):find(" " .. form.form .. " ", 1, true) then
          seen[key] = true
          if not forms[name] then labels[#labels + 1] = name end
          forms[name] = forms[name] or {}
          table.insert(forms[name], form.form)
        end
      end
      if #labels > 0 then
        local name = ask.shuffle(labels)[1]
        return {
          -- Without its article, as the form is asked for.
          prompt = word:match("%S+$") .. "\n" .. name,
          expected = forms[name],
          hint = card.answer:match("[^\n]+"),
          reveal = table.concat(forms[name], ", ") .. "\n" .. word .. "\n" .. card.answer,
        }
      end
    end
    return nil, "no forms"
  end,
})
