// Tensors of more than three numbers as maps. The larger a number, the darker its cell; on request two hues tell the sign.
// What was not sent in full is asked of the kernel as a plane of at most 64 × 64 cells (tensors.py says how).

const MAP_WIDTH = 300, MAP_HEIGHT = 240, LARGEST_CELL = 24;     // CSS pixels
const WIDEST_ROW = 32;                           // of a tensor with one axis
const WIDEST_TABLE = 6;                          // up to so many columns the numbers stand in their cells: the panel is narrow
const STRIPE = 6;                                // pixels; a cell smaller than that has no room for stripes

const share = (x) => (x === 0 ? "none" : x < 0.001 ? "below 0.1%" : `${Number((100 * x).toFixed(1))}%`);
const spoken = (x) => String(sendable(x)).replace("-", "−");

// The plane of a tensor that was sent in full, told as the kernel tells one.
function planeOf([shape, values], plane) {
  const all = values.map(real), known = all.filter(Number.isFinite), lead = [];
  const [rows, columns] = shape.length > 1 ? shape.slice(-2)
    : [Math.ceil(all.length / WIDEST_ROW), Math.min(all.length, WIDEST_ROW)];
  const planes = shape.length > 1 ? all.length / (rows * columns) : 1;
  shape.slice(0, -2).reduceRight((rest, size) => { lead.unshift(rest % size); return Math.floor(rest / size); }, plane);
  return {
    rows, columns, lead, planes, block: [1, 1], cells: all.slice(plane * rows * columns, (plane + 1) * rows * columns),
    low: known.length ? Math.min(...known) : NaN, high: known.length ? Math.max(...known) : NaN,
    zeros: all.filter((x) => x === 0).length / all.length, nans: all.filter(Number.isNaN).length / all.length,
  };
}

// The maps that the kernel sent for the numbers that are shown, and what the reader chose for all of them.
class Maps {
  constructor(view) {
    Object.assign(this, { view, known: new Map(), latest: new Map(), waiting: new Set(), planes: new Map(), signed: false });
  }

  // Of another graph nothing is known.
  clear() {
    this.forget();
    this.latest.clear();
    this.planes.clear();
  }

  forget() {
    this.known.clear();
    this.waiting.clear();
  }

  plane(place) { return this.planes.get(String(place)) ?? 0; }

  // The map of the tensor at `place`. While the kernel is asked for it, the last one that was there, or null.
  get(tensor, place) {
    if (tensor[1]) return planeOf(tensor, this.plane(place));
    const question = { kind: "map", engine: this.view.engine, place, plane: this.plane(place) }, key = JSON.stringify(question);
    if (!this.known.has(key) && !this.waiting.has(key)) {
      this.waiting.add(key);
      this.view.model.send(question);
    }
    return this.known.get(key) ?? this.latest.get(String(place)) ?? null;
  }

  answered({ kind, engine, place, plane, ...told }, [cells]) {
    const key = JSON.stringify({ kind, engine, place, plane });
    const bytes = cells && (cells.buffer ? cells.buffer.slice(cells.byteOffset, cells.byteOffset + cells.byteLength) : cells);
    const finished = { ...told, low: real(told.low ?? "nan"), high: real(told.high ?? "nan") };
    this.waiting.delete(key);
    this.known.set(key, told.error ? told : { ...finished, cells: [...new Float64Array(bytes)] });
    this.latest.set(String(place), this.known.get(key));
  }
}

// One tensor: its statistics, its map, and the cell under the pointer or the cursor.
class Heat {
  constructor(maps, name, kind, tensor, place, redraw) {
    Object.assign(this, { maps, name, kind, tensor, shape: tensor[0], place, redraw, cursor: null });
    this.map = maps.get(tensor, place);
    this.said = el("output", { class: "ac-cell", "aria-live": "polite" });
    const caption = el("div", { class: "ac-heat-name" }, el("span", { class: `ac-${kind}` }, name), ` ${sized(this.shape)}`);
    this.box = el("div", { class: "ac-heat" }, caption, ...this.content());
  }

  content() {
    const { map, tensor } = this, key = String(this.place);
    if (!map) return [this.facts([["norm", number(tensor[2])]]), paragraph("ac-waiting", "Its map is drawn while a kernel runs.")];
    if (map.error) return [this.facts([["norm", number(tensor[2])]]), paragraph("ac-bad", map.error)];
    const extent = [["min", number(sendable(map.low))], ["max", number(sendable(map.high))]];
    const shares = [["zeros", share(map.zeros)], ["nan", share(map.nans)]];
    const plane = map.planes > 1 ? [this.slider(map, key)] : [];
    const drawn = map.columns <= WIDEST_TABLE && map.cells.length <= 64 ? this.table() : this.canvas();
    return [this.facts([["norm", number(tensor[2])], ...extent, ...shares]), ...plane, drawn, this.foot()];
  }

  facts(list) {
    return el("dl", { class: "ac-facts" }, ...list.map(([name, text]) => {
      const wrong = text === "nan" || text.endsWith("inf") || (name === "nan" && text !== "none");
      return el("div", {}, el("dt", {}, name), el("dd", wrong ? { class: "ac-bad" } : {}, text));
    }));
  }

  slider({ planes, lead }, key) {
    const text = `[${lead.join(", ")}, :, :]`;
    const input = el("input", { type: "range", min: 0, max: planes - 1, value: this.maps.plane(this.place),
      "aria-label": `Plane of ${this.name}`, "aria-valuetext": text, "data-key": `plane ${key}` });
    input.addEventListener("input", () => { this.maps.planes.set(key, Number(input.value)); this.redraw(); });
    return el("label", { class: "ac-plane" }, input, el("code", {}, text));
  }

  foot() {
    const { block } = this.map, whole = block[0] * block[1] === 1;
    const sign = el("button", { type: "button", class: "ac-text-button", "aria-pressed": this.maps.signed,
      "data-key": `sign ${this.place}` }, "show sign");
    sign.addEventListener("click", () => { this.maps.signed = !this.maps.signed; this.redraw(); });
    write(this.said, whole ? "" : `A cell is the largest of ${block[0]}×${block[1]}.`);
    this.rest = this.said.textContent;
    return el("div", { class: "ac-heat-foot" }, this.said, sign);
  }

  // How dark a number is, from 0 to 1, and in which hue.
  tone(x) {
    const largest = Math.max(Math.abs(this.map.low), Math.abs(this.map.high)) || 1;
    const hue = this.maps.signed && x < 0 ? (this.kind === "v" ? "negative-value" : "negative-gradient")
      : this.kind === "v" ? "value" : "gradient-solid";
    return [Math.min(1, Math.abs(x) / largest), hue];
  }

  // ---- few numbers: each stands in its cell ----

  table() {
    const { rows, columns, cells } = this.map;
    const line = (r) => el("tr", {}, ...cells.slice(r * columns, (r + 1) * columns).map((x) => {
      const text = number(sendable(x));
      if (!Number.isFinite(x)) return el("td", { class: "ac-striped" }, text);
      const [dark, hue] = this.tone(x), style = `--ac-dark: ${Math.round(100 * dark)}%; --ac-hue: var(--ac-${hue})`;
      return el("td", { style, class: dark > 0.55 ? "ac-over" : "" }, text);
    }));
    const caption = el("caption", { class: "ac-hidden" }, `${this.name}, ${sized(this.shape)}`);
    return el("table", { class: "ac-heat-table" }, caption, el("tbody", {}, ...Array.from({ length: rows }, (_, r) => line(r))));
  }

  // ---- many: a picture, which a pointer and the arrow keys read ----

  canvas() {
    const { rows, columns } = this.map;
    this.size = Math.max(2, Math.floor(Math.min(LARGEST_CELL, MAP_WIDTH / columns, MAP_HEIGHT / rows)));
    const [width, height] = [columns * this.size, rows * this.size];
    const key = { "data-key": `map ${this.place}`, tabindex: "0", role: "img" };
    const label = `Map of ${this.name}, ${rows} rows and ${columns} columns. The arrow keys read its cells.`;
    this.paper = el("canvas", { ...key, width, height, "aria-label": label });
    this.paper.addEventListener("pointermove", (event) => {
      const row = Math.floor(event.offsetY / this.size), column = Math.floor(event.offsetX / this.size);
      this.point(row, column);
    });
    this.paper.addEventListener("pointerleave", () => this.point(null));
    this.paper.addEventListener("keydown", (event) => this.key(event));
    requestAnimationFrame(() => this.paint());
    return this.paper;
  }

  key(event) {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }, move = moves[event.key];
    if (!move || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const [row, column] = this.cursor ?? [0, 0], by = this.cursor ? move : [0, 0], { rows, columns } = this.map;
    this.point(Math.min(rows - 1, Math.max(0, row + by[0])), Math.min(columns - 1, Math.max(0, column + by[1])));
  }

  point(row, column) {
    const x = row === null ? undefined : this.map.cells[row * this.map.columns + column];
    const index = x === undefined ? null : this.index(row, column);
    this.cursor = index && [row, column];
    write(this.said, index ? `[${index}] = ${spoken(x)}` : this.rest);
    this.paint();
  }

  // Where in the tensor a cell stands: "3, 17", or of a block "6:9, 34:36"; null beyond the end of the last row.
  index(row, column) {
    const { lead, block, columns } = this.map, ends = this.shape.slice(-2);
    const range = (i, size, end) => (size === 1 ? `${i}` : `${i * size}:${Math.min((i + 1) * size, end)}`);
    if (this.shape.length > 1) return [...lead, range(row, block[0], ends[0]), range(column, block[1], ends[1])].join(", ");
    const place = row * columns + column;
    return place * block[1] < this.shape[0] ? range(place, block[1], this.shape[0]) : null;
  }

  paint() {
    const pencil = this.paper.getContext("2d"), style = getComputedStyle(this.paper), { size, cursor } = this;
    const { columns, cells } = this.map, colour = (name) => style.getPropertyValue(`--ac-${name}`);
    pencil.clearRect(0, 0, this.paper.width, this.paper.height);
    cells.forEach((x, i) => {
      const row = Math.floor(i / columns), column = i % columns, corner = [column * size, row * size];
      if (this.shape.length === 1 && this.index(row, column) === null) return;
      const [dark, hue] = Number.isFinite(x) ? this.tone(x) : [1, "error"];
      pencil.globalAlpha = dark;
      pencil.fillStyle = colour(hue);
      pencil.fillRect(...corner, size, size);
      if (!Number.isFinite(x) && size >= STRIPE) this.stripe(pencil, corner, colour("card"));
    });
    pencil.globalAlpha = 1;
    if (!cursor) return;
    pencil.strokeStyle = colour("text");
    pencil.lineWidth = 2;
    pencil.strokeRect(cursor[1] * size - 1, cursor[0] * size - 1, size + 2, size + 2);
  }

  stripe(pencil, [x, y], colour) {
    pencil.strokeStyle = colour;
    pencil.lineWidth = 1.5;
    pencil.beginPath();
    pencil.moveTo(x, y + this.size);
    pencil.lineTo(x + this.size, y);
    pencil.stroke();
  }
}
