// One encoding for maps of numbers. The color shows the sign: positive is orange, negative is violet, and zero has the
// color of the card. The depth shows the size, on a scale that all compared maps share. kit/shade.py does the same.

import { el } from "./dom.js";
import { cellOf, number } from "./format.js";

const SMALLEST = 1000;                           // a number this many times below the end has a tenth of its depth
const STOPS = 4;                                 // colors of a ramp, without the color of the card
/** The depth from which white has more contrast than black in the light theme, and black than white in the dark one. */
const INK_TURNS = { value: [0.82, 0.585], positive: [0.925, 0.68], negative: [0.945, 0.68] };

/** In a target, nan is a place that no loss reads. @typedef {"value" | "gradient" | "target"} Kind */
/** @typedef {{ cells: ArrayLike<number>, columns: number, rows: number }} Plane */

/**
 * The end of a scale: the power of ten at or above the largest finite size, or 1 if all numbers are 0.
 * @param {Iterable<number>} numbers
 */
export function ceiling(numbers) {
  let largest = 0;
  for (const x of numbers) if (Number.isFinite(x)) largest = Math.max(largest, Math.abs(x));
  return largest ? Number(`1e${Math.ceil(Math.round(Math.log10(largest) * 1e9) / 1e9)}`) : 1;
}

/**
 * The depth of a gradient with its sign, from −1 to 1, logarithmic on a scale up to `end`.
 * @param {number} x
 * @param {number} end
 */
export const signed = (x, end) =>
  (Math.sign(x) * Math.log1p((Math.abs(x) * SMALLEST) / end)) / Math.log1p(SMALLEST);

/**
 * The two colors of the palette around a depth, and its distance from the first one. A value below 0 is grey.
 * @param {number} depth
 * @param {Kind} kind
 * @returns {[from: string, to: string, share: number]}
 */
function between(depth, kind) {
  if (kind !== "gradient" && depth < 0) return ["card", "masked", Math.min(-depth, 1)];
  const at = Math.min(Math.abs(depth), 1) * STOPS, below = Math.min(Math.floor(at), STOPS - 1);
  const name = kind !== "gradient" ? "value" : depth < 0 ? "negative" : "positive";
  return [below ? `${name}-${below}` : "card", `${name}-${below + 1}`, at - below];
}

/**
 * The color of a depth of at least 0, or of a gradient, as CSS from the page's palette, with a readable ink.
 * @param {number} depth
 * @param {Kind} kind
 */
export function cellStyle(depth, kind) {
  const [from, to, share] = between(depth, kind), size = Math.abs(depth);
  const [light, dark] = INK_TURNS[kind !== "gradient" ? "value" : depth < 0 ? "negative" : "positive"];
  const ink = `light-dark(${size < light ? "black" : "white"}, ${size < dark ? "white" : "black"})`;
  const mixed = `color-mix(in srgb, var(--ac-${to}) ${(100 * share).toFixed(1)}%, var(--ac-${from}))`;
  return `color: ${ink}; background: ${mixed}`;
}

/**
 * Draw a map on a canvas, one unsmoothed square for each number. Squares of nan and inf are striped, or empty in a
 * target.
 * @param {HTMLCanvasElement} paper
 * @param {Plane} plane
 * @param {(x: number) => number} depthOf
 * @param {Kind} kind
 */
export function drawMap(paper, { cells, columns, rows }, depthOf, kind) {
  const pencil = paper.getContext("2d"), style = getComputedStyle(paper), size = Math.floor(paper.width / columns);
  if (!pencil) return;
  /** @type {Map<string, number[]>} */
  const known = new Map();
  /** @param {string} name */
  const color = (name) => {
    const found = known.get(name) ?? rgb(style.getPropertyValue(`--ac-${name}`).trim());
    known.set(name, found);
    return found;
  };
  pencil.clearRect(0, 0, paper.width, paper.height);
  for (let i = 0; i < Math.min(rows * columns, cells.length); i += 1) {
    const x = (i % columns) * size, y = Math.floor(i / columns) * size, isKnown = Number.isFinite(cells[i]);
    if (!isKnown && kind === "target") continue;
    const [from, to, share] = isKnown ? between(depthOf(cells[i]), kind) : ["error-tint", "error-tint", 0];
    const end = color(to), mixed = color(from).map((part, k) => Math.round(part + share * (end[k] - part)));
    pencil.fillStyle = `rgb(${mixed.join(" ")})`;
    pencil.fillRect(x, y, size, size);
    if (isKnown) continue;
    pencil.strokeStyle = `rgb(${color("error").join(" ")})`;
    pencil.lineWidth = Math.max(1, size / 5);
    pencil.stroke(new Path2D(`M${x} ${y + size}l${size} ${-size}`));
  }
}

/** @param {string} hex */
const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

/**
 * The text below a map: its smallest and its largest number, and how many numbers are not zero.
 * @param {Iterable<number>} cells
 */
export function summary(cells) {
  const all = [...cells], known = all.filter(Number.isFinite), wrong = all.length - known.length;
  const count = known.filter((x) => x !== 0).length, ends = known.length ? [known, known].map((list, i) =>
    number(list.reduce((a, b) => (i ? Math.max(a, b) : Math.min(a, b))))) : ["", ""];
  const some = `${count.toLocaleString("en")} pixel${count === 1 ? "" : "s"}, all others 0`;
  return { low: ends[0], high: ends[1], count: wrong ? `${wrong} nan or inf` : !count ? "all zero"
    : count === all.length ? `all ${count.toLocaleString("en")} pixels` : some };
}

/** The class of a gradient, by its sign. @param {string} text */
export const signStyle = (text) => (text.startsWith("−") ? "ac-n" : text === "0" ? "ac-q" : "ac-g");

/**
 * The color scale of gradients up to `end`, with numbers, and the effect of a step on `what`.
 * @param {number} end
 * @param {string} [what]
 */
export function legend(end, what = "it") {
  const ticks = [-1, -0.1, -0.01, 0, 0.01, 0.1, 1].map((share) => {
    const text = number(cellOf(Number((share * end).toPrecision(1))));
    const left = `left: ${(50 * (1 + signed(share * end, end))).toFixed(2)}%`;
    return el("span", { class: signStyle(text), style: left }, text);
  });
  return el("div", { class: "ac-signs" }, el("b", { class: "ac-n" }, `− a step raises ${what}`),
    el("div", { class: "ac-scale" }, el("i"), ...ticks), el("b", { class: "ac-g" }, `+ a step lowers ${what}`));
}

/**
 * Call `draw` when the page changes its theme, because a canvas keeps its colors. Returns a function that ends this.
 * @param {() => void} draw
 */
export function onTheme(draw) {
  const system = matchMedia("(prefers-color-scheme: dark)"), body = new MutationObserver(draw);
  body.observe(document.body, { attributes: true });
  system.addEventListener("change", draw);
  return () => {
    body.disconnect();
    system.removeEventListener("change", draw);
  };
}
