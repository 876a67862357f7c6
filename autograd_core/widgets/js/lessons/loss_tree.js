// A tree of losses above their maps, and a table: Python draws all three. The switches of the losses are below their
// boxes.

import { all, closest, el, put, redraw, write } from "../kit/dom.js";
import { Live, rendering } from "../kit/live.js";
import { legend } from "../kit/shade.js";

/** @import { Model } from "../kit/types.d.ts" */
/** @import { LossTreeState } from "./types.d.ts" */

const WIDE = 600;                                // CSS pixels

/** @extends {Live<LossTreeState>} */
class LossTree extends Live {
  /** @param {Model<LossTreeState>} model */
  constructor(model) {
    super(model, "losses");
    this.tree = el("div", { class: "ac-losses-tree" });
    this.leaves = el("div", { class: "ac-losses-leaves" });
    this.table = el("div", { class: "ac-losses-table" });
    this.told = el("p", { class: "ac-losses-told", role: "status" });
    this.difference = el("p", { class: "ac-losses-difference" });
    this.key = el("p");
    this.scale = el("div", { class: "ac-losses-scale" });
    this.main.append(el("div", { class: "ac-losses-picture" }, this.tree, this.controls.box, this.leaves),
      el("div", { class: "ac-losses-side" }, this.table, this.told, this.key, this.difference), this.scale);
    for (const type of ["pointerover", "focusin"]) {
      this.main.addEventListener(type, (event) => this.light(this.lossAt(event)));
    }
    for (const type of ["pointerleave", "focusout"]) this.main.addEventListener(type, () => this.light(""));
    this.header.append(el("button", { type: "button", class: "ac-button", onclick: () => this.reset() }, "Reset"));
    this.lit = "";
  }

  /** Set all as it was at first. */
  reset() {
    for (const control of this.model.get("controls")) {
      const first = control.kind === "choice" ? control.choices[0] : false;
      if (control.value !== first) this.controls.want(control.name, first);
    }
  }

  resized() { this.draw(); }

  draw() {
    const { tree, wide, narrow, table, told, difference, columns, end, key } = this.drawn;
    redraw(this.tree, tree);
    redraw(this.table, table);
    redraw(this.leaves, this.main.clientWidth < WIDE ? narrow : wide);
    [...this.controls.fields.values()].slice(0, columns.length).forEach(({ box }, j) => {
      box.style.setProperty("--ac-columns", String(columns[j]));
    });
    write(this.key, key);
    this.scale.replaceChildren(legend(end, "this output"));
    write(this.told, told);
    write(this.difference, difference);
    this.light(this.lit);
  }

  /** The losses whose path an event happened in: their places, or "". @param {Event} event */
  lossAt(event) {
    const control = closest(event, ".ac-control-choice"), fields = [...this.controls.fields.values()];
    if (control) return String(fields.findIndex(({ box }) => box === control));
    return closest(event, "[data-part]")?.dataset.part ?? "";
  }

  /** Fade what is on the path of no loss in `losses`; of "", nothing. @param {string} losses */
  light(losses) {
    this.lit = losses;
    const wanted = losses.split(" ");
    for (const part of all(this.main, "[data-part]")) {
      const on = !losses || (part.dataset.part ?? "").split(" ").some((loss) => wanted.includes(loss));
      put(part, "class", on ? "" : "ac-losses-dim");
    }
  }
}

export const lossTree = rendering(LossTree);
