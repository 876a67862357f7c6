import assert from "node:assert/strict";
import { test } from "node:test";

import { Tape } from "../../autograd_core/widgets/js/graph/tape.js";
import {
  knownNames, mayRun, meant, passOf, questionsOf, refusal, refusing, savedBy, typed,
} from "../../autograd_core/widgets/js/graph/turns.js";
import { numbers, scalar, structure } from "./trace.mjs";

/** @import { Cell, Tensor } from "../../autograd_core/widgets/js/kit/types.d.ts" */

const A = 0, B = 1, U = 2, LOSS = 3, START = 3;
const tape = new Tape(structure(), numbers());

/** @param {number} k @param {number} [at] */
const question = (k, at = 0) => questionsOf(tape, [k])[at];

/** What each wrong answer is called. @param {ReturnType<typeof question>} asked */
const named = ({ mistakes }) => Object.fromEntries(mistakes.map(({ text, short }) => [text, short]));

test("the backward events of one pass follow each other", () => {
  assert.deepEqual(passOf(structure().events), { first: 4, last: 8 - 1 });
  assert.equal(passOf(structure().events.slice(0, 3)), null, "none ran");
  assert.equal(passOf([...structure().events, ...structure().events]), null, "two passes");
});

test("a node may run when all has arrived, and once", () => {
  const may = [3, 4, 5, 6, 7].map((k) => [A, B, U, LOSS].filter((node) => mayRun(tape, [node], k).length));
  assert.deepEqual(may, [[LOSS], [U], [A, B], [B], []]);
  assert.deepEqual(mayRun(tape, [LOSS, U], START), [4, 5], "a fold runs as far as it can by itself");
  assert.deepEqual(mayRun(tape, [U, A], START), []);
});

test("who may not run is told why", () => {
  const why = (/** @type {number} */ node, /** @type {number} */ k) => refusal(tape, [node], k, "X").why;
  assert.equal(why(U, START), "X can't run yet: no gradient has arrived. It waits for Add.");
  assert.equal(why(A, 4), "X can't add yet: 1 of 2 gradients has arrived. It waits for Mul.");
  assert.equal(why(LOSS, 4), "X has run. It does this once in each pass.");
  assert.equal(why(A, 7), "X has added its gradient. It does this once in each pass.", "also where a step follows");
  const idle = structure();
  idle.nodes[A].kind = "constant";
  assert.match(refusal(new Tape(idle, numbers()), [A], START, "the x").why, /^The x is a constant/);
});

test("a product is asked for with the likeliest mistakes", () => {
  const asked = question(5);
  assert.equal(asked.title, "Mul runs: what does it send to a?");
  assert.equal(asked.right.text, "3");
  assert.deepEqual(named(asked),
    { 1: "factor forgotten", 2: "other input's gradient", 4: "sum for product", "−3": "sign" });
  assert.deepEqual(asked.offers.map(({ text }) => text), ["1", "2", "3"]);
  const why = "1 is the gradient that arrived. It multiplies the gradient by the slope for a, which is b.";
  assert.equal(asked.mistakes[0].why, why);
});

test("a sum hands on all, and where two meet they are added", () => {
  assert.equal(named(question(4))["0.5"], "divided");
  const meets = question(5, 2);
  assert.deepEqual([meets.title, meets.right.text], ["2 contributions meet at a: what is its gradient?", "4"]);
  assert.deepEqual(named(meets), { 1: "not added", 3: "not added", "−2": "difference", 2: "mean for sum" });
});

test("a leaf that holds a gradient already adds", () => {
  const held = numbers();
  held.events[5] = [scalar(10), scalar(14), []];
  const [asked] = questionsOf(new Tape(structure(), held), [6]);
  assert.equal(asked.title, "a.grad already has a gradient. What is it afterwards?");
  assert.deepEqual([asked.right.text, named(asked)["4"], named(asked)["10"]], ["14", "not added", "not added"]);
  assert.deepEqual(questionsOf(tape, [6]), [], "one that is empty takes in what came");
});

/** What is asked where x arrived, and `sent` goes to both inputs. @param {Cell} x @param {Cell} sent */
function oddly(x, sent) {
  const odd = numbers(), [came, goes] = /** @type {Tensor[]} */ ([[[], [x], x], [[], [sent], sent]]);
  odd.events[4] = [came, null, [goes, goes]];
  return questionsOf(new Tape(structure(), odd), [5]).filter(({ edge }) => edge !== null);
}

test("nothing is asked where every answer looks alike", () => assert.deepEqual(oddly(0, 0), []));

test("a nan is asked for, and whoever takes it for 0 is told where it comes from", () => {
  const [{ right, mistakes }] = oddly(0, "nan");
  assert.deepEqual([right.text, mistakes[0].text], ["nan", "0"]);
  assert.match(mistakes[0].why, /0 times inf is nan/);
  assert.match(oddly(2, "inf")[0].mistakes[0].why, /The slope isn't\./);
  assert.match(oddly("nan", "nan")[0].mistakes[0].why, /The gradient that arrived isn't/);
});

test("a second pass raises where something was saved, a plain number too", () => {
  const { nodes, ...rest } = structure();
  assert.equal(refusing({ ...rest, nodes }), U);
  assert.deepEqual(savedBy({ ...rest, nodes }, U), ["a number"]);
  nodes[LOSS].saved = [{ label: "u", text: "", stale: false }];
  assert.equal(refusing({ ...rest, nodes }), LOSS);
  nodes[LOSS].saved = [];
  nodes[U].short = "Sum";
  assert.equal(refusing({ ...rest, nodes }), null);
});

test("numbers, names and products as people type them", () => {
  const right = { "−0.5": -0.5, " 2 ": 2, "1e-3": 0.001, "0,25": 0.25, ".5": 0.5, "+1": 1 };
  for (const [text, value] of Object.entries(right)) assert.equal(typed(text), value, text);
  const wrong = ["", "-", "a", "1.2.3", "1,000.5", "Infinity", "1/0", "2 3", "(2", "alert(1)", "__proto__"];
  assert.deepEqual(wrong.map((text) => typed(text)), wrong.map(() => null));
  const names = knownNames(tape, START);
  assert.deepEqual([...names], [["a", 2], ["b", 3], ["u", 6], ["loss", 8]]);
  const known = { "u": 6, "0.5*u": 3, "−b × 2": -6, "u*(1 - u)": -30, "1/a": 0.5, "-(a+b)*2": -10, "w": null };
  for (const [text, value] of Object.entries(known)) assert.equal(typed(text, names), value, text);
});

test("what was worked out from numbers that are shown is right", () => {
  const small = numbers();                             // 0.0014 is shown as 0.001, so that 0.1 follows
  small.values[B] = scalar(100);
  small.events[4] = [scalar(0.0014), null, [scalar(0.14), scalar(0.0028)]];
  const [asked] = questionsOf(new Tape(structure(), small), [5]);
  assert.equal(meant(asked, 0.1), asked.right);
  assert.equal(meant(asked, 0.001)?.short, "factor forgotten");
  assert.equal(meant(asked, 100)?.short, "only the slope");
  assert.equal(meant(asked, 0.3), null);
});

test("a typed number is taken for what is nearest", () => {
  const asked = question(5);
  assert.equal(meant(asked, 3.001), asked.right);
  assert.equal(meant(asked, 3.1), null);
  assert.equal(meant(asked, 2)?.short, "other input's gradient");
});
