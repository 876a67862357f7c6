// The canvas: the scrolling room that the picture is in. Zoom, pan, search, folding.

const LEAST_ZOOM = 0.1, MOST_ZOOM = 3, ZOOM_STEP = 1.25;
const EDGE = 30;                                 // pixels that are kept free around a box that is shown
const PATIENCE_MS = 2000;                        // after so long without an answer the reader is told what a fold needs
const DRAG = 4;                                  // pixels; a shorter drag is a click

const NO_KERNEL = "Folds open and close where a Python kernel runs, and none has answered. Run the notebook's cells to use them.";

class Canvas {
  constructor(view) {
    Object.assign(this, { view, zoom: 1, found: [], turn: 0, pinched: null, folding: null });
    this.box = el("div", { class: "ac-scroller" });
    this.seen = { left: 0, top: 0, width: 0, height: 0 };      // to ask the page itself would make it lay itself out, at every step
    this.box.addEventListener("scroll", () => this.look(), { passive: true });
    this.hint = el("p", { class: "ac-hint", role: "status" });
    this.tools = el("span", { class: "ac-tools" }, this.finder(), this.folder(), this.zooms());
    this.box.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.box.addEventListener("pointerdown", (event) => this.press(event));
    this.box.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) this.box.addEventListener(end, () => this.release());
    for (const name of ["touchstart", "touchmove", "touchend", "touchcancel"]) this.box.addEventListener(name, (event) => this.touch(event), { passive: false });
  }

  get picture() { return this.view.picture; }

  // ---- zoom ----

  zooms() {
    const actions = [["Zoom out", "−", () => this.zoomTo(this.zoom / ZOOM_STEP)], ["Zoom in", "+", () => this.zoomTo(this.zoom * ZOOM_STEP)],
      ["Fit to the width", "fit", () => this.fit()]];
    this.zoomBar = el("span", { class: "ac-zoom", role: "group", "aria-label": "Zoom" }, ...actions.map(([label, sign, act]) => {
      const each = button(label, sign);
      each.addEventListener("click", act);
      return each;
    }));
    return this.zoomBar;
  }

  fit() { this.zoomTo((this.box.clientWidth - 4) / this.picture.placed.width); }

  // `at` is the point of the room, from its corner, that stays where it is.
  zoomTo(zoom, at = [this.box.clientWidth / 2, this.box.clientHeight / 2]) {
    const before = this.zoom, { box } = this;
    this.zoom = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, zoom));
    const [x, y] = [(box.scrollLeft + at[0]) / before, (box.scrollTop + at[1]) / before];
    this.picture.size(box.clientWidth, this.zoom);
    if (before !== this.zoom) Object.assign(box, { scrollLeft: x * this.zoom - at[0], scrollTop: y * this.zoom - at[1] });
    this.zoomBar.hidden = !this.picture.large && this.zoom === 1;
    this.look();
  }

  at({ clientX, clientY }) {
    const { left, top } = this.box.getBoundingClientRect();
    return [clientX - left, clientY - top];
  }

  // A touchpad's pinch comes as a wheel with ctrl; without it the wheel scrolls.
  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.zoomTo(this.zoom * Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) / 150), this.at(event));
  }

  // ---- pan: a drag on the empty canvas, or one finger, which the browser sees to; two fingers zoom ----

  press(event) {
    if (event.pointerType === "touch" || event.button !== 0 || event.target.closest(".ac-node")) return;
    this.drag = { from: event, left: this.box.scrollLeft, top: this.box.scrollTop, far: false };
  }

  move(event) {
    if (!this.drag) return;
    const { from, left, top } = this.drag, x = event.clientX - from.clientX, y = event.clientY - from.clientY;
    if (!this.drag.far && Math.hypot(x, y) < DRAG) return;
    if (!this.drag.far) this.box.setPointerCapture(event.pointerId);
    this.drag.far = true;
    this.box.classList.add("ac-panning");
    Object.assign(this.box, { scrollLeft: left - x, scrollTop: top - y });
  }

  // What is between two fingers stays between them.
  touch(event) {
    const before = this.pinched, [a, b] = event.touches;
    this.pinched = null;
    if (event.touches.length !== 2) return;
    if (event.cancelable) event.preventDefault();
    const [[ax, ay], [bx, by]] = [this.at(a), this.at(b)], [x, y] = [(ax + bx) / 2, (ay + by) / 2];
    this.pinched = { x, y, apart: Math.hypot(ax - bx, ay - by) };
    if (!before?.apart) return;
    this.box.scrollLeft -= x - before.x;
    this.box.scrollTop -= y - before.y;
    this.zoomTo(this.zoom * this.pinched.apart / before.apart, [x, y]);
  }

  release() {
    this.dragged = this.drag?.far ?? false;      // the click that follows a drag selects nothing
    this.drag = null;
    this.box.classList.remove("ac-panning");
  }

  // ---- what is shown ----

  look() {
    const { scrollLeft: left, scrollTop: top, clientWidth: width, clientHeight: height } = this.box;
    this.seen = { left, top, width, height };
  }

  scroll(place) {
    this.box.scrollTo({ ...place, behavior: "instant" });
    this.look();
  }

  // Scroll so that a box is seen; `across` sideways too.
  reveal(index, across = true) {
    const [x, y, width, height] = this.picture.placed.boxes[index].map((v) => v * this.zoom), { seen } = this;
    if (y < seen.top + EDGE || y + height > seen.top + seen.height - EDGE) this.scroll({ top: y - seen.height / 2 });
    if (!across) return;
    if (x < seen.left) this.scroll({ left: x - 20 });
    if (x + width > seen.left + seen.width) this.scroll({ left: x + width + 20 - seen.width });
  }

  // ---- search ----

  finder() {
    this.query = el("input", { type: "search", class: "ac-find", placeholder: "Find", "aria-label": "Find a box", spellcheck: "false", autocomplete: "off" });
    this.hits = el("span", { class: "ac-hits", role: "status" });
    this.query.addEventListener("input", () => this.find());
    this.query.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.next(event.shiftKey ? -1 : 1);
      else if (event.key === "Escape" && this.query.value) {
        this.query.value = "";
        this.find();
      }
      else return;
      event.stopPropagation();
      event.preventDefault();
    });
    return el("span", { class: "ac-finder" }, this.query, this.hits);
  }

  // A box is found by its name, and by the name of any node that is folded into it.
  matches() {
    const wanted = this.query.value.trim().toLowerCase(), { structure } = this.view;
    if (!wanted) return [];
    const has = (...names) => names.some((name) => name?.toLowerCase().includes(wanted));
    const known = (i) => has(structure.nodes[i].label, structure.nodes[i].short, structure.nodes[i].module);
    return this.picture.drawn.boxes.flatMap(({ name, type, nodes }, i) => (has(name, type) || nodes.some(known) ? [i] : []));
  }

  find(jump = true) {
    this.found = this.matches();
    this.picture.boxes.forEach((box, i) => box.toggle("ac-found", this.found.includes(i)));
    this.turn = -1;
    if (jump && this.found.length) this.next(1); else this.told();
  }

  next(direction) {
    if (!this.found.length) return;
    this.turn = (this.turn + direction + this.found.length) % this.found.length;
    this.picture.boxes.forEach((box, i) => box.toggle("ac-found-now", i === this.found[this.turn]));
    this.reveal(this.found[this.turn]);
    this.told();
  }

  told() {
    const count = this.found.length;
    if (!count) this.picture.boxes.forEach((box) => box.toggle("ac-found-now", false));
    write(this.hits, !this.query.value.trim() ? "" : !count ? "none" : `${this.turn + 1} of ${count}`);
  }

  // ---- folds: Python draws anew ----

  folder() {
    this.foldAll = button("Fold all", "Fold all");
    this.foldAll.addEventListener("click", () => this.fold([]));
    return this.foldAll;
  }

  // Ask for the folds with the keys `open`; the box that was pressed stays where it is on the screen.
  fold(open, pressed = null) {
    const [, y] = pressed === null ? [0, 0] : this.picture.placed.boxes[pressed];
    const key = pressed === null ? null : this.picture.drawn.boxes[pressed].key;
    this.folding = key && { key, from: y * this.zoom - this.box.scrollTop, held: this.picture.boxes[pressed].group.contains(document.activeElement) };
    clearTimeout(this.asked);
    this.asked = setTimeout(() => write(this.hint, NO_KERNEL), PATIENCE_MS);
    this.view.model.send({ kind: "fold", open });
  }

  // Nothing is asked any more.
  patient() {
    clearTimeout(this.asked);
    write(this.hint, "");
  }

  flip(index) {
    const { key } = this.picture.drawn.boxes[index], { open } = this.picture.drawn;
    this.fold(open.includes(key) ? open.filter((each) => each !== key) : [...open, key], index);
  }

  // A picture that is new: the search goes on in it, and what was pressed is where it was.
  renewed() {
    this.patient();
    this.foldAll.hidden = !this.picture.drawn.folds.length;
    put(this.foldAll, "aria-disabled", !this.picture.drawn.open.length);
    this.query.parentNode.hidden = !this.picture.large;
    this.box.classList.toggle("ac-large-canvas", this.picture.large);
    this.find(false);
    const { folding } = this, index = folding ? this.picture.drawn.boxes.findIndex(({ key }) => key === folding.key) : -1;
    this.folding = null;
    if (index < 0) return;
    this.box.scrollTop = this.picture.placed.boxes[index][1] * this.zoom - folding.from;
    if (folding.held) this.view.focus(index, false);
  }
}
