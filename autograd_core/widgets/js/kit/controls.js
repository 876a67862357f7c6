// What the reader may change: text fields, sliders, switches and choices above a picture.

import { el, uniqueId, write } from "./dom.js";
import { number } from "./format.js";
import { NEEDS } from "./page.js";

/** @import { ChoiceControl, Control, Model, SliderControl, SwitchControl, TextControl } from "./types.d.ts" */

/** @typedef {string | number | boolean} Value */

const LATE = 400;                                // ms after which a picture that is not there yet is dimmed

/**
 * A control on the page: its label and all, what takes the focus, and how its value is shown and read.
 * @typedef {object} Field
 * @property {Control} control
 * @property {HTMLElement} box
 * @property {HTMLElement} input
 * @property {(value: Value) => void} show
 * @property {() => Value} read
 */

/** Controls that stay the same have the same key, whatever their value. @param {Control} control */
const keyOf = (control) => JSON.stringify({ ...control, value: null });

export class Controls {
  /** @param {Model<{ controls: Control[] }>} model */
  constructor(model) {
    this.model = model;
    /** @type {Map<string, Field>} */
    this.fields = new Map();
    /** What Python has still to be told, the latest value of each name. @type {Map<string, unknown>} */
    this.waiting = new Map();
    this.busy = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.error = el("p", { class: "ac-error", role: "alert" });
    this.box = el("div", { class: "ac-controls" }, this.error);
    this.update();
  }

  /** A field that is still wanted stays in the page as it is, so that typing goes on. */
  update() {
    const wanted = new Map(this.model.get("controls").map((control) => [keyOf(control), control]));
    for (const [key, { box }] of this.fields) if (!wanted.has(key)) box.remove();
    let place = this.box.firstChild;
    this.fields = new Map([...wanted].map(([key, control]) => {
      const field = this.fields.get(key) ?? this.field(control);
      if (field.box === place) place = place.nextSibling; else this.box.insertBefore(field.box, place);
      const typing = field.input.contains(document.activeElement) || this.waiting.has(control.name);
      if (!typing) field.show(control.value);
      return [key, field];
    }));
    this.box.hidden = !wanted.size;
  }

  /** The field of a control. @param {string} name */
  named(name) { return [...this.fields.values()].find(({ control }) => control.name === name); }

  /**
   * @param {Control} control
   * @returns {Field}
   */
  field(control) {
    const { kind, name, label, value } = control, field = { control, ...fieldOf(control) };
    field.input.addEventListener("input", () => {
      field.show(field.read());
      this.want(name, field.read());
    });
    field.show(value);
    field.box.classList.add("ac-control", `ac-control-${kind}`);
    if (kind !== "choice") field.input.setAttribute("aria-label", label);
    if (control.fixed) fix(field);
    return field;
  }

  /**
   * Tell Python of a change. One question at a time: while Python works, only the latest value of each name waits.
   * @param {string} name
   * @param {unknown} value
   */
  want(name, value) {
    this.waiting.set(name, value);
    this.ask();
  }

  ask() {
    const [first] = this.waiting;
    if (this.busy || !first) return;
    const [name, value] = first;
    this.waiting.delete(name);
    this.busy = true;
    this.box.classList.add("ac-busy");
    this.timer = setTimeout(() => this.box.classList.add("ac-late"), LATE);
    this.model.send({ kind: "change", name, value });
  }

  /** @param {string} error what the change raised, "" where all went well */
  answered(error) {
    this.busy = false;
    clearTimeout(this.timer);
    this.box.classList.remove("ac-busy", "ac-late");
    write(this.error, error);
    this.box.classList.toggle("ac-failed", error !== "");
    this.ask();
  }
}

/** A control that nobody would answer says so, and does not move. @param {Field} field */
function fix({ box, input }) {
  const inputs = input.matches("input") ? [input] : input.querySelectorAll("input");
  for (const each of inputs) each.setAttribute("disabled", "");
  box.append(el("span", { class: "ac-fixed" }, NEEDS));
}

/**
 * @param {Control} control
 * @returns {Omit<Field, "control">}
 */
function fieldOf(control) {
  if (control.kind === "text") return textField(control);
  if (control.kind === "slider") return slider(control);
  return control.kind === "switch" ? toggle(control) : choice(control);
}

/**
 * @param {TextControl} control
 * @returns {Omit<Field, "control">}
 */
function textField({ label }) {
  const input = el("input", { type: "text", spellcheck: "false", autocomplete: "off" });
  const box = el("label", {}, el("span", { title: label }, label), input);
  /** @param {Value} text */
  const show = (text) => { if (input.value !== text) input.value = String(text); };
  return { box, input, show, read: () => input.value };
}

/**
 * @param {SliderControl} control
 * @returns {Omit<Field, "control">}
 */
function slider({ label, min, max, step }) {
  const input = el("input", { type: "range", min, max, step }), output = el("output");
  const box = el("label", {}, el("span", { title: label }, label), input, output);
  /** @param {Value} value */
  const show = (value) => {
    input.value = String(value);
    write(output, number(Number(value)));
  };
  return { box, input, show, read: () => Number(input.value) };
}

/**
 * @param {SwitchControl} control
 * @returns {Omit<Field, "control">}
 */
function toggle({ label }) {
  const input = el("input", { type: "checkbox", role: "switch" });
  const box = el("label", {}, input, el("span", { title: label }, label));
  return { box, input, show: (on) => { input.checked = Boolean(on); }, read: () => input.checked };
}

/**
 * Radio buttons, drawn as one row: the arrow keys choose.
 * @param {ChoiceControl} control
 * @returns {Omit<Field, "control">}
 */
function choice({ label, choices }) {
  const name = uniqueId();
  const buttons = choices.map((value) => el("input", { type: "radio", name, value }));
  const labels = choices.map((text, i) => el("label", {}, buttons[i], el("span", {}, text)));
  const input = el("span", { class: "ac-choices", role: "radiogroup", "aria-label": label }, ...labels);
  const box = el("div", {}, el("span", { title: label }, label), input);
  /** @param {Value} value */
  const show = (value) => buttons.forEach((each) => { each.checked = each.value === value; });
  return { box, input, show, read: () => buttons.find((each) => each.checked)?.value ?? choices[0] };
}
