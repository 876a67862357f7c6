// A training as a film: above the curves, what is to be found, and the maps of the frame that belongs to the step
// which is read.

import { clamp } from "../kit/clamp.js";
import { el, put, write } from "../kit/dom.js";
import { cellOf, number } from "../kit/format.js";
import { ARROWS, withModifier } from "../kit/keys.js";
import { rendering } from "../kit/live.js";
import { CurvesView } from "./curves.js";

/** @import { Model } from "../kit/types.d.ts" */
/** @import { CurvesDrawn, CurvesState } from "./curves.js" */

/** `at` is the step of each frame, `shape` (kinds, frames, channels, height, width). */
/** @typedef {CurvesDrawn & { at: number[], shape: [number, number, number, number, number] }} FilmDrawn */
/** @typedef {CurvesState & { drawn: FilmDrawn, frames: DataView, channels: string[],
 *   truth: DataView, truths: string[] }} FilmState */

/** @typedef {"output" | "gradient" | "truth"} Kind */
/** @typedef {{ paper: HTMLCanvasElement, caption: HTMLElement }} MapCell */
/** @typedef {[row: number, column: number]} Pixel */

const FRAME_MS = 250;
const STRIPES = 4;                               // pixels from one stripe to the next
const BRIGHT = 255, PALE = 100;                  // how opaque the two colours of stripes are
const FAR = 8;                                   // pixels that Shift and an arrow key leap

/** The rows of maps, and their colours; the first two change from frame to frame. @type {[Kind, string][]} */
const ROWS = [["output", "value"], ["gradient", "gradient-solid"], ["truth", "value"]];
const TRUTH = 2;                                 // the row of what is to be found: drawn above the others

/**
 * What a map's numbers reach from and to, those that are nan or inf left out. A gradient map shows sizes.
 * @param {Iterable<number>} numbers
 * @param {Kind} kind
 */
export function extent(numbers, kind) {
  const gradient = kind === "gradient";
  let low = gradient ? 0 : Infinity, high = gradient ? 0 : -Infinity, whole = true;
  for (const x of numbers) {
    if (!Number.isFinite(x)) {
      whole = false;
      continue;
    }
    high = Math.max(high, gradient ? Math.abs(x) : x);
    if (!gradient) low = Math.min(low, x);
  }
  return { low, high, whole };
}

/**
 * What stands below a map: its extent in words.
 * @param {ReturnType<typeof extent>} extent
 * @param {Kind} kind
 */
export function extentText({ low, high, whole }, kind) {
  if (!whole) return "nan";
  if (kind !== "gradient") return `${number(low)} to ${number(high)}`;
  return high ? `up to ${number(high)}` : "all zero";
}

/** @param {DataView} bytes */
const floats = ({ buffer, byteOffset, byteLength }) =>
  new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));

/** @extends {CurvesView<FilmState>} */
class FilmView extends CurvesView {
  /** @param {Model<FilmState>} model */
  constructor(model) {
    super(model);
    this.sources.push("frames");
    /** @type {Float32Array} */
    this.numbers = new Float32Array();
    this.truth = floats(model.get("truth"));
    this.frame = 0;
    /** The pixel that is read in all maps. @type {Pixel | null} */
    this.pixel = null;
    /** @type {ReturnType<typeof setInterval> | null} */
    this.timer = null;
    const channels = model.get("channels"), truths = model.get("truths");
    /** @type {MapCell[][]} */
    this.cells = ROWS.map(([kind]) => (kind === "truth" ? truths : channels).map((name) => ({
      paper: el("canvas", { role: "img", "aria-label": `${name}, ${kind}` }),
      caption: el("span", { class: `ac-film-${kind}` }),
    })));
    /** @param {string[]} names */
    const heads = (names) => el("tr", {}, el("td"),
      ...names.map((name) => el("th", { scope: "col", title: name }, name)));
    const [output, gradient, truth] = ROWS.map(([kind], i) => el("tr", {},
      el("th", { scope: "row", class: `ac-film-${kind}` }, kind === "truth" ? "to find" : kind),
      ...this.cells[i].map(({ paper, caption }) => el("td", {}, paper, caption))));
    const label = "Maps. The arrow keys read a pixel in all of them.";
    this.maps = el("table", { class: "ac-film-maps", tabindex: 0, "aria-label": label },
      ...(truths.length ? [el("thead", {}, heads(truths)), el("tbody", {}, truth)] : []),
      el("thead", {}, heads(channels)), el("tbody", {}, output, gradient));
    this.play = el("button", { type: "button", class: "ac-button ac-play", "aria-pressed": "false" }, "▶ Play");
    this.status = el("output", { class: "ac-film-status", "aria-live": "polite" });
    this.box.classList.add("ac-film");
    this.main.before(this.maps, el("div", { class: "ac-film-bar" }, this.play, this.status));
    this.play.addEventListener("click", () => this.playing(!this.timer));
    this.maps.addEventListener("keydown", (event) => this.move(event));
    this.maps.addEventListener("pointermove", (event) => this.point(event));
    this.maps.addEventListener("pointerleave", () => this.look(null));
  }

  draw() {
    this.numbers = floats(this.model.get("frames"));
    super.draw();
  }

  /** @param {number | null} step */
  read(step) {
    super.read(step);
    const here = this.at ?? this.last;
    this.frame = Math.max(0, this.drawn.at.findLastIndex((shown) => shown <= here));
    this.paint();
  }

  /**
   * The numbers of one map of the frame, or of what is to be found.
   * @param {number} kind an index of `ROWS`
   * @param {number} channel
   */
  plane(kind, channel) {
    const [, frames, channels, height, width] = this.drawn.shape, size = height * width;
    if (kind === TRUTH) return this.truth.subarray(channel * size, (channel + 1) * size);
    const start = ((kind * frames + this.frame) * channels + channel) * size;
    return this.numbers.subarray(start, start + size);
  }

  paint() {
    const { at, x, shape: [, , , , width] } = this.drawn, { pixel } = this;
    ROWS.forEach(([kind, hue], row) => this.cells[row].forEach(({ paper, caption }, channel) => {
      const numbers = this.plane(row, channel), reach = extent(numbers, kind);
      this.paintMap(paper, numbers, kind, hue, reach);
      paper.classList.toggle("ac-film-nothing", kind === "gradient" && reach.high === 0 && reach.whole);
      write(caption, pixel ? `= ${number(cellOf(numbers[pixel[0] * width + pixel[1]]))}` : extentText(reach, kind));
    }));
    write(this.status, `Maps at ${x} ${at[this.frame]}${pixel ? `, pixel [${pixel.join(", ")}]` : ""}`);
  }

  /**
   * Paint one map, its pixel under the cursor framed.
   * @param {HTMLCanvasElement} paper
   * @param {Float32Array} numbers
   * @param {Kind} kind
   * @param {string} hue
   * @param {ReturnType<typeof extent>} extent
   */
  paintMap(paper, numbers, kind, hue, { low, high }) {
    const [, , , height, width] = this.drawn.shape, style = getComputedStyle(this.box);
    const pencil = paper.getContext("2d", { willReadFrequently: true });
    if (!pencil) return;
    paper.width = width;
    paper.height = height;
    /** @param {string} name */
    const colour = (name) => {
      pencil.fillStyle = style.getPropertyValue(`--ac-${name}`);
      pencil.fillRect(0, 0, 1, 1);
      return pencil.getImageData(0, 0, 1, 1).data;
    };
    const good = colour(hue), wrong = colour("error"), image = pencil.createImageData(width, height);
    numbers.forEach((x, i) => {
      const size = kind === "gradient" ? Math.abs(x) : x, striped = (Math.floor(i / width) + i) % STRIPES < STRIPES / 2;
      const opacity = Number.isFinite(x) ? Math.round(255 * (size - low) / (high - low || 1)) : striped ? BRIGHT : PALE;
      image.data.set((Number.isFinite(x) ? good : wrong).subarray(0, 3), 4 * i);
      image.data[4 * i + 3] = opacity;
    });
    pencil.putImageData(image, 0, 0);
    if (!this.pixel) return;
    pencil.strokeStyle = style.getPropertyValue("--ac-text");
    pencil.strokeRect(this.pixel[1] - 0.5, this.pixel[0] - 0.5, 2, 2);
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
    if (!(event.target instanceof HTMLCanvasElement)) return;
    const { width, height } = event.target.getBoundingClientRect(), [, , , rows, columns] = this.drawn.shape;
    this.lookAt(Math.floor((event.offsetY / height) * rows), Math.floor((event.offsetX / width) * columns));
  }

  /** @param {KeyboardEvent} event */
  move(event) {
    const by = ARROWS[event.key], [, , , height, width] = this.drawn.shape;
    if (!by || withModifier(event)) return;
    event.preventDefault();
    const far = event.shiftKey ? FAR : 1, [row, column] = this.pixel ?? [Math.floor(height / 2), Math.floor(width / 2)];
    this.lookAt(row + far * by[0], column + far * by[1]);
  }

  /** Play from here, or from the beginning once the end is reached; or pause. @param {boolean} on */
  playing(on) {
    const { at } = this.drawn, last = at.length - 1;
    let frame = this.frame < last ? this.frame : -1;
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
