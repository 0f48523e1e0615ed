// Runs the script of a deck's page outside a browser: node schedules.js PART.js... < INPUT > OUTPUT.
// INPUT is JSON: what `call` names, with its arguments; OUTPUT the list of what each gave. Tests/ExchangeTests compares.
"use strict";
const fs = require("fs");

const source = process.argv.slice(2).map((path) => fs.readFileSync(path, "utf8")).join("");
const names = "scheduler, momentAt, untouched, readLog, merged, compared, lineOf, headOf, spanWords, Study";
const page = new Function(`${source}\nreturn { ${names} };`)();

const calls = {
  // Cards, each answered step by step: [{ options, steps: [[rating, now, offset, seconds]] }].
  schedules: (cards) => cards.map(({ options, steps }) => {
    const next = page.scheduler(options);
    let schedule = page.untouched;
    return steps.map(([rating, now, offset, seconds]) => {
      schedule = next(schedule, rating, page.momentAt(now, () => offset, 4 * 3600, seconds));
      return schedule;
    });
  }),
  // Logs as text: the answers, or the message of the error.
  logs: (texts) => texts.map((text) => {
    try { return page.readLog(text, "deck", 2e9); } catch (error) { return error.message; }
  }),
  // Sections with numbers of new and of due cards: how many of each wait.
  waiting: (cases) => cases.map((given) => {
    const sections = given.map(({ options }) => ({ options }));
    const due = { ...page.untouched, state: 2, due: 0, last: 0, stability: 1, difficulty: 5 };
    const cards = given.flatMap((each, index) => Array.from({ length: each.fresh + each.due }, (_, place) => ({
      guid: `${index}-${place}`, subdeck: "", section: sections[index],
      initial: place < each.fresh ? page.untouched : due,
    })));
    const { fresh, review } = new page.Study(cards, sections, 4 * 3600).waiting(1e9);
    return [fresh.length, review.length];
  }),
  compared: (pairs) => pairs.map(([given, wanted, ignores]) => page.compared(given, wanted, ignores)),
};

const { call, input } = JSON.parse(fs.readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(calls[call](input)));
