// Statistics of the session: the sums of all tables that this browser played.

import { h, replace } from "./dom.js";
import { keep, recall } from "./settings.js";

const MOST_TABLES = 500;

/** Keep the latest figures of a table. */
export function record(id, figures) {
  const all = recall("figures", {});
  delete all[id]; // so that it comes last
  all[id] = figures;
  const ids = Object.keys(all);
  for (const old of ids.slice(0, Math.max(0, ids.length - MOST_TABLES))) delete all[old];
  keep("figures", all);
}

function sums() {
  const total = {};
  for (const figures of Object.values(recall("figures", {}))) {
    for (const [name, count] of Object.entries(figures)) total[name] = (total[name] ?? 0) + count;
  }
  return (name) => total[name] ?? 0;
}

const share = (part, whole) => (whole ? ` (${Math.round((100 * part) / whole)} %)` : "");

export function showStatistics(main) {
  const of = sums();
  const tables = Object.keys(recall("figures", {})).length;
  const calls = (who) => of(`${who}_calls`);
  const outcome = (who, name) => `${of(`${who}_${name}`)}${share(of(`${who}_${name}`), calls(who))}`;
  const rows = [
    ["Hands called", String(calls("own")), String(calls("their"))],
    ["Points", String(of("points")), String(of("points_lost"))],
    ["Made, three or four tricks", outcome("own", "made"), outcome("their", "made")],
    ["Marches", outcome("own", "march"), outcome("their", "march")],
    ["Lone marches", outcome("own", "lone_march"), outcome("their", "lone_march")],
    ["Euchred", outcome("own", "euchred"), outcome("their", "euchred")],
  ];
  replace(main, h("div", { class: "sheet" },
    h("h1", {}, "Your session"),
    h("div", { class: "tiles" }, tile(of("hands"), "hands"), tile(tables, tables === 1 ? "table" : "tables"), tile(net(of), "points a hand, you less they"), tile(agreement(of), "of your choices as the champion's")),
    h("table", { class: "figures" }, h("thead", {}, h("tr", {}, ["", "You", "They"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, rows.map(([title, own, their]) => h("tr", {}, h("th", { scope: "row" }, title), h("td", {}, own), h("td", {}, their))))),
    h("p", { class: "quiet" }, "Counted in this browser only; hands thrown in are counted as hands."),
    h("button", { type: "button", onclick: () => { keep("figures", {}); showStatistics(main); } }, "Start anew")));
}

const tile = (figure, text) => h("div", { class: "tile" }, h("strong", {}, String(figure)), h("span", {}, text));

const net = (of) => (of("hands") ? ((of("points") - of("points_lost")) / of("hands")).toFixed(2).replace("-", "−") : "–");

const agreement = (of) => (of("choices") ? `${Math.round((100 * of("agreed")) / of("choices"))} %` : "–");
