// The optimizers' race. Python sends paths and numbers for every step; here the reader moves along the steps.

import { button, icon } from "../kit/button.js";
import { clamp } from "../kit/clamp.js";
import { all, el, put, svg, write } from "../kit/dom.js";
import { number, real } from "../kit/format.js";
import { ARROWS, withModifier } from "../kit/keys.js";
import { engines, Live, rendering } from "../kit/live.js";
import { signStyle } from "../kit/shade.js";
import { ByHand } from "./race_by_hand.js";

/** @import { Cell, Model } from "../kit/types.d.ts" */
/** @import { Pair, RaceState, Runner } from "./types.d.ts" */

const STEP_MS = 60;                              // one step while it plays
const NUDGE = 0.1;                               // of the start, by an arrow key
const CURVES = { width: 1000, height: 100, room: 96 };
const FLOOR = 1e-6, TICKS = [1e-6, 1e-3, 1, 1000];  // of a loss above the lowest

/** @type {Record<string, string>} */
const ROLES = { position: "ac-v", ".grad": "ac-g" };
/** A gradient is the one at the position shown, so the next step uses it. @type {Record<string, string>} */
const HEADS = { position: "position x, y", ".grad": ".grad here" };

/** To hundredths. @param {number} value */
const rounded = (value) => Math.round(value * 100) / 100;

/**
 * How far each loss is above the lowest, on a log scale: 0 at a millionth, 1 at the top of the axis.
 * @param {Cell[][]} losses
 * @param {number} lowest
 * @param {number} top
 */
export function gapsOf(losses, lowest, top) {
  return losses.map((each) => each.map((loss) => {
    const above = clamp(real(loss) - lowest, FLOOR, top);
    return Number.isNaN(above) ? null : Math.log(above / FLOOR) / Math.log(top / FLOOR);
  }));
}

/**
 * The numbers on the axis of those gaps, each with its share of the height.
 * @param {number} top
 * @returns {[text: string, share: number][]}
 */
export function axisOf(top) {
  return TICKS.filter((tick) => tick <= top).map((tick) =>
    [`${tick === FLOOR ? "≤ " : ""}${number(tick)}`, Math.log(tick / FLOOR) / Math.log(top / FLOOR)]);
}

/** A loss as a path; where there is no number, the line is broken. @param {(number | null)[]} gap */
export function curveOf(gap) {
  let pen = "M";
  return gap.map((share, step) => {
    const x = (CURVES.width * step) / Math.max(gap.length - 1, 1);
    const part = share === null ? "" : `${pen}${x} ${CURVES.height - CURVES.room * share}`;
    pen = share === null ? "M" : "L";
    return part;
  }).join("");
}

/**
 * The place on the map at this share of its width and height, in x and y.
 * @param {[Pair, Pair]} view
 * @param {number} across
 * @param {number} down
 * @returns {Pair}
 */
export function placeAt([[left, right], [low, high]], across, down) {
  return [rounded(left + across * (right - left)), rounded(high - down * (high - low))];
}

/** @extends {Live<RaceState>} */
export class RaceView extends Live {
  /** @param {Model<RaceState>} model */
  constructor(model) {
    super(model, "race");
    this.at = this.drawn.at;
    this.start = this.drawn.start;
    /** @type {ReturnType<typeof setInterval> | null} */
    this.timer = null;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.map = el("div", { class: "ac-race-map", role: "application", tabindex: 0,
      onpointerdown: (event) => this.pressed(event),
      onpointermove: (event) => { if (this.byHand.mark && event.buttons) this.pressed(event); },
      onpointerup: () => { if (this.byHand.mark) this.byHand.land(); }, onkeydown: (event) => this.nudge(event) });
    this.numbers = el("div", { class: "ac-race-numbers" });
    this.play = button("Play", icon("play"), () => this.playing(!this.timer), "ac-play");
    this.status = el("div", { class: "ac-race-status" });
    this.track = el("input", { type: "range", min: 0, step: 1, "aria-label": "Step",
      oninput: () => this.go(Number(this.track.value)), onkeydown: (event) => this.space(event) });
    const viewBox = `0 0 ${CURVES.width} ${CURVES.height}`;
    this.axis = el("div", { "aria-hidden": "true" });
    this.curves = svg("svg", { viewBox, preserveAspectRatio: "none", "aria-hidden": "true" });
    this.cursor = el("div", { class: "ac-race-cursor" });
    this.losses = el("div", { class: "ac-race-losses" }, this.axis, this.curves, this.cursor,
      el("span", {}, "loss above the minimum, log scale"));
    this.side = el("div", { class: "ac-race-side" }, this.controls.box, this.numbers, this.losses);
    this.main.append(this.map, this.side);
    this.byHand = new ByHand(this);
    this.box.classList.toggle("ac-race-by-hand", this.byHand.on);
    if (this.byHand.on) this.side.prepend(this.note);
    this.marks = el("span", { class: "ac-race-marks" });
    this.header.append(engines("autograd_core", "PyTorch", this.marks));
    this.verdict.before(this.footer());
  }

  /** @param {KeyboardEvent} event */
  space(event) {
    if (event.key !== " ") return;
    event.preventDefault();
    this.playing(!this.timer);
  }

  footer() {
    const back = button("One step back", icon("previous"), () => this.go(this.step - 1));
    const on = button("One step on", icon("next"), () => this.go(this.step + 1));
    const buttons = el("div", { class: "ac-buttons" }, back, this.play, on);
    return el("div", { class: "ac-race-footer" }, buttons, this.status, this.track);
  }

  get step() { return Math.min(this.at, this.drawn.steps); }

  draw() {
    const { svg: picture, steps, runners, start, lowest } = this.drawn, top = Math.max(2 * FLOOR, this.drawn.top);
    const gaps = gapsOf(runners.map(({ loss }) => loss), lowest, top);
    this.start = start;
    this.byHand.left();
    this.map.innerHTML = picture;                // drawn by Python, which has escaped every word of a person
    put(this.track, "max", steps);
    this.axis.replaceChildren(...axisOf(top).map(([text, share]) =>
      el("span", { style: `bottom: ${CURVES.room * share}%` }, text)));
    this.marks.replaceChildren(...runners.map((runner) => signOf(runner, "none")));
    this.curves.replaceChildren(...runners.map(({ colour }, i) =>
      svg("path", { d: curveOf(gaps[i]), style: `stroke: var(--ac-${colour})` })));
    this.show();
  }

  /** The parts of the picture that Python has named so. @param {string} name */
  parts(name) { return all(this.map, `[data-part="${name}"]`); }

  show() {
    const { runners, steps, note } = this.drawn, k = this.step;
    runners.forEach((runner, i) => this.showOnMap(runner, i, k));
    this.numbers.replaceChildren(...runners.map((runner) => numbersOf(runner, k)));
    write(this.status, k ? `After step ${k}` : "At the start");
    this.track.value = String(k);
    this.cursor.style.left = `${(100 * k) / steps}%`;
    const losses = runners.map(({ name, loss }) => `${name} ${number(loss[k])}`).join(", ");
    put(this.track, "aria-valuetext", `Step ${k}: loss ${losses}`);
    const [x, y] = this.start.map(number);
    const keys = this.byHand.on ? "move your mark, Enter makes the step" : "move the start";
    put(this.map, "aria-label", `Paths on the surface ${note}, from x ${x}, y ${y}. `
      + `The arrow keys ${keys}; the table has the numbers.`);
    this.byHand.show();
  }

  /**
   * @param {Runner} runner
   * @param {number} i
   * @param {number} k
   */
  showOnMap({ path, marks, label }, i, k) {
    const line = `M${path.slice(0, k + 1).map((place) => place.join(" ")).join("L")}`;
    this.parts(`line ${i}`).forEach((part) => part.setAttribute("d", line));
    this.parts(`mark ${i}`).forEach((part, j) => { part.style.display = marks[j][0] <= k ? "" : "none"; });
    this.parts(`leader ${i}`).forEach((part) => part.setAttribute("d", `M${path[k].join(" ")}L${label[k].join(" ")}`));
    for (const [name, places] of /** @type {[string, Pair[]][]} */ ([["end", path], ["label", label]])) {
      this.parts(`${name} ${i}`).forEach((part) => part.setAttribute("transform", `translate(${places[k].join(" ")})`));
    }
  }

  /** @param {number} step */
  go(step) {
    this.playing(false);
    this.turn(step);
  }

  /** @param {number} step */
  turn(step) {
    this.byHand.left();
    this.at = clamp(step, 0, this.drawn.steps);
    this.show();
  }

  /** Play from here, or from the start once the end is reached; or pause. @param {boolean} on */
  playing(on) {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
    if (on && this.step === this.drawn.steps) this.turn(0);
    if (on && this.calm.matches) return this.turn(this.step + 1);
    if (on) {
      this.timer = setInterval(() => {
        this.turn(this.step + 1);
        if (this.step === this.drawn.steps || !this.box.isConnected) this.playing(false);
      }, STEP_MS);
    }
    this.play.replaceChildren(icon(on ? "pause" : "play"));
    for (const name of ["aria-label", "title"]) put(this.play, name, on ? "Pause" : "Play");
  }

  // ---- begin elsewhere: where the map was pressed, or a tenth further with an arrow key ----

  /** @param {Pair} place */
  begin(place) {
    this.start = place;                          // the next key goes on from here, before Python has answered
    this.controls.want("start", place);
  }

  /** @param {PointerEvent} event */
  pressed(event) {
    const { left, top, width, height } = this.map.getBoundingClientRect();
    const place = placeAt(this.drawn.view, (event.clientX - left) / width, (event.clientY - top) / height);
    if (this.byHand.on) this.byHand.move(place); else this.begin(place);
  }

  /** @param {KeyboardEvent} event */
  nudge(event) {
    const by = ARROWS[event.key], [[left, right], [low, high]] = this.drawn.view, [x, y] = this.start;
    const lands = this.byHand.on && event.key === "Enter";
    if (!by && !lands || withModifier(event)) return;
    event.preventDefault();
    if (lands) return this.byHand.land();
    const [down, across] = by;
    if (this.byHand.on) return this.byHand.nudge([across, -down]);
    this.begin([rounded(clamp(x + NUDGE * across, left, right)), rounded(clamp(y - NUDGE * down, low, high))]);
  }
}

/** The marker of an optimizer. @param {Runner} runner @param {string} fill */
const signOf = ({ colour, shape }, fill) =>
  svg("svg", { width: 12, height: 12, viewBox: "-6 -6 12 12", "aria-hidden": "true" },
    svg("path", { d: shape, style: `fill: ${fill}; stroke: var(--ac-${colour})` }));

/** The numbers of an optimizer after a step. @param {Runner} runner @param {number} k */
function numbersOf(runner, k) {
  const { name, colour, rate, loss, rows } = runner;
  /** @param {Cell} value */
  const cell = (value, text = number(value), style = "") => {
    const none = value === "nan" && k === 0;     // no step has been made yet
    return el("td", { class: typeof value === "string" && !none ? "ac-bad" : style }, none ? "none" : text);
  };
  const head = el("th", { scope: "rowgroup", style: `color: var(--ac-${colour})` },
    signOf(runner, `var(--ac-${colour})`), name);
  const total = cell(loss[k], `loss ${number(loss[k])}${rate === null ? "" : `, lr ${number(rate)}`}`);
  total.colSpan = 2;
  const body = el("tbody", {}, el("tr", { class: "ac-b" }, head, total), ...rows.map(([key, pairs]) =>
    el("tr", { class: ROLES[key] ?? "" }, el("th", { scope: "row" }, HEADS[key] ?? key), ...pairs[k].map((value) =>
      cell(value, number(value), key === ".grad" ? signStyle(number(value)) : "")))));
  const nothing = el("th", { scope: "row", colspan: 3 }, "remembers nothing");
  if (rows.length <= 2) body.append(el("tr", { class: "ac-q" }, nothing));
  return el("table", { class: "ac-numbers" }, body);
}

export const race = rendering(RaceView);
