// The motion of one event. In a backward event every edge makes the same five moves: the gradient lifts off its field,
// the saved tensor sends the slope, the two become the product, the product travels, and it lands. A motion is a
// function of time, so it can be played, sought and tested. The clock is separate.

import { clamp } from "../kit/clamp.js";
import { el, put, svg, write } from "../kit/dom.js";
import { brief, count, finite, tensorText } from "../kit/format.js";
import { measure } from "../kit/text.js";
import { become, told } from "./boxes.js";
import { caption } from "./caption.js";
import { along, areaOf, HIGH, Room } from "./room.js";

/** @import { Tensor } from "../kit/types.d.ts" */
/** @import { Point, Track, TraceEvent } from "./types.d.ts" */
/** @import { Box } from "./boxes.js" */
/** @import { Line } from "./lines.js" */
/** @import { Picture } from "./picture.js" */
/** @import { Tape } from "./tape.js" */

/** When each move begins and when the field fills, in ms at 1×: for a product, and for an event without arithmetic. */
export const MOVES = { lift: 0, slope: 350, product: 1050, travel: 1450, land: 2050, fill: 2250, end: 2500 };
export const PLAIN = { lift: 0, slope: 200, product: 200, travel: 200, land: 700, fill: 800, end: 1000 };

const FADE = 80, SEND = 200, MERGE = 150;        // ms: to appear, from the tab to the number, to become the product
const RISE = 20, BESIDE = 4, GAP = 6, OFF = 1;        // pixels
const FONT = "bold 14px", SMALL = "bold 12px";
const FARTHEST = 0.9;                            // share of an edge within which a number may stop before it travels
const ASIDE = [0, -36, 36];                      // pixels: below or above the boxes at both ends of an edge
const SIDES = /** @type {Point[]} */ ([[-1, 0], [1, 0], [0, -1], [0, 1], [0, -2], [0, 2]]);

/** @typedef {typeof MOVES} Moves */

/**
 * The part of the time between two moments that has passed, 0 to 1.
 * @param {number} ms
 * @param {number} from
 * @param {number} to
 */
export const share = (ms, from, to) => clamp((ms - from) / Math.max(1, to - from), 0, 1);

/** An easing that is slow at both ends. @param {number} t */
export const ease = (t) => (t < 0.5 ? 2 * t * t : 1 - 2 * (1 - t) ** 2);

/**
 * The moves of an event. The field fills later if the terms of a sum stop below it.
 * @param {Moves} moves
 * @param {boolean} meets
 */
const later = (moves, meets) => (meets ? { ...moves, fill: moves.end - FADE } : moves);

/** Whether a gradient is shown as negative. @param {{ class?: Track<string> }} tracks @param {number} k */
const isNegative = (tracks, k) => told(tracks.class, k)?.includes("ac-negative") ?? false;

/** A factor or term, in brackets if it is negative. @param {string} text */
const bracketed = (text) => (text.startsWith("−") ? `(${text})` : text);

/**
 * The slope of an edge as a number if its rule is a product, else the rule.
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

/** A text that can be put anywhere: a number on its way, a slope, a sign, the caption. */
export class Flyer {
  /**
   * @param {SVGElement} parent
   * @param {string} style
   * @param {string} label
   * @param {boolean} [sound] whether its number is finite
   * @param {boolean} [negative]
   */
  constructor(parent, style, label, sound = true, negative = undefined) {
    this.font = /ac-rule/.test(style) ? SMALL : FONT;
    this.rect = svg("rect", { height: HIGH, y: -HIGH / 2, rx: style.includes("ac-slope") ? 5 : HIGH / 2 });
    this.text = svg("text", { y: 5, "text-anchor": "middle" });
    this.group = svg("g", { class: `ac-flyer ${style}${sound ? "" : " ac-bad"}`, opacity: 0 }, this.rect, this.text);
    parent.append(this.group);
    this.width = 0;
    this.say(label, negative);
  }

  /** @param {string} label @param {boolean} negative */
  say(label, negative = label.startsWith("−")) {
    this.group.classList.toggle("ac-negative", negative);
    if (this.text.textContent === label) return;
    write(this.text, label);
    this.group.classList.toggle("ac-zero", label === "0");
    this.width = Math.ceil(measure(label, this.font)) + 16;
    this.rect.setAttribute("width", String(this.width));
    this.rect.setAttribute("x", String(-this.width / 2));
  }

  /** @param {SVGElement} layer */
  into(layer) {
    if (this.group.parentNode !== layer) layer.append(this.group);
  }

  /** @param {Point} middle @param {number} opacity */
  put([x, y], opacity) {
    this.group.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    this.group.setAttribute("opacity", opacity.toFixed(2));
  }
}

/** @param {Point} a @param {Point} b @param {number} t @returns {Point} */
const between = ([ax, ay], [bx, by], t) => [ax + (bx - ax) * t, ay + (by - ay) * t];

/** One motion between two events of a picture. */
export class Motion {
  /**
   * @param {Picture} picture
   * @param {number} from the event that is shown
   * @param {number} to the next event; for a closed fold or a phase of steps, several events later
   */
  constructor(picture, from, to) {
    this.picture = picture;
    this.from = from;
    this.to = to;
    this.tape = picture.view.tape;
    this.event = picture.structure.events[to - 1];
    /** The boxes at both ends of the moving numbers. @type {Set<number>} */
    this.boxes = new Set();
    /** The boxes and lines that change only when the numbers have landed. */
    this.held = { boxes: /** @type {Set<number>} */ (new Set()), lines: /** @type {Set<number>} */ (new Set()) };
    /** The functions that draw each moment. @type {((ms: number) => void)[]} */
    this.parts = [];
    this.landed = false;
    /** Numbers travel below the boxes, and their rules are drawn above the boxes. */
    this.under = svg("g", { class: "ac-motion", "aria-hidden": "true" });
    this.over = svg("g", { class: "ac-motion", "aria-hidden": "true" });
    this.says = el("p", { class: "ac-says", "aria-hidden": "true" });
    this.room = new Room(picture);
    this.own = picture.boxOf.get(this.event.node);
    if (this.own !== undefined) this.boxes.add(this.own);
    this.moves = this.#plan(this.event);
    this.duration = this.moves.end;
    this.seek(0);                                // the numbers and their rules have their positions before the caption
    this.#explain(caption(picture, from, to));
    picture.lowest.before(this.under);
    picture.svg.append(this.over);
    picture.motion = this;
  }

  /** @param {TraceEvent} event */
  #plan({ kind, node }) {
    if (kind === "forward") this.#forward(node);
    else if (kind === "backward") return this.#backward();
    else if (kind === "accumulate") return this.#accumulate(node);
    else if (kind !== "loss") this.#leaves();
    return PLAIN;
  }

  /** Move the values of the inputs of a node down to it. @param {number} node */
  #forward(node) {
    const { picture, tape, own } = this, inputs = picture.structure.edges.flatMap(({ consumer, producer }, edge) => (
      consumer === node ? [/** @type {const} */ ([picture.lineOf.get(edge), producer])] : []));
    for (const [index, producer] of new Map(inputs)) {
      const box = picture.boxOf.get(producer), { value } = tape.node(producer, this.to);
      if (index === undefined || box === undefined || own === undefined) continue;
      this.boxes.add(box);
      this.held.boxes.add(own);
      if (!value) continue;
      const { line } = picture.lines[index], [off, into] = [box, own].map((i) => picture.boxes[i].valuePlace);
      const flyer = new Flyer(this.under, "ac-falls", this.#short(value, false), finite(value));
      this.#carry(flyer, off, (ms) => along(line, ease(share(ms, PLAIN.travel, PLAIN.land))), into, PLAIN);
    }
  }

  /** Move all gradients that were sent since the shown event along their lines, at the same time. */
  #backward() {
    const { picture, tape, from, to } = this, { edges, events } = picture.structure, single = to === from + 1;
    const sent = events.slice(from, to).flatMap((event) => event.edges);
    const indices = new Set(sent.map((edge) => picture.lineOf.get(edge) ?? -1));
    const lines = [...indices].flatMap((i) => picture.lines[i] ?? []);
    const ways = lines.map((line) => {
      const [edge, ...others] = sent.filter((each) => picture.lineOf.get(each) === line.index);
      const { consumer, rule } = edges[edge];
      const slope = single && !others.length ? slopeText(rule, tape.sent(edge), tape, edge) : "";
      const { gradient } = tape.node(consumer, to), sum = gradient ? this.#short(gradient, true) : "";
      return { line, slope, rule, total: sum || line.text(to) };
    });
    const meetings = new Set(lines.map(({ data }) => data.from).filter((index) => this.#meets(index, lines)));
    const moves = later(ways.some(({ slope }) => slope) ? MOVES : PLAIN, meetings.size > 0), tab = this.#tab();
    if (tab) this.parts.push((ms) => tab.classList.toggle("ac-holds", ms < moves.fill));
    // the shortest edges have the fewest free positions
    ways.sort((a, b) => a.line.line.getTotalLength() - b.line.line.getTotalLength());
    const flyers = ways.map((way) => {
      const { index, data } = way.line, box = picture.boxes[data.from];
      this.boxes.add(data.from);
      this.held.boxes.add(data.from);
      this.held.lines.add(index);
      const waits = box.data.kind === "leaf", short = waits ? "width" : meetings.has(data.from) ? "height" : null;
      return { ...this.#contribution(way, waits ? null : box, moves, short), from: data.from };
    });
    for (const index of meetings) {
      const { arrived, gradient } = tape.node(picture.boxes[index].data.nodes[0], from);
      const coming = flyers.filter((each) => each.from === index);
      this.#meet(picture.boxes[index], arrived.length ? gradient : null, coming, moves);
    }
    return moves;
  }

  /**
   * Whether the last of several contributions reaches a box now.
   * @param {number} index
   * @param {Line[]} lines
   */
  #meets(index, lines) {
    const { picture, tape, from, to } = this, [node] = picture.boxes[index].data.nodes;
    const before = tape.node(node, from).arrived.length, { arrived, all } = tape.node(node, to);
    const terms = lines.filter(({ data }) => data.from === index).length + Number(before > 0);
    return terms > 1 && arrived.length === all.length && picture.boxes[index].data.kind !== "leaf";
  }

  /** The tab of the saved tensors of the node, if there is one. */
  #tab() { return this.picture.boxes[this.own ?? -1]?.group.querySelector(".ac-tab"); }

  /**
   * The five moves along one edge, which takes its color and width behind the number. A number for a leaf waits at the
   * end of the edge, because the leaf accumulates it only in its next event.
   * @param {{ line: Line, slope: string, rule: string, total: string }} way
   * @param {Box | null} target that it enters
   * @param {Moves} moves
   * @param {"width" | "height" | null} short by which of its sides it stops before the end, if it does
   */
  #contribution({ line, slope, rule, total }, target, moves, short) {
    const { travel, land, product } = moves, path = line.line, length = path.getTotalLength();
    const label = line.text(this.to), box = this.picture.boxes[line.data.to], { boxes, lines } = this.picture.changes;
    const begins = isNegative(boxes[line.data.to], this.to), ends = isNegative(lines[line.index], this.to);
    const flyer = new Flyer(this.over, "ac-climbs", total, !line.bad(this.to)), { width } = flyer;
    flyer.say(label);
    const factor = slope ? new Flyer(this.over, "ac-slope", slope) : null, most = Math.max(width, flyer.width);
    const { off, side, aside } = this.#rest(path, most, factor?.width ?? 0), rest = moved(along(path, 1 - off), aside);
    const apart = short ? (short === "width" ? flyer.width : HIGH) / 2 + GAP : 0;
    const last = Math.min(1 - off, apart / Math.max(GAP, length));
    const trail = this.#trail(line);
    if (factor) this.#slope(factor, box, rest, side, { width, most, total, slope, rule }, moves);
    /** @param {number} ms */
    const place = (ms) => {
      const gone = ease(share(ms, travel, land)), t = (1 - off) + (last - 1 + off) * gone;
      trail(ms < travel ? 0 : 1 - t);
      if (ms < product + MERGE) flyer.say(total, begins); else flyer.say(label, ends);
      const on = moved(along(path, t), aside * (1 - gone)), beside = this.room.clear(on, flyer.width, [box, target]);
      return between(on, beside, clamp(6 * Math.min(gone, 1 - gone), 0, 1));
    };
    const tight = short === "width" && this.picture.svg.classList.contains("ac-narrow"), above = tight ? land : travel;
    this.#carry(flyer, box.gradientPlace, place, target?.gradientPlace ?? null, moves, above);
    return { flyer, way: place };
  }

  /**
   * Where a number stops to meet its slope: the part of its edge, and the side of the number on which the slope is. If
   * the edge has no free position, the number stops `aside` of it.
   * @param {SVGPathElement} path
   * @param {number} width
   * @param {number} beside
   * @returns {{ off: number, side: Point, aside: number }}
   */
  #rest(path, width, beside) {
    const length = Math.max(1, path.getTotalLength()), least = HIGH / 2 + OFF;
    /** @param {number} at @param {Point} side @param {number} aside */
    const areas = (at, side, aside) => {
      const middle = moved(along(path, 1 - at / length), aside), next = nextTo(middle, side, width, beside);
      return beside ? [areaOf(middle, width), areaOf(next, beside)] : [areaOf(middle, width)];
    };
    const first = Math.min(length / 2, least);
    let found = { at: first, side: SIDES[0], aside: 0, hits: Infinity };
    for (const aside of ASIDE) {
      for (let at = first; at <= Math.max(first, length * FARTHEST) && found.hits; at += 4) {
        for (const side of SIDES) {
          const hits = this.room.hits(areas(at, side, aside));
          if (hits < found.hits) found = { at, side, aside, hits };
        }
      }
    }
    this.room.taken.push(...areas(found.at, found.side, found.aside));
    return { off: found.at / length, side: found.side, aside: found.aside };
  }

  /**
   * The saved tensor sends the slope, which merges with the number. Its tab is solid while its value is used.
   * @param {Flyer} factor
   * @param {Box} box
   * @param {Point} rest of the number
   * @param {Point} side of the number at which the slope stands
   * @param {{ width: number, most: number, total: string, slope: string, rule: string }} is
   * @param {Moves} moves
   */
  #slope(factor, box, rest, side, { width, most, total, slope, rule }, { slope: begins, product, travel, land }) {
    const tab = this.#tab(), size = Number(tab?.querySelector("rect")?.getAttribute("width"));
    /** @type {Point} */
    const from = tab ? [box.x + 6 + size / 2, box.y - 8] : [box.x + 22, box.y + box.height / 2];
    const place = nextTo(rest, side, width, factor.width), number = slope.startsWith("× ") ? slope.slice(2) : "";
    if (number && side[0] < 0) factor.say(`${number} ×`);
    const named = number && /^× (?!\(?(?:input|other)).*[a-z]/i.test(rule);
    const words = named && rule.slice(2).replace(/^\(([^()]*)\)$/, "$1");
    const sum = `${number} × ${bracketed(total)}`;
    /** The rules next to the numbers, once all numbers have a position. @type {((opacity: number) => void)[] | null} */
    let said = null;
    const say = () => {
      const formula = words && this.#beside(place, factor.width, `slope = ${words}`, SIDES);
      const equation = number && (this.#beside(rest, most, `${sum} =`, [SIDES[0]])
        || this.#beside(rest, most, `= ${sum}`, SIDES.slice(1)));
      return [formula || (() => {}), equation || (() => {})];
    };
    this.parts.push((ms) => {
      tab?.classList.toggle("ac-sends", ms >= begins && ms < land);
      const merged = share(ms, product, product + MERGE), sent = ease(share(ms, begins, begins + SEND));
      const here = between(from, place, sent);
      factor.put(between(here, rest, ease(merged)), share(ms, begins, begins + FADE) * (1 - merged));
      const [formula, equation] = said ??= say();
      formula(share(ms, begins + SEND, begins + SEND + FADE) * (1 - merged));
      equation(merged * (1 - share(ms, travel, travel + SEND)));
    });
  }

  /**
   * Words next to a text with this middle and width, on the first side that has room for them, or null.
   * @param {Point} middle
   * @param {number} width
   * @param {string} words
   * @param {Point[]} sides
   */
  #beside(middle, width, words, sides) {
    const flyer = new Flyer(this.over, "ac-rule", words);
    const place = sides.map((side) => nextTo(middle, side, width, flyer.width))
      .find((each) => !this.room.hits([areaOf(each, flyer.width)]));
    if (!place) return flyer.group.remove(), null;
    this.room.taken.push(areaOf(place, flyer.width));
    return (/** @type {number} */ opacity) => flyer.put(place, opacity);
  }

  /** The line in its new color and width, up to the position of its number. @param {Line} line */
  #trail({ index, line, group: drawn }) {
    const { class: style, weight } = this.picture.changes.lines[index];
    const group = /** @type {SVGGElement} */ (drawn.cloneNode());
    const path = /** @type {SVGPathElement} */ (line.cloneNode());
    become(group, told(style, this.to) ?? "");
    group.classList.add("ac-trail");
    group.style.setProperty("--ac-weight", String(told(weight, this.to) ?? ""));
    put(path, "pathLength", 1);
    group.append(path);
    this.under.prepend(group);
    return (/** @type {number} */ part) => put(path, "stroke-dasharray", `0 ${1 - part} ${part} 0`);
  }

  /**
   * The terms of a sum stop below the field, with "+" between them, before the field takes their sum.
   * @param {Box} box
   * @param {Tensor | null} before what the field holds
   * @param {{ flyer: Flyer, way: (ms: number) => Point }[]} coming
   * @param {Moves} moves
   */
  #meet(box, before, coming, { land, fill }) {
    const into = box.gradientPlace, y = box.y + box.height + GAP + HIGH / 2;
    const label = before && this.#short(before, true), { boxes } = this.picture.changes, at = boxes[box.index];
    const old = label && new Flyer(this.over, "ac-climbs", label, finite(before), isNegative(at, this.from));
    const held = old ? [{ flyer: old, way: () => into }] : [];
    const terms = [...held, ...coming], begin = land - SEND, halt = fill - SEND / 2, apart = 30;
    const signs = terms.slice(1).map(() => new Flyer(this.over, "ac-plus", "+"));
    const wide = terms.reduce((total, { flyer }) => total + flyer.width, apart * signs.length);
    let left = clamp(into[0] - wide / 2, this.room.left, Math.max(this.room.left, this.room.right - wide));
    terms.forEach(({ flyer, way }, i) => {
      const place = /** @type {Point} */ ([left + flyer.width / 2, y]), sign = signs[i];
      left += flyer.width + apart;
      const after = /** @type {Point} */ ([left - apart / 2, y]);
      this.parts.push((ms) => {
        sign?.put(after, share(ms, land - FADE, land) * (1 - share(ms, halt, fill)));
        if (ms < begin) return;
        flyer.into(this.over);
        const there = ms < halt ? between(way(ms), place, ease(share(ms, begin, land)))
          : between(place, into, ease(share(ms, halt, fill)));
        const here = i < held.length ? share(ms, begin, begin + FADE) : 1;
        flyer.put(there, here * (1 - share(ms, fill - FADE / 2, fill)));
      });
    });
  }

  /** Accumulate the waiting numbers into the .grad of a leaf. @param {number} node */
  #accumulate(node) {
    const { picture, tape, to, own } = this, { arrived, gradient } = tape.node(node, to);
    const indices = new Set(arrived.map((edge) => picture.lineOf.get(edge)).filter((each) => each !== undefined));
    if (own === undefined) return PLAIN;
    this.held.boxes.add(own);
    const box = picture.boxes[own], [before] = tape.numbers.events[to - 1], into = box.gradientPlace;
    const moves = later(PLAIN, indices.size + Number(Boolean(before)) > 1), { travel, land } = moves;
    const coming = [...indices].map((index) => {
      const { line } = picture.lines[index], length = line.getTotalLength();
      const label = picture.lines[index].text(to), negative = isNegative(picture.changes.lines[index], to);
      const flyer = new Flyer(this.under, "ac-climbs", label, finite(gradient), negative);
      const door = Math.min(0.5, (flyer.width / 2 + GAP) / Math.max(GAP, length));
      const way = (/** @type {number} */ ms) => along(line, door * (1 - share(ms, travel, land)));
      this.#carry(flyer, along(line, door), way, into, moves);
      return { flyer, way };
    });
    if (coming.length + Number(Boolean(before)) > 1) this.#meet(box, before, coming, moves);
    return moves;
  }

  /** For step and zero_grad, the old number fades out above the new one. */
  #leaves() {
    const { picture, tape, from, to } = this, { events } = picture.structure;
    for (let k = from + 1; k <= to; k++) {
      const { kind, node } = events[k - 1], box = picture.boxOf.get(node), [before] = tape.numbers.events[k - 1];
      if (box === undefined || !before || (kind !== "step" && kind !== "zero_grad")) continue;
      this.boxes.add(box);
      const shown = picture.boxes[box], [x, y] = kind === "step" ? shown.valuePlace : shown.gradientPlace;
      const style = kind === "step" ? "ac-falls" : "ac-climbs";
      const label = this.#short(before, kind !== "step"), negative = isNegative(picture.changes.boxes[box], k - 1);
      const flyer = new Flyer(this.over, style, label, finite(before), negative);
      this.parts.push((ms) => {
        const t = share(ms, 0, PLAIN.end);
        flyer.put([x, y - RISE - RISE * ease(t)], 1 - t);
      });
    }
  }

  /**
   * Move a number from one place along a line, and into another place if there is one.
   * @param {Flyer} flyer
   * @param {Point} off
   * @param {(ms: number) => Point} way
   * @param {Point | null} into
   * @param {Moves} moves
   * @param {number} [above] until when it is seen above the boxes
   */
  #carry(flyer, off, way, into, { slope, land, fill }, above = 0) {
    this.parts.push((ms) => {
      const opacity = share(ms, 0, FADE) * (1 - share(ms, into ? fill - FADE : fill, fill + 1)), on = way(ms);
      flyer.into(ms < above ? this.over : this.under);
      if (ms < slope) flyer.put(between(off, on, ease(share(ms, 0, slope))), opacity);
      else flyer.put(into && ms > land ? between(on, into, ease(share(ms, land, fill))) : on, opacity);
    });
  }

  /** Show the caption at the nearest free place. It does not change. @param {string} words */
  #explain(words) {
    const { picture, own, says, room } = this, { canvas } = picture.view;
    if (own === undefined || !words) return;
    write(says, words);
    canvas.box.append(says);
    const { zoom, origin } = room, [wide, high] = [says.offsetWidth / zoom, says.offsetHeight / zoom];
    const place = room.nearest(picture, picture.boxes[own], wide, high);
    if (!place) return says.remove();
    room.taken.push({ x: place[0], y: place[1], width: wide, height: high });
    says.style.translate = place.map((each, i) => `${origin[i] + each * zoom}px`).join(" ");
  }

  /** @param {Tensor} tensor @param {boolean} gradient */
  #short(tensor, gradient) {
    return this.picture.large ? brief(tensor) : tensorText(tensor, gradient);
  }

  /** Bring the motion to a moment, in ms at the pace 1×. @param {number} ms */
  seek(ms) {
    for (const part of this.parts) part(ms);
    if (this.landed || ms < this.moves.fill) return;
    this.landed = true;
    this.held.boxes.clear();
    this.held.lines.clear();
    this.picture.update(this.to, this.picture.view.selected);
  }

  /** End the motion: the picture shows the state after the event. */
  finish() {
    this.seek(this.duration);
    this.under.remove();
    this.over.remove();
    this.says.remove();
    this.picture.motion = null;
  }
}

/** @param {Point} at @param {number} down @returns {Point} */
const moved = ([x, y], down) => [x, y + down];

/**
 * The middle of a text next to another.
 * @param {Point} middle
 * @param {Point} side
 * @param {number} width of the other
 * @param {number} own
 * @returns {Point}
 */
const nextTo = ([x, y], [right, down], width, own) =>
  [x + right * ((width + own) / 2 + BESIDE), y + down * (HIGH + BESIDE)];

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
