// A map of pixels with two logits each. Python sends the numbers; here they are a table, which is read cell by cell.

const COLUMNS = [                                       // of the panel: heading, what of a cell, its colour
  ["logit", "logits", "v"], ["p", "p", "v"], ["onehot", "onehot", "q"], ["p − onehot", "off", "g"],
  ["gradient", "gradient", "g"],
];
const OUTPUTS = ["not text", "text"];
const ARROW = 30;                                       // pixels: the length for a p − onehot of 1
const SHAFT = 10, WING = 4;

// Short enough for two numbers in a cell: −.73, 1.2
function brief(x, digits) {
  if (typeof x === "string") return number(x);
  const text = Math.abs(x).toFixed(digits);
  if (Number(text) === 0) return "0";
  return (x < 0 ? "−" : "") + text.replace(/^0\./, ".");
}

// The arrow of one gradient: upwards where it is above 0. What is nan or inf is a word.
function arrow(length) {
  if (typeof length === "string") return el("span", { class: "ac-mining-arrow ac-bad" }, number(length));
  const box = el("svg:svg", { class: "ac-mining-arrow", width: SHAFT, height: ARROW, "aria-hidden": "true" });
  if (length === 0) return box;
  const half = (ARROW / 2) * length, tail = ARROW / 2 + half, point = ARROW / 2 - half, middle = SHAFT / 2;
  const wide = Math.min(WING, Math.abs(half)), wing = Math.sign(length) * wide;
  const head = `M${middle - wide} ${point + wing}L${middle} ${point}L${middle + wide} ${point + wing}`;
  box.append(el("svg:path", { d: `M${middle} ${tail}V${point}${head}` }));
  return box;
}

class MiningView extends Live {
  constructor(model) {
    super(model, "mining");
    this.at = 0;                                        // the pixel that is read
    this.fields = [];
    this.body = el("tbody");
    const label = "Pixels. The arrow keys read them.";
    this.map = el("table", { class: "ac-mining-map", role: "grid", "aria-label": label }, this.body);
    this.said = el("p", { class: "ac-mining-said" });
    this.loss = el("strong");
    this.place = el("caption");
    this.rows = el("tbody");
    const heads = el("tr", {}, el("td"), ...COLUMNS.map(([name]) => el("th", { scope: "col" }, name)));
    const numbers = el("table", { class: "ac-mining-numbers" }, this.place, el("thead", {}, heads), this.rows);
    this.tied = el("li", {}, el("b", {}, "× ○"), "tied: PyTorch left out ×, and took ○");
    const key = el("ul", { class: "ac-mining-key" }, ...[
      [el("i", { class: "ac-mining-text" }), "labelled text"], [el("i", { class: "ac-mining-none" }), "no gradient"],
      [el("b", { class: "ac-v" }, "1.1"), "above: the two logits, not text and text"],
      [el("b", { class: "ac-g" }, "↑"), "gradient above 0, ↓ below. A step goes the other way."],
      [el("b", { class: "ac-g" }, ".67"), "beneath: p − onehot"],
    ].map(([sign, text]) => el("li", {}, sign, text)), this.tied);
    this.panel = el("div", { class: "ac-mining-panel" }, this.said, numbers, key);
    this.main.append(this.map, this.panel);
    this.map.addEventListener("keydown", (event) => this.key(event));
    for (const kind of ["click", "focusin"]) this.map.addEventListener(kind, (event) => this.chosen(event));
  }

  draw() {
    const { cells, columns, said, loss, old } = this.model.get("drawn");
    if (this.fields.length !== cells.length || this.columns !== columns) this.build(cells.length, columns);
    cells.forEach((cell, i) => this.fill(this.fields[i], cell, this.where(i)));
    this.main.classList.toggle("ac-mining-old", old);
    write(this.loss, loss);
    this.loss.classList.toggle("ac-bad", /nan|inf/.test(loss));
    this.said.replaceChildren(old ? "The run raised an error. Before it: loss " : "loss ", this.loss, `. ${said}.`);
    this.tied.hidden = cells.every((cell) => cell.other === cell.learns);
    this.read(this.at);
  }

  build(count, columns) {
    this.columns = columns;
    this.fields = Array.from({ length: count }, () => el("td", { role: "gridcell", tabindex: -1 }));
    this.at = Math.min(this.at, count - 1);
    const rows = Array.from({ length: count / columns }, (_, r) => this.fields.slice(r * columns, (r + 1) * columns));
    this.body.replaceChildren(...rows.map((fields) => el("tr", { role: "row" }, ...fields)));
  }

  fill(field, cell, where) {
    const words = COLUMNS.map(([name, what]) => `${name} ${cell[what].map(number).join(", ")}`);
    put(field, "aria-label", `${where}: ${words.join("; ")}`);
    field.className = `${cell.text ? "ac-mining-text" : ""} ${cell.learns ? "" : "ac-mining-none"}`;
    const pair = (name, parts) => el("span", { class: `ac-mining-pair ac-mining-${name}` }, ...parts);
    const numbers = (what, digits) => pair(what, cell[what].map((x) => el("span", {}, brief(x, digits))));
    field.replaceChildren(numbers("logits", 1), pair("arrows", cell.arrows.map(arrow)), numbers("off", 2));
    if (cell.other !== cell.learns) field.append(el("i", { class: "ac-mining-other" }, cell.other ? "○" : "×"));
  }

  where(i) {
    const { cells, columns } = this.model.get("drawn"), { text, train, learns, other } = cells[i];
    const state = !train ? "ignored" : learns ? "gets a gradient" : "gets none";
    const tie = other === learns ? "" : `, tied: PyTorch took ${other ? "this one" : "another"}`;
    return `Row ${Math.floor(i / columns)}, column ${i % columns}, ${OUTPUTS[Number(text)]}, ${state}${tie}`;
  }

  read(at) {
    const { cells } = this.model.get("drawn"), cell = cells[at];
    this.fields.forEach((field, i) => {
      put(field, "tabindex", i === at ? 0 : -1);
      put(field, "aria-selected", i === at);
    });
    this.at = at;
    write(this.place, this.where(at));
    const row = (name, text) => el("tr", {}, el("th", { scope: "row" }, name),
      ...COLUMNS.map(([, what, role]) => el("td", { class: `ac-${role}` }, text(what))));
    const outputs = OUTPUTS.map((name, k) => row(`${k} ${name}`, (what) => number(cell[what][k])));
    this.rows.replaceChildren(...outputs, row("sum", (what) => (what === "logits" ? "" : number(total(cell[what])))));
  }

  chosen(event) {
    const at = this.fields.indexOf(event.target.closest("td"));
    if (at >= 0) this.read(at);
  }

  key(event) {
    const { columns } = this, row = Math.floor(this.at / columns), column = this.at % columns;
    const last = this.fields.length / columns - 1;
    const to = {
      ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1],
      ArrowDown: [row + 1, column], ArrowUp: [row - 1, column],
      Home: [row, 0], End: [row, columns - 1], PageUp: [0, column], PageDown: [last, column],
    }[event.key];
    if (!to || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const inside = (x, most) => Math.max(0, Math.min(most, x));
    this.fields[inside(to[0], last) * columns + inside(to[1], columns - 1)].focus();
  }
}

// Of two numbers; what is 0 but for rounding is said to be 0.
function total([a, b]) {
  const added = real(a) + real(b);
  return Math.abs(added) < 1e-12 ? 0 : sendable(added);
}

export default rendering(MiningView);
