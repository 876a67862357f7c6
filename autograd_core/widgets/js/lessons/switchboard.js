// Two networks and the loop that trains them: each setting is next to the line of the program that it changes.

import { el, redraw } from "../kit/dom.js";
import { Live, rendering } from "../kit/live.js";

/** @import { Model } from "../kit/types.d.ts" */
/** @import { SwitchboardState } from "./types.d.ts" */

const FULL = 1092, ONE_ROW = 652;                // CSS pixels that the widest picture needs, and any in one row

/** @extends {Live<SwitchboardState>} */
class SwitchboardView extends Live {
  /** @param {Model<SwitchboardState>} model */
  constructor(model) {
    super(model, "switchboard");
    this.program = el("ol", { class: "ac-switchboard-program", "aria-label": "The program" });
    this.box.insertBefore(el("div", { class: "ac-switchboard-code" }, this.program, this.controls.box), this.verdict);
    this.main.setAttribute("aria-live", "polite");
    /** @type {string[]} */
    this.before = [];
  }

  resized() { this.draw(); }

  /** @param {{ full: string, wide: string, narrow: string, folded: string }} drawn */
  form(drawn) {
    const room = this.main.clientWidth;
    return room < ONE_ROW ? drawn.folded : room < FULL ? super.form(drawn) : drawn.full;
  }

  draw() {
    const { program, old } = this.drawn, now = program.map(([line, on]) => `${line} ${on}`);
    const changed = now.map((each, i) => i < this.before.length && each !== this.before[i]);
    if (!this.before.length || changed.includes(true)) {
      this.program.replaceChildren(...program.map(([line, on], i) => {
        const text = line.trimStart(), indent = line.slice(0, line.length - text.length);
        return el("li", { class: changed[i] ? "ac-switchboard-new" : "" }, indent, el(on ? "span" : "s", {}, text));
      }));
    }
    this.before = now;
    redraw(this.main, this.form(this.drawn));
    this.main.classList.toggle("ac-switchboard-old", old);
    this.main.tabIndex = this.main.scrollWidth > this.main.clientWidth ? 0 : -1;
  }
}

export const switchboard = rendering(SwitchboardView);
