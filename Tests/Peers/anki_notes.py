#!/usr/bin/env python3
"""Writes random note types and notes, and how Anki's own package renders them, one JSON object per line.

    python3 -m venv VENV && VENV/bin/pip install anki
    VENV/bin/python Tests/Peers/anki_notes.py 2500 1 > cases.jsonl
    DECKHAND_NOTE_CASES=cases.jsonl swift test --filter TemplatePeerTests
"""
import json
import random
import re
import sys
import tempfile

from anki.collection import Collection

FIELDS = ["Front", "Back", "Hint", "Extra Field", "Größe", "日本", "Tags2", "c1x", "A-B"]
WORDS = ["", " ", "<br>", "<div></div>", "a", "el gato", "<b>bold</b>", "x<br>y", "a &lt; b", "a & b", "&nbsp;", "1<2 and 3>2",
         "日本[にほん]", " 漢字[かんじ]x", "[sound:a b.mp3]", "漢[sound:x.mp3]", "<img src=\"p q.jpg\">", "<!-- c -->z", "\\(x<b>y</b>\\)",
         "<script>alert(1)</script>s", "<style>.a{}</style>t", "tag\nline", "}}", "{{", "::", "é", "🐈‍⬛", "&eacute;&hellip;", "&#233;",
         "&bogus;", "<div>d</div>", "[x]", "y[a[b]c]", "a>漢[かん]", "&nbsp;b[c]", "<hr>", "q[]", "[[r]]", "w[\nv]"]
FILTERS = ["text", "hint", "furigana", "kana", "kanji", "type", "tts en_US", "tts ja voices=a,b", "cloze", "cloze-only", "edit", "nc",
           "unknown", ""]
SPECIALS = ["Tags", "Type", "Deck", "Subdeck", "Card", "CardFlag", "FrontSide"]
TEXTS = ["", "x", " ", "\n", "<hr id=answer>", "<b>", "</b>", "<!-- {{Nope}} {{/Front}} -->", "}}", "[", "{", "}", "<div>", "</div>",
         "<!-- open", "é"]


def word(r):
    return "".join(r.choice(WORDS) for _ in range(r.randint(0, 3)))


def cloze(r, depth=0):
    parts = []
    for _ in range(r.randint(0, 3)):
        kind = r.random()
        if kind < 0.4 or depth > 11:
            parts.append(word(r))
        elif kind < 0.93:
            number = r.choice(["1", "2", "3", "1,2", "2,1", "0", "12", "01", "500", "501", "1,", ",2", "65536", "3,65536"])
            hint = r.choice(["", "", "::" + word(r), "::h", "::h::i"])
            inner = cloze(r, depth + 1) if r.random() < 0.4 else word(r)
            parts.append("{{c%s::%s%s}}" % (number, inner, hint))
        else:
            parts.append(r.choice(["{{c1::", "}}", "{{c1:a}}", "{{C1::a}}", "{{c1, 2::x}}", "{{c::x}}", "::"]))
    return "".join(parts)


def template(r, fields, depth=0, front=False):
    parts = []
    for _ in range(r.randint(1, 4)):
        kind = r.random()
        name = r.choice(fields)
        if kind < 0.25:
            parts.append(r.choice(TEXTS))
        elif kind < 0.7 or depth > 3:
            if r.random() < 0.2:
                name = r.choice(SPECIALS)
            filters = "".join(r.choice(FILTERS) + ":" for _ in range(r.choice([0, 0, 0, 1, 1, 2, 3])))
            space = r.choice(["", "", " ", "\n"])
            brace = r.choice(["{{", "{{", "{{", "{{{"])
            parts.append(brace + (space if not filters else "") + filters + name + space + "}}")
        else:
            name = r.choice(fields + ["Tags", "c1", "c2", "Deck", "CardFlag"])
            mark = r.choice("#^")
            parts.append("{{%s%s}}%s{{/%s}}" % (mark, name, template(r, fields, depth + 1), name))
    return "".join(parts)


def one(col, r, number):
    is_cloze = r.random() < 0.4
    fields = r.sample(FIELDS, r.randint(1, 4))
    values = [cloze(r) if is_cloze and r.random() < 0.7 else word(r) for _ in fields]
    templates = []
    for _ in range(1 if is_cloze else r.randint(1, 3)):
        front, back = template(r, fields, front=True), template(r, fields)
        if is_cloze:
            front, back = front + "{{cloze:%s}}" % fields[0], back + "{{cloze:%s}}" % fields[0]
        templates.append([front, back])
    kind = col.models.new("T%d" % number)
    kind["type"] = 1 if is_cloze else 0
    for field in fields:
        col.models.add_field(kind, col.models.new_field(field))
    for index, (front, back) in enumerate(templates):
        made = col.models.new_template("Card %d" % (index + 1))
        made["qfmt"], made["afmt"] = front, back
        col.models.add_template(kind, made)
    try:
        col.models.add(kind)
    except Exception:
        return None
    note = col.new_note(col.models.by_name("T%d" % number))
    note.fields = list(values)
    note.tags = r.choice([[], ["t1"], ["t1", "t2::x"]])
    deck = r.choice(["Default", "A::B", "A::B::C d"])
    col.add_note(note, col.decks.id(deck))
    note.load()
    cards = []
    for card in note.cards():
        try:
            shown = col._backend.render_existing_card(card_id=card.id, browser=False, partial_render=False)
        except Exception:
            return None
        sides = {"ord": card.ord}
        for side, nodes in (("front", shown.question_nodes), ("back", shown.answer_nodes)):
            html = re.sub(r' data-cloze="[^"]*"', "", "".join(node.text for node in nodes))
            if "https://docs.ankiweb.net" not in html:
                sides[side] = html
        cards.append(sides)
    return {"name": str(number), "type": "T%d" % number, "cloze": is_cloze, "fields": fields, "values": note.fields,
            "tags": list(note.tags), "deck": deck, "templates": templates, "cards": cards}


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    r = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        col = Collection(folder + "/c.anki2")
        made = number = 0
        while made < count:
            number += 1
            found = one(col, r, number)
            if found:
                made += 1
                print(json.dumps(found, ensure_ascii=False))
            if number % 400 == 0:
                # Many types make Anki slow.
                col.close()
                with tempfile.TemporaryDirectory() as fresh:
                    pass
                col = Collection(tempfile.mkdtemp() + "/c.anki2")


if __name__ == "__main__":
    main()
