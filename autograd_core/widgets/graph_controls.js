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
      if (!field.input.contains(document.activeElement) && !this.waiting.has(control.name)) field.show(control.value);
      return [name, field];
    }));
    this.box.hidden = !wanted.size;
  }

  field(control) {
    const { kind, name, label, value } = control;
    const { box, input, read, show } = this[kind](control);
    input.addEventListener("input", () => { show(read()); this.want(name, read()); });
    show(value);
    box.classList.add("ac-control", `ac-control-${kind}`);
    if (kind !== "choice") input.setAttribute("aria-label", label);
    return { box, input, show };
  }

  text({ label }) {
    const input = el("input", { type: "text", spellcheck: "false", autocomplete: "off" });
    const show = (text) => { if (input.value !== text) input.value = text; };
    return { box: el("label", {}, el("span", { title: label }, label), input), input, show, read: () => input.value };
  }

  slider({ label, min, max, step }) {
    const input = el("input", { type: "range", min, max, step }), output = el("output");
    const show = (value) => { input.value = value; write(output, number(Number(input.value))); };
    return { box: el("label", {}, el("span", { title: label }, label), input, output), input, show, read: () => Number(input.value) };
  }

  switch({ label }) {
    const input = el("input", { type: "checkbox", role: "switch" });
    const show = (on) => { input.checked = on; };
    return { box: el("label", {}, input, el("span", { title: label }, label)), input, show, read: () => input.checked };
  }

  // Radio buttons, drawn as one row: the arrow keys choose.
  choice({ label, choices }) {
    const group = `ac-${Math.random().toString(36).slice(2)}`;
    const buttons = choices.map((value) => el("input", { type: "radio", name: group, value }));
    const input = el("span", { class: "ac-choices", role: "radiogroup", "aria-label": label },
      ...choices.map((text, i) => el("label", {}, buttons[i], el("span", {}, text))));
    const show = (value) => buttons.forEach((button) => { button.checked = button.value === value; });
    const read = () => buttons.find((button) => button.checked).value;
    return { box: el("div", {}, el("span", { title: label }, label), input), input, show, read };
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
    this.busy = true;
    this.model.send({ kind: "change", name, value });
  }

  answered(error) {
    this.busy = false;
    write(this.error, error);
    this.box.classList.toggle("ac-failed", error !== "");
    this.ask();
  }
}
