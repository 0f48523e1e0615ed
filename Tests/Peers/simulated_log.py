"""Writes a review log of a user whose memory follows FSRS-6 with known parameters.

Usage: simulated_log.py CARDS SEED            lines "card seconds-since-1970 rating", as fsrs_optimizer.py reads
       simulated_log.py CARDS SEED DATABASE   the log of the first CARDS cards of Deckhand's DATABASE

The formulas are those of the wiki of open-spaced-repetition/fsrs4anki, "The Algorithm", section FSRS-6.
"""

import math
import random
import sqlite3
import sys

W = [
    1.5, 3.5, 9.0, 40.0, 5.5, 1.1, 1.8, 0.1, 2.3, 0.3, 1.4, 2.2, 0.03, 0.5, 2.2, 0.8, 1.4, 0.3, 0.3, 0.2, 0.4,
]
START = 1_500_000_000 // 86_400 * 86_400 + 43_200
FACTOR = 0.9 ** (-1 / W[20]) - 1
ANSWERS = 12


def bounded(value, low, high):
    return min(high, max(low, value))


def first_difficulty(rating):
    return W[4] - math.exp(W[5] * (rating - 1)) + 1


def recall(days, stability):
    return (1 + FACTOR * days / stability) ** -W[20]


def after(stability, difficulty, rating, days):
    """Returns stability and difficulty after an answer, given the days since the previous one."""
    if days == 0:
        gain = math.exp(W[17] * (rating - 3 + W[18])) * stability ** -W[19]
        new = stability * (gain if rating == 1 else max(gain, 1))
    elif rating == 1:
        left = W[11] * difficulty ** -W[12] * ((stability + 1) ** W[13] - 1)
        new = min(left * math.exp(W[14] * (1 - recall(days, stability))), stability / math.exp(W[17] * W[18]))
    else:
        gain = math.exp(W[8]) * (11 - difficulty) * stability ** -W[9]
        gain *= math.exp(W[10] * (1 - recall(days, stability))) - 1
        new = stability * (1 + gain * (W[15] if rating == 2 else 1) * (W[16] if rating == 4 else 1))
    damped = difficulty - W[6] * (rating - 3) * (10 - difficulty) / 9
    return bounded(new, 0.001, 36_500), bounded(W[7] * first_difficulty(4) + (1 - W[7]) * damped, 1, 10)


def answers(chance):
    """Returns the days and ratings of one card."""
    rating = chance.choice([1, 2, 3, 3, 3, 4])
    day = chance.randrange(300)
    stability, difficulty = bounded(W[rating - 1], 0.001, 36_500), bounded(first_difficulty(rating), 1, 10)
    yield day, rating
    for _ in range(ANSWERS):
        if rating == 1:
            days, rating = 0, 1 if chance.random() < 0.1 else 3
        else:
            interval = stability / FACTOR * (0.9 ** (-1 / W[20]) - 1)
            days = max(1, round(interval * (0.5 + chance.random())))
            day += days
            if day > 2500:
                return
            rating = chance.choice([2, 3, 3, 3, 4]) if chance.random() < recall(days, stability) else 1
        stability, difficulty = after(stability, difficulty, rating, days)
        yield day, rating


def main():
    chance = random.Random(int(sys.argv[2]))
    logs = [list(answers(chance)) for _ in range(int(sys.argv[1]))]
    if len(sys.argv) < 4:
        for card, log in enumerate(logs, 1):
            for number, (day, rating) in enumerate(log):
                # Answers of one day are ten minutes apart.
                print(card, START + day * 86_400 + number * 600, rating)
        return
    database = sqlite3.connect(sys.argv[3])
    cards = [row[0] for row in database.execute("SELECT id FROM cards ORDER BY id LIMIT ?", (len(logs),))]
    for card, log in zip(cards, logs):
        for number, (day, rating) in enumerate(log):
            database.execute(
                "INSERT INTO reviews (card, at, rating, state, interval) VALUES (?, ?, ?, ?, 86400)",
                (card, START + day * 86_400 + number * 600, rating, 0 if number == 0 else 2))
    database.commit()


main()
