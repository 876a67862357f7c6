// The picture of a graph: drawn once from boxes and lines, then brought to an event.

import { put, svg, uniqueId, write } from "../kit/dom.js";
import { tensorText } from "../kit/format.js";
import { boxOf, text } from "./boxes.js";
import { Line } from "./lines.js";
import { PHASE } from "./tape.js";

/** @import { Anchor, Band, Drawn, Structure, TraceEvent } from "./types.d.ts" */
/** @import { Motion } from "./motion.js" */
/** @import { Tape } from "./tape.js" */
/** @import { View } from "./view.js" */

const FAR = 40;                                  // events; of a longer jump every box is brought to its new state
const NEAREST_FIRST = ["operation", "severed", "leaf", "frozen", "constant"];

export class Picture {
  /**
   * @param {View} view
   * @param {Structure} structure
   * @param {Drawn} drawn
   * @param {number} level 0 for a wide, 1 for a narrow, 2 for a slim page
   */
  constructor(view, structure, drawn, level) {
    const { boxes, lines, layouts, large } = drawn, placed = layouts[Math.min(level, layouts.length - 1)];
    this.view = view;
    this.structure = structure;
    this.drawn = drawn;
    this.placed = placed;
    this.slim = level === 2 && !large;
    this.large = large;
    this.inset = this.slim ? 4 : 12;             // of the bands
    this.largest = 0;
    /** What is shown: an event, what was selected, and whose numbers. @type {number | null} */
    this.at = null;
    /** @type {number | null} */
    this.selected = null;
    /** @type {Tape | null} */
    this.tape = null;
    this.phase = "";
    /** What moves right now. @type {Motion | null} */
    this.motion = null;
    /** What takes part in it, or took part last while it is played. @type {Element[]} */
    this.acting = [];
    /** How often ↑ and ↓ led away from a box. @type {Map<string, number>} */
    this.turns = new Map();
    const { width, height } = placed, look = { class: `ac-picture${large ? " ac-large" : ""}`, width, height };
    this.svg = svg("svg", { ...look, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Graph" });
    this.stripes();
    /** The box of each node. */
    this.boxOf = new Map(boxes.flatMap(({ nodes }, i) => nodes.map((node) => [node, i])));
    this.bands = placed.bands.map((band) => this.band(band));
    this.boxes = boxes.map((box, i) => boxOf(this, box, placed.boxes[i]));
    this.boxes.forEach(({ group }, i) => { group.dataset.box = String(i); });
    this.lines = lines.map((line, i) => new Line(this, line, placed.routes[i]));
    /** The line of each edge. */
    this.lineOf = new Map(lines.flatMap(({ edges }, i) => edges.map((edge) => [edge, i])));
    const groups = this.boxes.map(({ group }) => group);
    const frames = groups.filter((_, i) => boxes[i].kind === "frame");
    this.svg.append(...frames, ...this.lines.map(({ group }) => group),
      ...this.bands.map(({ source }) => source), ...groups.filter((group) => !frames.includes(group)),
      ...this.lines.flatMap(({ pill }) => (pill ? [pill.group] : [])));
    /** The edges into each node. @type {number[][]} */
    this.inputs = structure.nodes.map(() => []);
    structure.edges.forEach(({ consumer }, i) => this.inputs[consumer].push(i));
    if (placed.legend) this.svg.append(legend(...placed.legend));
    this.start = this.startNote();
  }

  get root() { return this.structure.root; }

  /** What is nan or inf is striped, what waits half filled: patterns, by names that no other picture has. */
  stripes() {
    const striped = uniqueId(), half = uniqueId();
    this.svg.style.setProperty("--ac-striped", `url(#${striped})`);
    this.svg.style.setProperty("--ac-filled-half", `url(#${half})`);
    this.svg.append(svg("defs", {},
      svg("pattern",
        { id: striped, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
        svg("rect", { class: "ac-stripe-ground", width: 7, height: 7 }),
        svg("rect", { class: "ac-stripe", width: 2, height: 7 })),
      svg("linearGradient", { id: half, x1: 0, y1: 1, x2: 0, y2: 0 },
        svg("stop", { class: "ac-filled", offset: "50%" }), svg("stop", { class: "ac-unfilled", offset: "50%" }))));
  }

  /**
   * The band of a source line, and the line itself.
   * @param {Band} band
   */
  band([y, height, line, code, pieces]) {
    const x = this.inset;
    const ground = svg("rect", { x, y, width: this.placed.width - 2 * x, height, rx: 6 });
    const bar = svg("rect", { class: "ac-bar", x, y, width: 3, height, rx: 1 });
    const group = svg("g", { class: "ac-band" }, ground, bar);
    const source = svg("g", { class: "ac-source" }, svg("title", {}, line === null ? "" : this.structure.source[line]));
    pieces.forEach((piece, i) => source.append(text(code, y + (this.slim ? 19 : 26) + 19 * i, "", piece)));
    this.svg.append(group);
    return { group, ground, source, line };
  }

  /**
   * Draw it `zoom` times as large, and let the bands reach across `room`.
   * @param {number} room
   * @param {number} zoom
   */
  size(room, zoom) {
    const { height } = this.placed, width = Math.max(this.placed.width, Math.floor(room / zoom));
    put(this.svg, "viewBox", `0 0 ${width} ${height}`);
    put(this.svg, "width", width * zoom);
    put(this.svg, "height", height * zoom);
    for (const { ground } of this.bands) put(ground, "width", width - 2 * this.inset);
  }

  /** The note at the box where backward() starts. */
  startNote() {
    const { nodes, root } = this.structure;
    if (!nodes[root].ran || !this.placed.start) return null;
    const [right, y] = this.placed.start, gradient = text(right + 44, y + 36, "ac-gradient ac-b");
    const group = svg("g", { class: "ac-start", "aria-hidden": "true" },
      svg("path", { d: `M${right + 34} ${y + 23}h-24` }),
      svg("path", { class: "ac-tip", d: `M${right + 2} ${y + 23}l9 -4.5v9z` }),
      text(right + 44, y + 20, "", "backward() starts here:"), gradient);
    this.svg.append(group);
    return { group, gradient };
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
    const { tape } = this.view, event = k ? this.structure.events[k - 1] : null;
    const [boxes, lines] = this.changed(k, selected);
    if (this.tape !== tape) this.largest = tape.largestSent();
    for (const i of boxes) this.boxes[i].update(this.motion?.held.has(i) ? this.motion.from : k, event, selected);
    for (const i of lines) this.lines[i].update(k);
    if (!this.motion && !this.view.playing) this.mark([]);
    this.at = k;
    this.selected = selected;
    this.tape = tape;
    this.paint(`ac-in-${event ? PHASE[event.kind] : "idle"}`);
    this.markBands(event);
    if (this.start) {
      const { nodes, root, name } = this.structure, [first] = tape.numbers.events[nodes[root].ran - 1];
      this.start.group.classList.toggle("ac-shown", tape.node(root, k).done);
      write(this.start.gradient, `∂ ${name} / ∂ ${name} = ${tensorText(first)}`);
    }
  }

  /** @param {TraceEvent | null} event */
  markBands(event) {
    const line = event ? this.structure.nodes[event.node].line : null;
    for (const band of this.bands) {
      const now = line !== null && band.line === line;
      for (const part of [band.group, band.source]) part.classList.toggle("ac-now", now);
    }
  }

  /**
   * A class at the root makes the browser look at every box again: it is changed when it has to be.
   * @param {string} phase
   */
  paint(phase) {
    if (phase === this.phase) return;
    if (this.phase) this.svg.classList.remove(this.phase);
    this.svg.classList.add(phase);
    this.phase = phase;
  }

  /**
   * The boxes and lines that differ from what is shown: all, unless few events lie between.
   * @param {number} k
   * @param {number | null} selected
   * @returns {[boxes: Iterable<number>, lines: Iterable<number>]}
   */
  changed(k, selected) {
    const { events, edges } = this.structure, { at } = this;
    if (at === null || this.tape !== this.view.tape || !at !== !k || Math.abs(at - k) > FAR) {
      return [this.boxes.keys(), this.lines.keys()];
    }
    /** @type {Set<number>} */
    const sent = new Set();
    const nodes = new Set([selected, this.selected].filter((node) => node !== null));
    for (const event of events.slice(Math.max(0, Math.min(at, k) - 1), Math.max(at, k))) {
      nodes.add(event.node);
      for (const edge of event.edges) {
        sent.add(edge);
        nodes.add(edges[edge].producer);
      }
      if (event.kind === "forward") this.inputs[event.node].forEach((edge) => sent.add(edge));
    }
    return [placesOf(nodes, this.boxOf), placesOf(sent, this.lineOf)];
  }

  /**
   * A motion begins, or ends with null: what takes no part in it is dimmed, also between two events that are played.
   * @param {Motion | null} motion
   */
  act(motion) {
    this.motion = motion;
    if (motion) {
      this.mark([...[...motion.boxes].map((i) => this.boxes[i].group),
        ...[...motion.lines].flatMap((i) => [this.lines[i].group, this.lines[i].pill?.group ?? []].flat())]);
      if (motion.event.kind === "backward") this.flying(motion, true);
    } else if (!this.view.playing) this.mark([]);
  }

  /** @param {Element[]} acting */
  mark(acting) {
    if (!acting.length && !this.acting.length) return;
    for (const each of this.acting) each.classList.remove("ac-acts");
    for (const each of acting) each.classList.add("ac-acts");
    this.svg.classList.toggle("ac-acting", acting.length > 0);
    this.acting = acting;
  }

  /**
   * The label of a line is not at its place before the number that it shows has landed.
   * @param {Motion} motion
   * @param {boolean} on
   */
  flying({ lines }, on) {
    for (const i of lines) this.lines[i].pill?.group.classList.toggle("ac-flying", on);
  }

  /** What a motion has brought is in its place. @param {Motion} motion */
  landed(motion) {
    this.flying(motion, false);
    this.update(motion.to, this.selected);
  }
}

/**
 * Where these nodes or edges are drawn.
 * @param {Set<number>} keys
 * @param {Map<number, number>} places
 */
function placesOf(keys, places) {
  const found = [...keys].map((key) => places.get(key)).filter((place) => place !== undefined);
  return new Set(found);
}

/**
 * @param {number} x
 * @param {number} y
 */
function legend(x, y) {
  /** @param {number} dx @param {number} dy @param {string} style @param {string} content @param {Anchor} [anchor] */
  const at = (dx, dy, style, content, anchor) => text(x + dx, y + dy, style, content, anchor);
  /** @param {string} style @param {number} dx @param {number} dy @param {number} width @param {number} height */
  const box = (style, dx, dy, width, height, rx = height / 2) =>
    svg("rect", { x: x + dx, y: y + dy, width, height, rx, class: style });
  return svg("g", { class: "ac-legend", "aria-hidden": "true" }, at(0, 2, "ac-q ac-b", "Each box"),
    box("ac-card", 0, 12, 62, 26, 6), at(31, 29, "ac-value", "value", "middle"),
    box("ac-tint", 62, 12, 66, 26, 0), at(95, 29, "ac-gradient", "gradient", "middle"),
    box("ac-sent", 138, 15, 28, 20), at(152, 29, "ac-gradient", "↑", "middle"), at(174, 29, "", "sent on edge"),
    svg("path", { class: "ac-arrow", d: `M${x} ${y + 54}h24` }),
    svg("path", { class: "ac-tip", d: `M${x + 32} ${y + 54}l-9 -4.5v9z` }), at(40, 58, "", "not run yet"),
    box("ac-ink", 138, 45, 28, 18), at(174, 58, "", "leaf, keeps .grad"));
}
