import assert from "node:assert/strict";
import { test } from "node:test";

import { ceiling, signed, signStyle, summary } from "../../autograd_core/widgets/js/kit/shade.js";

test("a scale ends at the power of ten at or above the largest size", () => {
  const sizes = [0, 1e-300, 0.00099, 0.001, 0.0011, 1, 999, 1000, Infinity, NaN];
  const ends = sizes.map((size) => ceiling([-size]));
  assert.deepEqual(ends, [1, 1e-300, 0.001, 0.001, 0.01, 1, 1000, 1000, 1, 1], "as in kit/shade.py");
});

test("the depth of a gradient has its sign, and only equal numbers have equal depths", () => {
  const numbers = [-1, -0.1, -1e-3, -1e-9, 0, 1e-9, 1e-3, 0.1, 1], depths = numbers.map((x) => signed(x, 1));
  assert.deepEqual(depths.map(Math.sign), numbers.map(Math.sign));
  assert.equal(new Set(depths).size, numbers.length);
  assert.ok(Math.abs(signed(-0.1, 1) + Math.log(101) / Math.log(1001)) < 1e-12);
  assert.deepEqual([signed(10, 10), signed(-10, 10)], [1, -1]);
});

test("below a map stand its ends and how many numbers are not zero", () => {
  assert.deepEqual(summary([0, -2, 0.5]), { low: "−2", high: "0.5", count: "2 pixels, all others 0" });
  assert.deepEqual(summary([0, 0]).count, "all zero");
  assert.deepEqual(summary([1, 2]).count, "all 2 pixels");
  assert.deepEqual(summary([NaN, 1]), { low: "1", high: "1", count: "1 nan or inf" });
  assert.deepEqual(["−2", "0", "0.5"].map(signStyle), ["ac-n", "ac-q", "ac-g"]);
});
