"""VocabSieve's functions for Anki, from its tools.py, without its imports of GUI modules."""
import ast, json, os, time, types, urllib.request
from typing import *

url = os.environ["DECKHAND_URL"]
tree = ast.parse(open(os.environ["CLIENT"] + "/vocabsieve/tools.py").read())
functions = [n for n in tree.body if isinstance(n, ast.FunctionDef) and "server" in [a.arg for a in n.args.args]
             or isinstance(n, ast.FunctionDef) and n.name == "request"]
for f in functions:
    f.decorator_list, f.returns = [], None
    for a in f.args.args:
        a.annotation = None
quiet = types.SimpleNamespace(**{n: lambda *a, **k: None for n in ["debug", "info", "warning", "error"]})
space = dict(FIELDS=["Word", "Sentence"], CSS="", CARDS=[{"Name": "Card 1", "Front": "{{Word}}", "Back": "{{Sentence}}"}],
             json=json, urllib=urllib, time=time, logger=quiet, List=List, Optional=Optional)
exec(compile(ast.Module(functions, []), "tools.py", "exec"), space)
t = types.SimpleNamespace(**{f.name: space[f.name] for f in functions})

assert "Default" in t.getDeckList(url)
assert "Basic" in t.getNoteTypes(url)
assert t.getFields(url, "Basic") == ["Front", "Back"]
assert int(t.getVersion(url)) >= 6
space["invoke"]("createDeck", url, deck="VocabSieve")
note = lambda word: {"deckName": "VocabSieve", "modelName": "Basic", "fields": {"Front": word, "Back": "x"},
                     "tags": ["vocabsieve"], "options": {"allowDuplicate": False, "duplicateScope": "deck"}}
one = t.addNote(url, note("perro"))
assert isinstance(one, int)
assert t.canAddNotes(url, [note("perro"), note("gata")]) == [False, True]
more = t.addNotes(url, [note("gata"), note("perro"), note("sol")])
assert [isinstance(i, int) and i > 0 for i in more] == [True, False, True], more
assert t.notesInfo(url, [one])[0]["fields"]["Front"]["value"] == "perro"
cards = t.findCards(url, "deck:VocabSieve")
assert len(cards) == 3 and t.findNotes(url, "Front:sol")
assert t.guiBrowse(url, "nid:%d" % one)
t.failCards(url, [one])
t.addDefaultModel(url)
assert t.getFields(url, "vocabsieve-notes") == ["Word", "Sentence"]
print("%d of its functions answer as it expects" % len(functions))
