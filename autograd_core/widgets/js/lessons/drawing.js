// A picture that Python draws whole, in a wide and in a narrow form.

import { redraw } from "../kit/dom.js";
import { Live, rendering } from "../kit/live.js";

/** @import { Model } from "../kit/types.d.ts" */
/** @import { DrawingState } from "./types.d.ts" */

/** @extends {Live<DrawingState>} */
class DrawingView extends Live {
  /** @param {Model<DrawingState>} model */
  constructor(model) {
    super(model, "drawing");
    this.main.setAttribute("aria-live", "polite");
  }

  resized() { this.draw(); }

  draw() {
    redraw(this.main, this.form(this.drawn));
    this.main.tabIndex = this.main.scrollWidth > this.main.clientWidth ? 0 : -1;
  }
}

export const drawing = rendering(DrawingView);
