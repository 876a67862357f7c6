// The panel: what one box did, in words and numbers; or every parameter with its gradient.
// A row of a table is [style, label, kind, place]: of kind "v" a value, "g" a gradient, standing at a place of the tape.

const STRONG = "ac-strong", TOTAL = "ac-strong ac-rule-above";

function cells(tensor, kind) {
  if (!tensor) return [[kind, "None"]];
  if (count(tensor) > 3) return [[finite(tensor) ? kind : "bad", tensorText(tensor, kind === "g")]];
  return tensor[1].map((x) => [typeof x === "string" ? "bad" : kind, number(x)]);
}

// The numbers of one engine: a column for each element.
function table(rows, tape) {
  const read = rows.map(([, , kind, place]) => (place ? cells(tape.at(place), kind) : [[kind, "None"]]));
  const width = Math.max(...read.map((each) => each.length));
  const padded = (list) => [...Array(width - list.length).fill(["v", ""]), ...list];
  const places = width > 1 ? [...Array(width).keys()].map((i) => el("th", { scope: "col" }, `[${i}]`)) : [];
  const line = ([style, name], i) => el("tr", { class: style }, el("th", { scope: "row" }, ...broken(name)),
    ...padded(read[i]).map(([kind, text]) => el("td", { class: `ac-${kind}` }, text)));
  const head = places.length ? [el("thead", {}, el("tr", {}, el("td"), ...places))] : [];
  return el("table", {}, ...head, el("tbody", {}, ...rows.map(line)));
}

// The numbers of both engines beside each other; what differs is marked.
function sideBySide(rows, tapes) {
  const apart = (place) => (place ? tapes[1].numbers.differences[place.join(" ")] : undefined);
  const lines = rows.map(([style, name, kind, place]) => {
    const differs = apart(place)?.[1] === false;
    const texts = tapes.map((tape) => tensorText(place ? tape.at(place) : null, kind === "g"));
    const mark = differs ? [el("span", { class: "ac-bad", role: "img", "aria-label": "differs" }, "≠ ")] : [];
    return el("tr", { class: differs ? `${style} ac-differs` : style }, el("th", { scope: "row" }, ...mark, ...broken(name)),
      ...texts.map((text) => el("td", { class: differs ? "ac-bad" : `ac-${kind}` }, text)));
  });
  const engines = tapes.map((tape) => el("th", { scope: "col" }, tape.numbers.engine));
  const found = rows.map(([, , , place]) => apart(place)).filter(Boolean);
  const largest = number(sendable(Math.max(0, ...found.map(([size]) => real(size)))));
  const verdict = found.some(([, close]) => !close) ? paragraph("ac-verdict ac-bad", `≠ The engines differ, by ${largest} at most.`)
    : paragraph("ac-verdict ac-agreed", found.length ? `✓ largest difference ${largest}` : "✓ no difference");
  const head = el("thead", {}, el("tr", {}, el("td"), ...engines));
  return el("div", { class: "ac-both" }, el("table", {}, head, el("tbody", {}, ...lines)), verdict);
}

const WIDTH = 354, WIDE = 432;                   // CSS pixels, where there is room
const heading = (text) => el("h4", {}, text);
const paragraph = (style, ...content) => el("p", { class: style }, ...content);

class Panel {
  constructor(view) {
    Object.assign(this, { view, tab: "details", maps: new Maps(view) });
    this.tabs = [["details", "Details"], ["parameters", "Parameters"]].map(([name, label]) => {
      const tab = el("button", { type: "button", role: "tab", "data-tab": name }, label);
      tab.addEventListener("click", () => this.open(name));
      return tab;
    });
    this.list = el("div", { class: "ac-tabs", role: "tablist", "aria-label": "Panel" }, ...this.tabs);
    this.list.addEventListener("keydown", (event) => this.key(event));
    this.body = el("div", { class: "ac-panel-body", role: "tabpanel" });
    this.box = el("div", { class: "ac-panel", role: "region", tabindex: "0", "aria-label": "Details" }, this.list, this.body);
    this.theme = new MutationObserver(() => this.update(this.view.k, this.view.selected));
    this.theme.observe(document.body, { attributeFilter: ["data-jp-theme-light"] });
  }

  get width() { return this.tab === "parameters" ? WIDE : WIDTH; }

  remove() { this.theme.disconnect(); }

  build(structure) {
    this.maps.clear();
    this.parameters = new Parameters(this.view, structure);
    this.list.hidden = !structure.parameters.length;
    write(this.tabs[1], structure.leaves ? "Leaves" : "Parameters");
    this.tab = structure.large && !structure.leaves && structure.parameters.length ? "parameters" : "details";
    this.looking = null;
  }

  renumber() {
    this.maps.forget();
    this.parameters.renumber();
  }

  open(name) {
    this.tab = name;
    this.update(this.view.k, this.view.selected);
  }

  toggle() {
    if (!this.list.hidden) this.open(this.tab === "details" ? "parameters" : "details");
  }

  key(event) {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    event.stopPropagation();
    this.toggle();
    this.tabs.find((tab) => tab.dataset.tab === this.tab).focus();
  }

  update(k, selected) {
    if (selected !== null && selected !== this.looking && !this.parameters.has(selected)) this.tab = "details";
    this.looking = selected;
    if (this.tab !== this.shown) {
      this.shown = this.tab;
      this.view.resize();
      return;
    }
    const details = this.tab === "details";
    for (const tab of this.tabs) {
      const open = tab.dataset.tab === this.tab;
      put(tab, "aria-selected", open);
      put(tab, "tabindex", open ? 0 : -1);
    }
    if (details) this.fill(this.details(k, selected));
    else {
      if (this.body.firstChild !== this.parameters.box) this.body.replaceChildren(this.parameters.box);
      this.parameters.update(k, selected);
    }
  }

  // New contents; what had the focus keeps it, if it is there again.
  fill(contents) {
    const held = this.body.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    this.body.replaceChildren(...contents);
    if (held) this.body.querySelector(`[data-key="${CSS.escape(held)}"]`)?.focus({ preventScroll: true });
  }

  details(k, selected) {
    const event = k ? this.view.structure.events[k - 1] : null, index = selected ?? event?.node ?? null;
    if (index === null) return this.idle();
    return index === event?.node ? this.happening(index, event, k) : this.looked(index, k);
  }

  idle() {
    return [paragraph("ac-event", `${this.view.structure.events.length} events`), el("h3", {}, "Ready"),
      paragraph("", "Play, or take one step. Values are blue and run down the page; gradients are orange and climb up."),
      paragraph("", "Click a box for its rule and its numbers.")];
  }

  // What the event did to its own box.
  happening(index, event, k) {
    const { structure, tape } = this.view, node = structure.nodes[index], state = tape.node(index, k), { kind } = event;
    const rows = kind === "backward" ? this.backward(index, state)
      : kind === "forward" ? this.forward(index, state, k)
        : kind === "loss" ? [[STRONG, node.label || "its result", "v", state.valueAt]]
          : this.change(node, state, kind, k);
    return [paragraph("ac-event", `Event ${k} of ${structure.events.length} · ${kind === "loss" ? structure.name : kind}`),
      el("h3", {}, ...runs(this.view.filled(event.title, k))), paragraph("", ...runs(this.view.filled(event.text, k))),
      ...this.alarms(k), ...(kind === "backward" ? this.rules(node) : []),
      heading("Numbers in and out"), this.numbers(rows), ...this.heats(node, state),
      ...(kind === "backward" || kind === "forward" ? this.saved(node, false) : []),
      heading("Next"), paragraph("", ...runs(event.next))];
  }

  // All that is known of a box that the reader selected.
  looked(index, k) {
    const { structure, tape } = this.view, node = structure.nodes[index], state = tape.node(index, k);
    const rows = [["", node.label || "its result", "v", state.valueAt], ...this.backward(index, state)];
    return [paragraph("ac-event", `Selected · Esc goes back to event ${k}`), el("h3", {}, ...runs(this.name(node))),
      paragraph("", this.about(node, state)), ...this.reason(index), ...this.rules(node), heading("Numbers in and out"), this.numbers(rows),
      ...this.heats(node, state), ...this.saved(node, state.done)];
  }

  numbers(rows) {
    const { tape, tapes } = this.view;
    return tapes.length > 1 ? sideBySide(rows, tapes) : table(rows, tape);
  }

  // Why a parameter gets no gradient.
  reason(index) {
    const parameter = this.view.structure.parameters.find(({ node, reason }) => node === index && reason);
    return parameter ? [paragraph("ac-alarm", parameter.reason)] : [];
  }

  // Whether the first inf or nan is made here, and where it comes from.
  alarms(k) {
    return this.view.tape.firsts().filter(([, at]) => at === k).map(([word, , origin]) => {
      const from = origin ? ` It comes from ${origin.label || `a ${origin.kind}`}, which holds it from the start.` : "";
      return paragraph("ac-alarm", `The first ${word} appears here.${from}`);
    });
  }

  // A box that is looked into, in one sentence after the other.
  sentence(index, k) {
    const { structure, tape } = this.view, node = structure.nodes[index];
    return [words(this.name(node)), this.about(node, tape.node(index, k)), ...node.rules.map(words)].join(". ");
  }

  name(node) {
    if (isOperation(node)) return [["b", node.short], ["q", node.rest]];
    const kinds = { leaf: " · AccumulateGrad, a leaf", frozen: " · frozen" };
    return [["v", node.label || node.kind], ["q", kinds[node.kind] ?? " · no gradient"]];
  }

  about(node, state) {
    const type = [node.shape ? `shape ${sized(node.shape)}` : "", node.dtype].filter(Boolean).join(", ");
    if (node.kind === "constant") return `A constant (${type}): nothing is sent to it.`;
    if (node.kind === "frozen") return `A frozen parameter (${type}): requires_grad=False, so nothing is sent to it.`;
    if (node.kind === "severed") return `An operation (${type}). Its value reaches the loss, but no gradient comes back to it.`;
    if (node.kind === "leaf") return `A leaf (${type}). What arrives is added to its .grad.`;
    const when = state.done ? "It has run back." : state.here ? "It has not run back yet." : "It is not recorded yet.";
    return `An operation; its result is of ${type}. ${when}`;
  }

  rules({ rules }) {
    if (!rules.length) return [];
    const lines = rules.map((rule) => el("div", {}, ...runs(rule)));
    return [heading(rules.length > 1 ? "Its rules" : "Its rule"), el("div", { class: "ac-rule" }, ...lines)];
  }

  forward(index, state, k) {
    const { structure, tape } = this.view, { nodes } = structure;
    const inputs = structure.edges.filter((edge) => edge.consumer === index).map(({ producer }) => {
      const { kind, label, called } = nodes[producer];
      return ["", label || (isOperation({ kind }) ? `from ${called}` : "a constant"), "v", tape.node(producer, k).valueAt];
    });
    return [...inputs, [STRONG, nodes[index].label || "its result", "v", state.valueAt]];
  }

  change(node, state, kind, k) {
    const grad = `${node.label || "leaf"}.grad`, step = kind === "step", name = step ? node.label || "leaf" : grad;
    const read = step ? [["", grad, "g", state.gradientAt]] : [], colour = step ? "v" : "g";
    const came = kind === "accumulate" ? this.arrived(state) : [];
    return [["", `${name} before`, colour, ["before", k - 1]], ...read, ...came, [TOTAL, `${name} after`, colour, ["after", k - 1]]];
  }

  arrived({ arrived }) {
    const { structure, tape } = this.view, { edges, nodes } = structure;
    return arrived.map((e) => {
      const { consumer, slot } = edges[e], several = edges.filter((edge) => edge.consumer === consumer).length > 1;
      return ["", `from ${nodes[consumer].called}${several ? `, input ${slot}` : ""}`, "g", tape.sentAt(e)];
    });
  }

  // What arrived, its sum, and what was sent.
  backward(index, state) {
    const node = this.view.structure.nodes[index], rows = this.arrived(state);
    const sum = node.kind === "leaf" ? ".grad" : node.label ? `Σ sum at ${node.label}` : "Σ sum";
    if (node.kind === "leaf" || (state.gradient && rows.length !== 1)) rows.push([TOTAL, sum, "g", state.gradientAt]);
    return state.done ? [...rows, ...this.sent(index, node, state.gradientAt)] : rows;
  }

  sent(index, node, total) {
    const { structure, tape } = this.view, rows = [];
    structure.edges.forEach((edge, i) => {
      if (edge.consumer !== index || !edge.sent) return;
      const place = tape.sentAt(i), to = structure.nodes[edge.producer], slope = ["slope", place, total];
      if (node.slope && tape.at(slope)) rows.push(["", "× its slope", "v", slope]);
      rows.push([TOTAL, `sent to ${to.kind === "leaf" ? to.label || "a leaf" : to.called}`, "g", place]);
    });
    return rows;
  }

  heats(node, state) {
    const known = [["v", state.value, state.valueAt, node.label || "its result"],
      ["g", state.gradient, state.gradientAt, node.kind === "leaf" ? ".grad" : "gradient"]];
    return known.filter(([, tensor, place]) => tensor && count(tensor) > 3 && (tensor[1] || place[0] !== "sum"))
      .map(([kind, tensor, place, name]) => this.heat(name, kind, tensor, place).box);
  }

  heat(name, kind, tensor, place) {
    const redraw = () => this.update(this.view.k, this.view.selected);
    return new Heat(this.maps, name, kind, tensor, place, redraw);
  }

  saved(node, released) {
    if (!node.saved.length) return [];
    const mark = () => el("svg:svg", { width: 8, height: 10, "aria-hidden": "true" }, el("svg:path", { d: BOOKMARK }));
    const chip = (label) => el("span", { class: `ac-chip${released ? " ac-released" : ""}` }, mark(), ` ${label}`);
    const until = released ? "Released." : "Released as soon as this node is done.";
    return [heading("Saved for this step"), ...node.saved.map(({ label, text }) => paragraph("", chip(label), ` ${text} ${until}`))];
  }
}
