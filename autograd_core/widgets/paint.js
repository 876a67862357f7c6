// A mask painted on a grid, beside what each way of masking makes of it. Python computes; here the reader paints.

const TOOLS = [                                         // key, what it paints, its label, its swatch
  ["M", "mask", "mask: let it learn", "mask"],
  ["E", "erase", "erase", "erase"],
  ["N", "nan", "poison: nan", "poison"],
  ["I", "inf", "poison: inf", "poison"],
  ["L", "log 0", "poison: log 0", "poison"],
];
const MARKS = { clean: "✓", hidden: "!", broken: "✕" };
const OVER_DARK = 0.58, OVER_BOTH = 0.8;                // a darker cell has light text: in the dark theme, in both
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

const dress = (cell, [kind, text, exact, dark]) => {
  const over = dark > OVER_BOTH ? " ac-paint-over" : dark > OVER_DARK ? " ac-paint-between" : "";
  put(cell, "class", `ac-paint-${kind}${over}`);
  put(cell, "style", `--ac-dark: ${Math.round(100 * dark)}%`);
  write(cell, text);
  put(cell, "title", exact);
};

class PaintView extends Live {
  constructor(model) {
    super(model, "paint");
    const { x, cells } = model.get("drawn");
    Object.assign(this, { rows: x.length, columns: x[0].length, first: cells, at: 0, stroke: null });
    this.tools = new Map(TOOLS.map(([key, tool, label, swatch]) => [key, this.button(key, tool, label, swatch)]));
    this.grid = this.table("Input x. The arrow keys move, space paints.", x, (cell, i) => {
      put(cell, "role", "gridcell");
      cell.addEventListener("focus", () => { if (!this.stroke) this.move(i); });
    });
    put(this.grid, "role", "grid");
    const palette = el("div", { class: "ac-paint-tools", role: "radiogroup", "aria-label": "What painting does" },
      ...this.tools.values());
    this.said = el("p", { class: "ac-paint-said", "aria-live": "polite" });
    const empty = this.action("empty the mask", () => this.cells.map(([, poison]) => [false, poison]));
    const again = this.action("start again", () => this.first);
    const hands = el("div", { class: "ac-paint-hands" }, palette,
      el("div", { class: "ac-paint-actions" }, empty, again), this.said);
    this.aside = el("div", { class: "ac-paint-aside" }, el("div", { class: "ac-v" }, "input x: paint here"),
      this.framed(this.grid), hands);
    this.cards = el("div", { class: "ac-paint-cards" });
    this.main.append(this.aside, this.cards);
    this.choose("M");
    this.aside.addEventListener("keydown", (event) => this.key(event));
    for (const [name, heard] of Object.entries({
      pointerdown: (event) => this.press(event), pointermove: (event) => this.drag(event),
      pointerup: () => this.lift(), pointercancel: () => this.lift(),
    })) this.grid.addEventListener(name, heard);
  }

  // ---- tables of cells, each framed by the outline of the mask ----

  table(label, rows, prepare = () => {}) {
    const table = el("table", { "aria-label": label });
    rows.forEach((row, r) => table.append(el("tr", {}, ...row.map((look, c) => {
      const cell = el("td");
      dress(cell, look);
      prepare(cell, r * this.columns + c);
      return cell;
    }))));
    return table;
  }

  framed(table) {
    const line = el("svg:svg", { preserveAspectRatio: "none", "aria-hidden": "true" }, el("svg:path"));
    put(line, "viewBox", `0 0 ${this.columns} ${this.rows}`);
    return el("div", { class: "ac-paint-frame" }, table, line);
  }

  outline() {
    const { rows, columns, cells } = this;
    const masked = (r, c) => r >= 0 && c >= 0 && r < rows && c < columns && cells[r * columns + c][0];
    let sides = "";
    for (let r = 0; r <= rows; r++) {
      for (let c = 0; c <= columns; c++) {
        if (masked(r, c) !== masked(r - 1, c)) sides += `M${c} ${r}h1`;
        if (masked(r, c) !== masked(r, c - 1)) sides += `M${c} ${r}v1`;
      }
    }
    for (const path of this.main.querySelectorAll(".ac-paint-frame path")) put(path, "d", sides);
  }

  // ---- what Python sent ----

  draw() {
    const { cells, cards } = this.model.get("drawn");
    this.cards.replaceChildren(...cards.map((card) => this.card(card)));
    if (!this.controls.busy) this.cells = cells.map((cell) => [...cell]);        // else the reader is ahead of Python
    this.show();
  }

  card({ way, losses, gradients, numbers, added, mark, verdict }) {
    const map = (name, role, rows, ...below) => el("div", { class: `ac-paint-map ac-paint-${role}` },
      el("div", { "aria-hidden": "true" }, name), this.framed(this.table(`${way}: ${name}`, rows)), ...below);
    const sum = el("div", { class: "ac-paint-added" }, added);
    const list = numbers.map(([name, text, role]) => el("div", {}, el("dt", {}, name),
      el("dd", { class: `ac-paint-${role}` }, text)));
    return el("section", { class: `ac-paint-card ac-paint-${mark}`, "aria-label": way },
      el("h4", {}, el("span", { class: "ac-paint-mark", "aria-hidden": "true" }, MARKS[mark]), el("code", {}, way)),
      el("div", { class: "ac-paint-row" }, map("loss of each cell", "value", losses, sum),
        map("gradient, ∂ loss / ∂ x", "gradient", gradients), el("dl", {}, ...list)),
      el("p", { class: "ac-paint-verdict" }, verdict));
  }

  show() {
    const { x } = this.model.get("drawn");
    this.cells.forEach(([masked, poison], i) => {
      const cell = this.cell(i);
      dress(cell, poison ? ["bad", poison, poison, 1] : x[Math.floor(i / this.columns)][i % this.columns]);
      put(cell, "aria-selected", masked);
      put(cell, "aria-label", this.sentence(i));
      put(cell, "tabindex", i === this.at ? 0 : -1);
    });
    write(this.said, this.sentence(this.at));
    this.outline();
  }

  sentence(i) {
    const [masked, poison] = this.cells[i], row = Math.floor(i / this.columns), column = i % this.columns;
    const value = poison ? `poisoned: ${poison}` : `x = ${this.model.get("drawn").x[row][column][2]}`;
    return `Row ${row}, column ${column}: ${value}, ${masked ? "in the mask" : "outside the mask"}.`;
  }

  cell(i) { return this.grid.rows[Math.floor(i / this.columns)].cells[i % this.columns]; }

  // ---- painting ----

  button(key, tool, label, swatch) {
    const button = el("button", { type: "button", role: "radio", class: "ac-button ac-paint-tool", "data-tool": tool },
      el("i", { class: `ac-paint-swatch ac-paint-swatch-${swatch}` }), el("span", {}, label), el("kbd", {}, key));
    button.addEventListener("click", () => this.choose(key));
    return button;
  }

  action(label, cells) {
    const button = el("button", { type: "button", class: "ac-button" }, label);
    button.addEventListener("click", () => { this.cells = cells().map((cell) => [...cell]); this.painted(); });
    return button;
  }

  choose(key) {
    for (const [each, button] of this.tools) {
      put(button, "aria-checked", each === key);
      put(button, "tabindex", each === key ? 0 : -1);
    }
    this.tool = this.tools.get(key).dataset.tool;
  }

  // What a stroke that begins at cell `i` puts into every cell that it meets: what is there already is taken away.
  brush(i) {
    const [masked, poison] = this.cells[i], { tool } = this;
    if (tool === "erase") return () => [false, ""];
    if (tool === "mask") return ([, kept]) => [!masked, kept];
    return ([kept]) => [kept, poison === tool ? "" : tool];
  }

  paint(i, brush) {
    const after = brush(this.cells[i]);
    if (String(after) === String(this.cells[i])) return;
    this.cells[i] = after;
    this.painted();
  }

  painted() {
    this.show();
    this.ask("cells", this.cells.map((cell) => [...cell]));
  }

  under(event) {
    const { left, top, width, height } = this.grid.getBoundingClientRect();
    const within = (share, size) => Math.max(0, Math.min(size - 1, Math.floor(share * size)));
    const row = within((event.clientY - top) / height, this.rows);
    return row * this.columns + within((event.clientX - left) / width, this.columns);
  }

  press(event) {
    if (event.button) return;
    event.preventDefault();
    this.grid.setPointerCapture(event.pointerId);
    const i = this.under(event);
    this.stroke = this.brush(i);
    this.paint(i, this.stroke);
    this.move(i);
  }

  drag(event) {
    if (!this.stroke) return;
    const met = event.getCoalescedEvents?.() ?? [];
    for (const each of met.length ? met : [event]) this.paint(this.under(each), this.stroke);
    this.move(this.under(event));
  }

  lift() { this.stroke = null; }

  move(i) {
    put(this.cell(this.at), "tabindex", -1);
    this.at = i;
    put(this.cell(i), "tabindex", 0);
    if (document.activeElement !== this.cell(i)) this.cell(i).focus({ preventScroll: true });
    write(this.said, this.sentence(i));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key, target } = event, letter = key.toUpperCase(), arrow = ARROWS[key];
    if (this.tools.has(letter)) this.choose(letter);
    else if (arrow && this.grid.contains(target)) this.step(arrow);
    else if (arrow && target.dataset.tool) this.turn(arrow[0] + arrow[1]);
    else if ((key === " " || key === "Enter") && this.grid.contains(target)) this.paint(this.at, this.brush(this.at));
    else return;
    event.preventDefault();
  }

  step([down, right]) {
    const inside = (i, size) => Math.max(0, Math.min(size - 1, i));
    const row = inside(Math.floor(this.at / this.columns) + down, this.rows);
    this.move(row * this.columns + inside((this.at % this.columns) + right, this.columns));
  }

  turn(by) {
    const keys = [...this.tools.keys()], now = keys.findIndex((key) => this.tools.get(key).dataset.tool === this.tool);
    const key = keys[(now + by + keys.length) % keys.length];
    this.choose(key);
    this.tools.get(key).focus();
  }
}

export default rendering(PaintView);
