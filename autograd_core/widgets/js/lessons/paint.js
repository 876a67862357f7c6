// A mask painted on a grid, beside what each way of masking makes of it. Python computes; here the reader paints.

import { clamp } from "../kit/clamp.js";
import { el, put, write } from "../kit/dom.js";
import { ARROWS, withModifier } from "../kit/keys.js";
import { Live, rendering } from "../kit/live.js";

/** @import { LiveState, Model } from "../kit/types.d.ts" */

/** What the reader painted on a cell: whether it is in the mask, and its poison or "". */
/** @typedef {[masked: boolean, poison: string]} Paint */
/** What to put into a cell of a picture: text, title, how opaque its ground is, which of the looks. */
/** @typedef {[text: string, exact: string, opacity: number, look: number]} Change */
/** The styles of a cell's ground and of its text. @typedef {[ground: string, ink: string]} Look */
/** @typedef {"clean" | "hidden" | "broken"} Mark */

/**
 * A way of masking, and what came of it.
 * @typedef {object} Card
 * @property {string} way
 * @property {Change[]} losses
 * @property {Change[]} gradients
 * @property {[name: string, text: string, role: string][]} numbers
 * @property {string} added how the losses were added up
 * @property {Mark} mark
 * @property {string} verdict
 */

/** @typedef {{ grid: Change[], labels: string[], outline: string, cells: Paint[], cards: Card[] }} PaintDrawn */
/** @typedef {LiveState & { drawn: PaintDrawn, pictures: [grid: string, map: string],
 *   looks: Look[] }} PaintState */
/** @typedef {"mask" | "erase" | "nan" | "inf" | "log 0"} Tool */

/** Key, what it paints, its label, its swatch. @type {[string, Tool, string, string][]} */
const TOOLS = [
  ["M", "mask", "mask: let it learn", "mask"], ["E", "erase", "erase", "erase"],
  ["N", "nan", "poison: nan", "poison"], ["I", "inf", "poison: inf", "poison"],
  ["L", "log 0", "poison: log 0", "poison"],
];
const MARKS = { clean: "✓", hidden: "!", broken: "✕" };

/**
 * What a stroke that begins at a cell puts into every cell that it meets: what is there already is taken away.
 * @param {Tool} tool
 * @param {Paint} first
 * @returns {(cell: Paint) => Paint}
 */
export function brushOf(tool, [masked, poison]) {
  if (tool === "erase") return () => [false, ""];
  if (tool === "mask") return ([, kept]) => [!masked, kept];
  return ([kept]) => [kept, poison === tool ? "" : tool];
}

/** The cells of a picture. @param {Element} box */
const cellsOf = (box) => [.../** @type {NodeListOf<SVGElement>} */ (box.querySelectorAll('[data-part="cell"]'))];

/** @param {string} drawn @param {string} label */
function picture(drawn, label) {
  const box = el("div", { class: "ac-paint-picture" });
  box.innerHTML = drawn;
  box.firstElementChild?.setAttribute("aria-label", label);
  return box;
}

/** @param {Paint[]} cells @returns {Paint[]} */
const copy = (cells) => cells.map(([masked, poison]) => [masked, poison]);

/** @extends {Live<PaintState>} */
class PaintView extends Live {
  /** @param {Model<PaintState>} model */
  constructor(model) {
    super(model, "paint");
    const { cells } = this.drawn, [grid, map] = model.get("pictures");
    this.first = cells;
    this.cells = copy(cells);
    /** The cell that the keyboard is at. */
    this.at = 0;
    /** What the stroke that is being painted does. @type {((cell: Paint) => Paint) | null} */
    this.stroke = null;
    /** @type {Tool} */
    this.tool = "mask";
    this.tools = new Map(TOOLS.map(([key, tool, label, swatch]) => [tool, this.toolButton(key, tool, label, swatch)]));
    this.grid = picture(grid, "Input x. The arrow keys move, space paints.");
    this.fields = cellsOf(this.grid);
    this.rows = this.grid.querySelectorAll('[role="row"]').length;
    this.columns = cells.length / this.rows;
    this.map = map;
    const palette = el("div", { class: "ac-paint-tools", role: "radiogroup", "aria-label": "What painting does" },
      ...this.tools.values());
    this.status = el("p", { class: "ac-paint-status", "aria-live": "polite" });
    const empty = this.action("empty the mask", () => this.cells.map(([, poison]) => [false, poison]));
    const again = this.action("start again", () => this.first);
    const hands = el("div", { class: "ac-paint-hands" }, palette,
      el("div", { class: "ac-paint-actions" }, empty, again), this.status);
    this.aside = el("div", { class: "ac-paint-aside" }, el("div", { class: "ac-v" }, "input x: paint here"),
      this.grid, hands);
    this.cards = el("div", { class: "ac-paint-cards" });
    this.main.append(this.aside, this.cards);
    this.choose("mask");
    this.aside.addEventListener("keydown", (event) => this.key(event));
    this.grid.addEventListener("focusin", ({ target }) => {
      const at = this.fields.findIndex((field) => field === target);
      if (!this.stroke && at >= 0) this.move(at);
    });
    this.grid.addEventListener("pointerdown", (event) => this.press(event));
    this.grid.addEventListener("pointermove", (event) => this.drag(event));
    this.grid.addEventListener("pointerup", () => { this.stroke = null; });
    this.grid.addEventListener("pointercancel", () => { this.stroke = null; });
  }

  // ---- what Python sent ----

  /**
   * @param {Element} box of a picture
   * @param {Change[]} changes
   */
  apply(box, changes) {
    const looks = this.model.get("looks");
    cellsOf(box).forEach(({ children: [title, ground, text] }, i) => {
      const [word, exact, opacity, look] = changes[i];
      write(title, exact);
      put(ground, "fill-opacity", opacity);
      put(ground, "style", looks[look][0]);
      put(text, "style", looks[look][1]);
      write(text, word);
    });
    for (const path of box.querySelectorAll('[data-part="outline"]')) put(path, "d", this.drawn.outline);
  }

  draw() {
    const { grid, labels, cells, cards } = this.drawn;
    this.apply(this.grid, grid);
    this.fields.forEach((field, i) => {
      put(field, "aria-label", labels[i]);
      put(field, "aria-selected", cells[i][0]);
    });
    const known = [...this.cards.children].map((box) => box.getAttribute("aria-label"));
    if (JSON.stringify(known) !== JSON.stringify(cards.map(({ way }) => way))) {
      this.cards.replaceChildren(...cards.map(({ way }) => this.card(way)));
    }
    cards.forEach((card, i) => this.fill(this.cards.children[i], card));
    if (!this.controls.busy) this.cells = copy(cells);        // else the reader is ahead of Python
    this.show();
  }

  /** @param {string} error */
  answered(error) {
    super.answered(error);
    if (this.controls.busy) return;
    this.cells = copy(this.drawn.cells);
    this.show();
  }

  /** A card, before its numbers. @param {string} way */
  card(way) {
    /** @param {string} name @param {string} role */
    const map = (name, role) => el("div", { class: `ac-paint-map ac-paint-${role}` },
      el("div", { "aria-hidden": "true" }, name), picture(this.map, `${way}: ${name}`));
    const left = map("loss of each cell", "value"), right = map("gradient, ∂ loss / ∂ x", "gradient");
    left.append(el("div", { class: "ac-paint-added" }));
    const sign = el("span", { class: "ac-paint-mark", "aria-hidden": "true" });
    return el("section", { "aria-label": way }, el("h4", {}, sign, el("code", {}, way)),
      el("div", { class: "ac-paint-row" }, left, right, el("dl")), el("p", { class: "ac-paint-verdict" }));
  }

  /**
   * @param {Element} box of a card
   * @param {Card} card
   */
  fill(box, { losses, gradients, numbers, added, mark, verdict }) {
    const [left, right] = box.querySelectorAll(".ac-paint-map");
    /** @param {string} name */
    const part = (name) => /** @type {Element} */ (box.querySelector(name));
    this.apply(left, losses);
    this.apply(right, gradients);
    put(box, "class", `ac-paint-card ac-paint-${mark}`);
    write(part(".ac-paint-mark"), MARKS[mark]);
    write(part(".ac-paint-added"), added);
    write(part(".ac-paint-verdict"), verdict);
    part("dl").replaceChildren(...numbers.map(([name, text, role]) =>
      el("div", {}, el("dt", {}, name), el("dd", { class: `ac-paint-${role}` }, text))));
  }

  /** A cell that the reader has painted stands out until Python has drawn it. */
  show() {
    const { cells } = this.drawn;
    this.cells.forEach(([masked, poison], i) => {
      const drawn = masked === cells[i][0] && poison === cells[i][1];
      this.fields[i].classList.toggle("ac-paint-touched", !drawn);
      put(this.fields[i], "tabindex", i === this.at ? 0 : -1);
    });
    this.tell();
  }

  tell() { write(this.status, this.fields[this.at].getAttribute("aria-label") ?? ""); }

  // ---- painting ----

  /**
   * @param {string} key
   * @param {Tool} tool
   * @param {string} label
   * @param {string} swatch
   */
  toolButton(key, tool, label, swatch) {
    const made = el("button", { type: "button", role: "radio", class: "ac-button ac-paint-tool", "data-tool": tool },
      el("i", { class: `ac-paint-swatch ac-paint-swatch-${swatch}` }), el("span", {}, label), el("kbd", {}, key));
    made.addEventListener("click", () => this.choose(tool));
    return made;
  }

  /**
   * @param {string} label
   * @param {() => Paint[]} cells
   */
  action(label, cells) {
    const made = el("button", { type: "button", class: "ac-button" }, label);
    made.addEventListener("click", () => {
      this.cells = copy(cells());
      this.painted();
    });
    return made;
  }

  /** @param {Tool} tool */
  choose(tool) {
    for (const [each, made] of this.tools) {
      put(made, "aria-checked", each === tool);
      put(made, "tabindex", each === tool ? 0 : -1);
    }
    this.tool = tool;
  }

  /**
   * @param {number} i
   * @param {(cell: Paint) => Paint} brush
   */
  paint(i, brush) {
    const before = this.cells[i], after = brush(before);
    if (after[0] === before[0] && after[1] === before[1]) return;
    this.cells[i] = after;
    this.painted();
  }

  painted() {
    this.show();
    this.controls.want("cells", copy(this.cells));
  }

  /** The cell under a pointer. @param {PointerEvent} event */
  under(event) {
    const { left, top, width, height } = this.grid.getBoundingClientRect(), { rows, columns } = this;
    const row = clamp(Math.floor(((event.clientY - top) / height) * rows), 0, rows - 1);
    return row * columns + clamp(Math.floor(((event.clientX - left) / width) * columns), 0, columns - 1);
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button) return;
    event.preventDefault();
    this.grid.setPointerCapture(event.pointerId);
    const i = this.under(event), stroke = brushOf(this.tool, this.cells[i]);
    this.stroke = stroke;
    this.paint(i, stroke);
    this.move(i);
  }

  /** @param {PointerEvent} event */
  drag(event) {
    if (!this.stroke) return;
    const met = event.getCoalescedEvents?.() ?? [];            // Safari has it from 18.2 on
    for (const each of met.length ? met : [event]) this.paint(this.under(each), this.stroke);
    this.move(this.under(event));
  }

  /** @param {number} i */
  move(i) {
    put(this.fields[this.at], "tabindex", -1);
    this.at = i;
    put(this.fields[i], "tabindex", 0);
    if (document.activeElement !== this.fields[i]) this.fields[i].focus({ preventScroll: true });
    this.tell();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (withModifier(event) || !(event.target instanceof HTMLElement || event.target instanceof SVGElement)) return;
    const { key, target } = event, arrow = ARROWS[key], inGrid = this.grid.contains(target);
    const tool = TOOLS.find(([letter]) => letter === key.toUpperCase())?.[1];
    if (tool) this.choose(tool);
    else if (arrow && inGrid) this.step(arrow);
    else if (arrow && target.dataset.tool) this.turn(arrow[0] + arrow[1]);
    else if ((key === " " || key === "Enter") && inGrid) this.paint(this.at, brushOf(this.tool, this.cells[this.at]));
    else return;
    event.preventDefault();
  }

  /** @param {[number, number]} by */
  step([down, right]) {
    const row = clamp(Math.floor(this.at / this.columns) + down, 0, this.rows - 1);
    this.move(row * this.columns + clamp((this.at % this.columns) + right, 0, this.columns - 1));
  }

  /** Choose the next tool. @param {number} by */
  turn(by) {
    const all = [...this.tools.keys()], tool = all[(all.indexOf(this.tool) + by + all.length) % all.length];
    this.choose(tool);
    this.tools.get(tool)?.focus();
  }
}

export const paint = rendering(PaintView);
