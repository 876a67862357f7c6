// The boxes of a picture. Python has drawn them and says in tracks what each of them shows after which event; here that
// is written into them, as it fits in the letters of this page. See widgets/graph/scene.py and changes.py.

import { all, put, write } from "../kit/dom.js";
import { precise } from "../kit/format.js";
import { chosen, equation, fit, fitPath, fits, measure } from "../kit/text.js";
import { isLeaf } from "./tape.js";

/** @import { Box as BoxData, Point, Rectangle, Said, Track, TraceEvent, Tracks } from "./types.d.ts" */
/** @import { Picture } from "./picture.js" */

/**
 * What a track says after event k.
 * @template {Said | number} T
 * @param {Track<T> | undefined} track
 * @param {number} k
 */
export const told = (track, k) => track?.findLast(([from]) => from <= k)?.[1];

/**
 * Give an element the classes that it has after an event, in place of those before it.
 * @param {SVGElement} element
 * @param {string} words
 */
export function become(element, words) {
  const { is = "" } = element.dataset;
  if (words === is) return;
  element.classList.remove(...is.split(" ").filter(Boolean));
  element.classList.add(...words.split(" ").filter(Boolean));
  element.dataset.is = words;
}

/** A place for a text that changes: the first of its forms is shown for which there is room. */
class Slot {
  /** @param {HTMLElement | SVGElement} element */
  constructor(element) {
    const { room = "Infinity", font = "12.5px", of = "", lead = "" } = element.dataset;
    this.element = element;
    this.name = /** @type {"value" | "gradient" | "caption"} */ (element.dataset.slot);
    this.room = Number(room);
    this.font = font;
    this.of = of;
    this.lead = lead;
  }

  /**
   * @param {Said} said
   * @param {boolean} strong whether it is in bold where there is room
   */
  say(said, strong) {
    const texts = [said].flat(), [text, light] = strong ? chosen(texts, this.room, this.font)
      : [said && equation(this.of, texts, this.room, this.font), false];
    write(this.element, text && this.lead + text);
    this.element.classList.toggle("ac-l", light);
  }
}

/**
 * A name, cut as its letters need it here: its bold part is whole wherever it can be, if need be in light letters.
 * @param {HTMLElement | SVGElement} line
 */
function trim(line) {
  const room = Number(line.dataset.room), gap = Number(line.dataset.gap), [strong, rest] = line.children;
  const name = strong.textContent, bold = fitPath(name, room, "bold 13.5px"), light = fitPath(name, room, "12.5px");
  const isLight = bold !== name && (light === name || (bold.endsWith("…") && !light.endsWith("…")));
  write(strong, isLight ? light : bold);
  if (isLight) strong.setAttribute("class", "ac-l");
  const left = isLight ? 0 : room - gap - measure(bold, "bold 13.5px"), said = rest?.textContent ?? "";
  const cut = fit(said, left, "12.5px");
  if (cut === said || (gap && left > 24)) rest && write(rest, cut); else rest.remove();
}

/**
 * A label says as much as it has room for, and its ground is as wide as its letters are here.
 * @param {HTMLElement | SVGElement} group
 */
export function stretch(group) {
  const rect = group.querySelector("rect"), text = group.querySelector("text"), mark = group.querySelector(".ac-mark");
  if (!rect || !text) return;
  const { font = "bold 12px" } = text.dataset, { whole, room, pad } = group.dataset;
  if (whole && fits(whole, Number(room), font)) write(text, whole);
  const width = Math.ceil(measure(text.textContent, font)) + Number(pad);
  put(rect, "width", width);
  if (!text.getAttribute("text-anchor")) return;
  const x = -width / 2;
  put(rect, "x", x);
  if (!(mark instanceof SVGElement)) return;
  const place = String(x + Number(mark.dataset.inset));
  put(mark, "transform", (mark.getAttribute("transform") ?? "").replace(/-?[\d.]+/, place));
}

/** A box: a node, a sign, a fold, the frame around an open fold. */
export class Box {
  /**
   * @param {Picture} picture
   * @param {number} index
   * @param {BoxData} data
   * @param {Rectangle} place
   * @param {SVGGElement} group
   */
  constructor(picture, index, data, [x, y, width, height, split], group) {
    this.picture = picture;
    this.index = index;
    this.data = data;
    this.x = x;
    this.y = y;
    this.width = width;
    this.height = height;
    this.split = split;
    this.group = group;
    this.slots = all(group, "[data-slot]").map((each) => new Slot(each));
    all(group, ".ac-name").forEach(trim);
    all(group, ".ac-tab").forEach(stretch);
    if (data.key) put(group, "aria-expanded", data.kind === "frame");
  }

  /**
   * @param {string} name
   * @param {boolean} on
   */
  toggle(name, on) { this.group.classList.toggle(name, on); }

  /** Where its value stands in the picture. @returns {Point} */
  get valuePlace() { return [this.x + (this.split || this.width) / 2, this.y + this.height * 0.7]; }

  /** Where its gradient stands in the picture. @returns {Point} */
  get gradientPlace() { return [this.x + (this.split + this.width) / 2, this.y + this.height * 0.7]; }

  /**
   * Bring it to event k.
   * @param {number} k
   * @param {TraceEvent | null} event
   * @param {number | null} selected
   */
  update(k, event, selected) {
    const tracks = this.picture.changes.boxes[this.index], { nodes } = this.data;
    const words = told(tracks.class, k) ?? "", has = words.split(" ").includes("ac-has");
    become(this.group, words);
    for (const slot of this.slots) slot.say(told(tracks[slot.name], k) ?? "", has && slot.name === "gradient");
    this.toggle("ac-current", event !== null && nodes.includes(event.node));
    this.toggle("ac-selected", selected !== null && nodes.includes(selected));
    this.describe(tracks, k, event?.node, selected);
  }

  /**
   * Set the accessible name, which begins with the visible text, and the title, which may have more digits.
   * @param {Tracks} tracks
   * @param {number} k
   * @param {number} [current]
   * @param {number | null} [selected]
   */
  describe(tracks, k, current, selected) {
    const { data, group, picture: { structure, view: { tape } } } = this;
    const [value = ""] = [told(tracks.value, k)].flat(), [gradient = ""] = [told(tracks.gradient, k)].flat();
    const shown = all(group, "text").map((text) => text.textContent).filter(Boolean);
    /** @param {string[]} words @param {string} title */
    const say = (words, title) => {
      put(group, "aria-label", words.filter(Boolean).join(", "));
      write(/** @type {Element} */ (group.firstElementChild), title);
    };
    if (data.key) {
      const named = `${data.name} ${data.type}`, size = group.querySelector(".ac-count, .ac-value .ac-q")?.textContent;
      if (data.kind === "frame") return say([...shown, "open"], `${named}\nClick to fold`);
      return say([...shown, "folded", "norms of the value and the gradient"],
        `${named}\n${size}\nvalue norm ${value}\ngradient norm ${gradient}\nClick to open`);
    }
    const [index] = data.nodes, node = structure.nodes[index], state = tape.node(index, k), leaf = isLeaf(node);
    if (node.kind === "constant") {
      return say([...shown, "no gradient"], `${node.label || "constant"} = ${precise(state.value)}`);
    }
    put(group, "aria-pressed", selected === index);
    const named = data.kind === "plus" ? [] : shown, slots = this.slots.map(({ name }) => name);
    if (leaf) named[0] = `${node.kind === "frozen" ? "frozen" : "AccumulateGrad of"} ${named[0]}`;
    else if (data.kind === "plus" || node.called !== node.short) named.unshift(node.called);
    const whole = state.gradient ? precise(state.gradient) : gradient;
    say([...named, slots.includes("value") ? "" : `value ${value}`,
      slots.includes("gradient") ? "" : `gradient ${gradient}`, index === current ? "current" : ""],
    `${node.short}${node.rest}\nvalue ${precise(state.value)}\n${leaf ? ".grad" : "gradient"} ${whole}`);
  }
}
