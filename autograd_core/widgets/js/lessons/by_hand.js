// "You step", on the race's map: the reader says where the ball lands after one step of momentum.

import { all, el, put, svg, write } from "../kit/dom.js";
import { number } from "../kit/format.js";

/** @import { ByHandStep, Pair } from "./types.d.ts" */
/** @import { RaceView } from "./race.js" */

const ASK = "Where does momentum land? Orange: lr · .grad. Violet: its last step. Press there, or arrows and Enter.";
const MORE = "Press once more for the next.";
const NONE = "No step of momentum is long enough here: choose a larger lr, or another start.";
const NUDGE = 0.05;                              // of the mark, by an arrow key
const SCALE = 150;                               // pixels of the picture to 1 of x and y

/**
 * What is said of a mark: how far off it is, and the words of the landing that it is nearest to, if that is near.
 * @param {Pair} mark
 * @param {ByHandStep["landings"]} landings
 * @param {number} near
 */
export function saidOf(mark, landings, near) {
  const away = landings.map(([x, y]) => Math.hypot(mark[0] - x, mark[1] - y));
  const nearest = away.indexOf(Math.min(...away)), known = away[nearest] <= near;
  const off = `${known && nearest === 0 ? "✓ " : ""}Off by ${away[0].toFixed(2)}.`;
  return known ? `${off} ${landings[nearest][2]}` : off;
}

export class ByHand {
  /** @param {RaceView} race */
  constructor(race) {
    this.race = race;
    this.on = false;
    /** @type {Pair | null} */
    this.mark = null;
    /** Of the last step: the mark, where the ball landed, and what is said. @type {[Pair, Pair, string] | null} */
    this.landed = null;
    this.button = el("button", { type: "button", class: "ac-button", onclick: () => this.turn(!this.on) }, "You step");
  }

  /** The step that the reader is to make from here, if there is one. */
  get asked() { return (this.on && this.race.drawn.by_hand?.[1][this.race.step]) || null; }

  /** @param {boolean} on */
  turn(on) {
    this.on = on;
    this.race.box.classList.toggle("ac-race-by-hand", on);
    this.seek();
    if (on) this.race.map.focus({ preventScroll: true });
  }

  /** Go to the next step that can be made, this one if it can; beyond the last, to the first. */
  seek() {
    const steps = this.race.drawn.by_hand?.[1] ?? [], can = steps.flatMap((step, k) => (step ? [k] : []));
    this.race.go(this.on ? can.find((k) => k >= this.race.step) ?? can[0] ?? this.race.step : this.race.step);
  }

  /** @param {Pair} mark */
  move(mark) {
    if (!this.asked) return this.seek();
    this.mark = mark;
    this.race.show();
  }

  /** An arrow key moves the mark, from the ball on. @param {Pair} by */
  nudge([right, up]) {
    const [x, y] = this.mark ?? this.asked?.place ?? [0, 0];
    this.move([x + NUDGE * right, y + NUDGE * up]);
  }

  /** The ball makes its step. */
  land() {
    const { asked, race, mark = asked?.place } = this;
    if (!asked || !mark) return this.seek();
    const [[x, y]] = asked.landings;
    race.go(race.step + 1);
    this.landed = [mark, [x, y], saidOf(mark, asked.landings, race.drawn.near)];
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
    for (const part of all(race.map, `[data-part$=" ${race.drawn.by_hand?.[0]}"]`)) part.classList.add("ac-own");
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
