// Losses by kernels: the controls of each loss stand above its column. Python draws the pictures.

import { el, redraw, write } from "../kit/dom.js";
import { Live, rendering } from "../kit/live.js";

/** @import { Forms, LiveState, Model } from "../kit/types.d.ts" */

/** @typedef {"table" | "scalar" | "angles"} Picture */
/** @typedef {Record<Picture | "difference", string> & { maps: Forms }} TableDrawn */
/** @typedef {LiveState & { drawn: TableDrawn }} TableState */

/** @extends {Live<TableState>} */
class GradientTable extends Live {
  /** @param {Model<TableState>} model */
  constructor(model) {
    super(model, "gradients");
    /** @param {Picture | "maps"} name */
    const picture = (name) => el("div", { class: `ac-gradients-${name}` });
    /** @type {Record<Picture, HTMLElement>} */
    this.pictures = { table: picture("table"), scalar: picture("scalar"), angles: picture("angles") };
    this.maps = picture("maps");
    this.difference = el("p", { class: "ac-gradients-note" });
    const { table, scalar, angles } = this.pictures, places = el("p", { class: "ac-gradients-note" },
      el("b", {}, "Detached"), ": the kernels still learn, the trunk does not. ",
      el("b", {}, "Off"), ": left out of the sum.");
    this.main.append(el("div", { class: "ac-gradients-card" }, this.controls.box, table, places, this.difference),
      el("div", { class: "ac-gradients-side" }, scalar, angles), this.maps);
  }

  resized() { this.draw(); }

  draw() {
    const { difference, maps, ...pictures } = this.drawn;
    for (const name of /** @type {Picture[]} */ (Object.keys(pictures))) redraw(this.pictures[name], pictures[name]);
    redraw(this.maps, this.form(maps));
    write(this.difference, difference);
  }
}

export const gradientTable = rendering(GradientTable);
