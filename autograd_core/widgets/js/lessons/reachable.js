// Two networks and one loss: the page follows the pointers, and knows what a name that is deleted frees.

import { all, closest, el, put, redraw, uniqueId, write } from "../kit/dom.js";
import { ARROWS, withModifier } from "../kit/keys.js";
import { Live, rendering } from "../kit/live.js";

/** @import { Model } from "../kit/types.d.ts" */
/** @import { ReachableState } from "./types.d.ts" */

const WIDE = 852;                                // CSS pixels
const PARAMETER = /^(net2?)\.(\d\.\w+)$/;
const LEGEND = [["→", "a pointer, from a result to what computed it"], ["⋯", "data"],
  ["right half of a parameter:", "norm of .grad after backward()"],
  ["grey, dashed:", "in memory, but not reached"], ["freed:", "no name leads there any more"]];

/**
 * All to which pointers lead from `start`, which is included.
 * @param {Record<string, string[]>} pointers
 * @param {string[]} start
 */
export function reach(pointers, start) {
  const found = new Set(start);
  for (const each of found) for (const next of pointers[each] ?? []) found.add(next);
  return found;
}

/** @param {string[]} words */
const listed = (words) => words.join(", ") || "nothing";

/** @extends {Live<ReachableState>} */
class ReachableView extends Live {
  /** @param {Model<ReachableState>} model */
  constructor(model) {
    super(model, "reachable");
    this.version = 0;
    /** The part that the reader points at; "" if none. */
    this.at = "";
    /** What each part is. @type {Map<string, string>} */
    this.labels = new Map();
    /** @type {Set<string>} */
    this.deleted = new Set();
    this.target = el("b");
    this.told = el("p", { class: "ac-reachable-told", role: "status" });
    this.graph = el("div", { class: "ac-reachable-graph", onkeydown: (event) => this.key(event),
      onclick: (event) => this.click(event), onpointerover: (event) => this.point(event),
      onfocusin: (event) => this.point(event), onpointerleave: () => this.look(""),
      onfocusout: () => this.look("") });
    const code = el("pre", { class: "ac-reachable-code" }, "out, out2 = net(x), net2(x)\nloss = ((out - ", this.target,
      ") ** 2).mean()\nloss.backward()");
    const legend = el("p", {}, ...LEGEND.flatMap(([sign, is], i) => [i ? " · " : "", el("b", {}, sign), ` ${is}`]));
    const reset = el("button", { type: "button", class: "ac-button", onclick: () => this.reset() }, "Reset");
    this.count = el("p", { class: "ac-reachable-count" });
    const group = uniqueId();
    this.cards = this.drawn.cards.map(({ code: text, mini }, i) => {
      const input = el("input", { type: "radio", name: group, value: i, oninput: () => this.choose(i) });
      const picture = el("span", { "aria-hidden": "true" });
      redraw(picture, mini);
      return { input, box: el("label", { class: "ac-reachable-card" }, input, el("code", {}, text),
        el("span", { class: "ac-reachable-size" }, el("b", {}, String(this.drawn.cards[i].count)), " of 8"), picture) };
    });
    const choices = el("div", { class: "ac-reachable-cards", role: "radiogroup", "aria-label": "What is subtracted" },
      ...this.cards.map(({ box }) => box));
    this.header.append(reset);
    const head = el("div", { class: "ac-reachable-head" }, code, this.told);
    this.main.append(el("div", { class: "ac-reachable-left" }, head, this.graph, legend),
      el("div", { class: "ac-reachable-right" }, this.count, choices));
  }

  get pointers() { return this.drawn.versions[this.version].pointers; }

  resized() { this.draw(); }

  draw() {
    redraw(this.graph, this.main.clientWidth < WIDE ? this.drawn.narrow : this.drawn.wide);
    /** @type {Map<string, SVGElement>} */
    this.parts = new Map(all(this.graph, 'g[data-part]:not([data-part="delete"])')
      .map((part) => [part.dataset.part ?? "", part]));
    this.labels = new Map([...this.parts].map(([key, part]) => [key, part.getAttribute("aria-label") ?? ""]));
    this.show();
  }

  /** @param {number} version */
  choose(version) {
    this.version = version;
    this.show();
  }

  reset() {
    this.deleted.clear();
    this.choose(0);
  }

  /** What the names that are left keep alive. */
  alive() {
    const { names } = this.drawn;
    return reach(this.pointers, Object.keys(names).filter((name) => !this.deleted.has(name)).flatMap((n) => names[n]));
  }

  /** Draw the version: what the selected part reaches is dark, what nothing refers to is an outline. */
  show() {
    const { versions, cards, names } = this.drawn, { loss, gradients } = versions[this.version], { pointers } = this;
    const alive = this.alive(), lost = this.deleted.has("loss");
    const start = names[this.at] ?? [this.at || (lost ? "" : "mean")], near = reach(pointers, start);
    for (const [key, part] of this.parts ?? []) {
      const at = key === (this.at || start[0]) ? " ac-reachable-at" : "";
      put(part, "class", `ac-reachable-${this.state(key, alive, near)}${at}`);
      const held = lost ? "" : gradients[key], grad = part.querySelector('[data-part="grad"]');
      if (grad) {
        write(grad, alive.has(key) ? held : "freed");
        const kind = lost ? "None" : ["None", "0"].includes(held) ? held : "norm";
        put(part, "data-held", alive.has(key) ? kind : "freed");
      }
      if (part.hasAttribute("role")) put(part, "aria-label", this.label(key, part, near));
    }
    const shown = this.graph.querySelector('[data-part="value"]');
    if (shown) write(shown, `loss = ${loss}`);
    write(this.target, cards[this.version].code);
    this.cards.forEach(({ input, box }, i) => {
      input.checked = i === this.version;
      box.classList.toggle("ac-reachable-chosen", input.checked);
    });
    const params = Object.keys(gradients), found = params.filter((key) => near.has(key));
    this.count.replaceChildren(el("b", {}, String(found.length)), " of 8 parameters reached");
    write(this.told, this.sentence(found, gradients));
    this.focusable(this.at || "mean");
  }

  /**
   * The accessible name of a part: its visible words, what it is, and whether it is reached.
   * @param {string} key
   * @param {SVGElement} part
   * @param {Set<string>} near
   */
  label(key, part, near) {
    const words = all(part, "text").filter((text) => text.checkVisibility()).map((text) => text.textContent).join(" ");
    const name = this.labels.get(key) ?? "", [kind, net] = name.split(" of ");
    const of = net && `${PARAMETER.test(key) ? ".grad " : ""}of ${net}`, rest = words.includes(kind) ? of : name;
    const reached = key in this.drawn.names ? "a variable" : near.has(key) ? "reached" : "not reached";
    return [words, rest, reached].filter(Boolean).join(", ");
  }

  /**
   * How a part is drawn: "near" is reached, "far" is not, nothing refers to what is "freed".
   * @param {string} key
   * @param {Set<string>} alive
   * @param {Set<string>} near
   */
  state(key, alive, near) {
    const [from, to] = key.split(">"), { pointers } = this;
    if (key in this.drawn.names) return this.deleted.has(key) ? "gone" : "name";
    if (to === "cut") return this.isCut(to) && alive.has(from) ? (near.has(from) ? "near" : "far") : "gone";
    const known = to ? pointers[from]?.includes(to) && alive.has(from) : key !== "mul" || key in pointers;
    if (!known) return "gone";
    return !alive.has(from) ? "freed" : near.has(from) ? "near" : "far";
  }

  /** Whether this version drops the pointer to `net2`. @param {string} to */
  isCut(to) { return to === "cut" && this.drawn.cards[this.version].code.includes("detach"); }

  /** @param {string[]} found @param {Record<string, string>} gradients */
  sentence(found, gradients) {
    const { names } = this.drawn, { at } = this, [, net, name] = PARAMETER.exec(at) ?? [];
    if (name) {
      const keep = Object.keys(names).filter((key) => !this.deleted.has(key)
        && reach(this.pointers, names[key]).has(at));
      return keep.length ? `${name} of ${net} is kept alive by: ${listed(keep)}.` : `${name} of ${net} is freed.`;
    }
    const nets = ["net", "net2"].filter((key) => found.some((each) => each.startsWith(`${key}.`)));
    const label = this.labels.get(at);
    if (label && at !== "mean" && at !== "loss") return `${label} reaches ${found.length} of 8 parameters.`;
    if (this.deleted.has("loss")) return "No loss is left: backward() cannot be called.";
    return `The loss reaches ${found.length} of 8 parameters: all of ${nets.join(" and of ")}. `
      + `.grad of net2 is ${{ None: "None", 0: "0" }[gradients["net2.0.weight"]] ?? "a number"}.`;
  }

  /** Give one part a place in the order of the Tab key. @param {string} key */
  focusable(key) {
    for (const [each, part] of this.parts ?? []) {
      if (part.hasAttribute("role")) put(part, "tabindex", each === key ? 0 : -1);
    }
  }

  /** @param {string} part */
  look(part) {
    if (part === this.at) return;
    this.at = part;
    this.show();
  }

  /** @param {Event} event */
  point(event) { this.look(closest(event, '[role="button"]')?.dataset.part ?? ""); }

  /** @param {Event} event */
  click(event) {
    if (closest(event, '[data-part="delete"]')) this.delete(closest(event, '[role="button"]')?.dataset.part ?? "");
  }

  /** Delete a name, as `del` does. @param {string} name */
  delete(name) {
    if (!(name in this.drawn.names)) return;
    this.deleted.add(name);
    this.look("");
    this.show();
  }

  /** Go to the nearest part in the direction of an arrow, or delete a name. @param {KeyboardEvent} event */
  key(event) {
    const way = ARROWS[event.key], here = closest(event, '[role="button"]');
    if (!here || withModifier(event)) return;
    if (event.key === "Escape") this.look("");
    if (event.key === "Delete") this.delete(here.dataset.part ?? "");
    if (!way) return;
    event.preventDefault();
    const middle = (/** @type {Element} */ part) => {
      const { left, top, width, height } = part.getBoundingClientRect();
      return [top + height / 2, left + width / 2];
    };
    const [y, x] = middle(here);
    const far = all(this.graph, '[role="button"]:not(.ac-reachable-gone)').map((part) => {
      const [down, right] = [middle(part)[0] - y, middle(part)[1] - x];
      const along = down * way[0] + right * way[1], aside = Math.abs(down * way[1]) + Math.abs(right * way[0]);
      return { part, distance: along > 4 ? along + 2 * aside : Infinity };
    });
    const nearest = far.reduce((best, each) => (each.distance < best.distance ? each : best));
    if (nearest.distance < Infinity) nearest.part.focus();
  }
}

export const reachable = rendering(ReachableView);
