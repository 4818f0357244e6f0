// Words for screen readers, and notes that everyone sees.

import { $, h } from "./dom.js";

const MOST_LINES = 30;
let hiding = 0;

/** Say something to screen readers, after what was said before. */
export function announce(text) {
  const log = $("#announcer");
  log.append(h("p", {}, text));
  while (log.children.length > MOST_LINES) log.firstChild.remove();
}

/** Show a note for some seconds; it is read out at once. */
export function note(text, seconds = 7) {
  const box = $("#alert");
  box.replaceChildren(h("p", {}, text));
  clearTimeout(hiding);
  hiding = setTimeout(clearNote, seconds * 1000);
}

export function clearNote() {
  $("#alert").replaceChildren();
}
