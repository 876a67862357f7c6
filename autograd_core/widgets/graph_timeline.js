// The timeline: one place for each event, a bar for each phase; the keyboard and the pointer move along it.

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

  x(k) { return k ? 20 + (k - 1) * this.step : -4; }

  at(clientX) {
    const x = clientX - this.box.getBoundingClientRect().left;
    return x < 8 ? 0 : Math.min(this.count, Math.max(1, Math.round((x - 20) / this.step) + 1));
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
      text.textContent = room > name.length * 6.1 ? name : "";
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
