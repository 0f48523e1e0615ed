#!/usr/bin/env python3
"""Exchanges packages between Deckhand and Anki's own Python package, both ways, and compares them row by row.

    python3 -m venv VENV && VENV/bin/pip install anki
    VENV/bin/python Tests/Peers/anki_packages.py .build/debug/deckhand [CARDS] [SEED]

Prints what was compared; ends with an error at the first difference.
"""
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
import zipfile

# Anki's scheduler without randomness.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import anki_noon  # noqa: F401, before Anki
from anki.collection import Collection, ExportAnkiPackageOptions
from anki.import_export_pb2 import ImportAnkiPackageOptions, ImportAnkiPackageRequest

import anki_notes

PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d4944415478da63fcffff3f0300"
                    "0500feb0b5e4a70000000049454e44ae426082")


class Deckhand:
    """Runs the program with a home of its own."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        os.makedirs(folder)

    def run(self, *arguments, text=None, fails=False):
        environment = dict(os.environ, HOME=self.folder, NO_COLOR="1")
        done = subprocess.run([self.program, *arguments], env=environment, input=text, capture_output=True, text=True)
        if (done.returncode != 0) != fails:
            raise AssertionError(f"{arguments}: status {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def lines(self, *arguments):
        return [json.loads(line) for line in self.run(*arguments, "--json").splitlines()]


def check(what, seen, wanted):
    if seen != wanted:
        raise AssertionError(f"{what}:\n  seen   {seen!r}\n  wanted {wanted!r}")


def take_in(col, path, schedule=True):
    options = ImportAnkiPackageOptions(with_scheduling=schedule, with_deck_configs=True)
    log = col.import_anki_package(ImportAnkiPackageRequest(package_path=path, options=options)).log
    troubles = [len(part) for part in (log.conflicting, log.first_field_match, log.missing_notetype, log.missing_deck,
                                       log.empty_first_field)]
    check(f"what Anki complains of in {path}", troubles, [0] * 5)
    return len(log.new), len(log.updated), len(log.duplicate)


def check_sound(col):
    check("what Anki's database check says", col.fix_integrity(), ("Database rebuilt and optimized.", True))


# From Deckhand

MAKE = r"""
local deck = assert(decks.create("Out"))
local inner = assert(decks.create("Out::Inner one"))
local r = tonumber(arg[1])
math.randomseed(r)
local words = {"el gato", "a & b", "1 < 2 > 0", "dos\nlineas", "日本語", "é", "[x]", "{{c1::no}}", "&amp;", "tab\there", "🐈", "12"}
local function text(i) return words[math.random(#words)] .. " " .. i .. " " .. words[math.random(#words)] end
for i = 1, 150 do
  assert((i % 3 == 0 and inner or deck):add{prompt = text(i), answer = text(-i), tags = i % 4 == 0 and {"t" .. i % 7, "a::b"} or {}})
end
local picture = assert(media.add(arg[2]))
for i = 1, 40 do
  assert(deck:add_note{type = "Basic (and reversed card)", tags = {"n"}, fields = {Front = "<b>f" .. i .. "</b>", Back = '<img src="' .. picture .. '">' .. i}})
  assert(inner:add_note{type = "Cloze", fields = {Text = "x {{c1::a" .. i .. "}} y {{c2::b::hint}} " .. i, ["Back Extra"] = "e"}})
end
deck.options.new_per_day = 500
local session = assert(deck:study{mode = "review", limit = 60})
local ratings = {"again", "hard", "good", "easy"}
while session.card do session:answer(ratings[math.random(4)]) end
local n = 0
for card in deck:cards() do
  n = n + 1
  if n % 11 == 0 then card:suspend() end
end
"""


def from_deckhand(program, folder, seed):
    deckhand = Deckhand(program, folder + "/out")
    with open(folder + "/cat.png", "wb") as file:
        file.write(PNG)
    with open(folder + "/make.lua", "w") as file:
        file.write(MAKE)
    deckhand.run("run", folder + "/make.lua", str(seed), folder + "/cat.png")
    names = {"latest": "a.apkg", "again": "b.apkg", "legacy": "c.apkg", "plain": "d.apkg"}
    paths = {key: folder + "/" + name for key, name in names.items()}
    for key in ("latest", "again"):
        deckhand.run("deck", "export", "Out", paths[key], "--with-schedule")
    deckhand.run("deck", "export", "Out", paths["legacy"], "--format", "apkg-legacy", "--with-schedule")
    deckhand.run("deck", "export", "Out", paths["plain"])
    with open(paths["latest"], "rb") as one, open(paths["again"], "rb") as other:
        check("the same deck twice", one.read() == other.read(), True)
    cards = deckhand.lines("card", "list")
    notes = len({card["note"] for card in cards})
    for key in ("latest", "legacy", "plain"):
        col = Collection(tempfile.mkdtemp(dir=folder) + "/c.anki2")
        check(key, take_in(col, paths[key]), (notes, 0, 0))
        check(key + ", again", take_in(col, paths[key]), (0, 0, notes))
        check_sound(col)
        check(key + ", cards", col.card_count(), len(cards))
        check(key + ", media", os.path.exists(col.media.dir() + "/cat.png"), True)
        if key != "plain":
            check_schedules(col, cards)
        check_sums(col, paths["legacy"], folder)
        if key == "latest":
            of_note = [card["note"] for card in cards]
            edited = next(card for card in cards if of_note.count(card["note"]) == 1)
            time.sleep(1.1)
            deckhand.run("card", "edit", edited["guid"], "--answer", "edited here")
            deckhand.run("deck", "export", "Out", paths["again"])
            check("an edit", take_in(col, paths["again"]), (0, 1, notes - 1))
            fields = col.db.scalar("select flds from notes where guid = ?", edited["guid"])
            check("the edited note", fields.split("\x1f")[1], "edited here")
        col.close()
    whole = folder + "/whole.colpkg"
    deckhand.run("deck", "export", "Out", whole)
    open_whole(folder, whole, len(cards))
    print(f"out: {len(cards)} cards of {notes} notes, latest, legacy and whole")


def open_whole(folder, path, cards):
    from anki.import_export_pb2 import ImportCollectionPackageRequest

    place = tempfile.mkdtemp(dir=folder)
    col = Collection(place + "/c.anki2")
    col.close(downgrade=False)
    col._backend.import_collection_package(
        col_path=place + "/c.anki2", backup_path=path, media_folder=place + "/c.media", media_db=place + "/c.media.db")
    col = Collection(place + "/c.anki2")
    check("cards of the whole collection", col.card_count(), cards)
    check_sound(col)
    col.close()


def check_schedules(col, cards):
    """Due days, counts and states as Deckhand shows them."""
    known = {}
    for guid, order, kind, queue, due, ivl, reps, lapses, data in col.db.execute(
            "select n.guid, c.ord, c.type, c.queue, c.due, c.ivl, c.reps, c.lapses, c.data from cards c join notes n on n.id = c.nid"):
        known[guid + ("" if order == 0 else "/%d" % (order + 1))] = (kind, queue, due, ivl, reps, lapses, json.loads(data or "{}"))
    states = ["new", "learning", "review", "relearning"]
    for card in cards:
        kind, queue, due, ivl, reps, lapses, data = known[card["guid"]]
        state = "suspended" if queue == -1 else states[kind]
        check(card["guid"], (state, reps, lapses), (card["state"], card["reps"], card["lapses"]))
        if card["due"] is None:
            check(card["guid"] + " without due", kind == 0, True)
        elif kind == 2:
            check("due day of " + card["guid"], day(col, due), local_day(card["due"]))
        elif queue != 3:
            check("due time of " + card["guid"], due, int(card["due"]))
        if kind:
            check("stability of " + card["guid"], round(card["stability"], 4), data["s"])


def day(col, number):
    """A due day as the ordinal of a date."""
    today = time.localtime(time.time() - 4 * 3600)
    return time.mktime(today[:3] + (12, 0, 0, 0, 0, -1)) // 86400 + number - col.sched.today


def local_day(seconds):
    noon = time.localtime(seconds - 4 * 3600 + 43200)
    return time.mktime(noon[:3] + (12, 0, 0, 0, 0, -1)) // 86400


def legacy_database(path, folder):
    with zipfile.ZipFile(path) as package:
        name = tempfile.mkdtemp(dir=folder) + "/c.anki21"
        with open(name, "wb") as file:
            file.write(package.read("collection.anki21"))
    return sqlite3.connect(name)


def check_sums(col, path, folder):
    db = legacy_database(path, folder)
    for guid, fields, sorted_by, sum in db.execute("select guid, flds, sfld, csum from notes"):
        theirs = col.db.first("select flds, sfld, csum from notes where guid = ?", guid)
        check("sums of " + guid, [fields, sorted_by, sum], list(theirs))


# From Anki

def make_collection(folder, r, count):
    """Random types and notes, answered by Anki's own scheduler."""
    col = Collection(folder + "/c.anki2")
    col.set_config("fsrs", True)
    made = number = 0
    while made < count:
        number += 1
        kind = make_type(col, r, number)
        if not kind:
            continue
        names = [field["name"] for field in kind["flds"]]
        for _ in range(r.randint(1, 25)):
            note = col.new_note(kind)
            note.fields = [anki_notes.cloze(r) if kind["type"] and r.random() < 0.7 else anki_notes.word(r) for _ in names]
            # From cloze number 500 on Anki makes several cards with the same ordinal.
            note.fields = [re.sub(r"500|501|65536", "30", field) for field in note.fields]
            if r.random() < 0.3:
                note.fields[0] += '<img src="p q.jpg"> [sound:s%d.mp3]' % r.randint(0, 3)
            note.tags = r.choice([[], ["t1"], ["t1", "t2::x"]])
            col.add_note(note, col.decks.id(r.choice(["Top::A", "Top::A::B c", "Top::D"])))
            made += len(note.cards())
    for name in ["p q.jpg", "s0.mp3", "s1.mp3", "s2.mp3", "_hidden.css"]:
        with open(col.media.dir() + "/" + name, "wb") as file:
            file.write(PNG + name.encode())
    config = col.decks.add_config("Mine")
    config["new"]["perDay"], config["rev"]["perDay"], config["desiredRetention"] = 4000, 4000, 0.85
    config["new"]["delays"], config["lapse"]["delays"] = [1, 15, 60], [10]
    col.decks.update_config(config)
    for deck in col.decks.all():
        if deck["id"] != 1:
            deck["conf"] = config["id"]
            col.decks.save(deck)
    col.decks.select(col.decks.id("Top"))
    answers = 0
    while answers < count // 4:
        card = col.sched.getCard()
        if not card:
            break
        col.sched.answerCard(card, r.choice([1, 2, 3, 3, 3, 4]))
        answers += 1
    # Answers given faster than one per millisecond get ids in the future, sometimes in the next second: Anki repairs
    # that by itself.
    col.fix_integrity()
    learnt = col.db.list("select id from cards where type = 2")
    col.sched.set_due_date(learnt[::3], "0-40")
    ids = col.db.list("select id from cards")
    col.sched.suspend_cards(r.sample(ids, count // 40))
    col.sched.bury_cards(r.sample(ids, count // 60))
    for flag in range(1, 8):
        col.set_user_flag_for_cards(flag, r.sample(ids, 20))
    cram = col.sched.get_or_create_filtered_deck(0)
    cram.name = "Cram"
    cram.config.search_terms[0].search, cram.config.search_terms[0].limit = "deck:Top::D", 30
    col.sched.add_or_update_filtered_deck(cram)
    return col


def make_type(col, r, number):
    kind = col.models.new("T%d" % number)
    kind["type"] = 1 if r.random() < 0.4 else 0
    fields = r.sample(anki_notes.FIELDS, r.randint(1, 4))
    for field in fields:
        col.models.add_field(kind, col.models.new_field(field))
    for index in range(1 if kind["type"] else r.randint(1, 3)):
        made = col.models.new_template("Card %d" % (index + 1))
        shown = "{{cloze:%s}}" % fields[0] if kind["type"] else ""
        made["qfmt"], made["afmt"] = (anki_notes.template(r, fields) + shown for _ in range(2))
        col.models.add_template(kind, made)
    try:
        col.models.add(kind)
    except Exception:
        return None
    return col.models.by_name("T%d" % number)


CARD = "select n.guid, c.ord, c.type, c.queue, c.due, c.ivl, c.factor, c.reps, c.lapses, c.left, c.flags, c.data, c.id"
LOG = "select id, cid, ease, ivl, lastIvl, factor, time, type from revlog order by id"


def rows(col, home):
    """The data that must survive a round trip."""
    notes = {row[0]: tuple(row[1:]) for row in col.db.execute("select guid, id, mod, tags, flds, sfld, csum from notes")}
    cards = {}
    for guid, order, kind, queue, due, *rest in col.db.execute(CARD + " from cards c join notes n on n.id = c.nid"):
        if kind == 2 or queue == 3:
            due = day(col, due)
        cards[guid, order] = (kind, queue, due, *rest)
    decks = {(guid, order): name.replace("\x1f", "::") for guid, order, name in col.db.execute(
        "select n.guid, c.ord, d.name from cards c join notes n on n.id = c.nid join decks d on d.id = c.did")}
    types = {guid: name for guid, name in col.db.execute(
        "select n.guid, t.name from notes n join notetypes t on t.id = n.mid")}
    return {"notes": notes, "cards": cards, "decks": decks, "types": types, "log": [tuple(row) for row in col.db.execute(LOG)]}


def letters(text):
    return re.sub(r"\W", "", text)


def from_anki(program, folder, count, seed):
    r = random.Random(seed)
    os.makedirs(folder + "/anki")
    col = make_collection(folder + "/anki", r, count)
    packages = {}
    for legacy in (False, True):
        packages[legacy] = folder + ("/old.apkg" if legacy else "/new.apkg")
        options = ExportAnkiPackageOptions(with_scheduling=True, with_deck_configs=True, with_media=True, legacy=legacy)
        col.export_anki_package(out_path=packages[legacy], options=options, limit=None)
    # As an export does: filtered decks are emptied.
    col.sched.empty_filtered_deck(col.decks.id_for_name("Cram"))
    col.decks.remove([col.decks.id_for_name("Cram")])
    wanted = rows(col, folder)
    for legacy, package in packages.items():
        deckhand = Deckhand(program, folder + ("/in-old" if legacy else "/in-new"))
        print("in:", deckhand.run("deck", "import", "Top", package).splitlines()[0])
        again = deckhand.lines("deck", "import", "Top", package)[0]
        check("imported again", (again["added"], again["updated"], again["rejected_count"]), (0, 0, 0))
        cards = deckhand.lines("card", "list")
        check("cards", len(cards), len(wanted["cards"]))
        check_schedules(col, cards)
        check_places(wanted, cards)
        check_texts(col, cards)
        check_intervals(deckhand, col, folder, count // 4)
        check_back(deckhand, folder, wanted, legacy)
    print(f"in: {len(wanted['cards'])} cards of {len(wanted['types'])} notes of {len(set(wanted['types'].values()))} types, "
          f"{len(wanted['log'])} answers, latest and legacy")
    col.close()


def key(card):
    guid, _, number = card["guid"].rpartition("/")
    return (guid, int(number) - 1) if card["guid"] != card["note"] else (card["guid"], 0)


def check_places(wanted, cards):
    for card in cards:
        place = key(card)
        check("deck of %s %d" % place, card["deck"], wanted["decks"][place])
        kind, queue, due, ivl, factor, reps, lapses, left, flags, data, number = wanted["cards"][place]
        check("flag of %s %d" % place, card["flag"], flags & 7)
        check("burial of %s %d" % place, card["buried"], queue in (-2, -3))


def check_texts(col, cards):
    """The displayed letters must be those of Anki's page."""
    same = 0
    for card in cards:
        if card["prompt"] == "(blank)":
            continue
        guid, order = key(card)
        number = col.db.scalar("select c.id from cards c join notes n on n.id = c.nid where n.guid = ? and c.ord = ?", guid, order)
        try:
            html = col.get_card(number).question()
        except Exception:
            continue
        html = re.sub(r"(?s)<!--.*?-->|<(script|style).*?</\1>", "", html)
        if re.search(r"[<\[&]", re.sub(r"</?(b|div|br|hr|span|a)\b[^<>]*>", "", html)) or "hint" in html or "-->" in html:
            continue
        # Typed answers are handled elsewhere; a filter after `type` can cut off its brackets. After an unknown filter
        # Anki's desktop applies none, while its core and Deckhand go on.
        if "type:" in html or re.search(r"[^{}:]:(unknown|edit|nc):", col.get_card(number).template()["qfmt"]):
            continue
        same += 1
        shown = card["prompt"]
        text = re.sub(r"<[^>]*>", "", html)
        if "ankiweb" not in html and "no field" not in shown:
            check("prompt of %s %d (%s)" % (guid, order, html), letters(shown), letters(text))
    print(f"    {same} of {len(cards)} prompts compared letter by letter")


# The interval, in seconds, that each rating gives to each due or almost due card; nothing is saved.
INTERVALS = r"""
for _, deck in ipairs(decks.list()) do deck.options.fuzz = false end
local function show(options)
  local session = decks.open("Top"):study(options)
  while session and session.card do
    local card, seconds = session.card, {}
    for _, rating in ipairs{"again", "hard", "good", "easy"} do
      seconds[#seconds + 1] = string.format("%.0f", assert(session:answer(rating)).interval * 86400)
      assert(session:undo())
    end
    print(card.guid .. "\t" .. table.concat(seconds, "\t"))
    assert(session:bury())
  end
end
show{mode = "review", cram = true, query = "is:review prop:due<60", limit = tonumber(arg[1])}
show{mode = "review", limit = tonumber(arg[1])}
"""


def check_intervals(deckhand, col, folder, limit):
    """The next intervals must be those of Anki's scheduler, for each rating and each state."""
    with open(folder + "/intervals.lua", "w") as file:
        file.write(INTERVALS)
    shown = deckhand.run("--dry-run", "run", folder + "/intervals.lua", str(limit))
    states = {}
    for line in shown.splitlines():
        guid, *seconds = line.split("\t")
        if len(seconds) != 4:
            continue
        name, _, number = guid.rpartition("/")
        found = col.db.first("select c.id, c.type from cards c join notes n on n.id = c.nid where n.guid = ? and c.ord = 0", guid)
        if not found:
            found = col.db.first(
                "select c.id, c.type from cards c join notes n on n.id = c.nid where n.guid = ? and c.ord = ?", name, int(number) - 1)
        given = col._backend.get_scheduling_states(found[0])
        wanted = [next_interval(getattr(given, rating)) for rating in ("again", "hard", "good", "easy")]
        check("next intervals of " + guid, [int(second) for second in seconds], wanted)
        states[found[1]] = states.get(found[1], 0) + 1
    kinds = ["new", "learning", "review", "relearning"]
    print("    next intervals compared of " + ", ".join(f"{states[kind]} {kinds[kind]}" for kind in sorted(states)))
    check("whether cards in review were among them", states.get(2, 0) > 0, True)


def next_interval(state):
    """The interval in seconds that a rating gives."""
    normal = state.normal
    kind = normal.WhichOneof("kind")
    if kind == "learning":
        return normal.learning.scheduled_secs
    if kind == "relearning":
        return normal.relearning.learning.scheduled_secs
    return normal.review.scheduled_days * 86400


def check_back(deckhand, folder, wanted, legacy):
    package = folder + "/back.apkg"
    deckhand.run("deck", "export", "Top", package, "--with-schedule", "--format", "apkg-legacy" if legacy else "apkg")
    other = Collection(tempfile.mkdtemp(dir=folder) + "/c.anki2")
    other.set_config("fsrs", True)
    take_in(other, package)
    check_sound(other)
    seen = rows(other, folder)
    for what in wanted:
        if isinstance(wanted[what], dict):
            check(f"how many {what}", len(seen[what]), len(wanted[what]))
            for place in wanted[what]:
                check(f"{what} {place}", seen[what].get(place), wanted[what][place])
        else:
            check(what, seen[what], wanted[what])
    for name in ["p q.jpg", "s0.mp3"]:
        check(name, os.path.exists(other.media.dir() + "/" + name), True)
    other.close()


# A small collection, for the tests that run without Anki

def write_fixtures(folder):
    """Writes two packages of the same collection, one in each container format; the tests describe its content."""
    with tempfile.TemporaryDirectory() as place:
        col = Collection(place + "/c.anki2")
        col.set_config("fsrs", True)
        kind = col.models.new("Word")
        for field in ("Word", "Meaning", "Sound"):
            col.models.add_field(kind, col.models.new_field(field))
        for name, front, back in (("There", "{{Word}}", "{{FrontSide}}<hr id=answer>{{Meaning}} {{Sound}}"),
                                  ("Back", "{{Meaning}}", "{{FrontSide}}<hr id=answer>{{Word}}")):
            made = col.models.new_template(name)
            made["qfmt"], made["afmt"] = front, back
            col.models.add_template(kind, made)
        kind["css"] = ".card { color: navy; background: url(_paper.png) }"
        col.models.add(kind)
        config = col.decks.add_config("Slow")
        config["new"]["perDay"], config["desiredRetention"], config["new"]["delays"] = 7, 0.85, [1, 15, 60]
        col.decks.update_config(config)

        def add(kind, deck, guid, *fields, tags=()):
            note = col.new_note(col.models.by_name(kind))
            note.guid, note.fields, note.tags = guid, list(fields), list(tags)
            col.add_note(note, col.decks.id(deck))
            return [card.id for card in note.cards()]

        words = add("Word", "Spanish::Nouns", "word-1", "gato", '<img src="cat.png"> cat', "[sound:gato.mp3]", tags=["a::b", "c"])
        cloze = add("Cloze", "Spanish", "cloze-1", "La {{c1::casa}} es {{c2::grande::size}}", "")
        basics = [add("Basic", "Spanish", "basic-%d" % number, "q%d &amp; &lt;" % number, "a%d" % number)[0] for number in range(6)]
        for deck in col.decks.all():
            if deck["id"] != 1:
                deck["conf"] = config["id"]
                col.decks.save(deck)
        for name in ("cat.png", "gato.mp3", "_paper.png"):
            with open(col.media.dir() + "/" + name, "wb") as file:
                file.write(PNG + name.encode())
        for number, rating in ((basics[0], 4), (basics[1], 3), (basics[2], 4)):
            card = col.get_card(number)
            card.start_timer()
            col.sched.answerCard(card, rating)
        col.sched.set_due_date([basics[2]], "5")
        col.sched.suspend_cards([basics[3]])
        col.set_user_flag_for_cards(4, [basics[4]])
        cram = col.sched.get_or_create_filtered_deck(0)
        cram.name = "Cram"
        cram.config.search_terms[0].search, cram.config.search_terms[0].limit = "q5", 5
        col.sched.add_or_update_filtered_deck(cram)
        for legacy in (False, True):
            options = ExportAnkiPackageOptions(with_scheduling=True, with_deck_configs=True, with_media=True, legacy=legacy)
            col.export_anki_package(out_path=folder + ("/legacy.apkg" if legacy else "/latest.apkg"), options=options, limit=None)
        col.close()


def main():
    if sys.argv[1] == "--fixtures":
        return write_fixtures(sys.argv[2])
    program = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 3000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with tempfile.TemporaryDirectory() as folder:
        from_deckhand(program, folder, seed)
        from_anki(program, folder, count, seed)
    print("equal")


if __name__ == "__main__":
    main()
