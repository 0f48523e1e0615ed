// The script of a deck's page, first part: FSRS-6 with steps, like Deckhand's Scheduler without fuzz, and what schedules
// besides it through `timedModel` of fsrs7.js, which is included in pages that need it.
// Invariant: no state; times are seconds since 1970. It forms one script with the other parts, study.js and page.js.
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

// A point in time, with the boundaries of its day. `offset` returns how far the clock is ahead of UTC at a time; `seconds`
// is how long an answer took that was given then.
function momentAt(now, offset, rollover, seconds) {
  const dayOf = (time) => floor((time + offset(time) - rollover) / day);
  return {
    now, seconds, dayOf, today: dayOf(now),
    start: (number, shown = number * day + rollover) => shown - offset(shown - offset(shown - offset(now))),
  };
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

  // What is known of the card besides FSRS-6 after an answer; null if FSRS-6 schedules alone.
  function timedMemory(old, rating, moment) {
    if (!timed) return null;
    if (old.state === NEW || old.stability == null) return timed.initial(rating, moment.seconds);
    const days = old.last == null ? 0 : max(0, moment.now - old.last) / day;
    return timed.next(old.timed ?? timed.known(old.stability), rating, days, moment.seconds);
  }

  function exact(old, rating, moment) {
    const after = stable(memory(old, rating, moment).stability);
    if (!timed) return (after / factor) * (pow(options.retention, 1 / decay) - 1);
    return timed.interval(timedMemory(old, rating, moment), factor / after, decay, options.retention);
  }

  function interval(old, rating, moment) {
    const exactly = (candidate) => exact(old, candidate, moment);
    if (options.shortTerm) return whole(exactly(rating), rating === 1 ? options.minimumLapse : 1);
    let days = min(whole(exactly(1), options.minimumLapse), whole(exactly(2)));
    for (let candidate = 2; candidate <= rating; candidate++) days = whole(exactly(candidate), days + 1);
    return days;
  }

  // The next step; null if the card is scheduled in days from here on.
  function step(old, rating, moment) {
    if (options.timedSteps?.[old.state >= REVIEW ? 1 : 0]) {
      if (old.state === REVIEW && rating !== 1) return null;
      const seconds = max(600, round(exact(old, rating, moment) * day));
      return moment.now + seconds < moment.start(moment.today + 1) ? [0, seconds] : null;
    }
    const steps = old.state >= REVIEW ? options.relearningSteps : options.learningSteps;
    if (!steps.length) {
      if (!options.shortTerm || !w[17] || !w[18] || rating === 4 || (old.state === REVIEW && rating > 1)) return null;
      const days = exact(old, rating, moment);
      return days < 0.5 ? [0, floor(days * day)] : null;
    }
    if (old.state === REVIEW) return rating === 1 ? [0, steps[0]] : null;
    const index = old.state === NEW ? 0 : within(0, old.step, steps.length - 1);
    if (rating === 1) return [0, steps[0]];
    if (rating === 3) return index + 1 < steps.length ? [index + 1, steps[index + 1]] : null;
    if (rating === 4) return null;
    if (index > 0) return [index, steps[index]];
    return [0, steps.length > 1 ? (steps[0] + steps[1]) / 2 : min(steps[0] * 1.5, steps[0] + day)];
  }

  // The schedule after an answer, with the seconds until the card is due again.
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
