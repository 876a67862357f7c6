// The panel: what one box did, in words and numbers.

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
