// A mask painted on a grid, beside what each way of masking makes of it. Python computes; here the reader paints.

import { button } from "../kit/button.js";
import { clamp } from "../kit/clamp.js";
import { all, closest, el, put, redraw, uniqueId, write } from "../kit/dom.js";
import { cellAfter, cellUnder } from "../kit/grid.js";
import { withModifier } from "../kit/keys.js";
import { Live, rendering } from "../kit/live.js";

/** @import { GridCell } from "../kit/grid.js" */
/** @import { Model } from "../kit/types.d.ts" */
/** @import { Paint, PaintState } from "./types.d.ts" */

/** @typedef {"mask" | "erase" | "nan" | "inf" | "log 0"} Tool */

/** Key, what it paints, what is told before it, its swatch. */
/** @type {[key: string, tool: Tool, before: string, swatch: string][]} */
const TOOLS = [
  ["M", "mask", "", "mask"], ["E", "erase", "", "erase"], ["L", "log 0", "poison: ", "poison"],
  ["N", "nan", "poison: ", "poison"], ["I", "inf", "poison: ", "poison"],
];
/** What the colours of a cell mean. */
const KEY = [["value", "left: loss of each pixel"], ["gradient", "right: gradient +, a step lowers x"],
  ["negative", "gradient −, a step raises x"], ["masked", "exactly 0"], ["unused", "not in the sum"],
  ["poison", "nan or inf"]];

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

/** @param {string} look */
const swatchOf = (look) => el("i", { class: `ac-paint-swatch ac-paint-swatch-${look}` });

/** @extends {Live<PaintState>} */
class PaintView extends Live {
  /** @param {Model<PaintState>} model */
  constructor(model) {
    super(model, "paint");
    this.first = this.drawn.cells;
    this.cells = this.first;
    /** The cells on the page. @type {SVGElement[]} */
    this.fields = [];
    /** The cell that the keyboard is at. */
    this.at = 0;
    /** What the stroke that is being painted does. @type {((cell: Paint) => Paint) | null} */
    this.stroke = null;
    const name = uniqueId();
    this.tools = TOOLS.map(([, tool, before]) => el("input", { type: "radio", name, value: tool,
      "aria-label": before + tool }));
    this.tools[0].checked = true;
    this.grid = el("div", {
      class: "ac-paint-grid", onfocusin: ({ target }) => this.entered(target),
      onpointerdown: (event) => this.press(event), onpointermove: (event) => this.drag(event),
      onpointerup: () => { this.stroke = null; }, onpointercancel: () => { this.stroke = null; },
    });
    this.rows = this.columns = 1;
    const palette = el("div", { class: "ac-paint-tools", role: "radiogroup", "aria-label": "What painting does" },
      ...TOOLS.map(([key, tool, , swatch], i) => el("label", {}, this.tools[i], swatchOf(swatch), tool,
        el("kbd", {}, key))));
    this.status = el("p", { class: "ac-paint-status", "aria-live": "polite" });
    const empty = this.action("empty the mask", () => this.cells.map(([, poison]) => [false, poison]));
    const again = this.action("start again", () => this.first);
    this.aside = el("div", { class: "ac-paint-aside", onkeydown: (event) => this.key(event) },
      el("div", {}, "input x: paint here"), this.grid, palette,
      el("div", { class: "ac-paint-actions" }, empty, again), this.status);
    this.cards = el("div", { class: "ac-paint-cards",
      onpointerover: (event) => this.point(event), onpointerleave: () => this.tell() });
    this.scale = el("span", { class: "ac-paint-scale" });
    this.controls.box.append(this.scale, el("p", { class: "ac-paint-key" },
      ...KEY.map(([look, word]) => el("span", {}, swatchOf(look), word))));
    this.main.append(this.aside, el("div", { class: "ac-paint-ways" }, this.controls.box, this.cards));
    /** @param {Event} event */
    this.scrolled = ({ target }) => this.stay(target);
    document.addEventListener("scroll", this.scrolled, { capture: true, passive: true });
  }

  gone() { document.removeEventListener("scroll", this.scrolled, { capture: true }); }

  /** Keep the painter in sight: JupyterLab puts a box that could scroll around each output, so "sticky" does not.
   * @param {EventTarget | null} room that was scrolled */
  stay(room) {
    if (!(room instanceof Node && room.contains(this.box))) return;
    const { top, height } = this.main.getBoundingClientRect(), { aside } = this;
    const above = (room instanceof Element ? room.getBoundingClientRect().top : 0) - top;
    aside.style.top = `${clamp(above, 0, Math.max(0, height - aside.offsetHeight - 20))}px`;
  }

  // ---- what Python sent ----

  draw() {
    const { grid, cards, cells, end } = this.drawn;
    write(this.scale, `gradients: one scale up to ${end}, larger ones clipped`);
    redraw(this.grid, grid);
    redraw(this.cards, cards);
    this.fields = all(this.grid, '[role="gridcell"]');
    this.rows = this.grid.querySelectorAll('[role="row"]').length;
    this.columns = cells.length / this.rows;
    if (!this.controls.busy) this.cells = cells;              // else the reader is ahead of Python
    this.show();
  }

  /** @param {string} error */
  answered(error) {
    super.answered(error);
    if (this.controls.busy) return;
    this.cells = this.drawn.cells;
    this.show();
  }

  /** A cell that the reader has painted stands out until Python has drawn it. */
  show() {
    const { cells } = this.drawn;
    this.cells.forEach(([masked, poison], i) => {
      const drawn = masked === cells[i][0] && poison === cells[i][1];
      this.fields[i].classList.toggle("ac-paint-touched", !drawn);
      put(this.fields[i], "tabindex", i === this.at ? 0 : -1);
    });
    this.tell();
  }

  tell() { write(this.status, this.fields[this.at].getAttribute("aria-label") ?? ""); }

  /** Tell both numbers of the cell that is pointed at on a card. @param {PointerEvent} event */
  point(event) {
    const cell = closest(event, '[data-part="cells"] > rect'), { columns } = this;
    const card = cell?.closest("svg[aria-label]");
    if (!cell || !card) return this.tell();
    const i = [...cell.parentElement?.children ?? []].indexOf(cell), row = Math.floor(i / columns);
    const [loss, gradient] = all(card, '[data-part="cells"]').map((map) => map.children[i].textContent);
    const place = `row ${row}, column ${i % columns}, ${this.cells[i][0] ? "in" : "outside"} the mask`;
    write(this.status, `${card.getAttribute("aria-label")}: ${place}: loss ${loss}, gradient ${gradient}`);
  }

  // ---- painting ----

  /**
   * @param {string} label
   * @param {() => Paint[]} cells
   */
  action(label, cells) {
    return button(label, label, () => {
      this.cells = cells();
      this.painted();
    });
  }

  /** What a stroke does that begins at a cell. @param {number} i */
  brush(i) {
    const tool = /** @type {Tool} */ (this.tools.find(({ checked }) => checked)?.value);
    return brushOf(tool, this.cells[i]);
  }

  /**
   * @param {number} i
   * @param {(cell: Paint) => Paint} brush
   */
  paint(i, brush) {
    const before = this.cells[i], after = brush(before);
    if (after[0] === before[0] && after[1] === before[1]) return;
    this.cells = this.cells.with(i, after);
    this.painted();
  }

  painted() {
    this.show();
    this.controls.want("cells", this.cells);
  }

  /** The cell under a pointer. @param {PointerEvent} event */
  under(event) { return this.indexOf(cellUnder(event, this.grid, [this.rows, this.columns])); }

  /** @param {GridCell} cell */
  indexOf([row, column]) { return row * this.columns + column; }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button) return;
    event.preventDefault();
    this.grid.setPointerCapture(event.pointerId);
    const i = this.under(event), stroke = this.brush(i);
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

  /** A cell has the focus. @param {EventTarget | null} cell */
  entered(cell) {
    const at = this.fields.findIndex((field) => field === cell);
    if (!this.stroke && at >= 0) this.move(at);
  }

  /** @param {number} i */
  move(i) {
    put(this.fields[this.at], "tabindex", -1);
    this.at = i;
    put(this.fields[i], "tabindex", 0);
    if (document.activeElement !== this.fields[i]) this.fields[i].focus({ preventScroll: true });
    this.tell();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (withModifier(event) || !(event.target instanceof HTMLElement || event.target instanceof SVGElement)) return;
    const { key, target } = event, { at, rows, columns } = this, inGrid = this.grid.contains(target);
    const tool = TOOLS.findIndex(([letter]) => letter === key.toUpperCase());
    const to = inGrid && cellAfter(event, [at / columns, at % columns], [rows, columns]);
    if (tool >= 0) this.tools[tool].checked = true;
    else if (to) this.move(this.indexOf(to));
    else if ((key === " " || key === "Enter") && inGrid) this.paint(at, this.brush(at));
    else return;
    event.preventDefault();
  }
}

export const paint = rendering(PaintView);
