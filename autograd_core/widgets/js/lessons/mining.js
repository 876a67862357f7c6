// A map of pixels with two logits each. Python sends the numbers; here they are a table, which is read cell by cell.

import { clamp } from "../kit/clamp.js";
import { closest, el, put, svg, write } from "../kit/dom.js";
import { cellOf, number, real } from "../kit/format.js";
import { withModifier } from "../kit/keys.js";
import { Live, rendering } from "../kit/live.js";

/** @import { Cell, LiveState, Model } from "../kit/types.d.ts" */

/** A number for each of the two outputs. @typedef {[Cell, Cell]} Pair */
/** @typedef {{ logits: Pair, p: Pair, onehot: Pair, off: Pair, gradient: Pair }} PixelNumbers */

/**
 * A pixel: whether it is labelled text, whether it counts, whether it gets a gradient, and whether it does in PyTorch.
 * @typedef {PixelNumbers & { arrows: Pair, text: boolean, train: boolean, learns: boolean, other: boolean }} PixelCell
 */

/** `old` says that the run raised an error, and that this is from before. */
/** @typedef {{ cells: PixelCell[], columns: number, summary: string, loss: string, old: boolean }} MiningDrawn */
/** @typedef {LiveState & { drawn: MiningDrawn }} MiningState */

/** Columns of the panel: heading, what of a pixel, its colour. @type {[string, keyof PixelNumbers, string][]} */
const COLUMNS = [["logit", "logits", "v"], ["p", "p", "v"], ["onehot", "onehot", "q"], ["p − onehot", "off", "g"],
  ["gradient", "gradient", "g"]];
const OUTPUTS = ["not text", "text"];
const ARROW = 30;                                // pixels: the length for a p − onehot of 1
const SHAFT = 10, WING = 4;
const ROUNDING = 1e-12;                          // a sum that is nearer to 0 is 0

/**
 * Short enough for two numbers in a cell: −.73, 1.2
 * @param {Cell} x
 * @param {number} digits
 */
export function shortNumber(x, digits) {
  if (typeof x !== "number") return number(x);
  const text = Math.abs(x).toFixed(digits);
  if (Number(text) === 0) return "0";
  return (x < 0 ? "−" : "") + text.replace(/^0\./, ".");
}

/** Of two numbers; what is 0 but for rounding is 0. @param {Pair} pair @returns {Cell} */
export function total([a, b]) {
  const added = real(a) + real(b);
  return Math.abs(added) < ROUNDING ? 0 : cellOf(added);
}

/** The path of an arrow, upwards where `length` is above 0; a length of 1 is `ARROW` pixels. @param {number} length */
export function arrowPath(length) {
  const half = (ARROW / 2) * length, tail = ARROW / 2 + half, point = ARROW / 2 - half, middle = SHAFT / 2;
  const wide = Math.min(WING, Math.abs(half)), wing = point + Math.sign(length) * wide;
  return `M${middle} ${tail}V${point}M${middle - wide} ${wing}L${middle} ${point}L${middle + wide} ${wing}`;
}

/** What becomes of a pixel, in words. @param {PixelCell} cell */
export function stateText({ train, learns, other }) {
  const state = !train ? "ignored" : learns ? "gets a gradient" : "gets none";
  return other === learns ? state : `${state}, tied: PyTorch took ${other ? "this one" : "another"}`;
}

/** The arrow of one gradient. What is nan or inf is a word. @param {Cell} length */
function arrow(length) {
  if (typeof length !== "number") return el("span", { class: "ac-mining-arrow ac-bad" }, number(length));
  const box = svg("svg", { class: "ac-mining-arrow", width: SHAFT, height: ARROW, "aria-hidden": "true" });
  if (length !== 0) box.append(svg("path", { d: arrowPath(length) }));
  return box;
}

/** @extends {Live<MiningState>} */
class MiningView extends Live {
  /** @param {Model<MiningState>} model */
  constructor(model) {
    super(model, "mining");
    /** The pixel that is read. */
    this.at = 0;
    this.columns = 0;
    /** @type {HTMLTableCellElement[]} */
    this.fields = [];
    this.body = el("tbody");
    const label = "Pixels. The arrow keys read them.";
    this.map = el("table", { class: "ac-mining-map", role: "grid", "aria-label": label }, this.body);
    this.summary = el("p", { class: "ac-mining-summary" });
    this.loss = el("strong");
    this.place = el("caption");
    this.rows = el("tbody");
    const heads = el("tr", {}, el("td"), ...COLUMNS.map(([name]) => el("th", { scope: "col" }, name)));
    const numbers = el("table", { class: "ac-mining-numbers" }, this.place, el("thead", {}, heads), this.rows);
    this.tied = el("li", {}, el("b", {}, "× ○"), "tied: PyTorch left out ×, and took ○");
    const key = el("ul", { class: "ac-mining-key" },
      el("li", {}, el("i", { class: "ac-mining-text" }), "labelled text"),
      el("li", {}, el("i", { class: "ac-mining-none" }), "no gradient"),
      el("li", {}, el("b", { class: "ac-v" }, "1.1"), "above: the two logits, not text and text"),
      el("li", {}, el("b", { class: "ac-g" }, "↑"), "gradient above 0, ↓ below. A step goes the other way."),
      el("li", {}, el("b", { class: "ac-g" }, ".67"), "beneath: p − onehot"), this.tied);
    this.main.append(this.map, el("div", { class: "ac-mining-panel" }, this.summary, numbers, key));
    this.map.addEventListener("keydown", (event) => this.key(event));
    this.map.addEventListener("click", (event) => this.chosen(event));
    this.map.addEventListener("focusin", (event) => this.chosen(event));
  }

  draw() {
    const { cells, columns, summary, loss, old } = this.drawn;
    if (this.fields.length !== cells.length || this.columns !== columns) this.build(cells.length, columns);
    cells.forEach((cell, i) => this.fill(this.fields[i], cell, this.where(i)));
    this.main.classList.toggle("ac-mining-old", old);
    write(this.loss, loss);
    this.loss.classList.toggle("ac-bad", /nan|inf/.test(loss));
    const before = old ? "The run raised an error. Before it: loss " : "loss ";
    this.summary.replaceChildren(before, this.loss, `. ${summary}.`);
    this.tied.hidden = cells.every((cell) => cell.other === cell.learns);
    this.read(this.at);
  }

  /**
   * @param {number} count
   * @param {number} columns
   */
  build(count, columns) {
    this.columns = columns;
    this.fields = Array.from({ length: count }, () => el("td", { role: "gridcell", tabindex: -1 }));
    this.at = Math.min(this.at, count - 1);
    const rows = Array.from({ length: count / columns }, (_, r) => this.fields.slice(r * columns, (r + 1) * columns));
    this.body.replaceChildren(...rows.map((fields) => el("tr", { role: "row" }, ...fields)));
  }

  /**
   * @param {HTMLElement} field
   * @param {PixelCell} cell
   * @param {string} where
   */
  fill(field, cell, where) {
    const numbers = COLUMNS.map(([name, what]) => `${name} ${cell[what].map(number).join(", ")}`);
    put(field, "aria-label", `${where}: ${numbers.join("; ")}`);
    field.className = `${cell.text ? "ac-mining-text" : ""} ${cell.learns ? "" : "ac-mining-none"}`;
    /** @param {string} name @param {Element[]} parts */
    const pair = (name, parts) => el("span", { class: `ac-mining-pair ac-mining-${name}` }, ...parts);
    /** @param {"logits" | "off"} what @param {number} digits */
    const short = (what, digits) => pair(what, cell[what].map((x) => el("span", {}, shortNumber(x, digits))));
    field.replaceChildren(short("logits", 1), pair("arrows", cell.arrows.map(arrow)), short("off", 2));
    if (cell.other !== cell.learns) field.append(el("i", { class: "ac-mining-other" }, cell.other ? "○" : "×"));
  }

  /** Where a pixel is, and what becomes of it. @param {number} i */
  where(i) {
    const { cells, columns } = this.drawn, output = OUTPUTS[Number(cells[i].text)];
    return `Row ${Math.floor(i / columns)}, column ${i % columns}, ${output}, ${stateText(cells[i])}`;
  }

  /** Show the numbers of a pixel in the panel. @param {number} at */
  read(at) {
    const cell = this.drawn.cells[at];
    this.fields.forEach((field, i) => {
      put(field, "tabindex", i === at ? 0 : -1);
      put(field, "aria-selected", i === at);
    });
    this.at = at;
    write(this.place, this.where(at));
    /** @param {string} name @param {(what: keyof PixelNumbers) => string} text */
    const row = (name, text) => el("tr", {}, el("th", { scope: "row" }, name),
      ...COLUMNS.map(([, what, role]) => el("td", { class: `ac-${role}` }, text(what))));
    const outputs = OUTPUTS.map((name, k) => row(`${k} ${name}`, (what) => number(cell[what][k])));
    this.rows.replaceChildren(...outputs, row("sum", (what) => (what === "logits" ? "" : number(total(cell[what])))));
  }

  /** @param {Event} event */
  chosen(event) {
    const field = closest(event, "td"), at = this.fields.findIndex((each) => each === field);
    if (at >= 0) this.read(at);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { columns } = this, row = Math.floor(this.at / columns), column = this.at % columns;
    const last = this.fields.length / columns - 1;
    const to = {
      ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1],
      ArrowDown: [row + 1, column], ArrowUp: [row - 1, column],
      Home: [row, 0], End: [row, columns - 1], PageUp: [0, column], PageDown: [last, column],
    }[event.key];
    if (!to || withModifier(event)) return;
    event.preventDefault();
    event.stopPropagation();
    this.fields[clamp(to[0], 0, last) * columns + clamp(to[1], 0, columns - 1)].focus();
  }
}

export const mining = rendering(MiningView);
