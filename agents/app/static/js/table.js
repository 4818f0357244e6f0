// The card table: four seats, the trick in the middle, the card turned up. Draws; decides nothing.

import { actWord, cardBack, cardButton, cardPicture, longName, SIGNS, SUITS, withSigns } from "./cards.js";
import { h } from "./dom.js";

export const SEATS = ["North", "East", "South", "West"];
export const ME = 2;
const SIDES = ["north", "east", "south", "west"];
const UNKNOWN = "??";
const BIDDING = ["weak_hand", "name_trump", "bid1", "bid2", "loner", "defend", "call_best"];

export const isBidding = (state) => BIDDING.includes(state.phase);

/**
 * The felt with all that lies on it.
 *
 * state: what the server tells; how.hands: open hands by seat, or none; how.hand(state): South's
 * own cards; how.before: the state drawn before, so that only new cards move.
 */
export function felt(state, how = {}) {
  return h("section", { class: "felt", "aria-label": "Card table" },
    SEATS.map((_, seat) => seatBox(state, seat, how)),
    centre(state, how));
}

// --- seats ---------------------------------------------------------------------------------------

function seatBox(state, seat, how) {
  const out = state.sitting_out.includes(seat);
  const turn = state.actor === seat && !state.hand_over;
  return h("div", { class: `seat ${SIDES[seat]}${out ? " out" : ""}${turn ? " turn" : ""}`, role: "group", "aria-label": seatWords(state, seat, out) },
    plate(state, seat, out),
    seat === ME && how.hand ? null : bubble(state, seat),
    cardsOf(state, seat, how));
}

function seatWords(state, seat, out) {
  const words = [SEATS[seat], state.names[seat]];
  if (state.dealer === seat) words.push("dealer");
  if (state.maker === seat) words.push("maker");
  if (out) words.push("sits out");
  else if (seat !== ME) words.push(`${state.counts[seat]} cards`);
  return words.join(", ");
}

function plate(state, seat, out) {
  return h("div", { class: "plate" },
    h("span", { class: "who" }, SEATS[seat]),
    state.names[seat] !== SEATS[seat] && h("span", { class: "agent" }, state.names[seat]),
    state.dealer === seat && h("span", { class: "dealer", title: "dealer" }, "D"),
    state.maker === seat && h("span", { class: "maker", title: "called trump" }, trumpSign(state.trump)),
    state.alone === seat && h("span", { class: "tag" }, "alone"),
    state.lone_defender === seat && h("span", { class: "tag" }, "defends alone"),
    state.passer === seat && h("span", { class: "tag" }, state.passed ? `gave ${withSigns(state.passed)}` : "gives a card"),
    out && h("span", { class: "tag" }, "sits out"));
}

export function trumpSign(trump) {
  if (!(trump in SUITS)) return h("span", { class: "sign" }, trump ? "NT" : "–");
  return h("span", { class: `sign ${trump === "H" || trump === "D" ? "red" : "black"}` }, SIGNS[trump]);
}

function bubble(state, seat) {
  const fresh = isBidding(state) || state.phase === "discard" || (state.phase === "play" && !state.trick.length && !state.last_trick.length);
  const said = fresh && state.calls.filter((call) => call.seat === seat).at(-1);
  return said && h("div", { class: `bubble${said.text === "pass" ? " pass" : ""}`, "aria-hidden": "true" }, actWord(said.text));
}

function cardsOf(state, seat, how) {
  if (seat === ME && how.hand) return how.hand(state);
  if (how.hands) return openFan(how.hands[seat], state);
  return h("div", { class: "fan", "aria-hidden": "true" }, Array.from({ length: state.counts[seat] }, () => cardBack()));
}

const openFan = (cards, state) =>
  h("div", { class: "fan open" }, cards.map((card) => (card === UNKNOWN ? cardBack() : cardPicture(card, state))));

// --- the middle ----------------------------------------------------------------------------------

function centre(state, how) {
  const done = finishedTrick(state);
  const cards = done ?? state.trick;
  return h("div", { class: `centre${done ? " done" : ""}` },
    pile(state),
    cards.map(({ seat, card }) => trickCard(state, seat, card, seat === state.winner, isNew(how.before, seat, card))));
}

/** The cards of the last trick, as long as the next one is not begun; null without one. */
export function finishedTrick(state) {
  return !state.trick.length && state.last_trick.length ? state.last_trick : null;
}

function isNew(before, seat, card) {
  return before !== undefined && ![...before.trick, ...before.last_trick].some((old) => old.seat === seat && old.card === card);
}

const trickCard = (state, seat, card, best, arrives) =>
  cardPicture(card, state, { class: `played from-${SIDES[seat]}${best ? " best" : ""}${arrives ? " arrives" : ""}`, "aria-label": `${SEATS[seat]}: ${longName(card, state)}${best ? ", winning" : ""}` });

function pile(state) {
  if (!state.upcard || !(isBidding(state) || state.phase === "discard")) return null;
  return h("div", { class: "pile" }, cardBack(), cardBack(), topOfPile(state));
}

function topOfPile(state) {
  if (state.upcard_place === "face_up") return cardPicture(state.upcard, state, { class: "up", "aria-label": `turned up: ${longName(state.upcard, {})}` });
  if (state.upcard_place !== "turned_down") return cardBack();
  return h("div", { class: "down", role: "img", "aria-label": `turned down: ${longName(state.upcard, {})}` }, cardBack(), h("span", { class: "was" }, withSigns(state.upcard)));
}

// --- South's hand, to play from ------------------------------------------------------------------

/** The hand as buttons: legal cards numbered, others dimmed; how.press(card), how.best. */
export function playableHand(state, how) {
  const legal = how.legal;
  const asked = state.hand.some((card) => legal.has(card));
  let number = 0;
  return h("div", { class: `hand${asked ? " asked" : ""}${state.hand.length > 5 ? " six" : ""}`, role: "group", "aria-label": "Your hand" },
    state.hand.map((card, k) => {
      const ok = legal.has(card);
      const digit = ok ? ++number : null;
      return cardButton(card, state, {
        class: `${ok ? "legal" : "illegal"}${how.best === card ? " advised" : ""}`,
        label: asked && !ok ? ", not allowed now" : "",
        "aria-disabled": ok ? null : "true",
        "aria-keyshortcuts": digit,
        "data-digit": digit,
        vars: { k: k - (state.hand.length - 1) / 2 },
        onclick: () => how.press(card),
      });
    }));
}
