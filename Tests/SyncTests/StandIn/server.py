#!/usr/bin/env python3
"""A stand-in for a sync server that responds badly: the first part of the path says how.

    server.py            prints the port, then serves on 127.0.0.1 until its input ends
    server.py CERT KEY   the same over TLS
"""
import http.server
import json
import socketserver
import ssl
import struct
import sys
import threading
import time

# Writes no bytecode files beside the sources.
sys.dont_write_bytecode = True
import media

META = b'{"mod":5,"scm":6,"usn":7,"ts":%d,"msg":"","cont":true,"hostNum":0,"empty":false,"media_usn":1}'


def block(kind, size, content, last):
    return struct.pack("<I", size << 3 | kind << 1 | last)[:3] + content


def frame(content, window=0x58):
    """A zstd frame of raw blocks that does not declare its size."""
    pieces = [content[at:at + 100_000] for at in range(0, len(content), 100_000)] or [b""]
    blocks = b"".join(block(0, len(p), p, i == len(pieces) - 1) for i, p in enumerate(pieces))
    return b"\x28\xb5\x2f\xfd\x00" + bytes([window]) + blocks


def bomb(count):
    """A zstd frame that decompresses to COUNT times 128 KiB of zeros."""
    blocks = b"".join(block(1, 1 << 17, b"\0", i == count - 1) for i in range(count))
    return b"\x28\xb5\x2f\xfd\x00\x58" + blocks


NOTE = [1700000000001, "g1", 1600000000001, 1700000000, 3, "a b", "uno\x1fone", "", "", 0, ""]
CARD = [1700000000002, NOTE[0], 1, 0, 1700000000, 3, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, ""]
LOG = [1700000000003, CARD[0], 3, 3, 1, 0, 2500, 1000, 0]
TYPE = {"id": NOTE[2], "name": "Basic", "type": 0, "mod": 0, "usn": 0, "sortf": 0, "did": None, "css": "",
        "flds": [{"name": "Front", "ord": 0}, {"name": "Back", "ord": 1}],
        "tmpls": [{"name": "Card 1", "ord": 0, "qfmt": "{{Front}}", "afmt": "{{FrontSide}}\n\n<hr id=answer>\n\n{{Back}}"}]}
CHANGES = {"models": [TYPE], "decks": [[{"id": 1, "name": "Default", "conf": 1, "dyn": 0}], [{"id": 1, "name": "Default"}]],
           "tags": ["a"], "conf": {"fsrs": True}, "crt": 1600000000}
called = []
heard = []


def pull(mode, method, now):
    """The responses of a small server to a pull, or to a sync that sends afterwards, with one fault."""
    called.append(f"{mode}/{method}")
    # Chunks are not repeated.
    if called.count(f"{mode}/start") > 1:
        if method == "start":
            return {"cards": [], "decks": [], "notes": [5] if mode == "pull-graves" else []}
        if method == "applyChanges" and mode == "pull-plain":
            return {}
        if method == "applyChanges":
            decks = [[{"id": 9, "name": "New"}], []] if mode == "pull-deck" else [[], []]
            return {"models": [], "decks": decks, "tags": []}
        if method == "chunk":
            return {"done": True, "notes": [NOTE]} if mode == "pull-rows" else {"done": True}
        if method == "sanityCheck2" and mode == "pull-lost":
            return {"status": "bad", "s": [[0, 0, 0], 2, 1, 1, 0, 1, 1, 1]}
        if method == "sanityCheck2" and mode == "pull-removed":
            return {"status": "ok", "s": [[0, 0, 0], 0, 0, 1, 0, 1, 1, 1]}
        if method == "finish":
            return "soon" if mode == "pull-finish" else now * 1000
    meta = {"mod": 5, "scm": 6, "usn": 7, "ts": now, "msg": "", "cont": True, "hostNum": 0, "empty": False,
            "media_usn": 1}
    if method == "meta":
        if mode == "pull-moved" and called.count(f"{mode}/meta") > 1:
            meta["usn"] += 1
        if mode == "pull-slow":
            meta["ts"] -= 302
        if mode == "pull-stop":
            meta.update(cont=False, msg="Wartung \x1b[2J bis morgen")
        if mode == "pull-plain":
            return {name: meta[name] for name in ("mod", "scm", "usn", "ts")}
        return meta
    if method == "applyChanges":
        if mode == "pull-plain":
            return {name: CHANGES[name] for name in ("models", "decks", "conf", "crt")}
        return {"pull-list": [1], "pull-nodecks": {"models": []}, "pull-noid": dict(CHANGES, models=[{"name": "x"}]),
                "pull-twice": dict(CHANGES, models=[TYPE, TYPE]), "pull-crt": dict(CHANGES, crt="x")}.get(mode, CHANGES)
    if method == "chunk":
        if mode == "pull-endless":
            # A note of 300 kB each time, never the last one.
            number = called.count(f"{mode}/chunk")
            return {"done": False, "notes": [[NOTE[0] + number] + NOTE[1:6] + ["x" * 300_000] + NOTE[7:]]}
        if mode == "pull-empty":
            return {"done": False}
        if mode == "pull-parts":
            number = called.count(f"{mode}/chunk")
            return [{"done": False, "notes": [NOTE]}, {"done": False, "cards": [CARD]},
                    {"revlog": [LOG], "done": True}][number - 1]
        chunk = {"done": True, "notes": [NOTE], "cards": [CARD], "revlog": [LOG]}
        return {"pull-short": dict(chunk, notes=[NOTE[:-1]]), "pull-kind": dict(chunk, cards=[CARD[:-1] + [7]]),
                "pull-text": dict(chunk, cards=[["x"] + CARD[1:]]), "pull-object": dict(chunk, notes=[{"id": 1}]),
                "pull-float": dict(chunk, revlog=[[1.5] + LOG[1:]]), "pull-undone": {"notes": []}}.get(mode, chunk)
    if method == "sanityCheck2":
        if mode == "pull-words":
            return {"status": "ok", "s": [[0, 0, 0], "one", 1, 1, 0, 1, 1, 1]}
        if mode == "pull-null":
            return {"status": "bad", "c": [[0, 0, 0], 1, 1, 1, 0, 1, 1, 1], "s": None}
        return {"status": "ok", "s": [[0, 0, 0], 2 if mode == "pull-counts" else 1, 1, 1, 0, 1, 1, 1]}
    if method == "start" and mode == "pull-plain":
        return {}
    return {"cards": [], "decks": [], "notes": ["x"] if mode == "pull-ids" else []} if method == "start" else None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body, size=None, status=200, headers=()):
        self.send_response(status)
        if size is not None:
            self.send_header("anki-original-size", str(size))
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def plain(self, content):
        self.answer(frame(content), len(content))

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        mode, method = self.path.split("/")[1], self.path.split("/")[-1]
        heard.append(self.path)
        if mode == "heard":
            return self.plain(json.dumps(heard[:-1]).encode())
        if mode == "called":
            return self.plain(json.dumps(called).encode())
        if mode.startswith("media"):
            called.append(f"{mode}/{method}")
            if mode == "media-409" and method == "downloadFiles":
                return self.answer(b"no", status=409)
            count = called.count(f"{mode}/mediaChanges")
            return self.plain(media.answer(
                mode, method, 0 if count % 2 or mode == "media-endless" else 10, body))
        if mode.startswith("pull"):
            if method == "upload":
                called.append(f"{mode}/{method}")
                return self.plain(b"OK" if mode == "pull-upload" else b"no room is left")
            status = {"pull-refused/applyChunk": 400, "pull-broken/finish": 500, "pull-409/chunk": 409, "pull-500/sanityCheck2": 500, "pull-400/start": 400}.get(f"{mode}/{method}")
            if status:
                return self.answer(b"no", status=status)
            # Without spaces, as Anki's server writes it.
            answer = json.dumps(pull(mode, method, int(time.time())), separators=(",", ":"))
            return self.plain(answer.encode())
        meta = META % time.time()
        if mode == "ok":
            self.plain(meta)
        elif mode == "garbage":
            self.answer(b"\x00\x01\x02 this is no frame" * 10, 500)
        elif mode == "page":
            self.answer(b"<html><body>A router</body></html>")
        elif mode == "text":
            self.plain(b"hello")
        elif mode == "list":
            self.plain(b"[1, 2]")
        elif mode == "types":
            self.plain(b'{"mod":"x","scm":[],"usn":-4,"ts":1e300}')
        elif mode == "lastusn":
            self.plain(meta.replace(b'"usn":7', b'"usn":9223372036854775807'))
        elif mode == "deep":
            self.plain(b"[" * 100_000)
        elif mode == "bomb":
            self.answer(bomb(40_000), 100)
        elif mode == "largebomb":
            self.answer(bomb(40_000), 40_000 << 17)
        elif mode == "window":
            # Requests a window of 2 GiB.
            self.answer(frame(meta, window=0xA8), len(meta))
        elif mode == "nosize":
            self.answer(frame(meta))
        elif mode == "small":
            self.answer(frame(meta), 1000)
        elif mode == "big":
            self.answer(frame(meta), 10)
        elif mode == "negative":
            self.answer(frame(meta), -1)
        elif mode == "words":
            self.answer(frame(meta), "many")
        elif mode == "half":
            packed = frame(meta)
            self.answer(packed[:len(packed) // 2], len(meta))
        elif mode == "two":
            self.answer(frame(meta) + b"and more", len(meta))
        elif mode == "cut":
            self.send_response(200)
            self.send_header("anki-original-size", str(len(meta)))
            self.send_header("Content-Length", "100000")
            self.end_headers()
            self.wfile.write(frame(meta)[:20])
            self.close_connection = True
        elif mode == "headers":
            self.answer(b"", 0, headers=[(f"x-{i}", "y" * 1000) for i in range(90)])
        elif mode == "nohttp":
            self.wfile.write(b"\x15\x03\x01\x00\x02\x02\x16 what?\r\n\r\n")
            self.close_connection = True
        elif mode == "silent":
            time.sleep(20)
            self.close_connection = True
        elif mode == "loop":
            self.answer(b"", status=308, headers=[("Location", self.path)])
        elif mode == "nowhere":
            self.answer(b"", status=308)
        elif mode == "moved":
            self.answer(b"", status=308, headers=[("Location", "/ok/")])
        elif mode == "movedcall":
            self.answer(b"", status=308, headers=[("Location", "/ok/sync/meta")])
        elif mode.startswith("to-"):
            # to-307-8080: another listener on this machine.
            _, status, port = mode.split("-")
            self.answer(b"", status=int(status), headers=[("Location", f"http://127.0.0.1:{port}/ok/")])
        elif mode == "ankiweb":
            self.answer(b"", status=308, headers=[("Location", "https://sync5.ankiweb.net/")])
        elif mode == "file":
            self.answer(b"", status=308, headers=[("Location", "file:///etc/passwd")])
        elif mode == "named":
            self.answer(b"", status=308, headers=[("Location", "http://a:b@127.0.0.1/")])
        elif mode == "signs-old":
            self.answer(b"", status=308, headers=[("Location", f"http://{self.headers['Host']}/signs-new/")])
        elif mode.startswith("signs"):
            self.plain(json.dumps({"key": f"key-{mode}-{len(heard)}"}).encode())
        elif mode == "key":
            self.plain(b'{"key":"a key\\r\\nwith a line"}')
        else:
            self.answer(b"a text that says why\n" * 1000, status=int(mode))


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", 0), Handler)
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    server.socket = context.wrap_socket(server.socket, server_side=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
