#!/usr/bin/env python3
"""Measures how long a first pull of many rows takes, compared with Anki's own client, and a sync with nothing to do.

    .build/peers/bin/python Tests/Peers/anki_sync_speed.py .build/release/deckhand [ROWS [RESULT]]

A third each of ROWS are notes, cards and answers. Prints seconds, and the memory of the program; the file RESULT gets the
seconds of Deckhand's pull, of Anki's, of a sync with nothing to do, and of a request to the server, for Scripts/bench.
"""
import hashlib
import os
import resource
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import anki_noon  # noqa: F401, before Anki
from anki_packages import Deckhand
from anki_sync import PASSWORD, USER, Client, Server, collection

FIRST = 1_600_000_000_000


def fill(col, count):
    """Writes notes of the type Basic with a review card and an answer each, as rows."""
    kind, deck = col.models.by_name("Basic")["id"], col.decks.id("Spanish")
    seconds = FIRST // 1000
    col.db.executemany(
        "INSERT INTO notes (id, guid, mid, mod, usn, tags, flds, sfld, csum, flags, data)"
        " VALUES (?, ?, ?, ?, -1, ' a ', ?, ?, ?, 0, '')",
        [(FIRST + n, f"guid{n}", kind, seconds, f"palabra {n}\x1fword {n}", f"palabra {n}",
          int(hashlib.sha1(f"palabra {n}".encode()).hexdigest()[:8], 16)) for n in range(count)])
    col.db.executemany(
        "INSERT INTO cards (id, nid, did, ord, mod, usn, type, queue, due, ivl, factor, reps, lapses, left, odue, odid,"
        " flags, data) VALUES (?, ?, ?, 0, ?, -1, 2, 2, 100, 30, 2500, 1, 0, 0, 0, 0, 0, ?)",
        [(FIRST + n, FIRST + n, deck, seconds, '{"s":30.5,"d":5.1,"dr":0.9,"lrt":%d}' % ((FIRST + n) // 1000))
         for n in range(count)])
    col.db.executemany(
        "INSERT INTO revlog (id, cid, usn, ease, ivl, lastIvl, factor, time, type) VALUES (?, ?, -1, 3, 30, 1, 500, 4000, 1)",
        [(FIRST + n, FIRST + n) for n in range(count)])
    col.db.execute("UPDATE col SET mod = ?", int(time.time() * 1000))


def timed(label, work):
    began = time.monotonic()
    work()
    seconds = time.monotonic() - began
    print(f"{label}: {seconds:.3f} s")
    return seconds


def run(program, rows, folder, server):
    """Returns the seconds of the pull by Deckhand and by Anki, of a sync with nothing to do, and of a request to the server."""
    anki, other = Client(server, folder + "/anki.anki2"), Client(server, folder + "/other.anki2")
    anki.sync(upload=True)
    other.sync(upload=False)
    fill(anki.col, rows // 3)
    timed(f"Anki's own client sends {rows} rows", anki.sync)
    theirs = timed("another one fetches them row by row", other.sync)
    third = Client(server, folder + "/third.anki2")
    timed("a third one takes the whole file", lambda: third.sync(upload=False))

    deckhand = Deckhand(program, folder + "/deckhand")
    secret = folder + "/password"
    with open(secret, "w") as file:
        file.write(PASSWORD)
    os.chmod(secret, 0o600)
    deckhand.run("sync", "login", server.address, "--user", USER, "--server-password-file", secret)
    ours = timed("Deckhand's first pull", lambda: print("   ", deckhand.lines("sync")[0]))
    print(f"    {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024} MB at most, of any program started here")
    path = collection(deckhand)
    size = sum(os.path.getsize(path + end) for end in ("", "-wal") if os.path.exists(path + end))
    print(f"    {size / 1e6:.1f} MB in the account's file")
    idle = sorted(timed("a sync with nothing to do, whole program", lambda: deckhand.run("sync")) for _ in range(9))[4]
    timed("    the program alone (deck list)", lambda: deckhand.run("deck", "list"))
    asked = timed("    a question to the server", urllib.request.urlopen(server.address + "health").read)
    return ours, theirs, idle, asked


def main():
    program, rows = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder + "/server")
        try:
            figures = run(program, rows, folder, server)
            if len(sys.argv) > 3:
                with open(sys.argv[3], "w") as file:
                    print(*figures, file=file)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
