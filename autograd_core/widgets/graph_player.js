// The player: play, pause, one step, the pace; and what one step is where boxes are folded.

const ICONS = {
  previous: "M3 2h2.4v14H3zM16 2v14L6 9z", next: "M12.6 2H15v14h-2.4zM2 2l10 7-10 7z",
  play: "M4 2l12 7-12 7z", pause: "M4 2h3.6v14H4zM10.4 2H14v14h-3.6z",
};
const SPEEDS = [1, 2, 0.5];
const EVENT_MS = 700, PULSE_MS = 240;

function icon(name) {
  const path = el("svg:path", { d: ICONS[name], fill: "currentColor" });
  return el("svg:svg", { width: 18, height: 18, viewBox: "0 0 18 18", "aria-hidden": "true" }, path);
}

function button(label, ...content) {
  return el("button", { type: "button", class: "ac-button", "aria-label": label, title: label }, ...content);
}

class Player {
  constructor(view) {
    Object.assign(this, { view, playing: false, speed: 0, calm: matchMedia("(prefers-reduced-motion: reduce)") });
    this.status = el("div", { class: "ac-status" });
    this.bar = this.buttons();
    this.box = el("div", { class: "ac-transport" }, this.status, this.bar);
  }

  get count() { return this.view.structure.events.length; }

  buttons() {
    const previous = button("One event back", icon("previous")), next = button("One event on", icon("next"));
    this.play = button("Play", icon("play"));
    this.play.classList.add("ac-play");
    this.pace = button("Speed", "1×");
    this.pace.classList.add("ac-pace");
    previous.addEventListener("click", () => this.step(-1));
    next.addEventListener("click", () => this.step(1));
    this.play.addEventListener("click", () => this.toggle());
    this.pace.addEventListener("click", () => {
      this.speed = (this.speed + 1) % SPEEDS.length;
      write(this.pace, `${SPEEDS[this.speed]}×`);
      this.pace.setAttribute("aria-label", `Speed ${SPEEDS[this.speed]}×`);
    });
    const role = { role: "toolbar", "aria-label": "Playing", "aria-orientation": "vertical" };
    const bar = el("div", { class: "ac-buttons", ...role }, previous, this.play, next, this.pace);
    [...bar.children].forEach((each, i) => { each.tabIndex = i === 1 ? 0 : -1; });
    return bar;
  }

  // The event to which one step leads: a closed fold is stepped over as a whole.
  beyond(k, direction) {
    const { structure: { events }, drawn: { boxes }, picture } = this.view;
    const foldAt = (at) => {
      const event = events[at - 1], box = event && picture.boxOf.get(event.node);
      return boxes[box]?.kind === "fold" ? `${box} ${PHASE[event.kind]}` : null;
    };
    let at = direction > 0 ? k + 1 : k;
    const fold = foldAt(at);
    while (fold !== null && foldAt(at + direction) === fold) at += direction;
    return direction > 0 ? at : at - 1;
  }

  step(direction) {
    this.stop();
    this.view.go(this.beyond(this.view.k, direction), { moving: direction > 0 });
  }

  // Open the fold that the next event is in, and go there.
  into() {
    const { view } = this, next = view.structure.events[view.k], box = next && view.place(next.node);
    this.stop();
    if (next && view.drawn.boxes[box].kind === "fold") view.canvas.flip(box);
    view.go(view.k + 1);
  }

  toggle() {
    if (this.playing) return this.stop();
    if (this.view.k === this.count) this.view.go(0);
    if (this.calm.matches) return this.step(1);
    this.playing = true;
    this.tick();
  }

  tick() {
    this.view.go(this.beyond(this.view.k, 1), { moving: true });
    if (this.view.k === this.count) this.playing = false;
    else this.timer = setTimeout(() => this.tick(), EVENT_MS / SPEEDS[this.speed]);
    this.view.later("event");
  }

  stop() {
    clearTimeout(this.timer);
    if (this.playing) this.view.later("event");
    this.playing = false;
  }

  update(k) {
    const { playing, play, count } = this;
    write(this.status, k ? `${playing ? "Playing · event" : "Event"} ${k} of ${count}` : `Ready · ${count} events`);
    if (play.dataset.playing === String(playing)) return;
    play.dataset.playing = playing;
    play.replaceChildren(icon(playing ? "pause" : "play"));
    play.setAttribute("aria-label", playing ? "Pause" : "Play");
  }
}
