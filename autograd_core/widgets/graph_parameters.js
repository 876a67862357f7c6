// Every parameter with its gradient's norm as a bar on a log scale; where there is none, the reason, and how the path ends.

const DECADES = 6;                               // that the scale shows at most
const SHORTEST = 0.1;                            // decades, of the shortest bar

class Parameters {
  constructor(view, structure) {
    Object.assign(this, { view, structure, order: 0, chosen: null, marked: null });
    const { parameters, leaves } = structure, reached = parameters.filter((each) => !each.reason).length;
    this.orders = [leaves ? "in order of use" : "in model order", "by norm"];
    this.sorter = el("button", { type: "button", class: "ac-text-button" });
    this.sorter.addEventListener("click", () => this.turn());
    this.axis = el("div", { class: "ac-axis", "aria-hidden": "true" });
    this.rows = parameters.map((parameter, i) => this.row(parameter, i));
    this.list = el("tbody", {}, ...this.rows.map(({ line }) => line));
    this.card = el("div", { class: "ac-card-box", hidden: "" });
    const heads = ["name", "shape", "size", "norm of .grad"].map((text, i) => {
      const axis = i === 2 ? [this.axis] : [];
      return el("th", { scope: "col" }, el("span", { class: "ac-hidden" }, text), ...axis);
    });
    const table = el("table", { class: "ac-parameters" }, el("thead", {}, el("tr", {}, ...heads)), this.list);
    const title = el("h3", {}, leaves ? "Leaves" : "Parameters");
    const count = el("span", { class: "ac-q" }, `${reached} of ${parameters.length} get a gradient`);
    this.box = el("div", {}, el("div", { class: "ac-parameters-head" }, title, count, this.sorter), table,
      paragraph("ac-caption-line", "Bars: norm of ", el("code", {}, ".grad"), " after this event, log scale."), this.card);
    this.list.addEventListener("keydown", (event) => this.key(event));
    this.turn(0);
    this.explain(this.rows.find(({ parameter }) => parameter.reason) ?? null);
  }

  has(node) { return this.rows.some(({ parameter }) => parameter.node === node); }

  row(parameter, i) {
    const { name, whole, shape, reason, short } = parameter, before = this.structure.parameters[i - 1]?.name;
    const group = (path) => path.split(".").slice(0, -1).join(".");
    const pick = el("button", { type: "button", class: "ac-pick", tabindex: i ? -1 : 0, title: whole }, ...broken(name));
    const bar = el("span", { class: "ac-norm" }), text = el("td", { class: "ac-g" });
    const rest = reason ? [el("td", { class: "ac-reason", colspan: 2, title: reason }, short)]
      : [el("td", { "aria-hidden": "true" }, bar), text];
    const line = el("tr", { class: reason ? "ac-cut-row" : "" }, el("th", { scope: "row" }, pick),
      el("td", { class: "ac-q" }, sized(shape)), ...rest);
    line.classList.toggle("ac-rule-above", i > 0 && group(before) !== group(name));
    const row = { parameter, line, pick, bar, text, norm: null };
    line.addEventListener("click", () => this.pick(row));
    return row;
  }

  pick(row) {
    this.explain(row.parameter.reason ? row : null);
    this.mark(row);
    if (row.parameter.node !== null) this.view.find(row.parameter.node);
  }

  // One row is marked, and is where the keyboard comes in.
  mark(row) {
    if (this.marked === row) return;
    this.marked = row;
    for (const each of this.rows) {
      put(each.line, "aria-current", each === row);
      each.pick.tabIndex = each === (row ?? this.rows[0]) ? 0 : -1;
    }
    row?.line.scrollIntoView({ block: "nearest" });
  }

  key(event) {
    const shown = [...this.list.querySelectorAll(".ac-pick")], at = shown.indexOf(event.target);
    const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: shown.length - 1 }[event.key];
    if (to === undefined || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    shown[Math.min(shown.length - 1, Math.max(0, to))].focus();
  }

  turn(order = 1 - this.order) {
    this.order = order;
    write(this.sorter, `${this.orders[order]} ▾`);
    this.sorter.setAttribute("aria-label", `Listed ${this.orders[order]}. Change the order`);
    this.sort();
  }

  sort() {
    const rows = [...this.rows], size = ({ norm }) => (Number.isFinite(norm) ? norm : norm === null ? -1 : Infinity);
    if (this.order) rows.sort((a, b) => size(b) - size(a));
    if (rows.every(({ line }, i) => line === this.list.children[i])) return;
    const held = document.activeElement;
    this.list.replaceChildren(...rows.map(({ line }) => line));
    if (this.list.contains(held)) held.focus({ preventScroll: true });
  }

  // The scale reaches over every norm that the events write, so that bars can be compared from one event to the next.
  renumber() {
    const { tape } = this.view, norms = this.rows.flatMap(({ parameter: { node } }) => (node === null ? [] : tape.norms(node)));
    const powers = norms.filter((norm) => norm > 0 && norm < Infinity).map(Math.log10);
    this.high = powers.length ? Math.max(...powers) : 0;
    this.low = Math.max(Math.floor(this.high) - DECADES, Math.floor(Math.min(this.high, ...powers) - SHORTEST));
    const span = this.high - this.low, ticks = Array.from({ length: Math.floor(span) + 1 }, (_, i) => this.low + i);
    const every = Math.ceil(ticks.length / (ticks.length > 4 ? 2 : 3));             // long numbers stand far apart
    this.axis.replaceChildren(...ticks.filter((_, i) => i % every === 0).map((power) => {
      const place = { class: "ac-tick", style: `left: ${(100 * (power - this.low)) / span}%` };
      return el("span", place, number(10 ** power));
    }));
  }

  update(k, selected) {
    const { tape } = this.view;
    for (const row of this.rows) {
      if (row.parameter.reason) continue;
      const state = row.parameter.node === null ? null : tape.node(row.parameter.node, k), gradient = state?.gradient ?? null;
      row.norm = gradient ? real(gradient[2]) : null;
      const text = gradient ? number(gradient[2]) : "None", part = (Math.log10(row.norm) - this.low) / (this.high - this.low);
      write(row.text, text);
      put(row.text, "class", gradient === null ? "ac-q" : finite(gradient) ? "ac-g" : "ac-bad");
      put(row.bar, "style", `width: ${row.norm > 0 ? Math.max(1.5, Math.min(100, 100 * part)).toFixed(1) : 0}%`);
    }
    this.sort();
    const row = this.rows.find(({ parameter }) => selected !== null && parameter.node === selected);
    if (row?.parameter.reason) this.explain(row);
    if (row || selected !== null) this.mark(row ?? null);
  }

  // The card below the list: why this parameter gets no gradient.
  explain(row) {
    this.card.hidden = row === null;
    if (row === null) return;
    const { name, reason, path, cut, source } = row.parameter, last = path.length - 1;
    const word = (text) => text.split(/(?<=.)(?=Backward\d*$)/).map((part, i) => el("span", { class: i ? "ac-q" : "" }, part));
    const steps = path.flatMap((text, i) => [...(i ? [" → "] : []), ...(i === last ? [el("span", { class: "ac-bad" }, text)] : word(text))]);
    const at = cut ? source.indexOf(cut) : -1;
    const code = at < 0 ? [source] : [source.slice(0, at), el("b", { class: "ac-bad" }, cut), source.slice(at + cut.length)];
    this.card.replaceChildren(el("h4", {}, `${name} gets no gradient`), ...(last > 0 ? [paragraph("", ...steps)] : []),
      paragraph("", `${reason} No step can train it.`), ...(source ? [el("code", {}, ...code)] : []));
  }
}
