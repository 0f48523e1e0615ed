// The script of a deck's page, last part: the display, the keys, and storage in the browser.
// Invariant: the HTML of a card is what Deckhand let through; an answer is stored before the next card is shown.

function start() {
  const holder = document.getElementById("cards");
  const source = new DOMParser().parseFromString(holder.textContent, "text/html");
  const { deck, name, rollover } = JSON.parse(holder.dataset.options);
  const [cards, sections] = [[], []];
  for (const element of source.querySelectorAll("section")) {
    const section = { options: JSON.parse(element.dataset.options) };
    sections.push(section);
    for (const details of element.querySelectorAll(":scope>details")) {
      const { guid, schedule } = details.dataset;
      const initial = schedule ? JSON.parse(schedule) : untouched;
      cards.push({ guid, subdeck: element.dataset.subdeck, section, details, initial, schedule: initial });
    }
  }
  const study = new Study(cards, sections, rollover);
  const storageKey = "deckhand answers " + deck;
  // The latest answers have their own key, because writing the whole log would take longer than the answer itself.
  // Each visit uses a new key, and a visit that found no answers writes no other key: a busy Chromium can show an empty
  // store after a reload, and the hidden data must survive.
  const latestKey = storageKey + " latest" + Math.random();
  const folded = [latestKey];
  let foundNothing;
  let settled = 0;
  const now = () => Date.now() / 1000;
  let [shown, shownAt, isOpen, timer, stored] = [null, 0, false, 0, true];

  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const button = (id, label, onclick) => make("button", { id, type: "button", onclick }, label);
  const names = ["Again", "Hard", "Good", "Easy"];
  const noStorage = "This browser cannot store data for this page: save your answers to a file before you leave.";
  const status = make("p", { id: "status", role: "status" });
  const left = make("p", { id: "left" });
  const prompt = make("div", { id: "prompt", tabIndex: -1 });
  const typed = make("input", {
    id: "typed", autocomplete: "off", autocapitalize: "off", spellcheck: false, ariaLabel: "Your answer",
  });
  const bare = () => answer.querySelectorAll(".masks").forEach((masks) => masks.toggleAttribute("hidden"));
  const answer = make("div", { id: "answer", tabIndex: -1, onclick: bare });
  const reveal = button("reveal", "Show answer", open);
  const ratings = make("div", { id: "ratings" },
    ...names.map((label, index) => button("rate" + (index + 1), label, () => rate(index + 1))));
  const area = make("textarea", { rows: 6, spellcheck: false, ariaLabel: "Answers as text" });
  const file = make("input", { id: "file", type: "file", onchange: () => file.files[0]?.text().then(load) });
  const undoButton = button("undo", "Undo", undo);
  const asText = make("details", { id: "text", ontoggle: () => { if (asText.open) area.value = study.text(deck); } },
    make("summary", {}, "Answers as text"), area, button("merge", "Load this text", () => load(area.value)));
  document.querySelector("main").append(
    left, make("article", {}, prompt, typed, answer, reveal, ratings), status,
    make("section", { ariaLabel: "Answers" }, undoButton, button("save", "Save answers", save),
      make("label", {}, "Load answers ", file), asText,
      make("p", {}, "Keys: Space or Enter shows the answer, 1 to 4 rate it, u undoes the last one.")));

  function tell(text) { status.textContent = text; }
  const counted = (count) => `${count} answer${count === 1 ? "" : "s"}`;

  // Writes the log to the browser's storage; if that fails, only the saved file remains.
  function keep() {
    const latest = study.log.slice(settled);
    try {
      if (foundNothing) {
        localStorage.setItem(latestKey, study.text(deck));
      } else if (study.log.length < settled || latest.length > 200) {
        localStorage.setItem(storageKey, study.text(deck));
        for (const key of folded) localStorage.removeItem(key);
        settled = study.log.length;
      } else {
        localStorage.setItem(latestKey, headOf(deck) + latest.map(lineOf).join(""));
      }
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
    for (const each of target.querySelectorAll("[data-style]")) {
      for (const rule of each.dataset.style.split(";")) each.style.setProperty(...rule.split(":"));
    }
    target.className = side.className;
    target.lang = "";
    target.dir = "auto";
  }

  // Shows the next card, or when it is due.
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
      fill(prompt, shown.details.querySelector(":scope>summary"));
    } else {
      const due = waiting.learning[0]?.schedule.due;
      prompt.className = "";
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
    fill(answer, shown.details.querySelector(":scope>div"));
    if (wanted !== undefined && typed.value.trim()) {
      const parts = compared(typed.value, wanted, accents === "ignored");
      const isRight = parts.every((part) => part.mark === "right");
      answer.prepend(make("p", { id: "compared" }, `You typed (${isRight ? "right" : "not right"}): `,
        ...parts.map(({ text, mark }) => make({ right: "span", wrong: "del", missing: "ins" }[mark], {}, text))));
    }
    answer.hidden = ratings.hidden = false;
    reveal.hidden = typed.hidden = true;
    const moment = study.moment(now(), taken());
    [...ratings.children].forEach((each, index) => {
      const words = spanWords(shown.section.next(shown.schedule, index + 1, moment).interval);
      each.replaceChildren(`${index + 1} ${names[index]}`, make("small", {}, words));
    });
    answer.focus();
  }

  const taken = () =>
    round(within(0, now() - shownAt, shown.section.options.maximumAnswerSeconds) * 10) / 10;

  function rate(rating) {
    if (!isOpen) return;
    const time = now();
    const card = shown;
    study.answer(card, rating, time, taken());
    tell(`${names[rating - 1]}: back in ${spanWords(card.schedule.interval)}.` + keep());
    show();
  }

  function undo() {
    if (!study.undo()) return tell("There is nothing to undo.");
    tell("The last answer was undone." + keep());
    show();
  }

  function load(text) {
    try {
      const before = study.log.length;
      study.replay(merged(study.log, readLog(text, deck, now())));
      const count = study.log.length - before;
      settled = Infinity;
      tell(counted(count) + " loaded; the others were already here." + keep());
      show(false);
    } catch (error) {
      tell(error.message);
    }
    file.value = "";
  }

  // Shares the file on touch screens, and downloads it elsewhere.
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
    tell(`${counted(study.log.length)} saved as ${link.download}, for deck import DECK FILE --format answers.`);
  }

  // Phones need a bitmap to put a page on the home screen.
  function drawIcon() {
    const canvas = make("canvas", { width: 180, height: 180 });
    const pen = canvas.getContext?.("2d");
    if (!pen) return;
    Object.assign(pen, { fillStyle: "#1d5fa8", font: "100px sans-serif", textAlign: "center" });
    pen.fillRect(0, 0, 180, 180);
    pen.fillStyle = "#fff";
    pen.fillText((document.title.match(/[\p{L}\p{N}]/u)?.[0] ?? "?").toUpperCase(), 90, 125);
    document.head.append(make("link", { rel: "apple-touch-icon", href: canvas.toDataURL() }));
  }

  document.addEventListener("keydown", (event) => {
    const tag = event.target.tagName;
    if (event.ctrlKey || event.metaKey || event.altKey || tag === "TEXTAREA") return;
    const isEnter = event.key === "Enter";
    if (event.target === typed ? !isEnter : tag === "INPUT") return;
    if (isEnter || event.key === " ") { if (/^(BUTTON|SUMMARY|AUDIO)$/.test(tag) || isOpen) return; open(); }
    else if ("1234".includes(event.key) && isOpen) rate(Number(event.key));
    else if (event.key === "u") undo();
    else if (event.key === "m") bare();
    else return;
    event.preventDefault();
  });

  // The same page in another window.
  addEventListener("storage", (event) => {
    if (!event.key?.startsWith(storageKey) || !event.newValue) return;
    study.replay(merged(study.log, readLog(event.newValue, deck, now())));
    settled = Infinity;
    if (!isOpen) show(false);
  });

  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(storageKey));
    const logs = keys.map((key) => readLog(localStorage.getItem(key), deck, now() + 1e6));
    folded.push(...keys.filter((key) => key !== storageKey));
    foundNothing = !keys.length;
    if (folded.length > 1) settled = Infinity;
    study.replay(merged([], logs.flat()));
    settled ||= study.log.length;
  } catch (error) {
    tell(/^Line/.test(error.message) ? "The data stored in this browser cannot be read: " + error.message : noStorage);
    [stored, settled] = [false, Infinity];
  }
  drawIcon();
  show(false);
}

if (typeof document !== "undefined") start();
