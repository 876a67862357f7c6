// Losses by kernels: the controls of each loss stand above its column. Python draws the table.

import { el, redraw, write } from "../kit/dom.js";
import { Live, rendering } from "../kit/live.js";

/** @import { Model } from "../kit/types.d.ts" */
/** @import { TableState } from "./types.d.ts" */

/** @extends {Live<TableState>} */
class GradientTable extends Live {
  /** @param {Model<TableState>} model */
  constructor(model) {
    super(model, "gradients");
    this.table = el("div", { class: "ac-gradients-table" });
    this.difference = el("p");
    const places = el("p", {}, el("b", {}, "Detached"), ": the kernels still learn, the trunk does not. ",
      el("b", {}, "Off"), ": left out of the sum. ", el("b", {}, "Cosine"),
      ": between what a loss, and what all send to the trunk.");
    this.main.append(this.controls.box, this.table, places, this.difference);
  }

  draw() {
    redraw(this.table, this.drawn.table);
    write(this.difference, this.drawn.difference);
  }
}

export const gradientTable = rendering(GradientTable);
