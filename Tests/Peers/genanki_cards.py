#!/usr/bin/env python3
"""Writes two-field cards into a package with genanki, for `Scripts/bench`: genanki_cards.py COUNT FILE"""
import sys

import genanki

model = genanki.Model(1607392319, "Simple", fields=[{"name": "Front"}, {"name": "Back"}], templates=[
    {"name": "Card 1", "qfmt": "{{Front}}", "afmt": '{{FrontSide}}<hr id="answer">{{Back}}'}])
deck = genanki.Deck(2059400110, "Bench")
for number in range(1, int(sys.argv[1]) + 1):
    deck.add_note(genanki.Note(model=model, fields=["prompt %d" % number, "answer %d" % number]))
genanki.Package(deck).write_to_file(sys.argv[2])
