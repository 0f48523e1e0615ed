#!/usr/bin/env python3
"""Compares the memory states that Deckhand sends with those that Anki computes from the same log.

    VENV/bin/python Tests/Peers/anki_memory.py .build/debug/deckhand [ANSWERS] [SEED]

Deckhand and a real Anki answer cards of one collection in turn, over months of a simulated clock that both see, and sync
through Anki's own server. Then Anki computes the memory state of every card from its log, as its "compute memory state"
does: `s` and `d` of each card must be equal to it.
"""
import json
import mmap
import os
import random
import struct
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def with_clock():
    """Restarts this program with the simulated clock, which all programs that it starts see too."""
    if "DECKHAND_TEST_CLOCK" in os.environ:
        return
    folder = tempfile.mkdtemp()
    library = folder + "/clock.so"
    source = os.path.join(HERE, "../ProgramTests/Clock/standing_clock.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    with open(folder + "/clock", "wb") as file:
        file.write(struct.pack("=3q", 1_767_700_800_000, 1_000_000, 0))
    os.environ.update(LD_PRELOAD=library, DECKHAND_TEST_CLOCK=folder + "/clock", ANKI_TEST_MODE="1", TZ="UTC")
    os.execv(sys.executable, [sys.executable] + sys.argv)


with_clock()
sys.path.insert(0, HERE)

from anki_packages import check  # noqa: E402
from anki_sync_both import Pair  # noqa: E402

# The other peers shift the time zone, so that it is noon by the real clock. Here a day of the simulated clock must not
# begin at its noon.
os.environ["TZ"] = "UTC"
time.tzset()


class Clock:
    """A clock that does not move until it is moved."""

    def __init__(self):
        self.file = open(os.environ["DECKHAND_TEST_CLOCK"], "r+b")
        self.memory = mmap.mmap(self.file.fileno(), 24)

    def go(self, seconds):
        now, boot, ahead = struct.unpack("=3q", self.memory[:24])
        self.memory[:24] = struct.pack("=3q", now + int(seconds * 1000), boot + int(seconds * 1000), ahead)

    def noon(self, days):
        """Moves the clock to noon, some days later: in test mode Anki's clock is slow between two and four at night."""
        now = struct.unpack("=3q", self.memory[:24])[0]
        self.go(days * 86_400 + 43_200 - now // 1000 % 86_400)


def answered_here(pair, rng, count):
    """Answers random cards of a random deck in Deckhand."""
    code = f"""
      local chosen, left = {{}}, {count}
      for _, d in ipairs(decks.list()) do
        local s = d:study{{cram = true}}
        while s.card and left > 0 do
          if math.random() < 0.4 then s:answer(math.random(4) == 1 and "again" or ({{"hard", "good", "good", "easy"}})[math.random(4)]) left = left - 1
          else s:bury() end
        end
        for c in d:cards("is:buried") do chosen[#chosen + 1] = c end
      end
      print({count} - left)
      """
    return int(pair.deckhand.run("--seed", str(rng.randrange(1 << 30)), "-e", code).split()[-1])


def answered_there(pair, rng, count, clock):
    cards = pair.col.db.list("select id from cards where odid = 0 and queue not in (-1)")
    for card in rng.sample(cards, min(count, len(cards))):
        clock.go(rng.randrange(3, 40))
        pair.answer(card, rng.choice([0, 1, 2, 2, 2, 3]))
    return min(count, len(cards))


def compare(pair):
    """Compares `s` and `d` of every card with what Anki computes from its log."""
    compared, worst = 0, 0.0
    for card, data in pair.col.db.all("select id, data from cards where type != 0 and id in (select cid from revlog)"):
        stored = json.loads(data) if data else {}
        wanted = pair.col._backend.compute_memory_state(card)
        if not wanted.HasField("state"):
            continue
        s, d = wanted.state.stability, wanted.state.difficulty
        # Anki stores four and three decimals.
        far = max(abs(stored.get("s", -1) - s) / max(1, s), abs(stored.get("d", -1) - d) / d)
        if far > 2e-3:
            log = pair.col.db.all("select id, ease, ivl, type, time from revlog where cid = ?", card)
            raise AssertionError(f"card {card}: stored {stored}, Anki says {s}, {d}; log {log}")
        compared, worst = compared + 1, max(worst, far)
    return compared, worst


def main():
    program = os.path.abspath(sys.argv[1])
    wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    rng, clock = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1), Clock()
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + "/pair")
        pair = Pair(program, folder + "/pair", rng, 60)
        try:
            pair.col.set_config("fsrs", True)
            here = there = 0
            while min(here, there) < wanted:
                clock.noon(rng.choice([1, 1, 2, 7]))
                here += answered_here(pair, rng, 50)
                clock.go(60)
                pair.deckhand.run("sync")
                pair.anki.sync()
                clock.go(3600) if rng.random() < 0.5 else clock.noon(rng.choice([1, 2]))
                there += answered_there(pair, rng, 50, clock)
                clock.go(60)
                pair.anki.sync()
                pair.deckhand.run("sync")
                clock.go(60)
            pair.anki.sync()
            compared, worst = compare(pair)
            check("whether there were cards to compare", compared > 50, True)
        finally:
            pair.server.stop()
    print(f"memory states: {here} answers here, {there} there; {compared} cards are equal to Anki's own, farthest {worst:.1e}")


if __name__ == "__main__":
    main()
