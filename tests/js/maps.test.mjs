import assert from "node:assert/strict";
import { test } from "node:test";

import { indexOf, planeOf } from "../../autograd_core/widgets/js/graph/maps.js";
import { barLength, scaleOf, ticksOf } from "../../autograd_core/widgets/js/graph/parameters.js";

const numbers = Array.from({ length: 24 }, (_, i) => i);

test("a plane of a tensor with more axes", () => {
  const map = planeOf([2, 2, 2, 3], numbers, 3);
  assert.deepEqual([map.rows, map.columns, map.planes, map.lead], [2, 3, 4, [1, 1]]);
  assert.deepEqual(map.cells, [18, 19, 20, 21, 22, 23]);
  assert.deepEqual([map.low, map.high, map.zeros], [0, 23, 1 / 24], "its statistics are of the whole tensor");
});

test("a tensor with one axis is read in rows", () => {
  const map = planeOf([40], Array(40).fill(1), 0);
  assert.deepEqual([map.rows, map.columns, map.planes], [2, 32, 1]);
  assert.equal(indexOf([40], map, 1, 7), "39");
  assert.equal(indexOf([40], map, 1, 8), null, "beyond its end");
});

test("nan is counted, and no extreme", () => {
  const map = planeOf([2, 2], [NaN, 1, -2, Infinity], 0);
  assert.deepEqual([map.low, map.high, map.nans], [-2, 1, 0.25]);
  assert.ok(Number.isNaN(planeOf([1, 1], [NaN], 0).low));
});

test("a cell's place in the tensor, and a block's", () => {
  /** @type {[number, number]} */
  const whole = [1, 1], block = /** @type {[number, number]} */ ([3, 2]);
  assert.equal(indexOf([2, 5, 5], { lead: [1], block: whole, columns: 5 }, 3, 4), "1, 3, 4");
  assert.equal(indexOf([130, 41], { lead: [], block, columns: 21 }, 43, 20), "129:130, 40:41", "cut at the end");
});

test("the scale of norms reaches from the largest down, six powers of ten at most", () => {
  const scale = scaleOf([3, 0.02, 0, Infinity, NaN]);
  assert.equal(scale.low, -2);
  assert.ok(scale.high > 0.47 && scale.high < 0.48);
  assert.equal(scaleOf([1, 1e-12]).low, -6);
  assert.deepEqual(ticksOf(scaleOf([1, 1e-12])), [-6, -2]);
  assert.deepEqual(ticksOf({ low: -2, high: 0.4 }), [-2, 0], "three would run into each other");
  assert.deepEqual(scaleOf([]), { low: -1, high: 0 });
});

test("a bar is as long as its norm is large; nothing has none", () => {
  const scale = { low: -2, high: 0 };
  assert.deepEqual([1, 0.1, 1e-9, Infinity].map((norm) => barLength(norm, scale)), [100, 50, 1.5, 100]);
  assert.deepEqual([null, 0, NaN].map((norm) => barLength(norm, scale)), [0, 0, 0]);
});
