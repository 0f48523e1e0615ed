// What schedules besides FSRS-6, the last part of the script on pages that need it. Invariant: no state.
// It updates a slow and a fast memory (FSRS-7) after an answer, and computes the days until the recall by both models,
// moved by the time of the last answer, falls to a share. Without parameters there is no FSRS-7; without `time` it is
// alone.
function timedModel({ parameters: w, believed, time }) {
  const least = 1e-5;
  const stable = (value) => (isNaN(value) ? 1e-4 : within(1e-4, value, 36500));
  const hard = (value) => (isNaN(value) ? 10 : within(1, value, 10));
  const first = (rating) => w[4] - exp(w[5] * (rating - 1)) + 1;
  const mixed = (share, fast, slow) => least + (1 - 2 * least) * (share * fast + (1 - share) * slow);

  function curve({ slow, fast, difficulty }) {
    const [hardness, logSlow, logFast] = [difficulty - 5, log(slow), log(fast)];
    const fastPower = within(0.01, w[23] * exp((w[33] - 0.3) * logFast), 0.95);
    const slowPower = within(0.01, w[24], 0.95);
    const fastRate = (exp(min(-log(w[25]) / fastPower, 60)) - 1) / fast;
    const slowRate = ((exp(-log(w[26]) / slowPower) - 1) * exp(hardness * (w[32] - 0.3))) / slow;
    const fastWeight = w[27] * exp(-w[29] * logFast);
    const slowWeight = w[28] * exp(w[30] * logSlow + hardness * (w[31] - 0.5));
    const share = fastWeight / (fastWeight + slowWeight);
    const ofFast = (days) => exp(-fastPower * log1p(fastRate * days));
    const ofSlow = (days) => exp(-slowPower * log1p(slowRate * days));
    return { ofFast, recall: (days) => mixed(share, ofFast(days), ofSlow(days)) };
  }

  function answered(at, stability, difficulty, recall, rating) {
    if (rating === 1) {
      const left = w[at + 3] * (pow(stability + 1, w[at + 4]) - 1) * exp((1 - recall) * w[at + 5]);
      return min(stability, left);
    }
    const bonus = rating === 2 ? w[at + 6] : rating === 4 ? w[at + 7] : 1;
    const gain = exp(w[at] - 1.5) * (11 - difficulty) * pow(stability, -w[at + 1]);
    return stability * (1 + gain * (exp((1 - recall) * w[at + 2]) - 1) * bonus);
  }

  const slowness = (seconds) =>
    (time && time.median > 0 && seconds >= 0.3 ? within(-log(4), log(seconds / time.median), log(3)) : 0);
  const begun = (slow, first, difficulty) => ({ slow: stable(slow), fast: stable(0.8 * slow), difficulty, first });
  const initial = (rating, seconds) =>
    ({ ...(w ? begun(w[rating - 1], rating, hard(first(rating))) : { first: rating }), hesitation: slowness(seconds) });
  const next = (old, rating, days, seconds) => ({ ...(w ? moved(old, rating, days) : old), hesitation: slowness(seconds) });

  function moved(old, rating, days) {
    const { ofFast, recall } = curve(old);
    const held = recall(days);
    const slow = stable(answered(7, old.slow, old.difficulty, held, rating));
    let fast = answered(15, old.fast, old.difficulty, ofFast(days), rating);
    if (rating === 1) fast = min(fast, 0.8 * slow);
    const change = -w[6] * (rating - 3) * (rating === 1 ? held + 0.1 : 1);
    const damped = old.difficulty + ((10 - old.difficulty) * change) / 9;
    return { slow, fast: stable(fast), difficulty: hard(0.01 * first(4) + 0.99 * damped), first: old.first };
  }

  // Finds the root of a falling curve by bisecting the logarithm of its argument.
  function root(low, high, isBefore) {
    for (let count = 0; count < 100; count++) {
      const middle = (low + high) / 2;
      if (isBefore(exp(middle))) low = middle; else high = middle;
    }
    return exp(high);
  }

  const odds = (share) => log(within(1e-4, share, 1 - 1e-4) / (1 - within(1e-4, share, 1 - 1e-4)));

  function falling(recall, retention) {
    const [shortest, longest] = [1 / day, 36500];
    if (recall(shortest) <= retention) return shortest;
    if (recall(longest) >= retention) return longest;
    return root(log(shortest), log(longest), (days) => recall(days) > retention);
  }

  // `rate` and `decay` are those of the curve of FSRS-6.
  function interval(memory, rate, decay, retention) {
    const six = (days) => pow(1 + rate * days, decay);
    const offset = time ? within(-0.7, time.shift + time.slope * memory.hesitation, 0.7) : 0;
    const after = (logit) => 1 / (1 + exp(-logit - offset));
    const seven = w && curve(memory).recall;
    const usual = time ? (days) => after(odds(six(days))) : six;
    if (!w) return falling(usual, retention);
    const both = time ? (days) => after((odds(six(days)) + odds(seven(days))) / 2) : seven;
    const days = falling(both, retention);
    return believed[memory.first - 1] ? days : min(days, 2 * falling(usual, retention));
  }

  // The state of a card of which only the stability is known.
  function known(stability) {
    if (!w) return { first: 3, hesitation: 0 };
    const days = within(1 / day, stability, 36500);
    return begun(root(log(1e-4), log(36500), (slow) => curve(begun(slow, 3, 5)).recall(days) < 0.9), 3, 5);
  }

  return { initial, next, interval, known };
}
