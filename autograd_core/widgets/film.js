// A training as a film: above the curves, the maps of the frame that belongs to the step which is read.

const FRAME_MS = 250, STRIPES = 4;               // of playing; pixels from one stripe to the next
const ROWS = [["output", "value"], ["gradient", "gradient-solid"]];

class FilmView extends CurvesView {
  constructor(model) {
    super(model);
    this.sources.push("frames");
    this.pixel = null;                                  // [row, column] that is read; null: none
    this.box.classList.add("ac-film");
    this.play = el("button", { type: "button", class: "ac-button ac-play", "aria-pressed": "false" }, "▶ Play");
    this.said = el("output", { class: "ac-film-said", "aria-live": "polite" });
    this.cells = ROWS.map(([kind]) => model.get("channels").map((name) => this.cell(kind, name)));
    const heads = model.get("channels").map((name) => el("th", { scope: "col", title: name }, name));
    const rows = ROWS.map(([kind], i) => el("tr", {}, el("th", { scope: "row", class: `ac-film-${kind}` }, kind),
      ...this.cells[i].map(({ paper, span }) => el("td", {}, paper, span))));
    this.maps = el("table", { class: "ac-film-maps", tabindex: 0, "aria-label": "Maps. The arrow keys read a pixel in all of them." },
      el("thead", {}, el("tr", {}, el("td"), ...heads)), el("tbody", {}, ...rows));
    this.main.before(this.maps, el("div", { class: "ac-film-bar" }, this.play, this.said));
    this.play.addEventListener("click", () => this.playing(!this.timer));
    this.maps.addEventListener("keydown", (event) => this.move(event));
    this.maps.addEventListener("pointermove", (event) => this.point(event));
    this.maps.addEventListener("pointerleave", () => this.look(null));
  }

  cell(kind, name) {
    return { paper: el("canvas", { role: "img", "aria-label": `${name}, ${kind}` }), span: el("span", { class: `ac-film-${kind}` }) };
  }

  draw() {
    const bytes = this.model.get("frames"), { shape } = this.model.get("drawn");
    this.numbers = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    [, this.count, this.channels, this.height, this.width] = shape;
    super.draw();
  }

  read(step) {
    super.read(step);
    const { at } = this.model.get("drawn"), here = this.at ?? this.places.steps - 1;
    this.frame = Math.max(0, at.findLastIndex((shown) => shown <= here));
    this.paint();
  }

  plane(kind, channel) {
    const size = this.height * this.width, start = ((kind * this.count + this.frame) * this.channels + channel) * size;
    return this.numbers.subarray(start, start + size);
  }

  paint() {
    ROWS.forEach(([kind, hue], k) => this.cells[k].forEach(({ paper, span }, channel) => {
      const numbers = this.plane(k, channel), known = numbers.filter(Number.isFinite), gradient = kind === "gradient";
      const largest = known.reduce((a, x) => Math.max(a, gradient ? Math.abs(x) : x), gradient ? 0 : -Infinity);
      const least = gradient ? 0 : known.reduce((a, x) => Math.min(a, x), Infinity);
      this.draw_(paper, numbers, (x) => ((gradient ? Math.abs(x) : x) - least) / (largest - least || 1), hue);
      paper.classList.toggle("ac-film-nothing", gradient && largest === 0 && known.length === numbers.length);
      write(span, this.pixel ? `= ${number(sendable(numbers[this.pixel[0] * this.width + this.pixel[1]]))}`
        : known.length < numbers.length ? "nan" : gradient ? (largest ? `up to ${number(largest)}` : "all zero")
          : `${number(least)} to ${number(largest)}`);
    }));
    const { at, x } = this.model.get("drawn"), pixel = this.pixel ? `, pixel [${this.pixel.join(", ")}]` : "";
    write(this.said, `Maps at ${x} ${at[this.frame]}${pixel}`);
  }

  // One map, its pixel under the cursor framed. `dark` gives 0 to 1 for a number.
  draw_(paper, numbers, dark, hue) {
    const { width, height } = this, pencil = paper.getContext("2d", { willReadFrequently: true });
    Object.assign(paper, { width, height });
    const colour = (name) => {
      pencil.fillStyle = getComputedStyle(this.box).getPropertyValue(`--ac-${name}`);
      pencil.fillRect(0, 0, 1, 1);
      return pencil.getImageData(0, 0, 1, 1).data;
    };
    const good = colour(hue), wrong = colour("error"), image = pencil.createImageData(width, height);
    numbers.forEach((x, i) => {
      const striped = (Math.floor(i / width) + i) % STRIPES < STRIPES / 2 ? 255 : 100, finite = Number.isFinite(x);
      image.data.set((finite ? good : wrong).subarray(0, 3), 4 * i);
      image.data[4 * i + 3] = finite ? Math.round(255 * dark(x)) : striped;
    });
    pencil.putImageData(image, 0, 0);
    if (!this.pixel) return;
    pencil.strokeStyle = getComputedStyle(this.box).getPropertyValue("--ac-text");
    pencil.strokeRect(this.pixel[1] - 0.5, this.pixel[0] - 0.5, 2, 2);
  }

  look(pixel) {
    this.pixel = pixel;
    this.paint();
  }

  point(event) {
    if (event.target.tagName !== "CANVAS") return;
    const { width, height } = event.target.getBoundingClientRect(), inside = (x, end) => Math.max(0, Math.min(end - 1, Math.floor(x)));
    this.look([inside((event.offsetY / height) * this.height, this.height), inside((event.offsetX / width) * this.width, this.width)]);
  }

  move(event) {
    const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const far = event.shiftKey ? 8 : 1, within = (x, end) => Math.max(0, Math.min(end - 1, x));
    const [row, column] = this.pixel ?? [this.height / 2, this.width / 2].map(Math.floor);
    this.look([within(row + far * by[0], this.height), within(column + far * by[1], this.width)]);
  }

  playing(on) {
    clearInterval(this.timer);
    const { at } = this.model.get("drawn"), last = at.length - 1;
    let frame = this.frame < last ? this.frame : -1;    // from the beginning, once the end is reached
    this.timer = on ? setInterval(() => {
      frame += 1;
      if (this.box.isConnected) this.read(at[frame]);
      if (frame >= last || !this.box.isConnected) this.playing(false);
    }, FRAME_MS) : null;
    write(this.play, on ? "❚❚ Pause" : "▶ Play");
    put(this.play, "aria-pressed", on);
  }
}

