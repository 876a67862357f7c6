import assert from "node:assert/strict";
import { test } from "node:test";

import {
  pixelsOf, standing, statesOn, toldOfCall, toldOfMove,
} from "../../autograd_core/widgets/js/lessons/by_hand.js";
import { pageState, statusText } from "../../autograd_core/widgets/js/lessons/choice.js";
import { lineName, stepAt } from "../../autograd_core/widgets/js/lessons/curves.js";
import { brushOf } from "../../autograd_core/widgets/js/lessons/paint.js";
import { curveOf, placeAt } from "../../autograd_core/widgets/js/lessons/race.js";

test("choice: what has become of a question", () => {
  assert.equal(pageState(-1, {}), "open");
  assert.equal(pageState(2, {}), "kept");
  assert.equal(pageState(2, { state: "right" }), "right");
  assert.equal(pageState(-1, undefined), "open");
});

test("choice: what is said below a question", () => {
  assert.match(statusText(-1, {}, "Kept.", false), /^Choose an answer/);
  assert.match(statusText(1, {}, "Kept.", false), /^Kept\. Enter again/);
  assert.match(statusText(1, {}, "Kept.", true), /^Kept\. Arrow keys/);
  assert.equal(statusText(1, { status: "It adds." }, "Kept.", false), "It adds.");
});

test("curves: the step under a pointer, and the ends", () => {
  const places = { left: 50, right: 150, top: 0, bottom: 10, steps: 11 };
  assert.deepEqual([0, 50, 54, 56, 150, 900].map((x) => stepAt(places, x)), [0, 0, 0, 1, 10, 10]);
});

test("curves: a line that is alone in its panel has its name", () => {
  const line = { role: "value", values: [], other: null };
  assert.equal(lineName({ panel: "w", name: "w", ...line }), "w");
  assert.equal(lineName({ panel: "grad norm", name: "0.weight", ...line }), "grad norm: 0.weight");
});

test("paint: a stroke takes away what its first cell has", () => {
  assert.deepEqual(brushOf("mask", [true, "nan"])([true, ""]), [false, ""]);
  assert.deepEqual(brushOf("mask", [false, ""])([false, "nan"]), [true, "nan"], "poison stays");
  assert.deepEqual(brushOf("nan", [false, "nan"])([true, "inf"]), [true, ""]);
  assert.deepEqual(brushOf("inf", [false, "nan"])([true, ""]), [true, "inf"]);
  assert.deepEqual(brushOf("erase", [true, ""])([true, "nan"]), [false, ""]);
});

test("race: a loss without a number breaks its curve", () => {
  assert.equal(curveOf([1, null, 0.5, 0]), "M0 4M666.6666666666666 52L1000 100");
  assert.equal(curveOf([2]), "M0 4", "what is above the scale stays at its top");
});

test("race: the place that was pressed, in x and y", () => {
  assert.deepEqual(placeAt([[-2.1, 2.1], [-1.35, 1.65]], 0.5, 0), [0, 1.65]);
  assert.deepEqual(placeAt([[-2.1, 2.1], [-1.35, 1.65]], 1, 1), [2.1, -1.35]);
});

test("by hand: the states on a way", () => {
  const leads = [[1, 2], [0, 3], [3, 0], []];
  assert.deepEqual(statesOn(leads, []), [0]);
  assert.deepEqual(statesOn(leads, [0, 1]), [0, 1, 3]);
  assert.deepEqual(statesOn(leads, [1, 1, 0]), [0, 2, 0, 1]);
});

test("by hand: where a loss stands in the picture", () => {
  const places = { left: 50, right: 150, top: 10, bottom: 110, steps: 11 };
  assert.deepEqual(pixelsOf(places, [0, 2], 0, 2), [50, 10]);
  assert.deepEqual(pixelsOf(places, [0, 2], 10, 0.5), [150, 85]);
  assert.deepEqual(pixelsOf(places, [0, 2], 5, 7), [100, 10], "what is beyond the top stands there");
});

test("by hand: what a move along a slope came to", () => {
  assert.equal(toldOfMove(-5.5, true, 1.6, 0.6), "With the sign, and the loss fell.");
  assert.equal(toldOfMove(2, false, 1.6, 0.6), "With the sign, and the loss fell.");
  assert.equal(toldOfMove(2, true, 1, 2), "Against the sign, and the loss rose.");
  assert.match(toldOfMove(2, false, 1, 2), /^With the sign, and yet the loss rose: it was too far/);
  assert.match(toldOfMove(2, false, 1, 1), /yet the loss is the same/);
  assert.equal(toldOfMove(0, true, 1, 2), "The gradient was 0, and the loss rose.");
});

test("by hand: who is lower", () => {
  assert.equal(standing(1, 0.5, 0.25), "After 1 move: you 0.5, SGD 0.25. SGD is lower.");
  assert.match(standing(12, 0.1, 0.25), /^After 12 moves: .* You are lower\.$/);
  assert.match(standing(2, 0.25, 0.25), /level/);
});

test("by hand: each mistake among the three calls has its own sentence", () => {
  const [backward, step, zero] = [0, 1, 2], goal = [3, 0];
  /** @type {[number, number | undefined, (number | null)[], (number | null)[], RegExp][]} */
  const cases = [
    [backward, undefined, [0, null], [0, -3], /was None, and is −3: the slope at 0/],
    [backward, backward, [0, -3], [0, -6], /added to −3: w\.grad is −6, the sum/],
    [backward, step, [3, -6], [3, -6], /slope at 3 is 0: w\.grad is −6 as before/],
    [step, undefined, [0, null], [0, null], /None: step\(\) has nothing to read, and w stays\. Nothing complains/],
    [step, backward, [0, -3], [1.5, -3], /^w went from 0 to 1\.5: w\.grad was −3\.$/],
    [step, step, [1.5, -3], [3, -3], /w\.grad was still −3, with no backward\(\) since/],
    [step, step, [3, -6], [6, -6], /At 3 the slope is 0, and yet w went from 3 to 6: −6 was still in w\.grad/],
    [step, backward, [3, 0], [3, 0], /^w\.grad is 0: w stays\.$/],
    [zero, undefined, [0, null], [0, null], /None already/],
    [zero, backward, [0, -3], [0, null], /^−3 is thrown away, with no step\(\) since backward\(\)/],
    [zero, step, [3, -6], [3, null], /None again/],
  ];
  for (const [call, former, before, after, said] of cases) {
    assert.match(toldOfCall(call, former, "w", before, after, goal), said);
  }
  assert.equal(new Set(cases.map(([call, former, before, after]) =>
    toldOfCall(call, former, "w", before, after, goal))).size, cases.length);
});
