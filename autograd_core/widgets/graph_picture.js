// The picture of a graph: drawn once from boxes and lines, then brought to an event.

const FAR = 40;                                  // events; of a longer jump every box is brought to its new state

class Picture {
  constructor(view, structure, drawn, level) {
    const { boxes, lines, layouts, large } = drawn, placed = layouts[Math.min(level, layouts.length - 1)];
    const narrow = level > 0, slim = level === 2 && !large;
    Object.assign(this, { view, structure, drawn, placed, narrow, slim, large, at: null, turns: new Map() });
    const { width, height } = placed;
    this.inset = slim ? 4 : 12;                // of the bands
    const parts = { class: `ac-picture${large ? " ac-large" : ""}`, width, height, viewBox: `0 0 ${width} ${height}` };
    this.svg = el("svg:svg", { ...parts, role: "group", "aria-label": "Graph" });
    this.stripes();
    this.boxOf = new Map(boxes.flatMap(({ nodes }, i) => nodes.map((node) => [node, i])));
    this.bands = placed.bands.map((band) => this.band(band));
    this.boxes = boxes.map((box, i) => new BOXES[box.kind](this, box, placed.boxes[i]));
    this.boxes.forEach(({ group }, i) => { group.dataset.box = i; });
    this.lines = lines.map((line, i) => new Line(this, line, placed.routes[i]));
    this.lineOf = new Map(lines.flatMap(({ edges }, i) => edges.map((edge) => [edge, i])));
    this.pulse = el("svg:circle", { class: "ac-pulse", r: 5 });
    const frames = this.boxes.filter(({ box }) => box.kind === "frame"), others = this.boxes.filter(({ box }) => box.kind !== "frame");
    this.svg.append(...frames.map(({ group }) => group), ...this.lines.map(({ group }) => group), ...this.bands.map((band) => band.source),
      ...others.map(({ group }) => group), ...this.lines.flatMap(({ pill }) => pill ?? []), this.pulse);
    this.inputs = structure.nodes.map(() => []);
    structure.edges.forEach(({ consumer }, i) => this.inputs[consumer].push(i));
    if (placed.legend) this.legend(...placed.legend);
    this.start();
  }

  // What is nan or inf is striped: a pattern, by a name that no other view has.
  stripes() {
    Picture.count = (Picture.count ?? 0) + 1;
    const id = `ac-stripes-${Picture.count}`, at = { id, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
    this.svg.style.setProperty("--ac-striped", `url(#${id})`);
    this.svg.append(el("svg:defs", {}, el("svg:pattern", at, el("svg:rect", { class: "ac-stripe-ground", width: 7, height: 7 }),
      el("svg:rect", { class: "ac-stripe", width: 2, height: 7 }))));
  }

  band([y, height, line, pieces]) {
    const x = this.inset;
    const group = el("svg:g", { class: "ac-band" },
      el("svg:rect", { x, y, width: this.placed.width - 2 * x, height, rx: 6 }),
      el("svg:rect", { class: "ac-bar", x, y, width: 3, height, rx: 1 }));
    const source = el("svg:g", { class: "ac-source" }, el("svg:title", {}, line === null ? "" : this.structure.source[line]));
    pieces.forEach((piece, i) => {
      if (this.narrow) source.append(el("svg:rect", { x: x + 10, y: y + 4, width: 7.9 * piece.length + 8, height: 21 }));
      source.append(text(x + 14, y + (this.narrow ? 19 : 26) + 19 * i, "", piece));
    });
    this.svg.append(group);
    return { group, source, line };
  }

  // Draw it `zoom` times as large, and let the bands reach across `room`.
  size(room, zoom) {
    const { height } = this.placed, width = Math.max(this.placed.width, Math.floor(room / zoom));
    for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width: width * zoom, height: height * zoom })) {
      put(this.svg, name, value);
    }
    for (const { group } of this.bands) put(group.firstChild, "width", width - 2 * this.inset);
  }

  legend(x, y) {
    const at = (dx, dy, style, content, anchor) => text(x + dx, y + dy, style, content, anchor);
    const box = (dx, dy, width, height, rx, style) => el("svg:rect", { x: x + dx, y: y + dy, width, height, rx, class: style });
    this.svg.append(el("svg:g", { class: "ac-legend", "aria-hidden": "true" }, at(0, 2, "ac-q ac-b", "Each box"),
      box(0, 12, 62, 26, 6, "ac-card"), at(31, 29, "ac-value", "value", "middle"),
      box(62, 12, 66, 26, 0, "ac-tint"), at(95, 29, "ac-gradient", "gradient", "middle"),
      box(138, 15, 28, 20, 10, "ac-sent"), at(152, 29, "ac-gradient", "↑", "middle"), at(174, 29, "", "sent on edge"),
      el("svg:path", { class: "ac-arrow", d: `M${x} ${y + 54}h24` }),
      el("svg:path", { class: "ac-tip", d: `M${x + 32} ${y + 54}l-9 -4.5v9z` }), at(40, 58, "", "not run yet"),
      box(138, 45, 28, 18, 9, "ac-ink"), at(174, 58, "", "leaf, keeps .grad")));
  }

  start() {
    const { root, name } = this.structure;
    Object.assign(this, { root, origin: null });
    if (!this.structure.nodes[root].ran || !this.placed.start) return;
    const [right, y] = this.placed.start;
    const line = text(right + 44, y + 20, "", "backward() starts here:"), strong = text(right + 44, y + 36, "ac-gradient ac-b");
    const group = el("svg:g", { class: "ac-start", "aria-hidden": "true" }, el("svg:path", { d: `M${right + 34} ${y + 23}h-24` }),
      el("svg:path", { class: "ac-tip", d: `M${right + 2} ${y + 23}l9 -4.5v9z` }), line, strong);
    this.svg.append(group);
    this.origin = { group, strong, name };
  }

  // Where ↑ and ↓ lead from a box: along a line, to an input or to a consumer. Asked again, along the next line.
  neighbour(index, direction) {
    const [from, to] = direction < 0 ? ["to", "from"] : ["from", "to"], { boxes, lines } = this.drawn;
    const ends = [...new Set(lines.filter((line) => line[from] === index).map((line) => line[to]))];
    const rank = (i) => (boxes[i].nodes.length > 1 ? 0 : ["operation", "severed", "leaf", "frozen", "constant"].indexOf(this.structure.nodes[boxes[i].nodes[0]].kind));
    ends.sort((a, b) => rank(a) - rank(b));
    if (!ends.length) return index;
    const key = `${direction} ${index}`, turn = this.turns.get(key) ?? 0;
    this.turns.set(key, turn + 1);
    return ends[turn % ends.length];
  }

  // ---- event k is shown ----

  update(k, selected) {
    const { tape } = this.view, event = k ? this.structure.events[k - 1] : null;
    const [boxes, lines] = this.changed(k, selected);
    if (this.of !== tape) this.largest = this.largestSent(tape);
    for (const i of boxes) this.boxes[i].update(k, event, selected);
    for (const i of lines) this.lines[i].update(k);
    Object.assign(this, { at: k, was: selected, of: tape });
    this.paint(`ac-in-${event ? PHASE[event.kind] : "idle"}`);
    const line = event ? this.structure.nodes[event.node].line : null;
    for (const band of this.bands) {
      const now = line !== null && band.line === line;
      for (const part of [band.group, band.source]) part.classList.toggle("ac-now", now);
    }
    if (this.origin) {
      const { group, strong, name } = this.origin, [first] = tape.numbers.events[this.structure.nodes[this.root].ran - 1];
      group.classList.toggle("ac-shown", tape.node(this.root, k).done);
      write(strong, `∂ ${name} / ∂ ${name} = ${tensorText(first)}`);
    }
  }

  // A class at the root makes the browser look at every box again: it is changed when it has to be.
  paint(phase) {
    if (phase === this.phase) return;
    this.svg.classList.remove(this.phase);
    this.svg.classList.add(phase);
    this.phase = phase;
  }

  // The boxes and lines that differ from what is shown: all, unless few events lie between.
  changed(k, selected) {
    const { events, edges } = this.structure, { at } = this;
    if (at === null || this.of !== this.view.tape || !at !== !k || Math.abs(at - k) > FAR) return [this.boxes.keys(), this.lines.keys()];
    const nodes = new Set([selected, this.was]), sent = new Set();
    for (const event of events.slice(Math.max(0, Math.min(at, k) - 1), Math.max(at, k))) {
      nodes.add(event.node);
      for (const edge of event.edges) {
        sent.add(edge);
        nodes.add(edges[edge].producer);
      }
      if (event.kind === "forward") this.inputs[event.node].forEach((edge) => sent.add(edge));
    }
    const found = (places, keys) => new Set([...keys].flatMap((key) => places.get(key) ?? []));
    return [found(this.boxOf, nodes), found(this.lineOf, sent)];
  }

  largestSent({ numbers }) {
    return numbers.events.reduce((most, [, , sent]) => sent.reduce((m, [, , norm]) => (norm > m && norm < Infinity ? norm : m), most), 0);
  }

  animate(k) {
    const edge = this.structure.edges.findIndex((e) => e.sent === k && k > 0), line = this.lines[this.lineOf.get(edge)];
    if (!line) return;
    this.pulse.style.offsetPath = `path("${line.d}")`;
    const frames = [{ offsetDistance: "100%", opacity: 1 }, { offsetDistance: "0%", opacity: 1 }];
    this.pulse.animate(frames, { duration: PULSE_MS, easing: "ease-out" });
  }
}
