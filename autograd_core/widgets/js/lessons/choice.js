// Radio groups, one question at a time. Arrow keys choose, Enter or a click commits.
// Everything shown is text, never markup; `backticks` become <code>.

import { el, put, uniqueId } from "../kit/dom.js";
import { ARROWS, keepFromJupyter, withModifier } from "../kit/keys.js";
import { listen } from "../kit/listen.js";

/** @import { Model, Render } from "../kit/types.d.ts" */
/** @import { ChoiceState, Question, Result } from "./types.d.ts" */

const NONE = -1;
const HOW = "Arrow keys choose, Enter commits.";
const ON = "Enter again for the next question.";

/** What has become of a question, as its page says it. */
const PAGE = { open: "not answered", kept: "answered", right: "answered, right", other: "answered, settled" };

/**
 * What has become of a question.
 * @param {number} answer
 * @param {Result | undefined} result
 */
export const pageState = (answer, result) => result?.state ?? (answer === NONE ? "open" : "kept");

/**
 * What is said below a question: what came of the answer, else what to do next.
 * @param {number} answer
 * @param {Result} result
 * @param {string} kept what is said as soon as there is an answer
 * @param {boolean} isLast
 */
export function statusText(answer, result, kept, isLast) {
  if (result.status) return result.status;
  return answer === NONE ? `Choose an answer. ${HOW}` : `${kept} ${isLast ? HOW : ON}`;
}

/**
 * @template {HTMLElement} E
 * @param {E} element
 * @param {string} text in which `backticks` become code
 */
export function write(element, text) {
  element.replaceChildren(...text.split("`").map((part, i) => (i % 2 ? el("code", {}, part) : part)));
  return element;
}

/** One question as a radio group. */
export class RadioGroup {
  /**
   * @param {Question} question
   * @param {string} id of its heading
   * @param {{ chosen: (isKept: boolean) => void, commit: (choice: number) => void, next: () => void }} hands
   *   what happens when the learner moves to a choice, commits to one, and presses Enter again
   */
  constructor(question, id, hands) {
    this.hands = hands;
    this.chosen = NONE;
    this.kept = NONE;
    this.locked = false;
    this.radios = question.choices.map(([title, detail], i) => this.radio(title, detail, i));
    this.box = el("div", {
      class: "ac-choice-group", role: "radiogroup", "aria-labelledby": id, onkeydown: (event) => this.key(event),
    }, ...this.radios.map(({ box }) => box));
  }

  /**
   * @param {string} title
   * @param {string} detail
   * @param {number} i
   */
  radio(title, detail, i) {
    const words = el("div", { class: "ac-choice-words" }, write(el("div", { class: "ac-choice-title" }), title));
    if (detail) words.append(write(el("div", { class: "ac-choice-detail" }), detail));
    const dot = el("span", { class: "ac-choice-dot", "aria-hidden": "true" });
    const marks = el("div", { class: "ac-choice-marks" });
    const onclick = () => {
      box.focus();
      if (!this.locked) this.hands.commit(i);
    };
    const box = el("div", { class: "ac-choice-radio", role: "radio", onclick }, dot, words, marks);
    return { box, marks };
  }

  /** The radio that is a tab stop. */
  get stop() { return this.radios[Math.max(this.chosen, 0)].box; }

  draw() {
    this.radios.forEach(({ box }, i) => {
      put(box, "aria-checked", i === this.chosen);
      box.toggleAttribute("data-kept", i === this.kept);
      box.tabIndex = box === this.stop ? 0 : -1;
      if (this.locked) put(box, "aria-disabled", true);
    });
  }

  /** @param {number} choice */
  moveTo(choice) {
    if (this.locked) return;
    this.chosen = choice;
    this.draw();
    this.hands.chosen(choice === this.kept);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (withModifier(event) || event.shiftKey) return;
    const { radios } = this, here = radios.findIndex(({ box }) => box === event.target);
    if (event.key in ARROWS) {
      const [down, right] = ARROWS[event.key], there = (here + down + right + radios.length) % radios.length;
      this.moveTo(there);
      radios[there].box.focus();
    } else if (event.key === " ") this.moveTo(here);
    else if (event.key !== "Enter") return;
    else if (this.locked || here === this.kept) this.hands.next();
    else this.hands.commit(here);
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * @param {number} answer
   * @param {Result} result
   */
  update(answer, result) {
    this.chosen = this.kept = answer;
    this.locked = "status" in result;
    for (const { marks } of this.radios) marks.replaceChildren();
    for (const [choice, kind, word] of result.marks ?? []) {
      const text = kind === "right" ? `✓ ${word}` : word;
      this.radios[choice].marks.append(el("span", { class: `ac-choice-mark ac-choice-mark-${kind}` }, text));
    }
    this.draw();
  }
}

class ChoiceView {
  /** @param {Model<ChoiceState>} model */
  constructor(model) {
    this.model = model;
    this.questions = model.get("questions");
    const many = this.questions.length > 1;
    this.id = uniqueId();
    this.heading = el("div", { class: "ac-choice-heading", id: this.id });
    this.stage = el("div");
    this.status = el("div", { class: "ac-choice-status", role: "status" });
    this.summary = el("div", { class: "ac-choice-summary", role: "status" });
    this.message = el("div", { class: "ac-choice-message", role: "alert" });
    this.pages = this.questions.map((_, i) => el("button", { type: "button", class: "ac-choice-page",
      onclick: () => this.show(i) }, String(i + 1)));
    const pager = { class: "ac-choice-pager", "aria-label": "Questions" };
    this.box = el("section", { class: `ac-root ac-choice ${many ? "ac-choice-many" : ""}`,
      onkeydown: keepFromJupyter },
      this.heading, this.stage, this.status, ...(many ? [el("nav", pager, ...this.pages)] : []),
      this.summary, this.message);
    this.shown = Math.max(0, model.get("answers").indexOf(NONE));
    this.group = this.groupOf(this.shown);
    this.show(this.shown);
  }

  /** @param {number} index */
  groupOf(index) {
    return new RadioGroup(this.questions[index], this.id, {
      chosen: (isKept) => { if (isKept) this.update(); else write(this.status, "Not kept yet. Enter commits."); },
      commit: (choice) => this.commit(choice),
      next: () => { if (this.shown + 1 < this.questions.length) this.show(this.shown + 1, true); },
    });
  }

  /** @param {number} index */
  show(index, focus = false) {
    this.shown = index;
    this.group = this.groupOf(this.shown);
    write(this.heading, this.questions[this.shown].heading);
    this.stage.replaceChildren(this.group.box);
    this.update();
    if (focus) this.group.stop.focus();
  }

  /** @param {number} choice */
  commit(choice) {
    this.model.set("answers", this.model.get("answers").with(this.shown, choice));
    this.model.save_changes();
    this.update();
  }

  update() {
    const { model, shown, questions } = this, answers = model.get("answers"), results = model.get("results");
    const answer = answers[shown], result = results[shown] ?? {};
    this.group.update(answer, result);
    write(this.status, statusText(answer, result, questions[shown].kept, shown + 1 === questions.length));
    write(this.summary, model.get("summary"));
    write(this.message, model.get("message"));
    this.pages.forEach((page, i) => {
      const state = pageState(answers[i], results[i]);
      page.dataset.state = state;
      put(page, "aria-label", `Question ${i + 1}: ${PAGE[state]}`);
      if (i === shown) put(page, "aria-current", true); else page.removeAttribute("aria-current");
    });
  }
}

/** @type {Render<ChoiceState>} */
export const choice = ({ model, el: parent }) => {
  const view = new ChoiceView(model), update = () => view.update();
  parent.append(view.box);
  const traits = ["answers", "results", "summary", "message"];
  return listen(model, Object.fromEntries(traits.map((trait) => [`change:${trait}`, update])));
};
