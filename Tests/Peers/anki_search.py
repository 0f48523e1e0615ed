"""Measures how long Anki takes to find and to study 100,000 cards with the texts of `StudyFigures`: milliseconds, one per line.

Usage: PYTHON anki_search.py FOLDER, with a Python that has the package `anki`.
"""

import os
import sys
import time

from anki.collection import Collection

CARDS = 100_000


def filled(path):
    collection = Collection(path)
    if collection.card_count() >= CARDS:
        return collection
    model = collection.models.by_name("Basic")
    deck = collection.decks.id("Bench")
    requests = []
    from anki.collection import AddNoteRequest

    for number in range(CARDS):
        note = collection.new_note(model)
        note.fields[0] = f"prompt {number} of something"
        note.fields[1] = f"an answer with words {number * 7919}"
        if number % 10 == 0:
            note.tags = ["tenth"]
        requests.append(AddNoteRequest(note=note, deck_id=deck))
        if len(requests) == 5000:
            collection.add_notes(requests)
            requests = []
    collection.db.execute(
        "update cards set type = 2, queue = 2, ivl = 10, due = (id % 100), reps = 3 where id % 10 > 0"
    )
    return collection


def measured(body, rounds=9):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        body()
        times.append(time.perf_counter() - start)
    return sorted(times)[rounds // 2] * 1e3


def main():
    collection = filled(os.path.join(sys.argv[1], "bench.anki2"))
    queries = [
        ("a word", "something"), ("a part of a word", "omethin"), ("a rare word", "77777"), ("a tag", "tag:tenth"),
        ("a state", "is:review"), ("an interval", "prop:ivl>5"),
    ]
    for name, query in queries:
        count = len(collection.find_cards(query))
        print(f"{name:20} {measured(lambda: collection.find_cards(query)):8.2f} ms  {count} cards")
    collection.decks.select(collection.decks.id("Bench"))
    print(f"{'first card':20} {measured(lambda: collection.sched.get_queued_cards()):8.2f} ms")
    collection.close()


main()
