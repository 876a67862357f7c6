// The heat map of a training: Python draws it; here the reader moves over it, and asks for the view of a step.

import { textButton } from "../kit/button.js";
import { clamp } from "../kit/clamp.js";
import { el, write } from "../kit/dom.js";
import { number, percent } from "../kit/format.js";
import { ARROWS, withModifier } from "../kit/keys.js";
import { Live, rendering } from "../kit/live.js";
import { graph } from "./view.js";

/** @import { Host, Model } from "../kit/types.d.ts" */
/** @import { HistoryDrawn, HistoryState } from "./types.d.ts" */

const FAR = 10;                                  // cells that Shift and an arrow key leap
const READS = "Point at a cell, or use the arrow keys.", OPENS = "A click or Enter opens the view of its step.";

/**
 * What a cell says: nan is nan or inf, a negative number that there is no gradient.
 * @param {number} x
 * @param {HistoryDrawn["shown"]} shown
 */
export function cellText(x, shown) {
  if (Number.isNaN(x)) return "nan or inf";
  if (x < 0) return "no gradient";
  if (shown === "zeros") return `${percent(x)} zeros`;
  return shown === "update" ? `moved by ${number(x)} of its norm` : `norm ${number(x)}`;
}

/**
 * The steps of a column, from its first to its last.
 * @param {HistoryDrawn} drawn
 * @param {number} column
 * @returns {[number, number]}
 */
export function stepsOf({ per, steps }, column) {
  return [column * per, Math.min((column + 1) * per, steps) - 1];
}

/** @extends {Live<HistoryState>} */
class HistoryView extends Live {
  /**
   * @param {Model<HistoryState>} model
   * @param {Host} [host]
   */
  constructor(model, host) {
    super(model, "history");
    this.sources.push("cells", "told", "opened");
    this.host = host;
    /** The cell that is read. @type {[row: number, column: number] | null} */
    this.at = null;
    /** @type {HistoryDrawn | null} */
    this.painted = null;
    /** The view that is open, by the name of its model. @type {string | null} */
    this.open = null;
    this.closing = () => {};
    const label = `Layers and steps. The arrow keys read a cell${host ? ", Enter opens the view of its step" : ""}.`;
    this.idle = host ? `${READS} ${OPENS}` : READS;
    this.head = el("div", { class: "ac-history-head" });
    this.picture = el("div");
    this.cursor = el("div", { class: "ac-history-cursor", hidden: "" });
    this.map = el("div", {
      class: "ac-history-map", tabindex: 0, role: "application", "aria-label": label,
      onkeydown: (event) => this.press(event), onpointermove: (event) => this.read(this.under(event)),
      onpointerleave: () => this.read(null), onclick: (event) => this.pick(this.under(event)),
      onscroll: () => { this.head.scrollLeft = this.map.scrollLeft; },
    }, this.picture, this.cursor);
    this.output = el("output", { class: "ac-history-cell", "aria-live": "polite" }, this.idle);
    this.merged = el("span", { class: "ac-q" });
    this.list = el("ul", { class: "ac-history-surprises" });
    this.said = el("p", { class: "ac-history-said", role: "status" });
    this.place = el("div", { class: "ac-history-view" });
    this.main.append(this.head, this.map, el("p", { class: "ac-history-foot" }, this.output, this.merged), this.list,
      this.said, this.place);
  }

  get columns() { return Math.ceil(this.drawn.steps / this.drawn.per); }

  resized() { this.tellWidth(this.main); }

  draw() {
    const { drawn } = this, told = this.model.get("told") ?? "";
    if (drawn !== this.painted) {
      this.painted = drawn;
      this.head.innerHTML = drawn.head;          // drawn by Python, which has escaped every word of a person
      this.picture.innerHTML = drawn.body;
      write(this.merged, drawn.note);
      this.list.replaceChildren(...drawn.surprises.map(([step, text]) => this.surprise(step, text)));
      if (drawn.more) this.list.append(el("li", {}, `and ${drawn.more} more`));
    }
    write(this.said, told);
    this.said.hidden = !told;
    this.read(this.at);
    this.show(this.model.get("opened") ?? null);
  }

  /** @param {number} step @param {string} text */
  surprise(step, text) {
    return el("li", {}, this.host ? textButton(`step ${step}`, () => this.ask([step, step])) : `step ${step}`,
      `: ${text}`);
  }

  /** Read a cell, and open its step if there is a kernel. @param {[row: number, column: number] | null} cell */
  pick(cell) {
    this.read(cell);
    if (cell && this.host) this.ask(stepsOf(this.drawn, cell[1]));
  }

  /** Ask for the view of one of these steps. @param {[number, number]} steps */
  ask(steps) {
    write(this.said, "Asked for. While a cell runs, the answer waits for its end.");
    this.said.hidden = false;
    this.controls.want("open", steps);
  }

  /** Show the view with this model, or none. @param {string | null} reference */
  async show(reference) {
    if (reference === this.open) return;
    this.open = reference;
    this.closing();
    this.closing = () => {};
    this.place.replaceChildren();
    const model = reference && this.host ? await this.host.getModel(reference) : null;
    if (!model || this.open !== reference) return;
    this.closing = graph({ model: /** @type {Parameters<typeof graph>[0]["model"]} */ (model), el: this.place });
  }

  gone() { this.closing(); }

  // ---- a cell ----

  /**
   * The cell under the pointer, or null.
   * @param {MouseEvent} event
   * @returns {[number, number] | null}
   */
  under(event) {
    const { left, column, row } = this.drawn.places, box = this.picture.getBoundingClientRect();
    const across = Math.floor((event.clientX - box.left - left) / column);
    const down = Math.floor((event.clientY - box.top) / row);
    return across < 0 || across >= this.columns || down < 0 || down >= this.drawn.rows.length ? null : [down, across];
  }

  /** Read a cell. @param {[number, number] | null} cell */
  read(cell) {
    const { places: { left, column, row }, rows, shown } = this.drawn, cells = this.model.get("cells");
    this.at = cell && cell[1] < this.columns && cell[0] < rows.length ? cell : null;
    this.cursor.hidden = !this.at;
    if (!this.at) return write(this.output, this.columns ? this.idle : "");
    const [down, across] = this.at, [first, last] = stepsOf(this.drawn, across);
    Object.assign(this.cursor.style, { left: `${left + across * column}px`, top: `${down * row}px`,
      width: `${Math.max(column, 3)}px`, height: `${row}px` });
    const x = cells.getFloat32(4 * (down * this.columns + across), true);
    const isKept = this.host && this.drawn.views.some((step) => step >= first && step <= last);
    const steps = last > first ? `steps ${first} to ${last}` : `step ${first}`;
    write(this.output, `${rows[down]}, ${steps}: ${cellText(x, shown)}${isKept ? "; its view was kept" : ""}`);
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const by = ARROWS[event.key], { columns } = this;
    if (!columns || withModifier(event) || event.target !== this.map) return;
    if (event.key === "Enter") this.pick(this.at);
    else if (event.key === "Home") this.read([this.at?.[0] ?? 0, 0]);
    else if (event.key === "End") this.read([this.at?.[0] ?? 0, columns - 1]);
    else if (by) {
      const far = !this.at ? 0 : event.shiftKey ? FAR : 1, [row, column] = this.at ?? [0, columns - 1];
      const down = clamp(row + far * by[0], 0, this.drawn.rows.length - 1);
      this.read([down, clamp(column + far * by[1], 0, columns - 1)]);
      this.cursor.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else return;
    event.preventDefault();
  }
}

export const history = rendering(HistoryView);
