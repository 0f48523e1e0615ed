"""Measures the time from Tab to the prompt's response: tab.py DECKHAND FOLDER [ROUNDS]. Creates 1,000 decks in FOLDER, then prints
a line for each kind of completion: the median in milliseconds and its name. The first Tab of a kind is not counted."""

import os
import pty
import select
import subprocess
import sys
import time

KINDS = [
    ("an empty line", ""), ("a command", "de"), ("a subcommand", "deck "), ("an option", "study --"),
    ("a deck", "deck show Deck\\ 07"), ("a document", "doc show "), ("a mode", "play "), ("a setting", "set ga"),
    ("a value of a setting", "set game.language "), ("a plugin", "plugin info "), ("a tag in a query", "card list tag:t"),
    ("a deck in a query", "card list deck:"), ("a file", "deck import New /usr/"), ("a global of Lua", "wor"),
    ("a local", "local another = 1 print(ano"), ("a field", "decks."), ("a deck in Lua", 'decks.open("Deck 07'),
    ("a method behind a call", 'decks.open("Deck 0701"):ca'), ("a field of a method's answer", 'decks.open("a"):card(1).'),
]
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 9


def read(terminal, seconds):
    """Reads the output until there is none for a while."""
    text = b""
    while select.select([terminal], [], [], seconds)[0]:
        text += os.read(terminal, 65536)
    return text


def time_of(terminal, line):
    """The time from Tab to its response, in milliseconds."""
    os.write(terminal, line.encode())
    read(terminal, 0.15)
    start = time.monotonic()
    os.write(terminal, b"\t")
    if not select.select([terminal], [], [], 120)[0]:
        sys.exit("no answer to Tab behind " + line)
    taken = time.monotonic() - start
    read(terminal, 0.1)
    os.write(terminal, b"\x03")
    read(terminal, 0.1)
    return taken * 1000


def main():
    program, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    environment = dict(os.environ, HOME=folder, TERM="xterm", INPUTRC="/dev/null", LANG="C.UTF-8")
    words = [program, "--data", folder + "/data"]
    make = "for i = 1, 1000 do local d = decks.create(('Deck %04d'):format(i)) d:add{prompt='p', answer='a', tags={'t' .. i}} end"
    if not os.path.exists(folder + "/data"):
        subprocess.run(words + ["-e", make + " documents.create{}"], check=True, env=environment)
    child, terminal = pty.fork()
    if child == 0:
        os.execve(program, words, environment)
    shown = b""
    while not shown.endswith(b"> "):
        shown += read(terminal, 1)
    for name, line in KINDS:
        times = sorted([time_of(terminal, line) for _ in range(ROUNDS + 1)][1:])
        print(f"{times[ROUNDS // 2]:.2f} {name}", flush=True)
    # Ctrl-D would be lost if the prompt were not back yet.
    os.close(terminal)
    os.waitpid(child, 0)


main()
