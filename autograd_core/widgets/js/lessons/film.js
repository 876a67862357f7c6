// A training as a film: the targets and the maps of the current step, with Play and the loss. Each output has its own
// scale, and all gradients share one.

import { closest, el, put, write } from "../kit/dom.js";
import { cellOf, number } from "../kit/format.js";
import { cellAfter, cellUnder } from "../kit/grid.js";
import { rendering } from "../kit/live.js";
import { ceiling, drawMap, legend, onTheme, signed, signStyle, summary } from "../kit/shade.js";
import { CurvesView } from "./curves.js";

/** @import { GridCell, Size } from "../kit/grid.js" */
/** @import { Model } from "../kit/types.d.ts" */
/** @import { FilmState } from "./types.d.ts" */

/** @typedef {"target" | "output" | "gradient"} Kind */
/**
 * @typedef {{ kind: Kind, place: number, figure: HTMLElement, paper: HTMLCanvasElement, below: HTMLElement[] }} FilmMap
 */

const FRAME_MS = 250;
const FAR = 8;                                   // pixels that Shift and an arrow key leap
const MARGIN = 32;                               // CSS pixels at both sides of all maps
const NARROW = 560, WIDE = 1000;                 // CSS pixels: WIDE leaves room for the curves next to the maps
const FINE = 320;                                // pixels of a canvas
/** The kinds from top to bottom, and the words next to each. @type {[Kind, string][]} */
const KINDS = [
  ["target", "hatched: no loss reads these pixels"],
  ["output", "each map on its own scale: blue above 0, grey below 0"],
  ["gradient", "of the loss at the output: one scale for all maps and all frames"],
];

/** @param {DataView} bytes */
const floats = ({ buffer, byteOffset, byteLength }) =>
  new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));

/** The smallest and the largest finite number. @param {Float32Array} numbers @returns {[number, number]} */
const ends = (numbers) => numbers.filter(Number.isFinite).reduce(([low, high], x) =>
  [Math.min(low, x), Math.max(high, x)], /** @type {[number, number]} */ ([Infinity, -Infinity]));

/**
 * @template {FilmState} State
 * @extends {CurvesView<State>}
 */
export class FilmView extends CurvesView {
  /** @param {Model<State>} model */
  constructor(model) {
    super(model);
    this.sources.push("frames");
    /** What is to be found, and all frames. @type {Float32Array} */
    this.truth = floats(model.get("truth"));
    /** @type {Float32Array} */
    this.frames = new Float32Array();
    /** The end of the gradients' scale. */
    this.end = 1;
    this.frame = 0;
    /** The pixel that is read in all maps. @type {GridCell | null} */
    this.pixel = null;
    /** @type {ReturnType<typeof setInterval> | null} */
    this.timer = null;
    const label = "Maps. The arrow keys read a pixel in all of them.", { known, channels } = this.drawn;
    this.maps = el("div", {
      class: "ac-film-maps", tabindex: 0, role: "application", "aria-label": label,
      onkeydown: (event) => this.move(event), onpointermove: (event) => this.point(event),
      onpointerleave: () => this.look(null),
    });
    /** @type {FilmMap[]} */
    this.list = [];
    this.scale = el("div");
    /** @type {Map<Kind, HTMLElement>} */
    this.kinds = new Map(KINDS.filter(([kind]) => kind !== "target" || known.length).map(([kind, words]) =>
      [kind, this.section(kind, words, kind === "target" ? known : channels)]));
    this.maps.append(...this.kinds.values());
    this.play = el("button", { type: "button", class: "ac-button ac-play", "aria-pressed": "false",
      onclick: () => this.playing(!this.timer) }, "▶ Play");
    this.status = el("output", { class: "ac-film-status", "aria-live": "polite" });
    this.box.classList.add("ac-film");
    this.main.before(this.maps);
    this.main.prepend(el("div", { class: "ac-film-bar" }, this.play, this.status));
    this.gone = onTheme(() => this.paint());
  }

  /**
   * The maps of a kind.
   * @param {Kind} kind
   * @param {string} words
   * @param {string[]} names
   */
  section(kind, words, names) {
    const style = kind === "gradient" ? "ac-g" : "ac-v", [, , , height, width] = this.drawn.shape;
    const size = Math.max(1, Math.round(FINE / width));
    const figures = names.map((name, place) => {
      const paper = el("canvas", { width: width * size, height: height * size, "data-part": "plane", role: "img",
        "aria-label": `${name}, ${kind}` });
      const below = ["low", "high", "count"].map((part) => el("span", { "data-part": part }));
      const figure = el("figure", {}, el("figcaption", { title: name }, name),
        el("div", { class: "ac-film-plane" }, paper, el("i")), el("div", { class: style }, ...below));
      this.list.push({ kind, place, figure, paper, below });
      return figure;
    });
    const head = el("div", { class: "ac-film-head" }, el("p", {}, el("b", { class: style }, kind), ` ${words}`));
    if (kind === "gradient") head.append(this.scale);
    const section = el("section", { "data-kind": kind }, head, el("div", { class: "ac-film-row" }, ...figures));
    section.style.setProperty("--columns", String(names.length));
    return section;
  }

  get opening() { return this.drawn.opens; }

  resized() {
    const room = this.box.clientWidth - MARGIN, narrow = room < NARROW;
    this.box.classList.toggle("ac-film-narrow", narrow);
    this.box.classList.toggle("ac-film-aligned", !narrow);
    this.box.classList.toggle("ac-film-beside", room >= WIDE);
    super.resized();
    this.paint();
  }

  draw() {
    this.frames = floats(this.model.get("frames"));
    this.end = ceiling(this.scaled());
    this.scale.replaceChildren(legend(this.end, "the output"));
    if (this.drawn.shape[1]) super.draw();
  }

  /** The gradients that the scale is made for. */
  scaled() { return this.frames.subarray(this.frames.length / 2); }

  /** @param {number | null} step */
  read(step) {
    super.read(step);
    const here = this.at ?? this.opening;
    this.frame = Math.max(0, this.drawn.at.findLastIndex((shown) => shown <= here));
    this.paint();
  }

  /** A reader who moves stops the film. @param {KeyboardEvent} event */
  press(event) {
    super.press(event);
    if (event.defaultPrevented) this.playing(false);
  }

  /** The numbers of a map in the frame that is seen. @param {FilmMap} map */
  cells({ kind, place }) {
    const [, frames, channels, height, width] = this.drawn.shape, size = height * width;
    const plane = kind === "target" ? place : ((kind === "gradient" ? frames : 0) + this.frame) * channels + place;
    return (kind === "target" ? this.truth : this.frames).subarray(plane * size, (plane + 1) * size);
  }

  /**
   * How deep the numbers of a map are drawn: a function of the number.
   * @param {FilmMap} map
   * @param {Float32Array} cells
   * @returns {(x: number) => number}
   */
  depths({ kind }, cells) {
    if (kind === "gradient") return (x) => signed(x, this.end);
    const [least, greatest] = ends(cells), end = Math.max(-least, greatest) || 1;
    return (x) => x / end;
  }

  /** Draw the maps of the frame. */
  paint() {
    const [, , , rows, columns] = this.drawn.shape, { at } = this.drawn;
    for (const map of this.list) {
      const { kind, figure, paper, below: [low, high, count] } = map, cells = this.cells(map);
      if (this.kinds.get(kind)?.hidden !== false) continue;
      const told = summary(cells);
      drawMap(paper, { cells, rows, columns }, this.depths(map, cells), kind === "output" ? "value" : kind);
      const wrong = kind !== "target" && told.count.endsWith("inf");
      write(count, kind === "gradient" || wrong ? told.count : "");
      count.classList.toggle("ac-bad", wrong);
      const here = this.pixel ? cells[this.pixel[0] * columns + this.pixel[1]] : 0;
      const texts = !this.pixel ? [told.low, told.high]
        : [kind === "target" && Number.isNaN(here) ? "not read" : `= ${number(cellOf(here))}`, ""];
      [low, high].forEach((each, i) => {
        write(each, texts[i]);
        if (kind === "gradient") each.className = signStyle(texts[i].replace("= ", ""));
      });
      figure.classList.toggle("ac-film-zero", kind === "gradient" && told.count === "all zero");
    }
    write(this.status, `Maps at ${this.drawn.x} ${at[this.frame]}${
      this.pixel ? `, pixel [${this.pixel.join(", ")}]` : ""}`);
  }

  /** Read a pixel in all maps. @param {GridCell | null} pixel */
  look(pixel) {
    this.pixel = pixel;
    this.maps.classList.toggle("ac-film-read", pixel !== null);
    this.size.forEach((count, axis) => {
      this.maps.style.setProperty(axis ? "--width" : "--height", `${100 / count}%`);
      this.maps.style.setProperty(axis ? "--left" : "--top", `${(100 * (pixel?.[axis] ?? 0)) / count}%`);
    });
    this.paint();
  }

  /** Rows and columns of a map. @returns {Size} */
  get size() { return [this.drawn.shape[3], this.drawn.shape[4]]; }

  /** @param {PointerEvent} event */
  point(event) {
    const plane = closest(event, '[data-part="plane"]');
    if (plane) this.look(cellUnder(event, plane, this.size));
  }

  /** @param {KeyboardEvent} event */
  move(event) {
    const [rows, columns] = this.size, to = cellAfter(event, this.pixel ?? [rows / 2, columns / 2], this.size, FAR);
    if (to) this.look(to);
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
