// Motion that causes: in one event a number lifts off its box, meets the local slope and becomes the contribution,
// travels, and lands; only then the box that it reaches changes. A motion is a function of time, so that it can be
// played, sought and tested; the clock is apart.

import { clamp } from "../kit/clamp.js";
import { svg, write } from "../kit/dom.js";
import { brief, count, finite, tensorText } from "../kit/format.js";
import { measure } from "../kit/text.js";
import { sum } from "./tape.js";

/** @import { Tensor } from "../kit/types.d.ts" */
/** @import { Point, TraceEvent } from "./types.d.ts" */
/** @import { Picture } from "./picture.js" */
/** @import { Tape } from "./tape.js" */

/** When each part of a motion begins, in ms at the pace 1×. */
const BACKWARD = { meet: 150, turn: 350, travel: 430, enter: 680, land: 760, end: 900 };
const FORWARD = { travel: 60, enter: 250, land: 310, end: 350 };
const ACCUMULATE = { travel: 60, enter: 260, land: 420, end: 600 };
const LEAVES = { land: 0, end: 700 };            // step and zero_grad: the old number fades out above the new
const ADDITION = 700;                            // how long the addition stands where contributions meet
const FADE = 80;
const RISE = 20, BESIDE = 6, OFF = 16, ABOVE = 14, ABOVE_TAB = 32;      // pixels

/**
 * How far something is between two moments, 0 to 1.
 * @param {number} ms
 * @param {number} from
 * @param {number} to
 */
export const share = (ms, from, to) => clamp((ms - from) / Math.max(1, to - from), 0, 1);

/** Slow at both ends. @param {number} t */
export const ease = (t) => (t < 0.5 ? 2 * t * t : 1 - 2 * (1 - t) ** 2);

/**
 * Whether a number's rule is a product with a slope that can be said as a number, and that number.
 * @param {string} rule of an edge
 * @param {Tensor} sent
 * @param {Tape} tape
 * @param {number} edge
 */
export function slopeText(rule, sent, tape, edge) {
  const { edges, nodes } = tape.structure, { ran } = nodes[edges[edge].consumer];
  const total = tape.numbers.events[ran - 1]?.[0] ?? null, isScalar = total && count(total) === 1 && count(sent) === 1;
  if (!isScalar && !/^[×÷]/.test(rule)) return rule;
  const slope = tape.at(["slope", tape.sentAt(edge), ["before", ran - 1]]);
  return slope ? `× ${tensorText(slope)}` : rule;
}

/**
 * "0.332 + (−0.222) = 0.11"; of tensors with more than three numbers, which have no short form, "3 are added".
 * @param {Tensor[]} terms
 */
export function addition(terms) {
  const total = sum(terms);
  if (!total || terms.some((term) => count(term) > 3)) return `${terms.length} are added`;
  const texts = terms.map((term) => tensorText(term, true));
  const rest = texts.slice(1).map((each) => (each.startsWith("−") ? ` + (${each})` : ` + ${each}`));
  return `${texts[0]}${rest.join("")} = ${tensorText(total, true)}`;
}

/** A number on its way, or a slope, or an addition: a label that is put anywhere. */
class Flyer {
  /**
   * @param {SVGElement} parent
   * @param {string} style
   * @param {string} label
   */
  constructor(parent, style, label) {
    this.rect = svg("rect", { height: 22, y: -11, rx: style.includes("ac-slope") ? 5 : 11 });
    this.text = svg("text", { y: 4, "text-anchor": "middle" });
    this.group = svg("g", { class: `ac-flyer ${style}`, opacity: 0 }, this.rect, this.text);
    parent.append(this.group);
    this.width = 0;
    this.say(label);
  }

  /** @param {string} label */
  say(label) {
    if (this.text.textContent === label) return;
    write(this.text, label);
    this.width = Math.ceil(measure(label, "bold 12px")) + 20;
    this.rect.setAttribute("width", String(this.width));
    this.rect.setAttribute("x", String(-this.width / 2));
  }

  /**
   * @param {Point} at its middle
   * @param {number} opacity
   */
  put([x, y], opacity) {
    this.group.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    this.group.setAttribute("opacity", opacity.toFixed(2));
  }
}

/**
 * @param {Point} a
 * @param {Point} b
 * @param {number} t
 * @returns {Point}
 */
const between = ([ax, ay], [bx, by], t) => [ax + (bx - ax) * t, ay + (by - ay) * t];

/** One motion: what lies between two events of a picture. */
export class Motion {
  /**
   * @param {Picture} picture
   * @param {number} from the event that is shown
   * @param {number} to the event that is gone to; of a closed fold, of a phase of steps, several further on
   */
  constructor(picture, from, to) {
    this.picture = picture;
    this.from = from;
    this.to = to;
    this.tape = picture.view.tape;
    this.event = picture.structure.events[to - 1];
    /** The boxes and lines that take part. @type {Set<number>} */
    this.boxes = new Set();
    /** @type {Set<number>} */
    this.lines = new Set();
    /** The boxes that change only when something lands in them. @type {Set<number>} */
    this.held = new Set();
    /** What is done at each moment. @type {((ms: number) => void)[]} */
    this.parts = [];
    this.landed = false;
    this.layer = svg("g", { class: "ac-motion", "aria-hidden": "true" });
    const own = picture.boxOf.get(this.event.node);
    if (own !== undefined) this.boxes.add(own);
    const { land, end } = this.#plan(this.event);
    this.land = land;
    this.duration = end;
    picture.svg.append(this.layer);
    picture.act(this);
  }

  /** Whether anything moves. */
  get empty() { return !this.parts.length; }

  /** @param {TraceEvent} event */
  #plan({ kind, node }) {
    if (kind === "forward") return this.#forward(node);
    if (kind === "backward") return this.#backward();
    if (kind === "accumulate") return this.#accumulate(node);
    return kind === "loss" ? FORWARD : this.#leaves();
  }

  /**
   * The numbers of a node's inputs run down to it.
   * @param {number} node
   */
  #forward(node) {
    const { picture, tape } = this, { edges } = picture.structure, own = picture.boxOf.get(node);
    const routes = new Map(picture.inputs[node].flatMap((edge) => {
      const line = picture.lineOf.get(edge);
      return line === undefined ? [] : [[line, edge]];
    }));
    for (const [line, edge] of routes) {
      const { producer } = edges[edge], box = picture.boxOf.get(producer), { value } = tape.node(producer, this.to);
      if (box === undefined || own === undefined) continue;
      this.boxes.add(box);
      this.lines.add(line);
      this.held.add(own);
      if (!value) continue;
      const path = picture.lines[line].line, label = `↓ ${this.#short(value, false)}`;
      const flyer = this.#flyer("ac-falls", label, finite(value));
      this.#travel(flyer, picture.boxes[box].valuePlace, (t) => along(path, t), picture.boxes[own].valuePlace, FORWARD);
    }
    return FORWARD;
  }

  /** What was sent since the event that is shown climbs along its lines. */
  #backward() {
    const { picture, tape, from, to } = this, { edges, events } = picture.structure, single = to === from + 1;
    const sent = events.slice(from, to).flatMap((event) => event.edges);
    let meets = false;
    for (const index of new Set(sent.map((edge) => picture.lineOf.get(edge)))) {
      if (index === undefined) continue;
      const line = picture.lines[index], own = sent.filter((edge) => picture.lineOf.get(edge) === index);
      const [first] = own, { producer, consumer, rule } = edges[first], box = line.data.from;
      this.boxes.add(box);
      this.lines.add(index);
      this.held.add(box);
      const total = tape.node(consumer, to).gradient;
      const slope = single && own.length === 1 ? slopeText(rule, tape.sent(first), tape, first) : "";
      this.#contribution(line.line, picture.boxes[line.data.to].gradientPlace, picture.boxes[box].gradientPlace,
        total ? this.#short(total, true) : "", slope, line.said(to), !line.bad(to));
      meets = this.#meeting(producer, box) || meets;
    }
    return { land: BACKWARD.land, end: BACKWARD.end + (meets ? ADDITION : 0) };
  }

  /**
   * A number lifts off, meets the slope, becomes the contribution, climbs.
   * @param {SVGPathElement} path of the line, from the producer down to the consumer
   * @param {Point} off
   * @param {Point} into
   * @param {string} total
   * @param {string} rule
   * @param {string} label
   * @param {boolean} sound whether it is finite
   */
  #contribution(path, off, into, total, rule, label, sound) {
    const { meet, turn, travel, enter, land } = BACKWARD, { width } = this.picture.placed;
    const flyer = this.#flyer("ac-climbs", total || label, sound), before = total || label, after = `↑ ${label}`;
    const slope = rule ? new Flyer(this.layer, "ac-slope", rule) : null;
    const near = 1 - OFF / Math.max(OFF, path.getTotalLength()), [x, y] = along(path, near);
    const room = flyer.width + (slope ? slope.width + BESIDE : 0);
    const middle = clamp(x, room / 2 + 2, Math.max(room / 2 + 2, width - room / 2 - 2));
    /** @type {Point} */
    const place = [slope ? middle - room / 2 + flyer.width / 2 : x, y];
    this.parts.push((ms) => {
      flyer.say(ms < turn + (travel - turn) / 2 ? before : after);
      if (slope) {
        slope.put([middle + room / 2 - slope.width / 2 - share(ms, turn, travel) * (room - slope.width) / 2, y],
          share(ms, meet, meet + FADE) * (1 - share(ms, turn, travel)));
      }
      const opacity = share(ms, 0, FADE) * (1 - share(ms, land, land + FADE));
      if (ms < meet) flyer.put(between(off, place, ease(share(ms, 0, meet))), opacity);
      else if (ms < travel) flyer.put(between(place, [x, y], ease(share(ms, turn, travel))), opacity);
      else if (ms < enter) flyer.put(along(path, (1 - ease(share(ms, travel, enter))) * near), opacity);
      else flyer.put(between(along(path, 0), into, ease(share(ms, enter, land))), opacity);
    });
  }

  /**
   * The last of several contributions has come: the addition stands at the box for a moment. Whether it is so.
   * @param {number} node
   * @param {number} box
   */
  #meeting(node, box) {
    const { tape, to, from } = this, { arrived, all } = tape.node(node, to);
    if (arrived.length < 2 || arrived.length < all.length || tape.node(node, from).arrived.length === all.length) {
      return false;
    }
    this.#say(box, addition(arrived.map((edge) => tape.sent(edge))), BACKWARD);
    return true;
  }

  /**
   * @param {number} box
   * @param {string} words
   * @param {{ land: number, end: number }} times
   */
  #say(box, words, { land, end }) {
    const { picture } = this, shown = picture.boxes[box], { gradientPlace: [x], y, height } = shown;
    const flyer = new Flyer(this.layer, "ac-adds", words), half = flyer.width / 2 + 2;
    const above = y - (shown.group.querySelector(".ac-tab") ? ABOVE_TAB : ABOVE), { width } = picture.placed;
    /** @type {Point} */
    const place = [clamp(x, half, Math.max(half, width - half)), above > ABOVE ? above : y + height + ABOVE];
    this.parts.push((ms) => flyer.put(place, share(ms, land, land + FADE) * (1 - share(ms, end + ADDITION - FADE,
      end + ADDITION))));
  }

  /**
   * What has arrived at a leaf is added to its .grad.
   * @param {number} node
   */
  #accumulate(node) {
    const { picture, tape, to } = this, box = picture.boxOf.get(node), { arrived, gradient } = tape.node(node, to);
    if (box === undefined) return ACCUMULATE;
    const terms = arrived.map((edge) => tape.sent(edge)), [before] = tape.numbers.events[to - 1];
    const line = arrived.map((edge) => picture.lineOf.get(edge)).findLast((each) => each !== undefined);
    this.held.add(box);
    if (!gradient || line === undefined) return ACCUMULATE;
    const all = before ? [before, ...terms] : terms, total = sum(terms), path = picture.lines[line].line;
    const label = total ? `↑ ${this.#short(total, true)}` : "↑";
    const flyer = this.#flyer("ac-climbs", label, finite(gradient));
    this.lines.add(line);
    const into = picture.boxes[box].gradientPlace;
    this.#travel(flyer, along(path, 0.5), (t) => along(path, 0.5 - t / 2), into, ACCUMULATE);
    if (all.length < 2) return ACCUMULATE;
    this.#say(box, addition(all), ACCUMULATE);
    return { ...ACCUMULATE, end: ACCUMULATE.end + ADDITION };
  }

  /** A step, or zero_grad: the old number fades out above the new. */
  #leaves() {
    const { picture, tape, from, to } = this, { events } = picture.structure;
    for (let k = from + 1; k <= to; k++) {
      const { kind, node } = events[k - 1], box = picture.boxOf.get(node), [before] = tape.numbers.events[k - 1];
      if (box === undefined || !before || (kind !== "step" && kind !== "zero_grad")) continue;
      this.boxes.add(box);
      const shown = picture.boxes[box], [x, y] = kind === "step" ? shown.valuePlace : shown.gradientPlace;
      const style = kind === "step" ? "ac-falls" : "ac-climbs";
      const flyer = this.#flyer(style, this.#short(before, kind !== "step"), finite(before));
      this.parts.push((ms) => {
        const t = share(ms, 0, LEAVES.end);
        flyer.put([x, y - RISE - RISE * ease(t)], 1 - t);
      });
    }
    return LEAVES;
  }

  /**
   * Off one place, along a line, into another.
   * @param {Flyer} flyer
   * @param {Point} off
   * @param {(t: number) => Point} line
   * @param {Point} into
   * @param {{ travel: number, enter: number, land: number, end: number }} times
   */
  #travel(flyer, off, line, into, { travel, enter, land, end }) {
    this.parts.push((ms) => {
      const opacity = share(ms, 0, FADE / 2) * (1 - share(ms, land, end));
      if (ms < travel) flyer.put(between(off, line(0), ease(share(ms, 0, travel))), opacity);
      else if (ms < enter) flyer.put(line(ease(share(ms, travel, enter))), opacity);
      else flyer.put(between(line(1), into, share(ms, enter, land)), opacity);
    });
  }

  /**
   * @param {string} style
   * @param {string} label
   * @param {boolean} sound whether it is finite
   */
  #flyer(style, label, sound) {
    return new Flyer(this.layer, sound ? style : `${style} ac-bad`, label);
  }

  /**
   * @param {Tensor} tensor
   * @param {boolean} gradient
   */
  #short(tensor, gradient) {
    return this.picture.large ? brief(tensor) : tensorText(tensor, gradient);
  }

  /** Bring the motion to a moment, in ms at the pace 1×. @param {number} ms */
  seek(ms) {
    for (const part of this.parts) part(ms);
    if (this.landed || ms < this.land) return;
    this.landed = true;
    this.held.clear();
    this.picture.landed(this);
  }

  /** It is over, or broken off: everything stands as the event leaves it. */
  finish() {
    this.seek(this.duration);
    this.layer.remove();
    this.picture.act(null);
  }
}

/**
 * The place at a part of a line.
 * @param {SVGPathElement} path
 * @param {number} t
 * @returns {Point}
 */
function along(path, t) {
  const { x, y } = path.getPointAtLength(clamp(t, 0, 1) * path.getTotalLength());
  return [x, y];
}

/** The clock of one motion at a time. */
export class Clock {
  #frame = 0;

  /** @type {Motion | null} */
  motion = null;

  /**
   * @param {Motion} motion
   * @param {number} pace
   * @param {() => void} done
   */
  run(motion, pace, done) {
    this.stop();
    this.motion = motion;
    /** @type {number | null} */
    let began = null;
    /** @param {number} now */
    const tick = (now) => {
      began ??= now;
      const ms = (now - began) * pace;
      if (ms >= motion.duration) {
        this.stop();
        done();
        return;
      }
      motion.seek(ms);
      this.#frame = requestAnimationFrame(tick);
    };
    motion.seek(0);
    this.#frame = requestAnimationFrame(tick);
  }

  stop() {
    cancelAnimationFrame(this.#frame);
    const { motion } = this;
    this.motion = null;
    motion?.finish();
  }
}
