// Every parameter with its gradient's norm as a bar on a log scale; where there is none, the reason, and how its path
// ends.

import { textButton } from "../kit/button.js";
import { clamp } from "../kit/clamp.js";
import { breakable, el, paragraph, put, write } from "../kit/dom.js";
import { finite, number, real, shapeText } from "../kit/format.js";

/** @import { Parameter, Structure } from "./types.d.ts" */
/** @import { View } from "./view.js" */

const DECADES = 6;                               // that the scale shows at most
const SHORTEST = 0.1;                            // decades, of the shortest bar
const SHORTEST_BAR = 1.5;                        // percent

/** @typedef {{ low: number, high: number }} Scale from one power of ten to another */

/**
 * A row of the list; `norm` is null where there is no gradient.
 * @typedef {object} ParameterRow
 * @property {Parameter} parameter
 * @property {HTMLTableRowElement} line
 * @property {HTMLButtonElement} pick
 * @property {HTMLElement} bar
 * @property {HTMLElement} text
 * @property {number | null} norm
 */

/**
 * The scale that reaches over these norms.
 * @param {number[]} norms
 * @returns {Scale}
 */
export function scaleOf(norms) {
  const powers = norms.filter((norm) => norm > 0 && norm < Infinity).map(Math.log10);
  const high = powers.length ? Math.max(...powers) : 0;
  return { high, low: Math.max(Math.floor(high) - DECADES, Math.floor(Math.min(high, ...powers) - SHORTEST)) };
}

/**
 * How long the bar of a norm is, in percent.
 * @param {number | null} norm
 * @param {Scale} scale
 */
export function barLength(norm, { low, high }) {
  if (norm === null || !(norm > 0)) return 0;
  return clamp(100 * (Math.log10(norm) - low) / (high - low), SHORTEST_BAR, 100);
}

/** The powers of ten that stand on the scale: few enough that their long numbers stand apart. @param {Scale} scale */
export function ticksOf({ low, high }) {
  const all = Array.from({ length: Math.floor(high - low) + 1 }, (_, i) => low + i);
  const every = Math.ceil(all.length / 2);
  return all.filter((_, i) => i % every === 0);
}

/** What is cut off first, then what is nan, then smaller norms; last what is frozen. @param {ParameterRow} row */
const rank = ({ norm, parameter: { reason, frozen } }) =>
  (frozen ? Infinity : reason ? -2 : norm === null ? Number.MAX_VALUE : Number.isFinite(norm) ? norm : -1);

export class Parameters {
  /** @param {View} view */
  constructor(view) {
    this.view = view;
    this.order = 0;
    this.orders = ["in model order", "smallest first"];
    /** @type {ParameterRow[]} */
    this.rows = [];
    /** @type {Scale} */
    this.scale = { low: 0, high: 0 };
    /** @type {ParameterRow | null} */
    this.marked = null;
    this.title = el("h3");
    this.count = el("span", { class: "ac-q" });
    this.sorter = textButton("", () => this.sortBy(1 - this.order));
    this.axis = el("div", { class: "ac-axis", "aria-hidden": "true" });
    this.list = el("tbody", { onkeydown: (event) => this.key(event) });
    this.card = el("div", { class: "ac-card-box", hidden: "" });
    const heads = ["name", "shape", "size", "norm of .grad"].map((text, i) =>
      el("th", { scope: "col" }, el("span", { class: "ac-hidden" }, text), ...(i === 2 ? [this.axis] : [])));
    this.box = el("div", {}, el("div", { class: "ac-parameters-head" }, this.title, this.count, this.sorter),
      el("table", { class: "ac-parameters" }, el("thead", {}, el("tr", {}, ...heads)), this.list),
      paragraph("ac-caption-line", "Bars: norm of ", el("code", {}, ".grad"), " after this event, log scale."),
      this.card);
  }

  /** @param {Structure} structure */
  build({ parameters, leaves }) {
    const reached = parameters.filter(({ reason }) => !reason).length;
    write(this.title, leaves ? "Leaves" : "Parameters");
    write(this.count, `${reached} of ${parameters.length} get a gradient`);
    this.marked = null;
    this.orders = [leaves ? "in order of use" : "in model order", "smallest first"];
    this.rows = parameters.map((parameter, i) => this.row(parameter, parameters[i - 1]));
    this.list.replaceChildren(...this.rows.map(({ line }) => line));
    this.sortBy(0);
    this.explain(parameters.find(({ reason, loose, frozen }) => (reason || loose) && !frozen) ?? null);
  }

  /** @param {number} node */
  has(node) { return this.rows.some(({ parameter }) => parameter.node === node); }

  /**
   * @param {Parameter} parameter
   * @param {Parameter | undefined} before the one that stands above it
   * @returns {ParameterRow}
   */
  row(parameter, before) {
    const { name, whole, shape, reason, short, frozen } = parameter;
    const groupOf = (/** @type {string} */ path) => path.split(".").slice(0, -1).join(".");
    const look = { type: "button", class: "ac-pick", tabindex: before ? -1 : 0, title: whole };
    const pick = el("button", look, ...breakable(name));
    const bar = el("span", { class: "ac-norm" }), text = el("td", { class: "ac-g" });
    const rest = reason ? [el("td", { class: "ac-reason", colspan: 2, title: reason }, short)]
      : [el("td", { "aria-hidden": "true" }, bar), text];
    const kind = frozen ? "ac-frozen-row" : reason ? "ac-cut-row" : "";
    const line = el("tr", { class: kind, onclick: () => this.pick(row) }, el("th", { scope: "row" }, pick),
      el("td", { class: "ac-q" }, shapeText(shape)), ...rest);
    line.classList.toggle("ac-rule-above", before !== undefined && groupOf(before.name) !== groupOf(name));
    const row = { parameter, line, pick, bar, text, norm: null };
    return row;
  }

  /** @param {ParameterRow} row */
  pick(row) {
    this.explain(row.parameter.reason || row.parameter.loose ? row.parameter : null);
    this.mark(row);
    if (row.parameter.node !== null) this.view.find(row.parameter.node);
  }

  /** One row is marked, and is where the keyboard comes in. @param {ParameterRow | null} row */
  mark(row) {
    if (this.marked === row) return;
    this.marked = row;
    for (const each of this.rows) {
      put(each.line, "aria-current", each === row);
      each.pick.tabIndex = each === (row ?? this.rows[0]) ? 0 : -1;
    }
    row?.line.scrollIntoView({ block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    /** @type {HTMLElement[]} */
    const shown = [...this.list.querySelectorAll(".ac-pick")].filter((each) => each instanceof HTMLElement);
    const at = shown.findIndex((each) => each === event.target);
    const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: shown.length - 1 }[event.key];
    if (to === undefined || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    shown[clamp(to, 0, shown.length - 1)].focus();
  }

  /** @param {number} order an index of `orders` */
  sortBy(order) {
    this.order = order;
    write(this.sorter, `${this.orders[order]} ▾`);
    this.sorter.setAttribute("aria-label", `Listed ${this.orders[order]}. Change the order`);
    this.sort();
  }

  sort() {
    const rows = this.order ? this.rows.toSorted((a, b) => rank(a) - rank(b) || 0) : this.rows;
    if (rows.every(({ line }, i) => line === this.list.children[i])) return;
    const held = document.activeElement;
    this.list.replaceChildren(...rows.map(({ line }) => line));
    if (held instanceof HTMLElement && this.list.contains(held)) held.focus({ preventScroll: true });
  }

  /** The scale reaches over every norm that the events write, so that bars can be compared from event to event. */
  renumber() {
    const { tape } = this.view;
    this.scale = scaleOf(this.rows.flatMap(({ parameter: { node } }) => (node === null ? [] : tape.norms(node))));
    const { low, high } = this.scale;
    this.axis.replaceChildren(...ticksOf(this.scale).map((power) => {
      const place = { class: "ac-tick", style: `left: ${(100 * (power - low)) / (high - low)}%` };
      return el("span", place, number(10 ** power));
    }));
  }

  /**
   * @param {number} k
   * @param {number | null} selected
   */
  update(k, selected) {
    const { tape } = this.view;
    for (const row of this.rows) {
      const { node, reason } = row.parameter;
      if (reason) continue;
      const gradient = node === null ? null : tape.node(node, k).gradient;
      row.norm = gradient ? real(gradient[2]) : null;
      write(row.text, gradient ? number(gradient[2]) : "None");
      put(row.text, "class", gradient === null ? "ac-q" : finite(gradient) ? "ac-g" : "ac-bad");
      const length = barLength(row.norm, this.scale);
      put(row.bar, "style", `width: ${length ? length.toFixed(1) : 0}%`);
    }
    this.sort();
    const row = this.rows.find(({ parameter }) => selected !== null && parameter.node === selected);
    if (row?.parameter.reason || row?.parameter.loose) this.explain(row.parameter);
    if (row || selected !== null) this.mark(row ?? null);
  }

  /** The card below the list: why no step can train this parameter. @param {Parameter | null} parameter */
  explain(parameter) {
    this.card.hidden = parameter === null;
    if (parameter === null) return;
    const { name, reason, loose, path, cut, source, place, frozen } = parameter, last = path.length - 1;
    const steps = path.flatMap((text, i) => [...(i ? [" → "] : []), ...(i === last ? [bad(text)] : nodeName(text))]);
    this.card.classList.toggle("ac-on-purpose", frozen);
    const head = `${name} ${reason ? "gets no gradient" : "is in no model"}`;
    this.card.replaceChildren(el("h4", {}, head), ...(last > 0 ? [paragraph("", ...steps)] : []),
      paragraph("", reason ? `${reason} No step can train it.` : loose),
      ...(source ? [el("code", {}, ...marked(source, cut))] : []),
      ...(place ? [paragraph("ac-place", place)] : []));
  }
}

/** @param {string} text */
const bad = (text) => el("span", { class: "ac-bad" }, text);

/** A node's name, its "Backward0" in grey. @param {string} text */
function nodeName(text) {
  const parts = text.split(/(?<=.)(?=Backward\d*$)/);
  return parts.map((part, i) => el("span", { class: i ? "ac-q" : "" }, part));
}

/**
 * A source line in which the place of the cut is marked.
 * @param {string} source
 * @param {string} cut
 */
function marked(source, cut) {
  const at = cut ? source.indexOf(cut) : -1;
  if (at < 0) return [source];
  return [source.slice(0, at), el("b", { class: "ac-bad" }, cut), source.slice(at + cut.length)];
}
