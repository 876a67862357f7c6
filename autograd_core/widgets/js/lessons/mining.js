// A map of pixels with two logits each, drawn by Python: here it is read cell by cell.

import { clamp } from "../kit/clamp.js";
import { all, closest, el, put, redraw, write } from "../kit/dom.js";
import { withModifier } from "../kit/keys.js";
import { Live, rendering } from "../kit/live.js";
import { signStyle } from "../kit/shade.js";

/** @import { Model } from "../kit/types.d.ts" */
/** @import { MiningState } from "./types.d.ts" */

/** What the arrows mean: up, and down. @type {Record<string, [string, string]>} */
const ARROWS = {
  gradient: ["The gradient is positive: a step lowers this logit.",
    "The gradient is negative: a step raises this logit."],
  step: ["A step raises this logit: its gradient is negative.", "A step lowers this logit: its gradient is positive."],
};
const ROWS = ["0 not text", "1 text", "sum"], COLOURS = ["v", "v", "q", "", ""];

/** @extends {Live<MiningState>} */
class MiningView extends Live {
  /** @param {Model<MiningState>} model */
  constructor(model) {
    super(model, "mining");
    /** The pixel that is read. */
    this.at = 0;
    /** @type {SVGElement[]} */
    this.fields = [];
    this.map = el("div", { class: "ac-mining-map", onkeydown: (event) => this.key(event),
      onclick: (event) => this.chosen(event), onfocusin: (event) => this.chosen(event) });
    this.summary = el("p", { class: "ac-mining-summary" });
    this.loss = el("strong");
    this.place = el("caption");
    this.rows = el("tbody");
    const heads = el("tr", {}, el("td"), ...this.drawn.headings.map((name) => el("th", { scope: "col" }, name)));
    const numbers = el("table", { class: "ac-numbers ac-mining-numbers" },
      this.place, el("thead", {}, heads), this.rows);
    this.tied = el("li", {}, el("b", {}, "× ○"), "Tied: PyTorch left out × and took ○.");
    /** @type {[HTMLElement, HTMLElement][]} */
    this.arrow = ["↑", "↓"].map((sign) => [el("b", {}, sign), el("span")]);
    const shown = el("div", { class: "ac-switch", role: "group", "aria-label": "What the arrows show" },
      el("span", {}, "arrows"), ...Object.keys(ARROWS).map((name) => this.arrows(name)));
    const key = el("ul", { class: "ac-mining-key" },
      el("li", {}, "Each square is a pixel. Its left half is the output “not text”, its right half “text”."),
      el("li", {}, el("b", { class: "ac-v" }, "1.1"), "The logit is at the top of its half."),
      ...this.arrow.map((pair) => el("li", {}, ...pair)),
      el("li", {}, el("b", {}, ".67"), "Below the arrow is p − onehot. It has the sign of the gradient."),
      el("li", {}, el("i", { class: "ac-mining-text" }), "The pixel is labelled text."),
      el("li", {}, el("i", { class: "ac-mining-none" }), "The pixel gets no gradient."), this.tied);
    this.main.append(this.map, el("div", { class: "ac-mining-panel" }, this.summary, numbers, shown, key));
    this.show("gradient");
  }

  draw() {
    const { svg, summary, loss, old, tied } = this.drawn;
    redraw(this.map, svg);
    this.fields = all(this.map, '[role="gridcell"]');
    this.main.classList.toggle("ac-mining-old", old);
    write(this.loss, loss);
    this.loss.classList.toggle("ac-bad", /nan|inf/.test(loss));
    const before = old ? "The run raised an error. Before it: loss " : "loss ";
    this.summary.replaceChildren(before, this.loss, `. ${summary}.`);
    this.tied.hidden = !tied;
    this.read(Math.min(this.at, this.fields.length - 1));
  }

  /** A button that has the arrows show this. @param {string} name */
  arrows(name) {
    return el("button", { type: "button", "data-arrows": name, onclick: () => this.show(name) }, name);
  }

  /** @param {string} name */
  show(name) {
    for (const each of this.box.querySelectorAll("[data-arrows]")) {
      put(each, "aria-pressed", each.getAttribute("data-arrows") === name);
    }
    this.map.classList.toggle("ac-mining-step", name === "step");
    this.arrow.forEach(([sign, text], i) => {
      write(text, ARROWS[name][i]);
      sign.className = (i === 0) === (name === "gradient") ? "ac-g" : "ac-n";
    });
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
      ...texts.map((text, k) => el("td", { class: COLOURS[k] ? `ac-${COLOURS[k]}` : signStyle(text) }, text)))));
  }

  /** @param {Event} event */
  chosen(event) {
    const field = closest(event, '[role="gridcell"]'), at = this.fields.findIndex((each) => each === field);
    if (at >= 0) this.read(at);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { columns } = this.drawn, row = Math.floor(this.at / columns), column = this.at % columns;
    const last = this.fields.length / columns - 1;
    const to = {
      ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1],
      ArrowDown: [row + 1, column], ArrowUp: [row - 1, column],
      Home: [row, 0], End: [row, columns - 1], PageUp: [0, column], PageDown: [last, column],
    }[event.key];
    if (!to || withModifier(event)) return;
    event.preventDefault();
    event.stopPropagation();
    this.fields[clamp(to[0], 0, last) * columns + clamp(to[1], 0, columns - 1)].focus();
  }
}

export const mining = rendering(MiningView);
