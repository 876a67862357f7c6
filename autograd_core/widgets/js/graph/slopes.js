// The loss along each slider: its curve, the place of the slider, and the tangent, whose slope is `.grad`. All plots
// share both axes, so tangents rank as gradients do.

import { button } from "../kit/button.js";
import { clamp } from "../kit/clamp.js";
import { el, put, redraw, write } from "../kit/dom.js";
import { number } from "../kit/format.js";
import { NEEDS } from "../kit/page.js";

/** @import { Controls, Field } from "../kit/controls.js" */
/** @import { Model, SliderControl } from "../kit/types.d.ts" */
/** @import { GraphState, Slope } from "./types.d.ts" */

/** @typedef {[x: number, y: number]} Point */
/** @typedef {{ low: number, high: number, bottom: number, top: number }} Axes what all plots share */

export const PLOT = { left: 34, right: 10, above: 8, height: 200, below: 40 };      // CSS pixels
const THUMB = 16;                                // pixels: below the plot, the middle of the slider
const RUN = 0.5;                                 // of a tangent, to either side, and of its triangle
const CLEAR = 1.1;                               // 10 % more than what the axis has to show
const NARROW = 170, LETTER = 7.2, HIGH = 11;                   // pixels of a label
const HOLD = "Press a nudge: the dot follows the curve, and a ring follows the line.";
const LEAST_SPAN = 0.2;                          // of losses; below that the axis has fractions

/** A change with four digits, because three decimals may be too few. @param {number} x */
export const change = (x) => (x > 0 ? "+" : "") + String(Number(x.toPrecision(4))).replaceAll("-", "−");

/** The gradient, if it is a number. @param {Slope} slope */
const slant = ({ grad }) => (typeof grad === "number" ? grad : null);

/** The curve at a place, read between its points. @param {Slope} slope @param {number} x */
function curveAt({ low, high, curve }, x) {
  const at = ((x - low) / (high - low)) * (curve.length - 1), i = Math.floor(at);
  const left = curve[i] ?? null, right = curve[i + 1] ?? left;
  return left === null || right === null ? null : left + (right - left) * (at - i);
}

/**
 * The axes: the smallest whole number that clears every dot, ring and end of a tangent. A curve may leave them.
 * @param {Slope[]} slopes
 * @param {number[]} nudges of each leaf
 * @returns {Axes}
 */
export function axesOf(slopes, nudges) {
  const shown = slopes.flatMap((slope, i) => {
    const { at, loss, why } = slope, grad = slant(slope);
    if (loss === null || why) return [];
    const reach = Math.max(RUN, nudges[i]);
    return [loss, ...[-1, 1].flatMap((side) => [
      curveAt(slope, at + side * nudges[i]), loss + side * (grad ?? 0) * reach])];
  }).filter((y) => y !== null);
  const [low, high] = [Math.min(...slopes.map((each) => each.low)), Math.max(...slopes.map((each) => each.high))];
  if (!shown.length) return { low, high, bottom: 0, top: 1 };
  const least = Math.min(...shown), most = Math.max(...shown), span = most - least;
  const unit = span >= LEAST_SPAN || !span ? 1 : 10 ** Math.floor(Math.log10(span));
  const bottom = Math.min(0, Math.floor((least * CLEAR) / unit) * unit);
  const top = Math.max(0, Math.ceil((most * CLEAR) / unit) * unit);
  return { low, high, bottom, top: top > bottom ? top : bottom + unit };
}

/**
 * The numbers at an axis: 1, 2 or 5 apart, or ten times that.
 * @param {number} from
 * @param {number} to
 * @param {number} most
 */
export function ticks(from, to, most) {
  const least = (to - from) / most, power = 10 ** Math.floor(Math.log10(least || 1));
  const step = power * (/** @type {number} */ ([1, 2, 5, 10].find((each) => each * power >= least * 0.999)));
  const first = Math.ceil(from / step - 1e-9), last = Math.floor(to / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/**
 * The curve in pieces, with the present place among its points: it has a gap where there is no finite loss.
 * @param {Slope} slope
 */
function pieces({ low, high, at, loss, curve }) {
  const points = curve.map((y, i) => ({ x: low + ((high - low) * i) / (curve.length - 1), y }));
  if (curve.length) points.push({ x: at, y: loss });
  /** @type {Point[][]} */
  const found = [[]];
  for (const { x, y } of points.sort((a, b) => a.x - b.x)) {
    if (y === null) found.push([]); else found[found.length - 1].push([x, y]);
  }
  return found.filter((piece) => piece.length);
}

/** @param {string} name @param {Point[]} points */
const trail = (name, points) => `<path class="${name}" d="M${points.map((xy) => xy.map((x) => +x.toFixed(2)).join(" "))
  .join("L")}"/>`;

/** @param {string} name @param {Point} at @param {number} r */
const dot = (name, [x, y], r) => `<circle class="${name}" cx="${x}" cy="${y}" r="${r}"/>`;

/** @param {string} name @param {Point} at @param {string} words */
const text = (name, [x, y], words, anchor = "middle") =>
  `<text class="${name}" x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${words}</text>`;

/** Points of a line, at most 4 pixels from each other. @param {Point[]} corners @returns {Point[]} */
const along = (corners) => corners.flatMap(([x, y], i) => {
  const [a, b] = corners[i + 1] ?? [x, y], steps = Math.ceil(Math.hypot(a - x, b - y) / 4) || 1;
  return Array.from({ length: steps }, /** @returns {Point} */ (_, k) =>
    [x + ((a - x) * k) / steps, y + ((b - y) * k) / steps]);
});

/**
 * The picture above a slider, as SVG. `loss` is a person's word; all else in it are numbers.
 * @param {Slope} slope as it was when a nudge began
 * @param {Axes} axes
 * @param {number} width
 * @param {string} loss
 * @param {Slope | null} now where the nudge has led; the tangent stays
 */
export function drawing(slope, axes, width, loss, now = null) {
  const { at, loss: here } = slope, grad = slant(slope), { left, right, above, height, below } = PLOT;
  const inner = width - left - right, across = inner / (axes.high - axes.low || 1);
  const up = height / (axes.top - axes.bottom);
  /** @type {(x: number, y: number) => Point} */
  const to = (x, y) => [left + (x - axes.low) * across, above + (axes.top - y) * up];
  const floor = above + height, slider = floor + THUMB, parts = [
    `<rect class="ac-ground" x="${left}" y="${above}" width="${inner}" height="${height}" rx="5"/>`,
    ...ticks(axes.bottom, axes.top, 8).flatMap((y) => {
      const [x, level] = to(axes.low, y);
      return [trail(y ? "ac-grid" : "ac-zero", [[x, level], [x + inner, level]]),
        text("ac-mark", [x - 6, level + 4], number(y), "end")];
    }),
    ...ticks(axes.low, axes.high, inner / 36).map((x) => text("ac-mark", [to(x, 0)[0], floor + below - 2], number(x))),
  ];
  /** What no label may cover. @type {Point[]} */
  const taken = [];
  /** @type {string[]} */
  const labels = [];
  /**
   * A label at the first place that is clear, else at the clearest.
   * @param {string} name
   * @param {string} words
   * @param {Point[]} places of its middle
   */
  const say = (name, words, places) => {
    const half = (words.length * LETTER) / 2;
    const all = places.map(/** @returns {Point} */ ([x, y]) => [clamp(x, left + half, left + inner - half),
      clamp(y, above + HIGH, floor - 4)]);
    /** How near a line comes. @param {Point} place */
    const near = ([x, y]) => Math.min(99, ...taken.map(([a, b]) => Math.hypot(
      Math.max(Math.abs(a - x) - half, 0), Math.max(y - HIGH - b, b - y, 0))));
    const best = all.find((each) => near(each) > 3) ?? all.reduce((a, b) => (near(b) > near(a) ? b : a));
    taken.push(...along([[best[0] - half, best[1] - 5], [best[0] + half, best[1] - 5]]));
    labels.push(text(name, best, words));
  };
  const curves = pieces(slope).map((piece) => piece.map(([x, y]) => to(x, y)));
  const inside = curves.map((piece) => trail("ac-curve", piece));
  taken.push(...curves.flatMap(along));
  if (grad !== null && here !== null) {
    const end = at + RUN <= axes.high ? RUN : -RUN;
    const [start, corner, tip] = [to(at, here), to(at + end, here), to(at + end, here + end * grad)];
    const reach = now ? Math.max(RUN, Math.abs(now.at - at)) : RUN;
    const [from, till] = [-reach, reach].map((x) => to(at + x, here + x * grad));
    const sign = grad < 0 ? " ac-negative" : "";
    const legs = ["ac-triangle", "ac-legs"].map((name) => trail(name, [start, corner, tip])).join("");
    inside.push(`<g class="ac-slant${sign}">${legs}${trail("ac-tangent", [from, till])}</g>`);
    taken.push(...along([from, till]), ...along([start, corner, tip]));
    const middle = (start[0] + corner[0]) / 2, flat = corner[1] + (tip[1] > corner[1] ? -6 : HIGH + 4);
    const rise = `${end * grad > 0 ? "+" : ""}${number(end * grad)}`;
    const far = Math.sign(end) * (rise.length * LETTER / 2 + 7);
    const [x, y] = [tip[0] + far, (tip[1] + corner[1]) / 2 + 4];
    const foretold = here + grad * ((now?.at ?? at) - at), led = now?.loss ?? null;
    const [ring, on] = [to(now?.at ?? at, foretold), to(now?.at ?? at, led ?? here)];
    if (now && led !== null) {
      inside.push(trail("ac-drop", [to(now.at, axes.bottom), on]));
      labels.push(trail("ac-parted", [ring, on]), dot(`ac-foretold${sign}`, ring, 6), dot("ac-at", on, 6));
      taken.push(...along([ring, on]), ...[ring, on].flatMap(([a, b]) => along([[a - 6, b - 6], [a + 6, b + 6]])));
    }
    say(`ac-rise${sign}`, rise, [[x, y], [x, tip[1] + 4], [x, y + 14], [x, y - 14], [2 * start[0] - x, y]]);
    const other = 2 * corner[1] - flat + 8, outer = corner[0] + 14 * Math.sign(end);
    say(`ac-length${sign}`, number(end), [[middle, flat], [outer, flat], [middle, other], [outer, other]]);
    if (led !== null) {
      taken.push(...along([[start[0] - 6, start[1]], [start[0] + 6, start[1]]]));
      const gap = Math.abs(led - foretold), between = (ring[1] + on[1]) / 2 + 4;
      const beside = `${number(gap)} apart`, out = (beside.length * LETTER) / 2 + 14;
      say("ac-gap", beside, [0, -20, 28, 48].flatMap((down) =>
        [1, -1].map((side) => /** @type {Point} */ ([on[0] + side * out, between + down]))));
    }
  }
  if (here !== null) {
    const start = to(at, here);
    if (!now) inside.push(trail("ac-drop", [to(at, axes.bottom), start]));
    labels.push(now ? dot("ac-was", start, 6) + dot("ac-was", [start[0], slider], 8) : dot("ac-at", start, 6));
    taken.push(...along([[start[0] - 6, start[1]], [start[0] + 6, start[1]]]));
  }
  const points = curves.flat().filter(([, y]) => y > above + HIGH && y < floor);
  const named = inner < NARROW ? loss : `${loss} along ${slope.name}`, half = (named.length * LETTER) / 2 + 8;
  const spots = points.flatMap(([x, y]) =>
    /** @type {Point[]} */ ([[x + half, y], [x - half, y], [x, y - 8], [x, y + 20]]))
    .filter(([x]) => x - half > left - 8 && x + half < left + inner + 8);
  const corners = [left + inner, left].map((x) => /** @type {Point} */ ([x, floor - 8]));
  say("ac-named", named, [...spots, ...corners, [left + inner / 2, above + HIGH + 2]]);
  const view = `${left} ${above} ${inner} ${height}`;
  const window = `<svg x="${left}" y="${above}" width="${inner}" height="${height}" viewBox="${view}">`;
  return `<svg width="${width}" height="${floor + below}">${parts.join("")}${window}${inside.join("")}</svg>${
    labels.join("")}</svg>`;
}

/**
 * The gradients, the largest first, as bars on one scale.
 * @param {Slope[]} slopes
 */
export function ranking(slopes) {
  const size = (/** @type {Slope} */ slope) => Math.abs(slant(slope) ?? 0), most = Math.max(...slopes.map(size)) || 1;
  return [...slopes].sort((a, b) => size(b) - size(a)).map((slope) => ({
    name: slope.name, share: size(slope) / most, negative: (slant(slope) ?? 0) < 0,
    text: slope.grad === null ? "None" : number(slope.grad),
  }));
}

export class Slopes {
  /**
   * @param {Model<GraphState>} model
   * @param {Controls} controls
   */
  constructor(model, controls) {
    this.model = model;
    this.controls = controls;
    /** The nudge that is held: of which leaf, by how much, and all slopes when it began. */
    this.held = /** @type {{ name: string, by: number, slopes: Slope[] } | null} */ (null);
    /** Where each leaf was at first. @type {Map<string, number>} */
    this.first = new Map();
    this.nudging = this.asked = false;
    this.loss = "";
    this.bars = el("div", { class: "ac-bars" });
    this.told = el("div", { class: "ac-nudged", role: "status" });
    const reset = button("Move all sliders back to their first values", "Reset", () => this.reset());
    this.aside = el("div", { class: "ac-ranked" }, el("div", {}, el("b", {}, "Ranked by size"), this.bars,
      el("p", {}, "All plots share both axes: the steeper the line, the larger the gradient."), reset), this.told);
    controls.box.addEventListener("input", () => { if (!this.nudging) this.held = null; });
  }

  /** Ask for the slopes of what has been answered, once that is painted. */
  ask() {
    if (this.asked || !this.model.get("slopes")?.length) return;
    this.asked = true;
    requestAnimationFrame(() => setTimeout(() => {
      this.asked = false;
      this.controls.send({ kind: "slopes" });
    }));
  }

  /** @param {string} loss what the loss is called */
  update(loss = this.loss) {
    const now = this.model.get("slopes") ?? [], { box } = this.controls;
    this.loss = loss;
    box.classList.toggle("ac-slopes", now.length > 0);
    if (!now.length) return this.aside.remove();
    if (box.lastChild !== this.aside) box.append(this.aside);
    const slopes = this.held?.slopes ?? now, fields = slopes.map(({ name }) => this.controls.named(name));
    const axes = axesOf(slopes, fields.map((field) => nudgesOf(field)[0]));
    this.aside.hidden = slopes.some(({ why }) => why);
    slopes.forEach((slope, i) => {
      const field = fields[i], { name } = slope;
      const led = name === this.held?.name ? now.find((each) => each.name === name) : null;
      if (field) this.draw(field, slope, axes, led ?? null);
    });
    this.bars.replaceChildren(...ranking(slopes).map(({ name, share, negative, text: words }) => {
      const bar = el("i", { style: `width: ${Math.max(1, 100 * share)}%` });
      const style = negative ? "ac-negative" : "";
      return el("div", { class: style }, el("b", {}, name), el("span", {}, bar), el("b", {}, words));
    }));
    this.tell(slopes, now);
  }

  /**
   * @param {Field} field
   * @param {Slope} slope
   * @param {Axes} axes
   * @param {Slope | null} now
   */
  draw(field, slope, axes, now) {
    const { name, at, grad, why } = slope, { box, input } = field, nudges = nudgesOf(field);
    if (!this.first.has(name)) this.first.set(name, at);
    const picture = box.querySelector(".ac-plot") ?? el("span", { class: "ac-plot", role: "img" });
    const known = box.querySelector(".ac-known") ?? el("span", { class: "ac-known" });
    if (!picture.parentNode) box.append(known,
      el("span", { class: "ac-nudgers" }, ...nudges.map((by) => this.nudger(field, -by)),
        ...[...nudges].reverse().map((by) => this.nudger(field, by))), picture);
    write(known, `.grad ${grad === null ? "None" : number(grad)}`);
    known.classList.toggle("ac-negative", (slant(slope) ?? 0) < 0);
    const width = picture.clientWidth || 280, inner = width - PLOT.left - PLOT.right;
    const across = inner / (axes.high - axes.low || 1);
    input.style.marginLeft = `${PLOT.left + (slope.low - axes.low) * across - 9}px`;
    input.style.width = `${(slope.high - slope.low) * across + 18}px`;
    const output = box.querySelector("output");
    if (now && output) write(output, `${number(at)} → ${number(Number(field.read()))}`);
    if (why) write(picture, `no curve: ${why}${field.control.fixed ? `; a slider ${NEEDS}` : ""}`);
    else redraw(picture, drawing(slope, axes, width, escaped(this.loss), now && now.at !== at ? now : null));
    const place = `${slope.loss} at ${at}, with the slope ${grad ?? "None"}`;
    put(picture, "aria-label", `${this.loss} over ${name}: ${why || place}`);
    for (const each of box.querySelectorAll("button")) {
      const by = Number(each.value), to = at + by;
      put(each, "aria-pressed", this.held?.name === name && this.held.by === by);
      each.disabled = Boolean(field.control.fixed) || to < slope.low - 1e-9 || to > slope.high + 1e-9;
    }
  }

  /** A button that nudges a leaf as long as it is pressed. @param {Field} field @param {number} by */
  nudger(field, by) {
    const { name } = field.control;
    const each = button(`Nudge ${name} by ${number(by)}`, `${by > 0 ? "+" : "−"} ${number(Math.abs(by))}`, () => {
      const { held } = this;
      if (held) this.move(held.name, held.slopes.find((slope) => slope.name === held.name)?.at ?? 0);
      const start = held?.slopes ?? this.model.get("slopes"), from = start.find((slope) => slope.name === name);
      this.held = held?.name === name && held.by === by ? null : { name, by, slopes: start };
      if (this.held && from) this.move(name, from.at + by);
      this.update();
    });
    each.setAttribute("value", String(by));
    return each;
  }

  reset() {
    this.held = null;
    for (const [name, at] of this.first) this.move(name, at);
    this.update();
  }

  /** @param {string} name @param {number} to */
  move(name, to) {
    const input = this.controls.named(name)?.input;
    if (!(input instanceof HTMLInputElement)) return;
    this.nudging = true;
    input.value = String(to);
    input.dispatchEvent(new Event("input", { bubbles: true }));
    this.nudging = false;
  }

  /**
   * How far the loss has moved since the nudge began, and how far the gradient said that it would.
   * @param {Slope[]} slopes
   * @param {Slope[]} all
   */
  tell(slopes, all) {
    const { held } = this, from = slopes.find(({ name }) => name === held?.name);
    const now = all.find(({ name }) => name === held?.name);
    if (!held || !from || !now || now.at === from.at) {
      const fixed = this.model.get("controls").find((control) => control.kind === "slider")?.fixed;
      const words = fixed ? `${fixed} A slider ${NEEDS}.` : HOLD;
      if (this.told.childElementCount !== 1) this.told.replaceChildren(el("p", {}, words));
      return;
    }
    const moved = from.loss === null || now.loss === null ? "nan or inf" : change(now.loss - from.loss);
    const grad = slant(from), foretold = grad === null ? "None" : change(grad * held.by);
    this.told.replaceChildren(el("b", {}, `${held.name} nudged by ${number(held.by)}`),
      el("div", { class: "ac-v" }, el("span", {}, "● on the curve"), el("b", {}, moved)),
      el("div", { class: (grad ?? 0) < 0 ? "ac-negative" : "ac-g" },
        el("span", {}, "◯ on the line"), el("b", {}, foretold)),
      el("p", {}, moved === foretold ? "The slope is the same everywhere on this line."
        : "The slope changes along the curve. A smaller nudge leaves a smaller gap."));
  }
}

/** How far nudges move a leaf, the largest first. @param {Field} [field] */
const nudgesOf = (field) => /** @type {SliderControl} */ (field?.control)?.nudges ?? [RUN];

/** A person's words, safe in SVG. @param {string} words */
const escaped = (words) => words.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
