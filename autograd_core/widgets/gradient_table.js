// Losses by kernels: the controls of each loss stand above its column. Python sends norms, cosines and maps.

const PIXELS = 128;                                     // of a map's picture, at least; the page scales it

class GradientTable extends Live {
  constructor(model) {
    super(model, "gradients");
    const { losses } = model.get("drawn");
    this.box.style.setProperty("--ac-losses", losses.length);
    this.table = el("table", { class: "ac-gradients-table" });
    this.said = el("p", { class: "ac-gradients-said" });
    const places = el("p", { class: "ac-gradients-said" }, el("b", {}, "Detached"), ": the kernels still learn, the trunk does not. ",
      el("b", {}, "Off"), ": left out of the sum.");
    this.scalar = el("table", { class: "ac-gradients-scalar" });
    this.angles = el("table", { class: "ac-gradients-angles" });
    this.maps = el("table", { class: "ac-gradients-maps" });
    const card = (title, note, content) => el("section", {}, el("h4", {}, title), el("p", {}, note), content);
    this.main.append(
      el("div", { class: "ac-gradients-card" }, this.controls.box, this.table, places, this.said),
      el("div", { class: "ac-gradients-side" },
        card("The one scalar", "loss × weight", this.scalar),
        card("Who pulls the trunk apart?", "cosine of two gradients on the trunk", this.angles)),
      el("div", { class: "ac-gradients-pictures" }, this.maps));
  }

  draw() {
    this.drawn = this.model.get("drawn");
    this.drawTable();
    this.drawScalar();
    this.drawAngles();
    this.drawMaps();
  }

  drawTable() {
    const { losses, kernels, table, trunk, apart } = this.drawn;
    this.largest = Math.max(...[...table.flat(), ...trunk].map(real).filter(Number.isFinite)) || 1;
    const line = (name, norms, kind = "") => el("tr", { class: kind }, head(name, "row"), ...norms.map((norm, i) => this.cell(norm, i, kind)));
    this.table.replaceChildren(
      el("caption", { class: "ac-gradients-unseen" }, "Norm of the gradient that a loss sends to a kernel"),
      el("thead", {}, el("tr", {}, el("td"), ...losses.map((name) => el("th", { scope: "col" }, el("span", { class: "ac-gradients-unseen" }, name))),
        head("all at once", "col"))),
      el("tbody", {}, ...kernels.map((name, i) => line(name, table[i])), line("trunk, shared", trunk, "ac-gradients-trunk")));
    write(this.said, `One backward of the sum, and one for each loss, added up: ${apart === 0 ? "no difference" : `at most ${number(apart)} apart`}.`);
  }

  cell(norm, column, row) {
    const place = this.drawn.places[column], off = place === "off", cut = place === "detached" && row !== "";
    const wrong = !Number.isFinite(real(norm)), empty = off || cut ? " ac-gradients-off" : wrong ? " ac-gradients-nan" : norm === 0 ? " ac-gradients-zero" : "";
    const style = empty ? "" : `--ac-share: ${Math.sqrt(real(norm) / this.largest).toFixed(4)}`;
    return el("td", { title: String(norm) }, el("div", { class: `ac-gradients-cell${empty}`, style }, off ? "off" : cut ? "cut" : number(norm)));
  }

  drawScalar() {
    const { losses, places, values, weights, parts } = this.drawn;
    const row = (name, i) => el("tr", { class: places[i] === "off" ? "ac-gradients-left-out" : "" }, head(name, "row"),
      el("td", {}, number(values[i])), el("td", { class: "ac-q" }, places[i] === "off" ? "off" : `× ${number(weights[i])}`), el("td", {}, number(parts[i])));
    const total = sendable(parts.reduce((sum, part) => sum + real(part), 0));
    this.scalar.replaceChildren(el("tbody", {}, ...losses.map(row),
      el("tr", { class: "ac-gradients-total" }, head("total", "row"), el("td"), el("td"), el("td", {}, number(total)))));
  }

  drawAngles() {
    const { losses, sum, pairs } = this.drawn;
    const group = (title, rows) => el("tbody", {}, el("tr", {}, el("th", { scope: "rowgroup", colspan: 3 }, title)), ...rows.map(([name, cosine]) => angle(name, cosine)));
    this.angles.replaceChildren(group("each with the sum", losses.map((name, i) => [name, sum[i]])),
      group("each with each", pairs.map(([a, b, cosine]) => [`${a}, ${b}`, cosine])));
  }

  drawMaps() {
    const { kernels, maps, gradients } = this.drawn;
    const line = (kind, title, note, all) => el("tr", { class: `ac-gradients-${kind}` }, head(title, "row", el("small", {}, note)),
      ...all.map((map, i) => el("td", {}, ...picture(map, kind, kernels[i]))));
    this.maps.replaceChildren(el("caption", { class: "ac-gradients-unseen" }, "What the kernels put out, and the gradient of the sum for it"),
      el("thead", {}, el("tr", {}, el("td"), ...kernels.map((name) => head(name, "col")))),
      el("tbody", {}, line("value", "output map", "each from its least to its greatest", maps),
        line("gradient", "gradient", "its size, each to its own greatest", gradients)));
  }
}

const brief = (x) => number(typeof x === "string" ? x : Number(x.toPrecision(2)));
const head = (name, scope, ...more) => el("th", { scope }, name, ...more);

function angle(name, cosine) {
  const against = cosine < 0, style = `width: ${(50 * Math.abs(cosine ?? 0)).toFixed(1)}%; ${against ? "right" : "left"}: 50%`;
  const bar = el("div", { class: "ac-gradients-bar" }, el("i", { class: against ? "ac-gradients-against" : "", style }));
  return el("tr", {}, head(name, "row"), el("td", { "aria-hidden": "true" }, bar),
    el("td", { class: cosine === null ? "ac-q" : against ? "ac-gradients-against" : "" }, cosine === null ? "no angle" : number(Number(cosine.toFixed(2)))));
}

// A map and its scale beneath. Its shades are a mask over the colour of its row, so that it follows the theme.
function picture({ columns, low, high, shades, zeros }, kind, name) {
  const ends = el("div", { class: "ac-gradients-ends" }, ...[low, high].map((x) => el("span", { title: String(x) }, brief(x))));
  if (kind === "gradient" && zeros === shades.length) {
    return [el("div", { class: "ac-gradients-map ac-gradients-off" }, "all zero"), ends];
  }
  const nothing = kind === "gradient" ? `, exactly 0 at ${zeros} of ${shades.length} pixels` : "";
  const map = el("div", { class: "ac-gradients-map", role: "img", "aria-label": `${kind} of ${name}, from ${number(low)} to ${number(high)}${nothing}` });
  const ink = el("i"), mask = `url(${painted(shades, columns)})`;
  Object.assign(ink.style, { maskImage: mask, webkitMaskImage: mask });
  map.append(ink);
  return [map, ends];
}

function painted(shades, columns) {
  const rows = shades.length / columns, size = Math.ceil(PIXELS / columns);
  const paper = el("canvas", { width: columns * size, height: rows * size }), pencil = paper.getContext("2d");
  shades.forEach((shade, i) => {
    pencil.globalAlpha = shade < 0 ? 1 : shade / 255;
    pencil.fillRect((i % columns) * size, Math.floor(i / columns) * size, size, size);
  });
  return paper.toDataURL();
}

export default rendering(GradientTable);
