// The timeline: one place for each event, a bar for each phase; the keyboard and the pointer move along it.

const RAIL = 54, LOW_RAIL = 70;                  // the height of the line that the events stand on; below two rows of bars
const FIRST = 40;                                // where the first event stands; the place before it is at its left
const LABEL = 110;                               // pixels for a name below the rail
const LABELLED = { loss: 1, accumulate: 2, step: 3, zero_grad: 3 };

class Timeline {
  constructor(view, structure, drawn) {
    Object.assign(this, { view, structure, drawn, count: structure.events.length, rail: drawn.large ? LOW_RAIL : RAIL });
    const range = { "aria-label": "Event", "aria-valuemin": 0, "aria-valuemax": this.count };
    this.box = el("div", { class: "ac-track", role: "slider", tabindex: "0", ...range });
    const scrub = (event) => { if (this.held) view.go(this.at(event.clientX)); };
    this.box.addEventListener("pointerdown", (event) => {
      if (event.target.closest(".ac-phase, .ac-group")) return;
      this.held = true;
      view.stop();
      this.box.setPointerCapture(event.pointerId);
      scrub(event);
    });
    this.box.addEventListener("pointermove", scrub);
    for (const end of ["pointerup", "pointercancel"]) this.box.addEventListener(end, () => { this.held = false; });
  }

  x(k) { return k ? FIRST + (k - 1) * this.step : 12; }

  at(clientX) {
    const x = clientX - this.box.getBoundingClientRect().left;
    return x < FIRST - 14 ? 0 : Math.min(this.count, Math.max(1, Math.round((x - FIRST) / this.step) + 1));
  }

  phases() {
    const list = [];
    this.structure.events.forEach(({ kind }, i) => {
      if (list.at(-1)?.name !== PHASE[kind]) list.push({ name: PHASE[kind], first: i + 1 });
      list.at(-1).last = i + 1;
    });
    return list;
  }

  // In a large graph: the events of one fold, or of one node outside of all, that follow each other.
  groups() {
    const list = [], { parts, groups } = this.drawn;
    this.structure.events.forEach(({ kind, node }, i) => {
      const last = list.at(-1);
      if (last?.part !== groups[node] || last.phase !== PHASE[kind]) list.push({ name: parts[groups[node]] ?? "", part: groups[node], phase: PHASE[kind], first: i + 1 });
      list.at(-1).last = i + 1;
    });
    return list.filter(({ phase, part }) => part >= 0 && phase !== "loss");
  }

  draw(width) {
    this.step = (width - FIRST - 24) / Math.max(1, this.count - 1);
    const { events } = this.structure, radius = Math.min(6, Math.max(2.2, this.step * 0.32));
    const rail = el("svg:path", { class: "ac-rail", d: `M${this.x(1)} ${this.rail}H${this.x(this.count)}` });
    const core = el("svg:circle", { class: "ac-core", r: 5.5, cy: this.rail });
    this.bars = this.phases().map((phase) => this.bar(phase));
    this.parts = this.drawn.large ? this.groups().map((group) => this.part(group)) : [];
    this.rails = this.bars.map(({ name }) => el("svg:path", { class: `ac-rail ac-${name}` }));
    this.dots = this.step < 5 ? [] : events.map(({ kind }, i) => this.dot(kind, this.x(i + 1), radius));
    this.head = el("svg:g", {}, el("svg:circle", { r: this.drawn.large ? 9 : 12, cy: this.rail }), core);
    this.labels = el("svg:g", { class: "ac-labels" });
    this.svg = el("svg:svg", { width, height: this.rail + 30, "aria-hidden": "true" }, ...[...this.bars, ...this.parts].map(({ group }) => group), rail,
      ...this.rails, ...this.dots, this.head, this.labels);
    this.box.replaceChildren(this.svg);
    this.places(width);
  }

  part({ name, first, last, phase }) {
    const gap = Math.min(1.5, this.step / 4), x = this.x(first) - this.step / 2 + gap, width = this.x(last) + this.step / 2 - gap - x;
    const shown = measure(name, "bold 12px") + 6 <= width ? name : "";
    const group = el("svg:g", { class: "ac-group" }, el("svg:title", {}, `${name}, ${phase}`),
      el("svg:rect", { x, y: 31, width: Math.max(1, width), height: 21, rx: Math.min(3, width / 3) }),
      el("svg:text", { x: x + width / 2, y: 46, "text-anchor": "middle" }, shown));
    group.addEventListener("click", () => { this.view.stop(); this.view.go(first); });
    return { group, first, last };
  }

  bar({ name, first, last }) {
    const title = name === "loss" ? this.structure.name : name, half = (this.x(last) - this.x(first)) / 2;
    const named = measure(title, "bold 12.5px") / 2 + 8 - half;                     // so that its name has room
    const edge = Math.min(Math.max(19, named), Math.max(this.step / 3, this.step / 2 - 3)), x = this.x(first) - edge, width = 2 * (half + edge);
    const text = el("svg:text", { x: x + width / 2, y: 18, "text-anchor": "middle" }, width > title.length * 6.1 ? title : "");
    const group = el("svg:g", {}, el("svg:title", {}, title), el("svg:rect", { x, y: 1, width, height: 25, rx: 4 }), text);
    group.addEventListener("click", () => { this.view.stop(); this.view.go(first); });
    return { group, name, first, last };
  }

  dot(kind, x, r) {
    const at = { class: `ac-dot ac-${kind}` }, d = r * 1.4, { rail } = this;
    if (kind === "loss") return el("svg:rect", { ...at, x: x - r, y: rail - r, width: 2 * r, height: 2 * r });
    if (kind === "accumulate") return el("svg:path", { ...at, d: `M${x} ${rail - d}l${d} ${d}l${-d} ${d}l${-d} ${-d}z` });
    if (kind === "step") return el("svg:path", { ...at, d: `M${x} ${rail - r * 1.2}l${r * 1.3} ${r * 2.2}h${-r * 2.6}z` });
    return el("svg:circle", { ...at, cx: x, cy: rail, r });
  }

  label(k) {
    const { kind, node } = this.structure.events[k - 1], { short, label } = this.structure.nodes[node];
    if (kind === "loss") return tensorText(this.view.tape.numbers.events[k - 1][1]);
    if (kind === "forward" || kind === "backward") return fit(short, LABEL, "12px");
    return `${fitPath(label || "leaf", LABEL, "12px")}${kind === "accumulate" ? ".grad" : ""}`;
  }

  update(k) {
    const now = k ? PHASE[this.structure.events[k - 1].kind] : "";
    this.bars.forEach(({ group, first, last, name }, i) => {
      group.setAttribute("class", `ac-phase ac-${name}${first <= k && k <= last ? " ac-now" : ""}`);
      const from = i ? this.x(first - 1) : this.x(first), to = this.x(Math.min(k, last));
      this.rails[i].setAttribute("d", k >= first ? `M${from} ${this.rail}H${to}` : "");
    });
    for (const { group, first, last } of this.parts) group.classList.toggle("ac-now", first <= k && k <= last);
    this.dots.forEach((dot, i) => dot.classList.toggle("ac-done", i < k));
    this.head.setAttribute("class", `ac-playhead ac-${now}`);
    this.head.setAttribute("transform", `translate(${this.x(k)} 0)`);
    this.write(k);
    this.box.setAttribute("aria-valuenow", k);
    this.box.setAttribute("aria-valuetext", this.view.sentence(k));
  }

  // Where labels stand, whatever the event: only the current one comes and goes, and hides what it would lie over.
  places(width) {
    const { events } = this.structure, ends = this.bars.flatMap(({ name, first, last }) => (name === "forward" ? [first, last] : []));
    const rank = (i) => LABELLED[events[i - 1].kind] ?? (ends.includes(i) ? 4 : 9), taken = [];
    this.texts = events.map((_, i) => {
      const text = this.label(i + 1), half = measure(text, "bold 12px") / 2 + 4;
      const x = Math.max(half - 3, Math.min(this.x(i + 1), width - half + 3));
      return { k: i + 1, x, from: x - half, to: x + half, svg: el("svg:text", { x, y: this.rail + 27, "text-anchor": "middle" }, text), fixed: false };
    });
    for (const place of this.texts.filter(({ k }) => rank(k) < 9).sort((a, b) => rank(a.k) - rank(b.k))) {
      place.fixed = !taken.some((other) => over(place, other));
      if (place.fixed) taken.push(place);
    }
  }

  write(k) {
    const now = this.texts[k - 1];
    const shown = this.texts.filter((place) => place === now || (place.fixed && !(now && over(place, now))));
    for (const { k: at, svg } of shown) {
      put(svg, "class", at === k ? `ac-now ac-${PHASE[this.structure.events[k - 1].kind]}` : "");
      if (this.structure.events[at - 1].kind === "loss") write(svg, this.label(at));
    }
    this.labels.replaceChildren(...shown.map(({ svg }) => svg));
  }
}

const over = (a, b) => a.from < b.to && b.from < a.to;
