// Four ways to call backward(), one playhead: the curves stay, the dots, numbers and graphs are those of one event.

import { clamp } from "../kit/clamp.js";
import { all, el, put, redraw, write } from "../kit/dom.js";
import { Live, rendering } from "../kit/live.js";

/** @import { Model } from "../kit/types.d.ts" */
/** @import { MemoryEvent, MemoryState } from "./types.d.ts" */

const EVENT_MS = 250;

/**
 * How a node is drawn after an event: whether it is there, what became of its saved tensor, and how it runs.
 * @param {MemoryEvent[]} events
 * @param {number} at from 1
 * @param {string} node
 */
export function stateOf(events, at, node) {
  const now = events[at - 1], sum = node.startsWith("+");
  if (!now) return { there: false, mark: "none", ring: "" };
  const there = now.nodes.some((each) => (sum ? each.startsWith("+") : each === node));
  const runs = sum ? now.node.startsWith("+") : now.node === node;
  const mark = now.holding.includes(node) ? "held"
    : events.slice(0, at).some(({ holding }) => holding.includes(node)) ? "freed" : "none";
  const ring = !runs ? "" : now.kind === "backward" && node.startsWith("T.") ? "trunk" : now.kind;
  return { there, mark, ring };
}

/** @extends {Live<MemoryState>} */
class MemoryView extends Live {
  /** @param {Model<MemoryState>} model */
  constructor(model) {
    super(model, "memory");
    this.at = this.drawn.opens;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.timer = undefined;
    this.tab = 0;
    this.tabs = el("div", { class: "ac-switch ac-memory-tabs", role: "group", "aria-label": "Way" });
    this.list = el("div", { class: "ac-memory-ways" });
    this.slider = el("input", { type: "range", min: 1, "aria-label": "Event",
      oninput: () => this.go(Number(this.slider.value)) });
    this.play = el("button", { type: "button", class: "ac-button ac-play",
      onclick: () => this.playing(!this.timer) }, "Play");
    this.status = el("p", { class: "ac-memory-status", role: "status" });
    const key = [["forward", "T", "forward, trunk"], ["forward", "1", "forward, branch 1"],
      ["forward", "+", "forward, sum"], ["backward", "1", "backward, branch 1"], ["trunk", "T", "backward, trunk"],
      ["deleted", "×", "del loss"], ["held", "", "saved tensor"], ["freed", "", "freed"],
      ["gone", "", "not in the graph"]].map(([kind, letter, text]) =>
      el("span", {}, el("i", { class: `ac-memory-${kind}` }, letter), text));
    this.main.append(this.tabs, this.list, el("div", { class: "ac-memory-bar" }, this.play, this.slider), this.status,
      el("p", { class: "ac-memory-key" }, ...key));
  }

  draw() {
    const { ways, length } = this.drawn;
    put(this.slider, "max", length);
    this.rows = ways.map(({ name, code, curve, graph, peak, passes, events }, i) => {
      const dot = el("i", { class: "ac-memory-dot" }), units = el("b", { class: "ac-memory-units" });
      const line = el("i", { class: "ac-memory-line" }), picture = el("div");
      const nodes = el("div", { class: "ac-memory-graph" });
      redraw(picture, curve);
      redraw(nodes, graph);
      all(picture, '[data-part="other"]')[i]?.remove();
      const drag = (/** @type {PointerEvent} */ event) => { if (event.buttons) this.drag(event, picture); };
      const stage = el("div", { class: "ac-memory-stage", onpointerdown: drag, onpointermove: drag },
        picture, line, dot, units);
      const first = events.findIndex((event) => event.units === peak) + 1;
      const big = el("button", { type: "button", class: "ac-memory-peak", title: `go to event ${first}`,
        onclick: () => this.go(first) }, el("b", {}, String(peak)), " most saved at once");
      const box = el("section", { class: "ac-memory-way", "aria-label": name },
        el("div", { class: "ac-memory-code" }, el("b", {}, name), el("pre", {}, code)), stage, nodes,
        el("div", { class: "ac-memory-numbers" }, big, el("span", {}, el("b", {}, String(passes)),
          ` ${passes === 1 ? "pass" : "passes"} over the trunk`)));
      return { box, dot, line, units, events, nodes: all(nodes, "[data-part]") };
    });
    this.list.replaceChildren(...this.rows.map(({ box }) => box));
    this.tabs.replaceChildren(...ways.map(({ name }, i) =>
      el("button", { type: "button", onclick: () => this.choose(i) }, name)));
    this.choose(this.tab);
    this.go(Math.min(this.at, length));
  }

  /** Show this way alone, where there is room for one. @param {number} tab */
  choose(tab) {
    this.tab = tab;
    this.rows?.forEach(({ box }, i) => box.classList.toggle("ac-memory-chosen", i === tab));
    [...this.tabs.children].forEach((button, i) => put(button, "aria-pressed", i === tab));
  }

  /** Show an event, counted from 1, in all rows. @param {number} event */
  go(event) {
    const { left, height, most, length, ways } = this.drawn;
    this.at = clamp(event, 1, length);
    const x = `${left + ((100 - left) * (this.at - 0.5)) / length}%`;
    this.slider.value = String(this.at);
    put(this.slider, "aria-valuetext", `event ${this.at} of ${length}`);
    for (const { events, dot, line, units, nodes } of this.rows ?? []) {
      const now = this.unitsOf(events);
      dot.style.left = line.style.left = units.style.left = x;
      dot.style.top = units.style.top = `${height * (1 - now / most)}px`;
      write(units, String(now));
      for (const part of nodes) {
        if (part.dataset.part === "ring" || part.dataset.part === "mark") continue;
        const { there, mark, ring } = stateOf(events, this.at, part.dataset.part ?? "");
        const classes = [there ? "there" : "gone", mark, ...(ring ? [`runs-${ring}`] : [])];
        put(part, "class", classes.map((name) => `ac-memory-${name}`).join(" "));
      }
    }
    const said = ways.map(({ name, events }) => `${name}: ${this.unitsOf(events)}`).join(" · ");
    write(this.status, `Units saved after event ${this.at} of ${length}. ${said}`);
  }

  /** After the last event the function returns, and nothing is left. @param {MemoryEvent[]} events */
  unitsOf(events) { return events[this.at - 1]?.units ?? 0; }

  /** @param {PointerEvent} event @param {HTMLElement} picture */
  drag(event, picture) {
    const { left, width } = picture.getBoundingClientRect(), from = (this.drawn.left / 100) * width;
    this.go(Math.ceil(((event.clientX - left - from) / (width - from)) * this.drawn.length));
  }

  /** @param {boolean} on */
  playing(on) {
    clearInterval(this.timer);
    const { length } = this.drawn;
    if (on && this.at === length) this.go(1);
    this.timer = on ? setInterval(() => {
      this.go(this.at + 1);
      if (this.at === length || !this.box.isConnected) this.playing(false);
    }, EVENT_MS) : undefined;
    write(this.play, on ? "Pause" : "Play");
    put(this.status, "aria-live", on ? "off" : "polite");
  }

  gone() { this.playing(false); }
}

export const memoryOverTime = rendering(MemoryView);
