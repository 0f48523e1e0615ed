#!/usr/bin/env python3
"""Tries `deckhand mcp` as agents do: CALLS random calls (1,000) with bad arguments, replays and undos between; then undoes every
step that is left, after which every row of decks, cards and notes is as before. Then, if the package `mcp` is there, with the
public Python client: both revisions of the protocol, twelve tools, a question that is accepted and one that is declined.

Usage: mcp_client.py PROGRAM [CALLS] [SEED]. Exits with 77, after the random calls, if the package is missing.
"""
import asyncio
import json
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile

PREFIX = "io.modelcontextprotocol/"
META = {PREFIX + "protocolVersion": "2026-07-28", PREFIX + "clientCapabilities": {}, PREFIX + "clientInfo": {"name": "random"}}
CHANGES = ["add_notes", "update_notes", "change_cards", "remove_notes", "import_text"]
BAD = [None, -1, 10**20, "", "../../etc/passwd", "--help", "\u0000", "\ud7ff", [], {}, True, 1.5, "a) or (b", '"']


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0

    def call(self, tool, arguments):
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": "tools/call",
                   "params": {"name": tool, "arguments": arguments, "_meta": META}}
        self.process.stdin.write((json.dumps(request) + "\n").encode())
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert answer["id"] == self.number, answer
        return answer.get("result", {}).get("structuredContent", answer)

    def end(self):
        self.process.stdin.close()
        assert self.process.wait() == 0


def rows(data):
    """Every row of the tables that an agent can change."""
    with sqlite3.connect(f"file:{data}/local/collection.sqlite?mode=ro", uri=True) as database:
        return {table: database.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in ("decks", "cards", "notes")}


class Agent:
    """Draws calls: most of them sensible, some with one argument replaced by something bad."""

    def __init__(self, seed, server):
        self.random, self.server, self.plans, self.steps, self.guids = random.Random(seed), server, [], [], ["none"]

    def word(self):
        return self.random.choice(["el perro", "**la** casa", "uno\ndos", "{{c1::a}}", "x|y", "--set", "ñ", "=1+1", "a::b"])

    def tags(self):
        return self.random.sample(["animal", "verb", "a b", "x::y", ""], self.random.randint(0, 2))

    def note(self):
        if self.random.random() < 0.3:
            return {"type": self.random.choice(["Cloze", "Basic (and reversed card)", "None"]),
                    "fields": {"Text": "a {{c1::b}} {{c2::c}}"} if self.random.random() < 0.5 else {"Front": self.word(), "Back": "b"}}
        return {"prompt": self.word() + str(self.random.randint(0, 40)), "answer": self.word(), "tags": self.tags()}

    def arguments(self, tool):
        draw, some = self.random, lambda: self.random.choices(self.guids, k=self.random.randint(1, 4))
        deck = draw.choice(["Spanish", "Spanish::Verbs", "German", "New"])
        return {
            "decks": lambda: {}, "forecast": lambda: {"days": draw.randint(1, 40)}, "show_cards": lambda: {"guids": some()},
            "search_cards": lambda: {"query": draw.choice(["perro", "deck:Spanish", "tag:verb or is:new", "-x"]), "limit": 100},
            "add_notes": lambda: {"deck": deck, "notes": [self.note() for _ in range(draw.randint(1, 5))],
                                  "on_duplicate": draw.choice(["skip", "update", "error"])},
            "update_notes": lambda: {"notes": [{"guid": guid, "answer": self.word(), "add_tags": self.tags()} for guid in some()]},
            "change_cards": lambda: {"query": draw.choice(["perro", "is:new", "tag:animal"]), **draw.choice(
                [{"add_tags": ["t"]}, {"deck": "German"}, {"suspended": True}, {"suspended": False}, {"flag": draw.randint(0, 7)}])},
            "remove_notes": lambda: {"guids": some()},
            "import_text": lambda: {"deck": deck, "format": draw.choice(["csv", "jsonl", "md"]),
                                    "text": draw.choice(["a;b\nc;d\n", '{"prompt":"p","answer":"q"}\n', "## h\n\nb\n", "?"])},
            "apply": lambda: {"plan": draw.choice(self.plans or ["none"])}, "undo": lambda: {"step": draw.choice(self.steps or [1])},
        }[tool]()

    def turn(self):
        draw = self.random
        tool = draw.choice(CHANGES * 2 + ["apply"] * 6 + ["undo", "undo", "decks", "search_cards", "show_cards", "forecast"])
        arguments = self.arguments(tool)
        if draw.random() < 0.25:
            arguments[draw.choice([*arguments, "extra"])] = draw.choice(BAD)
        if tool == "apply" and self.plans and draw.random() < 0.7:
            arguments = {"plan": self.plans[-1]}
        answer = self.server.call(tool, arguments)
        if answer.get("plan"):
            self.plans.append(answer["plan"])
        if tool == "apply" and answer.get("step") and answer["step"] not in self.steps:
            self.steps.append(answer["step"])
            again = self.server.call("apply", arguments)
            assert again == answer, (answer, again)
        for card in answer.get("cards", []) if isinstance(answer.get("cards"), list) else []:
            if "guid" in card:
                self.guids = (self.guids + [card["guid"]])[-60:]


def try_random(program, calls, seed):
    with tempfile.TemporaryDirectory() as data:
        command = [program, "--data", data]
        for words in (["deck", "create", "Spanish"], ["card", "add", "Spanish", "el perro", "the dog", "--tag", "animal"]):
            subprocess.run(command + words, check=True, stdout=subprocess.DEVNULL)
        before, server = rows(data), Server(command + ["mcp"])
        agent = Agent(seed, server)
        for _ in range(calls):
            agent.turn()
        changed, undone = rows(data) != before, 0
        for step in sorted(agent.steps, reverse=True):
            undone += "undone" in server.call("undo", {"step": step})
        server.end()
        after = rows(data)
        for table in before:
            assert before[table] == after[table], f"{table} differ: seed {seed}\n{before[table]}\n{after[table]}"
        assert changed and subprocess.run(command + ["doctor", "cards"], stdout=subprocess.DEVNULL).returncode == 0
        print(f"{calls} calls with seed {seed}: {len(agent.steps)} steps made, {undone} left and undone; every row is as before")


async def try_client(program):
    from mcp import Client, StdioServerParameters
    from mcp_types import ElicitResult

    with tempfile.TemporaryDirectory() as data:
        parameters = StdioServerParameters(command=program, args=["--data", data, "mcp"])
        for mode, version in (("auto", "2026-07-28"), ("legacy", "2025-11-25")):
            async with Client(parameters, mode=mode) as client:
                assert client.protocol_version == version, client.protocol_version
                assert len((await client.list_tools()).tools) == 12
                notes = [{"prompt": f"{mode} {number}", "answer": "b"} for number in range(20)]
                planned = await client.call_tool("add_notes", {"deck": "Spanish", "notes": notes})
                done = await client.call_tool("apply", {"plan": planned.structured_content["plan"]})
                assert not done.is_error and len(done.structured_content["results"]) == 20
                refused = await client.call_tool("show_cards", {"guids": []})
                assert refused.is_error
        subprocess.run([program, "--data", data, "set", "mcp.allow", "ask"], check=True, stdout=subprocess.DEVNULL)
        for action in ("accept", "decline"):
            asked = []

            async def answer(_, question):
                asked.append(question.message)
                return ElicitResult(action=action, content={} if action == "accept" else None)

            async with Client(parameters, elicitation_callback=answer) as client:
                planned = await client.call_tool("change_cards", {"query": "auto", "add_tags": [action]})
                done = await client.call_tool("apply", {"plan": planned.structured_content["plan"]})
                assert done.is_error == (action == "decline") and len(asked) == 1 and "auto 3" in asked[0]
        print("the public client: both revisions, twelve tools, a question accepted and one declined")


def main(program, calls="1000", seed="1"):
    program = str(pathlib.Path(program).resolve())
    try_random(program, int(calls), int(seed))
    try:
        import mcp  # noqa: F401
    except ImportError:
        print("the package mcp is missing: the public client was not tried")
        return 77
    asyncio.run(try_client(program))
    return 0


sys.exit(main(*sys.argv[1:]))
