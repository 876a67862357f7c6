// The lines between boxes. A line stands for one edge, or for all edges between two boxes.

import { svg, write } from "../kit/dom.js";
import { brief, finite, precise, real, tensorText } from "../kit/format.js";
import { measure } from "../kit/text.js";
import { text } from "./boxes.js";
import { SCISSORS, weight } from "./shapes.js";
import { sum } from "./tape.js";

/** @import { Tensor } from "../kit/types.d.ts" */
/** @import { GraphLine, Point, Route } from "./types.d.ts" */
/** @import { Picture } from "./picture.js" */
/** @import { Tape } from "./tape.js" */

/**
 * What has come along a line after event k: how many of its edges have sent, their tensor if they carried one, and the
 * words for its label.
 * @param {number[]} edges
 * @param {Tape} tape
 * @param {number} k
 * @param {boolean} large whether norms stand for numbers
 * @returns {{ count: number, tensor: Tensor | null, label: string }}
 */
export function carried(edges, tape, k, large) {
  const { nodes, edges: all } = tape.structure, due = edges.filter((e) => all[e].sent);
  const done = due.filter((e) => all[e].sent <= k);
  if (!done.length) return { count: 0, tensor: null, label: "" };
  if (edges.length === 1) {
    const tensor = tape.sent(edges[0]);
    return { count: 1, tensor, label: large ? brief(tensor) : tensorText(tensor, true) };
  }
  const producers = new Set(due.map((e) => all[e].producer)), [producer] = producers;
  if (done.length < due.length) return { count: done.length, tensor: null, label: `${done.length} of ${due.length}` };
  if (producers.size > 1) return { count: done.length, tensor: null, label: `${producers.size} tensors` };
  const { ran } = nodes[producer], isAll = ran > 0 && tape.received[producer].every((e) => due.includes(e));
  const tensor = isAll ? tape.numbers.events[ran - 1][0] : sum(due.map((e) => tape.sent(e)));
  return { count: done.length, tensor, label: tensor ? brief(tensor) : `${due.length} sent` };
}

export class Line {
  /**
   * @param {Picture} picture
   * @param {GraphLine} data
   * @param {Route} route
   */
  constructor(picture, data, route) {
    this.picture = picture;
    this.data = data;
    this.line = svg("path", { class: "ac-line", d: route.d });
    this.brief = route.brief;
    const { edges, nodes } = picture.structure, first = edges[data.edges[0]], { kind } = nodes[first.producer];
    /** @param {"down" | "up"} way @param {number} end */
    const head = (way, end) => data.cut || picture.drawn.boxes[end].kind === "dot" ? []
      : [svg("path", { class: `ac-head ac-${way}`, d: route[way] })];
    this.group = svg("g", { class: `ac-edge ac-from-${kind}${data.cut ? " ac-cut" : ""}` },
      this.line, ...head("down", data.to), ...head("up", data.from),
      ...data.dots.map(([node, name], i) => dot(node, name, route.dots[i])));
    if (route.number) {
      const [x, y, anchor] = route.number;
      this.group.append(text(x, y, "ac-slot", String(first.slot), anchor));
    }
    const labelled = data.cut ? data.label : kind !== "constant";
    this.pill = route.pill && labelled ? new Pill(route.pill) : null;
    if (data.cut) this.pill?.cut(data.label, this.brief);
  }

  /** @param {number} k */
  update(k) {
    const { view: { tape }, structure: { edges, nodes }, large, largest } = this.picture;
    const { count, tensor, label } = carried(this.data.edges, tape, k, large), ran = count > 0;
    const { recorded } = nodes[edges[this.data.edges[0]].consumer];
    this.group.classList.toggle("ac-ghost", k > 0 && recorded > k);
    this.group.classList.toggle("ac-ran", ran);
    if (ran && large && tensor) {
      this.group.style.setProperty("--ac-weight", weight(real(tensor[2]), largest).toFixed(1));
    }
    if (this.data.cut || !this.pill) return;
    if (!ran) return this.pill.hide();
    const sending = this.data.edges.some((e) => edges[e].sent === k);
    this.pill.show(this.brief ? "" : label, tensor ? precise(tensor) : label, sending, finite(tensor));
  }
}

/**
 * A node on the way that only gives another shape.
 * @param {number} node
 * @param {string} name
 * @param {Point} place
 */
function dot(node, name, [x, y]) {
  return svg("g", { class: "ac-way", "data-node": node }, svg("circle", { class: "ac-box", cx: x, cy: y, r: 4 }),
    text(x, y - 8, "ac-shape-name", name, "middle"));
}

/** The label on a line: what was sent along it, or why nothing is. */
class Pill {
  /** @param {Point} centre */
  constructor(centre) {
    this.rect = svg("rect", { height: 22, rx: 11, y: -11 });
    this.text = text(0, 4, "", "", "middle");
    this.title = svg("title");
    this.group = svg("g", { class: "ac-pill", transform: `translate(${centre})`, "aria-hidden": "true" },
      this.title, this.rect, this.text);
  }

  /**
   * Show for good why nothing is sent.
   * @param {string} label
   * @param {boolean} isBrief whether there is room for the scissors alone
   */
  cut(label, isBrief) {
    const shown = isBrief ? "" : label, width = Math.ceil(measure(shown, "bold 12px")) + (shown ? 44 : 28);
    const x = shown ? 12 - width / 2 : -7;
    this.group.classList.add("ac-shown", "ac-severs");
    this.text.textContent = shown;
    this.text.setAttribute("x", "10");
    this.group.append(svg("path", { class: "ac-scissors", d: SCISSORS, transform: `translate(${x} -7)` }));
    this.widen(width);
    write(this.title, label);
  }

  hide() { this.group.classList.remove("ac-shown"); }

  /**
   * @param {string} label "" for the arrow alone
   * @param {string} whole with all its digits
   * @param {boolean} sending whether it is sent right now
   * @param {boolean} isFinite
   */
  show(label, whole, sending, isFinite) {
    this.group.classList.add("ac-shown");
    this.group.classList.toggle("ac-sending", sending);
    this.group.classList.toggle("ac-bad", !isFinite);
    const shown = label ? `↑ ${label}` : "↑";
    if (this.text.textContent !== shown) {
      this.text.textContent = shown;
      this.widen(Math.ceil(measure(shown, "bold 12px")) + (label ? 22 : 16));
    }
    write(this.title, whole);
  }

  /** @param {number} width */
  widen(width) {
    this.rect.setAttribute("width", String(width));
    this.rect.setAttribute("x", String(-width / 2));
  }
}
