// The script of a deck as one page: what is due, FSRS-6, the log of answers, keys, and what the page shows.
// Invariant: the log is the only state; every schedule follows from it by replay. No text of a card becomes HTML.
"use strict";

// FSRS-6 with its steps, as Deckhand's Scheduler gives it without fuzz. Times are seconds since 1970.

const [NEW, LEARNING, REVIEW, RELEARNING] = [0, 1, 2, 3];
const { exp, floor, max, min, pow, round } = Math;
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

// `options.parameters` are the w0 to w20 in use; without short-term memory w17 to w19 are 0 and there are no steps.
function scheduler(options) {
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

  function interval(old, rating, moment) {
    const exact = (candidate) =>
      (stable(memory(old, candidate, moment).stability) / factor) * (pow(options.retention, 1 / decay) - 1);
    if (options.shortTerm) return whole(exact(rating), rating === 1 ? options.minimumLapse : 1);
    let days = min(whole(exact(1), options.minimumLapse), whole(exact(2)));
    for (let candidate = 2; candidate <= rating; candidate++) days = whole(exact(candidate), days + 1);
    return days;
  }

  // The step that follows; null when the card goes by days from here on.
  function step(old, rating) {
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
    const short = step(old, rating);
    if (short) {
      const state = old.state >= REVIEW ? RELEARNING : LEARNING;
      return { ...next, state, step: short[0], due: moment.now + short[1], interval: short[1] };
    }
    const days = interval(old, rating, moment);
    return { ...next, state: REVIEW, step: 0, due: moment.start(moment.today + days), interval: days * day };
  };
}

const untouched = { state: NEW, step: 0, due: null, stability: null, difficulty: null, reps: 0, lapses: 0, last: null };

// The log of answers: JSON Lines, the first names the deck.

const lineOf = (answer) =>
  JSON.stringify({ guid: answer.guid, subdeck: answer.subdeck || undefined, at: answer.at, rating: answer.rating,
    seconds: answer.seconds }) + "\n";
const headOf = (deck) => JSON.stringify({ deck, version: 1 }) + "\n";

// The answers of a log. Throws an Error that names the line.
function readLog(text, deck, now) {
  const answers = [];
  text.replace(/^\uFEFF/, "").split("\n").forEach((line, index) => {
    const fail = (why) => { throw new Error(`Line ${index + 1}: ${why}. Nothing was taken over.`); };
    if (!line.trim()) return index === 0 ? fail("this is no file of answers") : undefined;
    let entry = null;
    try { entry = JSON.parse(line); } catch { fail("no JSON; the file may be cut") }
    const { guid, subdeck = "", at, rating, seconds = 0 } = entry ?? {};
    if (index === 0) {
      if (entry?.version !== 1) fail("this is no file of answers");
      return entry.deck === deck ? undefined : fail("these are answers of another deck");
    }
    if (typeof guid !== "string" || typeof subdeck !== "string") fail("guid must be a text");
    if (![1, 2, 3, 4].includes(rating)) fail("rating must be 1, 2, 3 or 4");
    if (!(at > 0 && at < now + day)) fail("at must be a moment that is past");
    if (!(seconds >= 0)) fail("seconds must be a number");
    answers.push({ guid, subdeck, at, rating, seconds });
  });
  return answers;
}

const keyOf = (answer) => `${answer.subdeck}\0${answer.guid}`;

// Both, each answer once, in the order of time.
function merged(mine, others) {
  const all = new Map([...mine, ...others].map((answer) => [`${keyOf(answer)}\0${answer.at}`, answer]));
  return [...all.values()].sort((a, b) => a.at - b.at);
}

// A typed answer beside the right one.

function letters(text) {
  const composed = text.trim().normalize("NFC");
  return Intl.Segmenter ? Array.from(new Intl.Segmenter().segment(composed), (part) => part.segment) : [...composed];
}

// Parts of what was typed with their marks: what both begin and end with is right.
function compared(given, wanted, ignoresAccents) {
  const plain = (letter) => (ignoresAccents ? letter.normalize("NFD").replace(/\p{M}/gu, "") : letter);
  const [mine, right] = [letters(given), letters(wanted)];
  const least = min(mine.length, right.length);
  let [start, end] = [0, 0];
  while (start < least && plain(mine[start]) === plain(right[start])) start++;
  while (end < least - start && plain(mine.at(-1 - end)) === plain(right.at(-1 - end))) end++;
  const parts = [
    { mark: "right", text: mine.slice(0, start).join("") },
    { mark: "wrong", text: mine.slice(start, mine.length - end).join("") },
    { mark: "missing", text: "-".repeat(max(0, right.length - mine.length)) },
    { mark: "right", text: mine.slice(mine.length - end).join("") },
  ];
  return parts.filter((part) => part.text);
}

function spanWords(seconds) {
  const units = [[365 * day, "year"], [30 * day, "month"], [day, "day"], [3600, "hour"], [60, "minute"], [1, "second"]];
  const [size, name] = units.find(([size]) => seconds >= size) ?? units[5];
  const count = seconds >= 30 * day && seconds % size ? (seconds / size).toFixed(1) : round(seconds / size);
  return `${count} ${name}${count == 1 ? "" : "s"}`;
}

// The cards of the page, with their schedules by the log.
class Study {
  constructor(cards, sections, rollover) {
    Object.assign(this, { cards, sections, rollover, byKey: new Map(), byGuid: new Map() });
    for (const section of sections) section.next = scheduler(section.options);
    for (const card of cards) {
      this.byKey.set(keyOf(card), card);
      if (!this.byGuid.has(card.guid)) this.byGuid.set(card.guid, card);
    }
    this.replay([]);
  }

  moment(now) { return momentAt(now, -new Date(now * 1000).getTimezoneOffset() * 60, this.rollover); }

  // Takes over a log in the order of time.
  replay(log) {
    this.log = log;
    this.lines = log.map(lineOf).join("");
    this.past = [];
    for (const section of this.sections) section.done = new Map();
    for (const card of this.cards) card.schedule = card.initial;
    for (const answer of log) {
      const card = this.byKey.get(keyOf(answer)) ?? this.byGuid.get(answer.guid);
      if (card && !(answer.at <= card.schedule.last)) this.apply(card, answer.rating, this.moment(answer.at));
    }
  }

  apply(card, rating, moment) {
    this.count(card, card.schedule.state, moment.today, 1);
    card.schedule = card.section.next(card.schedule, rating, moment);
  }

  count(card, state, today, change) {
    const done = card.section.done.get(today) ?? { fresh: 0, reviews: 0 };
    if (state === NEW) done.fresh += change;
    if (state === REVIEW) done.reviews += change;
    card.section.done.set(today, done);
  }

  // What waits now, and the card to show; learnt cards come before new ones.
  waiting(now) {
    const moment = this.moment(now);
    const border = moment.start(moment.today) + day / 2;
    const room = (section) => {
      const { fresh, reviews } = section.done.get(moment.today) ?? { fresh: 0, reviews: 0 };
      const left = section.options.reviewsPerDay - reviews;
      const most = section.options.newIgnoresReviewLimit ? Infinity : left;
      return { reviews: left, fresh: min(section.options.newPerDay - fresh, most) };
    };
    const rooms = new Map(this.sections.map((section) => [section, room(section)]));
    const total = { ...rooms.get(this.sections[0]) };
    for (const section of this.sections.slice(1)) {
      const done = section.done.get(moment.today);
      total.reviews -= done?.reviews ?? 0;
      total.fresh -= done?.fresh ?? 0;
    }
    const due = { learning: [], review: [], fresh: [] };
    for (const card of this.cards) {
      const { state, due: at } = card.schedule;
      const own = rooms.get(card.section);
      if (state === NEW) { if (own.fresh > 0 && own.fresh--) due.fresh.push(card); }
      else if (state === REVIEW) { if (at < border) due.review.push(card); }
      else due.learning.push(card);
    }
    const byDue = (a, b) => a.schedule.due - b.schedule.due;
    due.learning.sort(byDue);
    due.review = due.review.sort(byDue).filter((card) => rooms.get(card.section).reviews-- > 0)
      .slice(0, max(0, total.reviews));
    due.fresh.length = within(0, total.fresh, due.fresh.length);
    const soon = due.learning[0];
    const learns = soon && soon.schedule.due <= now ? soon : null;
    const card = learns ?? due.review[0] ?? due.fresh[0] ?? (soon && soon.schedule.due <= now + 1200 ? soon : null);
    return { ...due, card, moment };
  }

  answer(card, rating, now, seconds) {
    const at = round(max(now, (card.schedule.last ?? 0) + 0.001) * 1000) / 1000;
    const answer = { guid: card.guid, subdeck: card.subdeck, at, rating, seconds };
    this.past.push({ card, before: card.schedule, answer });
    this.apply(card, rating, this.moment(at));
    this.log.push(answer);
    this.lines += lineOf(answer);
  }

  // Takes the last answer of this visit back; returns its card.
  undo() {
    const last = this.past.pop();
    if (!last) return null;
    this.log.splice(this.log.lastIndexOf(last.answer), 1);
    this.lines = this.log.map(lineOf).join("");
    this.count(last.card, last.before.state, this.moment(last.answer.at).today, -1);
    last.card.schedule = last.before;
    return last.card;
  }

  text(deck) { return headOf(deck) + this.lines; }
}

// What the page shows.

function start() {
  const holder = document.getElementById("cards");
  const source = new DOMParser().parseFromString(holder.textContent, "text/html");
  const { deck, name, rollover } = JSON.parse(holder.dataset.options);
  const [cards, sections] = [[], []];
  for (const element of source.querySelectorAll("section")) {
    const section = { options: JSON.parse(element.dataset.options) };
    sections.push(section);
    for (const details of element.querySelectorAll("details")) {
      const { guid, schedule } = details.dataset;
      const initial = schedule ? JSON.parse(schedule) : untouched;
      cards.push({ guid, subdeck: element.dataset.subdeck, section, details, initial, schedule: initial });
    }
  }
  const study = new Study(cards, sections, rollover);
  const storageKey = "deckhand answers " + deck;
  const now = () => Date.now() / 1000;
  let [shown, shownAt, isOpen, timer, stored] = [null, 0, false, 0, true];

  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const button = (id, label, onclick) => make("button", { id, type: "button", onclick }, label);
  const names = ["Again", "Hard", "Good", "Easy"];
  const noStorage = "This browser keeps nothing for this page: save your answers as a file before you leave.";
  const status = make("p", { id: "status", role: "status" });
  const left = make("p", { id: "left" });
  const prompt = make("div", { id: "prompt", tabIndex: -1 });
  const typed = make("input", {
    id: "typed", autocomplete: "off", autocapitalize: "off", spellcheck: false, ariaLabel: "Your answer",
  });
  const answer = make("div", { id: "answer", tabIndex: -1 });
  const reveal = button("reveal", "Show answer", open);
  const ratings = make("div", { id: "ratings" },
    ...names.map((label, index) => button("rate" + (index + 1), label, () => rate(index + 1))));
  const area = make("textarea", { rows: 6, spellcheck: false, ariaLabel: "Answers as text" });
  const file = make("input", { id: "file", type: "file", onchange: () => file.files[0]?.text().then(load) });
  const undoButton = button("undo", "Undo", undo);
  const asText = make("details", { id: "text", ontoggle: () => { if (asText.open) area.value = study.text(deck); } },
    make("summary", {}, "Answers as text"), area, button("merge", "Take over this text", () => load(area.value)));
  document.querySelector("main").append(
    left, make("article", {}, prompt, typed, answer, reveal, ratings), status,
    make("section", { ariaLabel: "Answers" }, undoButton, button("save", "Save answers", save),
      make("label", {}, "Load answers ", file), asText,
      make("p", {}, "Keys: Space or Enter shows the answer, 1 to 4 rate it, u takes the last one back.")));

  function tell(text) { status.textContent = text; }

  // Writes the log where the browser keeps it; where it does not, the file is what stays.
  function keep() {
    try {
      localStorage.setItem(storageKey, study.text(deck));
      stored = true;
      return "";
    } catch {
      const isFirst = stored;
      stored = false;
      return isFirst ? " " + noStorage : "";
    }
  }

  function fill(target, side) {
    target.replaceChildren(...[...side.childNodes].map((node) => document.importNode(node, true)));
    target.lang = side.lang;
    target.dir = "auto";
  }

  // Shows the card whose turn it is, or when the next one comes.
  function show(movesFocus = true) {
    clearTimeout(timer);
    const waiting = study.waiting(now());
    [shown, shownAt, isOpen] = [waiting.card, now(), false];
    left.textContent = `${waiting.fresh.length} new, ${waiting.learning.length} learning, ${waiting.review.length} due`;
    answer.hidden = ratings.hidden = true;
    reveal.hidden = !shown;
    typed.hidden = !shown || shown.details.dataset.typed === undefined;
    typed.value = "";
    undoButton.disabled = !study.past.length;
    prompt.lang = document.documentElement.lang;
    if (shown) {
      fill(prompt, shown.details.querySelector("summary"));
    } else {
      const due = waiting.learning[0]?.schedule.due;
      prompt.textContent = due
        ? `The next card comes in ${spanWords(max(1, due - now()))}.` : "Nothing more is due today.";
      const wait = min((due ?? Infinity) - 1200, waiting.moment.start(waiting.moment.today + 1)) - now();
      timer = setTimeout(() => show(false), within(1, wait, 3600) * 1000);
    }
    if (movesFocus) (typed.hidden ? prompt : typed).focus();
  }

  function open() {
    if (!shown || isOpen) return;
    isOpen = true;
    const { typed: wanted, accents } = shown.details.dataset;
    fill(answer, shown.details.querySelector("div"));
    if (wanted !== undefined && typed.value.trim()) {
      const parts = compared(typed.value, wanted, accents === "ignored");
      const isRight = parts.every((part) => part.mark === "right");
      answer.prepend(make("p", { id: "compared" }, `You typed (${isRight ? "right" : "not right"}): `,
        ...parts.map(({ text, mark }) => make({ right: "span", wrong: "del", missing: "ins" }[mark], {}, text))));
    }
    answer.hidden = ratings.hidden = false;
    reveal.hidden = typed.hidden = true;
    const moment = study.moment(now());
    [...ratings.children].forEach((each, index) => {
      const words = spanWords(shown.section.next(shown.schedule, index + 1, moment).interval);
      each.replaceChildren(`${index + 1} ${names[index]}`, make("small", {}, words));
    });
    answer.focus();
  }

  function rate(rating) {
    if (!isOpen) return;
    const time = now();
    const seconds = within(0, time - shownAt, shown.section.options.maximumAnswerSeconds);
    const card = shown;
    study.answer(card, rating, time, round(seconds * 10) / 10);
    tell(`${names[rating - 1]}: back in ${spanWords(card.schedule.interval)}.` + keep());
    show();
  }

  function undo() {
    if (!study.undo()) return tell("There is no answer of this visit to take back.");
    tell("The last answer was taken back." + keep());
    show();
  }

  function load(text) {
    try {
      const before = study.log.length;
      study.replay(merged(study.log, readLog(text, deck, now())));
      const count = study.log.length - before;
      tell(`${count} answer${count === 1 ? "" : "s"} taken over, the others were here already.` + keep());
      show(false);
    } catch (error) {
      tell(error.message);
    }
    file.value = "";
  }

  // Shared where fingers do it, else downloaded.
  async function save() {
    const title = name.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60);
    const shared = new File([study.text(deck)], title + ".answers.txt", { type: "text/plain" });
    if (matchMedia("(pointer: coarse)").matches && navigator.canShare?.({ files: [shared] })) {
      try { return await navigator.share({ files: [shared] }); } catch (error) {
        if (error.name === "AbortError") return;
      }
    }
    const link = make("a", { href: URL.createObjectURL(shared), download: title + ".answers" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    tell(`${study.log.length} answers saved as ${link.download}, for deck import DECK FILE --format answers.`);
  }

  document.addEventListener("keydown", (event) => {
    const tag = event.target.tagName;
    if (event.ctrlKey || event.metaKey || event.altKey || tag === "TEXTAREA") return;
    const isEnter = event.key === "Enter";
    if (event.target === typed ? !isEnter : tag === "INPUT") return;
    if (isEnter || event.key === " ") { if (/^(BUTTON|SUMMARY|AUDIO)$/.test(tag) || isOpen) return; open(); }
    else if ("1234".includes(event.key) && isOpen) rate(Number(event.key));
    else if (event.key === "u") undo();
    else return;
    event.preventDefault();
  });

  // The same page in another window.
  addEventListener("storage", (event) => {
    if (event.key !== storageKey || !event.newValue) return;
    study.replay(merged(study.log, readLog(event.newValue, deck, now())));
    if (!isOpen) show(false);
  });

  try {
    const kept = localStorage.getItem(storageKey);
    if (kept) study.replay(merged([], readLog(kept, deck, now() + 1e6)));
  } catch (error) {
    tell(/^Line/.test(error.message) ? "What this browser kept cannot be read: " + error.message : noStorage);
    stored = false;
  }
  show(false);
}

if (typeof document !== "undefined") start();
