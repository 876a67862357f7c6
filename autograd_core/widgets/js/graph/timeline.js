// The timeline: one place for each event, a bar for each phase; the keyboard and the pointer move along it.

import { clamp } from "../kit/clamp.js";
import { closest, el, put, svg, write } from "../kit/dom.js";
import { tensorText } from "../kit/format.js";
import { fit, fitPath, measure } from "../kit/text.js";
import { PHASE } from "./tape.js";

/** @import { Drawn, EventKind, PhaseName, Structure, TraceEvent } from "./types.d.ts" */
/** @import { View } from "./view.js" */

const RAIL = 41, LOW_RAIL = 62;                  // the height of the events' line; below two rows of bars
const FIRST = 40, BEFORE = 12;                   // where the first event stands; the place before it is at its left
const LABEL = 110;                               // pixels for a name below the rail
const LEAST_STEP = 5;                            // pixels; events that are nearer to each other have no dots

/** What is no circle on the rail; of radius 1. @type {Partial<Record<EventKind, string>>} */
const MARKS = { loss: "M-1-1h2v2h-2z", accumulate: "M0-1.4l1.4 1.4-1.4 1.4-1.4-1.4z", step: "M0-1.2l1.3 2.2h-2.6z" };
const CIRCLE = "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0";

/** Which events are labelled first. @type {Partial<Record<EventKind, number>>} */
const LABELLED = { loss: 1, accumulate: 2, step: 3, zero_grad: 3 };
const END_OF_FORWARD = 4;

/** @typedef {{ first: number, last: number }} Span from one event to another */
/** @typedef {{ from: number, to: number }} Extent from one pixel to another */

/**
 * What has the same key and follows each other: from the first such event to the last.
 * @template Key
 * @param {Key[]} keys of all events
 */
function spansOf(keys) {
  /** @type {(Span & { key: Key })[]} */
  const spans = [];
  keys.forEach((key, i) => {
    const last = spans.at(-1);
    if (last?.key === key) last.last = i + 1; else spans.push({ key, first: i + 1, last: i + 1 });
  });
  return spans;
}

/** The phases, in their order. @param {Pick<TraceEvent, "kind">[]} events */
export function phasesOf(events) {
  return spansOf(events.map(({ kind }) => PHASE[kind])).map(({ key: name, first, last }) => ({ name, first, last }));
}

/**
 * In a large graph: the events of one fold, or of one node outside of all, that follow each other.
 * @param {Pick<TraceEvent, "kind" | "node">[]} events
 * @param {string[]} parts the names of folds and nodes
 * @param {number[]} groups which of them each node belongs to, or -1
 */
export function groupsOf(events, parts, groups) {
  return spansOf(events.map(({ kind, node }) => `${groups[node]} ${PHASE[kind]}`)).flatMap(({ first, last }) => {
    const { kind, node } = events[first - 1], name = parts[groups[node]];
    return name === undefined || kind === "loss" ? [] : [{ name, phase: PHASE[kind], first, last }];
  });
}

/**
 * Whether two texts would lie over each other.
 * @param {Extent} a
 * @param {Extent} b
 */
export const over = (a, b) => a.from < b.to && b.from < a.to;

/**
 * Of labels in the order of their rank those that have room: none lies over one that came before it.
 * @template {Extent} Label
 * @param {Label[]} labels
 */
export function withRoom(labels) {
  /** @type {Label[]} */
  const taken = [];
  for (const label of labels) if (!taken.some((other) => over(label, other))) taken.push(label);
  return taken;
}

/** @typedef {Extent & { k: number, text: SVGTextElement }} Label of event k */
/** @typedef {Span & { group: SVGGElement }} Bar */
/** @typedef {Bar & { name: PhaseName, rail: SVGPathElement }} PhaseBar with the part of the rail that it has run */

export class Timeline {
  /**
   * @param {View} view
   * @param {Structure} structure
   * @param {Drawn} drawn
   */
  constructor(view, structure, drawn) {
    this.view = view;
    this.structure = structure;
    this.drawn = drawn;
    this.count = structure.events.length;
    this.rail = drawn.large ? LOW_RAIL : RAIL;
    this.step = 0;                               // pixels from one event to the next
    this.held = false;
    /** What was drawn; null as long as there was no room. */
    this.parts = /** @type {ReturnType<Timeline["build"]> | null} */ (null);
    this.box = el("div", {
      class: "ac-track", role: "slider", tabindex: "0",
      "aria-label": "Event", "aria-valuemin": 0, "aria-valuemax": this.count,
      onpointerdown: (event) => this.press(event), onpointermove: (event) => this.scrub(event),
      onpointerup: () => { this.held = false; }, onpointercancel: () => { this.held = false; },
    });
  }

  /** Where event k stands. @param {number} k */
  x(k) { return k ? FIRST + (k - 1) * this.step : BEFORE; }

  /** The event at this place of the page. @param {number} clientX */
  at(clientX) {
    const x = clientX - this.box.getBoundingClientRect().left;
    return x < FIRST - 14 ? 0 : clamp(Math.round((x - FIRST) / this.step) + 1, 1, this.count);
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (closest(event, ".ac-phase, .ac-group")) return;
    this.held = true;
    this.view.stop();
    this.box.setPointerCapture(event.pointerId);
    this.scrub(event);
  }

  /** @param {PointerEvent} event */
  scrub(event) {
    if (this.held) this.view.go(this.at(event.clientX));
  }

  /** @param {number} width */
  draw(width) {
    this.step = (width - FIRST - 24) / Math.max(1, this.count - 1);
    this.parts = this.build(width);
    const { bars, groups, dots, head, labels } = this.parts;
    const rail = svg("path", { class: "ac-rail", d: `M${this.x(1)} ${this.rail}H${this.x(this.count)}` });
    this.box.replaceChildren(svg("svg", { width, height: this.rail + 29, "aria-hidden": "true" },
      ...[...bars, ...groups].map(({ group }) => group), rail, ...bars.map((bar) => bar.rail), ...dots, head, labels));
  }

  /** @param {number} width */
  build(width) {
    const { events } = this.structure, { large, parts = [], groups = [] } = this.drawn;
    const radius = clamp(this.step * 0.32, 2.2, 6), phases = phasesOf(events);
    return {
      bars: phases.map((phase) => this.phaseBar(phase)),
      groups: large ? groupsOf(events, parts, groups).map((group) => this.groupBar(group)) : [],
      dots: this.step < LEAST_STEP ? [] : events.map(({ kind }, i) => svg("path", {
        class: `ac-dot ac-${kind}`, d: MARKS[kind] ?? CIRCLE,
        transform: `translate(${this.x(i + 1)} ${this.rail}) scale(${radius})`,
      })),
      head: svg("g", {}, svg("circle", { r: large ? 9 : 12, cy: this.rail }),
        svg("circle", { class: "ac-core", r: 5.5, cy: this.rail })),
      labels: svg("g", { class: "ac-labels" }),
      ...this.placeLabels(width, phases),
    };
  }

  /**
   * @param {ReturnType<typeof groupsOf>[number]} group
   * @returns {Bar}
   */
  groupBar({ name, first, last, phase }) {
    const gap = Math.min(1.5, this.step / 4), x = this.x(first) - this.step / 2 + gap;
    const width = this.x(last) + this.step / 2 - gap - x, shown = measure(name, "bold 12px") + 6 <= width ? name : "";
    const group = svg("g", { class: "ac-group", onclick: () => this.view.leap(first) },
      svg("title", {}, `${name}, ${phase}`),
      svg("rect", { x, y: 24, width: Math.max(1, width), height: 20, rx: Math.min(3, width / 3) }),
      svg("text", { x: x + width / 2, y: 38, "text-anchor": "middle" }, shown));
    return { group, first, last };
  }

  /**
   * @param {ReturnType<typeof phasesOf>[number]} phase
   * @returns {PhaseBar}
   */
  phaseBar({ name, first, last }) {
    const title = name === "loss" ? this.structure.name : name, half = (this.x(last) - this.x(first)) / 2;
    const wanted = Math.max(19, measure(title, "bold 12.5px") / 2 + 8 - half);      // so that its name has room
    const edge = Math.min(wanted, Math.max(this.step / 3, this.step / 2 - 3));
    const x = this.x(first) - edge, width = 2 * (half + edge);
    const group = svg("g", { onclick: () => this.view.leap(first) },
      svg("title", {}, title), svg("rect", { x, y: 0, width, height: 21, rx: 4 }),
      svg("text", { x: x + width / 2, y: 15, "text-anchor": "middle" }, width > title.length * 6.1 ? title : ""));
    return { group, name, first, last, rail: svg("path", { class: `ac-rail ac-${name}` }) };
  }

  /** What stands below event k. @param {number} k */
  labelOf(k) {
    const { kind, node } = this.structure.events[k - 1], { short, label } = this.structure.nodes[node];
    if (kind === "loss") return tensorText(this.view.tape.numbers.events[k - 1][1]);
    if (kind === "forward" || kind === "backward") return fit(short, LABEL, "12px");
    return `${fitPath(label || "leaf", LABEL, "12px")}${kind === "accumulate" ? ".grad" : ""}`;
  }

  /**
   * Where labels stand, whatever the event: only the current one comes and goes, and hides what it would lie over.
   * @param {number} width
   * @param {ReturnType<typeof phasesOf>} phases
   */
  placeLabels(width, phases) {
    const { events } = this.structure;
    const ends = new Set(phases.flatMap(({ name, first, last }) => (name === "forward" ? [first, last] : [])));
    const all = events.map((_, i) => {
      const label = this.labelOf(i + 1), half = measure(label, "bold 12px") / 2 + 4;
      const x = Math.max(half - 3, Math.min(this.x(i + 1), width - half + 3));
      const shown = svg("text", { x, y: this.rail + 25, "text-anchor": "middle" }, label);
      return { k: i + 1, from: x - half, to: x + half, text: shown };
    });
    /** @param {Label} label */
    const rank = ({ k }) => LABELLED[events[k - 1].kind] ?? (ends.has(k) ? END_OF_FORWARD : Infinity);
    const ranked = all.filter((label) => rank(label) < Infinity).sort((a, b) => rank(a) - rank(b));
    return { all, fixed: new Set(withRoom(ranked)) };
  }

  /** @param {number} k */
  update(k) {
    if (!this.parts) return;
    const { bars, groups, dots, head } = this.parts;
    const now = k ? PHASE[this.structure.events[k - 1].kind] : "";
    bars.forEach(({ group, rail, first, last, name }) => {
      group.setAttribute("class", `ac-phase ac-${name}${first <= k && k <= last ? " ac-now" : ""}`);
      const from = this.x(Math.max(1, first - 1)), to = this.x(Math.min(k, last));
      rail.setAttribute("d", k >= first ? `M${from} ${this.rail}H${to}` : "");
    });
    for (const { group, first, last } of groups) group.classList.toggle("ac-now", first <= k && k <= last);
    dots.forEach((dot, i) => dot.classList.toggle("ac-done", i < k));
    head.setAttribute("class", `ac-playhead ac-${now}`);
    head.setAttribute("transform", `translate(${this.x(k)} 0)`);
    this.showLabels(k, this.parts);
    this.box.setAttribute("aria-valuenow", String(k));
    this.box.setAttribute("aria-valuetext", this.view.sentence(k));
  }

  /**
   * @param {number} k
   * @param {{ all: Label[], fixed: Set<Label>, labels: SVGGElement }} parts
   */
  showLabels(k, { all, fixed, labels }) {
    const { events } = this.structure, now = all[k - 1];
    const shown = all.filter((label) => label === now || (fixed.has(label) && !(now && over(label, now))));
    for (const { k: at, text } of shown) {
      const { kind } = events[at - 1];
      put(text, "class", at === k ? `ac-now ac-${PHASE[kind]}` : "");
      if (kind === "loss") write(text, this.labelOf(at));
    }
    labels.replaceChildren(...shown.map(({ text }) => text));
  }
}
