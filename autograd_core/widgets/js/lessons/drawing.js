// A picture that Python draws whole, in a wide and in a narrow form.

import { Live, rendering } from "../kit/live.js";

/** @import { LiveState, Model } from "../kit/types.d.ts" */

/** @typedef {LiveState & { drawn: { wide: string, narrow: string } }} DrawingState */

const WIDE = 780;                                // CSS pixels

/** @extends {Live<DrawingState>} */
class DrawingView extends Live {
  /** @param {Model<DrawingState>} model */
  constructor(model) {
    super(model, "drawing");
    this.shown = "";
    this.main.setAttribute("aria-live", "polite");
  }

  resized() { this.draw(); }

  draw() {
    const { wide, narrow } = this.drawn, form = this.main.clientWidth < WIDE ? narrow : wide;
    if (this.shown === form) return;
    this.shown = form;
    this.main.innerHTML = form;                  // drawn by Python, which has escaped every word of a person
  }
}

export const drawing = rendering(DrawingView);
