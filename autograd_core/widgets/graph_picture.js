// The picture of a graph: drawn once from its structure, then brought to an event.

const BOOKMARK = "M0 0h8v10l-4-3.2-4 3.2z";

// A leaf with a long name, "net.0.weight", has it in place of its title.
const LONG_LABEL = 8;
const apart = ({ label }) => label.length > LONG_LABEL;

class Picture {
  constructor(view, structure, narrow) {
    Object.assign(this, { view, structure, placed: structure.layouts[narrow ? 1 : 0], narrow });
    const { width, height } = this.placed;
    const viewBox = `0 0 ${width} ${height}`;
    this.svg = el("svg:svg", { class: "ac-picture", width, height, viewBox, role: "group", "aria-label": "Graph" });
    this.bands = this.placed.bands.map((band) => this.band(band));
    this.edges = structure.edges.map((edge, i) => this.edge(edge, this.placed.routes[i]));
    this.svg.append(...this.bands.map((band) => band.source));
    this.nodes = structure.nodes.map((node, i) => this.node(node, i));
    this.edges.forEach(({ pill }) => pill && this.svg.append(pill));
    this.pulse = el("svg:circle", { class: "ac-pulse", r: 5 });
    this.svg.append(this.pulse);
    if (this.placed.legend) this.legend(...this.placed.legend);
    this.turns = new Map();
    this.start();
  }

  text(x, y, style, anchor = "start") {
    return el("svg:text", { x, y, class: style, "text-anchor": anchor });
  }

  band([y, height, line, pieces]) {
    const group = el("svg:g", { class: "ac-band" },
      el("svg:rect", { x: 12, y, width: this.placed.width - 24, height, rx: 6 }),
      el("svg:rect", { class: "ac-bar", x: 12, y, width: 3, height, rx: 1 }));
    const whole = el("svg:title", {}, line === null ? "" : this.structure.source[line]);
    const source = el("svg:g", { class: "ac-source" }, whole);
    pieces.forEach((piece, i) => {
      const text = this.text(26, y + (this.narrow ? 19 : 26) + 19 * i, "");
      text.textContent = piece;
      if (this.narrow) source.append(el("svg:rect", { x: 22, y: y + 4, width: 7.9 * piece.length + 8, height: 21 }));
      source.append(text);
    });
    this.svg.append(group);
    return { group, source, line };
  }

  edge(edge, route) {
    const leaf = this.structure.nodes[edge.producer].kind;
    const group = el("svg:g", { class: `ac-edge ac-from-${leaf}` }, el("svg:path", { class: "ac-line", d: route.d }),
      el("svg:path", { class: "ac-head ac-down", d: route.down }), el("svg:path", { class: "ac-head ac-up", d: route.up }));
    if (route.number) {
      const [x, y, anchor] = route.number, label = this.text(x, y, "ac-slot", anchor);
      label.textContent = edge.slot;
      group.append(label);
    }
    this.svg.append(group);
    if (!route.pill || leaf === "constant") return { group, pill: null, d: route.d };
    const rect = el("svg:rect", { height: 22, rx: 11, y: -11 });
    const text = this.text(0, 4, "", "middle"), title = el("svg:title"), place = `translate(${route.pill})`;
    const pill = el("svg:g", { class: "ac-pill", transform: place, "aria-hidden": "true" }, title, rect, text);
    return { group, pill, rect, text, title, d: route.d, brief: route.brief };
  }

  node(node, index) {
    const [x, y, width, height, split] = this.placed.boxes[index], pill = node.kind === "leaf", rx = pill ? 23 : 8;
    const title = el("svg:title");
    const place = { transform: `translate(${x} ${y})`, role: "button", tabindex: "-1" };
    const group = el("svg:g", { class: `ac-node ac-${node.kind}`, ...place }, title,
      el("svg:rect", { class: "ac-ring", x: -5, y: -5, width: width + 10, height: height + 10, rx: rx + 4 }),
      el("svg:rect", { class: "ac-focus", x: -4, y: -4, width: width + 8, height: height + 8, rx: rx + 3 }));
    const refs = { group, title, split, width, node };
    if (node.kind === "constant") {
      const named = node.label !== "";
      refs.name = this.text(width / 2, named ? 15 : 22, "ac-constant-name", "middle");
      refs.value = this.text(width / 2, 29, "ac-constant-value", "middle");
      group.append(el("svg:rect", { class: "ac-box", width, height, rx: 6 }), refs.name, refs.value);
    } else {
      const r = rx, left = `M${split} 0H${r}a${r} ${r} 0 0 0 ${-r} ${r}V${height - r}a${r} ${r} 0 0 0 ${r} ${r}H${split}`;
      const right = `M${split} 0H${width - r}a${r} ${r} 0 0 1 ${r} ${r}V${height - r}a${r} ${r} 0 0 1 ${-r} ${r}H${split}z`;
      refs.name = this.text(45, 20, "ac-name");
      refs.value = this.text(45, 37, "ac-number ac-value");
      refs.caption = this.text((split + width) / 2 - (pill ? 3 : 0), 19, "ac-caption", "middle");
      refs.gradient = this.text((split + width) / 2 - (pill ? 3 : 0), 36, "ac-number ac-gradient", "middle");
      const sign = this.text(23.5, 28, "ac-sign", "middle");
      sign.textContent = node.sign;
      if (node.sign.length > 2) sign.classList.add("ac-long");
      group.append(el("svg:path", { class: "ac-part", d: right }), el("svg:path", { class: "ac-box", d: left }),
        el("svg:circle", { class: "ac-glyph", cx: 23.5, cy: 23, r: 14 }), sign, refs.name, refs.value, refs.caption, refs.gradient);
      this.name(refs, node, split);
      refs.tab = node.saved.length ? this.tab(node, width) : null;
      if (refs.tab) group.append(refs.tab);
    }
    this.svg.append(group);
    return refs;
  }

  // The bold part is whole wherever it can be; what is left of the room is for the rest, whole or not at all.
  name({ name }, node, split) {
    const leaf = node.kind === "leaf", room = split - 47;
    const strong = fit(leaf ? (apart(node) ? node.label : "AccumulateGrad") : node.short, room, "bold 13.5px");
    name.append(el("svg:tspan", { class: "ac-b" }, strong));
    if (leaf || measure(strong, "bold 13.5px") + measure(node.rest, "12.5px") > room) return;
    name.append(el("svg:tspan", { class: "ac-q" }, node.rest));
  }

  // "p = 0.525": where both have no room, the name is cut and not the number.
  line(label, value, room) {
    const left = room - measure(` = ${value}`, "12.5px");
    return label && left > 12 ? `${fit(label, left, "12.5px")} = ${value}` : fit(value, room, "12.5px");
  }

  // Draw it `zoom` times as large, and let the bands reach across `room`.
  size(room, zoom) {
    const { height } = this.placed, width = Math.max(this.placed.width, Math.floor(room / zoom));
    for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width: width * zoom, height: height * zoom })) {
      put(this.svg, name, value);
    }
    for (const { group } of this.bands) put(group.firstChild, "width", width - 24);
  }

  tab(node, width) {
    const text = fit(`saved ${node.saved.map((s) => s.label).join(", ")}`, 100, "12px");
    const room = Math.ceil(measure(text, "12px")) + 27, label = this.text(19, 13, "");
    label.textContent = text;
    return el("svg:g", { class: "ac-tab", transform: `translate(${width - 10 - room} -18)` },
      el("svg:rect", { width: room, height: 19, rx: 3 }), el("svg:path", { d: BOOKMARK, transform: "translate(7 4)" }), label);
  }

  legend(x, y) {
    const at = (dx, dy, style, text, anchor) => {
      const each = this.text(x + dx, y + dy, style, anchor);
      each.textContent = text;
      return each;
    };
    const box = (dx, dy, width, height, rx, style) => el("svg:rect", { x: x + dx, y: y + dy, width, height, rx, class: style });
    this.svg.append(el("svg:g", { class: "ac-legend", "aria-hidden": "true" }, at(0, 2, "ac-q ac-b", "Each box"),
      box(0, 12, 62, 26, 6, "ac-card"), at(31, 29, "ac-value", "value", "middle"),
      box(62, 12, 66, 26, 0, "ac-tint"), at(95, 29, "ac-gradient", "gradient", "middle"),
      box(138, 15, 28, 20, 10, "ac-sent"), at(152, 29, "ac-gradient", "↑", "middle"), at(174, 29, "", "sent on edge"),
      el("svg:path", { class: "ac-arrow", d: `M${x} ${y + 54}h24` }),
      el("svg:path", { class: "ac-tip", d: `M${x + 32} ${y + 54}l-9 -4.5v9z` }), at(40, 58, "", "not yet run back"),
      box(138, 45, 28, 18, 9, "ac-ink"), at(174, 58, "", "leaf, keeps .grad")));
  }

  start() {
    const { root, name } = this.structure;
    Object.assign(this, { root, origin: null });
    if (!this.structure.nodes[root].ran || !this.placed.start) return;
    const [right, y] = this.placed.start;
    const line = this.text(right + 44, y + 20, ""), strong = this.text(right + 44, y + 36, "ac-gradient ac-b");
    line.textContent = "backward() starts here:";
    const group = el("svg:g", { class: "ac-start", "aria-hidden": "true" }, el("svg:path", { d: `M${right + 34} ${y + 23}h-24` }),
      el("svg:path", { class: "ac-tip", d: `M${right + 2} ${y + 23}l9 -4.5v9z` }), line, strong);
    this.svg.append(group);
    this.origin = { group, strong, name };
  }

  // Where ↑ and ↓ lead from a box: along an edge, to an input or to a consumer. Asked again, along the next edge.
  neighbour(index, direction) {
    const { nodes, edges } = this.structure, [from, to] = direction < 0 ? ["consumer", "producer"] : ["producer", "consumer"];
    const ends = [...new Set(edges.filter((edge) => edge[from] === index).map((edge) => edge[to]))];
    const rank = (i) => ["operation", "leaf", "constant"].indexOf(nodes[i].kind);
    ends.sort((a, b) => rank(a) - rank(b));
    if (!ends.length) return index;
    const key = `${direction} ${index}`, turn = this.turns.get(key) ?? 0;
    this.turns.set(key, turn + 1);
    return ends[turn % ends.length];
  }

  // ---- event k is shown ----

  update(k, selected) {
    const { tape } = this.view, event = k ? this.structure.events[k - 1] : null;
    this.nodes.forEach((refs, i) => this.updateNode(refs, i, tape.node(i, k), event, k, selected));
    this.edges.forEach((refs, i) => this.updateEdge(refs, i, tape, event, k));
    put(this.svg, "class", `ac-picture ac-in-${event ? PHASE[event.kind] : "idle"}`);
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

  updateNode(refs, index, state, event, k, selected) {
    const { node, group } = refs, current = event?.node === index;
    const toggle = (name, on) => group.classList.toggle(name, on);
    toggle("ac-current", current);
    toggle("ac-selected", selected === index);
    toggle("ac-ghost", !state.here);
    const value = state.value ? tensorText(state.value) : node.shape ? sized(node.shape) : "not recorded";
    if (node.kind === "constant") {
      write(refs.name, fit(node.label || value, refs.width - 10, "bold 13px"));
      const detail = state.value && count(state.value) <= 3 ? value : `${sized(node.shape ?? [])} · no grad`;
      write(refs.value, node.label ? fit(detail, refs.width - 8, "11.5px") : "");
      group.setAttribute("aria-label", `${node.label || "constant"} ${detail}, no gradient`);
      write(refs.title, `${node.label} = ${precise(state.value)}`);
      return;
    }
    const leaf = node.kind === "leaf", has = state.gradient !== null;
    const total = state.all.length, n = state.arrived.length;
    write(refs.value, this.line(leaf && apart(node) ? "" : node.label, value, refs.split - 50));
    let caption = leaf ? ".grad" : `∂ ${this.structure.name}`;
    if (!leaf && n && (!state.done || current)) caption = `${n > 1 && n === total ? "Σ " : ""}${n} of ${total} arrived`;
    const gradient = leaf || has ? tensorText(state.gradient, true) : n ? "…" : "not yet";
    write(refs.caption, fit(caption, refs.width - refs.split - 8, "11.5px"));
    write(refs.gradient, fit(gradient, refs.width - refs.split - (leaf ? 18 : 8), has ? "bold 12.5px" : "12.5px"));
    toggle("ac-has", has);
    toggle("ac-bad-value", !finite(state.value));
    toggle("ac-bad-gradient", !finite(state.gradient));
    if (refs.tab) refs.tab.classList.toggle("ac-released", state.done && !current);
    const shown = leaf ? `AccumulateGrad of ${node.label || "a leaf"}` : node.called;
    put(group, "aria-label", `${shown}, value ${value}, gradient ${gradient}${current ? ", current" : ""}`);
    put(group, "aria-pressed", selected === index);
    const whole = has ? precise(state.gradient) : gradient;
    write(refs.title, `${node.short}${node.rest}\nvalue ${precise(state.value)}\n${leaf ? ".grad" : "gradient"} ${whole}`);
  }

  updateEdge(refs, index, tape, event, k) {
    const { sent, consumer } = this.structure.edges[index], ran = sent > 0 && sent <= k;
    refs.group.classList.toggle("ac-ghost", k > 0 && this.structure.nodes[consumer].recorded > k);
    refs.group.classList.toggle("ac-ran", ran);
    if (!refs.pill) return;
    refs.pill.classList.toggle("ac-shown", ran);
    if (!ran) return;
    refs.pill.classList.toggle("ac-sending", sent === k);
    const tensor = tape.sent(index), text = refs.brief ? "↑" : `↑ ${tensorText(tensor, true)}`;
    refs.pill.classList.toggle("ac-bad", !finite(tensor));
    if (this.structure.large && tensor[2] > 0) {
      refs.group.style.setProperty("--ac-weight", Math.min(5, Math.max(1, 3 + Math.log10(tensor[2]))));
    }
    if (refs.text.textContent !== text) {
      refs.text.textContent = text;
      const width = Math.ceil(measure(text, "bold 12px")) + (refs.brief ? 16 : 22);
      refs.rect.setAttribute("width", width);
      refs.rect.setAttribute("x", -width / 2);
    }
    write(refs.title, precise(tensor));
  }

  animate(k) {
    const edge = this.structure.edges.findIndex((e) => e.sent === k && k > 0);
    if (edge < 0) return;
    this.pulse.style.offsetPath = `path("${this.edges[edge].d}")`;
    const frames = [{ offsetDistance: "100%", opacity: 1 }, { offsetDistance: "0%", opacity: 1 }];
    this.pulse.animate(frames, { duration: PULSE_MS, easing: "ease-out" });
  }
}
