// The panel: what one box did, in words and numbers.
// A row of its table is [style, label, cells], a cell is [kind, text]: "v" a value, "g" a gradient.

const STRONG = "ac-strong", TOTAL = "ac-strong ac-rule-above";

function table(rows) {
  const width = Math.max(...rows.map(([, , cells]) => cells.length));
  const padded = (cells) => [...Array(width - cells.length).fill(["v", ""]), ...cells];
  const places = width > 1 ? [...Array(width).keys()].map((i) => el("th", { scope: "col" }, `[${i}]`)) : [];
  const line = ([style, label, cells]) => el("tr", { class: style }, el("th", { scope: "row" }, label),
    ...padded(cells).map(([kind, text]) => el("td", { class: `ac-${kind}` }, text)));
  const head = places.length ? [el("thead", {}, el("tr", {}, el("td"), ...places))] : [];
  return el("table", {}, ...head, el("tbody", {}, ...rows.map(line)));
}

// A tensor of more than three numbers, in full.
function grid(tensor, kind, name) {
  const [shape, values] = tensor, columns = shape.at(-1), lines = [];
  for (let i = 0; i < values.length; i += columns) {
    const cells = values.slice(i, i + columns).map((x) => el("td", { class: `ac-${kind}` }, number(x)));
    lines.push(el("tr", {}, ...cells));
  }
  const caption = el("caption", {}, `${name}, ${sized(shape)}`);
  return el("div", { class: "ac-grid" }, el("table", {}, caption, el("tbody", {}, ...lines)));
}

function cells(tensor, kind) {
  if (!tensor) return [[kind, "None"]];
  if (count(tensor) > 3) return [[kind, kind === "v" ? sized(tensor[0]) : `norm ${number(tensor[2])}`]];
  return tensor[1].map((x) => [typeof x === "string" ? "bad" : kind, number(x)]);
}

const heading = (text) => el("h4", {}, text);
const paragraph = (style, ...content) => el("p", { class: style }, ...content);

class Panel {
  constructor(view) {
    this.view = view;
    this.box = el("div", { class: "ac-panel", role: "region", tabindex: "0", "aria-label": "Details" });
  }

  update(k, selected) {
    const event = k ? this.view.structure.events[k - 1] : null, index = selected ?? event?.node ?? null;
    this.box.setAttribute("aria-live", this.view.playing || this.view.live ? "off" : "polite");
    if (index === null) this.box.replaceChildren(...this.idle());
    else if (index === event?.node) this.box.replaceChildren(...this.happening(index, event, k));
    else this.box.replaceChildren(...this.looked(index, k));
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
        : kind === "loss" ? [[STRONG, node.label || "its result", cells(state.value, "v")]]
          : this.change(node, state, kind, k);
    return [paragraph("ac-event", `Event ${k} of ${structure.events.length} · ${kind === "loss" ? structure.name : kind}`),
      el("h3", {}, ...runs(this.view.filled(event.title, k))), paragraph("", ...runs(event.text)),
      ...(kind === "backward" ? this.rules(node) : []),
      heading("Numbers in and out"), table(rows), ...this.grids(node, state),
      ...(kind === "backward" || kind === "forward" ? this.saved(node, false) : []),
      heading("Next"), paragraph("", ...runs(event.next))];
  }

  // All that is known of a box that the reader selected.
  looked(index, k) {
    const { structure, tape } = this.view, node = structure.nodes[index], state = tape.node(index, k);
    const rows = [["", node.label || "its result", cells(state.value, "v")], ...this.backward(index, state)];
    return [paragraph("ac-event", `Selected · Esc goes back to event ${k}`), el("h3", {}, ...runs(this.name(node))),
      paragraph("", this.about(node, state)), ...this.rules(node), heading("Numbers in and out"), table(rows),
      ...this.grids(node, state), ...this.saved(node, state.done)];
  }

  name(node) {
    if (node.kind === "operation") return [["b", node.short], ["q", node.rest]];
    return [["v", node.label || "constant"], ["q", node.kind === "leaf" ? " · AccumulateGrad, a leaf" : " · no gradient"]];
  }

  about(node, state) {
    const type = [node.shape ? `shape ${sized(node.shape)}` : "", node.dtype].filter(Boolean).join(", ");
    if (node.kind === "constant") return `A constant (${type}): nothing is sent to it.`;
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
      return ["", label || (kind === "operation" ? `from ${called}` : "a constant"), cells(tape.node(producer, k).value, "v")];
    });
    return [...inputs, [STRONG, nodes[index].label || "its result", cells(state.value, "v")]];
  }

  change(node, state, kind, k) {
    const grad = `${node.label || "leaf"}.grad`, step = kind === "step", name = step ? node.label || "leaf" : grad;
    const [before, after] = this.view.tape.numbers.events[k - 1].slice(0, 2).map((tensor) => cells(tensor, step ? "v" : "g"));
    const read = step ? [["", grad, cells(state.gradient, "g")]] : [];
    return [["", `${name} before`, before], ...read, [STRONG, `${name} after`, after]];
  }

  // What arrived, its sum, and what was sent.
  backward(index, state) {
    const { structure, tape } = this.view, node = structure.nodes[index], { edges, nodes } = structure;
    const rows = state.arrived.map((e) => {
      const { consumer, slot } = edges[e], several = edges.filter((edge) => edge.consumer === consumer).length > 1;
      return ["", `from ${nodes[consumer].called}${several ? `, input ${slot}` : ""}`, cells(tape.sent(e), "g")];
    });
    const sum = node.kind === "leaf" ? ".grad" : node.label ? `Σ sum at ${node.label}` : "Σ sum";
    if (node.kind === "leaf" || (state.gradient && rows.length !== 1)) rows.push([TOTAL, sum, cells(state.gradient, "g")]);
    return state.done ? [...rows, ...this.sent(index, node, state.gradient)] : rows;
  }

  sent(index, node, total) {
    const { structure, tape } = this.view, rows = [];
    structure.edges.forEach((edge, i) => {
      if (edge.consumer !== index || !edge.sent) return;
      const tensor = tape.sent(i), to = structure.nodes[edge.producer];
      const slope = node.slope ? quotient(tensor, total) : null;
      if (slope) rows.push(["", "× its slope", slope.map((x) => ["v", number(x)])]);
      rows.push([TOTAL, `sent to ${to.kind === "leaf" ? to.label || "a leaf" : to.called}`, cells(tensor, "g")]);
    });
    return rows;
  }

  grids(node, state) {
    const gradient = node.kind === "leaf" ? ".grad" : "gradient";
    const known = [[state.value, "v", node.label || "its result"], [state.gradient, "g", gradient]];
    return known.filter(([tensor]) => tensor?.[1] && count(tensor) > 3).map((each) => grid(...each));
  }

  saved(node, released) {
    if (!node.saved.length) return [];
    const mark = () => el("svg:svg", { width: 8, height: 10, "aria-hidden": "true" }, el("svg:path", { d: BOOKMARK }));
    const chip = (label) => el("span", { class: `ac-chip${released ? " ac-released" : ""}` }, mark(), ` ${label}`);
    const until = released ? "Released." : "Released as soon as this node is done.";
    return [heading("Saved for this step"), ...node.saved.map(({ label, text }) => paragraph("", chip(label), ` ${text} ${until}`))];
  }
}

// Element by element, where that says what the slope was: three numbers at most, and nowhere 0/0.
function quotient([, sent], total) {
  if (!sent || sent.length > 3 || total?.[1]?.length !== sent.length) return null;
  return total[1].every((x) => typeof x === "number" && x !== 0) ? sent.map((x, i) => x / total[1][i]) : null;
}
