// A mask painted on a grid, beside what each way of masking makes of it. Python computes; here the reader paints.

import { clamp } from "../kit/clamp.js";
import { el, put, svg, write } from "../kit/dom.js";
import { ARROWS, withModifier } from "../kit/keys.js";
import { Live, rendering } from "../kit/live.js";

/** @import { LiveState, Model } from "../kit/types.d.ts" */

/** What a cell of a map looks like: its kind, its text, its number in full, and how dark it is from 0 to 1. */
/** @typedef {[kind: string, text: string, exact: string, dark: number]} Look */
/** What the reader painted on a cell: whether it is in the mask, and its poison or "". */
/** @typedef {[masked: boolean, poison: string]} Paint */
/** @typedef {"clean" | "hidden" | "broken"} Mark */

/**
 * A way of masking, and what came of it.
 * @typedef {object} Card
 * @property {string} way
 * @property {Look[][]} losses
 * @property {Look[][]} gradients
 * @property {[name: string, text: string, role: string][]} numbers
 * @property {string} added how the losses were added up
 * @property {Mark} mark
 * @property {string} verdict
 */

/** @typedef {LiveState & { drawn: { x: Look[][], cells: Paint[], cards: Card[] } }} PaintState */
/** @typedef {"mask" | "erase" | "nan" | "inf" | "log 0"} Tool */

/** Key, what it paints, its label, its swatch. @type {[string, Tool, string, string][]} */
const TOOLS = [
  ["M", "mask", "mask: let it learn", "mask"], ["E", "erase", "erase", "erase"],
  ["N", "nan", "poison: nan", "poison"], ["I", "inf", "poison: inf", "poison"],
  ["L", "log 0", "poison: log 0", "poison"],
];
const MARKS = { clean: "✓", hidden: "!", broken: "✕" };
const OVER_DARK = 0.58, OVER_BOTH = 0.8;         // a darker cell has light text: in the dark theme, in both

/**
 * What a stroke that begins at a cell puts into every cell that it meets: what is there already is taken away.
 * @param {Tool} tool
 * @param {Paint} first
 * @returns {(cell: Paint) => Paint}
 */
export function brushOf(tool, [masked, poison]) {
  if (tool === "erase") return () => [false, ""];
  if (tool === "mask") return ([, kept]) => [!masked, kept];
  return ([kept]) => [kept, poison === tool ? "" : tool];
}

/**
 * The outline of the mask as an SVG path, a cell being 1 × 1.
 * @param {Paint[]} cells
 * @param {number} rows
 * @param {number} columns
 */
export function outlineOf(cells, rows, columns) {
  /** @param {number} r @param {number} c */
  const masked = (r, c) => r >= 0 && c >= 0 && r < rows && c < columns && cells[r * columns + c][0];
  let sides = "";
  for (let r = 0; r <= rows; r++) {
    for (let c = 0; c <= columns; c++) {
      if (masked(r, c) !== masked(r - 1, c)) sides += `M${c} ${r}h1`;
      if (masked(r, c) !== masked(r, c - 1)) sides += `M${c} ${r}v1`;
    }
  }
  return sides;
}

/**
 * @param {HTMLElement} cell
 * @param {Look} look
 */
function dress(cell, [kind, text, exact, dark]) {
  const over = dark > OVER_BOTH ? " ac-paint-over" : dark > OVER_DARK ? " ac-paint-between" : "";
  put(cell, "class", `ac-paint-${kind}${over}`);
  put(cell, "style", `--ac-dark: ${Math.round(100 * dark)}%`);
  write(cell, text);
  put(cell, "title", exact);
}

/** @param {Paint[]} cells @returns {Paint[]} */
const copy = (cells) => cells.map(([masked, poison]) => [masked, poison]);

/** @extends {Live<PaintState>} */
class PaintView extends Live {
  /** @param {Model<PaintState>} model */
  constructor(model) {
    super(model, "paint");
    const { x, cells } = this.drawn;
    this.rows = x.length;
    this.columns = x[0].length;
    this.first = cells;
    this.cells = copy(cells);
    /** The cell that the keyboard is at. */
    this.at = 0;
    /** What the stroke that is being painted does. @type {((cell: Paint) => Paint) | null} */
    this.stroke = null;
    /** @type {Tool} */
    this.tool = "mask";
    this.tools = new Map(TOOLS.map(([key, tool, label, swatch]) => [tool, this.toolButton(key, tool, label, swatch)]));
    this.fields = x.flat().map((look, i) => this.field(look, i));
    const label = "Input x. The arrow keys move, space paints.";
    this.grid = this.table(label, this.fields);
    put(this.grid, "role", "grid");
    const palette = el("div", { class: "ac-paint-tools", role: "radiogroup", "aria-label": "What painting does" },
      ...this.tools.values());
    this.status = el("p", { class: "ac-paint-status", "aria-live": "polite" });
    const empty = this.action("empty the mask", () => this.cells.map(([, poison]) => [false, poison]));
    const again = this.action("start again", () => this.first);
    const hands = el("div", { class: "ac-paint-hands" }, palette,
      el("div", { class: "ac-paint-actions" }, empty, again), this.status);
    this.aside = el("div", { class: "ac-paint-aside" }, el("div", { class: "ac-v" }, "input x: paint here"),
      this.framed(this.grid), hands);
    this.cards = el("div", { class: "ac-paint-cards" });
    this.main.append(this.aside, this.cards);
    this.choose("mask");
    this.aside.addEventListener("keydown", (event) => this.key(event));
    this.grid.addEventListener("pointerdown", (event) => this.press(event));
    this.grid.addEventListener("pointermove", (event) => this.drag(event));
    this.grid.addEventListener("pointerup", () => { this.stroke = null; });
    this.grid.addEventListener("pointercancel", () => { this.stroke = null; });
  }

  // ---- tables of cells, each framed by the outline of the mask ----

  /**
   * @param {string} label
   * @param {HTMLElement[]} cells
   */
  table(label, cells) {
    const rows = Array.from({ length: this.rows }, (_, r) => cells.slice(r * this.columns, (r + 1) * this.columns));
    return el("table", { "aria-label": label }, ...rows.map((row) => el("tr", {}, ...row)));
  }

  /** A cell to paint on. @param {Look} look @param {number} i */
  field(look, i) {
    const field = el("td", { role: "gridcell" });
    dress(field, look);
    field.addEventListener("focus", () => { if (!this.stroke) this.move(i); });
    return field;
  }

  /** @param {HTMLElement} table */
  framed(table) {
    const viewBox = `0 0 ${this.columns} ${this.rows}`;
    const line = svg("svg", { preserveAspectRatio: "none", "aria-hidden": "true", viewBox }, svg("path"));
    return el("div", { class: "ac-paint-frame" }, table, line);
  }

  // ---- what Python sent ----

  draw() {
    const { cells, cards } = this.drawn;
    this.cards.replaceChildren(...cards.map((card) => this.card(card)));
    if (!this.controls.busy) this.cells = copy(cells);        // else the reader is ahead of Python
    this.show();
  }

  /** @param {Card} card */
  card({ way, losses, gradients, numbers, added, mark, verdict }) {
    /** @param {string} name @param {string} role @param {Look[][]} rows @param {...Node} below */
    const map = (name, role, rows, ...below) => {
      const cells = rows.flat().map((look) => {
        const cell = el("td");
        dress(cell, look);
        return cell;
      });
      return el("div", { class: `ac-paint-map ac-paint-${role}` }, el("div", { "aria-hidden": "true" }, name),
        this.framed(this.table(`${way}: ${name}`, cells)), ...below);
    };
    const list = numbers.map(([name, text, role]) =>
      el("div", {}, el("dt", {}, name), el("dd", { class: `ac-paint-${role}` }, text)));
    const sign = el("span", { class: "ac-paint-mark", "aria-hidden": "true" }, MARKS[mark]);
    return el("section", { class: `ac-paint-card ac-paint-${mark}`, "aria-label": way },
      el("h4", {}, sign, el("code", {}, way)),
      el("div", { class: "ac-paint-row" },
        map("loss of each cell", "value", losses, el("div", { class: "ac-paint-added" }, added)),
        map("gradient, ∂ loss / ∂ x", "gradient", gradients), el("dl", {}, ...list)),
      el("p", { class: "ac-paint-verdict" }, verdict));
  }

  show() {
    const looks = this.drawn.x.flat();
    this.cells.forEach(([masked, poison], i) => {
      const field = this.fields[i];
      dress(field, poison ? ["bad", poison, poison, 1] : looks[i]);
      put(field, "aria-selected", masked);
      put(field, "aria-label", this.sentence(i));
      put(field, "tabindex", i === this.at ? 0 : -1);
    });
    write(this.status, this.sentence(this.at));
    const outline = outlineOf(this.cells, this.rows, this.columns);
    for (const path of this.main.querySelectorAll(".ac-paint-frame path")) put(path, "d", outline);
  }

  /** @param {number} i */
  sentence(i) {
    const [masked, poison] = this.cells[i], row = Math.floor(i / this.columns), column = i % this.columns;
    const value = poison ? `poisoned: ${poison}` : `x = ${this.drawn.x[row][column][2]}`;
    return `Row ${row}, column ${column}: ${value}, ${masked ? "in the mask" : "outside the mask"}.`;
  }

  // ---- painting ----

  /**
   * @param {string} key
   * @param {Tool} tool
   * @param {string} label
   * @param {string} swatch
   */
  toolButton(key, tool, label, swatch) {
    const made = el("button", { type: "button", role: "radio", class: "ac-button ac-paint-tool", "data-tool": tool },
      el("i", { class: `ac-paint-swatch ac-paint-swatch-${swatch}` }), el("span", {}, label), el("kbd", {}, key));
    made.addEventListener("click", () => this.choose(tool));
    return made;
  }

  /**
   * @param {string} label
   * @param {() => Paint[]} cells
   */
  action(label, cells) {
    const made = el("button", { type: "button", class: "ac-button" }, label);
    made.addEventListener("click", () => {
      this.cells = copy(cells());
      this.painted();
    });
    return made;
  }

  /** @param {Tool} tool */
  choose(tool) {
    for (const [each, made] of this.tools) {
      put(made, "aria-checked", each === tool);
      put(made, "tabindex", each === tool ? 0 : -1);
    }
    this.tool = tool;
  }

  /**
   * @param {number} i
   * @param {(cell: Paint) => Paint} brush
   */
  paint(i, brush) {
    const before = this.cells[i], after = brush(before);
    if (after[0] === before[0] && after[1] === before[1]) return;
    this.cells[i] = after;
    this.painted();
  }

  painted() {
    this.show();
    this.controls.want("cells", copy(this.cells));
  }

  /** The cell under a pointer. @param {PointerEvent} event */
  under(event) {
    const { left, top, width, height } = this.grid.getBoundingClientRect(), { rows, columns } = this;
    const row = clamp(Math.floor(((event.clientY - top) / height) * rows), 0, rows - 1);
    return row * columns + clamp(Math.floor(((event.clientX - left) / width) * columns), 0, columns - 1);
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button) return;
    event.preventDefault();
    this.grid.setPointerCapture(event.pointerId);
    const i = this.under(event), stroke = brushOf(this.tool, this.cells[i]);
    this.stroke = stroke;
    this.paint(i, stroke);
    this.move(i);
  }

  /** @param {PointerEvent} event */
  drag(event) {
    if (!this.stroke) return;
    const met = event.getCoalescedEvents?.() ?? [];            // Safari has it from 18.2 on
    for (const each of met.length ? met : [event]) this.paint(this.under(each), this.stroke);
    this.move(this.under(event));
  }

  /** @param {number} i */
  move(i) {
    put(this.fields[this.at], "tabindex", -1);
    this.at = i;
    put(this.fields[i], "tabindex", 0);
    if (document.activeElement !== this.fields[i]) this.fields[i].focus({ preventScroll: true });
    write(this.status, this.sentence(i));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (withModifier(event) || !(event.target instanceof HTMLElement)) return;
    const { key, target } = event, arrow = ARROWS[key], inGrid = this.grid.contains(target);
    const tool = TOOLS.find(([letter]) => letter === key.toUpperCase())?.[1];
    if (tool) this.choose(tool);
    else if (arrow && inGrid) this.step(arrow);
    else if (arrow && target.dataset.tool) this.turn(arrow[0] + arrow[1]);
    else if ((key === " " || key === "Enter") && inGrid) this.paint(this.at, brushOf(this.tool, this.cells[this.at]));
    else return;
    event.preventDefault();
  }

  /** @param {[number, number]} by */
  step([down, right]) {
    const row = clamp(Math.floor(this.at / this.columns) + down, 0, this.rows - 1);
    this.move(row * this.columns + clamp((this.at % this.columns) + right, 0, this.columns - 1));
  }

  /** Choose the next tool. @param {number} by */
  turn(by) {
    const all = [...this.tools.keys()], tool = all[(all.indexOf(this.tool) + by + all.length) % all.length];
    this.choose(tool);
    this.tools.get(tool)?.focus();
  }
}

export const paint = rendering(PaintView);
