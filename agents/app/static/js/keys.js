// Keys that mean something on a page, and the dialog that lists them.

import { $, h, replace } from "./dom.js";

/** A key press that is not typed into a field, nor for the browser. */
export const isPlain = (event) =>
  !event.ctrlKey && !event.metaKey && !event.altKey && !event.target.closest?.("input, select, textarea, dialog");

const KEYS = [
  ["1 – 9", "play the n-th card that is allowed, or give the n-th answer"],
  ["← →", "move along your hand; steps of a replay"],
  ["Enter", "press what has the focus; next hand"],
  ["H", "hint"], ["U", "take back (practice)"], ["N", "next hand"], ["S", "pace"],
  ["Home, End", "first and last step of a replay"], ["Space", "play and stop a replay"],
  ["?", "these keys"],
];

export function startHelp() {
  const dialog = $("#help");
  replace(dialog, h("h2", { id: "help-title" }, "Keys"),
    h("dl", {}, KEYS.flatMap(([key, text]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)])),
    h("form", { method: "dialog" }, h("button", { class: "primary" }, "Close")));
  $("#keys").addEventListener("click", () => dialog.showModal());
  document.addEventListener("keydown", (event) => {
    if (event.key === "?" && isPlain(event) && !dialog.open) dialog.showModal();
  });
}
