// The page that opens a table: who plays, by which rules, how long.

import { api } from "./api.js";
import { note } from "./announce.js";
import { $, h, replace } from "./dom.js";
import { forget, keep, recall } from "./settings.js";
import { RulesForm } from "./rules.js";

const SEATS = [["west", "West", "on your left"], ["north", "North", "your partner"], ["east", "East", "on your right"]];
const USUAL = { north: "champion", east: "heuristic", west: "heuristic" };
const OTHER = "";

export async function showSetup(main) {
  const told = await api.setup();
  const wishes = { ...USUAL, ...recall("seats", {}) };
  const rules = new RulesForm(told, recall("rules", { preset: "stick", values: null }));
  const seats = h("div", { class: "seats" });
  const form = h("form", { class: "setup", novalidate: true, onsubmit: (event) => submit(event, wishes, rules) },
    h("h1", {}, "A table of Euchre"),
    h("p", { class: "lead" }, "You sit South. Choose who plays with you and against you."),
    reopen(),
    h("section", { class: "sheet" }, h("h2", {}, "Players"), everyone(told, wishes, seats), seats),
    h("section", { class: "sheet" }, h("h2", {}, "Game"), gameFields()),
    h("section", { class: "sheet" }, h("h2", {}, "Rules"), rules.element),
    h("div", { class: "go" }, h("button", { class: "primary big", id: "deal" }, "Deal the cards")));
  drawSeats(seats, told, wishes);
  replace(main, form);
}

function reopen() {
  const id = recall("table", null);
  return id && h("p", {}, h("a", { class: "button", href: `#/table/${id}` }, "Back to your table"));
}

// --- players -------------------------------------------------------------------------------------

function everyone(told, wishes, seats) {
  const put = (name) => {
    for (const [seat] of SEATS) wishes[seat] = name;
    drawSeats(seats, told, wishes);
  };
  return h("div", { class: "levels", role: "group", "aria-label": "All three players" },
    told.lineup.offered.map(({ name, title, text }) =>
      h("button", { type: "button", class: "level", "data-level": name, onclick: () => put(name) }, h("strong", {}, title), h("span", {}, text))));
}

function drawSeats(box, told, wishes) {
  replace(box, ...SEATS.map(([seat, title, place]) => seatField(seat, title, place, told, wishes)),
    h("datalist", { id: "agent-forms" }, Object.keys(told.lineup.forms).map((form) => h("option", { value: form.replace(/\[.*|:.*/g, "") }))));
}

function seatField(seat, title, place, told, wishes) {
  const known = told.lineup.offered.some(({ name }) => name === wishes[seat]);
  const named = h("input", { type: "text", list: "agent-forms", maxlength: told.lineup.most_name, value: known ? "" : wishes[seat], hidden: known, "aria-label": `${title}: an agent's name`, placeholder: "rollout:50", spellcheck: "false", autocapitalize: "off", "data-key": `name-${seat}`, oninput: (event) => { wishes[seat] = event.target.value.trim(); } });
  const choose = (event) => {
    named.hidden = event.target.value !== OTHER;
    wishes[seat] = event.target.value === OTHER ? named.value.trim() : event.target.value;
    if (!named.hidden) named.focus();
  };
  const select = h("select", { id: `seat-${seat}`, "data-key": `seat-${seat}`, onchange: choose },
    told.lineup.offered.map(({ name, title: word }) => h("option", { value: name, selected: name === wishes[seat] }, word)),
    h("option", { value: OTHER, selected: !known }, "Another agent by name …"));
  return h("div", { class: "field" }, h("label", { for: `seat-${seat}` }, h("strong", {}, title), ` ${place}`), select, named);
}

// --- the game ------------------------------------------------------------------------------------

function gameFields() {
  const length = recall("length", "game");
  const radio = (value, text) => h("label", { class: "check" }, h("input", { type: "radio", name: "length", value, checked: value === length }), text);
  return h("div", { class: "game-fields" },
    h("div", { role: "radiogroup", "aria-label": "Length" }, radio("game", "A whole game"), radio("hand", "A single hand")),
    h("label", { class: "check" }, h("input", { type: "checkbox", name: "practice", checked: recall("practice", true) }), "Practice: decisions can be taken back"),
    h("div", { class: "field narrow" }, h("label", { for: "seed" }, "Seed of the deals"),
      h("input", { id: "seed", name: "seed", inputmode: "numeric", pattern: "[0-9]*", maxlength: 15, placeholder: "by chance" })));
}

async function submit(event, wishes, rules) {
  event.preventDefault();
  const form = event.target;
  const seed = form.seed.value.trim();
  const order = { seats: [wishes.north, wishes.east, wishes.west], rules: rules.values, length: lengthOf(form), practice: form.practice.checked };
  if (seed !== "") order.seed = /^[0-9]+$/.test(seed) ? Number(seed) : seed;
  const button = $("#deal");
  button.disabled = true;
  try {
    const view = await api.openTable(order);
    remember(wishes, rules, order, view.id);
    location.hash = `#/table/${view.id}`;
  } catch (error) {
    note(error.message, 12);
    rules.mark(error);
  } finally {
    button.disabled = false;
  }
}

const lengthOf = (form) => $("input[name=length]:checked", form).value;

function remember(wishes, rules, order, id) {
  keep("seats", wishes);
  keep("rules", { preset: rules.preset, values: rules.values });
  keep("length", order.length);
  keep("practice", order.practice);
  forgetTable();
  keep("table", id);
}

/** Close the table this browser had; it makes room for others. */
export function forgetTable() {
  const id = recall("table", null);
  if (id) api.leave(id).catch(() => {});
  forget("table");
}
