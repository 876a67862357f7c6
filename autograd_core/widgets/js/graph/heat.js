// A tensor as a map: the larger a number, the darker its cell; on request two hues tell the sign.

import { textButton } from "../kit/button.js";
import { clamp } from "../kit/clamp.js";
import { el, paragraph, put, write } from "../kit/dom.js";
import { cellOf, number, percent, shapeText } from "../kit/format.js";
import { ARROWS, withModifier } from "../kit/keys.js";
import { indexOf } from "./maps.js";

/** @import { Tensor } from "../kit/types.d.ts" */
/** @import { Place, TensorMap } from "./types.d.ts" */
/** @import { Maps } from "./maps.js" */

const MAP_WIDTH = 300, MAP_HEIGHT = 240, LARGEST_CELL = 24;     // CSS pixels
const WIDEST_TABLE = 6;                          // columns; up to so many the numbers stand in their cells
const MOST_IN_TABLE = 64;
const STRIPE = 6;                                // pixels; a cell smaller than that has no room for stripes
const OVER_DARK = 0.55;                          // a darker cell has light text

/** @typedef {"v" | "g"} Kind a value or a gradient */

/** @param {number} x */
const exact = (x) => String(cellOf(x)).replace("-", "−");

/**
 * What is drawn as a map: a tensor that stands at a place, under its name.
 * @typedef {{ name: string, kind: Kind, tensor: Tensor, place: Place }} Shown
 */

/**
 * A tensor's name, statistics and map.
 * @param {Shown} shown
 * @param {Maps} maps
 * @param {() => void} redraw
 */
export function heat(shown, maps, redraw) {
  const { name, kind, tensor, place } = shown, [shape, , norm] = tensor, map = maps.get(tensor, place);
  const title = el("div", { class: "ac-heat-name" }, el("span", { class: `ac-${kind}` }, name), ` ${shapeText(shape)}`);
  const texts = [["norm", number(norm)]];
  if (map && !("error" in map)) {
    texts.push(["min", number(cellOf(map.low))], ["max", number(cellOf(map.high))],
      ["zeros", percent(map.zeros)], ["nan", percent(map.nans)]);
  }
  const content = !map ? [paragraph("ac-waiting", "Its map is drawn while a kernel runs.")]
    : "error" in map ? [paragraph("ac-bad", map.error)] : new Heat(shown, map, maps, redraw).content();
  return el("div", { class: "ac-heat" }, title, facts(texts), ...content);
}

/** @param {string[][]} list of a name and a text each */
function facts(list) {
  return el("dl", { class: "ac-facts" }, ...list.map(([name, text]) => {
    const wrong = text === "nan" || text.endsWith("inf") || (name === "nan" && text !== "none");
    return el("div", {}, el("dt", {}, name), el("dd", wrong ? { class: "ac-bad" } : {}, text));
  }));
}

/** A map that is there, and the cell under the pointer or the cursor. */
class Heat {
  /**
   * @param {Shown} shown
   * @param {TensorMap} map
   * @param {Maps} maps
   * @param {() => void} redraw
   */
  constructor({ name, kind, tensor, place }, map, maps, redraw) {
    this.name = name;
    this.kind = kind;
    this.shape = tensor[0];
    this.place = place;
    this.map = map;
    this.maps = maps;
    this.redraw = redraw;
    /** Row and column of the cell that is read. @type {[number, number] | null} */
    this.cursor = null;
    const { block: [rows, columns] } = map;
    this.idle = rows * columns === 1 ? "" : `A cell is the largest of ${rows}×${columns}.`;
    this.output = el("output", { class: "ac-cell", "aria-live": "polite" }, this.idle);
    this.size = Math.max(2, Math.floor(Math.min(LARGEST_CELL, MAP_WIDTH / map.columns, MAP_HEIGHT / map.rows)));
    this.paper = el("canvas", {
      width: map.columns * this.size, height: map.rows * this.size,
      "data-key": `map ${place}`, tabindex: "0", role: "img",
      "aria-label": `Map of ${name}, ${map.rows} rows and ${map.columns} columns. The arrow keys read its cells.`,
      onpointermove: (event) => this.under(event), onpointerleave: () => this.leave(),
      onkeydown: (event) => this.key(event),
    });
  }

  content() {
    const { planes, columns, cells } = this.map, few = columns <= WIDEST_TABLE && cells.length <= MOST_IN_TABLE;
    if (!few) requestAnimationFrame(() => this.paint());
    return [...(planes > 1 ? [this.planeSlider()] : []), few ? this.table() : this.paper, this.foot()];
  }

  planeSlider() {
    const { planes, lead } = this.map, text = `[${lead.join(", ")}, :, :]`, key = String(this.place);
    const oninput = () => {
      this.maps.planes.set(key, Number(input.value));
      this.redraw();
    };
    const input = el("input", { type: "range", min: 0, max: planes - 1, value: this.maps.plane(this.place), oninput,
      "aria-label": `Plane of ${this.name}`, "aria-valuetext": text, "data-key": `plane ${key}` });
    return el("label", { class: "ac-plane" }, input, el("code", {}, text));
  }

  foot() {
    const sign = textButton("show sign", () => {
      this.maps.signed = !this.maps.signed;
      this.redraw();
    });
    put(sign, "aria-pressed", this.maps.signed);
    sign.dataset.key = `sign ${this.place}`;
    return el("div", { class: "ac-heat-foot" }, this.output, sign);
  }

  /**
   * How dark a number is, from 0 to 1, and in which hue.
   * @param {number} x
   * @returns {[number, string]}
   */
  tone(x) {
    const largest = Math.max(Math.abs(this.map.low), Math.abs(this.map.high)) || 1, value = this.kind === "v";
    const negative = this.maps.signed && x < 0;
    const hue = negative ? (value ? "series-3" : "series-2") : value ? "value" : "gradient-solid";
    return [Math.min(1, Math.abs(x) / largest), hue];
  }

  // ---- few numbers: each stands in its cell ----

  table() {
    const { rows, columns, cells } = this.map;
    const caption = el("caption", { class: "ac-hidden" }, `${this.name}, ${shapeText(this.shape)}`);
    const lines = Array.from({ length: rows }, (_, row) => cells.slice(row * columns, (row + 1) * columns));
    return el("table", { class: "ac-heat-table" }, caption, el("tbody", {},
      ...lines.map((line) => el("tr", {}, ...line.map((x) => this.cell(x))))));
  }

  /** @param {number} x */
  cell(x) {
    const text = number(cellOf(x));
    if (!Number.isFinite(x)) return el("td", { class: "ac-striped" }, text);
    const [dark, hue] = this.tone(x), style = `--ac-dark: ${Math.round(100 * dark)}%; --ac-hue: var(--ac-${hue})`;
    return el("td", { style, class: dark > OVER_DARK ? "ac-over" : "" }, text);
  }

  // ---- many: a picture, which a pointer and the arrow keys read ----

  /** The cell under a pointer; in a narrow panel cells are smaller than `size`. @param {PointerEvent} event */
  under({ offsetX: x, offsetY: y }) {
    const { paper, map: { rows, columns } } = this, cell = paper.clientWidth / columns;
    this.point(clamp(Math.floor(y / cell), 0, rows - 1), clamp(Math.floor(x / cell), 0, columns - 1));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const by = ARROWS[event.key], { rows, columns } = this.map;
    if (!by || event.shiftKey || withModifier(event)) return;
    event.preventDefault();
    event.stopPropagation();
    if (!this.cursor) return this.point(0, 0);
    const [row, column] = this.cursor;
    this.point(clamp(row + by[0], 0, rows - 1), clamp(column + by[1], 0, columns - 1));
  }

  /**
   * Read a cell.
   * @param {number} row
   * @param {number} column
   */
  point(row, column) {
    const x = this.map.cells[row * this.map.columns + column];
    const index = x === undefined ? null : indexOf(this.shape, this.map, row, column);
    if (index === null) return this.leave();
    this.cursor = [row, column];
    write(this.output, `[${index}] = ${exact(x)}`);
    this.paint();
  }

  leave() {
    this.cursor = null;
    write(this.output, this.idle);
    this.paint();
  }

  paint() {
    const pencil = this.paper.getContext("2d"), style = getComputedStyle(this.paper), { size, cursor } = this;
    if (!pencil) return;
    const { columns, cells } = this.map;
    /** @param {string} name */
    const colour = (name) => style.getPropertyValue(`--ac-${name}`);
    pencil.clearRect(0, 0, this.paper.width, this.paper.height);
    cells.forEach((x, i) => {
      const row = Math.floor(i / columns), column = i % columns;
      if (this.shape.length === 1 && indexOf(this.shape, this.map, row, column) === null) return;
      const [dark, hue] = Number.isFinite(x) ? this.tone(x) : [1, "error"];
      pencil.globalAlpha = dark;
      pencil.fillStyle = colour(hue);
      pencil.fillRect(column * size, row * size, size, size);
      if (Number.isFinite(x) || size < STRIPE) return;
      pencil.strokeStyle = colour("card");
      pencil.lineWidth = 1.5;
      pencil.stroke(new Path2D(`M${column * size} ${(row + 1) * size}l${size} ${-size}`));
    });
    pencil.globalAlpha = 1;
    if (!cursor) return;
    pencil.strokeStyle = colour("text");
    pencil.lineWidth = 2;
    pencil.strokeRect(cursor[1] * size - 1, cursor[0] * size - 1, size + 2, size + 2);
  }
}
