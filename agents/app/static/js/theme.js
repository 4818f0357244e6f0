// Light, dark, or as the system says.

import { $ } from "./dom.js";
import { keep, recall } from "./settings.js";

const ORDER = ["system", "light", "dark"];
const SIGNS = { system: "◐", light: "☀", dark: "☾" };

export function startTheme() {
  const button = $("#theme");
  button.addEventListener("click", () => {
    const next = ORDER[(ORDER.indexOf(recall("theme", "system")) + 1) % ORDER.length];
    keep("theme", next);
    show(button);
  });
  show(button);
}

function show(button) {
  const theme = recall("theme", "system");
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  button.textContent = SIGNS[theme] || SIGNS.system;
  button.title = button.ariaLabel = `Colours: ${theme}`;
}
