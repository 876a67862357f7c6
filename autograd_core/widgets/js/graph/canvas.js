// The canvas: the scrolling room that the picture is in. Zoom, pan, search, folding.

import { button } from "../kit/button.js";
import { clamp } from "../kit/clamp.js";
import { closest, el, put, write } from "../kit/dom.js";

/** @import { View } from "./view.js" */

export const ZOOM_STEP = 1.25;

const LEAST_ZOOM = 0.1, MOST_ZOOM = 3, LEAST_WHOLE = 0.8, MOST_WHOLE = 1.5;
const EDGE = 30;                                 // pixels that are kept free around a box that is shown
const PATIENCE_MS = 2000;                        // after so long without an answer the reader is told what a fold needs
const DRAG = 4;                                  // pixels; a shorter drag is a click

const NO_KERNEL =
  "Folds open and close where a Python kernel runs, and none has answered. Run the notebook's cells to use them.";

export class Canvas {
  /** @param {View} view */
  constructor(view) {
    this.view = view;
    this.zoom = 1;
    /** The zoom at which a small picture fills its room in one direction. */
    this.whole = 1;
    /** The boxes that were searched for, and which of them is shown. @type {number[]} */
    this.found = [];
    this.turn = 0;
    /** @type {{ from: PointerEvent, left: number, top: number, far: boolean } | null} */
    this.drag = null;
    /** Whether the last press was a drag: the click that follows it selects nothing. */
    this.dragged = false;
    /** The fold that was pressed: where on the screen it was, and whether it had the focus. */
    this.folding = /** @type {{ key: string, from: number, held: boolean } | null} */ (null);
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.asked = undefined;
    this.box = el("div", {
      class: "ac-scroller", onclick: (event) => view.click(event),
      onpointerdown: (event) => this.press(event), onpointermove: (event) => this.move(event),
      onpointerup: () => this.release(), onpointercancel: () => this.release(),
    });
    this.hint = el("p", { class: "ac-hint", role: "status" });
    const search = { type: "search", placeholder: "Find", "aria-label": "Find a box", class: "ac-find" };
    this.query = el("input", { ...search, spellcheck: "false", autocomplete: "off",
      oninput: () => this.find(), onkeydown: (event) => this.queryKey(event) });
    this.hits = el("span", { class: "ac-hits", role: "status" });
    this.finder = el("span", { class: "ac-finder" }, this.query, this.hits);
    this.foldAll = button("Fold all", "Fold all", () => this.fold([]));
    const zoomBar = el("span", { class: "ac-zoom", role: "group", "aria-label": "Zoom" },
      button("Zoom out", "−", () => this.zoomTo(this.zoom / ZOOM_STEP)),
      button("Zoom in", "+", () => this.zoomTo(this.zoom * ZOOM_STEP)),
      button("Fit to the width", "fit", () => this.fit()));
    this.tools = el("span", { class: "ac-tools" }, this.finder, this.foldAll, zoomBar);
  }

  get picture() { return this.view.picture; }

  // ---- zoom ----

  fit() { this.zoomTo((this.box.clientWidth - 4) / this.picture.placed.width); }

  /** The room has another width: a picture that filled it fills it again. */
  fitAgain() {
    const { large, placed: { width, height } } = this.picture, high = parseFloat(this.box.style.maxHeight) / height;
    // a picture that is a little too high is made smaller, and one that is much too high scrolls
    const wide = this.box.clientWidth / width, most = high < LEAST_WHOLE ? 1 : Math.min(high, MOST_WHOLE);
    const whole = large ? 1 : Math.min(wide, most);
    const zoom = this.zoom === this.whole ? whole : this.zoom;
    this.whole = whole;
    this.zoomTo(zoom);
  }

  /** The middle of the room stays where it is. @param {number} zoom */
  zoomTo(zoom) {
    const before = this.zoom, { box } = this, [across, down] = [box.clientWidth / 2, box.clientHeight / 2];
    this.zoom = clamp(zoom, LEAST_ZOOM, MOST_ZOOM);
    const x = (box.scrollLeft + across) / before, y = (box.scrollTop + down) / before;
    this.picture.size(box.clientWidth, this.zoom);
    if (before !== this.zoom) {
      box.scrollLeft = x * this.zoom - across;
      box.scrollTop = y * this.zoom - down;
    }
    this.tools.hidden = !this.picture.large && this.zoom === this.whole;
  }

  // ---- pan: a drag on the empty canvas; the browser sees to fingers ----

  /** @param {PointerEvent} event */
  press(event) {
    if (event.pointerType === "touch" || event.button !== 0 || closest(event, ".ac-node")) return;
    this.drag = { from: event, left: this.box.scrollLeft, top: this.box.scrollTop, far: false };
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (!this.drag) return;
    const { from, left, top } = this.drag, x = event.clientX - from.clientX, y = event.clientY - from.clientY;
    if (!this.drag.far && Math.hypot(x, y) < DRAG) return;
    if (!this.drag.far) this.box.setPointerCapture(event.pointerId);
    this.drag.far = true;
    this.box.classList.add("ac-panning");
    this.box.scrollLeft = left - x;
    this.box.scrollTop = top - y;
  }

  release() {
    this.dragged = this.drag?.far ?? false;
    this.drag = null;
    this.box.classList.remove("ac-panning");
  }

  // ---- what is shown ----

  /** The part of the picture that is seen, in pixels of the page. */
  get seen() {
    const { scrollLeft: left, scrollTop: top, clientWidth: width, clientHeight: height } = this.box;
    return { left, top, width, height };
  }

  /** @param {ScrollToOptions} place */
  scroll(place) { this.box.scrollTo({ ...place, behavior: "instant" }); }

  /** Scroll by no more than it takes to see a box whole. @param {number} index */
  bring(index) {
    const [x, y, width, height] = this.picture.placed.boxes[index].map((v) => v * this.zoom), { seen } = this;
    const top = Math.min(y - EDGE, Math.max(seen.top, y + height + EDGE - seen.height));
    const left = Math.min(x - 20, Math.max(seen.left, x + width + 20 - seen.width));
    if (top !== seen.top || left !== seen.left) this.scroll({ top: Math.max(0, top), left: Math.max(0, left) });
  }

  // ---- search ----

  /** @param {KeyboardEvent} event */
  queryKey(event) {
    if (event.key === "Enter") this.next(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape" && this.query.value) {
      this.query.value = "";
      this.find();
    } else return;
    event.stopPropagation();
    event.preventDefault();
  }

  /** A box is found by its name, and by the name of any node that is folded into it. */
  matches() {
    const wanted = this.query.value.trim().toLowerCase(), { nodes: all } = this.view.structure;
    if (!wanted) return [];
    /** @param {...(string | undefined)} names */
    const has = (...names) => names.some((name) => name?.toLowerCase().includes(wanted));
    const { boxes } = this.picture.drawn;
    return boxes.flatMap((box, i) => {
      const named = has(box.name, box.type);
      const holds = box.nodes.some((node) => has(all[node].label, all[node].short, all[node].module));
      return named || holds ? [i] : [];
    });
  }

  find(jump = true) {
    this.found = this.matches();
    this.turn = -1;
    if (jump) this.next(1); else this.showHits();
  }

  /** @param {number} direction */
  next(direction) {
    const { length } = this.found;
    if (length) {
      this.turn = (this.turn + direction + length) % length;
      this.bring(this.found[this.turn]);
    }
    this.showHits();
  }

  showHits() {
    const { found, turn } = this;
    this.picture.boxes.forEach((box, i) => {
      box.toggle("ac-found", found.includes(i));
      box.toggle("ac-found-now", i === found[turn]);
    });
    write(this.hits, !this.query.value.trim() ? "" : !found.length ? "none" : `${turn + 1} of ${found.length}`);
  }

  // ---- folds: Python draws anew ----

  /** The key of the fold that a box shows, or null. @param {number} index */
  keyOf(index) { return this.picture.drawn.boxes[index].key ?? null; }

  /**
   * Ask for the folds with the keys `open`; the box that was pressed stays where it is on the screen.
   * @param {string[]} open
   * @param {number | null} pressed
   */
  fold(open, pressed = null) {
    const key = pressed === null ? null : this.keyOf(pressed);
    this.folding = pressed === null || key === null ? null : {
      key,
      from: this.picture.placed.boxes[pressed][1] * this.zoom - this.box.scrollTop,
      held: this.picture.boxes[pressed].group.contains(document.activeElement),
    };
    clearTimeout(this.asked);
    this.asked = setTimeout(() => write(this.hint, NO_KERNEL), PATIENCE_MS);
    this.view.model.send({ kind: "fold", open });
  }

  /** Nothing is asked any more. */
  stopAsking() {
    clearTimeout(this.asked);
    write(this.hint, "");
  }

  /** Open or close the fold of a box. @param {number} index */
  flip(index) {
    const key = this.keyOf(index), { open } = this.picture.drawn;
    if (key === null) return;
    this.fold(open.includes(key) ? open.filter((each) => each !== key) : [...open, key], index);
  }

  /** The picture is new: the search goes on in it, and what was pressed is where it was. */
  renewed() {
    const { drawn: { folds, open }, large, placed } = this.picture, { folding } = this;
    this.stopAsking();
    this.foldAll.hidden = !folds.length;
    put(this.foldAll, "aria-disabled", !open.length);
    this.finder.hidden = !large;
    this.box.classList.toggle("ac-large-canvas", large);
    this.find(false);
    this.folding = null;
    const index = folding ? placed.boxes.findIndex((_, i) => this.keyOf(i) === folding.key) : -1;
    if (!folding || index < 0) return;
    this.box.scrollTop = placed.boxes[index][1] * this.zoom - folding.from;
    if (folding.held) this.view.focus(index, false);
  }
}
