-- Formats of other programs, each in a file of its own.

for _, name in ipairs { "pleco", "hashcards", "obsidian", "org", "logseq", "clippings" } do
  require(name)
end
