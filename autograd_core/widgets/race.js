// The optimizers' race. Python sends paths, labels and numbers for every step; here the reader moves along the steps.

const STEP_MS = 60;                                     // one step while it plays

class RaceView extends Live {
  constructor(model) {
    super(model, "race");
    this.at = null;                                     // the step that is shown; null: the last
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.map = el("div", { class: "ac-race-map", role: "application", tabindex: 0 });
    this.caption = el("caption");
    this.table = el("table", { class: "ac-race-table" }, this.caption);
    this.main.append(this.map, this.table);
    this.header.append(el("span", { class: "ac-race-key" }, el("i", { class: "ac-race-ours" }), "autograd_core",
      el("i", { class: "ac-race-theirs" }), "PyTorch"));
    this.verdict.before(this.footer());
    this.map.addEventListener("pointerdown", (event) => this.begin(this.pointed(event)));
    this.map.addEventListener("keydown", (event) => this.moved(event));
  }

  footer() {
    const back = button("One step back", icon("previous")), on = button("One step on", icon("next"));
    this.play = button("Play", icon("play"));
    this.play.classList.add("ac-play");
    this.status = el("div", { class: "ac-race-status" });
    this.track = el("input", { type: "range", min: 0, step: 1, "aria-label": "Step" });
    this.curves = el("svg:svg", { viewBox: "0 0 1000 100", preserveAspectRatio: "none", "aria-hidden": "true" });
    this.cursor = el("div", { class: "ac-race-cursor" });
    back.addEventListener("click", () => this.go(this.step - 1));
    on.addEventListener("click", () => this.go(this.step + 1));
    this.play.addEventListener("click", () => this.toggle());
    this.track.addEventListener("input", () => this.go(Number(this.track.value)));
    this.track.addEventListener("keydown", (event) => {
      if (event.key !== " ") return;
      event.preventDefault();
      this.toggle();
    });
    const buttons = el("div", { class: "ac-buttons" }, back, this.play, on);
    const losses = el("div", { class: "ac-race-losses" }, this.curves, this.cursor);
    return el("div", { class: "ac-race-footer" }, el("div", { class: "ac-race-transport" }, buttons, this.status),
      el("div", { class: "ac-race-track" }, losses, this.track));
  }

  get data() { return this.model.get("drawn"); }

  get step() { return Math.min(this.at ?? this.data.steps, this.data.steps); }

  draw() {
    const { ground, size: [width, height], steps, runners, note, start } = this.data;
    this.start = start;
    write(this.header.querySelector(".ac-note"), note);
    this.map.innerHTML = ground;                        // drawn by Python, which has escaped every word of a person
    put(this.track, "max", steps);
    const paths = el("svg:svg", { class: "ac-race-paths", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    this.parts = runners.map((runner) => this.runner(runner));
    paths.append(...this.parts.map(({ line }) => line), ...this.parts.map(({ end }) => end), ...this.parts.map(({ label }) => label));
    this.map.append(paths);
    this.curves.replaceChildren(...runners.map(({ colour, gap }) => el("svg:path", { d: curve(gap), style: `stroke: var(--ac-${colour})` })));
    this.tabulate(runners);
    this.show();
  }

  runner({ name, width, colour, shape, marks }) {
    const ink = `var(--ac-${colour})`;
    const line = el("svg:g", { style: `stroke: ${ink}` }, el("svg:path", { class: "ac-race-line" }),
      ...marks.map(([, x, y]) => el("svg:path", { class: "ac-race-mark", d: shape, transform: `translate(${x} ${y})` })));
    const end = el("svg:circle", { r: 6, style: `fill: ${ink}` });
    const label = el("svg:g", { class: "ac-race-label" }, el("svg:rect", { width, height: 22, rx: 4, style: `stroke: ${ink}` }),
      el("svg:text", { x: width / 2, y: 15, "text-anchor": "middle", style: `fill: ${ink}` }, name));
    return { line, end, label };
  }

  tabulate(runners) {
    const cells = () => [el("td"), el("td")];
    const sign = ({ colour, shape }) => el("svg:svg", { width: 12, height: 12, viewBox: "-6 -6 12 12", "aria-hidden": "true" },
      el("svg:path", { d: shape, style: `fill: var(--ac-${colour})` }));
    const head = el("thead", {}, el("tr", {}, el("td"), ...["x", "y"].map((name) => el("th", { scope: "col" }, name))));
    this.fields = runners.map((runner) => {
      const loss = el("td", { colspan: 2 });
      const name = el("th", { scope: "rowgroup", style: `color: var(--ac-${runner.colour})` }, sign(runner), runner.name);
      const rows = runner.rows.map(([key]) => ({ key, cells: cells() }));
      const role = { position: "ac-v", ".grad": "ac-g" };
      const lines = rows.map(({ key, cells: pair }) => el("tr", { class: role[key] ?? "" }, el("th", { scope: "row" }, key), ...pair));
      const none = rows.length > 2 ? [] : [el("tr", { class: "ac-q" }, el("th", { scope: "row", colspan: 3 }, "remembers nothing"))];
      return { loss, rows, body: el("tbody", {}, el("tr", { class: "ac-race-name" }, name, loss), ...lines, ...none) };
    });
    this.table.replaceChildren(this.caption, head, ...this.fields.map(({ body }) => body));
  }

  show() {
    const { runners, steps } = this.data, k = this.step;
    runners.forEach(({ path, marks, labels, loss, rows }, i) => {
      const { line, end, label } = this.parts[i], [x, y] = path[k], fields = this.fields[i];
      line.firstChild.setAttribute("d", `M${path.slice(0, k + 1).map((place) => place.join(" ")).join("L")}`);
      marks.forEach(([step], j) => { line.children[j + 1].style.display = step <= k ? "" : "none"; });
      end.setAttribute("transform", `translate(${x} ${y})`);
      label.setAttribute("transform", `translate(${labels[k].join(" ")})`);
      write(fields.loss, `loss ${number(loss[k])}`);
      fields.loss.classList.toggle("ac-bad", typeof loss[k] === "string");
      fields.rows.forEach(({ cells }, r) => cells.forEach((cell, axis) => {
        const value = rows[r][1][k][axis], before = value === "nan" && k === 0;
        write(cell, before ? "none yet" : number(value));
        cell.classList.toggle("ac-bad", typeof value === "string" && !before);
      }));
    });
    write(this.caption, k ? `After step ${k}` : "At the start");
    write(this.status, `step ${k} of ${steps}; loss, log`);
    this.track.value = k;
    this.cursor.style.left = `${(100 * k) / steps}%`;
    put(this.track, "aria-valuetext", `Step ${k}: loss ${runners.map(({ name, loss }) => `${name} ${number(loss[k])}`).join(", ")}`);
    const [x, y] = this.start;
    put(this.map, "aria-label", `Paths on the surface ${this.data.note}, from x ${number(x)}, y ${number(y)}. The arrow keys move the start; the table has the numbers.`);
  }

  go(step) {
    this.stop();
    this.turn(step);
  }

  turn(step) {
    this.at = Math.max(0, Math.min(this.data.steps, step));
    this.show();
  }

  toggle() {
    if (this.timer) return this.stop();
    if (this.step === this.data.steps) this.turn(0);
    if (this.calm.matches) return this.turn(this.step + 1);
    this.timer = setInterval(() => {
      this.turn(this.step + 1);
      if (this.step === this.data.steps || !this.box.isConnected) this.stop();
    }, STEP_MS);
    this.face("pause", "Pause");
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.face("play", "Play");
  }

  face(sign, name) {
    this.play.replaceChildren(icon(sign));
    put(this.play, "aria-label", name);
    put(this.play, "title", name);
  }

  // Begin elsewhere: where the map was pressed, or a tenth further with an arrow key.
  begin(place) {
    this.start = place;                                 // the next key goes on from here, before Python has answered
    this.ask("start", place);
  }

  pointed(event) {
    const box = this.map.getBoundingClientRect(), [[left, right], [low, high]] = this.data.view;
    return [left + ((event.clientX - box.left) / box.width) * (right - left), high - ((event.clientY - box.top) / box.height) * (high - low)]
      .map((value) => Math.round(value * 100) / 100);
  }

  moved(event) {
    const by = { ArrowRight: [0.1, 0], ArrowLeft: [-0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.begin(this.start.map((value, axis) => {
      const [least, most] = this.data.view[axis];
      return Math.round(Math.max(least, Math.min(most, value + by[axis])) * 100) / 100;
    }));
  }
}

// The losses as one path in a box of 1000 × 100; where there is no number, the line is broken.
function curve(gap) {
  let pen = "M";
  return gap.map((share, step) => {
    const part = share === null ? "" : `${pen}${(1000 * step) / Math.max(gap.length - 1, 1)} ${100 - 96 * Math.min(share, 1)}`;
    pen = share === null ? "M" : "L";
    return part;
  }).join("");
}

export default rendering(RaceView);
