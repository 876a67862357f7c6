// The first play on a page stops where contributions meet for the first time, and asks what the sum will be.

import { button } from "../kit/button.js";
import { el, uniqueId, write } from "../kit/dom.js";
import { count, real, tensorText, cellOf } from "../kit/format.js";
import { sum } from "./tape.js";

/** @import { Tensor } from "../kit/types.d.ts" */
/** @import { Tape } from "./tape.js" */

const IN_FULL = 3;                               // numbers of a tensor that can be asked for

/** Whether a reader of this page was asked, in whichever view. */
const page = { asked: false };

/**
 * What meets at event k: the node, and all its contributions in the order of arrival; null where nothing does, or where
 * it cannot be said in a few numbers.
 * @param {Tape} tape
 * @param {number} k
 * @returns {{ node: number, terms: Tensor[] } | null}
 */
export function meetingAt(tape, k) {
  const { events, edges, nodes } = tape.structure;
  for (const edge of events[k - 1]?.edges ?? []) {
    const { producer } = edges[edge], { arrived, all } = tape.node(producer, k);
    const terms = arrived.map((each) => tape.sent(each));
    const isWhole = arrived.length > 1 && arrived.length === all.length && nodes[producer].kind === "operation";
    if (isWhole && terms.every((each) => each[1] && count(each) <= IN_FULL)) return { node: producer, terms };
  }
  return null;
}

/**
 * The sum, and what it is taken for: the last that came, and the difference. Each text once, the sum's place among them
 * given by its size.
 * @param {Tensor[]} terms
 * @returns {{ choices: string[], right: string } | null}
 */
export function choicesFor(terms) {
  const last = terms[terms.length - 1], [shape, values] = last;
  /** @type {Tensor} */
  const negative = [shape, (values ?? []).map((x) => cellOf(-real(x))), last[2]];
  const all = [sum(terms), last, sum([...terms.slice(0, -1), negative])];
  const texts = all.map((tensor) => (tensor ? tensorText(tensor, true) : ""));
  const choices = [...new Set(texts)].sort();
  return choices.length > 1 && texts[0] ? { choices, right: texts[0] } : null;
}

export class Ask {
  constructor() {
    this.box = el("div", { class: "ac-ask", hidden: "" });
  }

  /**
   * Whether the reader is asked before event k is played; `go` is called when they have answered, or do not want to.
   * @param {Tape} tape
   * @param {number} k
   * @param {() => void} go
   */
  before(tape, k, go) {
    const meeting = page.asked || tape.structure.large ? null : meetingAt(tape, k);
    const asked = meeting && choicesFor(meeting.terms);
    if (!meeting || !asked) return false;
    page.asked = true;
    const { terms } = meeting, { label, called } = tape.structure.nodes[meeting.node];
    const arriving = terms.map((tensor) => tensorText(tensor, true));
    const name = uniqueId(), verdict = el("span", { class: "ac-answer", role: "status" });
    const words = `${terms.length} ways lead back to ${label || called}. Along them come ${arriving.join(" and ")}. `
      + "What will its gradient be?";
    /** @param {string} text */
    const answer = (text) => {
      const isRight = text === asked.right;
      write(verdict, `${isRight ? "✓ Yes" : `Not ${text}`}: contributions are added, so it is ${asked.right}.`);
      verdict.classList.toggle("ac-right", isRight);
    };
    const options = asked.choices.map((text) => el("label", {},
      el("input", { type: "radio", name, value: text, onchange: () => answer(text) }), el("span", {}, text)));
    const done = button("Go on", "Go on", () => {
      this.close();
      go();
    });
    this.box.replaceChildren(el("p", { id: `${name}-q` }, words),
      el("div", { class: "ac-options", role: "radiogroup", "aria-labelledby": `${name}-q` }, ...options), verdict,
      done);
    this.box.hidden = false;
    options[0].querySelector("input")?.focus({ preventScroll: true });
    return true;
  }

  close() { this.box.hidden = true; }
}
