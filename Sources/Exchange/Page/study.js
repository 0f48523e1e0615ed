// The script of a deck's page, second part: the log of answers, typed answers, and what is due.
// Invariant: the log is the only state; every schedule follows from it by replay.

// The log of answers as JSON Lines; the first line names the deck.

const lineOf = (answer) =>
  JSON.stringify({ guid: answer.guid, subdeck: answer.subdeck || undefined, at: answer.at, rating: answer.rating,
    seconds: answer.seconds }) + "\n";
const headOf = (deck) => JSON.stringify({ deck, version: 1 }) + "\n";

// Returns the answers in a log. Throws an Error that names the line.
function readLog(text, deck, now) {
  const answers = [];
  text.replace(/^\uFEFF/, "").split("\n").forEach((line, index) => {
    const fail = (why) => { throw new Error(`Line ${index + 1}: ${why}. Nothing was loaded.`); };
    if (!line.trim()) return index === 0 ? fail("not an answer file") : undefined;
    let entry = null;
    try { entry = JSON.parse(line); } catch { fail("not JSON; the file may be truncated") }
    const { guid, subdeck = "", at, rating, seconds = 0 } = entry ?? {};
    if (index === 0) {
      if (entry?.version !== 1) fail("not an answer file");
      return entry.deck === deck ? undefined : fail("the answers are for another deck");
    }
    if (typeof guid !== "string" || typeof subdeck !== "string") fail("guid must be a text");
    if (![1, 2, 3, 4].includes(rating)) fail("rating must be 1, 2, 3 or 4");
    if (!(at > 0 && at < now + day)) fail("at must be a time in the past");
    if (!(seconds >= 0)) fail("seconds must be a number");
    answers.push({ guid, subdeck, at, rating, seconds });
  });
  return answers;
}

const keyOf = (answer) => `${answer.subdeck}\0${answer.guid}`;

// Merges two logs: each answer once, sorted by time.
function merged(mine, others) {
  const all = new Map([...mine, ...others].map((answer) => [`${keyOf(answer)}\0${answer.at}`, answer]));
  return [...all.values()].sort((a, b) => a.at - b.at);
}

// Compares a typed answer with the correct one.

function letters(text) {
  const composed = text.trim().normalize("NFC");
  return Intl.Segmenter ? Array.from(new Intl.Segmenter().segment(composed), (part) => part.segment) : [...composed];
}

// The marks that the shell ignores, too: signs of vowels and of voice in other scripts are letters.
const diacritics = /(?=\p{M})[\u0300-\u036f\u0591-\u0652\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/gu;

// Returns the parts of the typed text with their marks: a common beginning and end are right.
function compared(given, wanted, ignoresAccents) {
  const small = (letter) => letter.toLowerCase();
  const plain = (letter) => small(ignoresAccents ? letter.normalize("NFD").replace(diacritics, "") : letter);
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

const zoneOffset = (time) => -new Date(time * 1000).getTimezoneOffset() * 60;

// The cards of the page, with their schedules computed from the log.
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

  moment(now, seconds) { return momentAt(now, zoneOffset, this.rollover, seconds); }

  // Replays a log in chronological order.
  replay(log) {
    this.log = log;
    this.lines = log.map(lineOf).join("");
    this.past = [];
    for (const section of this.sections) section.done = new Map();
    for (const card of this.cards) card.schedule = card.initial;
    for (const answer of log) {
      const card = this.byKey.get(keyOf(answer)) ?? this.byGuid.get(answer.guid);
      if (card && !(answer.at <= card.schedule.last)) this.apply(card, answer);
    }
  }

  apply(card, { at, rating, seconds }) {
    const moment = this.moment(at, seconds);
    this.count(card, card.schedule.state, moment.today, 1);
    card.schedule = card.section.next(card.schedule, rating, moment);
  }

  count(card, state, today, change) {
    const done = card.section.done.get(today) ?? { fresh: 0, reviews: 0 };
    if (state === NEW) done.fresh += change;
    if (state === REVIEW) done.reviews += change;
    card.section.done.set(today, done);
  }

  // Returns the counts of waiting cards, and the card to show; reviews come before new cards, which get the room that
  // reviews leave.
  waiting(now) {
    const moment = this.moment(now);
    const border = moment.start(moment.today) + day / 2;
    const done = (section) => section.done.get(moment.today) ?? { fresh: 0, reviews: 0 };
    const room = (section, { fresh, reviews } = done(section)) =>
      ({ reviews: section.options.reviewsPerDay - reviews, fresh: section.options.newPerDay - fresh });
    const roomForNew = ({ options }, { fresh, reviews }) =>
      max(0, options.newIgnoresReviewLimit ? fresh : min(fresh, reviews));
    const rooms = new Map(this.sections.map((section) => [section, room(section)]));
    const total = { ...rooms.get(this.sections[0]) };
    for (const section of this.sections.slice(1)) {
      total.reviews -= done(section).reviews;
      total.fresh -= done(section).fresh;
    }
    const due = { learning: [], review: [], fresh: [] };
    for (const card of this.cards) {
      const { state, due: at } = card.schedule;
      if (state === NEW) due.fresh.push(card);
      else if (state === REVIEW) { if (at < border) due.review.push(card); }
      else due.learning.push(card);
    }
    const byDue = (a, b) => a.schedule.due - b.schedule.due;
    due.learning.sort(byDue);
    due.review = due.review.sort(byDue).filter((card) => rooms.get(card.section).reviews-- > 0)
      .slice(0, max(0, total.reviews));
    total.reviews -= due.review.length;
    for (const [section, own] of rooms) own.fresh = roomForNew(section, own);
    due.fresh = due.fresh.filter((card) => rooms.get(card.section).fresh-- > 0)
      .slice(0, roomForNew(this.sections[0], total));
    const soon = due.learning[0];
    const learns = soon && soon.schedule.due <= now ? soon : null;
    const card = learns ?? due.review[0] ?? due.fresh[0] ?? (soon && soon.schedule.due <= now + 1200 ? soon : null);
    return { ...due, card, moment };
  }

  answer(card, rating, now, seconds) {
    const at = round(max(now, (card.schedule.last ?? 0) + 0.001) * 1000) / 1000;
    const answer = { guid: card.guid, subdeck: card.subdeck, at, rating, seconds };
    this.past.push({ card, before: card.schedule, answer });
    this.apply(card, answer);
    this.log.push(answer);
    this.lines += lineOf(answer);
  }

  // Undoes the last answer of this visit and returns its card.
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
