// The frame of a lesson's widget: heading, settings, picture, verdict. A subclass fills `main` and draws.

class Live {
  constructor(model, name) {
    this.model = model;
    this.sources = ["drawn"];                           // the traits that are drawn
    this.controls = new Controls(this, model);
    this.main = el("div", { class: `ac-live-main ac-${name}-main` });
    this.verdict = el("p", { class: "ac-live-verdict", role: "status" });
    this.header = el("div", { class: "ac-header" }, el("span", { class: "ac-title" }, model.get("title")),
      el("span", { class: "ac-note" }, model.get("note")));
    this.box = el("div", { class: `ac-root ac-view ac-live ac-${name}` }, this.header, this.controls.box, this.main, this.verdict);
    this.box.addEventListener("keydown", (event) => this.keep(event));
  }

  // A plain key stays in the widget, or Jupyter would act on it too: x cuts a cell, an arrow leaves it.
  keep(event) {
    const chord = event.ctrlKey || event.metaKey || event.altKey || (event.key === "Enter" && event.shiftKey);
    if (!chord && event.key !== "Tab" && event.key !== "Escape") event.stopPropagation();
  }

  judge() {
    const { text = "", differs = false } = this.model.get("verdict");
    this.verdict.hidden = !text;
    this.verdict.classList.toggle("ac-live-differs", differs);
    write(this.verdict, text);
  }

  // Ask Python for a change that is no control's: `content` is what `changed` gets there.
  ask(name, value) {
    this.controls.want(name, value);
  }

  draw() {}
}

// What anywidget wants: `View` is a subclass with a constructor of the model.
const rendering = (View) => ({
  render({ model, el: root }) {
    const view = new View(model);
    root.append(view.box);
    view.judge();
    view.draw();
    const listen = {
      ...Object.fromEntries(view.sources.map((trait) => [`change:${trait}`, () => view.draw()])), "change:verdict": () => view.judge(), "change:controls": () => view.controls.update(),
      "msg:custom": (message) => { if (message.kind === "answer") view.controls.answered(message.error); },
    };
    for (const [name, heard] of Object.entries(listen)) model.on(name, heard);
    const watcher = new ResizeObserver(() => view.resized?.());
    watcher.observe(view.main);
    return () => {
      watcher.disconnect();
      for (const [name, heard] of Object.entries(listen)) model.off(name, heard);
    };
  },
});
