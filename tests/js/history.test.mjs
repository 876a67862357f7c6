// The heat map of a training: what a cell says, which steps a column stands for.

import assert from "node:assert/strict";
import { test } from "node:test";

import { cellText, stepsOf } from "../../autograd_core/widgets/js/graph/history.js";

test("a cell says its number, or what it has in place of one", () => {
  assert.equal(cellText(0.00032, "gradient"), "norm 3.2e−4");
  assert.equal(cellText(0, "gradient"), "norm 0");
  assert.equal(cellText(NaN, "update"), "nan or inf");
  assert.equal(cellText(-1, "zeros"), "no gradient");
  assert.equal(cellText(0.25, "zeros"), "25% zeros");
  assert.equal(cellText(0.012, "update"), "moved by 0.012 of its norm");
});

test("the last column may stand for fewer steps", () => {
  const drawn = /** @type {any} */ ({ per: 20, steps: 4990 });
  assert.deepEqual(stepsOf(drawn, 0), [0, 19]);
  assert.deepEqual(stepsOf(drawn, 249), [4980, 4989]);
});
