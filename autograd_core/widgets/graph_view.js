// The view: all parts together, moving through the events, and the reader's hands.
// The other graph_*.js stand before this file in the same module.

const LEAST_PANEL = 290;
const SETTLE_MS = 250;                           // after the last move Python is told where the view stands

const KEYS = [["Space", "play, pause"], ["← →", "one event"], ["Shift ← →", "one phase"], ["Home End", "before the first, last"],
  ["↑ ↓", "to an input, to a consumer"], ["Enter", "look into a box, open or close a fold"], ["Esc", "back to the event"],
  ["i", "step into a fold"], ["f", "find a box"], ["+ − 0", "zoom in, out, fit"], ["p", "details, parameters"],
  ["n", "first inf, nan or difference"], ["?", "these keys"]];

// ---- everything together ---------------------------------------------------------------------------------------

class View {
  constructor(model, parent) {
    Object.assign(this, { model, engine: 0, selected: null, focused: null });
    this.root = el("div", { class: "ac-root ac-view", role: "group", tabindex: "-1" });
    this.canvas = new Canvas(this);
    this.panel = new Panel(this);
    this.controls = new Controls(this, model);
    this.player = new Player(this);
    this.switch = el("div", { class: "ac-switch", role: "group", "aria-label": "numbers from" });
    this.subtitle = el("span", { class: "ac-note" });
    this.alarms = el("div", { class: "ac-alarms" });
    this.notice = el("p", { class: "ac-notice", role: "note" });
    this.title = el("span", { class: "ac-title" });
    this.voice = el("p", { class: "ac-hidden ac-voice", role: "status" });
    this.help = button("Keys", "?");
    this.help.setAttribute("aria-expanded", "false");
    this.keys = el("dl", { class: "ac-keys", hidden: "" }, ...KEYS.flatMap(([key, text]) => [el("dt", {}, key), el("dd", {}, text)]));
    this.help.addEventListener("click", () => this.toggleHelp());
    this.track = el("div", { class: "ac-track-room" });
    const direction = el("div", { class: "ac-direction" }, el("b", { class: "ac-v" }, "↓ forward"), " runs down the page, ",
      el("b", { class: "ac-g" }, "↑ backward"), " climbs up", this.canvas.tools);
    this.root.append(
      el("div", { class: "ac-header" }, this.title, this.subtitle, this.alarms, this.switch, this.help, this.keys),
      this.notice, this.voice, this.controls.box,
      el("div", { class: "ac-main" }, el("div", { class: "ac-stage" }, direction, this.canvas.hint, this.canvas.box), this.panel.box),
      el("div", { class: "ac-footer" }, this.player.box, this.track));
    parent.append(this.root);
    family = getComputedStyle(this.root).fontFamily || family;
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("copy", (event) => this.copy(event));
    this.canvas.box.addEventListener("click", (event) => this.click(event));
    this.handlers = {
      "change:drawn": () => this.later("drawn"),
      "change:structure": () => this.later("structure"), "change:numbers": () => this.later("numbers"),
      "change:event": () => this.later("event"), "change:controls": () => this.controls.update(),
      "change:answer": () => this.later("answer"),
      "msg:custom": (message, buffers) => this.told(message, buffers),
    };
    for (const [name, handler] of Object.entries(this.handlers)) model.on(name, handler);
    this.build();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.root);
  }

  get k() { return Math.min(this.model.get("event"), this.structure.events.length); }

  get playing() { return this.player.playing; }

  stop() { this.player.stop(); }

  get current() { return this.k ? this.structure.events[this.k - 1].node : this.picture.root; }

  remove() {
    this.stop();
    clearTimeout(this.saving);
    this.observer.disconnect();
    this.canvas.patient();
    this.panel.remove();
    for (const [name, handler] of Object.entries(this.handlers)) this.model.off(name, handler);
    this.root.remove();
  }

  told(message, buffers) {
    if (message.kind !== "map") return;
    this.panel.maps.answered(message, buffers);
    this.panel.update(this.k, this.selected);
  }

  later(what) {
    if (!this.dirty) queueMicrotask(() => {
      const dirty = this.dirty;
      this.dirty = null;
      if (dirty.has("structure")) this.build(); else if (dirty.has("drawn")) this.redraw(); else if (dirty.has("numbers")) this.renumber(); else this.update();
      if (dirty.has("answer")) this.controls.answered(this.model.get("answer").error);
    });
    (this.dirty ??= new Set()).add(what);
  }

  // ---- building ----

  build() {
    this.structure = this.model.get("structure");
    const { title, note, nodes, events } = this.structure;
    const graph = nodes.filter((node) => node.kind !== "constant").length;
    write(this.title, title);
    write(this.subtitle, `${note ? note + " · " : ""}${graph} nodes, ${events.length} events`);
    this.root.setAttribute("aria-label", `${title}, ${this.subtitle.textContent}`);
    this.selected = this.focused = this.shown = this.said = null;
    this.panel.build(this.structure);
    write(this.notice, this.structure.notice);
    this.renumber(true);
    this.redraw();
  }

  // Other boxes of the same trace: a fold was opened or closed.
  redraw() {
    const held = this.timeline?.box === document.activeElement;
    this.drawn = this.model.get("drawn");
    this.focused = null;
    this.level = null;
    this.timeline = new Timeline(this, this.structure, this.drawn);
    this.track.replaceChildren(this.timeline.box);
    if (held) this.timeline.box.focus();
    this.resize();
  }

  renumber(quiet = false) {
    const all = JSON.parse(this.model.get("numbers"));
    this.engine = Math.min(this.engine, all.length - 1);
    this.tapes = all.map((numbers) => new Tape(this.structure, numbers));
    this.tape = this.tapes[this.engine];
    this.panel.renumber();
    this.warn();
    if (this.switch.childElementCount !== (all.length > 1 ? all.length + 1 : 0)) {
      const choices = all.map(({ engine }, i) => {
        const each = button(`numbers from ${engine}`, engine);
        each.addEventListener("click", () => { this.engine = i; this.renumber(); });
        return each;
      });
      this.switch.replaceChildren(...(all.length > 1 ? [el("span", { class: "ac-q" }, "numbers from"), ...choices] : []));
    }
    this.switch.querySelectorAll("button").forEach((each, i) => each.setAttribute("aria-pressed", i === this.engine));
    if (!quiet) this.update();
  }

  // A button for each event that something goes wrong at first: an inf, a nan, a difference between the engines.
  warn() {
    const firsts = this.tape.firsts().map(([word, k]) => [k, `first ${word}`]);
    const differs = this.tapes[1]?.firstDifference();
    if (differs !== undefined) firsts.push([differs, "≠ first difference"]);
    this.places = firsts.map(([k]) => k).sort((a, b) => a - b);
    const buttons = firsts.map(([k, text]) => {
      const title = k ? `event ${k}, ${words(this.filled(this.structure.events[k - 1].title, k))}` : "before the first event";
      const each = button(`Go to the ${text.replace("≠ ", "")}: ${title}`, `${text}: event ${k}`);
      each.addEventListener("click", () => { this.stop(); this.go(k); });
      return each;
    });
    this.alarms.replaceChildren(...buttons);
  }

  resize() {
    const width = this.root.clientWidth;
    if (!width) return;
    const [wide, narrow = wide] = this.drawn.layouts, side = 354;
    const level = wide.width + side - 1 <= width ? 0 : narrow.width <= width ? 1 : 2;
    const below = level > 0 && narrow.width + LEAST_PANEL > width, picture = (level ? narrow : wide).width;
    this.root.classList.toggle("ac-below", below);
    this.panel.box.style.width = below ? "" : `${Math.max(LEAST_PANEL, Math.min(this.panel.width, width - picture))}px`;
    this.root.classList.toggle("ac-slim", width < 900);
    if (level !== this.level) {
      this.level = level;
      this.picture = new Picture(this, this.structure, this.drawn, level);
      this.canvas.box.replaceChildren(this.picture.svg);
      this.unseen = true;
    }
    this.canvas.zoomTo(this.canvas.zoom);
    const room = this.track.clientWidth;
    if (room > 60) this.timeline.draw(room);
    this.update();
    if (this.unseen) this.canvas.renewed();
    this.unseen = false;
  }

  // ---- moving through the events ----

  sentence(k) {
    if (!k) return `Before the first of ${this.structure.events.length} events`;
    const { title, text } = this.structure.events[k - 1];
    return `Event ${k} of ${this.structure.events.length}. ${words(this.filled(title, k))}. ${words(this.filled(text, k))}`;
  }

  // A run of style "nv" or "ng" stands for a number, a value or a gradient: "after", "before", "sent 0", "value 5".
  filled(list, k) {
    return list.map(([style, text]) => {
      if (style !== "nv" && style !== "ng") return [style, text];
      const [kind, index] = text.split(" "), place = kind === "value" ? [kind, Number(index)] : [kind, k - 1, Number(index)];
      return [style[1], tensorText(this.tape.at(place), style === "ng")];
    });
  }

  go(k, { moving = false } = {}) {
    k = Math.max(0, Math.min(this.structure.events.length, k));
    if (k === this.k) return;
    this.selected = null;
    this.moving = moving && !this.player.calm.matches;
    this.model.set("event", k);
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.model.save_changes(), SETTLE_MS);
  }

  phase(direction) {
    const firsts = [0, ...this.timeline.phases().map((phase) => phase.first), this.structure.events.length];
    this.go(direction > 0 ? firsts.find((first) => first > this.k) ?? this.k : firsts.findLast((first) => first < this.k) ?? 0);
  }

  update() {
    if (!this.picture) return;                   // not on a page yet: drawn as soon as there is room
    const { k } = this;
    this.root.classList.toggle("ac-moving", Boolean(this.moving));
    this.picture.update(k, this.selected);
    if (this.timeline.svg) this.timeline.update(k);
    this.panel.update(k, this.selected);
    this.player.update(k);
    this.hold(this.focused ?? this.place(this.current));
    this.say(k);
    if (this.moving) this.picture.animate(k);
    // A picture that is new is seen from its left side.
    if (k && k !== this.shown) this.canvas.reveal(this.place(this.current), this.shown !== null);
    this.moving = false;
    this.shown = k;
  }

  // What a screen reader says: one sentence for each step, none while playing. Where the timeline has the focus, its value
  // is that sentence already.
  say(k) {
    const place = `${k} ${this.selected}`;
    if (this.playing || place === this.said) return;
    this.said = place;
    put(this.voice, "aria-live", this.timeline.box === document.activeElement ? "off" : "polite");
    write(this.voice, this.selected === null ? this.sentence(k) : this.panel.sentence(this.selected, k));
  }

  // The box that a node is drawn in; 0 for a constant that is not drawn.
  place(node) { return this.picture.boxOf.get(node) ?? 0; }

  // One box of the picture is a tab stop.
  hold(index) {
    const { boxes } = this.picture;
    if (this.held !== boxes[index].group && this.held) put(this.held, "tabindex", -1);
    this.held = boxes[index].group;
    put(this.held, "tabindex", 0);
  }

  // ---- the reader's hands ----

  select(index) {
    this.selected = index;
    this.update();
  }

  // Show a box that is asked for from outside of the graph.
  find(index) {
    this.stop();
    this.focused = this.place(index);
    this.select(index);
    this.canvas.reveal(this.focused);
  }

  click(event) {
    const group = event.target.closest(".ac-node");
    this.stop();
    if (this.canvas.dragged) return;
    if (!group) return this.select(null);
    this.focus(Number(group.dataset.box), false);
    this.press(group);
  }

  // A fold opens or closes; any other box is looked into.
  press(group) {
    if (group.dataset.fold) this.canvas.flip(Number(group.dataset.box)); else this.select(Number(group.dataset.node));
  }

  toggleHelp(open = this.keys.hidden) {
    this.keys.hidden = !open;
    this.help.setAttribute("aria-expanded", open);
  }

  rove(direction) {
    const active = document.activeElement, bar = [...this.player.bar.children];
    if (bar.includes(active)) {
      const next = bar[(bar.indexOf(active) + direction + bar.length) % bar.length];
      bar.forEach((each) => { each.tabIndex = each === next ? 0 : -1; });
      next.focus();
      return true;
    }
    const group = active?.closest?.(".ac-node");
    this.focus(group ? this.picture.neighbour(Number(group.dataset.box), direction) : this.place(this.current));
    return true;
  }

  focus(index, seen = true) {
    this.focused = index;
    this.hold(index);
    this.held.focus({ preventScroll: true });
    if (seen) this.canvas.reveal(index);
  }

  // A plain key stays in the view, or Jupyter would act on it too: x cuts a cell, an arrow leaves it.
  key(event) {
    const { key, shiftKey, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || key === "Tab" || (key === "Enter" && shiftKey)) return;
    if (key === "Escape" && this.selected === null && this.keys.hidden) return;
    event.stopPropagation();
    if (target.closest("input")) return;
    const pressed = target.closest("button"), group = target.closest(".ac-node");
    const step = (direction) => {
      this.stop();
      if (shiftKey) this.phase(direction); else this.player.step(direction);
    };
    const actions = {
      ArrowLeft: () => step(-1), ArrowRight: () => step(1), ArrowUp: () => this.rove(-1), ArrowDown: () => this.rove(1),
      Home: () => { this.stop(); this.go(0); }, End: () => { this.stop(); this.go(this.structure.events.length); },
      " ": () => (pressed ? false : group?.dataset.fold ? this.press(group) : this.player.toggle()), Enter: () => (group ? this.press(group) : false),
      i: () => this.player.into(), f: () => this.canvas.query.focus(),
      "+": () => this.canvas.zoomTo(this.canvas.zoom * ZOOM_STEP), "-": () => this.canvas.zoomTo(this.canvas.zoom / ZOOM_STEP), 0: () => this.canvas.fit(),
      Escape: () => { this.toggleHelp(false); this.select(null); }, "?": () => this.toggleHelp(), p: () => this.panel.toggle(),
      n: () => { this.stop(); if (this.places.length) this.go(this.places.find((k) => k > this.k) ?? this.places[0]); },
    };
    if (actions[key] && actions[key]() !== false) event.preventDefault();
  }

  copy(event) {
    const group = document.activeElement?.closest?.(".ac-node");
    if (!group || !getSelection().isCollapsed) return;
    event.clipboardData.setData("text/plain", group.querySelector("title").textContent);
    event.preventDefault();
  }
}

function render({ model, el: parent }) {
  const view = new View(model, parent);
  return () => view.remove();
}

export default { render };
