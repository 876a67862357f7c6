// The view of a graph: all parts together, moving through the events, and the reader's hands.

import { button, textButton } from "../kit/button.js";
import { Controls } from "../kit/controls.js";
import { clamp } from "../kit/clamp.js";
import { closest, el, plain, put, write } from "../kit/dom.js";
import { gradientStyle, tensorText } from "../kit/format.js";
import { isChord } from "../kit/keys.js";
import { listen } from "../kit/listen.js";
import { measureIn } from "../kit/text.js";
import { Canvas, ZOOM_STEP } from "./canvas.js";
import { Clock, Motion } from "./motion.js";
import { LEAST_PANEL, Panel } from "./panel.js";
import { Picture } from "./picture.js";
import { arranged } from "./order.js";
import { Player } from "./player.js";
import { Run as YouRun } from "./run.js";
import { answering } from "./saved.js";
import { Slopes } from "./slopes.js";
import { Tape } from "./tape.js";
import { phasesOf, Timeline } from "./timeline.js";

/** @import { Model, Render, Run } from "../kit/types.d.ts" */
/** @import { Changes, GraphState, MapAnswer, Numbers, Place } from "./types.d.ts" */
/** @import { Shown } from "./order.js" */

/** @typedef {"structure" | "drawn" | "numbers" | "changes" | "event" | "answer"} Trait */

const AROUND = 124, BORDER = 18;                 // CSS pixels; what JupyterLab, or a page, has above and below the view
const LEAST_STAGE = 220;                         // the least height of the picture
const LEAST_TRACK = 60;
const LEAST_SCALE = 0.84;                        // of the wide layout: on a smaller stage the narrow one is shown

const KEYS = [["Space", "play, pause"], ["← →", "one event"], ["Shift ← →", "one phase"],
  ["Home End", "before the first, last"], ["↑ ↓", "to an input, to a consumer"],
  ["Enter", "look into a box, open or close a fold"], ["Esc", "back to the event"], ["i", "step into a fold"],
  ["f", "find a box"], ["+ − 0", "zoom in, out, fit"], ["p", "details, parameters"],
  ["n", "first inf, nan or difference"], ["?", "these keys"], ["Enter", "you run it: run the box"],
  ["a b c", "you run it: an answer"], ["h p", "you run it: a hint, show me"]];

export class View {
  /** There is one as soon as the view is on a page and has room. @type {Picture | null} */
  #picture = null;

  /**
   * @param {Model<GraphState>} model
   * @param {HTMLElement} parent
   */
  constructor(model, parent) {
    this.model = model;
    this.structure = model.get("structure");
    this.drawn = model.get("drawn");
    /** The numbers of each engine. @type {Tape[]} */
    this.tapes = [];
    /** What changes in the picture, for each engine. @type {Changes[]} */
    this.changes = [];
    /** Whose numbers are shown: an index of `tapes`. */
    this.engine = 0;
    /** The node that is looked into. @type {number | null} */
    this.selected = null;
    /** The box that has the focus, or would have it. @type {number | null} */
    this.focused = null;
    /** The box that is a tab stop. @type {SVGElement | null} */
    this.tabStop = null;
    /** The event that is drawn. @type {number | null} */
    this.shown = null;
    /** What a screen reader has said last. @type {string | null} */
    this.spoken = null;
    /** Whether the next event is drawn with a motion. */
    this.moving = false;
    /** Which of the layouts is shown: 0 is the wide one, 1 the narrow one. @type {number | null} */
    this.level = null;
    /** What has changed and is not drawn yet. @type {Set<Trait> | null} */
    this.dirty = null;
    /** The events that something goes wrong at first. @type {number[]} */
    this.places = [];
    this.root = el("div", { class: "ac-root ac-view", role: "group", tabindex: "-1",
      onkeydown: (event) => this.key(event) });
    this.canvas = new Canvas(this);
    this.panel = new Panel(this);
    this.controls = new Controls(model, model.get("saved") ? answering(model) : undefined);
    // it judges the previous input
    this.controls.box.addEventListener("input", () => { this.notice.hidden = true; });
    this.slopes = new Slopes(model, this.controls);
    this.player = new Player(this);
    this.clock = new Clock();
    this.run = new YouRun(this);
    this.timeline = new Timeline(this, this.structure, this.drawn);
    this.switch = el("div", { class: "ac-switch", role: "group", "aria-label": "numbers from" });
    this.title = el("span", { class: "ac-title" });
    this.subtitle = el("span", { class: "ac-note" });
    this.alarms = el("div", { class: "ac-alarms" });
    this.notice = el("p", { class: "ac-notice", role: "note" });
    this.line = el("p", { class: "ac-line-of-summary", role: "note" });
    this.voice = el("p", { class: "ac-hidden ac-voice", role: "status" });
    this.help = button("Keys", "?", () => this.toggleHelp());
    put(this.help, "aria-expanded", false);
    this.keys = el("dl", { class: "ac-keys", hidden: "" },
      ...KEYS.flatMap(([key, text]) => [el("dt", {}, key), el("dd", {}, text)]));
    this.track = el("div", { class: "ac-track-room" });
    this.main = el("div", { class: "ac-main" });
    this.arrange();
    parent.append(this.root);
    this.stopListening = listen(model, {
      ...Object.fromEntries(/** @type {Trait[]} */ (["structure", "drawn", "numbers", "changes", "event", "answer"])
        .map((trait) => [`change:${trait}`, () => this.later(trait)])),
      "change:controls": () => this.controls.update(),
      "change:slopes": () => this.slopes.update(this.structure.name),
      "msg:custom": (/** @type {MapAnswer} */ message, /** @type {DataView[]} */ buffers) => {
        if (message.kind !== "map") return;
        this.panel.maps.answered(message, buffers);
        this.panel.redraw();
      },
    });
    this.build();
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.root);
    this.resized = () => this.resize();
    addEventListener("resize", this.resized);
  }

  arrange() {
    const { canvas, main } = this, stage = el("div", { class: "ac-stage" }, canvas.tools, canvas.hint, canvas.box);
    main.append(stage, this.panel.box, this.run.box);
    const { title, subtitle, alarms, help, keys } = this;
    this.root.append(
      el("div", { class: "ac-header" }, title, subtitle, alarms, this.switch,
        this.run.switch, this.run.second, help, keys),
      this.run.bar, this.notice, this.line, this.voice, this.controls.box, main,
      el("div", { class: "ac-footer" }, this.player.box, this.track), this.panel.strip);
  }

  get picture() {
    if (!this.#picture) throw new Error("the picture is not drawn yet");
    return this.#picture;
  }

  get k() { return Math.min(this.model.get("event"), this.structure.events.length); }

  get tape() { return this.tapes[this.engine]; }

  get current() { return this.k ? this.structure.events[this.k - 1].node : this.structure.root; }

  stop() { this.player.stop(); }

  remove() {
    this.stop();
    this.clock.stop();
    this.observer.disconnect();
    removeEventListener("resize", this.resized);
    this.canvas.stopAsking();
    this.panel.remove();
    this.stopListening();
    this.root.remove();
  }

  /** Draw what has changed, once for all that changes at the same time. @param {Trait} trait */
  later(trait) {
    if (this.dirty) {
      this.dirty.add(trait);
      return;
    }
    const dirty = this.dirty = new Set([trait]);
    queueMicrotask(() => {
      this.dirty = null;
      // what still moves ends in its own picture, which knows nothing of the changes of another
      if (dirty.has("structure") || dirty.has("drawn")) this.clock.stop();
      // the reader ran what is gone
      if (this.run.on && (dirty.has("structure") || dirty.has("drawn") || dirty.has("numbers"))) this.run.off();
      if (dirty.has("structure")) this.build();
      else if (dirty.has("drawn")) this.redraw();
      else if (dirty.has("numbers") || dirty.has("changes")) this.renumber();
      else this.update();
      if (!dirty.has("answer")) return;
      const { error } = this.model.get("answer");
      this.controls.answered(error);
      this.notice.hidden = error !== "";                // it judges the previous input
      this.slopes.ask();
    });
  }

  // ---- building ----

  build() {
    const all = this.read();
    this.structure = all.structure;
    const { title, note, nodes, events, notice } = this.structure;
    const size = nodes.filter((node) => node.kind !== "constant").length;
    write(this.title, title);
    write(this.subtitle, `${note ? `${note} · ` : ""}${size} nodes, ${events.length} events`);
    this.root.setAttribute("aria-label", `${title}, ${this.subtitle.textContent}`);
    this.selected = this.focused = this.shown = this.spoken = null;
    this.panel.build(this.structure);
    write(this.notice, notice);
    put(this.notice, "data-mark", notice[0] ?? "");       // a verdict has the color of its mark
    this.slopes.update(this.structure.name);
    this.readTapes(all);
    this.run.renew();
    // a model of one's own
    if (this.tape.numbers.line.length) {
      this.panel.parameters.sortBy(1);
      if (this.k === this.structure.events.length) this.panel.tab = "parameters";
    }
    this.redraw(all);
  }

  /** What the model has of the trace; its events as the reader runs them, where they do. */
  read() {
    const { model, run } = this, [structure, drawn] = [model.get("structure"), model.get("drawn")];
    const [numbers, changes] = [JSON.parse(model.get("numbers")), JSON.parse(model.get("changes"))];
    const all = { structure, drawn, numbers, changes };
    return run.on ? arranged(all, run.order) : all;
  }

  /**
   * A part of the answer; one that is a surprise leads to where it is seen.
   * @param {string} style
   * @param {string} text
   * @param {Numbers["line"][number][2]} place
   */
  told(style, text, place) {
    if (!place) return el("span", { class: style && `ac-${style}` }, text);
    const [kind, at] = place;
    return textButton(text, () => {
      if (kind === "event") this.leap(at);
      else if (kind === "node") this.find(at);
      else this.panel.lead(at);
    }, `ac-${style}`);
  }

  /** Other boxes of the same trace: a fold was opened or closed. */
  redraw(all = this.read()) {
    const held = this.timeline.box === document.activeElement;
    this.drawn = all.drawn;
    this.changes = all.changes;
    this.focused = null;
    this.level = null;
    this.#picture = null;
    this.timeline = new Timeline(this, this.structure, this.drawn);
    this.track.replaceChildren(this.timeline.box);
    if (held) this.timeline.box.focus();
    this.resize();
  }

  /** Other numbers of the same graph, or its events in another order. */
  renumber() {
    const all = this.read();
    this.clock.stop();
    this.structure = all.structure;
    this.changes = all.changes;
    this.readTapes(all);
    this.update();
  }

  /** @param {Shown} all */
  readTapes({ structure, numbers: each }) {
    this.tapes = each.map((numbers) => new Tape(structure, numbers));
    this.engine = Math.min(this.engine, this.tapes.length - 1);
    this.line.replaceChildren(...this.tape.numbers.line.map(([style, text, place]) => this.told(style, text, place)));
    this.panel.renumber();
    this.warn();
    this.drawSwitch();
  }

  /** Where there are two engines, a button for each. */
  drawSwitch() {
    const engines = this.tapes.length > 1 ? this.tapes.map((tape) => tape.numbers.engine) : [];
    if (this.switch.childElementCount !== (engines.length ? engines.length + 1 : 0)) {
      const choices = engines.map((engine, i) => button(`numbers from ${engine}`, engine, () => {
        this.engine = i;
        this.renumber();
      }));
      const caption = el("span", { class: "ac-q" }, "numbers from");
      this.switch.replaceChildren(...(choices.length ? [caption, ...choices] : []));
    }
    this.switch.querySelectorAll("button").forEach((each, i) => put(each, "aria-pressed", i === this.engine));
  }

  /** A button for each event that something goes wrong at first: an inf, a nan, a difference between the engines. */
  warn() {
    /** @type {[k: number, text: string][]} */
    const firsts = this.tape.numbers.firsts.map(([word, k]) => [k, `first ${word}`]);
    const differs = this.tapes[1]?.firstDifference();
    if (differs !== undefined) firsts.push([differs, "≠ first difference"]);
    this.places = firsts.map(([k]) => k).sort((a, b) => a - b);
    this.alarms.replaceChildren(...firsts.map(([k, text]) => {
      const event = this.structure.events[k - 1];
      const title = event ? `event ${k}, ${plain(this.filled(event.title, k))}` : "before the first event";
      return button(`Go to the ${text.replace("≠ ", "")}: ${title}`, `${text}: event ${k}`, () => this.leap(k));
    }));
  }

  resize() {
    const width = this.root.clientWidth;
    if (!width) return;
    measureIn(this.root);
    const { layouts } = this.drawn, [wide] = layouts;
    const smallest = wide.width * (this.drawn.large ? 1 : LEAST_SCALE), narrowest = wide.big ? wide.width : smallest;
    // the panel is below the picture if the wide layout has no room beside it
    const below = narrowest + LEAST_PANEL > width;
    const level = below && smallest > width ? layouts.length - 1 : 0;
    // each tab of the panel is in the same place
    const least = narrowest + this.panel.least <= width ? this.panel.least : LEAST_PANEL;
    const panel = Math.max(least, Math.min(this.panel.width, width - wide.width));
    this.root.classList.toggle("ac-below", below);
    this.panel.box.style.width = this.run.box.style.width = below ? "" : `${panel}px`;
    const isNew = level !== this.level;
    const held = this.canvas.box.contains(document.activeElement);
    if (isNew) {
      this.level = level;
      this.#picture = new Picture(this, this.structure, this.drawn, level);
      this.canvas.box.replaceChildren(this.#picture.svg);
    }
    this.fit();
    this.canvas.fitAgain();
    const room = this.track.clientWidth;
    if (room > LEAST_TRACK) this.timeline.draw(room);
    this.slopes.update();
    this.update();
    this.run.follow();
    if (!isNew) return;
    this.canvas.renewed();
    this.run.renewed();
    if (held) this.focus(this.focused ?? this.place(this.current), false);
  }

  /**
   * What is below the plots is as high as the window, so that the node, its sentence and the player are seen together.
   */
  fit() {
    const { root, canvas: { box } } = this;
    /** @type {Set<HTMLElement>} */
    const apart = new Set([this.main, box, this.panel.box, this.controls.box]);
    const stage = /** @type {HTMLElement} */ (box.parentElement);
    const below = root.classList.contains("ac-below") ? [this.run.box] : [];
    const parts = /** @type {HTMLElement[]} */ ([...root.children, ...stage.children, ...below]);
    const taken = parts.reduce((sum, each) => sum + (apart.has(each) ? 0 : each.offsetHeight), 0);
    const around = document.querySelector(".jp-Notebook") ? AROUND : BORDER;
    box.style.maxHeight = `${Math.max(LEAST_STAGE, innerHeight - around - taken)}px`;
  }

  // ---- moving through the events ----

  /** @param {number} k */
  sentence(k) {
    if (!k) return `Before the first of ${this.structure.events.length} events`;
    const { title, text } = this.structure.events[k - 1];
    const words = [title, text].map((list) => plain(this.filled(list, k)));
    return `Event ${k} of ${this.structure.events.length}. ${words.join(". ")}`;
  }

  /**
   * Runs with their numbers: one of style "nv" or "ng" stands for a value or a gradient, "after", "before", "sent 0" of
   * event k, or "value 5".
   * @param {Run[]} list
   * @param {number} k
   * @returns {Run[]}
   */
  filled(list, k) {
    return list.map(([style, text]) => {
      if (style !== "nv" && style !== "ng") return [style, text];
      const [kind, index] = text.split(" ");
      const place = kind === "value" ? [kind, Number(index)] : [kind, k - 1, Number(index)];
      const tensor = this.tape.at(/** @type {Place} */ (place));
      return style === "ng" ? [gradientStyle(tensor), tensorText(tensor, true)] : ["v", tensorText(tensor)];
    });
  }

  /** Go to event k; `moving` with a motion, where the reader allows it. @param {number} k */
  go(k, { moving = false } = {}) {
    const to = clamp(k, 0, this.structure.events.length);
    if (to === this.k) return;
    this.selected = null;
    this.moving = moving && !this.player.calm.matches;
    this.model.set("event", to);
    this.model.save_changes();      // at once: what is not saved, the kernel's echo of an older move would undo
  }

  /** Go to the beginning of the next phase, or of the one before. @param {number} direction */
  phase(direction) {
    const { events } = this.structure, firsts = [0, ...phasesOf(events).map(({ first }) => first), events.length];
    this.go(direction > 0 ? firsts.find((first) => first > this.k) ?? this.k
      : firsts.findLast((first) => first < this.k) ?? 0);
  }

  update() {
    if (!this.#picture) return;
    const { k } = this, motion = this.motion(k);
    this.picture.update(k, this.selected);
    this.timeline.update(k);
    this.panel.update(k, this.selected);
    this.player.update(k);
    this.hold(this.focused ?? this.place(this.current));
    this.say(k);
    for (const box of motion?.boxes ?? []) this.canvas.bring(box);
    if (k && k !== this.shown) {
      this.canvas.bring(this.place(this.current));
      this.run.follow();
    }
    if (motion) this.clock.run(motion, this.player.rate, () => this.update());
    this.moving = false;
    this.shown = k;
  }

  /**
   * The motion that leads to event k, where one is asked for. Another that still moves is over, unless nothing else has
   * changed than what it leads to.
   * @param {number} k
   */
  motion(k) {
    const { motion: now } = this.clock, { picture, tape, shown } = this;
    const goesOn = now?.picture === picture && now.to === k && now.tape === tape && this.selected === null;
    if (!goesOn) this.clock.stop();
    if (goesOn || !this.moving || shown === null || k <= shown) return null;
    return new Motion(picture, shown, k);
  }

  /**
   * What a screen reader says: one sentence for each step, none while playing. Where the timeline has the focus, its
   * value is that sentence already.
   * @param {number} k
   */
  say(k) {
    const place = `${k} ${this.selected}`;
    if (this.player.playing || this.run.on || place === this.spoken) return;
    this.spoken = place;
    put(this.voice, "aria-live", this.timeline.box === document.activeElement ? "off" : "polite");
    write(this.voice, this.selected === null ? this.sentence(k) : this.panel.sentence(this.selected, k));
  }

  /** The box that a node is drawn in; 0 for a constant that is not drawn. @param {number} node */
  place(node) { return this.picture.boxOf.get(node) ?? 0; }

  /** One box of the picture is a tab stop. @param {number} index */
  hold(index) {
    const { group } = this.picture.boxes[index];
    if (this.tabStop && this.tabStop !== group) put(this.tabStop, "tabindex", -1);
    this.tabStop = group;
    put(group, "tabindex", 0);
  }

  // ---- the reader's hands ----

  /** @param {number | null} node */
  select(node) {
    this.selected = node;
    this.update();
  }

  /** Show a node that is asked for from outside of the graph. @param {number} node */
  find(node) {
    this.stop();
    this.focused = this.place(node);
    this.select(node);
    this.canvas.bring(this.focused);
  }

  /** @param {MouseEvent} event */
  click(event) {
    const group = closest(event, ".ac-node");
    this.stop();
    if (this.canvas.dragged || (this.run.on && !group)) return;
    if (!group) return this.select(null);
    this.focus(Number(group.dataset.box), false);
    this.press(group);
  }

  /**
   * A fold opens or closes; any other box is looked into. Where the reader runs the pass, it is to run.
   * @param {HTMLElement | SVGElement} group
   */
  press(group) {
    const { box, fold, node } = group.dataset;
    if (this.run.on) this.run.choose(Number(box));
    else if (fold) this.canvas.flip(Number(box)); else this.select(Number(node));
  }

  toggleHelp(open = this.keys.hidden) {
    this.keys.hidden = !open;
    put(this.help, "aria-expanded", open);
  }

  /** ↑ and ↓: to the next button of the player, or along the lines of the picture. @param {number} direction */
  rove(direction) {
    if (this.player.rove(direction)) return;
    const group = focusedBox();
    this.focus(group ? this.picture.neighbour(Number(group.dataset.box), direction) : this.place(this.current));
  }

  /**
   * @param {number} index of a box
   * @param {boolean} seen whether to scroll there
   */
  focus(index, seen = true) {
    this.focused = index;
    this.hold(index);
    this.picture.boxes[index].group.focus({ preventScroll: true });
    if (seen) this.canvas.bring(index);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const nothing = this.selected === null && this.keys.hidden && !this.run.turn;
    if (isChord(event) || (event.key === "Escape" && nothing)) return;
    event.stopPropagation();
    if (this.run.on ? this.run.key(event) : false) return event.preventDefault();
    if (closest(event, "input")) return;
    if (this.act(event)) event.preventDefault();
  }

  /** Do what a key asks for; whether it asks for anything. @param {KeyboardEvent} event */
  act(event) {
    const group = closest(event, ".ac-node"), { canvas, player } = this;
    switch (event.key) {
      case "ArrowLeft": this.stepOrPhase(-1, event.shiftKey); break;
      case "ArrowRight": this.stepOrPhase(1, event.shiftKey); break;
      case "ArrowUp": this.rove(-1); break;
      case "ArrowDown": this.rove(1); break;
      case "Home": this.leap(0); break;
      case "End": this.leap(this.structure.events.length); break;
      case " ":
        if (closest(event, "button")) return false;
        if (group?.dataset.fold) this.press(group); else player.toggle();
        break;
      case "Enter":
        if (!group) return false;
        this.press(group);
        break;
      case "Escape":
        this.toggleHelp(false);
        this.select(null);
        break;
      case "i": player.into(); break;
      case "f": canvas.query.focus(); break;
      case "+": canvas.zoomTo(canvas.zoom * ZOOM_STEP); break;
      case "-": canvas.zoomTo(canvas.zoom / ZOOM_STEP); break;
      case "0": canvas.fit(); break;
      case "p": this.panel.toggle(); break;
      case "n": this.leap(this.places.find((k) => k > this.k) ?? this.places[0] ?? this.k); break;
      case "?": this.toggleHelp(); break;
      default: return false;
    }
    return true;
  }

  /**
   * @param {number} direction
   * @param {boolean} byPhase
   */
  stepOrPhase(direction, byPhase) {
    this.stop();
    if (byPhase) this.phase(direction); else this.player.step(direction);
  }

  /** @param {number} k */
  leap(k) {
    this.stop();
    this.go(k);
  }
}

/** @returns {SVGElement | null} */
function focusedBox() {
  return document.activeElement?.closest(".ac-node") ?? null;
}

/** @type {Render<GraphState>} */
export const graph = ({ model, el: parent }) => {
  const view = new View(model, parent);
  return () => view.remove();
};
