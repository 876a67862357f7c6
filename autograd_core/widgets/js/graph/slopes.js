// The loss along each slider: its curve, the place where it stands, and the tangent, whose slope is `.grad`.

import { button } from "../kit/button.js";
import { clamp } from "../kit/clamp.js";
import { el, put, redraw, write } from "../kit/dom.js";
import { number } from "../kit/format.js";

/** @import { Controls, Field } from "../kit/controls.js" */
/** @import { Model, SliderControl } from "../kit/types.d.ts" */
/** @import { GraphState, Slope } from "./types.d.ts" */

/** @typedef {[x: number, y: number]} Point */

const WIDTH = 184, HEIGHT = 96;                  // of a picture, in CSS pixels
const SIDE = 8, EDGE = 11;                       // of it left free; at its sides as for the thumb of a slider
const REACH = 36;                                // of a tangent, to either side
const LETTER = 7.5, HIGH = 10;                    // of its number
const HOLD = 400, AGAIN = 50;                    // ms from a press to the second nudge, and to each further one
const FASTER = 10;                               // nudges, after which each is of one step more

/** A change with four digits, where three decimals would not tell two apart. @param {number} x */
export const change = (x) => (x > 0 ? "+" : "") + String(Number(x.toPrecision(4))).replaceAll("-", "−");

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

/**
 * The picture beside a slider, as SVG. All in it are numbers, and so it is no person's markup.
 * @param {Slope} slope
 * @param {Slope | null} from where a nudge began: the tangent stays there, and a ring on it is what it foretells
 */
export function drawing(slope, from = null) {
  const { low, high, at, loss } = slope, start = from ?? slope, seen = pieces(slope);
  const slant = typeof start.grad === "number" ? start.grad : null;
  const foretold = slant === null || start.loss === null ? null : start.loss + slant * (at - start.at);
  const heights = [...seen.flat().map(([, y]) => y), loss, foretold].filter((y) => y !== null);
  const least = Math.min(...heights), span = Math.max(...heights) - least;
  const across = (WIDTH - 2 * SIDE) / (high - low || 1), up = (HEIGHT - 2 * EDGE) / (span || 1);
  /** @type {(x: number, y: number) => Point} */
  const to = (x, y) => [SIDE + (x - low) * across, (span ? HEIGHT - EDGE : HEIGHT / 2) - (y - least) * up];
  const points = seen.map((piece) => piece.map(([x, y]) => to(x, y)));
  const parts = points.map((piece) => `<path class="ac-curve" d="M${piece.map((xy) => xy.join(" ")).join("L")}"/>`);
  if (slant !== null && start.loss !== null && foretold !== null) {
    const [x, y] = to(start.at, start.loss), rise = (-slant * up) / across;
    const reach = REACH / Math.hypot(1, rise), far = (at - start.at) * across;
    const left = x + Math.min(-reach, far), right = x + Math.max(reach, far);
    /** @type {(x: number) => Point} */
    const on = (px) => [px, y + rise * (px - x)];
    parts.push(line("ac-tangent", on(left), on(right)));
    if (from && loss !== null) parts.push(line("ac-parted", to(at, foretold), to(at, loss)));
    if (from) parts.push(dot("ac-foretold", to(at, foretold), 6));
    const [a, b] = to(at, foretold), ring = from ? along([[a - 7, b], [a, b - 7], [a + 7, b], [a, b + 7]]) : [];
    const lines = [...points.flatMap(along), ...along([on(left), on(right)]), ...ring];
    /** @type {[Point, 1 | -1][]} */
    const ends = [[on(left), -1], [on(right), 1]];
    parts.push(label(number(slant), x < WIDTH / 2 ? ends.reverse() : ends, lines));
  }
  if (loss !== null) parts.push(dot("ac-at", to(at, loss), 4));
  return `<svg width="${WIDTH}" height="${HEIGHT}">${parts.join("")}</svg>`;
}

/** @param {string} name @param {Point} from @param {Point} to */
const line = (name, [x1, y1], [x2, y2]) => `<line class="${name}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;

/** @param {string} name @param {Point} at @param {number} r */
const dot = (name, [x, y], r) => `<circle class="${name}" cx="${x}" cy="${y}" r="${r}"/>`;

/** Points of a line, at most 4 pixels from each other. @param {Point[]} corners @returns {Point[]} */
const along = (corners) => corners.flatMap(([x, y], i) => {
  const [a, b] = corners[i + 1] ?? [x, y], steps = Math.ceil(Math.hypot(a - x, b - y) / 4) || 1;
  return Array.from({ length: steps }, /** @returns {Point} */ (_, k) =>
    [x + ((a - x) * k) / steps, y + ((b - y) * k) / steps]);
});

/**
 * The slope, beside an end of the tangent, above or below it: where it first is clear of the lines.
 * @param {string} text
 * @param {[end: Point, side: 1 | -1][]} ends the better one first; the side that the text is on
 * @param {Point[]} lines
 */
function label(text, ends, lines) {
  const width = LETTER * text.length;
  const places = ends.flatMap(([[end, tip], side]) => [tip + 13, tip - 4, tip + 28, tip - 19, 0, HEIGHT].map((y) => ({
    x: clamp(side > 0 ? end + 4 : end - 4 - width, 0, WIDTH - width), y: clamp(y, HIGH, HEIGHT - 3),
  })));
  /** How near a line comes. @param {{ x: number, y: number }} place */
  const clear = ({ x, y }) => Math.min(...lines.map(([a, b]) => Math.hypot(
    Math.max(x - a, a - x - width, 0), Math.max(y - HIGH - b, b - y, 0))));
  const { x, y } = places.find((place) => clear(place) > 2)
    ?? places.reduce((best, each) => (clear(each) > clear(best) ? each : best));
  return `<text class="ac-grad" x="${x}" y="${y}">${text}</text>`;
}

export class Slopes {
  /**
   * @param {Model<GraphState>} model
   * @param {Controls} controls
   */
  constructor(model, controls) {
    this.model = model;
    this.controls = controls;
    /** Where a nudge began. @type {Slope | null} */
    this.from = null;
    this.nudging = this.asked = false;
    const lines = ["", "ac-v", "ac-g"].map((style) => el("span", { class: style }));
    this.told = el("p", { class: "ac-nudged", role: "status" }, ...lines);
    controls.box.addEventListener("input", () => { if (!this.nudging) this.from = null; });
  }

  /** Ask for the slopes of what has been answered, once that is painted. */
  ask() {
    if (this.asked || !this.model.get("slopes")?.length) return;
    this.asked = true;
    requestAnimationFrame(() => setTimeout(() => {
      this.asked = false;
      this.model.send({ kind: "slopes" });
    }));
  }

  /** @param {string} loss what the loss is called */
  update(loss) {
    const slopes = this.model.get("slopes") ?? [], { box } = this.controls;
    box.classList.toggle("ac-slopes", slopes.length > 0);
    if (!slopes.length) return this.told.remove();
    if (box.lastChild !== this.told) box.append(this.told);
    this.told.hidden = slopes.some(({ why }) => why);
    for (const slope of slopes) {
      const field = this.controls.named(slope.name);
      if (field) this.draw(field, slope, loss);
    }
    this.tell(slopes.find(({ name }) => name === this.from?.name), loss);
  }

  /**
   * @param {Field} field
   * @param {Slope} slope
   * @param {string} loss
   */
  draw(field, slope, loss) {
    const { name, at, grad, why } = slope;
    const picture = field.box.querySelector(".ac-plot") ?? el("span", { class: "ac-plot", role: "img" });
    if (!picture.parentNode) field.box.append(this.nudger(field), picture);
    if (why) write(picture, `no curve: ${why}`);
    else redraw(picture, drawing(slope, this.from?.name === name ? this.from : null));
    const place = `${slope.loss} at ${at}, with the slope ${grad ?? "None"}`;
    put(picture, "aria-label", `${loss} over ${name}: ${why || place}`);
  }

  /** A button that nudges a leaf. While it is held, the leaf moves on by single steps. @param {Field} field */
  nudger({ control, input }) {
    const { name, step, nudge: far = step, fixed } = /** @type {SliderControl} */ (control);
    const slider = /** @type {HTMLInputElement} */ (input);
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer, held = 0;
    /** @param {number} steps */
    const nudge = (steps) => {
      if (this.from?.name !== name) this.from = this.model.get("slopes").find((slope) => slope.name === name) ?? null;
      this.nudging = true;
      slider.stepUp(steps);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      this.nudging = false;
    };
    const again = () => {
      held += 1;
      nudge(Math.ceil(held / FASTER));
      timer = setTimeout(again, AGAIN);
    };
    const each = button(`Nudge ${name} by ${far}`, `+ ${number(far)}`, (event) => {
      if (!held || !event.detail) nudge(Math.round(far / step));      // the click that ends a hold has done its work
    });
    each.disabled = Boolean(fixed);
    each.addEventListener("pointerdown", () => {
      held = 0;
      timer = setTimeout(again, HOLD);
    });
    for (const end of ["pointerup", "pointerleave"]) each.addEventListener(end, () => clearTimeout(timer));
    return each;
  }

  /**
   * How far the loss has moved since the nudge began, and how far the gradient said it would.
   * @param {Slope | undefined} now
   * @param {string} loss
   */
  tell(now, loss) {
    const { from } = this, by = from && now && !now.why ? now.at - from.at : 0;
    const fixed = this.model.get("controls").some((control) => control.fixed);
    const ways = fixed ? "" : " Hold +: the dot follows the curve, a ring the line.";
    const lines = [`Curve: ${loss} along a leaf. Line: its slope there, .grad.${ways}`];
    if (from && now && by) {
      const moved = from.loss === null || now.loss === null ? "is nan or inf"
        : `moves by ${change(now.loss - from.loss)}`;
      const foretold = typeof from.grad === "number" ? change(from.grad * by) : String(from.grad ?? "None");
      lines.splice(0, 1, `${from.name} moves by ${change(by)}`, `● ${loss} ${moved}`,
        `◌ gradient × ${change(by)} = ${foretold}`);
    }
    [...this.told.children].forEach((each, i) => write(each, lines[i] ?? ""));
  }
}
