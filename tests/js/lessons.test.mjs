import assert from "node:assert/strict";
import { test } from "node:test";

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
