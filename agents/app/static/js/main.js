// Which page is shown: the part of the address after "#".

import { announce } from "./announce.js";
import { $, h, replace } from "./dom.js";
import { isPlain, startHelp } from "./keys.js";
import { PlayPage } from "./play.js";
import { ReplayPage } from "./replay.js";
import { recall } from "./settings.js";
import { showSetup } from "./setup.js";
import { showStatistics } from "./statistics.js";
import { startTheme } from "./theme.js";

const TITLES = { setup: "New game", table: "Table", replay: "Replay", statistics: "Statistics" };
let page = null;

async function show() {
  page?.close?.();
  page = null;
  const main = $("#main");
  const [name, id] = location.hash.replace(/^#\/?/, "").split("/");
  const place = name in TITLES ? name : "setup";
  mark(place);
  scrollTo(0, 0);
  try {
    await PAGES[place](main, id);
  } catch (error) {
    replace(main, h("div", { class: "sheet lone" }, h("h1", {}, "That did not work"), h("p", {}, error.message)));
  }
}

const PAGES = {
  setup: (main) => showSetup(main),
  table: (main, id) => opened(new PlayPage(main, id ?? recall("table", "none"))),
  replay: (main, id) => opened(new ReplayPage(main, id)),
  statistics: (main) => showStatistics(main),
};

function opened(next) {
  page = next;
  return next.open();
}

function mark(place) {
  document.title = `${TITLES[place]} – Euchre`;
  document.body.dataset.page = place;
  for (const link of document.querySelectorAll("nav a")) link.ariaCurrent = link.dataset.page === place ? "page" : null;
  $("nav a[data-page=table]").hidden = !(recall("table", null) || place === "table");
  announce(TITLES[place]);
}

startTheme();
startHelp();
window.addEventListener("hashchange", show);
document.addEventListener("keydown", (event) => isPlain(event) && page?.key?.(event));
$("[data-skip]").addEventListener("click", (event) => {
  event.preventDefault();
  $("#main").focus();
});
show();
