#!/usr/bin/env python3
"""Syncs Deckhand with the sync server in Anki's own package, which a real Anki client fills.

    python3 -m venv VENV && VENV/bin/pip install anki
    VENV/bin/python Tests/Peers/anki_sync.py .build/debug/deckhand [NOTES] [SEED]

The server's data is compared row by row with Deckhand's; the server's own file must be unchanged.
Prints what was compared; ends with an error at the first difference.
"""
import hashlib
import json
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import anki_noon  # noqa: F401, before Anki
from anki.collection import Collection

from anki_packages import Deckhand, check

USER, PASSWORD = "ana", "ein:geheimes Wort"


class Server:
    """The real sync server, on a port of its own."""

    def __init__(self, folder, **more):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        for _ in range(5):
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                self.port = probe.getsockname()[1]
            self.address = f"http://127.0.0.1:{self.port}/"
            # Until the server has started, another program may take the port.
            if self.starts(**more):
                return
        raise AssertionError("the server did not start")

    def start(self, **more):
        """Starts it again at its port."""
        if not self.starts(**more):
            raise AssertionError("the server did not start")

    def starts(self, **more):
        """Waits until it answers; returns False if it ended instead."""
        variables = dict(os.environ, SYNC_USER1=f"{USER}:{PASSWORD}", SYNC_BASE=self.folder, SYNC_HOST="127.0.0.1",
                         SYNC_PORT=str(self.port), **more)
        self.process = subprocess.Popen([sys.executable, "-m", "anki.syncserver"], env=variables,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while self.process.poll() is None:
            try:
                urllib.request.urlopen(self.address + "health", timeout=1)
                return True
            except OSError:
                time.sleep(0.1)
        return False

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def digest(self):
        """Queries the server's collection."""
        # The server keeps its file locked.
        copy = os.path.join(self.folder, "copy.anki2")
        for end in ["", "-wal"]:
            path = os.path.join(self.folder, USER, "collection.anki2" + end)
            if os.path.exists(path):
                shutil.copy(path, copy + end)
        db = sqlite3.connect(copy)
        db.create_collation("unicase", lambda a, b: (a.lower() > b.lower()) - (a.lower() < b.lower()))
        rows = []
        for table in ["col", "notes", "cards", "revlog", "decks", "deck_config", "notetypes", "graves", "tags"]:
            rows.append((table, sorted(map(repr, db.execute(f"SELECT * FROM {table}")))))
        db.close()
        for end in ["", "-wal", "-shm"]:
            if os.path.exists(copy + end):
                os.remove(copy + end)
        return hashlib.sha256(repr(rows).encode()).hexdigest()


class Client:
    """A real Anki with a collection of its own."""

    def __init__(self, server, path):
        self.col = Collection(path)
        self.auth = self.col.sync_login(USER, PASSWORD, server.address)

    def sync(self, upload=None):
        """Runs a normal sync, or a one-way sync if asked for."""
        if upload is not None:
            self.col.close_for_full_sync()
            self.col.full_upload_or_download(auth=self.auth, server_usn=None, upload=upload)
            self.col.reopen(after_full_sync=True)
            return
        out = self.col.sync_collection(self.auth, False)
        check("what the sync wants", out.required in (out.NO_CHANGES, out.NORMAL_SYNC), True)


def fill(col, count, rng):
    """Creates notes of every kind of type, answered cards, decks, presets, flags, and suspended, buried, filtered and deleted cards."""
    decks = [col.decks.id(name) for name in ["Spanish", "Spanish::Verbs", "Größe::ä b", "Empty", "Default"]]
    preset = col.decks.add_config_returning_id("Slow & “careful”")
    config = col.decks.get_config(preset)
    config["new"]["perDay"], config["desiredRetention"] = 7, 0.85
    col.decks.update_config(config)
    spanish = col.decks.get(decks[0])
    spanish["conf"], spanish["newLimit"] = preset, 3
    col.decks.save(spanish)
    types = [t for t in col.models.all() if "Occlusion" not in t["name"]]
    own = col.models.new("Ünïcode type")
    for name in ["Wort", "Bild", "Leer"]:
        col.models.add_field(own, col.models.new_field(name))
    for front, back in [("{{Wort}}", "{{Bild}}"), ("{{#Leer}}{{Leer}}{{/Leer}}", "{{Wort}}")]:
        template = col.models.new_template(f"T {front[:9]}")
        template["qfmt"], template["afmt"] = front, back
        col.models.add_template(own, template)
    col.models.add(own)
    types.append(col.models.by_name("Ünïcode type"))
    for number in range(count):
        kind = rng.choice(types)
        note = col.new_note(kind)
        for index in range(len(note.fields)):
            text = rng.choice(["Wort {n} <b>fett</b>", "palabra {n}", "語{n}[ご]", "a &amp; b {n}"])
            note.fields[index] = text.format(n=number)
        if kind["type"] == 1:
            note.fields[0] = f"{{{{c1::eins {number}}}}} und {{{{c2::zwei::hint}}}}"
        note.tags = rng.sample(["a", "b::c", "größe"], rng.randrange(3))
        col.add_note(note, rng.choice(decks))
    col.set_config("fsrs", True)
    cards = col.find_cards("")
    for card_id in rng.sample(list(cards), min(len(cards), max(10, count // 2))):
        for _ in range(rng.randrange(1, 3)):
            card = col.get_card(card_id)
            card.start_timer()
            states = col._backend.get_scheduling_states(card_id)
            rating = rng.randrange(4)
            answer = col.sched.build_answer(card=card, states=states, rating=rating)
            col.sched.answer_card(answer)
    sample = rng.sample(list(cards), 8)
    col.sched.suspend_cards(sample[:2])
    col.sched.bury_cards(sample[2:4])
    col.set_user_flag_for_cards(3, sample[4:6])
    answered = list(col.find_cards("-is:new"))
    col.remove_notes([col.get_card(answered[0]).nid])
    filtered = col.sched.get_or_create_filtered_deck(0)
    filtered.name = "Cram"
    filtered.config.search_terms[0].search = "deck:Spanish"
    filtered.config.search_terms[0].limit = 5
    col.sched.add_or_update_filtered_deck(filtered)


def known(seen, wanted):
    """Removes the members that only one of them has: Anki adds some of its own."""
    if isinstance(seen, dict) and isinstance(wanted, dict):
        both = {key: known(seen[key], wanted[key]) for key in seen
                if key in wanted and key not in ("req", "usn")}
        return {key: pair[0] for key, pair in both.items()}, {key: pair[1] for key, pair in both.items()}
    if isinstance(seen, list) and isinstance(wanted, list) and len(seen) == len(wanted):
        pairs = [known(*pair) for pair in zip(seen, wanted)]
        return [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return seen, wanted


def deckhand_ids(deckhand):
    """Maps the card ids there to those here."""
    db = sqlite3.connect(f"file:{collection(deckhand)}?mode=ro", uri=True)
    found = dict(db.execute("SELECT id, id FROM cards"))
    db.close()
    return found


def collection(deckhand):
    for place, _, files in os.walk(deckhand.folder):
        if "collection.sqlite" in files and "backups" not in place:
            return os.path.join(place, "collection.sqlite")
    raise AssertionError("no collection")


def compare(deckhand, col, what):
    """Compares every note, card and log row of both sides."""
    db = sqlite3.connect(f"file:{collection(deckhand)}?mode=ro", uri=True)
    # The stored copies of the server's rows are unchanged.
    kept = {(kind, key): json.loads(text) for kind, key, text in db.execute("SELECT kind, id, json FROM server_rows")}
    notes = col.db.all("SELECT id, guid, mid, mod, tags, flds, '', '', 0, '' FROM notes")
    for row in notes:
        # Without the USN.
        seen = kept.pop((1, row[0]))
        check(f"{what}: note {row[0]}", seen[:4] + seen[5:], list(row))
    cards = col.db.all("SELECT id, nid, did, ord, mod, 0, type, queue, due, ivl, factor, reps, lapses, left, odue, odid,"
                       " flags, data FROM cards")

    def parsed(row):
        # Without the USN. Anki writes the members of the memory state in its own order.
        return [*row[:5], 0, *row[6:17], json.loads(row[17] or "{}")]

    for row in cards:
        check(f"{what}: card {row[0]}", parsed(kept.pop((0, row[0]))), parsed(row))
    types = {t["id"]: t for t in col.models.all()}
    for key, type_ in types.items():
        seen = kept.pop((3, key))
        check(f"{what}: type {key}", *known(seen, type_))
    for deck in col.decks.all():
        seen = kept.pop((2, deck["id"]))
        check(f"{what}: deck {deck['id']}", *([d["name"], d["dyn"]] + [d.get(key) for key in (
            "conf", "newLimit", "reviewLimit", "desiredRetention")] for d in (seen, deck)))
    for preset in col.decks.all_config():
        check(f"{what}: preset {preset['name']}", *known(kept.pop((4, preset["id"])), preset))
    # The log is in its own table.
    log = {row[0]: (row[1], list(row[2:])) for row in
           db.execute("SELECT id, card, rating, ivl, last_ivl, factor, time, kind FROM reviews WHERE usn >= 0")}
    rows = col.db.all("SELECT id, cid, ease, ivl, lastIvl, factor, time, type FROM revlog")
    for row in rows:
        if (5, row[0]) in kept:
            seen = kept.pop((5, row[0]))
            check(f"{what}: log {row[0]}", [seen[1]] + seen[3:], list(row[1:]))
        else:
            check(f"{what}: log {row[0]}", log.pop(row[0]), (row[1], list(row[2:])))
    check(f"{what}: log rows too many", log, {})
    kept.pop((6, 0), None), kept.pop((7, 0), None)
    check(f"{what}: rows too many", kept, {})
    # Studying here shows the same.
    states = {0: 0, 1: 1, 2: 2, 3: 3}
    here = {row[0]: row[1:] for row in db.execute(
        "SELECT c.id, d.name, c.state, c.suspended, c.flag, c.reps, c.lapses, n.id, n.fields, n.tags, c.due"
        " FROM cards c JOIN decks d ON d.id = c.deck JOIN notes n ON n.id = c.note")}
    check(f"{what}: cards here", len(here), len(cards))
    for row in cards:
        seen = here[row[0]]
        home = row[15] or row[2]
        note = col.get_note(row[1])
        check(f"{what}: card {row[0]} here",
              (seen[0], seen[1], seen[2], seen[3], seen[4] if row[6] else 0, seen[5] if row[6] else 0, seen[6], seen[7]),
              (col.decks.name(home), states[row[6]], int(row[7] == -1), row[16] & 7, row[11] if row[6] else 0,
               row[12] if row[6] else 0, row[1], "\x1f".join(note.fields)))
        check(f"{what}: tags of {row[0]}", sorted(seen[8].split()), sorted(note.tags))
    db.close()
    return len(notes), len(cards), len(rows)


def main():
    program, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 120
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder + "/server")
        try:
            pulls(program, count, rng, folder, server)
        finally:
            server.stop()


def pulls(program, count, rng, folder, server):
    anki = Client(server, folder + "/anki.anki2")
    fill(anki.col, count, rng)
    anki.sync(upload=True)
    deckhand = Deckhand(program, folder + "/deckhand")
    secret = folder + "/password"
    with open(secret, "w") as file:
        file.write(PASSWORD)
    os.chmod(secret, 0o600)

    # Sign in.
    with open(folder + "/wrong", "w") as file:
        file.write("wrong")
    os.chmod(folder + "/wrong", 0o600)
    login = ["sync", "login", server.address, "--user", USER, "--server-password-file"]
    deckhand.run(*login, folder + "/wrong", fails=True)
    deckhand.run("sync", "status", fails=True)
    deckhand.run(*login, secret)
    status = deckhand.lines("sync", "status")[0]
    check("the status before", (status["has_news"], status["synced"], status["problem"]), (True, None, None))

    # A dry run, then the first pull: the server is unchanged.
    before = server.digest()
    deckhand.run("--dry-run", "sync")
    check("cards after a rehearsal", deckhand.lines("deck", "list"), [])
    # Ended half way, by the user or by the system: nothing is here, nothing changed there, nothing is left behind.
    for number in (signal.SIGINT, signal.SIGKILL) * 4:
        child = subprocess.Popen([program, "sync"], env=dict(os.environ, HOME=deckhand.folder, NO_COLOR="1"),
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.02, 0.4))
        child.send_signal(number)
        child.wait()
        # The signal may have come after everything was imported: then it is complete.
        if deckhand.lines("deck", "list"):
            compare(deckhand, anki.col, "a sync that was ended")
            deckhand.run("undo")
    check("cards after syncs that were ended", deckhand.lines("deck", "list"), [])
    check("the server after syncs that were ended", server.digest(), before)
    report = deckhand.lines("sync")[0]
    left = [name for _, folders, _ in os.walk(deckhand.folder) for name in folders if name.startswith(".package")]
    check("what is left behind", left, [])
    check("the server after a pull", server.digest(), before)
    figures = compare(deckhand, anki.col, "first pull")
    check("what the pull tells", (report["notes"], report["cards"], report["answers"]), figures)
    check("rows that have no place", report["kept_as_received"], 0)
    check("the doctor", "All is well" in deckhand.run("doctor"), True)
    check("unsent after a pull", deckhand.lines("sync", "status")[0]["unsent"], 0)
    check("nothing new", deckhand.lines("sync")[0]["received"], 0)

    # Undo one step, and redo it.
    deckhand.run("undo")
    check("decks after undo", deckhand.lines("deck", "list"), [])
    check("after undo", deckhand.lines("sync", "status")[0]["synced"], None)
    deckhand.run("redo")
    compare(deckhand, anki.col, "redo")

    # Changes made there arrive, and cards here stay the same.
    col = anki.col
    links = dict(deckhand_ids(deckhand))
    some = list(col.find_notes(""))
    col.remove_notes(some[:3])
    note = col.get_note(some[5])
    note.fields[1] = "geändert"
    col.update_note(note)
    card = col.get_card(col.find_cards("is:new")[0])
    card.start_timer()
    col.sched.answer_card(col.sched.build_answer(
        card=card, states=col._backend.get_scheduling_states(card.id), rating=2))
    col.decks.rename(col.decks.id("Empty"), "Leer")
    anki.sync()
    check("news", deckhand.lines("sync", "status")[0]["has_news"], True)
    before = server.digest()
    deckhand.run("sync")
    check("the server after the second pull", server.digest(), before)
    compare(deckhand, col, "second pull")
    ids = deckhand_ids(deckhand)
    check("ids here", {key: links[key] for key in ids}, ids)
    anki.sync()

    # Local changes: replaced only if the number of cards was given, and saved in a backup.
    deckhand.run("card", "add", "Spanish", "hier", "here")
    guid = deckhand.lines("card", "list", "--deck", "Spanish", "--limit", "3")[2]["guid"]
    deckhand.run("card", "flag", guid, "4")
    waiting = deckhand.lines("sync", "status")[0]
    check("what waits", waiting["unsent"] >= 2, True)
    before = server.digest()
    deckhand.run("--dry-run", "sync")
    check("the server after a rehearsal", server.digest(), before)
    check("what waits after a rehearsal", deckhand.lines("sync", "status")[0]["unsent"], waiting["unsent"])
    number = len(deckhand.lines("card", "list"))
    deckhand.run("sync", "--full", "download", fails=True)
    deckhand.run("sync", "--full", "download", "--replace", "1", fails=True)
    report = deckhand.lines("sync", "--full", "download", "--replace", str(number))[0]
    check("a backup", os.path.exists(report["backup"]), True)
    compare(deckhand, col, "full download")
    # The key is in no backup, and readable only by the user.
    key = None
    for place, _, files in os.walk(deckhand.folder):
        if ".sync-key" in files:
            key = os.path.join(place, ".sync-key")
    check("the mode of the key", oct(os.stat(key).st_mode & 0o777), "0o600")
    deckhand.run("restore", report["backup"])
    check("the restored card", len(deckhand.lines("card", "list", "hier")), 1)
    check("the link after a restore", deckhand.lines("sync", "status")[0]["problem"], None)

    # A restored backup: the server's later changes arrive, cards that are only here are sent.
    deckhand.run("sync")
    anki.sync()
    compare(deckhand, col, "after a restore")
    check("the restored card there", len(col.find_notes("hier")), 1)

    # A server that is not there, and removing the link.
    server.stop()
    check("offline", deckhand.lines("sync", "status")[0]["problem"], "offline")
    deckhand.run("sync", fails=True)
    server.start()
    deckhand.run("sync", "logout")
    check("the key after the end", os.path.exists(key), False)
    deckhand.run("sync", fails=True)
    check("the cards stay", len(deckhand.lines("card", "list")) > 0, True)
    print(f"sync: {figures[0]} notes, {figures[1]} cards, {figures[2]} rows of the log pulled and compared; the server was "
          "not changed")


if __name__ == "__main__":
    main()
