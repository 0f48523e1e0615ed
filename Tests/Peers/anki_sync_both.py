#!/usr/bin/env python3
"""Deckhand and a real Anki change one collection and sync it through the server in Anki's own package.

    VENV/bin/python Tests/Peers/anki_sync_both.py .build/debug/deckhand [ROUNDS] [SEED] [PART,...]

Tests each row of SyncRules.md, "Merging", in both orders, syncs that end at any call, a final call whose response is lost,
and ROUNDS rounds of random changes on both sides. After each test all rows of both sides are equal, and Anki's database
check has nothing to repair. Ends with an error at the first difference.
"""
import http.client
import http.server
import json
import os
import random
import shutil
import signal
import socketserver
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import anki_noon  # noqa: F401, before Anki
from anki.collection import Collection

from anki_packages import Deckhand, check
from anki_sync import PASSWORD, USER, Client, Server, compare, fill

HERE = os.path.dirname(os.path.abspath(__file__))


class Between(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """A proxy for the server; call number `fails_at` is cut off, before or after it reached the server."""
    daemon_threads = True

    def __init__(self, server):
        self.upstream, self.fails_at, self.after, self.calls = server.port, None, False, []
        super().__init__(("127.0.0.1", 0), BetweenHandler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        pass


class BetweenHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        server = self.server
        number = len(server.calls)
        server.calls.append(self.path.split("/")[-1])
        if number == server.fails_at and not server.after:
            self.close_connection = True
            return
        link = http.client.HTTPConnection("127.0.0.1", server.upstream)
        link.request("POST", self.path, body, {k: v for k, v in self.headers.items() if k.lower() != "host"})
        answer = link.getresponse()
        content = answer.read()
        if number == server.fails_at:
            self.close_connection = True
            return
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() in ("anki-original-size", "content-type"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class Pair:
    """Both clients of one server."""

    def __init__(self, program, folder, rng, count, before=lambda pair: None):
        self.program, self.folder, self.rng = program, folder, rng
        self.server = Server(folder + "/server")
        self.between = Between(self.server)
        self.anki = Client(self.server, folder + "/anki.anki2")
        fill(self.anki.col, count, rng)
        # Answers given faster than one per millisecond get ids in the future, sometimes in the next second.
        self.anki.col.fix_integrity()
        self.anki.sync(upload=True)
        self.deckhand = Deckhand(program, folder + "/deckhand")
        before(self)
        secret = folder + "/password"
        with open(secret, "w") as file:
            file.write(PASSWORD)
        os.chmod(secret, 0o600)
        self.deckhand.run("sync", "login", f"http://127.0.0.1:{self.between.server_address[1]}/", "--user", USER,
                          "--server-password-file", secret)
        self.deckhand.run("sync")

    @property
    def col(self):
        return self.anki.col

    def settle(self, what, deckhand_first):
        """Syncs both until neither has anything to send; then they must be equal."""
        findings = []
        if deckhand_first:
            findings += self.deckhand.lines("sync")[0]["findings"]
            self.anki.sync()
        else:
            self.anki.sync()
        findings += self.deckhand.lines("sync")[0]["findings"]
        self.anki.sync()
        again = self.deckhand.lines("sync")[0]
        check(f"{what}: nothing more", (again["received"], again["sent"]), (0, 0))
        self.same(what)
        return findings

    def same(self, what):
        # Anki's window does this after a sync.
        self.col.models._clear_cache()
        compare(self.deckhand, self.col, what)
        check(f"{what}: unsent", self.deckhand.lines("sync", "status")[0]["unsent"], 0)
        # The check itself would be a change.
        self.col.db.execute("pragma wal_checkpoint")
        copy = self.folder + "/copy.anki2"
        for end in ["", "-wal"]:
            if os.path.exists(self.folder + "/anki.anki2" + end):
                shutil.copy(self.folder + "/anki.anki2" + end, copy + end)
        twin = Collection(copy)
        problems, _ = twin.fix_integrity()
        check(f"{what}: Anki's check", problems, "Database rebuilt and optimized.")
        twin.close()
        for end in ["", "-wal", "-shm"]:
            if os.path.exists(copy + end):
                os.remove(copy + end)

    def lua(self, code):
        return self.deckhand.run("-e", code)

    def note(self, deck="Spanish", front="vorne", back="hinten", kind="Basic"):
        """Creates a note on Anki's side and syncs it to both."""
        note = self.col.new_note(self.col.models.by_name(kind))
        note.fields[0], note.fields[1] = front, back
        self.col.add_note(note, self.col.decks.id(deck))
        return note

    def answer(self, card_id, rating=2):
        card = self.col.get_card(card_id)
        card.start_timer()
        states = self.col._backend.get_scheduling_states(card_id)
        self.col.sched.answer_card(self.col.sched.build_answer(card=card, states=states, rating=rating))


def find(front):
    return f'local c for _, d in ipairs(decks.list()) do for x in d:cards(\'"{front}"\') do c = x end end '


# The first sync, with cards on both sides, and with an empty server

def own(pair):
    """An account has cards before it is linked, one of them of a note that Anki has too."""
    note = pair.note(front="haben beide", back="von dort")
    pair.anki.sync()
    time.sleep(1.1)
    pair.lua('local d = decks.create("Spanish") for i = 1, 30 do d:add{prompt = "eigen " .. i, answer = "<a> & b\\n" .. i, '
             'tags = {"t" .. i %% 3}} end d:add_note{type = "Basic", guid = "%s", fields = {Front = "haben beide", '
             'Back = "von hier, später"}} decks.create("Meins::Innen"):add_note{type = "Cloze", '
             'fields = {Text = "{{c1::a}} {{c2::b}}"}} local s = d:study{mode = "review", limit = 5} '
             'while s.card do s:answer("good") end d.options.new_per_day = 11' % note.guid)


def first(pair):
    pair.settle("the first sync with cards on both sides", True)
    check("one note", [pair.col.get_note(id).fields[1] for id in pair.col.find_notes('"haben beide"')],
          ["von hier, später"])
    check("one deck", len([d for d in pair.col.decks.all_names_and_ids() if d.name.startswith("Spanish")]), 2)
    print("  cards on both sides", flush=True)


def empty(program, folder, pairs):
    class Bare:
        server = Server(folder + "/server")
    pairs.append(Bare)
    deckhand = Deckhand(program, folder + "/deckhand")
    deckhand.run("-e", 'local d = decks.create("Mein::Stapel") for i = 1, 2500 do d:add{prompt = "p" .. i, answer = "a"} end '
                 'local s = d:study{mode = "review", limit = 5} while s.card do s:answer("easy") end')
    with open(folder + "/password", "w") as file:
        file.write(PASSWORD)
    os.chmod(folder + "/password", 0o600)
    deckhand.run("sync", "login", Bare.server.address, "--user", USER, "--server-password-file", folder + "/password")
    deckhand.run("sync")
    anki = Client(Bare.server, folder + "/anki.anki2")
    anki.sync(upload=False)
    compare(deckhand, anki.col, "an empty server")
    check("Anki's check", anki.col.fix_integrity(), ("Database rebuilt and optimized.", True))
    check("cards", anki.col.card_count(), 2500)
    print("  an empty server", flush=True)


# Which side wins

def cases(pair, first):
    """Tests each row of the table, with Deckhand syncing first or second."""
    name = "Deckhand first" if first else "Anki first"

    def step(what):
        findings = pair.settle(f"{name}: {what}", first)
        print(f"  {name}: {what}" + (f" [{'; '.join(findings)}]" if findings else ""), flush=True)
        return findings

    # A plain card, a note, a deck, tags, an answer from here.
    pair.lua('decks.create("Von hier::Innen"):add{prompt = "schlicht <1> & co", answer = "zwei\\nZeilen", '
             'tags = {"nur::hier"}} decks.open("Spanish"):add_note{type = "Basic (and reversed card)", '
             'fields = {Front = "von <b>hier</b>", Back = "b"}}')
    step("new cards from here")
    check("the tag is listed", "nur::hier" in pair.col.tags.all(), True)
    pair.lua('local s = decks.open("Von hier"):study{mode = "review"} s:answer("good")')
    step("an answer from here")
    check("the answer there", len(pair.col.db.all(
        "select 1 from revlog where cid in (select id from cards where nid in (select id from notes where flds like "
        "'schlicht%'))")), 1)

    # Deleted here and changed there, and vice versa.
    one, two = pair.note(front="lösch eins"), pair.note(front="lösch zwei")
    step("two notes from there")
    pair.lua(find("lösch eins") + "c:remove()")
    one = pair.col.get_note(one.id)
    one.fields[1] = "später"
    pair.col.update_note(one)
    pair.col.remove_notes([two.id])
    pair.lua(find("lösch zwei") + 'c.answer = "hier geändert"')
    step("deleted and changed")
    check("both are gone", [*pair.col.find_notes('"lösch eins"'), *pair.col.find_notes('"lösch zwei"')], [])

    # Both changed a note: the later change wins.
    note = pair.note(front="beide")
    step("a note")
    pair.lua(find("beide") + 'c.answer = "von hier, früher"')
    time.sleep(1.1)
    note = pair.col.get_note(note.id)
    note.fields[1] = "von dort, später"
    pair.col.update_note(note)
    step("changed there later")
    check("theirs", pair.col.get_note(note.id).fields[1], "von dort, später")
    note = pair.col.get_note(note.id)
    note.fields[1] = "von dort, früher"
    pair.col.update_note(note)
    time.sleep(1.1)
    pair.lua(find("beide") + 'c.answer = "von hier, später"')
    step("changed here later")
    check("ours", pair.col.get_note(note.id).fields[1], "von hier, später")

    # Within one second. An Anki that syncs second keeps its own, and its server ours: two Ankis do the same.
    if not first:
        time.sleep(1 - time.time() % 1 + 0.01)
        note = pair.col.get_note(note.id)
        note.fields[1] = "dort, gleich"
        pair.col.update_note(note)
        pair.lua(find("beide") + 'c.answer = "hier, gleich"')
        step("changed in one second")

    # Both answered.
    card = note.cards()[0].id
    pair.answer(card)
    time.sleep(1.1)
    pair.lua(f'local s = decks.open("Spanish"):study{{mode = "review", query = "beide"}} if s.card then s:answer("easy") end')
    rows = len(pair.col.db.all(f"select 1 from revlog where cid = {card}"))
    step("answered on both sides")
    check("both rows of the log", len(pair.col.db.all(f"select 1 from revlog where cid = {card}")) >= rows, True)

    # Answered here and marked there later: both stay. An Anki that syncs second keeps its own row whole.
    if not first:
        card = pair.note(deck="Merken", front="gemerkt").cards()[0].id
        step("a card")
        pair.lua('local s = decks.open("Merken"):study{mode = "review"} assert(s.card and s:answer("good"))')
        time.sleep(1.1)
        pair.col.set_user_flag_for_cards(3, [card])
        step("answered here, marked there later")
        kind, flags = pair.col.db.first(f"select type, flags from cards where id = {card}")
        check("the answer and the flag", (kind > 0, flags & 7), (True, 3))

    # Both created a deck. An Anki that syncs second gets another one: two Ankis do the same.
    pair.lua('decks.create("Gleich::Innen"):add{prompt = "gleich hier", answer = "x"}')
    if not first:
        pair.note(deck="Gleich::Innen", front="gleich dort")
        step("a deck of one name on both sides")
        check("one deck", [d.name for d in pair.col.decks.all_names_and_ids() if d.name.startswith("Gleich::")],
              ["Gleich::Innen"])

    # A local card of a note that is deleted there, and one in a deck that is.
    kind = "Basic (and reversed card)"
    type_ = pair.col.models.by_name("Basic (optional reversed card)")
    note = pair.col.new_note(type_)
    note.fields[0], note.fields[1] = "verwaist", "y"
    pair.col.add_note(note, pair.col.decks.id("Spanish"))
    step("a note with a card to come")
    pair.lua(find("verwaist") + 'c.note.fields["Add Reverse"] = "y"')
    pair.col.remove_notes([note.id])
    step("an own card of a note that was deleted there")
    pair.note(deck="Weg", front="im Weg")
    step("a deck")
    pair.lua('decks.open("Weg"):add{prompt = "noch da", answer = "x"}')
    pair.col.decks.remove([pair.col.decks.id("Weg")])
    step("an own card in a deck that was deleted there")
    check("the card is there", len(pair.col.find_notes('"noch da"')), 1)

    # Renamed decks.
    pair.col.decks.rename(pair.col.decks.id("Größe"), "Länge")
    pair.lua('decks.open("Spanish::Verbs").name = "Spanish::Verben"')
    step("decks with new names")
    a, b = pair.col.decks.id("Tausch A"), pair.col.decks.id("Tausch B")
    step("two decks")
    # A name that another deck gives up. (Two decks that swap names become different in every client of the server:
    # each client handles one deck after the other.)
    pair.lua('local a, b = decks.open("Tausch A"), decks.open("Tausch B") a.name = "Tausch C" b.name = "Tausch A"')
    step("a deck that takes the name of another one")
    check("names", (pair.col.decks.name(a), pair.col.decks.name(b)), ("Tausch C", "Tausch A"))
    if not first:
        pair.lua('decks.open("Tausch A").name = "Tausch X"')
        pair.col.decks.rename(a, "Tausch X")
        step("two decks of one new name")
    pair.col.decks.remove([a, b])
    step("both go")

    # Templates, CSS, options; a removed deck.
    model = pair.col.models.by_name("Basic")
    model["css"] += "\n.x {}"
    model["tmpls"][0]["qfmt"] = "{{Front}}<br>" if first else "{{Front}}"
    pair.col.models.update_dict(model)
    pair.lua('decks.open("Spanish").options.new_per_day = 33 decks.remove("Gleich")')
    step("templates there, options and a removed deck here")
    pair.lua('notetypes.create{name = "Von hier %s", fields = {"A", "B"}, cards = {{name = "K", front = "{{A}}", '
             'back = "{{B}}"}}} decks.open("Spanish"):add_note{type = "Von hier %s", fields = {A = "1", B = "2"}}'
             % (first, first))
    step("a note type from here")

    # Restored after the deletion was sent: new ids, the same guid, and it can be deleted again.
    pair.lua('decks.open("Spanish"):add{prompt = "kommt zurück", answer = "x", guid = "zurück%s"}' % first)
    step("a card that will come back")
    for is_last in (False, True):
        pair.lua(find("kommt zurück") + "c:remove()")
        removal = pair.deckhand.lines("undo", "--list")[0]["step"]
        step("the card goes")
        check("it is gone", [*pair.col.find_notes('"kommt zurück"')], [])
        if is_last:
            # The syncs are undone too: the card is as it was before its deletion was sent.
            done = [one["step"] for one in pair.deckhand.lines("undo", "--list") if not one["undone"]]
            for _ in done[:done.index(removal)]:
                pair.deckhand.run("undo")
        pair.deckhand.run("undo", str(removal))
        step("it comes back")
        back = [*pair.col.find_notes('"kommt zurück"')]
        check("it is there", [pair.col.get_note(id).guid for id in back], [f"zurück{first}"])

    # A sync that is undone here: the server keeps what it received, and the next sync brings it again.
    pair.lua('decks.open("Spanish"):add{prompt = "hier genommen", answer = "x"}')
    pair.note(front="dort genommen")
    pair.anki.sync()
    pair.deckhand.run("sync")
    pair.deckhand.run("undo")
    step("a sync that was taken back")
    check("once", [len(pair.col.find_notes(text)) for text in ('"hier genommen"', '"dort genommen"')], [1, 1])


def shapes(pair):
    """Changes after which every device must download everything."""
    # There, with unsent changes here.
    pair.note(front="hat drei Felder")
    pair.settle("before", False)
    time.sleep(1.1)
    pair.lua(find("hat drei Felder") + 'c.answer = "hier" decks.open("Spanish"):add{prompt = "bleibt", answer = "x"} '
             'local s = decks.open("Spanish"):study{mode = "review"} s:answer("good")')
    col = pair.col
    model = col.models.by_name("Basic")
    col.models.add_field(model, col.models.new_field("Dritte"))
    col.models.update_dict(model)
    pair.anki.sync(upload=True)
    report = pair.deckhand.lines("sync")[0]
    check("no card went", report["removed_here"], 0)
    # The new field changes every note of the type there later than here.
    with open(report["set_aside"]) as file:
        check("what was set aside", [note["fields"]["Back"] for note in json.load(file)], ["hier"])
    pair.settle("a field more there", False)
    check("what is here stays", len(col.find_notes("bleibt")), 1)
    print("  a field more there, with changes here", flush=True)

    # A field removed there with unsent local text; and a note that no longer exists there.
    pair.lua(find("hat drei Felder") + 'c.note.fields.Dritte = "geht verloren"')
    model = col.models.by_name("Basic")
    col.models.remove_field(model, model["flds"][2])
    col.models.update_dict(model)
    col.remove_notes([col.find_notes("")[0]])
    pair.anki.sync(upload=True)
    pair.deckhand.run("sync", fails=True)
    child = subprocess.run(
        ["script", "-qec", f"{pair.program} --json sync", "/dev/null"], input="y\n", text=True, capture_output=True,
        env=dict(os.environ, HOME=pair.deckhand.folder, NO_COLOR="1", TERM="dumb"))
    path = [part for part in child.stdout.split('"') if "not-synced" in part]
    check("a file of what was set aside", len(path), 1)
    with open(path[0]) as file:
        check("what was set aside", [note["fields"].get("Dritte") for note in json.load(file)], ["geht verloren"])
    pair.settle("a field less there", False)
    print("  a field less there, with a text here", flush=True)

    # Here: refused, undone, and sent after that.
    pair.lua('notetypes.open("Cloze"):update{fields = {"Text", "Back Extra", "Mehr"}}')
    pair.deckhand.run("sync", fails=True)
    pair.deckhand.run("undo")
    pair.settle("a field less again", True)
    print("  a field more here: refused, taken back", flush=True)

    # An upload: only when needed, and only if the number of cards to be lost is given.
    pair.deckhand.run("sync", "--full", "upload", "--replace", str(col.card_count()), fails=True)
    pair.lua('notetypes.open("Cloze"):update{fields = {"Text", "Back Extra", "Mehr"}} '
             'decks.open("Spanish"):add_note{type = "Cloze", fields = {Text = "{{c1::neu}}", Mehr = "m"}}')
    pair.deckhand.run("sync", "--full", "upload", fails=True)
    pair.deckhand.run("sync", "--full", "upload", "--replace", "1", fails=True)
    digest = pair.server.digest()
    pair.deckhand.run("--dry-run", "sync", "--full", "upload", "--replace", str(col.card_count()))
    check("the server after a rehearsal", pair.server.digest(), digest)
    report = pair.deckhand.lines("sync", "--full", "upload", "--replace", str(col.card_count()))[0]
    check("what it had is kept", os.path.getsize(report["backup"]) > 1000, True)
    pair.anki.sync(upload=False)
    check("the field there", [f["name"] for f in col.models.by_name("Cloze")["flds"]], ["Text", "Back Extra", "Mehr"])
    pair.settle("after an upload", True)
    print("  an upload", flush=True)


# Failures

def broken(pair):
    """A sync that fails at any of its calls leaves both as they were; the next one does everything, once."""
    between = pair.between
    for after in (False, True):
        number = 0
        while True:
            pair.lua(f'decks.open("Spanish"):add{{prompt = "bricht {after} {number}", answer = "x"}} '
                     f'local s = decks.open("Spanish"):study{{mode = "review"}} if s.card then s:answer("good") end')
            pair.note(front=f"dort {after} {number}")
            pair.anki.sync()
            digest = pair.server.digest()
            between.calls, between.fails_at, between.after = [], number, after
            before = pair.deckhand.lines("card", "list", "--limit", "100000")
            try:
                pair.deckhand.run("sync")
                done = True
            except AssertionError:
                done = False
            calls, between.fails_at = between.calls, None
            ended = after and len(calls) > number and calls[number] == "finish"
            if not done:
                check(f"what is here after a sync that broke at {calls[number]}",
                      pair.deckhand.lines("card", "list", "--limit", "100000"), before)
                if not ended:
                    check(f"the server after a sync that broke at {calls[number]}", pair.server.digest(), digest)
            pair.settle(f"after a sync that broke at call {number}", True)
            if done and number >= len(calls):
                break
            number += 1
        print(f"  broken {'after' if after else 'before'} each of {number} calls: {' '.join(calls)}", flush=True)
    for number in (signal.SIGINT, signal.SIGKILL) * 3:
        pair.lua(f'for i = 1, 40 do decks.open("Spanish"):add{{prompt = "k" .. i .. "{time.time()}", answer = "x"}} end')
        child = subprocess.Popen([pair.program, "sync"], env=dict(os.environ, HOME=pair.deckhand.folder, NO_COLOR="1"),
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(pair.rng.uniform(0.02, 0.5))
        child.send_signal(number)
        child.wait()
        pair.settle("after a sync that was ended", True)


# Random changes

def anki_changes(pair, rng, seed):
    col = pair.col
    for number in range(rng.randrange(1, 8)):
        cards = list(col.find_cards(""))
        card = rng.choice(cards)
        note = col.get_card(card).note()
        kind = rng.randrange(18)
        if kind == 0:
            pair.note(deck=rng.choice(["Spanish", "Anki hier", "Anki::Innen"]), front=f"anki {seed} {number}")
        elif kind == 1:
            note.fields[1] = f"dort {seed} {number}"
            col.update_note(note)
        elif kind == 2:
            note.tags = [*note.tags, f"dort{rng.randrange(4)}"]
            col.update_note(note)
        elif kind in (3, 4, 5):
            if col.get_card(card).queue >= 0:
                pair.answer(card, rng.randrange(4))
        elif kind == 6:
            col.sched.suspend_cards([card])
        elif kind == 7:
            col.sched.unsuspend_cards([card])
        elif kind == 8:
            col.sched.bury_cards([card])
        elif kind == 9:
            col.set_user_flag_for_cards(rng.randrange(8), [card])
        elif kind == 10 and len(cards) > 60:
            col.remove_notes([note.id])
        elif kind == 11:
            decks = [d for d in col.decks.all_names_and_ids() if d.id != 1 and not col.decks.is_filtered(d.id)]
            if decks:
                col.decks.rename(rng.choice(decks).id, f"Anki {seed} {number}")
        elif kind == 12:
            normal = [d for d in col.decks.all_names_and_ids() if not col.decks.is_filtered(d.id)]
            col.set_deck([card], rng.choice(normal).id)
        elif kind == 13:
            decks = [d for d in col.decks.all_names_and_ids() if d.id != 1 and col.decks.card_count(d.id, True) < 15]
            if decks and len(cards) > 80:
                col.decks.remove([rng.choice(decks).id])
        elif kind == 14:
            col.sched.schedule_cards_as_new([card])
        elif kind == 15:
            filtered = [d.id for d in col.decks.all_names_and_ids() if col.decks.is_filtered(d.id)]
            if filtered:
                rng.choice([col.sched.rebuild_filtered_deck, col.sched.empty_filtered_deck])(filtered[0])
        elif kind == 16:
            col.sched.reposition_new_cards([card], rng.randrange(50), 1, False, rng.random() < 0.5)
        elif kind == 17:
            config = rng.choice(col.decks.all_config())
            config["new"]["perDay"], config["name"] = rng.randrange(40), f"{config['name'][:20]} {number}"
            col.decks.update_config(config)


def by_chance(pair, rounds, rng, seed):
    for number in range(rounds):
        one = seed * 100_000 + number
        deckhand_first = rng.random() < 0.5

        def pause():
            # Two changes within one second, and Anki syncs second: it and its server stay different.
            if deckhand_first:
                time.sleep(1.01 - time.time() % 1)

        try:
            if rng.random() < 0.9:
                pair.deckhand.run("run", HERE + "/sync_changes.lua", str(one), str(rng.randrange(1, 8)))
            pause()
            if rng.random() < 0.9:
                anki_changes(pair, rng, one)
            pause()
            pair.settle(f"round {number}", deckhand_first)
        except Exception:
            print(f"at round {number} of seed {seed}")
            raise


PARTS = ["first", "cases", "shapes", "broken", "chance"]


def side_by_side(program, rounds, seed):
    """Runs each part in its own process: the parts are independent, and each waits for its server most of the time."""
    children = [
        (part, subprocess.Popen([sys.executable, __file__, program, str(rounds), str(seed), part], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
        for part in PARTS
    ]
    failed = []
    for part, child in children:
        print(child.communicate()[0], end="", flush=True)
        failed += [part] if child.returncode != 0 else []
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def run(part, program, folder, rounds, seed, pairs):
    rng = random.Random(seed)

    def made(name, before=lambda pair: None):
        os.mkdir(f"{folder}/{name}")
        pairs.append(Pair(program, f"{folder}/{name}", rng, 60, before))
        return pairs[-1]

    if part == "first":
        first(made("first", own))
        os.mkdir(f"{folder}/empty")
        empty(program, f"{folder}/empty", pairs)
    elif part == "cases":
        cases(made("anki"), False)
        cases(made("deckhand"), True)
    elif part == "shapes":
        shapes(made(part))
    elif part == "broken":
        broken(made(part))
    else:
        by_chance(made(part), rounds, rng, seed)


def main():
    program, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 60
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    if len(sys.argv) <= 4:
        side_by_side(program, rounds, seed)
        return print(f"sync both ways: {', '.join(PARTS)}; {rounds} rounds by chance, every row of both sides equal")
    for part in sys.argv[4].split(","):
        with tempfile.TemporaryDirectory() as folder:
            pairs = []
            try:
                run(part, program, folder, rounds, seed, pairs)
            finally:
                for pair in pairs:
                    pair.server.stop()


if __name__ == "__main__":
    main()
