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
/** @import { Box } from "./boxes.js" */
/** @import { Line } from "./lines.js" */
/** @import { Picture } from "./picture.js" */
/** @import { Tape } from "./tape.js" */

/** When each part of a motion begins, in ms at the pace 1×. */
const BACKWARD = { meet: 150, turn: 900, travel: 1000, enter: 1350, land: 1500, end: 1600 };
const FORWARD = { travel: 60, enter: 250, land: 310, end: 350 };
const ACCUMULATE = { travel: 150, enter: 450, land: 700, end: 800 };
const LEAVES = { land: 0, end: 700 };            // step and zero_grad: the old number fades out above the new
const ADDITION = 900;                            // how long the addition stands before its sum does
const FADE = 80;
const RISE = 20, BESIDE = 4, GAP = 10, HIGH = 18;                       // pixels

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
export class Flyer {
  /**
   * @param {SVGElement} parent
   * @param {string} style
   * @param {string} label
   * @param {boolean} [sound] whether what it says is finite
   */
  constructor(parent, style, label, sound = true) {
    this.rect = svg("rect", { height: HIGH, y: -HIGH / 2, rx: style.includes("ac-slope") ? 5 : HIGH / 2 });
    this.text = svg("text", { y: 4, "text-anchor": "middle" });
    this.group = svg("g", { class: `ac-flyer ${style}${sound ? "" : " ac-bad"}`, opacity: 0 }, this.rect, this.text);
    parent.append(this.group);
    this.width = 0;
    this.say(label);
  }

  /** @param {string} label */
  say(label) {
    if (this.text.textContent === label) return;
    write(this.text, label);
    this.width = Math.ceil(measure(label, "bold 12px")) + 14;
    this.rect.setAttribute("width", String(this.width));
    this.rect.setAttribute("x", String(-this.width / 2));
  }

  /** @param {SVGElement} layer */
  into(layer) {
    if (this.group.parentNode !== layer) layer.append(this.group);
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
    this.arrived = this.landed = false;
    /** Numbers move beneath the boxes, so that they cover none; what is said of them stands above. */
    this.under = svg("g", { class: "ac-motion", "aria-hidden": "true" });
    this.over = svg("g", { class: "ac-motion", "aria-hidden": "true" });
    const own = picture.boxOf.get(this.event.node);
    if (own !== undefined) this.boxes.add(own);
    const { land, end } = this.#plan(this.event);
    this.land = land;
    this.duration = end;
    picture.lowest.before(this.under);
    picture.svg.append(this.over);
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

  /** The numbers of a node's inputs run down to it. @param {number} node */
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
      const flyer = new Flyer(this.under, "ac-falls", label, finite(value));
      this.#travel(flyer, picture.boxes[box].valuePlace, (t) => along(path, t), picture.boxes[own].valuePlace, FORWARD);
    }
    return FORWARD;
  }

  /** What was sent since the event that is shown climbs along its lines. */
  #backward() {
    const { picture, tape, from, to } = this, { edges, events } = picture.structure, single = to === from + 1;
    const sent = events.slice(from, to).flatMap((event) => event.edges);
    let meets = false;
    /** How much room above each box is taken already. @type {Map<number, number>} */
    const taken = new Map();
    for (const index of new Set(sent.map((edge) => picture.lineOf.get(edge)))) {
      if (index === undefined) continue;
      const line = picture.lines[index], own = sent.filter((edge) => picture.lineOf.get(edge) === index);
      const [first] = own, { producer, consumer, rule } = edges[first], { from: box, to: off } = line.data;
      this.boxes.add(box);
      this.lines.add(index);
      this.held.add(box);
      const total = tape.node(consumer, to).gradient;
      const waits = picture.boxes[box].data.kind === "leaf";
      const slope = single && own.length === 1 ? slopeText(rule, tape.sent(first), tape, first) : "";
      this.#contribution(line, picture.boxes[off], waits ? null : picture.boxes[box].gradientPlace,
        total ? this.#short(total, true) : "", slope, taken);
      if (!waits) meets = this.#meeting(producer, box) || meets;
    }
    const { land, end } = BACKWARD;
    return meets ? { land: land + ADDITION, end: end + ADDITION } : { land, end };
  }

  /**
   * A number lifts off, meets the slope, becomes the contribution, climbs; to a leaf it comes as far as its door.
   * @param {Line} line
   * @param {Box} box that it leaves
   * @param {Point | null} into
   * @param {string} total
   * @param {string} rule
   * @param {Map<number, number>} taken
   */
  #contribution(line, box, into, total, rule, taken) {
    const { meet, turn, travel, enter, land } = BACKWARD, path = line.line, label = line.text(this.to);
    const flyer = new Flyer(this.under, "ac-climbs", total || label, !line.bad(this.to)), before = total || label;
    const slope = rule ? new Flyer(this.over, "ac-slope", rule) : null, aside = along(path, 1)[0] >= box.x + box.width;
    const width = flyer.width + (slope ? slope.width + BESIDE : 0), used = taken.get(box.index) ?? 0;
    const rest = into ? along(path, 0) : atDoor(line, flyer);
    /** @type {Point} */
    let place;
    /** @type {Point} */
    let there;
    if (aside) {
      place = into ? along(path, 0.6) : rest;
      there = [place[0], place[1] + HIGH + 1];
    } else {
      const right = box.x + box.split + flyer.width / 2 - used, y = box.y - GAP;
      place = [right - (slope ? slope.width + BESIDE : 0) - flyer.width / 2, y];
      there = [right - (slope?.width ?? 0) / 2, y];
      taken.set(box.index, used + width + BESIDE);
    }
    const top = along(path, 1)[1] <= box.y ? 1 - GAP / Math.max(GAP, path.getTotalLength()) : 1;
    this.parts.push((ms) => {
      flyer.say(ms < turn ? before : `↑ ${label}`);
      flyer.into(ms > meet && ms < travel ? this.over : this.under);
      const turned = share(ms, turn, travel);
      slope?.put(between(there, place, turned), share(ms, meet, meet + FADE) * (1 - turned));
      const opacity = share(ms, 0, FADE) * (into ? 1 - share(ms, land - FADE, land) : 1 - share(ms, land, land + 1));
      const begin = into ? along(path, top) : rest;
      if (ms < meet) flyer.put(between(box.gradientPlace, place, ease(share(ms, 0, meet))), opacity);
      else if (ms < travel) flyer.put(between(place, begin, ease(turned)), opacity);
      else if (!into) flyer.put(rest, opacity);
      else if (ms < enter) flyer.put(along(path, top * (1 - ease(share(ms, travel, enter)))), opacity);
      else flyer.put(between(rest, into, ease(share(ms, enter, land))), opacity);
    });
  }

  /**
   * The last of several contributions has come: the addition stands at the box before its sum does. Whether it is so.
   * @param {number} node
   * @param {number} box
   */
  #meeting(node, box) {
    const { tape, to, from } = this, { arrived, all } = tape.node(node, to);
    if (arrived.length < 2 || arrived.length < all.length || tape.node(node, from).arrived.length === all.length) {
      return false;
    }
    this.#say(box, addition(arrived.map((edge) => tape.sent(edge))), BACKWARD.land);
    return true;
  }

  /**
   * Right of the box where nothing stands there, else above it.
   * @param {number} index
   * @param {string} words
   * @param {number} from when
   */
  #say(index, words, from) {
    const { picture } = this, { x, y, width, height } = picture.boxes[index], until = from + ADDITION;
    const flyer = new Flyer(this.over, "ac-adds", words), half = flyer.width / 2;
    const room = picture.svg.viewBox.baseVal.width;
    const beside = x + width + GAP + half, free = beside + half <= room && !picture.lines.some(({ data, line }) =>
      (data.to === index && along(line, 1)[0] >= x + width) || (data.from === index && along(line, 0)[0] >= x + width));
    /** @type {Point} */
    const place = free ? [beside, y + height / 2] : [clamp(x + width - half, half, room - half), y - GAP];
    this.parts.push((ms) => flyer.put(place, share(ms, from, from + FADE) * (1 - share(ms, until, until + FADE))));
  }

  /** What waits at a leaf's door is taken in, and added to its .grad. @param {number} node */
  #accumulate(node) {
    const { picture, tape, to } = this, box = picture.boxOf.get(node), { arrived, gradient } = tape.node(node, to);
    if (box === undefined) return ACCUMULATE;
    const terms = arrived.map((edge) => tape.sent(edge)), [before] = tape.numbers.events[to - 1];
    const from = new Set(arrived.map((edge) => picture.lineOf.get(edge)).filter((each) => each !== undefined));
    this.held.add(box);
    if (!gradient || !from.size) return ACCUMULATE;
    const all = before ? [before, ...terms] : terms, into = picture.boxes[box].gradientPlace;
    for (const index of from) {
      const { line } = picture.lines[index], door = along(line, 0);
      const flyer = new Flyer(this.under, "ac-climbs", `↑ ${picture.lines[index].text(to)}`, finite(gradient));
      this.lines.add(index);
      this.#travel(flyer, atDoor(picture.lines[index], flyer), () => door, into, ACCUMULATE);
    }
    if (all.length < 2) return ACCUMULATE;
    this.#say(box, addition(all), ACCUMULATE.land);
    return { land: ACCUMULATE.land + ADDITION, end: ACCUMULATE.end + ADDITION };
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
      const flyer = new Flyer(this.over, style, this.#short(before, kind !== "step"), finite(before));
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
   * @param {Tensor} tensor
   * @param {boolean} gradient
   */
  #short(tensor, gradient) {
    return this.picture.large ? brief(tensor) : tensorText(tensor, gradient);
  }

  /** Bring the motion to a moment, in ms at the pace 1×. @param {number} ms */
  seek(ms) {
    for (const part of this.parts) part(ms);
    if (!this.arrived && ms >= Math.min(this.land, BACKWARD.land)) {
      this.arrived = true;
      this.picture.flying(this, false);
    }
    if (this.landed || ms < this.land) return;
    this.landed = true;
    this.held.clear();
    this.picture.update(this.to, this.picture.selected);
  }

  /** It is over, or broken off: everything stands as the event leaves it. */
  finish() {
    this.seek(this.duration);
    this.under.remove();
    this.over.remove();
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

/**
 * The door of a leaf: where its line's label stands, or would stand.
 * @param {Line} line
 * @param {Flyer} flyer
 */
function atDoor({ line, rest }, { width }) {
  return rest ?? along(line, (width / 2 + GAP) / Math.max(GAP, line.getTotalLength()));
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
