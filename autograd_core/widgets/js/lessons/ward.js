// Lesson 13's wards: a loop and its instruments. A click on a line is the diagnosis; then the loop can be edited.

import { button } from "../kit/button.js";
import { clamp } from "../kit/clamp.js";
import { el, redraw, write } from "../kit/dom.js";
import { Live, rendering } from "../kit/live.js";
import { RadioGroup, write as writeCode } from "./choice.js";

/** @import { Model } from "../kit/types.d.ts" */
/** @import { WardState } from "./types.d.ts" */

const WIDE = 478;                                // CSS pixels, of the instruments
const MISSING = -1;                              // stands for a line that is missing
const MOST = 3;                                  // after so many wrong clicks the bug is told

/** @type {Record<string, [number, number]>} */
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @extends {Live<WardState>} */
class WardView extends Live {
  /** @param {Model<WardState>} model */
  constructor(model) {
    super(model, "ward");
    /** Of each loop: the lines that were clicked, whether the first was right, and how many hints were asked for.
     * @type {Map<unknown, { lines: number[], found: boolean, hints: number }>} */
    this.states = new Map();
    this.loop = "";
    this.group = this.groupOf("");
    this.goal = el("p");
    this.lines = el("div");
    this.buttons = el("div", { class: "ac-buttons" },
      button("No line is wrong", "a line is missing", () => this.point(MISSING)),
      button("Ask a question about the instruments", "hint", () => { this.state.hints += 1; this.tell(); }));
    this.editor = el("textarea", { "aria-label": "The loop", spellcheck: "false", wrap: "off",
      onkeydown: (event) => this.key(event) });
    this.run = button("Ctrl+Enter", "Run on both engines", () => {
      this.loop = this.editor.value;             // what is typed from here on stays when Python has drawn this
      this.controls.want("source", this.loop);
    }, "ac-play");
    this.told = el("p", { role: "status" });
    this.picture = el("div", { class: "ac-ward-picture", tabindex: 0, role: "group",
      "aria-label": "Instruments. Left and right: another step. Up and down: another parameter.",
      onkeydown: (event) => this.move(event), onpointermove: (event) => this.hover(event) });
    this.cursor = el("i", { hidden: "" });
    this.reading = el("p", { role: "status" });
    this.alarms = el("ul");
    this.tests = el("div");
    this.measured = el("div", { class: "ac-ward-measured" }, this.picture, this.reading, this.alarms, this.tests);
    this.main.append(el("div", { class: "ac-ward-loop" },
      this.goal, this.lines, this.editor, this.buttons, this.run, this.told), this.measured);
    this.step = this.row = 0;
  }

  get state() {
    const loop = this.model.get("controls")[0]?.value;
    const state = this.states.get(loop) ?? { lines: [], found: false, hints: 0 };
    this.states.set(loop, state);
    return state;
  }

  /** @returns {"wide" | "narrow"} */
  get room() { return this.measured.clientWidth < WIDE ? "narrow" : "wide"; }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.shiftKey)) return;
    event.preventDefault();
    event.stopPropagation();                     // where the notebook would run the cell, and this ward be gone
    this.run.click();
  }

  /** The lines to click. @param {string} loop */
  groupOf(loop) {
    /** @type {[string, string][]} */
    const choices = loop.split("\n").map((line) => [line, ""]);
    return new RadioGroup({ heading: "", choices, kept: "" }, "", {
      chosen() {}, next() {}, commit: (line) => this.point(line),
    });
  }

  /** @param {number} line */
  point(line) {
    const { lines } = this.state;
    if (this.controls.busy || lines.includes(line)) return;    // another loop may be on its way
    this.state.found ||= !lines.length && this.drawn.faulty.includes(line);
    lines.push(line);
    this.tell();
    if (!this.editor.hidden) this.editor.focus();
  }

  /** What came of the clicks; and the loop, first for clicks, then for edits. */
  tell() {
    const { because, questions, faulty, said } = this.drawn, { lines, hints } = this.state;
    const right = lines.some((line) => faulty.includes(line)), known = right || lines.length >= MOST;
    const question = questions[Math.min(Math.max(lines.length, hints), questions.length) - 1];
    const asked = `${lines.length ? "Not there. " : ""}${question ?? "Click the faulty line."}`;
    const answer = said || `${right ? "✓ Yes" : "The bug"}: ${because}. Now fix the loop.`;
    writeCode(this.told, known ? answer : faulty.length ? asked : "");
    this.told.classList.toggle("ac-bad", known && said.startsWith("Not"));
    this.group.update(lines.at(-1) ?? -1, {
      marks: lines.filter((line) => line !== MISSING).map((line) => [line, "yours", "not here"]) });
    this.lines.hidden = known || !faulty.length;
    this.buttons.hidden = known || !faulty.length;
    this.editor.hidden = !this.lines.hidden;
    this.editor.readOnly = this.run.hidden = !known;
    this.box.classList.toggle("ac-ward-known", known);
    const found = [...this.states.values()].filter((state) => state.found).length;
    if (faulty.length) write(this.note, `${found} of ${this.drawn.loops} found with the first click`);
  }

  draw() {
    const { loop, goal, error, alarms, tests } = this.drawn;
    if (loop !== this.loop) {
      this.loop = this.editor.value = loop;
      this.editor.rows = loop.split("\n").length;
      this.group = this.groupOf(loop);
      this.lines.replaceChildren(this.group.box);
    }
    write(this.goal, goal);
    this.resized();
    this.alarms.replaceChildren(...[error, ...alarms].filter(Boolean).map((text) => el("li", {}, `⚠ ${text}`)));
    this.tests.replaceChildren(...tests.map(([name, text, svg]) => {
      const picture = el("div");
      redraw(picture, svg);
      return el("details", {}, el("summary", {}, name), text, picture);
    }));
    this.tell();
  }

  resized() {
    redraw(this.picture, this.drawn[this.room]);
    this.picture.append(this.cursor);
    this.read(this.step, this.row, false);
  }

  /** @param {KeyboardEvent} event */
  move(event) {
    const by = MOVES[event.key];
    if (!by) return;
    event.preventDefault();
    this.read(this.step + by[0], this.row + by[1]);
  }

  /** @param {PointerEvent} event */
  hover(event) {
    const { left, top } = this.picture.getBoundingClientRect(), { places, readings } = this.drawn;
    const { left: from, column, row, tops } = places[this.room], y = event.clientY - top;
    const map = y < tops[1] - row ? tops[0] : tops[1];
    this.read(Math.floor((event.clientX - left - from) / column),
      clamp(Math.floor((y - map) / row), 0, readings.length - 1));
  }

  /** Read a step and a row aloud. @param {number} step @param {number} row */
  read(step, row, isAsked = true) {
    const { readings, places } = this.drawn, { left, column } = places[this.room];
    this.row = clamp(row, 0, readings.length - 1);
    this.step = clamp(step, 0, (readings[0]?.length ?? 1) - 1);
    this.cursor.hidden = !isAsked || !readings.length;
    this.cursor.style.left = `${left + (this.step + 0.5) * column}px`;
    write(this.reading, this.cursor.hidden ? "Point at a cell to read it." : readings[this.row]?.[this.step] ?? "");
  }
}

export const ward = rendering(WardView);
