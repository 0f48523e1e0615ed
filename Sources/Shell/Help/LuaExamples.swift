// An example for each member of Lua's side, for `help NAME`. Invariant: each is a line that the prompt runs where
// there is a deck Spanish with cards, a document and the files it names; a test runs all of them.

import Text

enum LuaExamples {
  /// An expression for a thing of each type.
  private static let objects = [
    "deck": "decks.open(\"Spanish\")", "deck_options": "decks.open(\"Spanish\").options",
    "card": "decks.open(\"Spanish\"):card(1)", "cards": "decks.open(\"Spanish\"):cards(\"tag:animal\")",
    "session": "decks.open(\"Spanish\"):study()",
    "note": "decks.open(\"Spanish\"):add_note{fields = {Front = \"el oso\", Back = \"the bear\"}}",
    "note_fields": "decks.open(\"Spanish\"):add_note{fields = {Front = \"el pez\", Back = \"the fish\"}}.fields",
    "notetype": "notetypes.open(\"Basic\")", "preset": "presets.create(\"Slow\")",
    "document": "documents.list()[1]", "element": "documents.list()[1].elements[1]",
    "lexicon": "words.lexicon(\"english\")", "game": "games.new{base = \"cambering\", language = \"english\"}",
    "mode": "games.modes()[1]", "progress": "shell.progress(\"Counting\", 10)",
    "group": "settings.switches(\"pizza\", {title = \"Pizza\", children = {\"tomato\", \"basil\"}})",
    "choice": "settings.choice(\"size\", {title = \"Size\", options = {\"small\", \"large\"}, default = \"small\"})",
    "value": "settings.value(\"slices\", {title = \"Slices\", kind = \"number\", default = 8})",
    "command":
      "shell.command{name = \"hello\", summary = \"Greets.\", run = function() return \"hello\" end}",
    "subscription": "shell.on(\"exiting\", function() end)",
  ]

  /// What functions and methods are called with.
  private static let arguments = [
    "decks.create": "(\"Italian\")", "decks.open": "(\"Spanish\")", "decks.remove": "(\"Spanish\")",
    "documents.create": "{background = {1, 1, 0.7}}", "documents.open": "(documents.list()[1].id)",
    "words.lexicon": "(\"english\")", "words.load": "(\"list.txt\", {name = \"mine\"})",
    "words.can_form": "(\"cambering\", \"grace\")", "words.normalize": "(\" Árbol \", \"spanish\")",
    "games.mode":
      "{name = \"sixes\", title = \"Sixes\", rules = {\"length:6\", \"unused\", \"from_letters\", \"in_dictionary\"}}",
    "games.new": "{mode = \"classic\", language = \"english\", length = 9}",
    "settings.switches": "(\"pizza\", {title = \"Pizza\", children = {\"tomato\", \"basil\"}})",
    "settings.choice": "(\"size\", {title = \"Size\", options = {\"small\", \"large\"}, default = \"small\"})",
    "settings.value": "(\"slices\", {title = \"Slices\", kind = \"number\", default = 8})",
    "settings.get": "(\"game.language\")", "settings.set": "(\"game.length\", 9)",
    "settings.update": "{[\"sound.right\"] = true, [\"sound.wrong\"] = true}", "settings.reset": "(\"game.length\")",
    "settings.on_change": "(\"sound\", function(changes) print(#changes) end)",
    "auth.login": "{user = \"ana\", password_file = \"password.txt\"}",
    "shell.print": "({1, 2, 3})", "shell.table": "({{\"el perro\", 3}, {\"el gato\", 5}}, {\"Word\", \"Times\"})",
    "shell.chart": "({monday = 12, tuesday = 30}, {title = \"Answers\"})", "shell.progress": "(\"Counting\", 10)",
    "shell.ask": "(\"Which deck? \")", "shell.confirm": "(\"Begin?\")", "shell.run": "(\"deck list\")",
    "shell.alias": "(\"sp\", \"study Spanish\")", "shell.on": "(\"exiting\", function() print(\"bye\") end)",
    "shell.prompt": "{user = \"ana\", deck = \"Spanish\"}",
    "shell.command": "{name = \"hello\", summary = \"Greets.\", run = function() return \"hello\" end}",
    "plugins.info": "(\"hangman\")", "plugins.enable": "(\"hangman\")", "plugins.disable": "(\"hangman\")",
    "plugins.reload": "(\"hangman\")", "files.lines": "(\"list.txt\")", "files.read": "(\"list.txt\")",
    "files.write": "(\"copy.txt\", \"hello\\n\")", "media.add": "(\"dog.svg\")", "notetypes.open": "(\"Basic\")",
    "notetypes.create":
      "{name = \"Word\", fields = {\"Word\", \"Meaning\"}, "
      + "cards = {{name = \"Ask\", front = \"{{Word}}\", back = \"{{Meaning}}\"}}}",
    "presets.open": "(\"Default\")", "presets.create": "(\"Slow\")",
    "deck:add": "{prompt = \"el árbol\", answer = \"the tree\", tags = {\"plant\"}}",
    "deck:append": "{prompt = \"la flor\", answer = \"the flower\"}",
    "deck:add_all": "({{prompt = \"uno\", answer = \"one\"}, {prompt = \"dos\", answer = \"two\"}})",
    "deck:add_note": "{fields = {Front = \"el sol\", Back = \"the sun\"}}", "deck:card": "(1)",
    "deck:cards": "(\"tag:animal\")", "deck:find": "(\"tag:animal -is:suspended\")", "deck:remove": "(1)",
    "deck:stats": "(\"tag:animal\")", "deck:import": "(\"words.tsv\")", "deck:export": "(\"spanish.csv\")",
    "deck:study": "{mode = \"sprint\", seconds = 60}", "card:tag": "(\"animal\")", "card:untag": "(\"animal\")",
    "card:move": "(1)", "session:answer": "(\"good\")", "session:flag": "(1)",
    "notetype:update": "{css = \".card { font-size: 20px }\"}", "lexicon:contains": "(\"grace\")",
    "lexicon:random": "{length = 9}", "lexicon:formable": "(\"cambering\", {min = 5})", "lexicon:match": "(\"c?t*\")",
    "lexicon:anagrams": "(\"listen\")", "lexicon:neighbours": "(\"cold\")",
    "lexicon:words": "{length = 3, prefix = \"ca\"}",
    "lexicon:define": "(\"grace\")",
    "game:guess": "(\"grace\")", "game:guess_all": "{\"grace\", \"margin\"}",
    "game:to_deck": "(decks.create(\"Missed\"))", "document:add_text": "{text = \"el perro\", x = 0, y = -400}",
    "document:add_image": "(\"dog.svg\", {frame = \"circle\"})", "document:raise": "(documents.list()[1].elements[1])",
    "document:lower": "(documents.list()[1].elements[1])",
    "document:remove_element": "(documents.list()[1].elements[1])", "document:render": "(\"card.svg\", {width = 650})",
    "document:set_panel": "(\"verbs\", {1, 0.9, 0.7})", "progress:step": "(5)", "group:toggle": "(\"basil\")",
  ]

  /// What fields are assigned.
  private static let values = [
    "deck.name": "\"Español\"", "card.prompt": "\"el perro\"", "card.answer": "\"the hound\"",
    "card.tags": "{\"animal\"}", "card.flag": "1", "document.background": "{1, 1, 0.7}", "element.x": "100",
    "element.y": "-200", "element.width": "800", "element.height": "300", "element.rotation": "15",
    "element.text": "\"el gato\"", "element.color": "{0.7, 0, 0}", "element.font": "\"Serif\"",
    "element.wraps": "true", "element.group": "\"verbs\"", "group.value": "true", "choice.value": "\"large\"",
    "value.value": "6", "deck_options.new_per_day": "10",
    "deck_options.desired_retention": "0.85", "deck_options.learning_steps": "{60, 600}", "note.tags": "{\"animal\"}",
    "preset.name": "\"Fast\"", "note_fields.Front": "\"el pez\"",
  ]

  /// A line for a member (`deck:add`, `deck.count`, `decks.open`), a module or a type; empty where there is none.
  static func example(of name: String) -> String {
    if let object = objects[name] { return object }
    guard let split = name.firstIndex(where: { $0 == "." || $0 == ":" }) else { return "shell.print(\(name))" }
    let owner = String(name[..<split])
    guard let object = objects[owner] else { return name + (arguments[name] ?? call(name)) }
    if name[split] == ":" { return object + String(name[split...]) + (arguments[name] ?? "()") }
    return object + String(name[split...]) + (values[name].map { " = \($0)" } ?? "")
  }

  /// A function of a module that takes nothing; its fields are read.
  private static func call(_ name: String) -> String {
    if name.hasPrefix("deckhand.") { return "" }
    return name.hasPrefix("auth.") && name != "auth.logout" ? "" : "()"
  }
}
