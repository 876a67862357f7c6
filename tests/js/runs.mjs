// Reads a trace as it is shown, and orders of its events. Writes the same trace in each of these orders, and what a
// reader meets who runs it so: the questions with what was typed, the boxes that refuse.
// test_same_as_python.py asks it.

import { readFileSync } from "node:fs";

import { arranged } from "../../autograd_core/widgets/js/graph/order.js";
import { Tape } from "../../autograd_core/widgets/js/graph/tape.js";
import { mayRun, meant, passOf, questionsOf, refusal, typed } from "../../autograd_core/widgets/js/graph/turns.js";

/** @import { Shown } from "../../autograd_core/widgets/js/graph/order.js" */

/** @type {{ shown: Shown, orders: number[][] }} */
const { shown, orders } = JSON.parse(readFileSync(0, "utf8"));

/** All who may run after each event and who may not, and the questions of the one that does. @param {Shown} now */
function run({ structure, numbers }) {
  const tape = new Tape(structure, numbers[0]), pass = passOf(structure.events);
  if (!pass) return [];
  return [...Array(pass.last - pass.first + 1).keys()].map((i) => {
    const k = pass.first + i, { node } = structure.events[k - 1];
    const may = structure.nodes.flatMap((_, other) => (mayRun(tape, [other], k - 1).length ? [other] : []));
    const others = structure.nodes.flatMap((_, other) => (
      may.includes(other) ? [] : [refusal(tape, [other], k - 1, `node ${other}`).why]));
    const questions = questionsOf(tape, [k]).map((question) => {
      const { right, mistakes, offers } = question, value = typed(right.text);
      return { title: question.title, right: right.text, offers: offers.map(({ text }) => text),
        typed: value === null ? null : meant(question, value) === right,
        mistakes: mistakes.map(({ text, short, why }) => [text, short, why]) };
    });
    return { node, may, others, questions };
  });
}

console.log(JSON.stringify(orders.map((order) => {
  const now = arranged(shown, order);
  return { ...now, run: run(now) };
})));
