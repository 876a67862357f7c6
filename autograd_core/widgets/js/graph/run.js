// "You run it": the reader runs the backward pass by hand, node after node, and is told of each wrong turn.

import { button } from "../kit/button.js";
import { clamp } from "../kit/clamp.js";
import { el, paragraph, plain, put, runs, write } from "../kit/dom.js";
import { count as numbersOf, finite, gradientStyle, tensorText } from "../kit/format.js";
import { signStyle } from "../kit/shade.js";
import { Room } from "./room.js";
import {
  first, knownNames, mayRun, meant, nameOf, passOf, questionsOf, refusal, refusing, savedBy, typed,
} from "./turns.js";

/** @import { Tensor } from "../kit/types.d.ts" */
/** @import { Answer, Question } from "./turns.js" */
/** @import { View } from "./view.js" */

const LETTERS = ["A", "B", "C"];
const WHO = "Which node may run next?", AGAIN = "backward() is called again. At which node does it raise?";
const MOST_NAMED = 3;                            // wrong turns that the last line names
const MOST_LIFTED = 3;                           // numbers of a gradient that are said at its box
const SHAKE_MS = 400;
const APART = 8, NEAR = 30;                      // pixels from a box to its card: the least, and the most
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
    this.second = button("Call backward() again: where does it raise?", "Call backward() again", () => this.skip(),
      "ac-call-again");
    this.question = el("span", { class: "ac-run-question", role: "status" });
    this.count = el("span", { class: "ac-run-count" });
    this.help = [keyButton("Hint", "H", () => this.hint()), keyButton("Show me this one", "P", () => this.show())];
    this.bar = el("div", { class: "ac-run-bar", hidden: "" }, this.question, this.count, ...this.help);
    this.asked = el("div");
    this.told = el("p", { class: "ac-run-told", role: "alert" });
    this.field = el("input", { type: "text", inputmode: "text", autocomplete: "off", maxlength: "40",
      spellcheck: "false", onkeydown: (event) => { if (event.key === "Enter") this.type(); } });
    this.lead = el("span");
    this.entry = el("div", { class: "ac-run-field" }, this.lead, this.field,
      button("Check the answer, key Enter", "↵", () => this.type()));
    /** What is asked and said at a box. */
    this.card = el("div", { class: "ac-run-card" }, this.entry, this.told);
    /** The box that the card is at. */
    this.place = 0;
    this.rows = el("table", { class: "ac-run-rows", "aria-label": "so far" });
    this.box = el("div", { class: "ac-run", role: "group", "aria-label": "You run it", hidden: "" },
      this.asked, this.rows);
  }

  get tape() { return this.view.tape; }

  get finished() { return this.on && this.view.k >= (this.pass?.last ?? 0); }

  /** Another trace: where it has no backward pass, there is nothing to run. */
  renew() {
    this.pass = passOf(this.view.structure.events);
    this.switch.hidden = !this.pass;
    this.second.hidden = !this.view.model.get("you")?.again;
  }

  toggle() {
    if (this.on) this.stop(); else this.start();
  }

  /** @param {number} [shown] the event at which it begins */
  start(shown = (this.pass?.first ?? 1) - 1) {
    const { view, pass } = this;
    if (!pass) return;
    view.stop();
    this.on = true;
    this.restart(shown);
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
    this.view.renumber();
    this.view.go(k);
    this.report();
    this.mark();
    this.ask();
    this.view.focus(this.view.place(this.view.structure.root));
  }

  stop() {
    this.off();
    this.view.renumber();
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
    this.point();
  }

  /** @param {boolean} on */
  showAll(on) {
    this.bar.hidden = this.box.hidden = !on;
    put(this.switch, "aria-pressed", on && !this.again);
    put(this.second, "aria-pressed", on && this.again);
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
    if (this.turn) return this.say(`${first(this.nameOf(this.turn.box))} runs. Answer its question first.`, false, box);
    if (this.again) return this.raises(box);
    if (this.finished) return;
    const events = this.may(box);
    if (!events.length) {
      const { short, why } = refusal(tape, nodes, view.k, this.nameOf(box));
      this.shake(box);
      return this.wrong(short, why, box);
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
      view.renumber();
    }
    const now = events.map((_, i) => k + 1 + i);
    const questions = asks ? questionsOf(this.tape, now) : [];
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
   * @param {number} [box] that was chosen
   */
  wrong(short, why, box) {
    this.done.wrong.push(short);
    this.row("ac-bad", short, "");
    this.say(why, true, box);
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
    const over = this.done.refuses ? `The second call raised at ${this.done.refuses}.` : "Every node has run.";
    write(this.question, question ? running : this.again ? AGAIN : finished ? over : WHO);
    this.counts();
    this.put(question);
    if (question) this.offer(question);
    else if (finished && !this.again) this.end();
  }

  /** @param {Question} question */
  offer({ title, words, offers }) {
    const { field, asked } = this, chips = offers.map((offer, i) => {
      const label = `${LETTERS[i]}: ${offer.text.replaceAll("\n", "; ")}`;
      return el("button", { type: "button", class: "ac-chip-button", "data-text": offer.text, "aria-label": label,
        onclick: () => this.answer(offer) }, el("kbd", {}, LETTERS[i]), el("span", {}, offer.text));
    });
    put(field, "aria-label", title);
    asked.append(el("h3", {}, title), paragraph("", ...runs(words)));
    asked.append(el("div", { class: "ac-run-offers", role: "group", "aria-label": title }, ...chips));
    if (fingers()) return;
    (this.entry.hidden ? chips[0] : field).focus({ preventScroll: true });
  }

  /** The field for an answer, at the box that runs, where the answer is one number. @param {Question} [question] */
  put(question) {
    const { view, turn, tape } = this, values = question?.right.tensor;
    this.entry.hidden = !turn || !question || values?.[1]?.length !== 1 || !finite(values);
    if (turn && question) {
      const edge = question.edge === null ? null : view.structure.edges[question.edge];
      const { gradient } = tape.node(edge?.consumer ?? view.drawn.boxes[turn.box].nodes[0], view.k + 1);
      const what = gradient && numbersOf(gradient) <= MOST_LIFTED ? tensorText(gradient, true) : "?";
      write(this.lead, edge ? `${what} × slope → ${nameOf(view.structure, edge.producer)}:` : `${question.label}:`);
      this.field.value = "";
      this.place = turn.box;
    }
    this.point();
  }

  /** The card is next to its box, at a free place if there is one. It lets clicks through to what it covers. */
  point() {
    const { view: { canvas, picture }, card, on } = this, box = on && picture.boxes[this.place];
    if (!box) return card.remove();
    if (card.parentNode !== canvas.box) canvas.box.append(card);
    card.hidden = this.entry.hidden && !this.told.textContent;
    if (card.hidden) return;
    const room = new Room(picture), { zoom, origin } = room, { offsetHeight: high, offsetWidth: wide } = card;
    const { seen } = canvas, { x, y, width, height } = box;
    const [w, h, right, below] = [wide / zoom, high / zoom, x + width + APART, y + height + APART];
    const free = room.nearest(picture, box, w, h);
    const far = free ? Math.max(free[0] - right, x - free[0] - w, free[1] - y - height, y - free[1] - h) : Infinity;
    const aside = right * zoom + wide < seen.left + seen.width ? [right, y]
      : [x, below + h > picture.placed.height ? y - APART - h : below];
    const [left, top] = (free && far < NEAR ? free : aside).map((each, i) => origin[i] + each * zoom);
    card.style.left = `${clamp(left, seen.left, Math.max(seen.left, seen.left + seen.width - wide - APART))}px`;
    card.style.top = `${Math.max(0, top)}px`;
    const begin = Math.min(y * zoom, top) - APART, end = Math.max((y + height) * zoom, top + high) + APART;
    if (begin < seen.top) canvas.scroll({ top: Math.max(0, begin) });
    else if (end > seen.top + seen.height) canvas.scroll({ top: end - seen.height });
  }

  /** The node that comes next is seen. */
  follow() {
    const { view } = this, next = view.structure.events[view.k];
    if (this.on && !this.turn && next) view.canvas.bring(view.place(next.node));
  }

  type() {
    const text = this.field.value.trim(), question = this.turn?.questions[0];
    const value = typed(text, knownNames(this.tape, this.view.k));
    if (!question) return;
    if (value === null) return this.say("Type a number such as −0.5, a name such as v, or a product such as 0.3*v.");
    const known = meant(question, value), why = `${text} isn't the right number. The hint shows how it is computed.`;
    this.answer(known ?? { text, tensor: null, short: "another number", why });
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
    this.say(`All gradients have arrived at ${LIST.format(may.map(({ index }) => this.nameOf(index)))}.`);
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
   * @param {boolean} [bad]
   * @param {number} [box] where it is said
   */
  say(text, bad = false, box = this.turn?.box ?? this.place) {
    write(this.told, text);
    this.told.classList.toggle("ac-wrong", bad);
    this.place = box;
    this.point();
  }

  /**
   * @param {string} style
   * @param {string} label
   * @param {string} text
   */
  row(style, label, text) {
    const cell = el("td", { class: signStyle(text) }, text);
    const row = el("tr", { class: style }, el("th", { scope: "row" }, label), cell);
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
      el("td", { class: `ac-${gradientStyle(tensor)}` }, tensorText(tensor, true))));
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
    const { view: { tapes, tape }, pass, done: { wrong, shown, given, refuses } } = this;
    const engines = tapes.map(({ numbers }) => numbers.engine).reverse();
    const all = pass ? pass.last - pass.first + 1 : 0, events = times(all, "event");
    const named = `${wrong.slice(0, MOST_NAMED).join(", ")}${wrong.length > MOST_NAMED ? ", …" : ""}`;
    const turns = wrong.length ? `${times(wrong.length, "wrong turn")} (${named})` : "no wrong turn";
    if (shown >= all && refuses) return `✓ You found where it raises: ${turns}`;
    if (shown >= all) return `You have seen all ${events}. Run them once more, by hand.`;
    const counted = `${events}, ${times(given.size, "gradient")}, ${turns}${shown ? `, ${shown} shown` : ""}`;
    return differs ? `≠ ${LIST.format(engines)} differ. You ran ${tape.numbers.engine}: ${counted}`
      : `✓ ${LIST.format([...engines, "you"])} agree: ${counted}`;
  }

  // ---- a second backward() ----

  /** The first pass is over, and nobody ran it by hand. */
  skip() {
    const { pass } = this;
    if (!pass) return;
    this.start(pass.last);
    this.done.shown = pass.last - pass.first + 1;
    this.report();
    this.callAgain();
  }

  callAgain() {
    this.again = true;
    this.showAll(true);
    this.say("");
    this.ask();
    this.view.focus(this.view.place(this.view.structure.root));
  }

  /** The reader says that it raises here. @param {number} box */
  raises(box) {
    const { view } = this, [node] = view.drawn.boxes[box].nodes, name = this.nameOf(box);
    const { structure } = view, saved = savedBy(structure, node), at = refusing(view.model.get("structure"));
    if (node !== at) {
      const place = (/** @type {number | null} */ each) => (
        structure.events.findIndex((event) => event.node === each && event.kind !== "forward"));
      const late = place(node) > place(at), leaf = structure.nodes[node].kind === "leaf";
      const why = leaf && late ? "Nothing reaches it: its .grad stays as it was."
        : leaf ? "A leaf only adds what arrives to .grad."
        : saved.length ? "It would raise too, but another node comes first."
        : late ? "Nothing reaches it." : "It saved nothing, so nothing can be missing. It runs again.";
      this.shake(box);
      return this.wrong(`second pass: ${name}`, `Not at ${name}. ${why}`, box);
    }
    this.again = false;
    this.done.refuses = name;
    this.report();
    this.ask();
    const { events } = structure, to = events.findIndex((event) => event.node === at && event.kind === "backward");
    const before = events.slice(0, to).filter(({ kind }) => kind === "backward" || kind === "accumulate");
    const ran = before.map((event) => nameOf(structure, event.node));
    const again = ran.length ? ` Before it, ${LIST.format(ran)} ran again.` : "";
    this.say(`Here. ${first(name)} saved ${LIST.format([...new Set(saved)])}, and the first pass freed it.${again}`,
      false, box);
  }

  /** The kernel hears of it, so that an exercise can read it. */
  report() {
    const { view, pass, done: { wrong, shown, given, refuses } } = this;
    if (!pass) return;
    const gradients = Object.fromEntries([...given].map(([node, [shape, values]]) => (
      [view.structure.nodes[node].label, { shape, values }])));
    const ran = Math.max(0, view.k - pass.first + 1), events = pass.last - pass.first + 1;
    const again = view.model.get("you")?.again;
    view.model.set("you", { ...(again && { again }), ran, events, wrong: [...wrong], shown, gradients, refuses });
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
