// The view around the picture: controls, timeline, panel, keyboard. graph_picture.js stands before it in the same module.

const ICONS = { previous: "M3 2h2.4v14H3zM16 2v14L6 9z", next: "M12.6 2H15v14h-2.4zM2 2l10 7-10 7z", play: "M4 2l12 7-12 7z", pause: "M4 2h3.6v14H4zM10.4 2H14v14h-3.6z" };
const TRANSIENT_MS = 250;

function icon(name) {
  return el("svg:svg", { width: 18, height: 18, viewBox: "0 0 18 18", "aria-hidden": "true" }, el("svg:path", { d: ICONS[name], fill: "currentColor" }));
}

function button(label, ...content) {
  return el("button", { type: "button", class: "ac-button", "aria-label": label, title: label }, ...content);
}

// ---- the timeline ----------------------------------------------------------------------------------------------

class Timeline {
  constructor(view, structure) {
    Object.assign(this, { view, structure, count: structure.events.length });
    this.box = el("div", { class: "ac-track", role: "slider", tabindex: "0", "aria-label": "Event", "aria-valuemin": 0, "aria-valuemax": this.count });
    const scrub = (event) => { if (this.held) view.go(this.at(event.clientX), { quiet: true }); };
    this.box.addEventListener("pointerdown", (event) => {
      if (event.target.closest(".ac-phase")) return;
      this.held = true;
      view.stop();
      this.box.setPointerCapture(event.pointerId);
      scrub(event);
    });
    this.box.addEventListener("pointermove", scrub);
    for (const end of ["pointerup", "pointercancel"]) this.box.addEventListener(end, () => { this.held = false; });
  }

  x(k) { return k ? 20 + (k - 1) * this.step : 4; }

  at(clientX) {
    const x = clientX - this.box.getBoundingClientRect().left;
    return x < 12 ? 0 : Math.min(this.count, Math.max(1, Math.round((x - 20) / this.step) + 1));
  }

  phases() {
    const list = [];
    this.structure.events.forEach(({ kind }, i) => {
      if (list.at(-1)?.name === PHASE[kind]) list.at(-1).last = i + 1; else list.push({ name: PHASE[kind], first: i + 1, last: i + 1 });
    });
    return list;
  }

  draw(width) {
    this.step = (width - 44) / Math.max(1, this.count - 1);
    const edge = Math.min(19, this.step / 2 - 3), radius = Math.min(6, Math.max(2.2, this.step * 0.32));
    this.svg = el("svg:svg", { width, height: 84, "aria-hidden": "true" });
    this.bars = this.phases().map(({ name, first, last }) => {
      const x = this.x(first) - edge, room = this.x(last) + edge - x, text = el("svg:text", { x: x + room / 2, y: 18, "text-anchor": "middle" });
      text.textContent = room > name.length * 6.6 ? name : "";
      const group = el("svg:g", { class: "ac-phase" }, el("svg:title", {}, name), el("svg:rect", { x, y: 1, width: room, height: 25, rx: 4 }), text);
      group.addEventListener("click", () => { this.view.stop(); this.view.go(first); });
      return { group, name, first, last };
    });
    this.svg.append(...this.bars.map((bar) => bar.group), el("svg:path", { class: "ac-rail", d: `M${this.x(1)} 54H${this.x(this.count)}` }));
    this.rails = this.bars.map(({ name }) => this.svg.appendChild(el("svg:path", { class: `ac-rail ac-${name}` })));
    this.dots = this.step < 5 ? [] : this.structure.events.map(({ kind }, i) => this.svg.appendChild(this.dot(kind, this.x(i + 1), radius)));
    this.head = this.svg.appendChild(el("svg:g", { class: "ac-playhead" }, el("svg:circle", { r: 12, cy: 54 }), el("svg:circle", { class: "ac-core", r: 5.5, cy: 54 })));
    this.labels = this.svg.appendChild(el("svg:g", { class: "ac-labels" }));
    this.box.replaceChildren(this.svg);
  }

  dot(kind, x, r) {
    const at = { class: `ac-dot ac-${kind}` };
    if (kind === "loss") return el("svg:rect", { ...at, x: x - r, y: 54 - r, width: 2 * r, height: 2 * r });
    if (kind === "accumulate") return el("svg:path", { ...at, d: `M${x} ${54 - r * 1.4}l${r * 1.4} ${r * 1.4}l${-r * 1.4} ${r * 1.4}l${-r * 1.4} ${-r * 1.4}z` });
    if (kind === "step") return el("svg:path", { ...at, d: `M${x} ${54 - r * 1.2}l${r * 1.3} ${r * 2.2}h${-r * 2.6}z` });
    return el("svg:circle", { ...at, cx: x, cy: 54, r });
  }

  label(k) {
    const { kind, node } = this.structure.events[k - 1], { short, label } = this.structure.nodes[node];
    if (kind === "loss") return tensorText(this.view.tape.numbers.events[k - 1][1]);
    return kind === "accumulate" ? `${label || "leaf"}.grad` : kind === "forward" || kind === "backward" ? short : label || "leaf";
  }

  update(k) {
    const now = k ? PHASE[this.structure.events[k - 1].kind] : "";
    this.bars.forEach(({ group, first, last, name }, i) => {
      group.setAttribute("class", `ac-phase ac-${name}${first <= k && k <= last ? " ac-now" : ""}`);
      const from = i ? this.x(first - 1) : this.x(first), to = this.x(Math.min(k, last));
      this.rails[i].setAttribute("d", k >= first ? `M${from} 54H${to}` : "");
    });
    this.dots.forEach((dot, i) => dot.classList.toggle("ac-done", i < k));
    this.head.setAttribute("class", `ac-playhead ac-${now}`);
    this.head.setAttribute("transform", `translate(${this.x(k)} 0)`);
    this.write(k);
    this.box.setAttribute("aria-valuenow", k);
    this.box.setAttribute("aria-valuetext", this.view.sentence(k));
  }

  write(k) {
    const rank = (i) => (i === k ? 0 : { loss: 1, accumulate: 2, step: 3, zero_grad: 3 }[this.structure.events[i - 1].kind] ?? 9);
    const edges = this.bars.filter((bar) => bar.name === "forward").flatMap((bar) => [bar.first, bar.last]);
    const wanted = [...new Set([...(k ? [k] : []), ...edges, ...this.structure.events.map((_, i) => i + 1).filter((i) => rank(i) < 9)])];
    const taken = [];
    this.labels.replaceChildren();
    for (const i of wanted.sort((a, b) => rank(a) - rank(b))) {
      const text = fit(this.label(i), 110, "12px"), half = text.length * 3.5 + 5, x = this.x(i);
      if (taken.some(([a, b]) => x - half < b && a < x + half)) continue;
      taken.push([x - half, x + half]);
      const style = i === k ? `ac-now ac-${PHASE[this.structure.events[i - 1].kind]}` : "";
      this.labels.append(el("svg:text", { x: Math.max(x, half - 8), y: 81, "text-anchor": "middle", class: style }, text));
    }
  }
}

// ---- the panel: what one box did, in words and numbers ---------------------------------------------------------

function table(rows, head) {
  const body = rows.map(([style, label, cells]) => el("tr", { class: style }, el("th", { scope: "row" }, label),
    ...cells.map(([kind, text]) => el("td", { class: `ac-${kind}` }, text))));
  const top = head.length ? [el("thead", {}, el("tr", {}, el("td"), ...head.map((text) => el("th", { scope: "col" }, text))))] : [];
  return el("table", {}, ...top, el("tbody", {}, ...body));
}

const cells = (tensor, kind) => {
  if (!tensor) return [[kind, "None"]];
  if (count(tensor) <= 3 && tensor[1]) return tensor[1].map((x) => [typeof x === "string" ? "bad" : kind, number(x)]);
  return [[kind, kind === "v" ? sized(tensor[0]) : `norm ${number(tensor[2])}`]];
};

function heading(text) { return el("h4", {}, text); }

function grid(tensor, kind, name) {
  const [shape, values] = tensor, columns = shape.at(-1), rows = [];
  for (let i = 0; i < values.length; i += columns) rows.push(el("tr", {}, ...values.slice(i, i + columns).map((x) => el("td", { class: `ac-${kind}` }, number(x)))));
  return el("div", { class: "ac-grid" }, el("table", {}, el("caption", {}, `${name}, ${sized(shape)}`), el("tbody", {}, ...rows)));
}

class Panel {
  constructor(view) {
    this.view = view;
    this.box = el("div", { class: "ac-panel", role: "region", tabindex: "0", "aria-label": "Details" });
  }

  update(k, selected) {
    const { structure, tape } = this.view, event = k ? structure.events[k - 1] : null;
    const index = selected ?? event?.node ?? null, own = selected === null || selected === event?.node;
    this.box.setAttribute("aria-live", this.view.playing || this.view.live ? "off" : "polite");
    if (index === null) return this.box.replaceChildren(...this.idle(structure));
    const node = structure.nodes[index], state = tape.node(index, k);
    const parts = [el("p", { class: "ac-event" }, own ? `Event ${k} of ${structure.events.length} · ${event.kind}` : `Selected · Esc goes back to event ${k}`)];
    parts.push(el("h3", {}, ...runs(own ? event.title : this.name(node))), el("p", {}, ...(own ? runs(event.text) : [this.about(node, state)])));
    const showRule = node.rules.length && (!own || event.kind === "backward");
    if (showRule) parts.push(heading(node.rules.length > 1 ? "Its rules" : "Its rule"), el("div", { class: "ac-rule" }, ...node.rules.map((rule) => el("div", {}, ...runs(rule)))));
    parts.push(...this.numbers(index, node, state, own ? event : null, k));
    if (node.saved.length && (!own || event.kind === "backward" || event.kind === "forward")) parts.push(...this.saved(node, state, own));
    if (own) parts.push(heading("Next"), el("p", { class: "ac-next" }, ...runs(event.next)));
    this.box.replaceChildren(...parts);
  }

  idle(structure) {
    return [el("p", { class: "ac-event" }, `${structure.events.length} events`), el("h3", {}, "Ready"),
      el("p", {}, "Play, or take one step. Values are blue and run down the page; gradients are orange and climb up."),
      el("p", {}, "Click a box for its rule and its numbers.")];
  }

  name(node) {
    if (node.kind === "operation") return [["b", node.short], ["q", node.rest]];
    return [["v", node.label || "constant"], ["q", node.kind === "leaf" ? " · AccumulateGrad, a leaf" : " · no gradient"]];
  }

  about(node, state) {
    const type = [node.shape ? `shape ${sized(node.shape)}` : "", node.dtype].filter(Boolean).join(", ");
    if (node.kind === "constant") return `A constant (${type}): nothing is sent to it.`;
    if (node.kind === "leaf") return `A leaf (${type}). What arrives is added to its .grad.`;
    return `An operation; its result is of ${type}. ${state.done ? "It has run back." : state.here ? "It has not run back yet." : "It is not recorded yet."}`;
  }

  numbers(index, node, state, event, k) {
    const { structure, tape } = this.view, rows = [], name = node.label || "its result";
    const input = (edge) => (structure.edges.filter((e) => e.consumer === edge.consumer).length > 1 ? `, input ${edge.slot}` : "");
    const moved = event && ["accumulate", "step", "zero_grad"].includes(event.kind);
    if (moved) {
      const [before, after] = tape.numbers.events[k - 1], kind = event.kind === "step" ? "v" : "g", what = event.kind === "step" ? name : `${node.label || "leaf"}.grad`;
      rows.push(["", `${what} before`, cells(before, kind)], ["ac-strong", `${what} after`, cells(after, kind)]);
      if (event.kind === "step") rows.splice(1, 0, ["", `${node.label || "leaf"}.grad`, cells(state.gradient, "g")]);
    } else if (event && (event.kind === "forward" || event.kind === "loss")) {
      const inputs = event.kind === "loss" ? [] : structure.edges.filter((e) => e.consumer === index);
      for (const e of inputs) rows.push(["", structure.nodes[e.producer].label || `from ${structure.nodes[e.producer].short || "a constant"}`, cells(tape.node(e.producer, k).value, "v")]);
      rows.push(["ac-strong", name, cells(state.value, "v")]);
    } else {
      if (!event) rows.push(["", node.kind === "leaf" ? node.label || "value" : name, cells(state.value, "v")]);
      for (const e of state.arrived) rows.push(["", `from ${structure.nodes[structure.edges[e].consumer].short}${input(structure.edges[e])}`, cells(tape.sent(e), "g")]);
      if (node.kind === "leaf") rows.push(["ac-strong ac-rule-above", ".grad", cells(state.gradient, "g")]);
      else if (state.gradient && (state.arrived.length !== 1 || !state.all.length)) rows.push(["ac-strong ac-rule-above", node.label ? `Σ sum at ${node.label}` : "Σ sum", cells(state.gradient, "g")]);
      if (state.done) rows.push(...this.sent(index, node, state));
    }
    if (!rows.length) return [];
    const width = Math.max(...rows.map((row) => row[2].length)), vector = rows.some((row) => row[2].length > 1);
    for (const row of rows) while (row[2].length < width) row[2].unshift(["v", ""]);
    const tensors = [[state.value, "v", name], [state.gradient, "g", node.kind === "leaf" ? ".grad" : "gradient"]].filter(([t]) => t && t[1] && count(t) > 3);
    return [heading("Numbers in and out"), table(rows, vector ? [...Array(width).keys()].map((i) => `[${i}]`) : []), ...tensors.map((t) => grid(...t))];
  }

  sent(index, node, state) {
    const { structure, tape } = this.view, rows = [];
    structure.edges.forEach((edge, i) => {
      if (edge.consumer !== index || !edge.sent) return;
      const tensor = tape.sent(i), to = structure.nodes[edge.producer], sum = state.gradient;
      if (node.slope && tensor[1] && sum?.[1]?.length === tensor[1].length && count(tensor) <= 3 && sum[1].every((x) => x !== 0 && typeof x === "number")) {
        const slope = tensor[1].map((x, j) => x / sum[1][j]);
        rows.push(["", "× its slope", slope.map((x) => ["v", number(x)])]);
      }
      rows.push(["ac-strong ac-rule-above", `sent to ${to.kind === "leaf" ? to.label || "a leaf" : to.short}`, cells(tensor, "g")]);
    });
    return rows;
  }

  saved(node, state, own) {
    const line = (saved) => el("p", {}, el("span", { class: `ac-chip${state.done && !own ? " ac-released" : ""}` },
      el("svg:svg", { width: 8, height: 10, "aria-hidden": "true" }, el("svg:path", { d: BOOKMARK })), ` ${saved.label}`), ` ${saved.text}`);
    return [heading("Saved for this step"), ...node.saved.map(line)];
  }
}

// ---- what the reader may change --------------------------------------------------------------------------------

class Controls {
  constructor(view, model) {
    Object.assign(this, { view, model, waiting: new Map(), busy: false });
    this.error = el("p", { class: "ac-error", role: "alert" });
    this.box = el("div", { class: "ac-controls" }, ...model.get("controls").map((control) => this.control(control)), this.error);
    this.box.hidden = !model.get("controls").length;
  }

  control({ kind, name, label, min, max, step, value }) {
    const output = el("output", {}), attributes = kind === "slider" ? { type: "range", min, max, step } : { type: "text", spellcheck: "false", autocomplete: "off" };
    const input = el("input", { ...attributes, "aria-label": label });
    input.value = value;
    if (kind === "slider") write(output, number(Number(input.value)));
    input.addEventListener("input", () => {
      if (kind === "slider") write(output, number(Number(input.value)));
      this.want(name, kind === "slider" ? Number(input.value) : input.value);
    });
    return el("label", { class: `ac-control ac-control-${kind}` }, el("span", {}, label), input, ...(kind === "slider" ? [output] : []));
  }

  // One question at a time: while Python works, only the latest value of each control waits.
  want(name, value) {
    this.waiting.delete(name);
    this.waiting.set(name, value);
    this.send();
  }

  send() {
    if (this.busy || !this.waiting.size) return;
    const [name, value] = this.waiting.entries().next().value;
    this.waiting.delete(name);
    this.busy = true;
    this.view.live = true;
    this.model.send({ kind: "change", name, value });
  }

  answered(error) {
    this.busy = false;
    write(this.error, error);
    this.box.classList.toggle("ac-failed", error !== "");
    if (this.waiting.size) this.send(); else this.view.live = false;
  }
}

// ---- everything together ---------------------------------------------------------------------------------------

class View {
  constructor(model, parent) {
    Object.assign(this, { model, playing: false, live: false, speed: 0, engine: 0, selected: null, focused: null, zoom: 1 });
    this.root = el("div", { class: "ac-root ac-view", "data-lm-suppress-shortcuts": "true", role: "group" });
    this.status = el("div", { class: "ac-status" });
    this.scroller = el("div", { class: "ac-scroller" });
    this.panel = new Panel(this);
    this.controls = new Controls(this, model);
    this.transport = this.buttons();
    this.switch = el("div", { class: "ac-switch", role: "group", "aria-label": "numbers from" });
    this.subtitle = el("span", { class: "ac-note" });
    this.title = el("span", { class: "ac-title" });
    this.help = button("Keys", "?");
    this.help.setAttribute("aria-expanded", "false");
    this.keys = el("dl", { class: "ac-keys", hidden: "" }, ...KEYS.flatMap(([key, text]) => [el("dt", {}, key), el("dd", {}, text)]));
    this.help.addEventListener("click", () => this.toggleHelp());
    this.zooms = this.zoomButtons();
    this.track = el("div", { class: "ac-track-room" });
    const direction = el("div", { class: "ac-direction" }, el("b", { class: "ac-v" }, "↓ forward"), " runs down the page, ", el("b", { class: "ac-g" }, "↑ backward"), " climbs up", this.zooms);
    this.root.append(
      el("div", { class: "ac-header" }, this.title, this.subtitle, this.switch, this.help, this.keys), this.controls.box,
      el("div", { class: "ac-main" }, el("div", { class: "ac-stage" }, direction, this.scroller), this.panel.box),
      el("div", { class: "ac-footer" }, el("div", { class: "ac-transport" }, this.status, this.transport), this.track));
    parent.append(this.root);
    family = getComputedStyle(this.root).fontFamily || family;
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("copy", (event) => this.copy(event));
    this.scroller.addEventListener("click", (event) => this.click(event));
    this.handlers = { "change:structure": () => this.later("structure"), "change:numbers": () => this.later("numbers"), "change:event": () => this.later("event"),
      "msg:custom": (message) => { if (message.kind === "answer") this.controls.answered(message.error); } };
    for (const [name, handler] of Object.entries(this.handlers)) model.on(name, handler);
    this.build();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.root);
  }

  get k() { return Math.min(this.model.get("event"), this.structure.events.length); }

  remove() {
    this.stop();
    clearTimeout(this.saving);
    this.observer.disconnect();
    for (const [name, handler] of Object.entries(this.handlers)) this.model.off(name, handler);
    this.root.remove();
  }

  later(what) {
    if (!this.dirty) queueMicrotask(() => {
      const dirty = this.dirty;
      this.dirty = null;
      if (dirty.has("structure")) this.build(); else if (dirty.has("numbers")) this.renumber(); else this.update();
    });
    (this.dirty ??= new Set()).add(what);
  }

  // ---- building ----

  buttons() {
    const previous = button("One event back", icon("previous")), next = button("One event on", icon("next"));
    this.play = button("Play", icon("play"));
    this.play.classList.add("ac-play");
    this.pace = button("Speed", "1×");
    this.pace.classList.add("ac-pace");
    previous.addEventListener("click", () => { this.stop(); this.go(this.k - 1); });
    next.addEventListener("click", () => { this.stop(); this.go(this.k + 1, { moving: true }); });
    this.play.addEventListener("click", () => this.toggle());
    this.pace.addEventListener("click", () => {
      this.speed = (this.speed + 1) % SPEEDS.length;
      write(this.pace, `${SPEEDS[this.speed]}×`);
      this.pace.setAttribute("aria-label", `Speed ${SPEEDS[this.speed]}×`);
    });
    const bar = el("div", { class: "ac-buttons", role: "toolbar", "aria-label": "Playing", "aria-orientation": "vertical" }, previous, this.play, next, this.pace);
    [...bar.children].forEach((each, i) => { each.tabIndex = i === 1 ? 0 : -1; });
    return bar;
  }

  zoomButtons() {
    const actions = [["Zoom out", "−", () => this.zoom / 1.25], ["Zoom in", "+", () => this.zoom * 1.25], ["Fit to the width", "fit", () => (this.scroller.clientWidth - 4) / this.picture.placed.width]];
    return el("span", { class: "ac-zoom", hidden: "" }, ...actions.map(([label, sign, to]) => {
      const each = button(label, sign);
      each.addEventListener("click", () => this.zoomTo(to()));
      return each;
    }));
  }

  build() {
    this.structure = this.model.get("structure");
    const { title, note, nodes, events, large } = this.structure;
    const graph = nodes.filter((node) => node.kind !== "constant").length;
    write(this.title, title);
    write(this.subtitle, `${note ? note + " · " : ""}${graph} nodes, ${events.length} events`);
    this.root.setAttribute("aria-label", `${title}, ${this.subtitle.textContent}`);
    this.zooms.hidden = !large;
    this.selected = this.focused = null;
    this.timeline = new Timeline(this, this.structure);
    this.track.replaceChildren(this.timeline.box);
    this.narrow = null;
    this.renumber(true);
    this.resize();
  }

  renumber(quiet = false) {
    const all = this.model.get("numbers");
    this.engine = Math.min(this.engine, all.length - 1);
    this.tape = new Tape(this.structure, all[this.engine]);
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

  resize() {
    const width = this.root.clientWidth;
    if (!width) return;
    const [wide, slim] = this.structure.layouts, side = 354;
    const narrow = wide.width + side > width, below = narrow && slim.width + 300 > width;
    this.root.classList.toggle("ac-below", below);
    this.root.classList.toggle("ac-slim", width < 900);
    if (narrow !== this.narrow) {
      this.narrow = narrow;
      this.picture = new Picture(this, this.structure, narrow);
      this.scroller.replaceChildren(this.picture.svg);
      this.picture.nodes.forEach(({ group }, i) => { group.dataset.node = i; });
      this.zoomTo(this.structure.large ? this.zoom : 1);
    }
    const room = this.track.clientWidth;
    if (room > 60) this.timeline.draw(room);
    this.update();
  }

  zoomTo(zoom) {
    this.zoom = Math.min(2, Math.max(0.1, zoom));
    this.picture.svg.setAttribute("width", this.picture.placed.width * this.zoom);
    this.picture.svg.setAttribute("height", this.picture.placed.height * this.zoom);
  }

  // ---- moving through the events ----

  sentence(k) {
    if (!k) return `Before the first of ${this.structure.events.length} events`;
    const { title, text } = this.structure.events[k - 1];
    return `Event ${k} of ${this.structure.events.length}. ${words(title)}. ${words(text)}`;
  }

  go(k, { moving = false } = {}) {
    k = Math.max(0, Math.min(this.structure.events.length, k));
    if (k === this.k) return;
    this.selected = null;
    this.moving = moving && !this.still;
    this.model.set("event", k);
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.model.save_changes(), TRANSIENT_MS);
  }

  phase(direction) {
    const firsts = [0, ...this.timeline.phases().map((phase) => phase.first), this.structure.events.length];
    this.go(direction > 0 ? firsts.find((first) => first > this.k) ?? this.k : firsts.findLast((first) => first < this.k) ?? 0);
  }

  get still() { return matchMedia("(prefers-reduced-motion: reduce)").matches; }

  toggle() {
    if (this.playing) return this.stop();
    if (this.k === this.structure.events.length) this.go(0);
    if (this.still) return this.go(this.k + 1);
    this.playing = true;
    this.tick();
  }

  tick() {
    this.go(this.k + 1, { moving: true });
    if (this.k === this.structure.events.length) this.playing = false;
    else this.timer = setTimeout(() => this.tick(), EVENT_MS / SPEEDS[this.speed]);
    this.later("event");
  }

  stop() {
    clearTimeout(this.timer);
    if (this.playing) this.later("event");
    this.playing = false;
  }

  update() {
    const { k } = this, count = this.structure.events.length;
    this.root.classList.toggle("ac-moving", Boolean(this.moving));
    this.picture.update(k, this.selected);
    if (this.timeline.svg) this.timeline.update(k);
    this.panel.update(k, this.selected);
    write(this.status, k ? `${this.playing ? "Playing · event" : "Event"} ${k} of ${count}` : `Ready · ${count} events`);
    if (this.play.dataset.playing !== String(this.playing)) {
      this.play.dataset.playing = this.playing;
      this.play.replaceChildren(icon(this.playing ? "pause" : "play"));
      this.play.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    }
    const current = k ? this.structure.events[k - 1].node : this.picture.order[0];
    this.picture.nodes.forEach(({ group }, i) => group.setAttribute("tabindex", i === (this.focused ?? current) ? 0 : -1));
    if (this.moving) this.picture.animate(k);
    if (k && k !== this.shown) this.reveal(current);
    this.moving = false;
    this.shown = k;
  }

  reveal(index) {
    const [x, y, width, height] = this.picture.placed.boxes[index].map((v) => v * this.zoom), box = this.scroller;
    if (y < box.scrollTop + 30 || y + height > box.scrollTop + box.clientHeight - 30) box.scrollTop = y - box.clientHeight / 2;
    if (x < box.scrollLeft || x + width > box.scrollLeft + box.clientWidth) box.scrollLeft = x - 20;
  }

  // ---- the reader's hands ----

  select(index) {
    this.selected = index;
    this.update();
  }

  click(event) {
    const group = event.target.closest(".ac-node");
    this.stop();
    if (!group) return this.select(null);
    this.focused = Number(group.dataset.node);
    group.focus({ preventScroll: true });
    this.select(this.focused);
  }

  toggleHelp(open = this.keys.hidden) {
    this.keys.hidden = !open;
    this.help.setAttribute("aria-expanded", open);
  }

  rove(direction) {
    const active = document.activeElement, bar = [...this.transport.children];
    if (bar.includes(active)) {
      const next = bar[(bar.indexOf(active) + direction + bar.length) % bar.length];
      bar.forEach((each) => { each.tabIndex = each === next ? 0 : -1; });
      next.focus();
      return true;
    }
    const group = active?.closest?.(".ac-node");
    if (!group) return false;
    const { order, nodes } = this.picture, at = order.indexOf(Number(group.dataset.node)) - direction;
    if (at < 0 || at >= order.length) return true;
    this.focused = order[at];
    nodes.forEach((each, i) => each.group.setAttribute("tabindex", i === this.focused ? 0 : -1));
    nodes[this.focused].group.focus({ preventScroll: true });
    this.reveal(this.focused);
    return true;
  }

  key(event) {
    if (event.target.closest("input") || event.ctrlKey || event.metaKey || event.altKey) return;
    const pressed = event.target.closest("button"), group = event.target.closest(".ac-node");
    const step = (direction) => { this.stop(); if (event.shiftKey) this.phase(direction); else this.go(this.k + direction, { moving: direction > 0 }); };
    const actions = {
      ArrowLeft: () => step(-1), ArrowRight: () => step(1), ArrowUp: () => this.rove(-1), ArrowDown: () => this.rove(1),
      Home: () => { this.stop(); this.go(0); }, End: () => { this.stop(); this.go(this.structure.events.length); },
      " ": () => (pressed ? false : this.toggle()), Enter: () => (group ? this.select(Number(group.dataset.node)) : false),
      Escape: () => { this.toggleHelp(false); this.select(null); }, "?": () => this.toggleHelp(),
    };
    const action = actions[event.key];
    if (!action || action() === false) return;
    event.preventDefault();
    event.stopPropagation();
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
