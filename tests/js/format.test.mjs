import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import {
  brief, cellOf, count, finite, number, percent, precise, real, shapeText, sizeText,
} from "../../autograd_core/widgets/js/kit/format.js";

const cases = JSON.parse(readFileSync(new URL("../widgets/format_cases.json", import.meta.url), "utf8"));

test("numbers read as in Python: the cases are Python's too", () => {
  assert.ok(cases.length > 20);
  for (const [value, text] of cases) assert.equal(number(value), text, `${value}`);
});

test("shapes and sizes", () => {
  assert.deepEqual([[], [3], [2, 3]].map(shapeText), ["scalar", "3", "2×3"]);
  assert.deepEqual([[1], [3], [2, 3]].map(sizeText), ["1 number", "3 numbers", "2×3"]);
  assert.equal(count([[2, 3], null, 0]), 6);
});

test("a tensor in one number, and with all its digits", () => {
  assert.equal(brief([[1], [0.25], 0.25]), "0.25");
  assert.equal(brief([[2], [3, 4], 5]), "5");
  assert.equal(precise([[2], [0.1, 0.2], 0.22]), "[0.1, 0.2]");
  assert.equal(precise([[9, 9], null, 1.5]), "9×9, norm 1.5");
});

test("nan and inf are words on the way, and numbers again", () => {
  for (const x of [NaN, Infinity, -Infinity, 0, 1.5]) assert.equal(real(cellOf(x)), x);
  assert.deepEqual([NaN, -Infinity].map(cellOf), ["nan", "-inf"]);
  assert.equal(finite([[2], [1, "nan"], "nan"]), false);
  assert.equal(finite([[9], null, "inf"]), false, "of a large one its norm tells");
  assert.equal(finite(null), true);
});

test("shares", () => {
  assert.deepEqual([0, 0.0004, 0.125, 1].map(percent), ["none", "below 0.1%", "12.5%", "100%"]);
});
