-- Formats of other programs, each in a file of its own.

for name in ("pleco hashcards obsidian org logseq clippings mnemosyne mochi anymemo supermemo"):gmatch("%a+") do
  require(name)
end
