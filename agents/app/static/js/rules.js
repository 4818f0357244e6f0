// The form of the house rules, made from the options that the server tells.

import { api } from "./api.js";
import { h, replace } from "./dom.js";

const PAUSE = 250;

export class RulesForm {
  /** told: what /api/setup says; last: {preset, values} of the last table. */
  constructor(told, last) {
    this.told = told;
    this.preset = last.preset in told.presets ? last.preset : "stick";
    this.values = { ...told.presets[this.preset].values, ...known(last.values, told.options) };
    this.sentence = h("p", { class: "sentence", id: "rules-text", role: "status" });
    this.fault = h("p", { class: "fault", id: "rules-fault", role: "alert", hidden: true });
    this.options = h("div", { class: "options" });
    this.element = h("div", {}, this.presetField(), this.sentence, this.fault,
      h("details", { class: "more" }, h("summary", {}, "Every option"), this.options));
    this.draw();
    this.check();
  }

  presetField() {
    this.select = h("select", { id: "preset", onchange: (event) => this.take(event.target.value) },
      Object.keys(this.told.presets).map((name) => h("option", { value: name, selected: name === this.preset }, name.replaceAll("_", " "))));
    return h("div", { class: "field narrow" }, h("label", { for: "preset" }, "Rule set"), this.select);
  }

  take(preset) {
    this.preset = preset;
    this.values = { ...this.told.presets[preset].values };
    this.draw();
    this.check();
  }

  draw() {
    const groups = [...new Set(this.told.options.map((option) => option.group))];
    replace(this.options, ...groups.map((group) => h("fieldset", {}, h("legend", {}, group),
      this.told.options.filter((option) => option.group === group).map((option) => this.field(option)))));
  }

  field(option) {
    const id = `rule-${option.name}`;
    const changed = (value) => {
      this.values[option.name] = value;
      this.later();
    };
    const input = INPUTS[option.kind](option, this.values[option.name], changed);
    const control = input.matches("input, select") ? input : input.querySelector("input, select");
    control.id = id;
    control.setAttribute("aria-describedby", `${id}-text`);
    return h("div", { class: `option ${option.kind === "bool" ? "flag" : ""}`, "data-option": option.name },
      h("label", { for: id }, option.name.replaceAll("_", " ")), input,
      h("small", { id: `${id}-text` }, option.meaning));
  }

  later() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.check(), PAUSE);
  }

  /** Ask the server whether these rules can be; show them in words, or why not. */
  async check() {
    try {
      const { text } = await api.checkRules(this.values);
      this.sentence.textContent = text;
      this.mark(null);
    } catch (error) {
      this.mark(error);
    }
  }

  /** Show a refusal beside the options at fault; null takes it away. */
  mark(error) {
    const faulty = error?.data?.conflict ?? [];
    this.fault.hidden = !error || !("conflict" in (error.data ?? {}));
    this.fault.textContent = this.fault.hidden ? "" : error.message;
    this.sentence.hidden = !this.fault.hidden;
    for (const box of this.options.querySelectorAll(".option")) {
      const wrong = faulty.includes(box.dataset.option);
      box.classList.toggle("wrong", wrong);
      for (const control of box.querySelectorAll("input, select")) control.ariaInvalid = wrong ? "true" : null;
    }
    if (faulty.length) this.element.querySelector("details").open = true;
  }
}

function known(values, options) {
  const names = new Set(options.map((option) => option.name));
  return Object.fromEntries(Object.entries(values ?? {}).filter(([name]) => names.has(name)));
}

// --- inputs by kind of option --------------------------------------------------------------------

const number = (text) => (/^-?[0-9]+$/.test(text.trim()) ? Number(text) : text);

const numberInput = (option, value, changed, label) =>
  h("input", { type: "number", min: option.low, max: option.high, step: option.step, value, "aria-label": label, oninput: (event) => changed(number(event.target.value)) });

const selectInput = (choices, value, changed) =>
  h("select", { onchange: (event) => changed(choices[event.target.selectedIndex][0]) },
    choices.map(([choice, text]) => h("option", { selected: choice === value }, text)));

const words = (text) => text.replaceAll("_", " ");

const INPUTS = {
  bool: (option, value, changed) => h("input", { type: "checkbox", checked: value, onchange: (event) => changed(event.target.checked) }),
  choice: (option, value, changed) => selectInput(option.choices.map((choice) => [choice, words(choice)]), value, changed),
  int: (option, value, changed) => numberInput(option, value, changed),
  "optional int": (option, value, changed) =>
    h("input", { type: "number", min: option.low, max: option.high, value: value ?? "", placeholder: "none", oninput: (event) => changed(event.target.value.trim() === "" ? null : number(event.target.value)) }),
  pair(option, value, changed) {
    const pair = [...value];
    const part = (k) => numberInput(option, pair[k], (given) => { pair[k] = given; changed([...pair]); }, `${words(option.name)}, ${k ? "second" : "first"}`);
    return h("span", { class: "pair" }, part(0), part(1));
  },
  seat: (option, value, changed) =>
    selectInput([...option.choices.map((choice) => [choice, words(choice)]), ...["North", "East", "South", "West"].map((name, seat) => [seat, name])], value, changed),
};
