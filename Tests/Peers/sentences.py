"""Writes sentences of English words, one per line, with the word frequencies of real text (Zipf): sentences.py MEGABYTES [SEED] > text.

The output is the same each time. The words are those of Debian's wamerican.
"""
import random
import sys

wanted = int(float(sys.argv[1]) * 1_000_000)
chance = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
with open("/usr/share/dict/american-english", encoding="utf-8") as file:
    words = [word for word in file.read().split("\n") if word.isalpha() and word.islower()]
chance.shuffle(words)
total, weights = 0.0, []
for rank in range(len(words)):
    total += 1 / (rank + 2.7)
    weights.append(total)

written = 0
while written < wanted:
    drawn = iter(chance.choices(words, cum_weights=weights, k=120_000))
    lines = []
    while True:
        sentence = [word for word, _ in zip(drawn, range(chance.randint(4, 20)))]
        if len(sentence) < 4:
            break
        sentence[0] = sentence[0].capitalize()
        lines.append(" ".join(sentence) + ".\n")
    text = "".join(lines).encode()[:wanted - written]
    sys.stdout.buffer.write(text[:text.rfind(b"\n") + 1] if len(text) == wanted - written else text)
    written += len(text)
