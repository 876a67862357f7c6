// Lesson 13's wards. A click on a line of the loop is the verdict; then the loop is mended where it stands.

import { button } from "../kit/button.js";
import { el, redraw, write } from "../kit/dom.js";
import { Live, rendering } from "../kit/live.js";
import { RadioGroup } from "./choice.js";

/** @import { Model } from "../kit/types.d.ts" */
/** @import { WardState } from "./types.d.ts" */

/** @extends {Live<WardState>} */
class WardView extends Live {
  /** @param {Model<WardState>} model */
  constructor(model) {
    super(model, "ward");
    this.sources.push("found");
    this.told = el("p", { role: "status" });
    this.lines = el("div");
    const onkeydown = (/** @type {KeyboardEvent} */ event) => this.key(event);
    this.editor = el("textarea", { "aria-label": "The loop", spellcheck: "false", onkeydown });
    this.run = button("Run the loop on both engines", "Run it", () => {
      this.loop = this.editor.value;             // what is typed from here on stays when Python has drawn this
      this.want("loop", this.loop);
    }, "ac-play");
    this.cure = el("p", { role: "status" });
    this.history = el("pre");
    this.loop = "";
    this.group = this.groupOf("");
    this.instruments = el("div", { class: "ac-ward-instruments" });
    this.main.append(
      el("div", { class: "ac-ward-loop" }, this.told, this.lines, this.editor, this.run, this.cure),
      el("div", { class: "ac-ward-measured" }, this.instruments, this.history));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.shiftKey)) return;
    event.preventDefault();
    event.stopPropagation();                     // where the notebook would run the cell, and this ward be gone
    this.run.click();
  }

  /** The lines to point at. @param {string} loop */
  groupOf(loop) {
    /** @type {[string, string][]} */
    const choices = loop.split("\n").map((line) => [line, ""]);
    return new RadioGroup({ heading: "", choices, kept: "" }, "", {
      chosen() {}, next() {}, commit: (line) => this.want("finger", line),
    });
  }

  /** Tell Python of what is done to the patient that is shown, not to one that was chosen and is still to come.
   * @param {string} name @param {unknown} value */
  want(name, value) {
    const here = this.model.get("controls").find((control) => control.name === "patient")?.value;
    if (this.controls.named("patient")?.read() === here) this.controls.want(name, value);
  }

  draw() {
    const { complaint, loop, instruments } = this.drawn;
    const { fingers, known, told, history, cure } = this.model.get("found");
    write(this.note, complaint);
    write(this.told, told);
    write(this.cure, cure);
    write(this.history, history);
    redraw(this.instruments, instruments.join(""));
    if (loop !== this.loop) {
      this.loop = this.editor.value = loop;
      this.editor.rows = loop.split("\n").length;
      this.group = this.groupOf(loop);
      this.lines.replaceChildren(this.group.box);
    }
    // an edited loop may have fewer lines than were pointed at
    if (!known) this.group.update(fingers.at(-1) ?? -1, { marks: fingers.map((line) => [line, "yours", "not there"]) });
    const pointing = this.lines.contains(document.activeElement);
    this.lines.hidden = known;
    this.editor.hidden = this.run.hidden = !known;
    if (known && pointing) this.editor.focus();
  }
}

export const ward = rendering(WardView);
