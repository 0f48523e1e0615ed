// The script of a deck as one page, first part: FSRS-6 and FSRS-7 with their steps, as Deckhand's Scheduler gives them
// without fuzz.
// Invariant: no state; times are seconds since 1970. The three parts are one script: scheduler.js, study.js, page.js.
"use strict";

const [NEW, LEARNING, REVIEW, RELEARNING] = [0, 1, 2, 3];
const { exp, floor, log, log1p, max, min, pow, round } = Math;
const day = 86400;

const within = (low, value, high) => min(high, max(low, value));

function roundEven(value) {
  const whole = floor(value);
  const rest = value - whole;
  return rest > 0.5 || (rest === 0.5 && whole % 2 !== 0) ? whole + 1 : whole;
}

// A moment, and where the borders of days are at it.
function momentAt(now, offset, rollover) {
  const dayOf = (time) => floor((time + offset - rollover) / day);
  return { now, dayOf, today: dayOf(now), start: (number) => number * day + rollover - offset };
}

// FSRS-7: what an answer makes of a slow and a fast memory, and after how many days both together hold a share.
function timedModel({ parameters: w, believed }) {
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

  const begun = (slow, first, difficulty) => ({ slow: stable(slow), fast: stable(0.8 * slow), difficulty, first });
  const initial = (rating) => begun(w[rating - 1], rating, hard(first(rating)));

  function next(old, rating, days) {
    const { ofFast, recall } = curve(old);
    const held = recall(days);
    const slow = stable(answered(7, old.slow, old.difficulty, held, rating));
    let fast = answered(15, old.fast, old.difficulty, ofFast(days), rating);
    if (rating === 1) fast = min(fast, 0.8 * slow);
    const change = -w[6] * (rating - 3) * (rating === 1 ? held + 0.1 : 1);
    const damped = old.difficulty + ((10 - old.difficulty) * change) / 9;
    return { slow, fast: stable(fast), difficulty: hard(0.01 * first(4) + 0.99 * damped), first: old.first };
  }

  // The root of a curve that falls, by halving the logarithm of what holds it.
  function root(low, high, isBefore) {
    for (let count = 0; count < 100; count++) {
      const middle = (low + high) / 2;
      if (isBefore(exp(middle))) low = middle; else high = middle;
    }
    return exp(high);
  }

  function interval(memory, retention) {
    const { recall } = curve(memory);
    const [shortest, longest] = [1 / day, 36500];
    if (recall(shortest) <= retention) return shortest;
    if (recall(longest) >= retention) return longest;
    return root(log(shortest), log(longest), (days) => recall(days) > retention);
  }

  // Of a card of which only its stability is known.
  function known(stability) {
    const days = within(1 / day, stability, 36500);
    return begun(root(log(1e-4), log(36500), (slow) => curve(begun(slow, 3, 5)).recall(days) < 0.9), 3, 5);
  }

  return { initial, next, interval, known, believes: (memory) => believed[memory.first - 1] };
}

// `options.parameters` are the w0 to w20 in use; without short-term memory w17 to w19 are 0 and there are no steps.
function scheduler(options) {
  const timed = options.timed && timedModel(options.timed);
  const w = options.parameters;
  const decay = -w[20];
  const factor = pow(0.9, 1 / decay) - 1;
  const stable = (value) => (isNaN(value) ? 0.001 : within(0.001, value, 36500));
  const hard = (value) => (isNaN(value) ? 10 : within(1, value, 10));
  const first = (rating) => w[4] - exp(w[5] * (rating - 1)) + 1;

  function stability(old, difficulty, rating, days) {
    if (days < 1) {
      const change = exp(w[17] * (rating - 3 + w[18])) * pow(old, -w[19]);
      return old * (rating === 1 ? change : max(1, change));
    }
    const recall = pow(1 + (factor * days) / old, decay);
    if (rating === 1) {
      const left = w[11] * pow(difficulty, -w[12]) * (pow(old + 1, w[13]) - 1);
      return min(left * exp(w[14] * (1 - recall)), old / exp(w[17] * w[18]));
    }
    const gain = exp(w[8]) * (11 - difficulty) * pow(old, -w[9]) * (exp(w[10] * (1 - recall)) - 1);
    return old * (1 + gain * (rating === 2 ? w[15] : 1) * (rating === 4 ? w[16] : 1));
  }

  function memory(old, rating, moment) {
    if (old.state === NEW || old.stability == null || old.difficulty == null) {
      return { stability: stable(w[rating - 1]), difficulty: hard(first(rating)) };
    }
    const days = old.last == null ? 0 : max(0, moment.today - moment.dayOf(old.last));
    const [s, d] = [stable(old.stability), hard(old.difficulty)];
    const damped = d - (w[6] * (rating - 3) * (10 - d)) / 9;
    return {
      stability: stable(stability(s, d, rating, days)), difficulty: hard(w[7] * first(4) + (1 - w[7]) * damped),
    };
  }

  function whole(days, from = 1) {
    const most = max(1, options.maximumInterval);
    const least = min(max(1, from), most);
    return within(least, roundEven(isNaN(days) ? 1 : within(least, days, most)), most);
  }

  // What FSRS-7 knows of the card after an answer; null where FSRS-6 schedules.
  function timedMemory(old, rating, moment) {
    if (!timed) return null;
    if (old.state === NEW || old.stability == null) return timed.initial(rating);
    const days = old.last == null ? 0 : max(0, moment.now - old.last) / day;
    return timed.next(old.timed ?? timed.known(old.stability), rating, days);
  }

  function exact(old, rating, moment) {
    const { stability: after } = memory(old, rating, moment);
    const usual = (stable(after) / factor) * (pow(options.retention, 1 / decay) - 1);
    if (!timed) return usual;
    const known = timedMemory(old, rating, moment);
    const days = timed.interval(known, options.retention);
    return timed.believes(known) ? days : min(days, 2 * usual);
  }

  function interval(old, rating, moment) {
    const exactly = (candidate) => exact(old, candidate, moment);
    if (options.shortTerm) return whole(exactly(rating), rating === 1 ? options.minimumLapse : 1);
    let days = min(whole(exactly(1), options.minimumLapse), whole(exactly(2)));
    for (let candidate = 2; candidate <= rating; candidate++) days = whole(exactly(candidate), days + 1);
    return days;
  }

  // The step that follows; null when the card goes by days from here on.
  function step(old, rating, moment) {
    if (options.timedSteps?.[old.state >= REVIEW ? 1 : 0]) {
      if (old.state === REVIEW && rating !== 1) return null;
      const seconds = max(600, round(exact(old, rating, moment) * day));
      return moment.now + seconds < moment.start(moment.today + 1) ? [0, seconds] : null;
    }
    const steps = old.state >= REVIEW ? options.relearningSteps : options.learningSteps;
    if (!steps.length) return null;
    if (old.state === REVIEW) return rating === 1 ? [0, steps[0]] : null;
    const index = old.state === NEW ? 0 : within(0, old.step, steps.length - 1);
    if (rating === 1) return [0, steps[0]];
    if (rating === 3) return index + 1 < steps.length ? [index + 1, steps[index + 1]] : null;
    if (rating === 4) return null;
    if (index > 0) return [index, steps[index]];
    return [0, steps.length > 1 ? (steps[0] + steps[1]) / 2 : min(steps[0] * 1.5, steps[0] + day)];
  }

  // A schedule after an answer, with the seconds until the card comes back.
  return (old, rating, moment) => {
    const lapses = old.lapses + (old.state === REVIEW && rating === 1 ? 1 : 0);
    const next = { ...memory(old, rating, moment), reps: old.reps + 1, lapses, last: moment.now };
    if (timed) next.timed = timedMemory(old, rating, moment);
    const short = step(old, rating, moment);
    if (short) {
      const state = old.state >= REVIEW ? RELEARNING : LEARNING;
      return { ...next, state, step: short[0], due: moment.now + short[1], interval: short[1] };
    }
    const days = interval(old, rating, moment);
    return { ...next, state: REVIEW, step: 0, due: moment.start(moment.today + days), interval: days * day };
  };
}

const untouched = { state: NEW, step: 0, due: null, stability: null, difficulty: null, reps: 0, lapses: 0, last: null };
