// Objects and arguments for measuring the members of types and modules. Invariant: everything here is Lua that the
// user's own state can run, and leaves nothing behind that affects the next member.

enum SweepSamples {
  /// Runs once before everything else.
  static func prelude(_ folder: String) -> String {
    """
    local made = 0
    function sample_name() made = made + 1 return ('sample %d %d'):format(os.time(), made) end
    function sample_deck()
      local deck = assert(decks.create(sample_name()))
      for i = 1, 5 do assert(deck:add{prompt = 'prompt ' .. i, answer = 'answer ' .. i}) end
      return deck
    end
    function sample_note()
      return assert(sample_deck():add_note{fields = {Front = 'front', Back = 'back'}})
    end
    function sample_document()
      local document = assert(documents.create{background = {1, 1, 1}})
      assert(document:add_text{text = 'word {prompt}'}).group = 'words'
      return document
    end
    settings.switches('sample', {title = 'Sample', children = {'one', 'two'}})
    settings.choice('sampled', {title = 'Sampled', options = {'one', 'two'}, default = 'one'})
    settings.value('valued', {title = 'Valued', kind = 'text', default = 'one'})
    folder = '\(folder)'
    sample_text, sample_table, sample_picture = folder .. '/sample.txt', folder .. '/sample.tsv', folder .. '/sample.svg'
    local function write(path, text) local file = io.open(path, 'w') file:write(text) file:close() end
    write(sample_text, 'paper\\ncab\\n')
    write(sample_table, 'prompt\\tanswer\\na\\tb\\n')
    write(sample_picture, '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><path d="M0 0h8v8z"/></svg>')
    open_deck = sample_deck().name
    spare_deck = sample_deck().name
    open_document = sample_document().id
    games.new{language = 'english', base = 'cambering'}
    """
  }

  /// An expression for an object of each type.
  static let makers = [
    "deck": "sample_deck()",
    "deck_options": "sample_deck().options",
    "note": "sample_note()",
    "note_fields": "sample_note().fields",
    "notetype": "notetypes.open('Basic')",
    "preset": "assert(presets.create(sample_name()))",
    "card": "sample_deck():card(1)",
    "cards": "sample_deck():cards()",
    "session": "assert(sample_deck():study())",
    "lexicon": "assert(words.lexicon('english'))",
    "text": "assert(texts.open(sample_text, {language = 'english'}))",
    "document": "sample_document()",
    "element": "sample_document().elements[1]",
    "game": "assert(games.new{language = 'english', base = 'cambering'})",
    "mode": "games.modes()[1]",
    "progress": "shell.progress('sample', 10)",
    "group": "settings.switches('sample', {title = 'Sample', children = {'one', 'two'}})",
    "choice": "settings.choice('sampled', {title = 'Sampled', options = {'one', 'two'}, default = 'one'})",
    "value": "settings.value('valued', {title = 'Valued', kind = 'text', default = 'one'})",
    "command": "shell.command{name = 'sample', summary = 'A sample.', run = function() end}",
    "subscription": "shell.on('exiting', function() end)",
  ]

  /// The arguments of each member, by name. Members that need none are listed only if arguments make the measurement
  /// more meaningful.
  static let arguments = [
    "decks.create": "sample_name()",
    "decks.open": "open_deck",
    "decks.remove": "'no such deck'",
    "deck:add_note": "{fields = {Front = sample_name(), Back = 'back'}}",
    "notetypes.open": "'Cloze'",
    "notetypes.create":
      "{name = sample_name(), fields = {'A'}, cards = {{name = 'C', front = '{{A}}', back = '{{A}}'}}}",
    "notetype:update": "{css = sample_name()}",
    "media.add": "sample_picture",
    "presets.create": "sample_name()",
    "presets.open": "'no such preset'",
    "deck:find": "'prompt'",
    "deck:cards": "'prompt'",
    "deck:remove": "9999",
    "deck:import": "sample_table",
    "deck:append": "{prompt = sample_name(), answer = 'answer'}",
    "deck:diff": "sample_table",
    "shell.at": "1, function() end",
    "deck:export": "folder .. '/deck.json'",
    "card:tag": "'tag'",
    "card:untag": "'tag'",
    "card:move": "1",
    "session:answer": "'answer 1'",
    "session:flag": "1",
    "words.lexicon": "'english'",
    "words.load": "sample_text",
    "words.can_form": "'cambering', 'crab'",
    "words.normalize": "' Paper ', 'english'",
    "words.lemma": "'papers', {language = 'english'}",
    "texts.open": "sample_text, {language = 'english'}",
    "deck:mine": "texts.open(sample_text, {language = 'english'})",
    "lexicon:contains": "'cambering'",
    "lexicon:formable": "'cambering'",
    "lexicon:match": "'c?mb?r'",
    "lexicon:anagrams": "'crab'",
    "lexicon:neighbours": "'crab'",
    "lexicon:define": "'crab'",
    "shell.prompt": "{user = 'ana'}",
    "game:guess": "'crab'",
    "game:guess_all": "{'crab', 'ring', 'paper'}",
    "documents.open": "open_document",
    "document:add_image": "sample_picture",
    "document:set_panel": "self.elements[1].group, {1, 1, 1}",
    "document:raise": "self.elements[1]",
    "document:lower": "self.elements[1]",
    "document:remove_element": "self.elements[1]",
    "document:fill": "decks.list()[1]",
    "documents.sheet": "{sample_document()}, folder .. '/sheet.pdf'",
    "document:render": "folder .. '/document.svg'",
    "settings.switches": "'sample', {title = 'Sample', children = {'one', 'two'}}",
    "settings.choice": "'sampled', {title = 'Sampled', options = {'one', 'two'}, default = 'one'}",
    "settings.value": "'valued', {title = 'Valued', kind = 'text', default = 'one'}",
    "settings.update": "{sampled = 'two'}",
    "settings.on_change": "'sampled', function() end",
    "settings.get": "'sampled'",
    "settings.set": "'sampled', 'two'",
    "settings.reset": "'sampled'",
    "shell.table": "{{'a', 'b'}}, {'one', 'two'}",
    "shell.confirm": "'sure?'",
    "shell.ask": "'name? '",
    "shell.run": "'help'",
    "shell.sync": "",
    "shell.alias": "'sample', 'help'",
    "shell.on": "'exiting', function() end",
    "shell.progress": "'sample', 10",
    "files.read": "sample_text",
    "files.lines": "sample_text",
    "files.write": "sample_text .. '.copy', 'paper'",
    "plugins.info": "'hangman'",
    "plugins.enable": "'hangman'",
    "plugins.disable": "'hangman'",
    "plugins.reload": "'hangman'",
  ]
}
