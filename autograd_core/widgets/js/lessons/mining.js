// A map of pixels with two logits each, drawn by Python: a table shows the numbers of one pixel.

import { all, closest, el, put, redraw, write } from "../kit/dom.js";
import { cellAfter } from "../kit/grid.js";
import { Live, rendering } from "../kit/live.js";
import { signStyle } from "../kit/shade.js";

/** @import { Model } from "../kit/types.d.ts" */
/** @import { MiningState } from "./types.d.ts" */

const FAR = 4;                                   // pixels that Shift and an arrow key leap
const ROWS = ["0 not text", "1 text", "sum"], COLORS = ["v", "v", "q", "", ""];
/** @type {Record<string, string>} */
const INKS = { "↑": "ac-n", "↓": "ac-g" };

/** @extends {Live<MiningState>} */
class MiningView extends Live {
  /** @param {Model<MiningState>} model */
  constructor(model) {
    super(model, "mining");
    /** The selected pixel. */
    this.at = this.drawn.opens;
    /** @type {SVGElement[]} */
    this.fields = [];
    this.map = el("div", { class: "ac-mining-map", onkeydown: (event) => this.key(event),
      onclick: (event) => this.chosen(event), onfocusin: (event) => this.chosen(event) });
    this.summary = el("p", { class: "ac-mining-summary" });
    this.loss = el("strong");
    this.place = el("caption", { "aria-live": "polite" });
    this.rows = el("tbody");
    const heads = el("tr", {}, el("td"), ...this.drawn.headings.map((name) => el("th", { scope: "col" }, name)));
    const numbers = el("table", { class: "ac-numbers ac-mining-numbers" },
      this.place, el("thead", {}, heads), this.rows);
    this.plot = el("div", { class: "ac-mining-plot" });
    this.legend = el("ul", { class: "ac-mining-key" });
    this.main.append(el("div", { class: "ac-mining-left" }, this.map, this.legend),
      el("div", { class: "ac-mining-panel" }, numbers, this.summary, this.plot));
  }

  draw() {
    const { svg, plot, summary, formula, loss, old, key } = this.drawn;
    redraw(this.map, svg);
    redraw(this.plot, plot);
    this.plot.hidden = !plot;
    this.fields = all(this.map, '[role="gridcell"]');
    this.map.classList.toggle("ac-old", old);
    write(this.loss, loss);
    this.loss.classList.toggle("ac-bad", /nan|inf/.test(loss));
    const before = old ? "The run raised an error. Before it: " : "";
    const gradient = formula ? `: ${formula}` : "";
    this.summary.replaceChildren(`${before}${summary}${gradient}. Loss `, this.loss, ".");
    this.legend.replaceChildren(...key.map((text) => el("li", {},
      el("b", { class: INKS[text[0]] ?? "" }, INKS[text[0]] ? text[0] : ""), INKS[text[0]] ? text.slice(1) : text)));
    this.read(Math.min(this.at, this.fields.length - 1));
  }

  /** Show the numbers of a pixel in the panel. @param {number} at */
  read(at) {
    const { where, rows } = this.drawn.cells[at];
    this.fields.forEach((field, i) => {
      put(field, "tabindex", i === at ? 0 : -1);
      put(field, "aria-selected", i === at);
    });
    this.at = at;
    write(this.place, where);
    this.rows.replaceChildren(...rows.map((texts, i) => el("tr", {}, el("th", { scope: "row" }, ROWS[i]),
      ...texts.map((text, k) => el("td", { class: COLORS[k] ? `ac-${COLORS[k]}` : signStyle(text) }, text)))));
  }

  /** @param {Event} event */
  chosen(event) {
    const field = closest(event, '[role="gridcell"]'), at = this.fields.findIndex((each) => each === field);
    if (at >= 0) this.read(at);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { columns } = this.drawn, rows = this.fields.length / columns;
    const to = cellAfter(event, [this.at / columns, this.at % columns], [rows, columns], FAR);
    if (!to) return;
    event.stopPropagation();
    this.fields[to[0] * columns + to[1]].focus();
  }
}

export const mining = rendering(MiningView);
