// The heat map of a training: Python draws it, and here the reader moves over it.

import { el, write } from "../kit/dom.js";
import { number, percent } from "../kit/format.js";
import { cellAfter } from "../kit/grid.js";
import { withModifier } from "../kit/keys.js";
import { Live, rendering } from "../kit/live.js";

/** @import { GridCell } from "../kit/grid.js" */
/** @import { Model } from "../kit/types.d.ts" */
/** @import { HistoryDrawn, HistoryState } from "./types.d.ts" */

const FAR = 10;                                  // cells that Shift and an arrow key leap
const HOW = "Point at a cell, or use the arrow keys.";

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
  /** @param {Model<HistoryState>} model */
  constructor(model) {
    super(model, "history");
    this.sources.push("cells");
    /** The cell that is read. @type {[row: number, column: number] | null} */
    this.at = null;
    /** @type {HistoryDrawn | null} */
    this.painted = null;
    this.head = el("div", { class: "ac-history-head" });
    this.picture = el("div");
    this.cursor = el("div", { class: "ac-history-cursor", hidden: "" });
    this.map = el("div", {
      class: "ac-history-map", tabindex: 0, role: "application",
      "aria-label": "Layers and steps. The arrow keys read a cell.",
      onkeydown: (event) => this.press(event), onpointermove: (event) => this.read(this.under(event)),
      onpointerleave: () => this.read(null), onclick: (event) => this.read(this.under(event)),
      onscroll: () => { this.head.scrollLeft = this.map.scrollLeft; },
    }, this.picture, this.cursor);
    this.output = el("output", { class: "ac-history-cell", "aria-live": "polite" }, HOW);
    this.merged = el("span", { class: "ac-q" });
    this.list = el("ul", { class: "ac-history-surprises" });
    this.main.append(this.head, this.map, el("p", { class: "ac-history-foot" }, this.output, this.merged), this.list);
  }

  get columns() { return Math.ceil(this.drawn.steps / this.drawn.per); }

  resized() { this.tellWidth(this.main); }

  draw() {
    const { drawn } = this;
    if (drawn !== this.painted) {
      const opens = this.painted?.first !== drawn.first;
      this.painted = drawn;
      this.head.innerHTML = drawn.head;          // drawn by Python, which has escaped every word of a person
      this.picture.innerHTML = drawn.body;
      write(this.merged, drawn.note);
      this.list.replaceChildren(...drawn.surprises.map(([step, text]) => el("li", {}, `step ${step}: ${text}`)));
      if (drawn.more) this.list.append(el("li", {}, `and ${drawn.more} more`));
      if (opens) this.map.scrollTop = (drawn.first + 0.5) * drawn.places.row - this.map.clientHeight / 2;
    }
    this.read(this.at);
  }

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
    if (!this.at) return write(this.output, this.columns ? HOW : "");
    const [down, across] = this.at, [first, last] = stepsOf(this.drawn, across);
    Object.assign(this.cursor.style, { left: `${left + across * column}px`, top: `${down * row}px`,
      width: `${Math.max(column, 3)}px`, height: `${row}px` });
    const x = cells.getFloat32(4 * (down * this.columns + across), true);
    const steps = last > first ? `steps ${first} to ${last}` : `step ${first}`;
    write(this.output, `${rows[down]}, ${steps}: ${cellText(x, shown)}`);
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const { columns } = this, last = /** @type {GridCell} */ ([0, columns - 1]), [row] = this.at ?? last;
    if (!columns || withModifier(event) || event.target !== this.map) return;
    const ends = /** @type {Record<string, GridCell>} */ ({ Home: [row, 0], End: [row, columns - 1] });
    const after = cellAfter(event, this.at ?? last, [this.drawn.rows.length, columns], FAR);
    const to = ends[event.key] ?? (after && (this.at ? after : last));
    if (!to) return;
    event.preventDefault();
    this.read(to);
    this.cursor.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

export const history = rendering(HistoryView);
