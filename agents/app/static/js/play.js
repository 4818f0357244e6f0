// A live table: asks the server, paces the agents, takes clicks and keys.

import { announce, clearNote, note } from "./announce.js";
import { api, ApiError } from "./api.js";
import { actLong, adviceBars, course, scoreBoard, spoken, trumpBadge } from "./panel.js";
import { actWord, JOKER, withSigns } from "./cards.js";
import { download, h, replace, wait } from "./dom.js";
import { isPlain } from "./keys.js";
import { forget, keep, recall } from "./settings.js";
import { forgetTable } from "./setup.js";
import { record as keepFigures } from "./statistics.js";
import { felt, finishedTrick, ME, playableHand } from "./table.js";

const PACES = { slow: 1500, normal: 750, fast: 200, instant: 0 };
const LONGER = 1.6; // after a trick, to let it be seen

const cardId = (card) => (card === JOKER ? 24 : 6 * "CDHS".indexOf(card[1]) + "9TJQKA".indexOf(card[0]));

export class PlayPage {
  constructor(main, id) {
    this.main = main;
    this.id = id;
    this.alive = true;
    this.heard = 0;
    this.advice = null;
    this.busy = false;
    this.felt = h("div", { class: "felt-box" });
    this.actions = h("div", { class: "actions", role: "group", "aria-label": "Your answer" });
    this.side = h("aside", { class: "panel", "aria-label": "Score and course" });
  }

  async open() {
    try {
      this.view = await api.look(this.id);
    } catch (error) {
      return this.gone(error);
    }
    keep("table", this.id);
    this.heard = this.view.log.start + this.view.log.events.length;
    replace(this.main, h("h1", { class: "unseen" }, "The table"), h("div", { class: "play" }, h("div", { class: "stage" }, this.felt, this.actions), this.side));
    this.draw();
    this.ask();
    this.run();
  }

  close() {
    this.alive = false;
    clearNote();
  }

  gone(error) {
    if (error.status === 404) forget("table");
    replace(this.main, h("div", { class: "sheet lone" }, h("h1", {}, "No table here"), h("p", {}, error.message), h("a", { class: "button primary", href: "#/" }, "New game")));
  }

  // --- asking the server ---

  /** Send one change and draw what it brought; false where it was refused. */
  async change(ask) {
    if (this.busy) return false;
    this.busy = true;
    try {
      const before = this.view.state;
      this.take(await ask(this.view.version));
      this.draw(before);
      return true;
    } catch (error) {
      await this.refused(error);
      return false;
    } finally {
      this.busy = false;
    }
  }

  async refused(error) {
    if (!(error instanceof ApiError)) throw error;
    if (!this.alive) return;
    if (error.status === 404) this.gone(error);
    else if (error.data?.stale) await this.lookAgain();
    else note(withSigns(error.message));
  }

  async lookAgain() {
    this.take(await api.look(this.id));
    this.draw();
  }

  take(view) {
    if (view.version !== this.view.version) this.advice = null;
    this.view = view;
    keepFigures(this.id, view.figures);
    this.announceNew();
  }

  announceNew() {
    const { start, events } = this.view.log;
    for (const event of events.slice(Math.max(0, this.heard - start))) announce(spoken(event, this.view.state));
    this.heard = start + events.length;
  }

  /** Let the agents act, one at a time, until the person is asked or the hand is over. */
  async run() {
    if (this.running) return;
    this.running = true;
    try {
      while (this.alive && this.agentsTurn()) {
        await wait(this.pause());
        if (!this.alive || !this.agentsTurn()) continue;
        if (!(await this.change((version) => api.step(this.id, version, "advance")))) await wait(1000);
      }
    } finally {
      this.running = false;
    }
    if (this.alive) this.ask();
  }

  agentsTurn() {
    const { state } = this.view;
    return !state.hand_over && state.actor !== null && state.actor !== ME;
  }

  pause() {
    const usual = PACES[recall("pace", "normal")] ?? PACES.normal;
    return finishedTrick(this.view.state) ? usual * LONGER : usual;
  }

  ask() {
    const { state } = this.view;
    if (state.actor === ME && !state.hand_over) announce(state.question);
  }

  // --- what the person does ---

  myTurn() {
    return this.view.state.actor === ME && !this.view.state.hand_over;
  }

  async act(action) {
    clearNote();
    if (await this.change((version) => api.act(this.id, version, action))) this.run();
  }

  press(card) {
    this.act(cardId(card));
  }

  async nextHand() {
    if (await this.change((version) => api.step(this.id, version, "next"))) this.run();
  }

  async undo() {
    clearNote();
    if (await this.change((version) => api.step(this.id, version, "undo"))) {
      announce("Taken back.");
      this.heard = Math.min(this.heard, this.view.log.start + this.view.log.events.length);
      this.ask();
    }
  }

  async hint() {
    if (!this.myTurn() || this.thinking) return;
    this.thinking = true;
    this.draw();
    try {
      const { version } = this.view;
      const advice = await api.hint(this.id, version);
      if (version === this.view.version) this.showAdvice(advice);
    } catch (error) {
      await this.refused(error);
    } finally {
      this.thinking = false;
      if (this.alive) this.draw();
    }
  }

  showAdvice(advice) {
    this.advice = advice;
    const best = advice.options.find((option) => option.action === advice.best);
    announce(`Advice: ${actLong(best.text, this.view.state)}`);
  }

  async save(kind) {
    try {
      const text = await api.record(this.id, kind);
      download(`euchre-${this.id.slice(0, 6)}.${kind}`, text);
    } catch (error) {
      note(error.message);
    }
  }

  // --- keys ---

  key(event) {
    if (!this.view || !isPlain(event)) return;
    const digit = Number(event.key);
    if (digit >= 1 && digit <= 9) return this.choose(digit);
    const moves = { h: () => this.hint(), u: () => this.undo(), n: () => this.forward(), s: () => this.nextPace(), ArrowLeft: () => moveFocus(this.felt, -1), ArrowRight: () => moveFocus(this.felt, 1) };
    if (event.key === "Enter" && document.activeElement?.closest("button, a, select, summary")) return;
    const move = event.key === "Enter" ? () => this.forward() : moves[event.key];
    if (move) {
      event.preventDefault();
      move();
    }
  }

  forward() {
    if (this.view.state.hand_over && !this.view.state.over) this.nextHand();
  }

  choose(digit) {
    const button = [...this.main.querySelectorAll("[data-digit]")].find((b) => b.dataset.digit === String(digit));
    button?.click();
  }

  nextPace() {
    const names = Object.keys(PACES);
    keep("pace", names[(names.indexOf(recall("pace", "normal")) + 1) % names.length]);
    announce(`Pace: ${recall("pace", "normal")}`);
    this.draw();
  }

  // --- drawing ---

  draw(before) {
    const { state } = this.view;
    replace(this.felt, felt(state, { before, hand: () => this.hand() }));
    replace(this.actions, ...this.answers());
    replace(this.side, scoreBoard(state, this.view.rules.target), trumpBadge(state), this.ending(),
      this.advice && h("div", { class: "advice-box" }, adviceBars(this.advice)), course(this.view.log.events), this.tools());
  }

  hand() {
    const legal = new Set(this.myTurn() ? this.view.state.legal.map((act) => act.text) : []);
    const best = this.advice?.options.find((option) => option.action === this.advice.best)?.text;
    return playableHand(this.view.state, { legal, best, press: (card) => this.press(card) });
  }

  /** The question and a button for each answer that is no card. */
  answers() {
    const { state } = this.view;
    if (state.hand_over) return [h("p", { class: "question" }, withSigns(state.result || "The hand is over.")), this.forwardButton()];
    if (!this.myTurn()) return [h("p", { class: "question quiet" }, state.actor === null ? "" : `${state.names[state.actor]} decides …`)];
    const words = state.legal.filter((act) => act.action > 24);
    return [h("p", { class: "question" }, withSigns(state.question)), ...words.map((act, k) => this.answer(act, k + 1)), this.hintButton()];
  }

  answer(act, digit) {
    const best = this.advice?.best === act.action;
    return h("button", { type: "button", class: `answer act-${act.text}${best ? " advised" : ""}`, "data-key": `act-${act.text}`, "data-act": act.text, "data-digit": digit, "aria-keyshortcuts": digit, onclick: () => this.act(act.action) }, this.label(act.text));
  }

  label(text) {
    const { state } = this.view;
    if (text === "claim" && state.phase === "call_best") return "Call for best";
    if (text !== "order_up") return actWord(text);
    return `${state.dealer === ME ? "Pick up" : "Order up"} ${withSigns(state.upcard)}`;
  }

  hintButton() {
    return h("button", { type: "button", class: "hint", "data-key": "hint", "aria-keyshortcuts": "h", disabled: this.thinking, onclick: () => this.hint() }, this.thinking ? "Thinking …" : "Hint");
  }

  forwardButton() {
    if (!this.view.state.over) return h("button", { type: "button", class: "primary", "data-key": "next", id: "next-hand", "aria-keyshortcuts": "n", onclick: () => this.nextHand() }, "Next hand");
    return h("a", { class: "button primary", href: `#/replay/${this.id}`, id: "review" }, "Replay and review");
  }

  ending() {
    const { state } = this.view;
    return state.over && h("section", { class: "ending" }, h("h2", {}, this.verdict()), h("p", {}, h("a", { class: "button", href: "#/", onclick: () => forgetTable() }, "New game")));
  }

  verdict() {
    const [us, them] = [this.view.state.score[ME % 2], this.view.state.score[1 - (ME % 2)]];
    return us > them ? `You win, ${us} to ${them}` : us < them ? `They win, ${them} to ${us}` : `A draw, ${us} each`;
  }

  tools() {
    const pace = recall("pace", "normal");
    const can = this.view.can_undo;
    return h("section", { class: "tool-row", "aria-label": "Table" },
      this.view.practice && h("button", { type: "button", "data-key": "undo", id: "undo", "aria-keyshortcuts": "u", disabled: !can, onclick: () => this.undo() }, "Take back"),
      h("button", { type: "button", "data-key": "pace", "aria-keyshortcuts": "s", onclick: () => this.nextPace() }, `Pace: ${pace}`),
      h("button", { type: "button", "data-key": "egn", onclick: () => this.save("egn") }, "Save .egn"),
      h("button", { type: "button", "data-key": "jsonl", onclick: () => this.save("jsonl") }, "Save .jsonl"),
      h("details", { class: "rules" }, h("summary", {}, "Rules of this table"), h("p", {}, this.view.rules.text)));
  }
}

function moveFocus(root, by) {
  const cards = [...root.querySelectorAll(".hand button")];
  const at = cards.indexOf(document.activeElement);
  const next = at < 0 ? (by > 0 ? 0 : cards.length - 1) : (at + by + cards.length) % cards.length;
  cards[next]?.focus();
}
