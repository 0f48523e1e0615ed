#!/usr/bin/env python3
"""Measures how long an editor waits for `deckhand lsp` after a keystroke, in a folder of CARDS cards (10,000).

Usage: keystrokes.py PROGRAM FOLDER ROUNDS [CARDS]. Prints a line for each kind of request: the median in milliseconds, and what
was measured: from the last byte of the edit to the last byte of the response, over pipes. The cards are built, and each edit
is different.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

CARDS = int(sys.argv[4]) if len(sys.argv) > 4 else 10_000


def card(number):
    return f"## prompt {number} <!-- id: card{number}; tags: tag{number % 50} -->\n\nanswer {number}, in a few words\n\n"


def make(folder, files):
    """Writes a folder of sources with all the cards."""
    folder.mkdir(parents=True)
    (folder / "deck.json").write_text(json.dumps({"name": folder.name, "namespace": "bench"}))
    share = CARDS // files
    for file in range(files):
        (folder / f"part{file:03}.md").write_text("".join(card(number) for number in range(file * share, (file + 1) * share)))


class Server:
    def __init__(self, command, root):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.ask("initialize", {"processId": os.getpid(), "rootUri": f"file://{root}", "capabilities": {}})
        self.tell("initialized", {})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def receive(self, is_wanted):
        while True:
            length = int(self.process.stdout.readline().split(b":")[1])
            self.process.stdout.readline()
            message = json.loads(self.process.stdout.read(length))
            if is_wanted(message):
                return message

    def ask(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        return self.receive(lambda message: message.get("id") == self.number and "method" not in message)["result"]

    def diagnostics(self, uri, version):
        return self.receive(
            lambda message: message.get("method") == "textDocument/publishDiagnostics"
            and message["params"]["uri"] == uri and message["params"].get("version") == version)

    def end(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        if self.process.wait() != 0:
            sys.exit("keystrokes: the server failed")


def place(line, character):
    return {"line": line, "character": character}


def measure(program, data, folder, rounds, name):
    subprocess.run([program, "--data", data, "build", str(folder)], check=True, stdout=subprocess.DEVNULL)
    path = folder / "part000.md"
    uri, text = f"file://{path}", path.read_text()
    server = Server([program, "--data", data, "lsp"], folder)
    server.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "markdown", "version": 0, "text": text}})
    server.diagnostics(uri, 0)
    line = text.count("\n") // 8 * 4 + 2
    times = {"diagnostics": [], "completion": []}
    for version in range(1, rounds + 1):
        start = time.perf_counter()
        spot = place(line, 0)
        server.tell("textDocument/didChange", {
            "textDocument": {"uri": uri, "version": version},
            "contentChanges": [{"range": {"start": spot, "end": spot}, "text": "x"}]})
        if server.diagnostics(uri, version)["params"]["diagnostics"]:
            sys.exit("keystrokes: the edit is no mistake")
        times["diagnostics"].append(time.perf_counter() - start)
        start = time.perf_counter()
        spot = place(line - 2, len(f"## prompt {0} <!-- "))
        if not server.ask("textDocument/completion", {"textDocument": {"uri": uri}, "position": spot}):
            sys.exit("keystrokes: nothing is offered")
        times["completion"].append(time.perf_counter() - start)
    server.end()
    for kind, seconds in times.items():
        print(f"{statistics.median(seconds) * 1000:.2f} {kind} in {name}", flush=True)


def main(program, folder, rounds, *_):
    folder = pathlib.Path(folder)
    for part, files, name in [
        ("many", CARDS // 100, f"{CARDS // 100} files of 100 cards"), ("one", 1, f"one file of {CARDS:,} cards"),
    ]:
        make(folder / part, files)
        measure(program, str(folder / "data"), folder / part, int(rounds), name)


main(*sys.argv[1:])
