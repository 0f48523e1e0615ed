#!/usr/bin/env python3
"""Syncs Deckhand's media with the sync server in Anki's own package, with a real Anki as the other client.

    VENV/bin/python Tests/Peers/anki_sync_media.py .build/debug/deckhand [SEED]

After each step both sides have the same files under the same names. Prints what was compared; ends with an error at the
first difference.
"""
import hashlib
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import anki_noon  # noqa: F401, before Anki
from anki_packages import Deckhand, check
from anki_sync import PASSWORD, USER, Client, Server


class Pair:
    """Both clients of one server."""

    def __init__(self, program, folder):
        self.folder = folder
        self.server = Server(folder + "/server")
        self.anki = Client(self.server, folder + "/anki.anki2")
        note = self.anki.col.new_note(self.anki.col.models.by_name("Basic"))
        note.fields[0], note.fields[1] = "vorne", "hinten"
        self.anki.col.add_note(note, 1)
        self.anki.sync(upload=True)
        self.deckhand = Deckhand(program, folder + "/deckhand")
        secret = folder + "/password"
        with open(secret, "w") as file:
            file.write(PASSWORD)
        os.chmod(secret, 0o600)
        self.deckhand.run("sync", "login", self.server.address, "--user", USER, "--server-password-file", secret)
        self.media = folder + "/anki.media"
        self.touched_at = 0

    # Anki's side

    def put(self, name, content):
        with open(os.path.join(self.media, name), "wb") as file:
            file.write(content)
        self.touched()

    def drop(self, name):
        os.remove(os.path.join(self.media, name))
        self.touched()

    def touched(self):
        # Anki checks whether the folder's modification time is another one, in seconds.
        self.touched_at = max(self.touched_at, time.time()) + 2
        os.utime(self.media, (self.touched_at, self.touched_at))

    def anki_sync(self):
        col = self.anki.col
        col.sync_media(self.anki.auth)
        for _ in range(6000):
            time.sleep(0.05)
            if not col.media_sync_status().active:
                return
        raise AssertionError("Anki's sync of media does not end")

    def theirs(self):
        return {name: open(os.path.join(self.media, name), "rb").read() for name in os.listdir(self.media)}

    # Deckhand's side

    def add(self, name, content):
        path = f"{self.folder}/{name}"
        with open(path, "wb") as file:
            file.write(content)
        self.deckhand.run("media", "add", path)
        os.remove(path)

    def ours(self):
        code = 'for _, m in ipairs(assert(shell.run("media list"))) do print(m.name) end'
        found = {}
        for name in self.deckhand.run("-e", code).split("\n"):
            if not name:
                continue
            found[name] = self.content(name)
        return found

    def content(self, name):
        base = f"{self.deckhand.folder}/.local/share/deckhand/local"
        db = sqlite3.connect(f"file:{base}/collection.sqlite?mode=ro", uri=True)
        (hash,) = db.execute("SELECT hash FROM media WHERE name = ?", (name,)).fetchone()
        db.close()
        with open(f"{base}/media/{hash}", "rb") as file:
            content = file.read()
        check(f"the hash of {name}", hashlib.sha256(content).hexdigest(), hash)
        return content

    def sync(self):
        lines = self.deckhand.lines("sync")
        return lines[-1]

    # Both sides

    def settle(self, what, first):
        if first:
            done = [self.sync()]
            self.anki_sync()
            done.append(self.sync())
        else:
            self.anki_sync()
            done = [self.sync()]
            self.anki_sync()
        check(f"{what}: what both have", sorted(self.ours()), sorted(self.theirs()))
        check(f"{what}: contents", self.ours(), self.theirs())
        again = self.sync()
        check(f"{what}: nothing more", [v for k, v in again.items() if k != "media_findings"], [0, 0, 0, 0])
        self.anki_sync()
        check(f"{what}: unsent", self.pending(), 0)
        print(f"  {'Deckhand' if first else 'Anki'} first: {what}" + (f" {done[0]}"), flush=True)
        return done

    def pending(self):
        base = f"{self.deckhand.folder}/.local/share/deckhand/local"
        db = sqlite3.connect(f"file:{base}/collection.sqlite?mode=ro", uri=True)
        (count,) = db.execute("SELECT count(*) FROM media WHERE pending <> 0").fetchone()
        db.close()
        return count


def cases(pair, first, rng):
    mark = "d" if first else "a"

    def name(text):
        return f"{mark} {text}"

    pair.put(name("dort.png"), b"there")
    pair.add(name("hier ä.mp3"), b"here")
    pair.settle("one from each side", first)
    pair.put(name("viel.bin"), rng.randbytes(3_500_000))
    for number in range(60):
        pair.put(name(f"m{number}.jpg"), rng.randbytes(rng.randrange(1, 90_000)))
        pair.add(name(f"n{number}.jpg"), rng.randbytes(rng.randrange(1, 90_000)))
    pair.add(name("groß.bin"), rng.randbytes(6_000_000))
    pair.settle("120 files, and one that is larger than a call has", first)
    pair.drop(name("m1.jpg"))
    pair.deckhand.run("media", "remove", name("n1.jpg"))
    done = pair.settle("one removed on each side", first)
    check("gone here", name("m1.jpg") in pair.ours(), False)
    check("gone there", name("n1.jpg") in pair.theirs(), False)
    pair.deckhand.run("undo")
    pair.settle("undone", first)
    check("a sync that was undone here comes again", [name("m1.jpg") in pair.ours(), name("n1.jpg") in pair.ours()],
          [False, False])
    # A removal that was sent and undone: the file is uploaded again, and can be removed again.
    for _ in range(2):
        pair.deckhand.run("media", "remove", name("n2.jpg"), name("n3.jpg"), name("n4.jpg"))
        check("removals are counted", pair.deckhand.lines("sync", "status")[0]["unsent_media"], 3)
        pair.sync()
        for _ in range(2):
            pair.deckhand.run("undo")
        pair.settle("a removal undone after it was sent", first)
        check("it is there", [name(text) in pair.theirs() for text in ("n2.jpg", "n3.jpg", "n4.jpg")], [True] * 3)
    # Removed there since: the removal stays.
    pair.drop(name("n3.jpg"))
    pair.settle("removed there after all", first)
    check("it is gone", name("n3.jpg") in pair.ours(), False)
    # Both have one name with two contents: the server's wins, which is that of the first.
    pair.put(name("beide.txt"), b"there")
    pair.add(name("beide.txt"), b"here")
    pair.settle("one name, two contents", first)
    check("the first one's", pair.theirs()[name("beide.txt")], b"here" if first else b"there")
    # Removed there, changed here: sent again.
    pair.put(name("wieder.txt"), b"old")
    pair.settle("a file", first)
    pair.drop(name("wieder.txt"))
    pair.deckhand.run("media", "remove", name("wieder.txt"))
    pair.add(name("wieder.txt"), b"new")
    pair.settle("removed there, other here", first)
    check("sent again", pair.ours()[name("wieder.txt")], b"new")
    # The same content on both sides is not transferred.
    pair.put(name("gleich.txt"), b"same")
    pair.add(name("gleich.txt"), b"same")
    pair.settle("the same on both sides", first)
    return done


def odd_names(pair):
    """Files that only one side can store stay there, and are reported once."""
    pair.put(".hidden", b"x")
    pair.put("leer.txt", b"")
    pair.add("leer hier.txt", b"")
    pair.anki_sync()
    findings = pair.sync()["media_findings"]
    check("an empty file is told", any("is empty" in finding for finding in findings), True)
    pair.deckhand.run("media", "remove", "leer hier.txt")


def killed(pair, program, rng):
    """If a sync ends at any moment, the next one does the rest."""
    for number in range(40):
        pair.put(f"k{number}.bin", rng.randbytes(400_000))
        pair.add(f"l{number}.bin", rng.randbytes(400_000))
    pair.anki_sync()
    environment = dict(os.environ, HOME=pair.deckhand.folder, NO_COLOR="1")
    for wait in (0.3, 0.5, 0.7, 0.9, 1.2, 1.6):
        process = subprocess.Popen([program, "sync"], env=environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(wait)
        process.kill()
        process.wait()
    pair.sync()
    pair.anki_sync()
    mine, other = pair.ours(), pair.theirs()
    other.pop(".hidden", None)
    other.pop("leer.txt", None)
    check("after kills", sorted(mine), sorted(other))
    check("after kills: contents", mine, other)
    print("  killed six times: both have the same")


def unattended(pair):
    """A script that syncs half way, and a shell that syncs as it ends, also if no server responds."""
    script = pair.folder + "/script.lua"
    with open(script, "w") as file:
        file.write(f'''
local path = "{pair.folder}/mitten.txt"
assert(files.write(path, "middle"))
assert(media.add(path))
decks.create("Mitten"):add{{prompt = "mitten", answer = "x"}}
local done = assert(shell.sync())
assert(done.sent > 0 and done.media_sent == 1)
decks.create("Danach")
error("on purpose")
''')
    pair.deckhand.run("run", script, fails=True)
    check("kept until the sync", pair.deckhand.run("-e", 'print(decks.open("Mitten") ~= nil, decks.open("Danach") == nil)'),
          "true\ttrue\n")
    pair.anki.sync()
    pair.anki_sync()
    check("is there", len(pair.anki.col.find_notes("mitten")), 1)
    check("the file is there", pair.theirs()["mitten.txt"], b"middle")
    pair.deckhand.run(text="set sync.at_end on\ncard add Mitten ende x\n")
    pair.anki.sync()
    check("synced at the end", len(pair.anki.col.find_notes("ende")), 1)
    pair.server.stop()
    began = time.time()
    pair.deckhand.run(text="card add Mitten offline x\n")
    # Long before the 30 seconds that another sync waits.
    check("offline holds nobody up", time.time() - began < 25, True)
    pair.server.start()
    print("  a script and the end of a shell")


def no_room(pair, program, rng):
    """On a small disk the download stops before the disk is full, and received files are kept."""
    for number in range(12):
        pair.put(f"room{number}.bin", rng.randbytes(1_000_000))
    pair.anki_sync()
    small = pair.folder + "/small"
    os.makedirs(small)
    script = ('mount -t tmpfs -o size=$4k none "$1" && cp -a "$2/." "$1" && HOME="$1" "$3" sync; echo $?; '
              'HOME="$1" "$3" --json media list | grep -c room; HOME="$1" "$3" --json undo --list | head -1')
    size = int(subprocess.run(["du", "-sk", pair.deckhand.folder], capture_output=True, text=True).stdout.split()[0])
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script, "sh", small, pair.deckhand.folder, program,
                           str(size + 72 * 1024)], capture_output=True, text=True, env=dict(os.environ, NO_COLOR="1"))
    status, count, step = done.stdout.strip().split("\n")[-3:]
    check("a small disk", (status, "sync again" in done.stderr), ("1", True))
    check("some came", 0 < int(count) < 12, True)
    check("and are one step", "syncing" in step, True)
    pair.sync()
    print("  a small disk")


def main():
    program = os.path.abspath(sys.argv[1])
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    with tempfile.TemporaryDirectory() as folder:
        pair = Pair(program, folder)
        try:
            pair.anki_sync()
            for first in (False, True):
                cases(pair, first, rng)
            odd_names(pair)
            killed(pair, program, rng)
            no_room(pair, program, rng)
            unattended(pair)
        finally:
            pair.server.stop()
    print("media: every file of both sides equal")


if __name__ == "__main__":
    main()
