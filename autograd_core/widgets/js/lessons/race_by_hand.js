// "You step", on the race's map: the reader marks where one step of momentum ends.

import { put, svg, write } from "../kit/dom.js";
import { number, real } from "../kit/format.js";

/** @import { Pair, Runner } from "./types.d.ts" */
/** @import { RaceView } from "./race.js" */

/** What is known of one step: pairs of x and y. The first of the landings is the right one, the others are mistakes.
 * @typedef {{ place: Pair, gradient: Pair, last: Pair, landings: [Pair, string][] }} Step */

const ASK = "Where does the next step end? Press that place on the map. The bold arrow is −lr · .grad. The grey arrow "
  + "is the last step, with a tick at 0.9 of it. With the keyboard, move your mark by the arrow keys (0.05 each) and "
  + "press Enter.";
const RIGHT = "The step is 0.9 of the last step, minus lr · .grad.";
const MORE = "Press once more for the next step.";
const NONE = "No step is long enough from this start: choose another start.";
const NEAR = 0.04;                               // a mark that is no further away is where the step ends
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
    [plus(place, gradient, -1), "That is plain SGD's step: the momentum buffer is missing."],
    [plus(place, carried), "That is the old buffer only: the new gradient is missing."],
    [plus(place, last), "That is the last step once more: multiply it by 0.9 and add the gradient."],
    [plus(next, gradient, 2), "That is uphill: a step goes against the gradient."],
    [plus(plus(place, last), gradient, -1), "The old step is multiplied by 0.9 first."],
    [plus(plus(place, carried), slope, -1), "The gradient isn't multiplied by lr."],
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
    this.on = race.model.get("by_hand");
    /** @type {Pair | null} */
    this.mark = null;
    /** Of the last step: the mark, where the ball landed, and what is said. @type {[Pair, Pair, string] | null} */
    this.landed = null;
  }

  /** The step that the reader is to make from here, if there is one. */
  get asked() { return this.on ? this.stepAt(this.race.step) : null; }

  /** @param {number} k */
  stepAt(k) {
    const { runners, view } = this.race.drawn;
    return stepOf(runners[this.runner].rows, k, view);
  }

  /** Go to the next step that can be made, this one if it can; beyond the last, to the first. */
  seek() {
    const can = [...Array(this.race.drawn.steps).keys()].filter((k) => this.stepAt(k));
    this.race.go(can.find((k) => k >= this.race.step) ?? can[0] ?? this.race.step);
  }

  /** @param {Pair} mark */
  move(mark) {
    if (!this.asked) return this.seek();
    this.mark = mark;
    this.race.show();
  }

  /** An arrow key moves the mark, from the weight on. @param {Pair} by */
  nudge(by) {
    this.move(plus(this.mark ?? this.asked?.place ?? [0, 0], by, NUDGE));
  }

  /** The weight makes its step. */
  land() {
    const { asked, race } = this, mark = this.mark ?? asked?.place, { model, step } = race;
    if (!asked || !mark) return this.seek();
    const said = saidOf(mark, asked.landings);
    race.go(step + 1);
    this.landed = [mark, asked.landings[0][0], said];
    race.show();
    model.set("landed", [...model.get("landed"), [step, said.startsWith("✓")]]);
    model.save_changes();
  }

  /** The race goes to another step. */
  left() { this.mark = this.landed = null; }

  show() {
    const { asked, landed, mark, race } = this, [[left], [, high]] = race.drawn.view;
    const next = asked ? (landed ? "And the next?" : ASK) : landed ? MORE : NONE;
    const at = mark && `Your mark: x ${number(mark[0])}, y ${number(mark[1])}.`;
    put(race.note, "role", this.on ? "status" : "note");
    write(race.note, this.on ? at || [landed?.[2], next].join(" ").trim() : race.drawn.note);
    const box = svg("g", { class: "ac-by-hand",   // what is in it stands at x and y
      transform: `matrix(${SCALE} 0 0 ${-SCALE} ${-SCALE * left} ${SCALE * high})` });
    race.map.querySelector(".ac-by-hand")?.remove();
    race.map.querySelector("svg")?.append(box);
    if (landed) box.append(svg("path", { d: `M${landed[0]}L${landed[1]}` }));
    if (asked) {
      const downhill = plus([0, 0], asked.gradient, -1), tick = 0.9 * length(asked.last);
      box.append(arrow("ac-last", asked.place, asked.last, `M${tick} -.09V.09`), arrow("ac-g", asked.place, downhill));
    }
    const marked = mark ?? landed?.[0];
    if (marked) box.append(svg("circle", { r: 0.045, transform: `translate(${marked})` }));
  }
}

/** @param {string} style @param {Pair} from @param {Pair} by @param {string} more of the path, along the arrow */
function arrow(style, from, [x, y], more = "") {
  const turn = (Math.atan2(y, x) * 180) / Math.PI, d = `M0 0H${Math.hypot(x, y)}m-.06 -.03l.06 .03l-.06 .03${more}`;
  return svg("path", { class: style, d, transform: `translate(${from}) rotate(${turn})` });
}
