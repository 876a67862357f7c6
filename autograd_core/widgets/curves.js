// Curves over steps. Python draws them; here the reader moves along them and changes settings.

class CurvesView extends Live {
  constructor(model) {
    super(model, "curves");
    this.at = null;                                     // the step that is read; null: the last
    this.picture = el("div", { class: "ac-curves-picture", role: "slider", tabindex: 0, "aria-valuemin": 0 });
    this.cursor = el("div", { class: "ac-curves-cursor" });
    this.rows = el("tbody");
    this.step = el("caption");
    const engines = [model.get("engine"), "PyTorch"];
    this.key = el("span", { class: "ac-curves-key" }, ...["ours", "theirs"].flatMap((side, i) =>
      [el("i", { class: `ac-curves-${side}` }), engines[i]]));
    this.engines = el("thead", {}, el("tr", {}, el("td"), ...engines.map((name) => el("th", { scope: "col" }, name))));
    this.stage = el("div", { class: "ac-curves-stage" }, this.picture, this.cursor);
    this.header.append(this.key);
    this.main.append(this.stage, el("table", { class: "ac-curves-table" }, this.step, this.engines, this.rows));
    this.picture.addEventListener("keydown", (event) => this.key_(event));
    this.stage.addEventListener("pointermove", (event) => this.read(this.nearest(event)));
  }

  resized() {
    const width = Math.floor(this.stage.clientWidth);
    if (width <= 0 || Math.abs(width - this.model.get("width")) <= 4) return;
    this.model.set("width", width);
    this.model.save_changes();
  }

  draw() {
    const { svg, places, x, lines } = this.model.get("drawn");
    this.picture.innerHTML = svg;                       // drawn by Python, which has escaped every word of a person
    this.places = places;
    this.key.hidden = this.engines.hidden = !lines.some((line) => line.other);
    put(this.picture, "aria-valuemax", Math.max(places.steps - 1, 0));
    put(this.picture, "aria-label", `Read the curves along ${x}`);
    this.read(this.at === null ? null : Math.min(this.at, places.steps - 1));
  }

  read(step) {
    const { left, right, top, bottom, steps } = this.places, { lines, x } = this.model.get("drawn");
    if (!steps) return;
    this.at = step;
    const at = step ?? steps - 1, place = left + (right - left) * (steps > 1 ? at / (steps - 1) : 0.5);
    Object.assign(this.cursor.style, { left: `${place}px`, top: `${top}px`, height: `${bottom - top}px` });
    write(this.step, `${x} ${at}`);
    const shown = (values) => number(values[at] ?? null);
    const name = (line) => (line.name === line.panel ? line.name : `${line.panel}: ${line.name}`);
    this.rows.replaceChildren(...lines.map((line) => {
      const cells = [line.values, line.other].filter(Boolean).map((values) => el("td", { class: `ac-curves-${line.role}` }, shown(values)));
      return el("tr", {}, el("th", { scope: "row" }, name(line)), ...cells);
    }));
    put(this.picture, "aria-valuenow", at);
    put(this.picture, "aria-valuetext", `${x} ${at}: ${lines.map((line) => `${name(line)} ${shown(line.values)}`).join(", ")}`);
  }

  nearest(event) {
    const { left, right, steps } = this.places, x = event.clientX - this.stage.getBoundingClientRect().left;
    return Math.max(0, Math.min(steps - 1, Math.round(((x - left) / (right - left)) * (steps - 1))));
  }

  key_(event) {
    const last = this.places.steps - 1, at = this.at ?? last;
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last, PageUp: at - 10, PageDown: at + 10 }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.read(Math.max(0, Math.min(last, to)));
  }
}
