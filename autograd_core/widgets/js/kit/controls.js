// What the reader may change: text fields, sliders, switches and choices above a picture.

import { el, uniqueId, write } from "./dom.js";
import { number } from "./format.js";
import { NEEDS } from "./page.js";

/** @import { Control, Model } from "./types.d.ts" */

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
  /**
   * @param {Model<{ controls: Control[] }>} model
   * @param {(question: object) => void} [send] asks what answers the controls
   */
  constructor(model, send = (question) => model.send(question)) {
    this.model = model;
    this.send = send;
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
    if (control.fixed) {                         // nobody would answer: it says so, and does not move
      for (const each of field.box.querySelectorAll("input")) each.disabled = true;
      field.box.append(el("span", { class: "ac-fixed" }, NEEDS));
    }
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
    this.send({ kind: "change", name, value });
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

/**
 * The parts of a field, for each kind of control; a choice is radio buttons drawn as one row.
 * @param {Control} control
 * @returns {Omit<Field, "control">}
 */
function fieldOf(control) {
  const { kind, label } = control, name = el("span", { title: label }, label);
  if (kind === "text") {
    const input = el("input", { type: "text", spellcheck: "false", autocomplete: "off" });
    return { box: el("label", {}, name, input), input, read: () => input.value,
      show: (text) => { if (input.value !== text) input.value = String(text); } };
  }
  if (kind === "switch") {
    const input = el("input", { type: "checkbox", role: "switch" });
    return { box: el("label", {}, input, name), input, read: () => input.checked,
      show: (on) => { input.checked = Boolean(on); } };
  }
  if (kind === "slider") {
    const { min, max, step } = control, input = el("input", { type: "range", min, max, step }), output = el("output");
    return { box: el("label", {}, name, input, output), input, read: () => Number(input.value),
      show: (value) => {
        input.value = String(value);
        write(output, number(Number(value)));
      } };
  }
  const { choices } = control, group = uniqueId();
  const buttons = choices.map((value) => el("input", { type: "radio", name: group, value }));
  const labels = choices.map((text, i) => el("label", {}, buttons[i], el("span", {}, text)));
  const input = el("span", { class: "ac-choices", role: "radiogroup", "aria-label": label }, ...labels);
  return { box: el("div", {}, name, input), input,
    read: () => buttons.find((each) => each.checked)?.value ?? choices[0],
    show: (value) => buttons.forEach((each) => { each.checked = each.value === value; }) };
}
