// "You run it": the reader runs the backward pass by hand, node after node, and is told of each wrong turn.

import { button } from "../kit/button.js";
import { el, paragraph, plain, put, runs, write } from "../kit/dom.js";
import { count as numbersOf, finite, tensorText } from "../kit/format.js";
import { Flyer } from "./motion.js";
import { first, mayRun, meant, nameOf, passOf, questionsOf, refusal, refusing, savedBy, typed } from "./turns.js";

/** @import { Tensor } from "../kit/types.d.ts" */
/** @import { Answer, Question } from "./turns.js" */
/** @import { View } from "./view.js" */

const LETTERS = ["A", "B", "C"];
const WHO = "Which node may run next?", AGAIN = "backward() is called again. At which node does it raise?";
const MOST_NAMED = 3;                            // wrong turns that the last line names
const MOST_LIFTED = 3;                           // numbers of a gradient that lifts off
const SHAKE_MS = 400;
const ABOVE = 10, BESIDE = 40;                   // pixels, from a box to its number that waits
const SIGNS = ["frame", "plus", "dot"];          // boxes that are not chosen
const OFF = ["Home", "End", "i", "n"];           // keys that lead elsewhere
const LIST = new Intl.ListFormat("en-GB");

/** A finger has no keys: a field that takes the focus would hide half of the page. */
const fingers = () => matchMedia("(pointer: coarse)").matches;

/**
 * What the reader has done so far.
 * @returns {{ wrong: string[], shown: number, given: Map<number, Tensor>, refuses: string }}
 */
const nothing = () => ({ wrong: [], shown: 0, given: new Map(), refuses: "" });

/** @param {number} count @param {string} one */
const times = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;

/**
 * A button that says its key, where there are keys.
 * @param {string} text
 * @param {string} key
 * @param {() => void} onclick
 */
const keyButton = (text, key, onclick) => button(`${text}, key ${key}`,
  el("span", {}, text, el("span", { class: "ac-run-key" }, ` (${key})`)), onclick);

export class Run {
  /** @param {View} view */
  constructor(view) {
    this.view = view;
    this.on = false;
    /** Whether it is asked where a second backward() raises. */
    this.again = false;
    /** The numbers of all events, in the order in which the reader runs them. @type {number[]} */
    this.order = [];
    /** @type {{ first: number, last: number } | null} */
    this.pass = null;
    this.done = nothing();
    /** The box that runs, its events, and what is still asked. */
    this.turn = /** @type {{ box: number, events: number[], questions: Question[] } | null} */ (null);
    this.switch = button("You run it: the backward pass by hand", "You run it", () => this.toggle(), "ac-you-run");
    this.question = el("span", { class: "ac-run-question", role: "status" });
    this.count = el("span", { class: "ac-run-count" });
    this.help = [keyButton("Hint", "H", () => this.hint()), keyButton("Show me this one", "P", () => this.show())];
    this.bar = el("div", { class: "ac-run-bar", hidden: "" }, this.question, this.count, ...this.help);
    this.asked = el("div", { class: "ac-run-asked" });
    this.told = el("p", { class: "ac-run-told", role: "alert" });
    this.rows = el("table", { class: "ac-run-rows", "aria-label": "so far" });
    this.box = el("div", { class: "ac-run", role: "group", "aria-label": "You run it", hidden: "" },
      this.asked, this.told, this.rows);
    /** The number that has lifted off and waits for its slope. @type {Flyer | null} */
    this.lifted = null;
    this.field = el("input", { type: "text", inputmode: "text", autocomplete: "off", maxlength: "16",
      spellcheck: "false", onkeydown: (event) => { if (event.key === "Enter") this.type(); } });
  }

  get tape() { return this.view.tape; }

  get finished() { return this.on && this.view.k >= (this.pass?.last ?? 0); }

  /** Another trace: where it has no backward pass, there is nothing to run. */
  renew() {
    this.pass = passOf(this.view.structure.events);
    this.switch.hidden = !this.pass;
  }

  toggle() {
    if (this.on) this.stop(); else this.start();
  }

  start() {
    const { view, pass } = this;
    if (!pass) return;
    view.stop();
    this.on = true;
    this.restart(pass.first - 1);
    view.root.scrollIntoView({ block: "nearest" });      // it has another height now
  }

  /** @param {number} k */
  restart(k) {
    this.again = false;
    this.turn = null;
    this.done = nothing();
    this.rows.replaceChildren();
    this.order = this.view.structure.events.map((_, i) => i + 1);
    this.say("");
    this.showAll(true);
    this.view.rearrange();
    this.view.go(k);
    this.report();
    this.mark();
    this.ask();
    this.view.focus(this.view.place(this.view.structure.root));
  }

  stop() {
    this.off();
    this.view.rearrange();
  }

  /** It is over: what is shown next is another trace, or this one in its own order. */
  off() {
    this.on = this.again = false;
    this.turn = null;
    this.renewed();
    this.showAll(false);
  }

  /** The picture is a new one. */
  renewed() {
    this.mark();
    this.lift(this.turn?.questions[0]);
  }

  /** @param {boolean} on */
  showAll(on) {
    this.bar.hidden = this.box.hidden = !on;
    put(this.switch, "aria-pressed", on);
    this.view.root.classList.toggle("ac-running", on);
    this.view.root.classList.remove("ac-hinted");
    this.view.resize();
  }

  // ---- which node runs ----

  /**
   * The events that can run when a box is chosen: its own, and those of signs behind it, which nobody chooses.
   * @param {number} box
   */
  may(box) {
    const { view: { drawn: { boxes }, k }, tape } = this, { nodes } = boxes[box];
    if (!this.chosen(box)) return [];
    const signs = boxes.filter((each) => SIGNS.includes(each.kind) && each.kind !== "frame");
    const own = mayRun(tape, nodes, k);
    return own.length ? mayRun(tape, [...nodes, ...signs.flatMap((each) => each.nodes)], k) : own;
  }

  /** Whether a box is one to be chosen: a sign is only where the pass begins there. @param {number} box */
  chosen(box) {
    const { drawn: { boxes }, structure: { root } } = this.view, { kind, nodes } = boxes[box];
    return !SIGNS.includes(kind) || (kind !== "frame" && nodes.includes(root));
  }

  /** The reader has chosen a box. @param {number} box */
  choose(box) {
    const { view, tape } = this, { nodes } = view.drawn.boxes[box];
    if (!this.chosen(box)) return;
    if (this.turn) return this.say(`${first(this.nameOf(this.turn.box))} runs: say what it sends first.`);
    if (this.again) return this.raises(box);
    if (this.finished) return;
    const events = this.may(box);
    if (!events.length) {
      const { short, why } = refusal(tape, nodes, view.k, this.nameOf(box));
      this.shake(box);
      return this.wrong(short, why);
    }
    this.begin(box, events);
  }

  /** @param {number} box */
  nameOf(box) {
    const { structure, drawn } = this.view, { nodes: [node], name } = drawn.boxes[box];
    return name ?? nameOf(structure, node);
  }

  /**
   * These events are next.
   * @param {number} box
   * @param {number[]} events
   * @param {boolean} [asks]
   */
  begin(box, events, asks = true) {
    const { view } = this, { k } = view, moved = new Set(events);
    view.clock.stop();                           // what ran before may still be on its way
    view.update();
    const rest = this.order.map((_, i) => i + 1).filter((at) => at > k && !moved.has(at));
    const places = [...Array.from({ length: k }, (_, i) => i + 1), ...events, ...rest];
    if (events.some((event, i) => event !== k + 1 + i)) {
      this.order = places.map((at) => this.order[at - 1]);
      view.rearrange();
    }
    const now = events.map((_, i) => k + 1 + i);
    const questions = asks ? questionsOf(this.tape, now, view.drawn.boxes[box].nodes) : [];
    this.turn = { box, events: now, questions };
    this.say("");
    this.mark();
    this.ask();
  }

  /** A node shakes once that cannot run. @param {number} box */
  shake(box) {
    const { group } = this.view.picture.boxes[box];
    group.classList.add("ac-shakes");
    setTimeout(() => group.classList.remove("ac-shakes"), SHAKE_MS);
  }

  /**
   * @param {string} short
   * @param {string} why
   */
  wrong(short, why) {
    this.done.wrong.push(short);
    this.row("ac-bad", short, "");
    this.say(why, true);
    if (!this.turn) this.view.root.classList.add("ac-hinted");
    this.report();
    this.mark();
  }

  /** The boxes that may run, and the one that does. */
  mark() {
    const { view, turn } = this;
    view.picture.boxes.forEach((box, i) => {
      box.toggle("ac-may", this.on && !turn && !this.finished && this.may(i).length > 0);
      box.toggle("ac-runs", this.on && turn?.box === i);
    });
  }

  // ---- what it sends ----

  /** Ask what is next: for a number, or for a node. */
  ask() {
    const { turn, finished } = this, question = turn?.questions[0];
    if (turn && !question) return this.play();
    this.asked.replaceChildren();
    this.box.scrollTop = 0;
    for (const each of this.help) each.hidden = finished;
    const running = turn ? `${first(this.nameOf(turn.box))} runs.` : "";
    write(this.question, question ? running : this.again ? AGAIN : finished ? "All has run." : WHO);
    this.counts();
    this.lift(question);
    if (question) this.offer(question);
    else if (finished && !this.again) this.end();
  }

  /** @param {Question} question */
  offer({ title, words, offers, right }) {
    const { field, asked } = this, chips = offers.map((offer, i) => {
      const label = `${LETTERS[i]}: ${offer.text.replaceAll("\n", "; ")}`;
      return el("button", { type: "button", class: "ac-chip-button", "data-text": offer.text, "aria-label": label,
        onclick: () => this.answer(offer) }, el("kbd", {}, LETTERS[i]), el("span", {}, offer.text));
    });
    put(field, "aria-label", title);
    asked.append(el("h3", {}, title), paragraph("", ...runs(words)));
    if (right.tensor?.[1]?.length === 1 && finite(right.tensor)) {
      field.value = "";
      const enter = button("That is it, key Enter", "↵", () => this.type());
      asked.append(el("div", { class: "ac-run-field" }, field, enter));
    }
    asked.append(el("div", { class: "ac-run-offers", role: "group", "aria-label": title }, ...chips));
    if (fingers()) return;
    (field.isConnected ? field : chips[0]).focus({ preventScroll: true });
  }

  /** What arrived lifts off its box, and waits for the slope. @param {Question} [question] */
  lift(question) {
    const { view, turn, tape } = this, { picture } = view;
    this.lifted?.group.remove();
    this.lifted = null;
    if (!turn || !question || question.edge === null) return;
    const { consumer, producer } = view.structure.edges[question.edge], { gradient } = tape.node(consumer, view.k + 1);
    const { x, y, split } = picture.boxes[turn.box];
    const what = gradient && numbersOf(gradient) <= MOST_LIFTED ? `${tensorText(gradient, true)} × ?` : "?";
    this.lifted = new Flyer(picture.svg, "ac-climbs", `${what} → ${nameOf(view.structure, producer)}`);
    this.lifted.put([x + split + BESIDE - this.lifted.width / 2, y - ABOVE], 1);
    view.canvas.bring(turn.box);
  }

  type() {
    const value = typed(this.field.value), question = this.turn?.questions[0];
    if (!question) return;
    if (value === null) return this.say("Type a number: −0.5, 2, 1e-3.");
    const known = meant(question, value), text = this.field.value;
    this.answer(known ?? { text, tensor: null, short: "another number",
      why: `${text} is not it. The hint shows how it is worked out.` });
  }

  /** @param {Answer} answer */
  answer(answer) {
    const { turn } = this, question = turn?.questions[0];
    if (!turn || !question) return;
    if (answer !== question.right) {
      for (const chip of this.asked.querySelectorAll("[data-text]")) {
        if (chip.getAttribute("data-text") === answer.text) chip.classList.add("ac-struck");
      }
      if (document.activeElement === this.field) this.field.select();
      return this.wrong(`${question.label}: ${answer.short}`, answer.why);
    }
    const { text } = answer;
    this.row("", question.label, `${text.includes("\n") ? "" : text} ✓`);
    this.say("");
    turn.questions.shift();
    this.ask();
  }

  /** All is said: what runs is seen, as in play. */
  play() {
    const { view, turn } = this;
    if (!turn) return;
    this.turn = null;
    this.view.root.classList.remove("ac-hinted");
    for (const event of turn.events) this.take(event);
    view.focus(turn.box, false);
    view.go(turn.events[turn.events.length - 1], { moving: true });
    this.mark();
    this.report();
    this.ask();
  }

  /** What a leaf has taken in; a hook may have changed it. @param {number} event */
  take(event) {
    const { tape: { structure, numbers }, view } = this, { kind, node, text } = structure.events[event - 1];
    const [, after] = numbers.events[event - 1];
    if (kind !== "accumulate" || !after) return;
    this.done.given.set(node, after);
    this.say(plain(view.filled(text, event)));
  }

  // ---- help ----

  hint() {
    const { turn, view } = this, question = turn?.questions[0];
    if (question) return this.say(question.hint.map(plain).join("  "));
    const may = view.picture.boxes.filter(({ index }) => this.may(index).length);
    view.root.classList.add("ac-hinted");
    this.say(`All has arrived at ${LIST.format(may.map(({ index }) => this.nameOf(index)))}.`);
  }

  /** What runs, or what would run next, is played without a question. */
  show() {
    const { view } = this;
    if (this.finished) return;
    const box = this.turn?.box ?? view.place(view.structure.events[view.k].node);
    const events = this.turn?.events ?? this.may(box);
    this.done.shown += events.length;
    if (!this.turn) this.begin(box, events, false);
    else {
      this.turn.questions = [];
      this.say("");
      this.ask();
    }
  }

  // ---- what is told ----

  /**
   * @param {string} text
   * @param {boolean} bad
   */
  say(text, bad = false) {
    write(this.told, text);
    this.told.classList.toggle("ac-wrong", bad);
  }

  /**
   * @param {string} style
   * @param {string} label
   * @param {string} text
   */
  row(style, label, text) {
    const row = el("tr", { class: style }, el("th", { scope: "row" }, label), el("td", { class: "ac-g" }, text));
    this.rows.prepend(row);
  }

  counts() {
    const { pass, view, done: { wrong } } = this;
    if (!pass) return;
    const [ran, all] = [view.k - pass.first + 1, pass.last - pass.first + 1];
    write(this.count, `${ran} of ${times(all, "event")} · ${times(wrong.length, "wrong turn")}`);
  }

  /** Everything has run: who agrees, and where a second pass would raise. */
  end() {
    const { view: { tapes, structure, k }, pass, done: { given, refuses, shown } } = this;
    const rows = [...given].map(([node, tensor]) => el("tr", {},
      el("th", { scope: "row" }, `${structure.nodes[node].label || "leaf"}.grad`),
      el("td", { class: "ac-g" }, tensorText(tensor, true))));
    const buttons = [button("Run it once more", "Once more", () => this.start())];
    const own = shown < k - (pass?.first ?? 0) + 1;
    if (own && refusing(this.view.model.get("structure")) !== null && !refuses) {
      buttons.push(button("Call backward() a second time", "Call backward() again", () => this.callAgain()));
    }
    const differs = tapes[1]?.firstDifference() !== undefined;
    const style = differs ? "ac-bad" : own ? "ac-agreed" : "";
    this.asked.replaceChildren(paragraph(`ac-verdict ${style}`, this.verdict(differs)),
      el("table", { class: "ac-run-rows" }, ...rows), el("div", { class: "ac-run-field" }, ...buttons));
  }

  /** @param {boolean} differs whether the engines do */
  verdict(differs) {
    const { view: { tapes, tape }, pass, done: { wrong, shown, given } } = this;
    const engines = tapes.map(({ numbers }) => numbers.engine).reverse();
    const all = pass ? pass.last - pass.first + 1 : 0, events = times(all, "event");
    if (shown >= all) return `You have seen all ${events}. Run them once more, by hand.`;
    const named = `${wrong.slice(0, MOST_NAMED).join(", ")}${wrong.length > MOST_NAMED ? ", …" : ""}`;
    const turns = wrong.length ? `${times(wrong.length, "wrong turn")} (${named})` : "no wrong turn";
    const counted = `${events}, ${times(given.size, "gradient")}, ${turns}${shown ? `, ${shown} shown` : ""}`;
    return differs ? `≠ ${LIST.format(engines)} differ. Your numbers are those of ${tape.numbers.engine}: ${counted}`
      : `✓ ${LIST.format([...engines, "you"])} agree: ${counted}`;
  }

  // ---- a second backward() ----

  callAgain() {
    this.again = true;
    this.say("");
    this.ask();
    this.view.focus(this.view.place(this.view.structure.root));
  }

  /** The reader says that it raises here. @param {number} box */
  raises(box) {
    const { view } = this, [node] = view.drawn.boxes[box].nodes, name = this.nameOf(box);
    const saved = savedBy(view.structure, node);
    if (node !== refusing(view.model.get("structure"))) {
      const why = saved.length ? "It would raise there too, but another node comes first."
        : "It saved nothing, so nothing is missing there.";
      this.shake(box);
      return this.wrong(`second pass: ${name}`, `Not at ${name}. ${why}`);
    }
    this.again = false;
    this.done.refuses = name;
    this.report();
    this.ask();
    this.say(`Here. ${first(name)} had saved ${LIST.format(saved)}, and let go of it when it had run. `
      + `${view.tapes[0].numbers.engine} says: Trying to backward through the graph a second time.`);
  }

  /** The kernel hears of it, so that an exercise can read it. */
  report() {
    const { view, pass, done: { wrong, shown, given, refuses } } = this;
    if (!pass) return;
    const gradients = Object.fromEntries([...given].map(([node, [shape, values]]) => (
      [view.structure.nodes[node].label, { shape, values }])));
    const ran = Math.max(0, view.k - pass.first + 1), events = pass.last - pass.first + 1;
    view.model.set("you", { ran, events, wrong: [...wrong], shown, gradients, refuses });
    view.model.save_changes();
    this.counts();
  }

  // ---- keys ----

  /** Do what a key asks for; whether it asks for anything. @param {KeyboardEvent} event */
  key(event) {
    const { turn } = this, letter = event.key.toUpperCase(), typing = event.target === this.field;
    const at = event.target instanceof Element ? event.target : null, box = at?.closest(".ac-node");
    if (at?.closest("input") && !typing) return false;
    const chip = Math.max(LETTERS.indexOf(letter), typing ? -1 : ["1", "2", "3"].indexOf(letter));
    const offer = turn?.questions[0]?.offers[chip];
    if (offer) this.answer(offer);
    else if (letter === "H") this.hint();
    else if (letter === "P") this.show();
    else if (event.key === "Escape" && turn) this.leave();
    else if (typing) return false;
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") this.rove(event.key === "ArrowLeft" ? -1 : 1);
    else if (box instanceof SVGElement && (event.key === "Enter" || event.key === " ")) {
      this.choose(Number(box.dataset.box));
    } else return OFF.includes(event.key) || (event.key === " " && !at?.closest("button"));
    return true;
  }

  /** The chosen node does not run after all. */
  leave() {
    const { turn, view } = this;
    this.turn = null;
    this.say("");
    this.mark();
    this.ask();
    if (turn) view.focus(turn.box);
  }

  /** To the next box, or the one before, whichever is drawn. @param {number} direction */
  rove(direction) {
    const { view } = this, { boxes } = view.picture, { length } = boxes;
    let at = view.focused ?? view.place(view.structure.root);
    do at = (at + direction + length) % length; while (!this.chosen(at));
    view.focus(at);
  }
}
