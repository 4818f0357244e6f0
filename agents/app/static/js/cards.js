// Cards: their names and our own drawings of them.

import { h, s } from "./dom.js";

export const RANKS = { 7: "seven", 8: "eight", 9: "nine", T: "ten", J: "jack", Q: "queen", K: "king", A: "ace" };
export const SUITS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
export const SIGNS = { C: "♣", D: "♦", H: "♥", S: "♠" };
export const JOKER = "JOKER";

export const isCard = (text) => text === JOKER || (text.length === 2 && text[0] in RANKS && text[1] in SUITS);
export const isRed = (suit) => suit === "D" || suit === "H";

/** "10♥" for people who see. */
export function shortName(card) {
  if (card === JOKER) return "Joker";
  return (card[0] === "T" ? "10" : card[0]) + SIGNS[card[1]];
}

/** "jack of hearts, left bower" for people who listen; the state says which suits the bowers have. */
export function longName(card, { trump, left_suit: left }) {
  if (card === JOKER) return trump in SUITS ? "joker, best bower" : "joker";
  const name = `${RANKS[card[0]]} of ${SUITS[card[1]]}`;
  if (card[0] !== "J" || !(trump in SUITS)) return name;
  if (card[1] === trump) return `${name}, right bower`;
  return card[1] === left ? `${name}, left bower` : name;
}

/** Card codes within a sentence as signs: "JH" becomes "J♥". */
export const withSigns = (text) =>
  text.replace(/\b([789TJQKA])([CDHS])\b/g, (code) => shortName(code)).replace(/\bJOKER\b/g, "joker");

/** Card codes within a sentence as words, for reading aloud. */
export const withWords = (text, state) =>
  text.replace(/\b([789TJQKA])([CDHS])\b/g, (code) => longName(code, state)).replace(/\bJOKER\b/g, "joker");

// --- acts ----------------------------------------------------------------------------------------

/** An action's text as people say it. */
export function actWord(text) {
  if (isCard(text)) return shortName(text);
  if (text in ACTS) return ACTS[text];
  const suit = text.match(/^call_([CDHS])$/);
  return suit ? `${SIGNS[suit[1]]} ${SUITS[suit[1]]}` : text.replaceAll("_", " ");
}

const ACTS = {
  pass: "Pass", order_up: "Order up", call_NT: "No trump", alone: "Go alone", with_partner: "With partner",
  defend_alone: "Defend alone", defend_together: "Defend together", claim: "Claim", keep: "Keep the hand",
};

// --- elements ------------------------------------------------------------------------------------

/** A card that lies there: a picture with a name. */
export function cardPicture(card, state, extra = {}) {
  const { class: more = "", ...props } = extra;
  return h("div", { class: `card ${colour(card)} ${more}`, role: "img", "aria-label": longName(card, state), "data-card": card, ...props }, face(card));
}

/** A card to press. */
export function cardButton(card, state, props = {}) {
  const { class: more = "", label = "", ...rest } = props;
  return h("button", { type: "button", class: `card ${colour(card)} ${more}`, "aria-label": longName(card, state) + label, "data-card": card, "data-key": `card-${card}`, ...rest }, face(card));
}

export const cardBack = (more = "") => h("div", { class: `card back ${more}`, "aria-hidden": "true" });

const colour = (card) => (card === JOKER ? "joker" : isRed(card[1]) ? "red" : "black");

// --- faces ---------------------------------------------------------------------------------------

export function face(card) {
  const root = s("svg", { viewBox: "0 0 100 140", "aria-hidden": "true", focusable: "false" });
  root.append(...(card === JOKER ? jokerFace() : suitFace(card[0], card[1])));
  return root;
}

const suitSign = (suit, x, y, size, turn = 0) =>
  s("use", { href: `#suit-${suit}`, x: x - size / 2, y: y - size / 2, width: size, height: size, class: "ink", transform: turn ? `rotate(${turn} ${x} ${y})` : null });

function suitFace(rank, suit) {
  return [...corners(rank === "T" ? "10" : rank, suit), ...middle(rank, suit)];
}

function corners(text, suit) {
  const corner = () => [
    s("text", { x: 16, y: 30, class: text.length > 1 ? "rank ink narrow" : "rank ink" }, text),
    suitSign(suit, 16, 45, 18),
  ];
  return [s("g", {}, corner()), s("g", { transform: "rotate(180 50 70)" }, corner())];
}

const PIPS = {
  7: [[39, 29], [61, 29], [50, 50], [39, 70], [61, 70], [39, 111], [61, 111]],
  8: [[39, 29], [61, 29], [50, 50], [39, 70], [61, 70], [50, 90], [39, 111], [61, 111]],
  9: [[39, 29], [61, 29], [39, 56], [61, 56], [50, 70], [39, 84], [61, 84], [39, 111], [61, 111]],
  T: [[39, 29], [61, 29], [50, 42], [39, 56], [61, 56], [39, 84], [61, 84], [50, 98], [39, 111], [61, 111]],
};

function middle(rank, suit) {
  if (rank === "A") return [suitSign(suit, 50, 70, 54)];
  if (rank in PIPS) return PIPS[rank].map(([x, y]) => suitSign(suit, x, y, 17, y > 70 ? 180 : 0));
  const half = () => [...FIGURES[rank](), suitSign(suit, 36.5, 28, 11)];
  return [
    s("rect", { x: 29, y: 18, width: 42, height: 104, rx: 4, class: "panel" }),
    s("g", {}, half()),
    s("g", { transform: "rotate(180 50 70)" }, half()),
    s("path", { d: "M29 70H71", class: "sash" }),
  ];
}

const path = (d, kind) => s("path", { d, class: kind });
const dot = (cx, cy, r, kind) => s("circle", { cx, cy, r, class: kind });

const FIGURES = {
  K: () => [
    path("M29 70V66C32 58 41 55 50 55S68 58 71 66V70Z", "ink"),
    path("M40 55L50 70 60 55Q50 62 40 55Z", "gold"),
    path("M40 42Q39 60 50 63 61 60 60 42Z", "hair"),
    s("ellipse", { cx: 50, cy: 44, rx: 8.5, ry: 9.5, class: "skin" }),
    path("M45.5 50Q50 47 54.5 50 50 53 45.5 50Z", "hair"),
    path("M40 37L38 24 44.5 30 50 21 55.5 30 62 24 60 37Z", "gold"),
    path("M40 37H60V34H40Z", "ink"),
    ...eyes(),
  ],
  Q: () => [
    path("M38 44Q35 25 50 25T62 44L65 62H35Z", "hair"),
    path("M29 70V66C32 60 41 57 50 57S68 60 71 66V70Z", "ink"),
    path("M42 57L50 67 58 57Z", "skin"),
    dot(50, 68, 2, "gold"),
    s("ellipse", { cx: 50, cy: 44, rx: 8.5, ry: 10, class: "skin" }),
    path("M41.5 40Q50 31 58.5 40 57 33 50 33T41.5 40Z", "hair"),
    path("M41 32L40 25 45 28 50 22.5 55 28 60 25 59 32Q50 29 41 32Z", "gold"),
    dot(50, 22, 1.8, "ink"),
    path("M48 50Q50 52 52 50Z", "ink"),
    ...eyes(),
  ],
  J: () => [
    path("M40 46Q38 30 50 30T60 46L61 54H39Z", "hair"),
    path("M29 70V66C32 59 41 56 50 56S68 59 71 66V70Z", "ink"),
    path("M43 56Q50 64 57 56V60Q50 68 43 60Z", "gold"),
    s("ellipse", { cx: 50, cy: 44, rx: 8.5, ry: 9.5, class: "skin" }),
    path("M39 36Q38 25 51 25 63 25 62 36 50 31 39 36Z", "ink"),
    path("M58 28Q64 18 71 22 68 27 61 31Z", "gold"),
    path("M47.5 50H52.5", "line"),
    ...eyes(),
  ],
};

const eyes = () => [dot(46.5, 43, 1.1, "dark"), dot(53.5, 43, 1.1, "dark")];

function jokerFace() {
  const star = "M50 38L57 58 78 58 61 71 67 92 50 79 33 92 39 71 22 58 43 58Z";
  const word = () => [..."JOKER"].map((letter, k) => s("text", { x: 12, y: 24 + 14 * k, class: "letter" }, letter));
  return [s("g", {}, word()), s("g", { transform: "rotate(180 50 70)" }, word()), path(star, "gold"), dot(50, 67, 9, "ink")];
}
