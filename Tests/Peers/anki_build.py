#!/usr/bin/env python3
"""A folder of Markdown under git, Deckhand, and a real Anki that syncs with it through the server in Anki's own package.

    VENV/bin/python Tests/Peers/anki_build.py .build/debug/deckhand [EDITS] [SEED]

EDITS random words are changed, in the folder and in Anki, in rounds. After each round the folder is the previous one with
only those words changed, one line per edit; Anki has the same notes with the same schedules; a field that both changed is
reported as one conflict, once. Ends with an error at the first difference.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import anki_noon  # noqa: F401, before Anki

from anki_packages import check
from anki_sync_both import Pair

COUNT = 48
# Each in its own style of markup, which the deck does not know. WORD is a word that occurs once.
KINDS = [
    "## WORD __WORD__ <!-- id: n{i} -->\n\nWORD *WORD*, WORD\nWORD behind a line end\n",
    "# WORD <!-- id: n{i}; tags: a b -->\n\n* WORD\n* **WORD** `WORD`\n  + WORD\n",
    "## WORD\n<!-- id: n{i} -->\n\n1) WORD\n2) WORD\n\n> WORD _WORD_\n",
    "Q: WORD $x_{i}$ WORD?\nA: WORD\n<!-- id: n{i} -->\n",
    "---\n\n==WORD== and WORD, WORD and ==WORD==.\n<!-- id: n{i} -->\n\n---\n",
    "## WORD <!-- id: n{i} -->\n\n| WORD | WORD |\n|------|-----:|\n| WORD | **WORD** |\n",
    "## WORD <!-- id: n{i} -->\n\nWORD\n\n```swift\nlet WORD = 1 < 2\n```\n\n![](img/p.png) WORD\\\nWORD\n",
    "## <u>WORD</u> &amp; WORD <!-- id: n{i} -->\n\n[WORD](https://example.org/{i}) WORD\n",
]


class Words:
    def __init__(self):
        self.count = 0

    def next(self):
        self.count += 1
        return f"w{self.count}x"


def sources(words):
    files = {}
    for i in range(COUNT):
        text = re.sub("WORD", lambda _: words.next(), KINDS[i % len(KINDS)].replace("{i}", str(i)))
        files.setdefault(f"part{i % 3}.md", []).append(text)
    return {name: "\n".join(texts) for name, texts in files.items()}


class Folder:
    def __init__(self, path, words):
        self.path, self.words = path, words
        os.makedirs(path + "/img")
        with open(path + "/deck.json", "w") as file:
            file.write('{"name": "Loop"}')
        with open(path + "/img/p.png", "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n")
        self.files = sources(words)
        self.write()
        self.git("init", "-q")
        self.commit()

    def git(self, *words):
        return subprocess.run(["git", "-C", self.path, "-c", "user.name=t", "-c", "user.email=t@example.org", *words],
                              check=True, capture_output=True, text=True).stdout

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")

    def write(self):
        for name, text in self.files.items():
            with open(f"{self.path}/{name}", "w") as file:
                file.write(text)

    def read(self):
        return {name: open(f"{self.path}/{name}").read() for name in self.files}

    def replace(self, old, new):
        """Makes the edit in the model; returns True if a source contains it."""
        for name, text in self.files.items():
            if old in text:
                self.files[name] = text.replace(old, new)
                return True
        return False


def schedule(pair, note_id):
    return pair.col.db.all("select ord, type, queue, due, ivl, reps, lapses, data from cards where nid = ? order by ord",
                           note_id)


def notes(pair):
    return {pair.col.get_note(id).guid: pair.col.get_note(id) for id in pair.col.find_notes('"deck:Loop"')}


def sync(pair, deckhand_first):
    if deckhand_first:
        pair.deckhand.run("sync")
    pair.anki.sync()
    if not deckhand_first:
        pair.deckhand.run("sync")
    pair.col.models._clear_cache()


def edit_round(pair, folder, rng, edits):
    """Makes edits on both sides; each field is edited at most once per side."""
    known = notes(pair)
    where = {word: (guid, place) for guid, note in known.items() for place, field in enumerate(note.fields)
             for word in re.findall(r"w\d+x", field)}
    there, here, made = {}, {}, 0
    for word in rng.sample(sorted(where), len(where)):
        if made >= edits:
            break
        side = rng.choice([there, here])
        if where[word] in side:
            continue
        side[where[word]] = (word, folder.words.next())
        made += 1
    both = set(there) & set(here)
    before = {guid: (note.id, schedule(pair, note.id)) for guid, note in known.items()}
    for (guid, place), (old, new) in there.items():
        known[guid].fields[place] = known[guid].fields[place].replace(old, new)
    for guid in {guid for guid, _ in there}:
        pair.col.update_note(known[guid])
    # In the folder, and committed there.
    for old, new in here.values():
        check("a word of the folder", folder.replace(old, new), True)
    folder.write()
    folder.commit()
    sync(pair, False)
    report = pair.deckhand.lines("build", folder.path, "--write-back")[0]
    told = [found for found in report["conflicts"] if found["kind"] == "both"]
    check("conflicts", sum(len(found.get("fields", [])) for found in told), len(both))
    check("told once a note", len(told), len({guid for guid, _ in both}))
    return there, here, both, before, made


def settle(pair, folder, rng, there, here, both):
    """Resolves the remaining conflicts in favour of one side, and the other takes that over."""
    if both:
        side = rng.choice(["ours", "theirs"])
        pair.deckhand.run("deck", "conflicts", "Loop", "--take", side)
        again = pair.deckhand.lines("build", folder.path, "--write-back")[0]
        check("settled", again["conflicts"], [])
        for place in both:
            kept, lost = (there, here) if side == "ours" else (here, there)
            # The side that loses had its own word changed, and gets it back.
            folder.replace(here[place][1], here[place][0])
            if side == "ours":
                folder.replace(there[place][0], there[place][1])
            else:
                folder.replace(here[place][0], here[place][1])
    for place, (old, new) in there.items():
        if place not in both:
            check("a word of Anki", folder.replace(old, new), True)


def compare(pair, folder, before, there, here):
    check("the folder", folder.read(), folder.files)
    added = sum(int(line.split()[0]) for line in folder.git("diff", "--numstat").splitlines())
    check("at most a line for each edit", added <= len(there) + len(here), True)
    known = notes(pair)
    check("the same notes", {guid: note.id for guid, note in known.items()}, {guid: id for guid, (id, _) in before.items()})
    for guid, note in known.items():
        check(f"the schedule of {guid}", schedule(pair, note.id), before[guid][1])
    words = sorted(word for text in folder.files.values() for word in re.findall(r"w\d+x", text))
    check("words in Anki", sorted(word for note in known.values() for field in note.fields
                                  for word in re.findall(r"w\d+x", field)), words)


def main():
    program = os.path.abspath(sys.argv[1])
    wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    with tempfile.TemporaryDirectory() as home:
        pair = Pair(program, home, rng, 30)
        try:
            folder = Folder(home + "/loop", Words())
            built = pair.deckhand.lines("build", folder.path)[0]
            check("built", (built["added"] >= COUNT, built["rejected"]), (True, []))
            check("the picture", built["media"], 1)
            sync(pair, True)
            for id in pair.col.find_cards('"deck:Loop"')[::2]:
                pair.answer(id, rng.choice([2, 3]))
            sync(pair, False)
            check("nothing to write", pair.deckhand.lines("build", folder.path, "--write-back")[0]["written_back"], 0)
            done, rounds, conflicts = 0, 0, 0
            while done < wanted:
                there, here, both, before, made = edit_round(pair, folder, rng, min(40, wanted - done))
                settle(pair, folder, rng, there, here, both)
                sync(pair, True)
                compare(pair, folder, before, there, here)
                check("nothing more", [pair.deckhand.lines("build", folder.path)[0][key] for key in
                                       ("added", "updated", "changes", "conflicts")], [0, 0, [], []])
                sync(pair, True)
                folder.commit()
                done, rounds, conflicts = done + made, rounds + 1, conflicts + len(both)
            print(f"a folder and Anki: {done} edits in {rounds} rounds, {conflicts} conflicts, each told once")
        finally:
            pair.server.stop()


if __name__ == "__main__":
    main()
