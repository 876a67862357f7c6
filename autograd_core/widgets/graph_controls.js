// What the reader may change: sliders and text fields above the graph.

class Controls {
  constructor(view, model) {
    Object.assign(this, { view, model, fields: new Map(), waiting: new Map(), busy: false });
    this.error = el("p", { class: "ac-error", role: "alert" });
    this.box = el("div", { class: "ac-controls" }, this.error);
    this.update();
  }

  // A field that is still wanted stays in the page as it is, so that typing goes on.
  update() {
    const key = (control) => JSON.stringify({ ...control, value: null });
    const wanted = new Map(this.model.get("controls").map((control) => [key(control), control]));
    for (const [name, { box }] of this.fields) if (!wanted.has(name)) box.remove();
    let place = this.box.firstChild;
    this.fields = new Map([...wanted].map(([name, control]) => {
      const field = this.fields.get(name) ?? this.field(control);
      if (field.box === place) place = place.nextSibling; else this.box.insertBefore(field.box, place);
      if (field.input !== document.activeElement && !this.waiting.has(control.name)) field.show(control.value);
      return [name, field];
    }));
    this.box.hidden = !wanted.size;
  }

  field({ kind, name, label, min, max, step, value }) {
    const slider = kind === "slider", output = el("output"), plain = { type: "text", spellcheck: "false", autocomplete: "off" };
    const input = el("input", slider ? { type: "range", min, max, step } : plain);
    const read = () => (slider ? Number(input.value) : input.value);
    const mirror = () => slider && write(output, number(read()));
    const show = (text) => { input.value = text; mirror(); };
    input.setAttribute("aria-label", label);
    input.addEventListener("input", () => { mirror(); this.want(name, read()); });
    show(value);
    const box = el("label", { class: `ac-control ac-control-${kind}` }, el("span", { title: label }, label), input);
    if (slider) box.append(output);
    return { box, input, show };
  }

  // One question at a time: while Python works, only the latest value of each control waits.
  want(name, value) {
    this.waiting.set(name, value);
    this.ask();
  }

  ask() {
    if (this.busy || !this.waiting.size) return;
    const [name, value] = this.waiting.entries().next().value;
    this.waiting.delete(name);
    this.busy = this.view.live = true;
    this.model.send({ kind: "change", name, value });
  }

  answered(error) {
    this.busy = false;
    write(this.error, error);
    this.box.classList.toggle("ac-failed", error !== "");
    if (this.waiting.size) this.ask(); else this.view.live = false;
  }
}
