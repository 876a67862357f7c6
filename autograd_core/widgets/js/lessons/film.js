// A training as a film: what is to be found, and the maps of the frame that belongs to the step which is read; below
// them Play and the loss. Python draws them all, and tells for each frame what changes.

import { clamp } from "../kit/clamp.js";
import { all, closest, el, put, uniqueId, write } from "../kit/dom.js";
import { cellOf, number } from "../kit/format.js";
import { ARROWS, withModifier } from "../kit/keys.js";
import { rendering } from "../kit/live.js";
import { CurvesView } from "./curves.js";

/** @import { Model } from "../kit/types.d.ts" */
/** @import { FilmState } from "./types.d.ts" */

/** @typedef {[row: number, column: number]} Pixel */

const FRAME_MS = 250;
const FAR = 8;                                   // pixels that Shift and an arrow key leap
const PARTS = ["picture", "wrong", "low", "high", "nothing", "pixel"];
const KEY = /ac-film-map/g;                      // how Python begins the ids in the picture

/** @param {DataView} bytes */
const floats = ({ buffer, byteOffset, byteLength }) =>
  new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));

/** @extends {CurvesView<FilmState>} */
class FilmView extends CurvesView {
  /** @param {Model<FilmState>} model */
  constructor(model) {
    super(model);
    this.sources.push("frames", "scene");
    /** The numbers of all frames, and of what is to be found. @type {[Float32Array, Float32Array]} */
    this.numbers = [new Float32Array(), floats(model.get("truth"))];
    this.id = uniqueId();
    this.shown = "";
    this.frame = 0;
    /** The pixel that is read in all maps. @type {Pixel | null} */
    this.pixel = null;
    /** @type {ReturnType<typeof setInterval> | null} */
    this.timer = null;
    const label = "Maps. The arrow keys read a pixel in all of them.";
    this.maps = el("div", {
      class: "ac-film-maps", tabindex: 0, role: "application", "aria-label": label,
      onkeydown: (event) => this.move(event), onpointermove: (event) => this.point(event),
      onpointerleave: () => this.look(null),
    });
    this.play = el("button", { type: "button", class: "ac-button ac-play", "aria-pressed": "false",
      onclick: () => this.playing(!this.timer) }, "▶ Play");
    this.status = el("output", { class: "ac-film-status", "aria-live": "polite" });
    this.box.classList.add("ac-film");
    this.main.before(this.maps);
    this.main.prepend(el("div", { class: "ac-film-bar" }, this.play, this.status));
  }

  get opening() { return this.drawn.opens; }

  resized() {
    super.resized();
    this.paint();
  }

  draw() {
    this.numbers[0] = floats(this.model.get("frames"));
    super.draw();
  }

  /** @param {number | null} step */
  read(step) {
    super.read(step);
    const here = this.at ?? this.opening;
    this.frame = Math.max(0, this.drawn.at.findLastIndex((shown) => shown <= here));
    this.paint();
  }

  /** The number at the pixel that is read. @param {number} map @param {Pixel} pixel */
  numberAt(map, [row, column]) {
    const [, frames, channels, height, width] = this.drawn.shape, i = map - this.model.get("scene").known.length;
    const plane = i < 0 ? map : (Math.floor(i / channels) * frames + this.frame) * channels + (i % channels);
    return number(cellOf(this.numbers[i < 0 ? 1 : 0][(plane * height + row) * width + column]));
  }

  /** Apply what the frame changes, and frame the pixel that is read. */
  paint() {
    const { at, x } = this.drawn, { pixel } = this, scene = this.model.get("scene"), picture = this.form(scene);
    if (picture !== this.shown) this.maps.innerHTML = picture.replace(KEY, this.id);    // Python has escaped all words
    this.shown = picture;
    const [pictures, wrongs, lows, highs, zeros, frames] = PARTS.map((name) =>
      all(this.maps, `[data-part="${name}"]`));
    [...scene.known, ...scene.changes[this.frame]].forEach(([href, wrong, low, high, nothing], i) => {
      put(pictures[i], "href", href);
      put(wrongs[i], "href", wrong);
      write(lows[i], pixel ? `= ${this.numberAt(i, pixel)}` : low);
      write(highs[i], pixel ? "" : high);
      put(zeros[i], "display", nothing ? "" : "none");
      put(frames[i], "display", pixel ? "" : "none");
      ["y", "x"].forEach((side, axis) => {
        put(frames[i], side, (pixel?.[axis] ?? 0) * Number(frames[i].getAttribute(axis ? "width" : "height")));
      });
    });
    this.maps.classList.toggle("ac-film-read", pixel !== null);
    write(this.status, `Maps at ${x} ${at[this.frame]}${pixel ? `, pixel [${pixel.join(", ")}]` : ""}`);
  }

  /** Read a pixel in all maps. @param {Pixel | null} pixel */
  look(pixel) {
    this.pixel = pixel;
    this.paint();
  }

  /** @param {number} row @param {number} column */
  lookAt(row, column) {
    const [, , , height, width] = this.drawn.shape;
    this.look([clamp(row, 0, height - 1), clamp(column, 0, width - 1)]);
  }

  /** @param {PointerEvent} event */
  point(event) {
    const plane = closest(event, '[data-part="plane"]')?.getBoundingClientRect(), { shape } = this.drawn;
    if (!plane) return;
    this.lookAt(Math.floor(((event.clientY - plane.top) / plane.height) * shape[3]),
      Math.floor(((event.clientX - plane.left) / plane.width) * shape[4]));
  }

  /** @param {KeyboardEvent} event */
  move(event) {
    const by = ARROWS[event.key], [, , , height, width] = this.drawn.shape;
    if (!by || withModifier(event)) return;
    event.preventDefault();
    const far = event.shiftKey ? FAR : 1, [row, column] = this.pixel ?? [Math.floor(height / 2), Math.floor(width / 2)];
    this.lookAt(row + far * by[0], column + far * by[1]);
  }

  /** Play from the step that was chosen, or from the beginning; or pause. @param {boolean} on */
  playing(on) {
    const { at } = this.drawn, last = at.length - 1;
    let frame = this.at !== null && this.frame < last ? this.frame : -1;
    if (this.timer) clearInterval(this.timer);
    this.timer = !on ? null : setInterval(() => {
      frame += 1;
      if (this.box.isConnected) this.read(at[frame]);
      if (frame >= last || !this.box.isConnected) this.playing(false);
    }, FRAME_MS);
    write(this.play, on ? "❚❚ Pause" : "▶ Play");
    put(this.play, "aria-pressed", on);
  }
}

export const film = rendering(FilmView);
