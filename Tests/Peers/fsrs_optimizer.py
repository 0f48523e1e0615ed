# The reference for `Scripts/bench fitting`: the optimizer of the PyPI package fsrs (pip install 'fsrs[optimizer]').
# Reads lines "card seconds-since-1970 rating"; prints the loss of the fitted parameters.
import datetime
import sys

from fsrs import Optimizer, Rating, ReviewLog

logs = []
for line in open(sys.argv[1]):
    card, at, rating = map(int, line.split())
    moment = datetime.datetime.fromtimestamp(at, datetime.timezone.utc)
    logs.append(ReviewLog(card_id=card, rating=Rating(rating), review_datetime=moment, review_duration=None))
optimizer = Optimizer(logs)
parameters = optimizer.compute_optimal_parameters()
print(parameters)
print(optimizer._compute_batch_loss(parameters=parameters))
