// A tensor as a map: a value the darker the larger it is, a gradient by its sign and size (kit/shade.js).

import { el, paragraph, write } from "../kit/dom.js";
import { cellOf, number, percent, shapeText } from "../kit/format.js";
import { cellAfter, cellUnder } from "../kit/grid.js";
import { ceiling, cellStyle, drawMap, legend, signed } from "../kit/shade.js";
import { indexOf } from "./maps.js";

/** @import { GridCell, Size } from "../kit/grid.js" */
/** @import { Tensor } from "../kit/types.d.ts" */
/** @import { Place, TensorMap } from "./types.d.ts" */
/** @import { Maps } from "./maps.js" */

const MAP_WIDTH = 300, MAP_HEIGHT = 240, LARGEST_CELL = 24;     // CSS pixels
const WIDEST_TABLE = 6;                          // columns; up to so many the numbers stand in their cells
const MOST_IN_TABLE = 64;

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
    /** @type {"value" | "gradient"} */
    this.kind = kind === "g" ? "gradient" : "value";
    /** The end of a gradient's scale. */
    this.end = ceiling([map.low, map.high]);
    this.shape = tensor[0];
    this.place = place;
    this.map = map;
    this.maps = maps;
    this.redraw = redraw;
    /** The cell that is read. @type {GridCell | null} */
    this.cursor = null;
    const { block: [rows, columns] } = map;
    this.idle = rows * columns === 1 ? "" : `A cell is the largest of ${rows}×${columns}.`;
    this.output = el("output", { class: "ac-cell", "aria-live": "polite" }, this.idle);
    this.pixels = Math.max(2, Math.floor(Math.min(LARGEST_CELL, MAP_WIDTH / map.columns, MAP_HEIGHT / map.rows)));
    this.paper = el("canvas", {
      width: map.columns * this.pixels, height: map.rows * this.pixels,
      "data-key": `map ${place}`, tabindex: "0", role: "img",
      "aria-label": `Map of ${name}, ${map.rows} rows and ${map.columns} columns. The arrow keys read its cells.`,
      onpointermove: (event) => this.point(cellUnder(event, this.paper, this.size)), onpointerleave: () => this.leave(),
      onkeydown: (event) => this.key(event),
    });
  }

  /** @returns {Size} */
  get size() { return [this.map.rows, this.map.columns]; }

  content() {
    const { planes, columns, cells } = this.map, few = columns <= WIDEST_TABLE && cells.length <= MOST_IN_TABLE;
    if (!few) requestAnimationFrame(() => this.paint());
    return [...(planes > 1 ? [this.planeSlider()] : []), few ? this.table() : this.paper, this.output,
      ...(this.kind === "gradient" ? [legend(this.end)] : [])];
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

  /** @param {number} x how deep its color is */
  depth(x) {
    const { low, high } = this.map;
    return this.kind === "gradient" ? signed(x, this.end) : (x - low) / (high - low || 1);
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
    return el("td", { style: cellStyle(this.depth(x), this.kind) }, text);
  }

  // ---- many: a picture, which a pointer and the arrow keys read ----

  /** @param {KeyboardEvent} event */
  key(event) {
    const to = event.shiftKey ? null : cellAfter(event, this.cursor ?? [-1, -1], this.size);
    if (!to) return;
    event.stopPropagation();
    this.point(to);
  }

  /** Read a cell. @param {GridCell} cell */
  point([row, column]) {
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
    const { paper, map, shape, pixels, cursor } = this;
    const cells = map.cells.filter((_, i) =>
      shape.length > 1 || indexOf(shape, map, Math.floor(i / map.columns), i % map.columns) !== null);
    drawMap(paper, { ...map, cells }, (x) => this.depth(x), this.kind);
    const pencil = paper.getContext("2d");
    if (!cursor || !pencil) return;
    pencil.strokeStyle = getComputedStyle(paper).getPropertyValue("--ac-text");
    pencil.lineWidth = 2;
    pencil.strokeRect(cursor[1] * pixels - 1, cursor[0] * pixels - 1, pixels + 2, pixels + 2);
  }
}
