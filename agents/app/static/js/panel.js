// Beside the table: score, trump, advice, the course of the hand.

import { actWord, isCard, longName, SUITS, withSigns, withWords } from "./cards.js";
import { h } from "./dom.js";
import { ME, SEATS, trumpSign } from "./table.js";

const US = ME % 2;

const isLive = (state) => state.seat === ME;

export function scoreBoard(state, target) {
  const [us, them] = [state.score[US], state.score[1 - US]];
  const [we, they] = isLive(state) ? ["You", "They"] : ["N – S", "E – W"];
  return h("section", { class: "score", "aria-label": `Score: ${we} ${us}, ${they} ${them}` },
    side(we, us, state.tricks[US], state, "us"),
    h("div", { class: "to" }, target ? `to ${target}` : ""),
    side(they, them, state.tricks[1 - US], state, "them"));
}

function side(name, points, tricks, state, kind) {
  return h("div", { class: `side ${kind}` },
    h("span", { class: "name" }, name),
    h("span", { class: "points" }, String(points)),
    h("span", { class: "tricks", role: "img", "aria-label": `${tricks} tricks` },
      Array.from({ length: 5 }, (_, k) => h("i", { class: k < tricks ? "won" : "" }))));
}

export function trumpBadge(state) {
  const named = state.trump !== null && state.trump !== "";
  const suit = state.trump in SUITS ? SUITS[state.trump] : named ? "no trump" : "not yet named";
  const maker = state.maker !== null ? `${state.maker === ME && isLive(state) ? "You" : SEATS[state.maker]} called${state.alone !== null ? ", alone" : ""}` : "Bidding";
  return h("section", { class: `trump${named ? "" : " none"}`, "aria-label": `Trump: ${suit}` },
    h("span", { class: "disc", "aria-hidden": "true" }, trumpSign(state.trump)),
    h("div", {}, h("strong", {}, named ? suit : "No trump yet"), h("span", {}, maker)));
}

/** The last lines of what happened. */
export function course(events) {
  return h("section", { class: "course", "aria-label": "Course of the hand" },
    h("h2", {}, "This hand"),
    h("ol", {}, events.map((event) => h("li", {}, withSigns(event.text), event.note && h("em", {}, withSigns(event.note))))));
}

export const spoken = (event, state) =>
  [withWords(event.text, state), event.note && withWords(event.note, state)].filter(Boolean).join(". ");

// --- advice --------------------------------------------------------------------------------------

const signed = (value) => (value >= 0 ? "+" : "−") + Math.abs(value).toFixed(2);
const percent = (share) => `${Math.round(100 * share)} %`;

/** Options as bars: how likely the champion takes each, and what it is worth. */
export function adviceBars(advice, chosen = null) {
  const values = advice.options.map((option) => option.value).filter((value) => value !== null);
  const span = [Math.min(...values, 0), Math.max(...values, 0)];
  return h("table", { class: "advice" },
    h("caption", {}, `Advice of ${advice.by}`),
    h("thead", {}, h("tr", {}, ["Act", "Taken by the champion", "Expected points", ...(hasOpen(advice) ? ["All cards seen"] : [])].map((text) => h("th", { scope: "col" }, text)))),
    h("tbody", {}, advice.options.map((option) => row(option, advice, span, chosen))));
}

const hasOpen = (advice) => advice.options.some((option) => option.double_dummy !== null && option.double_dummy !== undefined);

function row(option, advice, span, chosen) {
  const best = option.action === advice.best;
  const mark = [best ? "best" : "", option.action === chosen ? "chosen" : ""].join(" ").trim();
  return h("tr", { class: mark },
    h("th", { scope: "row" }, actWord(option.text), best && h("span", { class: "star", title: "best" }, "★"), option.action === chosen && h("span", { class: "tag" }, "played")),
    h("td", {}, option.probability === null ? "–" : bar(option.probability, percent(option.probability), "likely")),
    h("td", {}, option.value === null ? "–" : bar(share(option.value, span), signed(option.value), "worth")),
    hasOpen(advice) && h("td", {}, option.double_dummy === null ? "–" : signed(option.double_dummy)));
}

const share = (value, [low, high]) => (high > low ? (value - low) / (high - low) : 1);

const bar = (part, text, kind) =>
  h("span", { class: `bar ${kind}`, vars: { part: Math.max(0, Math.min(1, part)).toFixed(3) } }, h("i", {}), h("b", {}, text));

export const actLong = (text, state) => (isCard(text) ? longName(text, state) : actWord(text));
