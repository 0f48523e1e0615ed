"""The media responses of a small server, with one fault."""
import hashlib
import io
import json
import struct
import zipfile

FILES = {"a.png": b"one", "b ä.mp3": b"two"}


def digest(content):
    return hashlib.sha1(content).hexdigest()


def archive(members, meta):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, content in members:
            file.writestr(zipfile.ZipInfo(name), content)
        if meta is not None:
            file.writestr("_meta", meta if isinstance(meta, bytes) else json.dumps(meta).encode())
    return out.getvalue()


def bomb():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        with file.open("0", "w") as member:
            for _ in range(130):
                member.write(bytes(1 << 20))
        file.writestr("_meta", json.dumps({"0": "a.png"}))
    return out.getvalue()


def lying():
    """An archive whose declared sizes differ from those of its content."""
    whole = bytearray(archive([("0", b"x" * 1000)], {"0": "a.png"}))
    for mark in (b"PK\x03\x04", b"PK\x01\x02"):
        at = whole.index(mark) + (18 if mark[2] == 3 else 20)
        whole[at:at + 8] = struct.pack("<II", 10, 10)
    return bytes(whole)


def download(mode):
    if mode == "media-bomb":
        return bomb()
    both = archive([("0", b"one"), ("1", b"two")], {"0": "a.png", "1": "b ä.mp3"})
    return {
        "media-lying": lying(), "media-nozip": b"no archive at all", "media-empty": b"",
        "media-cut": both[:len(both) // 2], "media-nometa": archive([("0", b"one")], None),
        "media-badmeta": archive([("0", b"one")], b"[1,2"), "media-listmeta": archive([("0", b"one")], [1]),
        "media-nomember": archive([("0", b"one")], {"0": "a.png", "7": "b ä.mp3"}),
        "media-other": archive([("0", b"one")], {"0": "c.png"}),
        "media-path": archive([("../0", b"one")], {"../0": "a.png"}),
        "media-content": archive([("0", b"another")], {"0": "a.png"}), "media-none": archive([], {}),
        "media-twice": archive([("0", b"one"), ("1", b"one")], {"0": "a.png", "1": "a.png"}),
    }.get(mode, both)


def answer(mode, method, last, body):
    """Returns the bytes of a response; LAST is the USN after which changes are requested, BODY the request body."""
    def data(value, error=""):
        return json.dumps({"data": value, "err": error}).encode()
    if method == "begin":
        return {"media-begin": data({"usn": "x"}), "media-error": data(None, "no \x1b[2J room"),
                "media-list": b"[1]", "media-deleted": data({"usn": 3}), "media-removals": data({"usn": 4})}.get(mode, data({"usn": 2, "sk": ""}))
    if method == "mediaChanges":
        rows = [[name, number + 1, digest(content)] for number, (name, content) in enumerate(FILES.items())]
        if mode == "media-names":
            bad = ["../x", "a/b", "..", ".hidden", "a\\b", "c:d", "e\u0301.png", "x" * 130, "line\nend"]
            rows = [[name, number + 1, digest(b"one")] for number, name in enumerate(bad)]
        if mode == "media-removals":
            rows = [["../x", 3, ""], ["gone.png", 4, digest(b"three")]]
        if mode == "media-deleted":
            rows = [["a.png", 3, ""]]
        if mode == "media-rows":
            return data([["a.png", "x", "y"]])
        if mode == "media-lastusn":
            return data([["a.png", 2 ** 63 - 1, digest(b"one")]])
        if mode == "media-endless":
            return data(rows)
        if mode == "media-digest":
            rows = [["a.png", 1, "../../../etc/passwd"]]
        # Files listed before are not listed again.
        return data([row for row in rows if row[1] > last])
    if method == "downloadFiles":
        return download(mode)
    if method == "uploadChanges":
        return data({"media-taken": [99, 2], "media-nothing": [0, 2], "media-words": ["x"],
                     "media-lasttaken": [1, 2 ** 63 - 1], "media-firsttaken": [1, -2 ** 63], "media-two": [2, 4],
                     "media-others": [1, 9]}.get(mode, [1, 3]))
    if mode == "media-counted" and method == "mediaSanity":
        # The two that it lists, and the one that it received.
        return data("OK" if b'"local": 3' in body else "mediaSanity")
    return data("mediaSanity" if mode == "media-insane" else "OK")
