// "You step", on the race's map: the reader says where the ball lands after one step of momentum.

import { all, el, put, svg, write } from "../kit/dom.js";
import { number, real } from "../kit/format.js";

/** @import { Pair, Runner } from "./types.d.ts" */
/** @import { RaceView } from "./race.js" */

/** What is known of one step: pairs of x and y. The first of the landings is the right one, the others are mistakes.
 * @typedef {{ place: Pair, gradient: Pair, last: Pair, landings: [Pair, string][] }} Step */

const ASK = "Where does momentum land? Orange: lr · .grad. Violet: its last step. Press there, or arrows and Enter.";
const RIGHT = "What friction leaves of the last step, minus lr · .grad.";
const MORE = "Press once more for the next.";
const NONE = "No step of momentum is long enough here: choose a larger lr, or another start.";
const NEAR = 0.06;                               // a mark that is no further away is where the ball lands
const SAME = 1e-6;                               // of numbers with nine digits
const NUDGE = 0.05;                              // of the mark, by an arrow key
const SCALE = 150;                               // pixels of the picture to 1 of x and y

/** @param {Pair} a @param {Pair} b @returns {Pair} */
const plus = (a, b, times = 1) => [a[0] + times * b[0], a[1] + times * b[1]];
/** @param {Pair} pair */
const length = ([x, y]) => Math.hypot(x, y);

/**
 * What there is to know of the step from `k` on, as both engines computed it; null where it is too short to be marked,
 * leads off the map, or is not one of plain momentum. A mistake is left out where it could be taken for the right one.
 * @param {Runner["rows"]} rows
 * @param {number} k
 * @param {[Pair, Pair]} view
 * @returns {Step | null}
 */
export function stepOf(rows, k, [[left, right], [low, high]]) {
  const kept = Object.fromEntries(rows);
  /** @param {string} key @param {number} at @returns {Pair} */
  const read = (key, at) => [real(kept[key][at][0]), real(kept[key][at][1])];
  if (!k || k + 1 >= kept.position.length) return null;
  const place = read("position", k), next = read("position", k + 1), buffer = read("momentum_buffer", k + 1);
  const moved = plus(next, place, -1), lr = length(moved) / length(buffer), slope = read(".grad", k);
  const gradient = plus([0, 0], slope, lr), carried = plus(moved, gradient);
  const last = plus(place, read("position", k - 1), -1);
  const inside = [place, next].every(([x, y]) => x > left && x < right && y > low && y < high);
  const long = length(gradient) > 2 * NEAR && length(carried) > 2 * NEAR;
  if (!inside || !long || !(length(plus(moved, buffer, lr)) < SAME)) return null;
  /** @type {[Pair, string][]} */
  const mistakes = [
    [plus(place, gradient, -1), "That is the gradient alone, as plain SGD goes: the velocity is missing."],
    [plus(place, carried), "That is the velocity alone: the gradient is missing."],
    [plus(place, last), "That is the last step once more: friction and gradient are missing."],
    [plus(next, gradient, 2), "That is uphill: a step goes against the gradient."],
    [plus(plus(place, last), gradient, -1), "All of the velocity is in it: friction leaves a part."],
    [plus(plus(place, carried), slope, -1), "The gradient is not multiplied by lr."],
  ];
  const apart = mistakes.filter(([landing]) => length(plus(landing, next, -1)) > 2 * NEAR);
  return { place, gradient, last, landings: [[next, RIGHT], ...apart] };
}

/**
 * What is said of a mark: how far off it is, and the words of the landing that it is nearest to, if that is near.
 * @param {Pair} mark
 * @param {Step["landings"]} landings
 */
export function saidOf(mark, landings) {
  const away = landings.map(([landing]) => length(plus(mark, landing, -1)));
  const nearest = away.indexOf(Math.min(...away)), known = away[nearest] <= NEAR;
  const off = `${known && nearest === 0 ? "✓ " : ""}Off by ${away[0].toFixed(2)}.`;
  return known ? `${off} ${landings[nearest][1]}` : off;
}

export class ByHand {
  /** @param {RaceView} race */
  constructor(race) {
    this.race = race;
    this.runner = race.drawn.runners.findIndex(({ rows }) => rows.some(([key]) => key === "momentum_buffer"));
    this.on = false;
    /** @type {Pair | null} */
    this.mark = null;
    /** Of the last step: the mark, where the ball landed, and what is said. @type {[Pair, Pair, string] | null} */
    this.landed = null;
    this.button = el("button", { type: "button", class: "ac-button", onclick: () => this.turn(!this.on) }, "You step");
  }

  /** The step that the reader is to make from here, if there is one. */
  get asked() { return this.on ? this.stepAt(this.race.step) : null; }

  /** @param {number} k */
  stepAt(k) {
    const { runners, view } = this.race.drawn;
    return stepOf(runners[this.runner].rows, k, view);
  }

  /** @param {boolean} on */
  turn(on) {
    this.on = on;
    this.race.box.classList.toggle("ac-race-by-hand", on);
    this.seek();
    if (on) this.race.map.focus({ preventScroll: true });
  }

  /** Go to the next step that can be made, this one if it can; beyond the last, to the first. */
  seek() {
    const can = [...Array(this.race.drawn.steps).keys()].filter((k) => this.stepAt(k));
    this.race.go(this.on ? can.find((k) => k >= this.race.step) ?? can[0] ?? this.race.step : this.race.step);
  }

  /** @param {Pair} mark */
  move(mark) {
    if (!this.asked) return this.seek();
    this.mark = mark;
    this.race.show();
  }

  /** An arrow key moves the mark, from the ball on. @param {Pair} by */
  nudge(by) {
    this.move(plus(this.mark ?? this.asked?.place ?? [0, 0], by, NUDGE));
  }

  /** The ball makes its step. */
  land() {
    const { asked, race, mark = asked?.place } = this;
    if (!asked || !mark) return this.seek();
    race.go(race.step + 1);
    this.landed = [mark, asked.landings[0][0], saidOf(mark, asked.landings)];
    race.show();
  }

  /** The race goes to another step. */
  left() { this.mark = this.landed = null; }

  show() {
    const { asked, landed, mark, race } = this, [[left], [, high]] = race.drawn.view;
    const next = asked ? (landed ? "And the next?" : ASK) : landed ? MORE : NONE;
    const at = mark && `Your mark: x ${number(mark[0])}, y ${number(mark[1])}.`;
    put(this.button, "aria-pressed", this.on);
    put(race.note, "role", this.on ? "status" : "note");
    write(race.note, this.on ? at || [landed?.[2], next].join(" ").trim() : race.drawn.note);
    for (const part of all(race.map, `[data-part$=" ${this.runner}"]`)) part.classList.add("ac-own");
    const box = svg("g", { class: "ac-by-hand",   // what is in it stands at x and y
      transform: `matrix(${SCALE} 0 0 ${-SCALE} ${-SCALE * left} ${SCALE * high})` });
    race.map.querySelector(".ac-by-hand")?.remove();
    race.map.querySelector("svg")?.append(box);
    if (landed) box.append(svg("path", { d: `M${landed[0]}L${landed[1]}` }));
    if (asked) box.append(arrow("ac-last", asked.place, asked.last), arrow("ac-g", asked.place, asked.gradient));
    const marked = mark ?? landed?.[0];
    if (marked) box.append(svg("circle", { r: 0.045, transform: `translate(${marked})` }));
  }
}

/** @param {string} style @param {Pair} from @param {Pair} by */
function arrow(style, from, [x, y]) {
  const turn = (Math.atan2(y, x) * 180) / Math.PI, d = `M0 0H${Math.hypot(x, y)}m-.06 -.03l.06 .03l-.06 .03`;
  return svg("path", { class: style, d, transform: `translate(${from}) rotate(${turn})` });
}
