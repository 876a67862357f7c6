// A text detector in training: one large photo with the text that it finds, next to its maps and its scores.

import { clamp } from "../kit/clamp.js";
import { all, el, put, svg, write } from "../kit/dom.js";
import { number } from "../kit/format.js";
import { rendering } from "../kit/live.js";
import { drawMap } from "../kit/shade.js";
import { FilmView } from "./film.js";

/** @import { Model } from "../kit/types.d.ts" */
/** @import { SnakeState } from "./types.d.ts" */

const GREYEST = 3;                               // brightness of a photo that is drawn in the deepest grey
const FINE = 8;                                  // pixels of a canvas for one of the photo
const LAYERS = ["region", "line", "discs", "ticks", "text", "ignored"];

/** How grey a pixel of the photo is drawn. @param {number} x */
const greyOf = (x) => -clamp((x + 1) / (GREYEST + 1), 0, 1);

/** @param {number} x */
const rounded = (x) => number(Number(x.toFixed(2)));

/** @extends {FilmView<SnakeState>} */
class SnakeView extends FilmView {
  /** @param {Model<SnakeState>} model */
  constructor(model) {
    super(model);
    this.box.classList.add("ac-snake", "ac-film-aligned");
    const [, , , height, width] = this.drawn.shape;
    this.photos = ["", ""].map(() => {
      const paper = el("canvas", { width: width * FINE, height: height * FINE, "data-part": "plane" });
      const layers = LAYERS.map((name) => svg("path", { class: `ac-snake-${name}` }));
      const overlay = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" }, ...layers);
      const name = el("figcaption");
      const figure = el("figure", {}, name, el("div", { class: "ac-film-plane" }, paper, overlay, el("i")));
      return { paper, layers, overlay, name, figure };
    });
    this.isCompared = false;
    this.compare = el("button", { type: "button", class: "ac-button", "aria-pressed": "false",
      onclick: () => this.comparing(!this.isCompared) }, "compare with all losses");
    this.told = el("p", { class: "ac-snake-told" });
    const key = el("p", { class: "ac-snake-key" }, el("b", { class: "ac-v" }, "blue outline"), ": true text · ",
      el("b", {}, "dotted outline"), ": ignored text · ", el("b", { class: "ac-snake-found" }, "green"),
      ": the predicted text (outline), its line (filled) and discs of the predicted radius · ", el("b", {}, "ticks"),
      ": the predicted direction");
    const photos = el("div", { class: "ac-snake-photos" }, ...this.photos.map(({ figure }) => figure));
    const left = el("div", { class: "ac-snake-left" }, photos, key);
    const right = el("div", { class: "ac-snake-right" });
    this.maps.before(el("div", { class: "ac-snake-stage" }, left, right));
    right.append(this.main, this.maps);
    this.status.after(this.told);
    this.controls.box.append(this.compare);
    for (const [kind, section] of this.kinds) section.hidden = kind === "target";
    photos.addEventListener("pointermove", (event) => this.point(event));
    photos.addEventListener("pointerleave", () => this.look(null));
  }

  resized() {
    this.tellWidth(this.stage);
    this.paint();
  }

  /** All but those of the untrained network, of which a few are far larger. */
  scaled() {
    const [, , channels, height, width] = this.drawn.shape;
    return super.scaled().subarray(channels * height * width);
  }

  draw() {
    super.draw();
    const { drawn: { off, silent, told } } = this, isOff = off !== "none";
    this.compare.hidden = !isOff;
    this.box.classList.toggle("ac-snake-two", isOff && this.isCompared);
    for (const { figure, kind, place } of this.list) {
      figure.classList.toggle("ac-snake-off", kind !== "target" && silent.includes(this.drawn.channels[place]));
    }
    write(this.told, told);
  }

  /** Read the frame that is nearest to a step. @param {number | null} step */
  read(step) {
    const { at } = this.drawn;
    super.read(step === null ? null : at.reduce((best, each) =>
      (Math.abs(each - step) < Math.abs(best - step) ? each : best)));
  }

  get stops() { return this.drawn.at; }

  /** @param {boolean} on */
  comparing(on) {
    this.isCompared = on;
    put(this.compare, "aria-pressed", on);
    this.box.classList.toggle("ac-snake-two", on && this.drawn.off !== "none");
    this.paint();
  }

  paint() {
    super.paint();
    if (!this.photos) return;
    const { drawn, frame } = this, { off, snakes, whole, outlines, at, units, constants, lines } = drawn;
    const [rows, columns] = this.size, two = this.isCompared && off !== "none", ours = snakes[frame];
    for (const { kind, figure, below } of this.list) {
      if (kind === "gradient" && figure.classList.contains("ac-film-zero")) write(below[2], "no gradient");
    }
    this.photos.forEach(({ paper, layers, overlay, name, figure }, i) => {
      figure.hidden = i === 1 && !two;
      if (figure.hidden) return;
      const found = two && i === 0 ? whole[frame] : ours;
      const words = two && i === 0 ? "all losses" : off === "none" ? "the photo" : `without ${off}`;
      write(name, words);
      put(overlay, "aria-label", `${words}, at step ${at[frame]}: ${found[1].split("M").length - 1} pixels of a line`);
      layers.forEach((layer, k) => put(layer, "d", [...found, ...outlines][k]));
      drawMap(paper, { cells: this.truth, rows, columns }, greyOf, "value");
    });
    write(this.caption, `${drawn.x} ${at[frame]}, ${drawn.scored}`);
    all(this.rows, "tr").forEach((row, k) => {
      const value = rounded(Number(lines[k].values[at[frame]])), constant = constants[k];
      const cells = [value, units[k], constant === null ? "" : `constant ${rounded(constant)}`];
      row.replaceChildren(el("th", { scope: "row" }, lines[k].name), ...cells.map((text, i) =>
        el("td", { class: i === 0 ? "ac-v" : "" }, text)));
    });
    if (this.pixel) write(this.status, `Step ${at[frame]}, pixel [${this.pixel.join(", ")}]`);
  }
}

export const snake = rendering(SnakeView);
