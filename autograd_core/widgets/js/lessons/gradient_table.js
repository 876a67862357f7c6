// Losses by kernels: the controls of each loss stand above its column. Python sends norms, cosines and maps.

import { el, write } from "../kit/dom.js";
import { cellOf, number, real } from "../kit/format.js";
import { Live, rendering } from "../kit/live.js";

/** @import { Cell, LiveState, Model } from "../kit/types.d.ts" */

/** @typedef {"on" | "detached" | "off"} PlaceOfLoss */

/**
 * A map in shades from 0 to 255, row after row; of a pixel that is nan it is -1. Of a gradient, `zeros` pixels get
 * none.
 * @typedef {{ columns: number, low: Cell, high: Cell, shades: number[], zeros?: number }} ShadedMap
 */

/**
 * What Python sends: see lessons/widgets/gradient_table.py.
 * @typedef {object} TableDrawn
 * @property {string[]} losses
 * @property {string[]} kernels
 * @property {PlaceOfLoss[]} places
 * @property {number[]} weights
 * @property {Cell[][]} table the norm of each gradient: kernels by losses, and all losses at once
 * @property {Cell[]} trunk
 * @property {Cell[]} values
 * @property {Cell[]} parts
 * @property {Cell} apart
 * @property {[string, string, number | null][]} pairs
 * @property {(number | null)[]} sum
 * @property {ShadedMap[]} maps
 * @property {ShadedMap[]} gradients
 */

/** @typedef {LiveState & { drawn: TableDrawn }} TableState */
/** @typedef {"value" | "gradient"} Kind */

const PIXELS = 128;                              // of a map's picture, at least; the page scales it

/** Two digits are enough below a map. @param {Cell} x */
export const shortNumber = (x) => number(typeof x === "number" ? Number(x.toPrecision(2)) : x);

/**
 * What stands in a cell of the table, and how it is drawn.
 * @param {Cell} norm
 * @param {PlaceOfLoss | undefined} place of the loss; undefined for all losses at once
 * @param {boolean} isTrunk
 * @returns {{ text: string, look: "" | "off" | "nan" | "zero" }}
 */
export function cellOfTable(norm, place, isTrunk) {
  if (place === "off") return { text: "off", look: "off" };
  if (place === "detached" && isTrunk) return { text: "cut", look: "off" };
  return { text: number(norm), look: !Number.isFinite(real(norm)) ? "nan" : norm === 0 ? "zero" : "" };
}

/**
 * @param {string} name
 * @param {"row" | "col"} scope
 * @param {...(Node | string)} more
 */
const head = (name, scope, ...more) => el("th", { scope }, name, ...more);

/** A caption or a heading for those who do not see the controls above. @param {string} text */
const unseen = (text) => el("span", { class: "ac-gradients-unseen" }, text);

/** @extends {Live<TableState>} */
class GradientTable extends Live {
  /** @param {Model<TableState>} model */
  constructor(model) {
    super(model, "gradients");
    this.box.style.setProperty("--ac-losses", String(this.drawn.losses.length));
    this.table = el("table", { class: "ac-gradients-table" });
    this.difference = el("p", { class: "ac-gradients-note" });
    this.scalar = el("table", { class: "ac-gradients-scalar" });
    this.angles = el("table", { class: "ac-gradients-angles" });
    this.maps = el("table", { class: "ac-gradients-maps" });
    const places = el("p", { class: "ac-gradients-note" },
      el("b", {}, "Detached"), ": the kernels still learn, the trunk does not. ",
      el("b", {}, "Off"), ": left out of the sum.");
    /** @param {string} title @param {string} note @param {Node} content */
    const card = (title, note, content) => el("section", {}, el("h4", {}, title), el("p", {}, note), content);
    this.main.append(
      el("div", { class: "ac-gradients-card" }, this.controls.box, this.table, places, this.difference),
      el("div", { class: "ac-gradients-side" },
        card("The one scalar", "loss × weight", this.scalar),
        card("Who pulls the trunk apart?", "cosine of two gradients on the trunk", this.angles)),
      el("div", { class: "ac-gradients-pictures" }, this.maps));
  }

  draw() {
    this.drawTable();
    this.drawScalar();
    this.drawAngles();
    this.drawMaps();
  }

  drawTable() {
    const { losses, kernels, table, trunk, apart } = this.drawn;
    const largest = Math.max(...[...table.flat(), ...trunk].map(real).filter(Number.isFinite)) || 1;
    /** @param {string} name @param {Cell[]} norms */
    const line = (name, norms, isTrunk = false) => el("tr", { class: isTrunk ? "ac-gradients-trunk" : "" },
      head(name, "row"), ...norms.map((norm, i) => this.cell(norm, i, isTrunk, largest)));
    this.table.replaceChildren(
      el("caption", { class: "ac-gradients-unseen" }, "Norm of the gradient that a loss sends to a kernel"),
      el("thead", {}, el("tr", {}, el("td"), ...losses.map((name) => el("th", { scope: "col" }, unseen(name))),
        head("all at once", "col"))),
      el("tbody", {}, ...kernels.map((name, i) => line(name, table[i])), line("trunk, shared", trunk, true)));
    const difference = apart === 0 ? "no difference" : `at most ${number(apart)} apart`;
    write(this.difference, `One backward of the sum, and one for each loss, added up: ${difference}.`);
  }

  /**
   * @param {Cell} norm
   * @param {number} column
   * @param {boolean} isTrunk
   * @param {number} largest
   */
  cell(norm, column, isTrunk, largest) {
    const { text, look } = cellOfTable(norm, this.drawn.places[column], isTrunk);
    const style = look ? "" : `--ac-share: ${Math.sqrt(real(norm) / largest).toFixed(4)}`;
    const shown = el("div", { class: `ac-gradients-cell${look ? ` ac-gradients-${look}` : ""}`, style }, text);
    return el("td", { title: String(norm) }, shown);
  }

  drawScalar() {
    const { losses, places, values, weights, parts } = this.drawn;
    const rows = losses.map((name, i) => {
      const off = places[i] === "off", factor = el("td", { class: "ac-q" }, off ? "off" : `× ${number(weights[i])}`);
      return el("tr", { class: off ? "ac-gradients-left-out" : "" }, head(name, "row"),
        el("td", {}, number(values[i])), factor, el("td", {}, number(parts[i])));
    });
    const total = cellOf(parts.map(real).reduce((a, b) => a + b, 0));
    this.scalar.replaceChildren(el("tbody", {}, ...rows, el("tr", { class: "ac-gradients-total" },
      head("total", "row"), el("td"), el("td"), el("td", {}, number(total)))));
  }

  drawAngles() {
    const { losses, sum, pairs } = this.drawn;
    /** @param {string} title @param {Node[]} rows */
    const group = (title, rows) => el("tbody", {},
      el("tr", {}, el("th", { scope: "rowgroup", colspan: 3 }, title)), ...rows);
    this.angles.replaceChildren(group("each with the sum", losses.map((name, i) => angle(name, sum[i]))),
      group("each with each", pairs.map(([a, b, cosine]) => angle(`${a}, ${b}`, cosine))));
  }

  drawMaps() {
    const { kernels, maps, gradients } = this.drawn;
    /** @param {Kind} kind @param {string} title @param {string} note @param {ShadedMap[]} all */
    const line = (kind, title, note, all) => el("tr", { class: `ac-gradients-${kind}` },
      head(title, "row", el("small", {}, note)),
      ...all.map((map, i) => el("td", {}, mapOf(map, kind, kernels[i]), endsOf(map))));
    this.maps.replaceChildren(
      el("caption", { class: "ac-gradients-unseen" }, "What the kernels put out, and the gradient of the sum for it"),
      el("thead", {}, el("tr", {}, el("td"), ...kernels.map((name) => head(name, "col")))),
      el("tbody", {}, line("value", "output map", "each from its least to its greatest", maps),
        line("gradient", "gradient", "its size, each to its own greatest", gradients)));
  }
}

/**
 * @param {string} name
 * @param {number | null} cosine null where a gradient has no direction
 */
function angle(name, cosine) {
  const size = Math.abs(cosine ?? 0), against = cosine !== null && cosine < 0;
  const style = `width: ${(50 * size).toFixed(1)}%; ${against ? "right" : "left"}: 50%`;
  const colour = against ? "ac-gradients-against" : "", look = cosine === null ? "ac-q" : colour;
  const bar = el("div", { class: "ac-gradients-bar" }, el("i", { class: colour, style }));
  const text = cosine === null ? "no angle" : number(Number(cosine.toFixed(2)));
  return el("tr", {}, head(name, "row"), el("td", { "aria-hidden": "true" }, bar), el("td", { class: look }, text));
}

/** The scale beneath a map. @param {ShadedMap} map */
function endsOf({ low, high }) {
  const ends = [low, high].map((x) => el("span", { title: String(x) }, shortNumber(x)));
  return el("div", { class: "ac-gradients-ends" }, ...ends);
}

/**
 * A map. Its shades are a mask over the colour of its row, so that it follows the theme.
 * @param {ShadedMap} map
 * @param {Kind} kind
 * @param {string} name
 */
function mapOf({ columns, low, high, shades, zeros }, kind, name) {
  if (zeros === shades.length) return el("div", { class: "ac-gradients-map ac-gradients-off" }, "all zero");
  const nothing = zeros === undefined ? "" : `, exactly 0 at ${zeros} of ${shades.length} pixels`;
  const label = `${kind} of ${name}, from ${number(low)} to ${number(high)}${nothing}`;
  const ink = el("i"), mask = `url(${painted(shades, columns)})`;
  Object.assign(ink.style, { maskImage: mask, webkitMaskImage: mask });
  return el("div", { class: "ac-gradients-map", role: "img", "aria-label": label }, ink);
}

/**
 * Shades as the address of a picture.
 * @param {number[]} shades
 * @param {number} columns
 */
function painted(shades, columns) {
  const rows = shades.length / columns, size = Math.ceil(PIXELS / columns);
  const paper = el("canvas", { width: columns * size, height: rows * size }), pencil = paper.getContext("2d");
  shades.forEach((shade, i) => {
    if (!pencil) return;
    pencil.globalAlpha = shade < 0 ? 1 : shade / 255;
    pencil.fillRect((i % columns) * size, Math.floor(i / columns) * size, size, size);
  });
  return paper.toDataURL();
}

export const gradientTable = rendering(GradientTable);
