// The player: play, pause, one step, the pace; and what one step is where boxes are folded.

import { button, icon } from "../kit/button.js";
import { el, put, write } from "../kit/dom.js";
import { PHASE } from "./tape.js";

/** @import { TraceEvent } from "./types.d.ts" */
/** @import { View } from "./view.js" */

const SPEEDS = [1, 2, 0.5];
const STILL_MS = 1000;                           // how long an event is shown in which nothing moves

/**
 * The event to which one step leads from event k: what happens in one closed fold is stepped over as a whole.
 * @param {number} k
 * @param {number} direction 1 or -1
 * @param {(k: number) => string | null} foldAt the closed fold in which an event happens, and its phase
 */
export function oneStep(k, direction, foldAt) {
  let at = direction > 0 ? k + 1 : k;
  const fold = foldAt(at);
  while (fold !== null && foldAt(at + direction) === fold) at += direction;
  return direction > 0 ? at : at - 1;
}

/**
 * All leaves step, and are set to zero, at once: the last of such events that follow each other from event k on.
 * @param {Pick<TraceEvent, "kind">[]} events
 * @param {number} k
 */
export function leavesAtOnce(events, k) {
  const kind = events[k - 1]?.kind;
  if (kind !== "step" && kind !== "zero_grad") return k;
  const other = events.findIndex((event, i) => i >= k && event.kind !== kind);
  return other < 0 ? events.length : other;
}

export class Player {
  /** @param {View} view */
  constructor(view) {
    this.view = view;
    this.playing = false;
    this.speed = 0;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.status = el("div", { class: "ac-status" });
    this.play = button("Play", icon("play"), () => this.toggle(), "ac-play");
    this.pace = button("Speed", "1×", () => this.changePace(), "ac-pace");
    put(this.pace, "aria-label", "Speed 1×");
    const previous = button("One event back", icon("previous"), () => this.step(-1));
    const next = button("One event on", icon("next"), () => this.step(1));
    /** The buttons, of which one is a tab stop: ↑ and ↓ lead to the others. */
    this.buttons = [previous, this.play, next, this.pace];
    this.buttons.forEach((each) => { each.tabIndex = each === this.play ? 0 : -1; });
    const role = { role: "toolbar", "aria-label": "Playing", "aria-orientation": "vertical" };
    this.box = el("div", { class: "ac-transport" }, this.status,
      el("div", { class: "ac-buttons", ...role }, ...this.buttons));
  }

  get count() { return this.view.structure.events.length; }

  changePace() {
    this.speed = (this.speed + 1) % SPEEDS.length;
    write(this.pace, `${SPEEDS[this.speed]}×`);
    put(this.pace, "aria-label", `Speed ${SPEEDS[this.speed]}×`);
  }

  /** Lead the focus to the next button; whether it was on one. @param {number} direction */
  rove(direction) {
    const { buttons } = this, at = buttons.findIndex((each) => each === document.activeElement);
    if (at < 0) return false;
    const next = buttons[(at + direction + buttons.length) % buttons.length];
    buttons.forEach((each) => { each.tabIndex = each === next ? 0 : -1; });
    next.focus();
    return true;
  }

  /**
   * @param {number} k
   * @param {number} direction
   */
  beyond(k, direction) {
    const { structure: { events }, drawn: { boxes }, picture } = this.view;
    const to = oneStep(k, direction, (at) => {
      const event = events[at - 1], box = event && picture.boxOf.get(event.node);
      return box !== undefined && boxes[box].kind === "fold" ? `${box} ${PHASE[event.kind]}` : null;
    });
    // a transpose on the line of its weight is no step of its own
    const folded = picture.folded.has(events[to - 1]?.node ?? -1), further = to + direction;
    return folded && further >= 0 && further <= events.length ? further : to;
  }

  /** @param {number} direction */
  step(direction) {
    this.stop();
    this.view.go(this.beyond(this.view.k, direction), { moving: direction > 0 });
  }

  /** Open the fold that the next event is in, and go there. */
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

  get rate() { return SPEEDS[this.speed]; }

  tick() {
    const { view } = this, to = leavesAtOnce(view.structure.events, this.beyond(view.k, 1));
    view.go(to, { moving: true });
    if (view.k === this.count) this.playing = false;
    else queueMicrotask(() => this.next());      // when the view has begun to move
    view.later("event");
  }

  /** The next event follows when the motion of this one is over. */
  next() {
    if (!this.playing) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.tick(), (this.view.clock.motion?.duration ?? STILL_MS) / this.rate);
  }

  stop() {
    clearTimeout(this.timer);
    if (this.playing) this.view.later("event");
    this.playing = false;
  }

  /** @param {number} k */
  update(k) {
    const { playing, play, count } = this;
    write(this.status, k ? `${playing ? "Playing" : "Event"} ${k} of ${count}` : `Ready · ${count} events`);
    if (play.dataset.playing === String(playing)) return;
    play.dataset.playing = String(playing);
    play.replaceChildren(icon(playing ? "pause" : "play"));
    play.setAttribute("aria-label", playing ? "Pause" : "Play");
  }
}
