// A picture that Python draws whole, in a wide and in a narrow form.

class DrawingView extends Live {
  constructor(model) {
    super(model, "drawing");
    this.main.setAttribute("aria-live", "polite");
  }

  resized() { this.draw(); }

  draw() {
    const { wide, narrow } = this.model.get("drawn"), form = this.main.clientWidth < 780 ? narrow : wide;
    if (this.form === form) return;
    this.form = form;
    this.main.innerHTML = form;                         // drawn by Python, which has escaped every word of a person
  }
}

export default rendering(DrawingView);
