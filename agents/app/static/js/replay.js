// A record, step by step, with what each decision cost.

import { announce, note } from "./announce.js";
import { api } from "./api.js";
import { actWord, withSigns } from "./cards.js";
import { download, h, replace, s } from "./dom.js";
import { adviceBars, scoreBoard, spoken, trumpBadge } from "./panel.js";
import { felt, SEATS } from "./table.js";

const PACE = 1100;
const MOST_BYTES = 1000000;
const MARKS = [[0.25, "blunder"], [0.05, "slip"]];

export class ReplayPage {
  constructor(main, id) {
    this.main = main;
    this.id = id;
    this.at = 0;
    this.reviews = new Map(); // by deal
  }

  async open() {
    if (!this.id) return this.askForFile();
    this.record = await api.record(this.id, "jsonl");
    await this.load(0);
  }

  close() {
    this.stop();
    this.closed = true;
  }

  // --- a file ---

  askForFile() {
    const input = h("input", { type: "file", id: "record-file", accept: ".egn,.jsonl,.json,application/json", onchange: () => this.read(input.files[0]) });
    const drop = (event) => {
      event.preventDefault();
      this.read(event.dataTransfer.files[0]);
    };
    replace(this.main, h("div", { class: "sheet lone drop", ondragover: (event) => event.preventDefault(), ondrop: drop },
      h("h1", {}, "Replay a record"),
      h("p", {}, "A finished game or hand as .egn or .jsonl. It is replayed by the engine of this server; nothing is kept."),
      h("label", { class: "button primary", for: "record-file" }, "Choose a file"), input,
      h("p", { class: "quiet" }, "Or drop one here.")));
  }

  async read(file) {
    if (!file) return;
    if (file.size > MOST_BYTES) return note(`A record may have at most ${MOST_BYTES} bytes.`);
    try {
      this.record = await file.text();
      this.name = file.name;
      await this.load(0);
    } catch (error) {
      note(error.message, 15);
    }
  }

  async load(game, deal = 0) {
    this.stop();
    if (this.told && game !== this.told.game) this.reviews.clear();
    this.told = await api.replay(this.record, game, deal);
    this.at = 0;
    this.build();
    this.draw();
  }

  // --- moving ---

  get frames() {
    return this.told.frames;
  }

  go(to) {
    if (!this.frames.length) return;
    const before = this.frames[this.at];
    this.at = Math.max(0, Math.min(this.frames.length - 1, to));
    this.draw(this.at > 0 ? before.state : undefined);
    const past = this.frames[this.at - 1];
    if (past) announce(spoken(past, this.frames[this.at].state));
    if (this.at === this.frames.length - 1) this.stop();
  }

  play() {
    if (this.timer) return this.stop();
    if (this.at === this.frames.length - 1) this.go(0);
    this.timer = setInterval(() => this.go(this.at + 1), PACE);
    this.draw();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    if (this.bar && this.frames.length) this.drawBar();
  }

  key(event) {
    if (!this.told) return;
    const moves = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
    if (event.key in moves) this.go(this.at + moves[event.key]);
    else if (event.key === " " && !event.target.closest("button, a, summary")) this.play();
    else return;
    event.preventDefault();
  }

  // --- review ---

  async review(deals) {
    if (this.reviewing) return;
    this.reviewing = true;
    try {
      for (const deal of deals) {
        if (this.closed) return;
        this.progress = `Reviewing hand ${deal + 1} of ${this.told.deals.length} …`;
        this.draw();
        if (!this.reviews.has(deal)) this.reviews.set(deal, (await api.review(this.record, this.told.game, deal)).decisions);
      }
      announce("The review is ready.");
    } catch (error) {
      note(error.message, 12);
    } finally {
      this.reviewing = false;
      this.progress = "";
      if (!this.closed) this.draw();
    }
  }

  judged(deal, step) {
    return this.reviews.get(deal)?.find((decision) => decision.step === step) ?? null;
  }

  async jump(deal, step) {
    if (deal !== this.told.deal) await this.load(this.told.game, deal);
    this.go(step);
    this.felt.scrollIntoView({ block: "nearest" });
  }

  // --- drawing ---

  build() {
    this.felt = h("div", { class: "felt-box" });
    this.bar = h("div", { class: "replay-bar", role: "group", "aria-label": "Steps" });
    this.side = h("aside", { class: "panel", "aria-label": "Course and review" });
    this.slider = h("input", { type: "range", min: 0, max: Math.max(0, this.frames.length - 1), value: 0, "aria-label": "Step", id: "step", oninput: () => this.go(Number(this.slider.value)) });
    replace(this.main, h("h1", { class: "unseen" }, "Replay"),
      h("div", { class: "play replaying" }, h("div", { class: "stage" }, this.chooser(), this.felt, this.slider, this.bar), this.side));
  }

  chooser() {
    const { told } = this;
    const pick = (label, count, value, text, change) =>
      h("label", {}, `${label} `, h("select", { onchange: (event) => change(event.target.selectedIndex), id: `pick-${label.toLowerCase()}` }, Array.from({ length: count }, (_, k) => h("option", { selected: k === value }, text(k)))));
    return h("div", { class: "chooser" },
      told.games > 1 && pick("Game", told.games, told.game, (k) => `${k + 1} of ${told.games}`, (k) => this.load(k)),
      pick("Hand", told.deals.length, told.deal, (k) => `${k + 1}: ${told.deals[k].text}`, (k) => this.load(told.game, k)));
  }

  draw(before) {
    const frame = this.frames[this.at];
    if (!frame) return replace(this.felt, h("p", { class: "sheet" }, `This hand cannot be replayed: ${this.told.deals[this.told.deal].note}`));
    replace(this.felt, felt(frame.state, { hands: frame.hands, before }));
    this.slider.value = this.at;
    this.slider.ariaValueText = `step ${this.at} of ${this.frames.length - 1}`;
    this.drawBar();
    replace(this.side, scoreBoard(frame.state, this.told.rules.target), trumpBadge(frame.state), this.verdict(), this.steps(), this.worst(), this.tools());
    keepInSight(this.side.querySelector("[aria-current]"));
  }

  drawBar() {
    const end = this.frames.length - 1;
    const button = (key, label, to, off) => h("button", { type: "button", "data-key": key, id: `step-${key}`, title: label, "aria-label": label, disabled: off, onclick: () => this.go(to()) }, icon(key));
    replace(this.bar,
      button("first", "First step", () => 0, this.at === 0), button("back", "Step back", () => this.at - 1, this.at === 0),
      h("button", { type: "button", "data-key": "run", id: "step-run", "aria-label": this.timer ? "Stop" : "Play", class: "primary", onclick: () => this.play() }, icon(this.timer ? "stop" : "run")),
      button("next", "Step on", () => this.at + 1, this.at === end), button("last", "Last step", () => end, this.at === end),
      h("span", { class: "where" }, `${this.at} / ${end}`));
  }

  verdict() {
    const decision = this.judged(this.told.deal, this.at);
    if (!decision) return this.progress && h("p", { class: "quiet", role: "status" }, this.progress);
    return h("section", { class: "advice-box" },
      h("p", { class: `loss ${kind(decision.loss)}` }, `${SEATS[decision.seat]} chose ${actWord(decision.text)}: ${lossWords(decision.loss)}`),
      adviceBars(decision.advice, decision.action));
  }

  steps() {
    const { deal } = this.told;
    return h("section", { class: "course steps", "aria-label": "Steps of the hand" }, h("h2", {}, "This hand"),
      this.told.deals[deal].note && h("p", { class: "quiet" }, this.told.deals[deal].note),
      h("ol", {}, this.frames.slice(0, -1).map((frame, k) => h("li", {},
        h("button", { type: "button", class: "step", "data-step": k, "data-key": `step-${k}`, "aria-current": k === this.at ? "step" : null, onclick: () => this.go(k) }, withSigns(frame.text), lossTag(this.judged(deal, k))), frame.note && h("em", {}, withSigns(frame.note))))));
  }

  worst() {
    const all = [...this.reviews].flatMap(([deal, decisions]) => decisions.map((decision) => ({ deal, ...decision })));
    if (!all.length) return null;
    const costly = all.filter((decision) => decision.loss >= 0.05).sort((a, b) => b.loss - a.loss).slice(0, 12);
    return h("section", { class: "course worst", id: "worst", "aria-label": "Costly decisions" }, h("h2", {}, "What cost most"), this.totals(all),
      costly.length ? h("ol", {}, costly.map((d) => h("li", {}, h("button", { type: "button", class: "step", onclick: () => this.jump(d.deal, d.step) }, `Hand ${d.deal + 1}, ${SEATS[d.seat]}: ${actWord(d.text)} for ${actWord(d.best)} `, lossTag(d))))) : h("p", { class: "quiet" }, "Nothing cost as much as a twentieth of a point."));
  }

  totals(all) {
    return h("table", { class: "figures" }, h("thead", {}, h("tr", {}, ["Seat", "Decisions", "Sound", "Lost"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, SEATS.map((name, seat) => {
        const own = all.filter((decision) => decision.seat === seat);
        const sound = own.filter((decision) => decision.loss < 0.005).length;
        return h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, String(own.length)), h("td", {}, String(sound)), h("td", {}, own.reduce((sum, d) => sum + d.loss, 0).toFixed(2)));
      })));
  }

  tools() {
    const all = this.told.deals.map((_, k) => k);
    const button = (id, text, press) => h("button", { type: "button", id, "data-key": id, disabled: this.reviewing, onclick: press }, text);
    return h("section", { class: "tool-row", "aria-label": "Record" },
      button("review-hand", "Review this hand", () => this.review([this.told.deal])),
      button("review-game", "Review the game", () => this.review(all)),
      this.id && button("save-egn", "Save .egn", () => this.save("egn")),
      this.id && button("save-jsonl", "Save .jsonl", () => this.save("jsonl")),
      h("a", { class: "button", href: "#/replay", onclick: () => !this.id && this.askForFile() }, "Another record"),
      h("details", { class: "rules" }, h("summary", {}, "Rules of this game"), h("p", {}, this.told.rules.text)));
  }

  async save(kind) {
    try {
      download(`euchre-${this.id.slice(0, 6)}.${kind}`, await api.record(this.id, kind));
    } catch (error) {
      note(error.message);
    }
  }
}

/** Scroll the list, not the page. */
function keepInSight(step) {
  const list = step?.closest("ol");
  if (list) list.scrollTop = step.offsetTop - list.offsetTop - list.clientHeight / 2;
}

const ICONS = { first: "M4 4h3v16H4zM20 4v16L8 12z", back: "M18 4v16L6 12z", run: "M7 4l13 8-13 8z", stop: "M6 4h4v16H6zM14 4h4v16h-4z", next: "M6 4l12 8-12 8z", last: "M17 4h3v16h-3zM4 4l12 8-12 8z" };
const icon = (name) => s("svg", { viewBox: "0 0 24 24", class: "sign-icon", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));

const kind = (loss) => MARKS.find(([least]) => loss >= least)?.[1] ?? "fine";

const lossWords = (loss) => (loss < 0.005 ? "nothing was clearly better" : `it cost ${loss.toFixed(2)} points`);

const lossTag = (decision) =>
  decision && decision.loss >= 0.05 && h("span", { class: `lost ${kind(decision.loss)}` }, `−${decision.loss.toFixed(2)}`);
