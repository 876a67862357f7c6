// A map of pixels with two logits each. Python sends the numbers; here they are drawn as a table, and read cell by cell.

const ROLES = ["ac-v", "ac-v", "", "ac-g", "ac-g"];       // of the columns: logit, p, onehot, p − onehot, gradient
const OUTPUTS = ["not text", "text"];
const ARROW = 30;                                       // pixels: the length for a p − onehot of 1
const SHAFT = 10, WING = 4;

// Short enough for two numbers in a cell: −.73, 1.2
const brief = (x, digits) => (typeof x === "string" ? number(x)
  : x.toFixed(digits).replace(/^(-?)0\./, "$1.").replace(/^-(?=[.0]*$)/, "").replace("-", "−").replace(/^\.0+$/, "0"));

// The arrow of one gradient: upwards where it is above 0. What is nan or inf is a word.
function arrow(length) {
  if (typeof length === "string") return el("span", { class: "ac-mining-arrow ac-bad" }, number(length));
  const box = el("svg:svg", { class: "ac-mining-arrow", width: SHAFT, height: ARROW, "aria-hidden": "true" });
  if (length === 0) return box;
  const half = (ARROW / 2) * length, tail = ARROW / 2 + half, point = ARROW / 2 - half, middle = SHAFT / 2;
  const wing = Math.sign(length) * Math.min(WING, Math.abs(half));
  const head = `M${middle - WING} ${point + wing}L${middle} ${point}L${middle + WING} ${point + wing}`;
  box.append(el("svg:path", { d: `M${middle} ${tail}V${point}${head}` }));
  return box;
}

class MiningView extends Live {
  constructor(model) {
    super(model, "mining");
    this.at = 0;                                        // the pixel that is read
    this.fields = [];
    this.body = el("tbody");
    this.map = el("table", { class: "ac-mining-map", role: "grid", "aria-label": "Pixels. The arrow keys read them." }, this.body);
    this.said = el("p", { class: "ac-mining-said" });
    this.loss = el("strong");
    this.place = el("caption");
    this.rows = el("tbody");
    const heads = ["", "logit", "p", "onehot", "p − onehot", "gradient"].map((name) => el("th", { scope: "col" }, name));
    const numbers = el("table", { class: "ac-mining-numbers" }, this.place, el("thead", {}, el("tr", {}, ...heads)), this.rows);
    const key = el("ul", { class: "ac-mining-key" }, ...[
      [el("i", { class: "ac-mining-text" }), "labelled text"], [el("i", { class: "ac-mining-none" }), "no gradient"],
      [el("b", { class: "ac-v" }, "1.1"), "above: the two logits, not text and text"],
      [el("b", { class: "ac-g" }, "↑"), "gradient above 0, ↓ below. A step goes the other way."],
      [el("b", { class: "ac-g" }, ".67"), "beneath: p − onehot"],
    ].map(([sign, text]) => el("li", {}, sign, text)));
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
    this.loss.classList.toggle("ac-bad", loss === "nan");
    this.said.replaceChildren(old ? "The run raised an error. Before it: loss " : "loss ", this.loss, `. ${said}.`);
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
    const pair = (name, texts) => el("span", { class: `ac-mining-pair ac-mining-${name}` }, ...texts.map((text) => el("span", {}, text)));
    field.className = `${cell.text ? "ac-mining-text" : ""} ${cell.learns ? "" : "ac-mining-none"}`;
    put(field, "aria-label", `${where}: logits ${cell.logits.map(number).join(", ")}; p − onehot ${cell.off.map(number).join(", ")}; `
      + `gradient ${cell.gradient.map(number).join(", ")}`);
    field.replaceChildren(pair("logits", cell.logits.map((x) => brief(x, 1))), el("span", { class: "ac-mining-pair" }, ...cell.arrows.map(arrow)),
      pair("off", cell.off.map((x) => brief(x, 2))), ...(cell.other === cell.learns ? [] : [el("i", { class: "ac-mining-other" }, cell.other ? "○" : "×")]));
  }

  where(i) {
    const { cells, columns } = this.model.get("drawn"), { text, train, learns, other } = cells[i];
    const state = !train ? "ignored" : learns ? "gets a gradient" : "gets none";
    const tie = other === learns ? "" : `, tied: PyTorch took ${other ? "this one" : "another"}`;
    return `Row ${Math.floor(i / columns)}, column ${i % columns}, ${OUTPUTS[Number(text)]}, ${state}${tie}`;
  }

  read(at) {
    const { cells } = this.model.get("drawn"), cell = cells[at];
    this.fields.forEach((field, i) => { put(field, "tabindex", i === at ? 0 : -1); put(field, "aria-selected", i === at); });
    this.at = at;
    write(this.place, this.where(at));
    const total = (pair) => pair.reduce((sum, x) => sum + real(x), 0);
    const row = (name, texts) => el("tr", {}, el("th", { scope: "row" }, name), ...texts.map((text, i) => el("td", { class: ROLES[i] }, text)));
    const pairs = [cell.logits, cell.p, cell.onehot, cell.off, cell.gradient];
    this.rows.replaceChildren(...OUTPUTS.map((name, k) => row(`${k} ${name}`, pairs.map((pair) => number(pair[k])))),
      row("sum", pairs.map((pair, i) => (i ? number(rounded(total(pair))) : ""))));
  }

  chosen(event) {
    const at = this.fields.indexOf(event.target.closest("td"));
    if (at >= 0) this.read(at);
  }

  key(event) {
    const { columns } = this, row = Math.floor(this.at / columns), column = this.at % columns, last = this.fields.length / columns - 1;
    const to = { ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1], ArrowDown: [row + 1, column], ArrowUp: [row - 1, column],
      Home: [row, 0], End: [row, columns - 1], PageUp: [0, column], PageDown: [last, column] }[event.key];
    if (!to || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const inside = (x, most) => Math.max(0, Math.min(most, x));
    this.fields[inside(to[0], last) * columns + inside(to[1], columns - 1)].focus();
  }
}

// A sum that is 0 but for rounding is said to be 0.
const rounded = (x) => (Math.abs(x) < 1e-12 ? 0 : sendable(x));

export default rendering(MiningView);
