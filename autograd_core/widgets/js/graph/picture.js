// The picture of a graph: drawn by Python, brought to an event here.

import { all, el, put, uniqueId, write } from "../kit/dom.js";
import { become, Box, told } from "./boxes.js";
import { Line } from "./lines.js";
import { PHASE } from "./tape.js";

/** @import { Drawn, Structure, TraceEvent } from "./types.d.ts" */
/** @import { Motion } from "./motion.js" */
/** @import { View } from "./view.js" */

const SIDE = 6;                                  // pixels from the side of the picture to a band
const NEAREST_FIRST = ["operation", "severed", "leaf", "frozen", "constant"];

export class Picture {
  /**
   * @param {View} view
   * @param {Structure} structure
   * @param {Drawn} drawn
   * @param {number} level which of the layouts, from the widest
   */
  constructor(view, structure, drawn, level) {
    const { boxes, lines, layouts, large } = drawn, placed = layouts[level];
    this.view = view;
    this.drawn = drawn;
    this.placed = placed;
    this.large = large;
    /** What moves right now. @type {Motion | null} */
    this.motion = null;
    /** How often ↑ and ↓ led away from a box. @type {Map<string, number>} */
    this.turns = new Map();
    const room = el("div");
    room.innerHTML = placed.svg;                 // drawn by Python, which has escaped every word of a person
    /** @type {SVGSVGElement} */
    this.svg = /** @type {any} */ (room.firstElementChild);
    this.own();
    /** The box of each node. */
    this.boxOf = new Map(boxes.flatMap(({ nodes }, i) => nodes.map((node) => [node, i])));
    /** The line of each edge. */
    this.lineOf = new Map(lines.flatMap(({ edges }, i) => edges.map((edge) => [edge, i])));
    /** The line of each transpose that is a circle on it. */
    this.folded = new Map(large ? [] : lines.flatMap(({ dots }, i) => dots.map(([node]) => [node, i])));
    structure.edges.forEach(({ consumer }, edge) => {
      const line = this.folded.get(consumer);
      if (line !== undefined) this.lineOf.set(edge, line);
    });
    const pills = new Map(all(this.svg, ".ac-pill").map((group) => [Number(group.dataset.line), group]));
    /** @type {Box[]} */
    this.boxes = [];
    for (const group of all(this.svg, ".ac-node")) {
      const i = Number(group.dataset.box);
      this.boxes[i] = new Box(this, i, boxes[i], placed.boxes[i], group);
    }
    this.lines = all(this.svg, ".ac-edge").map((group, i) => new Line(this, i, lines[i], group, pills.get(i)));
    this.bands = all(this.svg, ".ac-band, .ac-source");
    /** The ground of each band, and where it is. @type {[floor: Element, x: number, width: number][]} */
    this.floors = all(this.svg, ".ac-floor").map((floor) => (
      [floor, Number(floor.getAttribute("x")), Number(floor.getAttribute("width"))]));
    this.start = all(this.svg, ".ac-start").at(0);
    this.legend = all(this.svg, ".ac-legend")[0];
    /** The lowest of the boxes, frames aside: what moves beneath all of them is put before it. */
    this.lowest = all(this.svg, ".ac-node:not(.ac-frame)")[0];
  }

  get structure() { return this.view.structure; }

  /** What changes in it, by the engine whose numbers are shown. */
  get changes() { return this.view.changes[this.view.engine]; }

  /** Its patterns get names that no other picture on the page has. */
  own() {
    for (const pattern of all(this.svg, "defs > *")) {
      const name = pattern.id;
      pattern.id = uniqueId();
      this.svg.style.setProperty(`--${name}`, `url(#${pattern.id})`);
    }
  }

  /**
   * Draw it `zoom` times as large, in the middle of `room`, and let the bands reach across all of it.
   * @param {number} room
   * @param {number} zoom
   */
  size(room, zoom) {
    const { height, width: own } = this.placed, width = Math.max(own, Math.floor(room / zoom));
    const aside = (width - own) / 2;
    put(this.svg, "viewBox", `${-aside} 0 ${width} ${height}`);
    put(this.svg, "width", width * zoom);
    put(this.svg, "height", height * zoom);
    this.svg.style.setProperty("--ac-zoom", String(zoom));
    for (const [floor, x, wide] of this.floors) {
      const left = x <= SIDE ? aside : 0, right = x + wide >= own - SIDE ? aside : 0;
      put(floor, "x", x - left);
      put(floor, "width", wide + left + right);
    }
  }

  /**
   * Where ↑ and ↓ lead from a box: along a line, to an input or to a consumer. Asked again, along the next line.
   * @param {number} index
   * @param {number} direction -1 is up
   */
  neighbour(index, direction) {
    const { boxes, lines } = this.drawn;
    const near = direction < 0 ? lines.filter(({ to }) => to === index).map(({ from }) => from)
      : lines.filter(({ from }) => from === index).map(({ to }) => to);
    /** @param {number} i */
    const rank = (i) => boxes[i].nodes.length > 1 ? 0
      : NEAREST_FIRST.indexOf(this.structure.nodes[boxes[i].nodes[0]].kind);
    const ends = [...new Set(near)].sort((a, b) => rank(a) - rank(b));
    if (!ends.length) return index;
    const key = `${direction} ${index}`, turn = this.turns.get(key) ?? 0;
    this.turns.set(key, turn + 1);
    return ends[turn % ends.length];
  }

  // ---- event k is shown ----

  /**
   * @param {number} k
   * @param {number | null} selected
   */
  update(k, selected) {
    const event = k ? this.structure.events[k - 1] : null, { held, from } = this.motion ?? { held: null, from: k };
    this.boxes.forEach((box, i) => box.update(held?.boxes.has(i) ? from : k, event, selected));
    this.lines.forEach((line, i) => line.update(held?.lines.has(i) ? from : k));
    become(this.svg, `ac-in-${event ? PHASE[event.kind] : "idle"}`);
    this.markBands(event);
    const sizes = told(this.changes.legend, k) ?? [];
    this.legend.classList.toggle("ac-shown", sizes.length > 0);
    all(this.legend, "[data-slot]").forEach((text, i) => write(text, sizes[i] ?? ""));
    if (!this.start) return;
    const words = told(this.changes.start, k) ?? "";
    this.start.classList.toggle("ac-shown", words !== "");
    // the hidden words take their room too, so that no caption is there when they appear
    const always = words || told(this.changes.start, Infinity) || "";
    write(/** @type {Element} */ (this.start.querySelector("[data-slot]")), always);
  }

  /** @param {TraceEvent | null} event */
  markBands(event) {
    const line = event ? this.structure.nodes[event.node].line : null;
    for (const each of this.bands) each.classList.toggle("ac-now", line !== null && Number(each.dataset.line) === line);
  }
}
