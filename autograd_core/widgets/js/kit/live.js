// The frame of a lesson's widget: heading, settings, picture, verdict. A subclass fills `main` and draws.

import { Controls } from "./controls.js";
import { el, write } from "./dom.js";
import { keepFromJupyter } from "./keys.js";
import { listen } from "./listen.js";

/** @import { Answer, Forms, LiveState, Model, Render } from "./types.d.ts" */

const WIDE = 780;                                // CSS pixels
const NARROWEST_CHANGE = 4;                      // CSS pixels; of less room gained Python is not told

/**
 * Which line is which run's.
 * @param {string} ours the name of the engine
 * @param {string} theirs
 * @param {Element} marks on the path of `theirs`
 */
export const engines = (ours, theirs = "PyTorch", marks = el("i", { class: "ac-theirs" })) =>
  el("span", { class: "ac-engines" }, el("i", { class: "ac-ours" }), ours, marks, theirs);

/** @template {LiveState} State */
export class Live {
  /**
   * @param {Model<State>} model
   * @param {string} name of the widget, in the classes of its style
   */
  constructor(model, name) {
    this.model = model;
    /** The traits that are drawn. */
    this.sources = ["drawn"];
    this.controls = new Controls(model);
    this.main = el("div", { class: `ac-live-main ac-${name}-main` });
    this.verdict = el("p", { class: "ac-live-verdict", role: "status" });
    this.note = el("span", { class: "ac-note" }, model.get("note"));
    this.header = el("div", { class: "ac-header" }, el("span", { class: "ac-title" }, model.get("title")), this.note);
    this.box = el("div", { class: `ac-root ac-view ac-live ac-${name}`, onkeydown: keepFromJupyter },
      this.header, this.controls.box, this.main, this.verdict);
  }

  /** @returns {State["drawn"]} */
  get drawn() { return this.model.get("drawn"); }

  judge() {
    const { text = "", differs = false } = this.model.get("verdict");
    this.verdict.hidden = !text;
    this.verdict.classList.toggle("ac-live-differs", differs);
    write(this.verdict, text);
  }

  /** What there is room for of a picture that Python has drawn in two forms. @param {Forms} forms */
  form({ wide, narrow }) { return this.main.clientWidth < WIDE ? narrow : wide; }

  /** Tell Python, which draws the picture to measure, how wide it may be. @param {HTMLElement} room */
  tellWidth(room) {
    const width = Math.floor(room.clientWidth), more = width - (this.model.get("width") ?? 0);
    if (width <= 0 || (more >= 0 && more <= NARROWEST_CHANGE)) return;
    this.model.set("width", width);
    this.model.save_changes();
  }

  /** @param {string} error */
  answered(error) { this.controls.answered(error); }

  draw() {}

  resized() {}

  gone() {}
}

/**
 * What draws a view of this class.
 * @template {LiveState} State
 * @param {new (model: Model<State>) => Live<State>} View
 * @returns {Render<State>}
 */
export const rendering = (View) => ({ model, el: parent }) => {
  const view = new View(model);
  parent.append(view.box);
  view.judge();
  view.draw();
  const stop = listen(model, {
    ...Object.fromEntries(view.sources.map((trait) => [`change:${trait}`, () => view.draw()])),
    "change:verdict": () => view.judge(),
    "change:controls": () => view.controls.update(),
    "msg:custom": (/** @type {Answer} */ message) => {
      if (message.kind === "answer") view.answered(message.error);
    },
  });
  const watcher = new ResizeObserver(() => view.resized());
  watcher.observe(view.main);
  return () => {
    watcher.disconnect();
    stop();
    view.gone();
  };
};
